import { createHash, hash } from 'node:crypto'
import { type Chunker, checkChunks, paragraphs } from '../chunking/index.ts'
import type { Lead } from '../core/changeset.ts'
import { SpanStoreError } from '../core/errors.ts'
import type { Metadata } from '../core/json.ts'
import { HASH_LENGTH, type NewSpan, NO_HASH, type Outline } from '../ports/planned.ts'
import { atOnce, Turns } from '../threads/turn.ts'
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
  /** The source's revision, as the caller read it; 0: it must be new. */
  readonly expectedRevision?: number
  readonly commandId?: string
  readonly readmit?: boolean
  readonly defer?: boolean
}

/** 132 bits of SHA-256: equal hash means equal text. */
export const hashOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, HASH_LENGTH)

export type DraftSpan = NewSpan & {
  readonly lead: Lead
  /** Neither the put nor the chunk says anything of metadata: a kept span keeps its own. */
  readonly keepsMetadata: boolean
}

/**
 * A put cut into chunks. Only their hashes and leads are worked out for all of them; the rest is made for the part
 * that turns out to differ from what is live, so that an edit of a long document does not pay for its length.
 */
export interface Chunked extends Outline {
  readonly count: number
  readonly trailing: string
  readonly chunker: string | undefined
  readonly fingerprint: string
  span(index: number): DraftSpan
}

/** A checked put, before anything is known of the source. */
export interface Prepared {
  readonly source: string
  readonly text: string | undefined
  readonly chunker: Chunker | undefined
  readonly spans: readonly DraftSpan[] | undefined
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

/** Checks a put, in steps. */
export function* preparing(input: PutInput, path: string): Generator<void, Prepared> {
  object(path, input, PUT_FIELDS)
  const source = identifier(`${path}.source`, input.source)
  if ((input.text === undefined) === (input.spans === undefined))
    throw invalid(path, input, 'give either text or spans')
  const spans =
    input.spans !== undefined
      ? yield* checkingSpans(input.spans, `${path}.spans`)
      : input.text === null
        ? newSpans([{ text: null }], `${path}.text`)
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

export const newSpans = (inputs: unknown, path: string): DraftSpan[] => atOnce(checkingSpans(inputs, path))

/** Spans of one step. */
const CHECKED = 64

/** `newSpans` in steps. */
export function* checkingSpans(inputs: unknown, path: string): Generator<void, DraftSpan[]> {
  const spans: DraftSpan[] = []
  for (const [i, input] of array(path, inputs).entries()) {
    spans.push(plainSpan(input, i) ?? checkedSpan(input, i, `${path}[${i}]`))
    if (i % CHECKED === CHECKED - 1) yield
  }
  return spans
}

/** Ready-made spans stand on lines of their own. */
const leadOf = (text: string | undefined, i: number): Lead => (i === 0 || text === undefined ? NO_LEAD : LINE)

/** The usual span, text and nothing else, without spelling out paths that only an error would name. */
function plainSpan(input: unknown, i: number): DraftSpan | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  for (const field in input) if (field !== 'text') return undefined
  const { text } = input as { readonly text?: unknown }
  if (typeof text !== 'string' || !text.isWellFormed()) return undefined
  return {
    text,
    hash: hashOf(text),
    length: text.length,
    metadata: undefined,
    vector: undefined,
    lead: leadOf(text, i),
    keepsMetadata: true,
  }
}

function checkedSpan(input: unknown, i: number, here: string): DraftSpan {
  const { text, metadata, vector } = object(here, input, ['text', 'metadata', 'vector'])
  const checked = text === null ? undefined : wellFormed(`${here}.text`, text)
  return {
    text: checked,
    hash: checked === undefined ? undefined : hashOf(checked),
    length: checked?.length ?? 0,
    metadata: metadata === undefined ? undefined : canonical(metadataOf(`${here}.metadata`, metadata)),
    vector: vector === undefined ? undefined : vectorOf(`${here}.vector`, vector),
    lead: leadOf(checked, i),
    keepsMetadata: metadata === undefined,
  }
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
  const plain = shared === undefined && single === undefined
  if (put.spans !== undefined) {
    // With nothing said for the whole source, the spans are what they were made as.
    const spans =
      common === undefined && single === undefined
        ? put.spans
        : put.spans.map((span) => ({
            ...span,
            metadata: merge(span.metadata),
            vector: single ?? span.vector,
            keepsMetadata: put.metadata === undefined && span.keepsMetadata,
          }))
    return await outlined({
      hashes: spans.map(({ hash }) => hash ?? NO_HASH).join(''),
      leads: spans.map(({ lead }) => lead),
      plain: plain && spans.every(({ metadata, vector }) => metadata === undefined && vector === undefined),
      count: spans.length,
      trailing: '',
      chunker: undefined,
      span: (i) => spans[i]!,
    })
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
  if (single !== undefined && chunks.length !== 1)
    throw invalid(
      'vector',
      `for ${chunks.length} spans`,
      'a vector beside the text needs exactly one span; use the chunker whole(), or spans',
    )
  const hashes: string[] = []
  const leads: Lead[] = []
  const metadata: (string | undefined)[] = []
  let covered = 0
  let last = NO_LEAD
  const turns = new Turns()
  for (let i = 0; i < chunks.length; i++) {
    if (i % CHECKED === CHECKED - 1) await turns.step()
    const { start, end, text: piece, metadata: own } = chunks[i]!
    if (cutsPair(text, start) || cutsPair(text, end))
      throw new SpanStoreError(
        'INVALID_CHUNKS',
        `Chunk ${i} of chunker "${chunker.id}" starts or ends inside a surrogate pair (${start}–${end}), so it could not be given back as it came. Cut beside the character.`,
        { chunker: chunker.id, ordinal: i },
      )
    if (start > covered) {
      // Most gaps are the same blank line as the one before.
      if (last.gap.length !== start - covered || !text.startsWith(last.gap, covered))
        last = { gap: text.slice(covered, start), overlap: 0 }
      leads.push(last)
    } else leads.push(start === covered ? NO_LEAD : { gap: '', overlap: covered - start })
    if (end > covered) covered = end
    if (own !== undefined) metadata[i] = canonical(metadataOf(`chunk ${i} metadata`, own))
    hashes.push(hashOf(piece))
  }
  return await outlined({
    hashes: hashes.join(''),
    leads,
    plain: plain && metadata.length === 0,
    count: chunks.length,
    trailing: text.slice(covered),
    chunker: chunker.id,
    span: (i) => ({
      text: chunks[i]!.text,
      hash: hashes[i]!,
      length: chunks[i]!.text.length,
      metadata: merge(metadata[i]),
      vector: single,
      lead: leads[i]!,
      keepsMetadata: put.metadata === undefined && metadata[i] === undefined,
    }),
  })
}

/** Adds one hash over everything a put says about its text: equal means the same put. */
async function outlined(draft: Omit<Chunked, 'fingerprint'>): Promise<Chunked> {
  const parts = [draft.chunker ?? '', draft.hashes, draft.trailing]
  let gap = ''
  draft.leads.forEach((lead, i) => {
    // Most leads repeat the one before.
    if (lead.gap === gap && lead.overlap === 0) return
    gap = lead.gap
    parts.push(`${i} ${lead.overlap}`, gap)
  })
  if (draft.plain) return { ...draft, fingerprint: hashOf(parts.join('\u0000')) }
  // Vectors may be megabytes: they are hashed as they come.
  const whole = createHash('sha256')
  const turns = new Turns()
  let separator = ''
  const add = () => {
    whole.update(separator + parts.splice(0).join('\u0000'))
    separator = '\u0000'
  }
  for (let i = 0; i < draft.count; i++) {
    const { metadata, vector } = draft.span(i)
    parts.push(metadata ?? '')
    if (vector !== undefined)
      parts.push(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64'))
    if (i % CHECKED < CHECKED - 1) continue
    add()
    await turns.step()
  }
  if (parts.length > 0) add()
  return { ...draft, fingerprint: whole.digest('base64url').slice(0, HASH_LENGTH) }
}

/** Whether an offset lies between the two halves of a character. */
const cutsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
