import { SpanStoreError } from '../core/errors.ts'
import { alignChunks, type Unplaced } from './align.ts'
import { type Chunk, type Chunker, checkChunks } from './chunk.ts'

/**
 * A chunk as other splitters return it: its text, or an object that carries the text as `text`, `pageContent` or
 * `content`, with or without offsets (`start`/`end` or `startIndex`/`endIndex`, UTF-16 code units).
 */
export type ForeignChunk =
  | string
  | {
      readonly text?: string
      readonly pageContent?: string
      readonly content?: string
      readonly start?: number
      readonly end?: number
      readonly startIndex?: number
      readonly endIndex?: number
    }

type ForeignChunks = readonly ForeignChunk[] | Promise<readonly ForeignChunk[]>

/** A function, or an object with `splitText` (LangChain) or `chunk` (chonkie). */
export type ForeignSplitter =
  | ((text: string) => ForeignChunks)
  | { splitText(text: string): ForeignChunks }
  | { chunk(text: string): ForeignChunks }

/**
 * Makes any splitter a chunker with exact offsets. `id` is taken as it is: name the library, its version and
 * every parameter (`langchain-recursive/1.0.2?size=1000&overlap=200`).
 *
 * Offsets that the splitter gives are verified, never trusted; a chunk whose text is not at its offsets is
 * `INVALID_CHUNKS` (some libraries count bytes or code points). Chunks without offsets are placed only where no other
 * place is possible, see `alignChunks`: otherwise `CHUNK_UNPLACEABLE`. Texts must be exact slices of the source;
 * a splitter may trim the ends of its chunks but not normalise what is inside. Empty texts are left out, and so is
 * the splitter's metadata: line numbers in it would change with every edit above.
 */
export function foreign(id: string, splitter: ForeignSplitter): Chunker {
  if (typeof id !== 'string' || id === '') throw invalid('id', id, 'is not a name for the splitter')
  const split = splitOf(splitter)
  return {
    id,
    async chunk(text) {
      const returned: unknown = await split(text)
      if (!Array.isArray(returned)) throw invalid('splitter', returned, 'did not return a list of chunks')
      const given = returned.map((chunk: unknown, i) => unplacedOf(chunk, i, text, id))
      const pieces = given.filter((piece) => piece.text !== '')
      const placed = pieces.every((piece) => piece.start !== undefined)
      const starts = placed ? pieces.map((piece) => piece.start!) : alignChunks(text, pieces)
      const chunks: Chunk[] = pieces.map((piece, i) => {
        const start = starts[i]!
        return { start, end: start + piece.text.length, text: piece.text }
      })
      checkChunks(text, chunks, id)
      return chunks
    },
  }
}

function splitOf(splitter: ForeignSplitter): (text: string) => ForeignChunks {
  if (typeof splitter === 'function') return splitter
  if (typeof splitter !== 'object' || splitter === null)
    throw invalid('splitter', splitter, 'is neither a function nor an object with splitText or chunk')
  if ('splitText' in splitter && typeof splitter.splitText === 'function')
    return (text) => splitter.splitText(text)
  if ('chunk' in splitter && typeof splitter.chunk === 'function') return (text) => splitter.chunk(text)
  throw invalid('splitter', splitter, 'is neither a function nor an object with splitText or chunk')
}

function unplacedOf(chunk: unknown, ordinal: number, source: string, chunker: string): Unplaced {
  if (typeof chunk === 'string') return { text: chunk }
  const { text, start, end } = membersOf(chunk)
  if (typeof text !== 'string')
    throw invalid(`chunks[${ordinal}]`, chunk, 'has no text, pageContent or content')
  if (typeof start !== 'number') return { text }
  const stop = typeof end === 'number' ? end : start + text.length
  if (text !== '' && (stop - start !== text.length || !source.startsWith(text, start) || start < 0)) {
    throw new SpanStoreError(
      'INVALID_CHUNKS',
      `Chunk ${ordinal} of splitter "${chunker}" says it lies at ${start}–${stop}, where its text is not. Offsets count UTF-16 code units; leave them out if the splitter counts bytes or code points.`,
      { chunker, ordinal },
    )
  }
  return { text, start }
}

function membersOf(chunk: unknown): { text?: unknown; start?: unknown; end?: unknown } {
  if (typeof chunk !== 'object' || chunk === null) return {}
  const any = chunk as Record<string, unknown>
  return {
    text: any.text ?? any.pageContent ?? any.content,
    start: any.start ?? any.startIndex,
    end: any.end ?? any.endIndex,
  }
}

function invalid(path: string, value: unknown, problem: string): SpanStoreError<'INVALID_ARGUMENT'> {
  return new SpanStoreError('INVALID_ARGUMENT', `${path} ${problem}.`, { path, value })
}
