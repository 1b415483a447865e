import { SpanStoreError } from '../core/errors.ts'
import { array, invalid } from '../core/given.ts'
import type { Metadata } from '../core/json.ts'

/**
 * A piece of a source, before it becomes a span. Offsets count UTF-16 code units, as `String.prototype.slice`
 * does: `source.slice(start, end) === text`, always.
 */
export interface Chunk {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly metadata?: Metadata
}

/**
 * Cuts a source into chunks, in the order of their starts. Chunks may overlap and may leave text out (the store
 * keeps what lies between), but each is an exact, non-empty slice of the source.
 *
 * `id` names the algorithm, its version and every parameter (`paragraphs/1?max=1200`): the store compares it to
 * decide whether a put changes anything, so two chunkers that may cut differently must not share one.
 */
export interface Chunker {
  readonly id: string
  chunk(text: string): readonly Chunk[] | Promise<readonly Chunk[]>
}

/** A chunker that answers at once. All chunkers of this package are, except `foreign`. */
export interface SyncChunker extends Chunker {
  chunk(text: string): readonly Chunk[]
}

/** Starts and ends, by turns: [start, end, start, end, …]. Flat, because a large source has tens of thousands. */
export type Ranges = number[]

export const DEFAULT_MAX = 1200

/**
 * Returns when every chunk is a non-empty exact slice of `text` and starts do not decrease; otherwise throws
 * `INVALID_CHUNKS` naming the first ordinal that is wrong.
 */
export function checkChunks(text: string, chunks: readonly Chunk[], chunkerId: string): void {
  if (typeof text !== 'string') throw invalid('text', text, 'give the text that was cut')
  array('chunks', chunks)
  let previous = 0
  for (let ordinal = 0; ordinal < chunks.length; ordinal++) {
    const problem = problemOf(text, chunks[ordinal], previous)
    if (problem !== undefined) {
      throw new SpanStoreError(
        'INVALID_CHUNKS',
        `Chunk ${ordinal} of chunker "${chunkerId}" ${problem}. Offsets count UTF-16 code units of the source, and text.slice(start, end) must equal the chunk's text.`,
        { chunker: chunkerId, ordinal },
      )
    }
    previous = chunks[ordinal]!.start
  }
}

function problemOf(text: string, chunk: Chunk | undefined, previous: number): string | undefined {
  if (typeof chunk !== 'object' || chunk === null) return 'is not an object'
  const { start, end } = chunk
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return `has offsets ${start}–${end}`
  if (start < 0 || end > text.length) return `lies outside the source (${start}–${end} of ${text.length})`
  if (start >= end) return `is empty (${start}–${end})`
  if (start < previous) return `starts at ${start}, before the chunk in front of it (${previous})`
  if (text.slice(start, end) !== chunk.text) return `does not have the text found at ${start}–${end}`
  return undefined
}

export function chunksOf(text: string, ranges: Ranges, metadata?: (start: number) => Metadata | undefined) {
  const chunks: Chunk[] = []
  for (let i = 0; i < ranges.length; i += 2) {
    const start = ranges[i]!
    const end = ranges[i + 1]!
    const about = metadata?.(start)
    const piece = text.slice(start, end)
    chunks.push(
      about === undefined ? { start, end, text: piece } : { start, end, text: piece, metadata: about },
    )
  }
  return chunks
}

/** A whole number of UTF-16 code units of at least `least`; throws `INVALID_ARGUMENT` naming `path`. */
export function sizeOption(
  path: string,
  value: number | undefined,
  otherwise: number,
  least: number,
): number {
  if (value === undefined) return otherwise
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new SpanStoreError(
    'INVALID_ARGUMENT',
    `${path} is ${String(value)}; give a whole number of UTF-16 code units, ${least} or more.`,
    { path, value },
  )
}
