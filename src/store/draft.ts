import { hash } from 'node:crypto'
import { type Chunker, checkChunks, paragraphs } from '../chunking/index.ts'
import type { Draft, Lead } from '../core/changeset.ts'
import { SpanStoreError } from '../core/errors.ts'
import type { Metadata } from '../core/json.ts'
import type { NewSpan } from '../ports.ts'
import {
  array,
  canonical,
  flag,
  identifier,
  invalid,
  metadataOf,
  object,
  show,
  vectorOf,
  wellFormed,
  wholeNumber,
} from './input.ts'

export type VectorInput = Float32Array | readonly number[]

export interface SpanInput {
  /** null: a record without text. */
  readonly text: string | null
  readonly metadata?: Metadata
  readonly vector?: VectorInput
}

/** `text` or `spans`, not both. Fields left out keep the value they had. */
export interface PutInput {
  readonly source: string
  readonly text?: string | null
  readonly spans?: readonly SpanInput[]
  readonly metadata?: Metadata
  /** Needs exactly one span. */
  readonly vector?: VectorInput
  readonly chunker?: Chunker
  /** Refuse with REVISION_CONFLICT unless the source stands at this revision (0: it must be new). */
  readonly expectedRevision?: number
  /** Milliseconds since the epoch; null takes an expiry back. */
  readonly expiresAt?: number | null
  /** Commit first and leave the vectors to the indexer. */
  readonly defer?: boolean
  readonly commandId?: string
  /** Take back text that was erased from this source. */
  readonly readmit?: boolean
}

export interface AppendInput {
  readonly source: string
  readonly spans: readonly SpanInput[]
  readonly commandId?: string
  readonly readmit?: boolean
  readonly defer?: boolean
}

/** 132 bits of SHA-256: equal hash means equal text. */
export const hashOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

export interface Chunked extends Draft {
  readonly chunks: readonly (NewSpan & { readonly lead: Lead; readonly keepsMetadata: boolean })[]
  readonly chunker: string | undefined
  readonly fingerprint: string
}

/** A checked put, before anything is known of the source. */
export interface Prepared {
  readonly source: string
  readonly text: string | undefined
  readonly chunker: Chunker | undefined
  readonly spans: readonly NewSpan[] | undefined
  readonly metadata: Metadata | undefined
  readonly vector: Float32Array | undefined
  readonly expectedRevision: number | undefined
  readonly expiresAt: number | null | undefined
  readonly defer: boolean
  readonly readmit: boolean
}

const PUT_FIELDS = [
  'source',
  'text',
  'spans',
  'metadata',
  'vector',
  'chunker',
  'expectedRevision',
  'expiresAt',
  'defer',
  'commandId',
  'readmit',
]

const NO_LEAD: Lead = { gap: '', overlap: 0 }
const LINE: Lead = { gap: '\n', overlap: 0 }

const DEFAULT_CHUNKER = paragraphs()

export function prepare(input: PutInput, path: string): Prepared {
  object(path, input, PUT_FIELDS)
  const source = identifier(`${path}.source`, input.source)
  if ((input.text === undefined) === (input.spans === undefined))
    throw invalid(path, input, 'give either text or spans')
  const spans =
    input.spans !== undefined
      ? newSpans(input.spans, `${path}.spans`)
      : input.text === null
        ? [{ text: undefined, hash: undefined, length: 0, metadata: undefined, vector: undefined }]
        : undefined
  const vector = input.vector === undefined ? undefined : vectorOf(`${path}.vector`, input.vector)
  if (vector !== undefined && spans !== undefined && spans.length !== 1)
    throw invalid(
      `${path}.vector`,
      `for ${spans.length} spans`,
      'a vector beside the text needs exactly one span; give each span its own',
    )
  if (
    input.chunker !== undefined &&
    (typeof input.chunker?.chunk !== 'function' || typeof input.chunker.id !== 'string')
  )
    throw invalid(`${path}.chunker`, input.chunker, 'give an object with id and chunk(text)')
  return {
    source,
    text: input.text == null ? undefined : wellFormed(`${path}.text`, input.text),
    chunker: input.chunker,
    spans,
    metadata: input.metadata === undefined ? undefined : metadataOf(`${path}.metadata`, input.metadata),
    vector,
    expectedRevision:
      input.expectedRevision === undefined
        ? undefined
        : wholeNumber(`${path}.expectedRevision`, input.expectedRevision, 0),
    expiresAt:
      input.expiresAt == null ? input.expiresAt : wholeNumber(`${path}.expiresAt`, input.expiresAt, 0),
    defer: flag(`${path}.defer`, input.defer),
    readmit: flag(`${path}.readmit`, input.readmit),
  }
}

export function newSpans(inputs: unknown, path: string): NewSpan[] {
  return array(path, inputs).map((input, i) => {
    const here = `${path}[${i}]`
    const { text, metadata, vector } = object(here, input, ['text', 'metadata', 'vector'])
    const checked = text === null ? undefined : wellFormed(`${here}.text`, text)
    return {
      text: checked,
      hash: checked === undefined ? undefined : hashOf(checked),
      length: checked?.length ?? 0,
      metadata: metadata === undefined ? undefined : canonical(metadataOf(`${here}.metadata`, metadata)),
      vector: vector === undefined ? undefined : vectorOf(`${here}.vector`, vector),
    }
  })
}

/**
 * Cuts a prepared put into chunks with their leads. `inherited`: what the source was given by an earlier put, for
 * the fields left out now.
 */
export async function chunked(
  put: Prepared,
  inherited: { readonly metadata: string | undefined; readonly chunker: Chunker | undefined },
): Promise<Chunked> {
  const common =
    put.metadata ??
    (inherited.metadata === undefined ? undefined : (JSON.parse(inherited.metadata) as Metadata))
  const shared = canonical(common)
  // Metadata of one chunk: its own over the source's. With neither given, a kept span keeps what it has.
  const merge = (own: string | undefined) =>
    own === undefined
      ? shared
      : common === undefined
        ? own
        : canonical(metadataOf('metadata', { ...common, ...(JSON.parse(own) as Metadata) }))
  const finish = (
    spans: readonly NewSpan[],
    leads: readonly Lead[],
    trailing: string,
    chunker: string | undefined,
  ): Chunked => {
    const single = put.vector
    if (single !== undefined && spans.length !== 1)
      throw invalid(
        'vector',
        `for ${spans.length} spans`,
        'a vector beside the text needs exactly one span; use the chunker whole(), or spans',
      )
    return {
      chunks: spans.map((span, i) => ({
        text: span.text,
        hash: span.hash,
        length: span.length,
        metadata: merge(span.metadata),
        vector: single ?? span.vector,
        lead: leads[i]!,
        keepsMetadata: put.metadata === undefined && span.metadata === undefined,
      })),
      trailing,
      chunker,
      fingerprint: fingerprintOf(spans, leads, trailing, chunker, single),
    }
  }
  if (put.spans !== undefined) {
    const leads = put.spans.map((span, i) => (i === 0 || span.text === undefined ? NO_LEAD : LINE))
    return finish(put.spans, leads, '', undefined)
  }
  const chunker = put.chunker ?? inherited.chunker ?? DEFAULT_CHUNKER
  const text = put.text!
  const answer = chunker.chunk(text)
  const chunks = answer instanceof Promise ? await answer : answer
  if (!Array.isArray(chunks))
    throw new SpanStoreError(
      'INVALID_CHUNKS',
      `Chunker "${chunker.id}" returned ${show(chunks)}. Return an array of chunks.`,
      { chunker: chunker.id, ordinal: 0 },
    )
  checkChunks(text, chunks, chunker.id)
  chunks.forEach(({ start, end }, ordinal) => {
    if (!cutsPair(text, start) && !cutsPair(text, end)) return
    throw new SpanStoreError(
      'INVALID_CHUNKS',
      `Chunk ${ordinal} of chunker "${chunker.id}" starts or ends inside a surrogate pair (${start}–${end}), so it could not be given back as it came. Cut beside the character.`,
      { chunker: chunker.id, ordinal },
    )
  })
  const leads: Lead[] = []
  let covered = 0
  let lastGap: Lead = NO_LEAD
  const spans = chunks.map((chunk, i): NewSpan => {
    if (chunk.start > covered) {
      const gap = text.slice(covered, chunk.start)
      if (lastGap.gap !== gap) lastGap = { gap, overlap: 0 }
      leads.push(lastGap)
    } else leads.push(chunk.start === covered ? NO_LEAD : { gap: '', overlap: covered - chunk.start })
    covered = Math.max(covered, chunk.end)
    return {
      text: chunk.text,
      hash: hashOf(chunk.text),
      length: chunk.text.length,
      metadata:
        chunk.metadata === undefined
          ? undefined
          : canonical(metadataOf(`chunk ${i} metadata`, chunk.metadata)),
      vector: undefined,
    }
  })
  return finish(spans, leads, text.slice(covered), chunker.id)
}

/** Whether a place lies between the two halves of a character. */
const cutsPair = (text: string, at: number): boolean => at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff

/** One hash over everything a put says about its text: equal means the same put. */
function fingerprintOf(
  spans: readonly NewSpan[],
  leads: readonly Lead[],
  trailing: string,
  chunker: string | undefined,
  vector: Float32Array | undefined,
): string {
  // Hashes, numbers, JSON and base64 have no NUL in them; what may have one comes with its length.
  const counted = (text: string) => `${text.length} ${text}`
  const parts: string[] = [counted(chunker ?? ''), String(spans.length)]
  spans.forEach((span, i) => {
    const { gap, overlap } = leads[i]!
    parts.push(span.hash ?? '-', counted(gap), String(overlap))
    if (span.metadata !== undefined) parts.push(span.metadata)
    const own = vector ?? span.vector
    if (own !== undefined)
      parts.push(Buffer.from(own.buffer, own.byteOffset, own.byteLength).toString('base64'))
  })
  parts.push(counted(trailing))
  return hashOf(parts.join('\u0000'))
}
