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
  const single = put.vector
  const finish = (chunks: Chunked['chunks'], trailing: string, chunker: string | undefined): Chunked => {
    if (single !== undefined && chunks.length !== 1)
      throw invalid(
        'vector',
        `for ${chunks.length} spans`,
        'a vector beside the text needs exactly one span; use the chunker whole(), or spans',
      )
    return { chunks, trailing, chunker, fingerprint: fingerprintOf(chunks, trailing, chunker) }
  }
  if (put.spans !== undefined) {
    const chunks = put.spans.map((span, i) => ({
      text: span.text,
      hash: span.hash,
      length: span.length,
      metadata: merge(span.metadata),
      vector: single ?? span.vector,
      lead: i === 0 || span.text === undefined ? NO_LEAD : LINE,
      keepsMetadata: put.metadata === undefined && span.metadata === undefined,
    }))
    return finish(chunks, '', undefined)
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
  let covered = 0
  let lastGap = NO_LEAD
  const spans = chunks.map((chunk, i) => {
    let lead = NO_LEAD
    if (chunk.start > covered) {
      const gap = text.slice(covered, chunk.start)
      if (lastGap.gap !== gap) lastGap = { gap, overlap: 0 }
      lead = lastGap
    } else if (chunk.start < covered) lead = { gap: '', overlap: covered - chunk.start }
    if (chunk.end > covered) covered = chunk.end
    const own =
      chunk.metadata === undefined ? undefined : canonical(metadataOf(`chunk ${i} metadata`, chunk.metadata))
    return {
      text: chunk.text,
      hash: hashOf(chunk.text),
      length: chunk.text.length,
      metadata: merge(own),
      vector: single,
      lead,
      keepsMetadata: put.metadata === undefined && own === undefined,
    }
  })
  return finish(spans, text.slice(covered), chunker.id)
}

/** One hash over everything a put says about its text: equal means the same put. */
function fingerprintOf(chunks: Chunked['chunks'], trailing: string, chunker: string | undefined): string {
  const parts: string[] = [chunker ?? '']
  let gap = ''
  for (const { hash, lead, metadata, vector } of chunks) {
    parts.push(hash ?? '-')
    // Most leads repeat the one before, and most chunks have neither metadata nor a vector of their own.
    if (lead.gap !== gap) {
      gap = lead.gap
      parts.push('gap', gap)
    }
    if (lead.overlap > 0) parts.push('overlap', String(lead.overlap))
    if (metadata !== undefined) parts.push('metadata', metadata)
    if (vector !== undefined)
      parts.push(
        'vector',
        Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64'),
      )
  }
  parts.push(trailing)
  return hashOf(parts.join('\u0000'))
}

/** Whether an offset lies between the two halves of a character. */
const cutsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
