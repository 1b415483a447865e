import { SpanStoreError } from '../core/errors.ts'
import { inkEnd, inkStart } from './blank.ts'

/** What a splitter returned: the text of a chunk, and where it starts if the splitter says so. */
export interface Unplaced {
  readonly text: string
  readonly start?: number
}

/** How often the bounds of a run are tightened before it counts as ambiguous. Two or three times are usual. */
const SWEEPS = 64

/**
 * Finds where each chunk starts in `text`, and accepts only what is forced. Matches are exact: a splitter that
 * changes white space or anything else returns chunks that cannot be placed. No chunk may be empty. A start that is
 * given must be true.
 *
 * 1. **By order.** Of all ways to place the whole sequence with strictly increasing starts, the earliest (from the
 *    left) and the latest (from the right) bound every other. Where they agree, the start is forced.
 * 2. **By cover.** Where they differ (repeated text), take the run of such chunks between two forced neighbours, or
 *    an end of the text, and ask of all ways to place the run so that it covers the text from one neighbour to the
 *    other: each chunk starts at the latest behind the white space that follows the chunk in front of it, and ends
 *    behind that chunk's end. If there is exactly one, it is taken.
 *
 * Why this is sound: a splitter that does not overlap can only be in order, and if chunks without overlap can fill the
 * text between two neighbours, then every way to place them there fills it, so the true one is among those that
 * were counted. A splitter that overlaps is taken to leave out nothing but white space where its chunks repeat; one
 * that overlaps and also drops text there is outside this promise and should give offsets. Where more than one way
 * covers the run, it is refused: never guessed.
 *
 * Throws `CHUNK_UNPLACEABLE`: `not-found` (occurs nowhere), `out-of-order` (occurs, but not where the others leave
 * room), `ambiguous` (more than one place).
 */
export function alignChunks(text: string, chunks: readonly Unplaced[]): number[] {
  const low = earliest(text, chunks)
  const high = latest(text, chunks)
  for (let i = 0; i < chunks.length; i++) {
    if (low[i] === high[i]) continue
    let last = i
    while (last + 1 < chunks.length && low[last + 1] !== high[last + 1]) last++
    coverRun(text, chunks, low, high, i, last)
    i = last
  }
  return low
}

function earliest(text: string, chunks: readonly Unplaced[]): number[] {
  const starts: number[] = []
  let from = 0
  chunks.forEach((chunk, i) => {
    const at = next(text, chunk, from)
    if (at < 0) throw unplaceable(chunks, i, next(text, chunk, 0) < 0 ? 'not-found' : 'out-of-order')
    starts.push(at)
    from = at + 1
  })
  return starts
}

/** Never fails where `earliest` has found a way: that way bounds it from below. */
function latest(text: string, chunks: readonly Unplaced[]): number[] {
  const starts = new Array<number>(chunks.length)
  let to = text.length
  for (let i = chunks.length - 1; i >= 0; i--) {
    starts[i] = previous(text, chunks[i]!, to)
    to = starts[i]! - 1
  }
  return starts
}

/**
 * Tightens the bounds of chunks first…last by the rule of cover until they agree. The solutions form a lattice
 * (each rule bounds a start by a function of its neighbour's that never decreases), so it has a least and a
 * greatest, each reached by moving one bound as little as every rule demands.
 */
function coverRun(
  text: string,
  chunks: readonly Unplaced[],
  low: number[],
  high: number[],
  first: number,
  last: number,
) {
  const size = (i: number) => chunks[i]!.text.length
  /** How far behind the start of chunk i-1 chunk i starts at least, to end behind it. */
  const step = (i: number) => Math.max(1, size(i - 1) - size(i) + 1)
  // The latest start behind a chunk that starts at `start`, and the earliest start in front of one that does.
  const reach = (i: number, start: number) => inkStart(text, start + size(i), text.length)
  const reached = (i: number, start: number) => inkEnd(text, 0, start) - size(i)

  const least = (i: number): number => {
    let from = low[i]!
    if (i > 0) from = Math.max(from, low[i - 1]! + step(i))
    from = Math.max(from, reached(i, i + 1 < chunks.length ? low[i + 1]! : text.length))
    return next(text, chunks[i]!, from)
  }
  const greatest = (i: number): number => {
    let to = high[i]!
    if (i + 1 < chunks.length) to = Math.min(to, high[i + 1]! - step(i + 1))
    to = Math.min(to, i > 0 ? reach(i - 1, high[i - 1]!) : inkStart(text, 0, text.length))
    return to < 0 ? -1 : previous(text, chunks[i]!, to)
  }

  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = false
    const tighten = (i: number) => {
      const from = least(i)
      const to = greatest(i)
      // No covering way at all: the order alone left this run ambiguous.
      if (from < 0 || from > to) throw unplaceable(chunks, first, 'ambiguous')
      if (from !== low[i] || to !== high[i]) moved = true
      low[i] = from
      high[i] = to
    }
    for (let i = first; i <= last; i++) tighten(i)
    for (let i = last; i >= first; i--) tighten(i)
    if (!moved) break
  }
  for (let i = first; i <= last; i++) if (low[i] !== high[i]) throw unplaceable(chunks, i, 'ambiguous')
}

function next(text: string, chunk: Unplaced, from: number): number {
  if (chunk.start === undefined) return text.indexOf(chunk.text, from)
  return chunk.start >= from ? chunk.start : -1
}

function previous(text: string, chunk: Unplaced, to: number): number {
  if (chunk.start === undefined) return text.lastIndexOf(chunk.text, to)
  return chunk.start <= to ? chunk.start : -1
}

const WHY = {
  'not-found': 'does not occur in the source: the splitter must return exact slices of it',
  'out-of-order': 'occurs in the source, but not behind the chunk in front of it',
  ambiguous: 'has more than one possible place in the source: let the splitter return start and end offsets',
} as const

function unplaceable(chunks: readonly Unplaced[], ordinal: number, why: keyof typeof WHY) {
  const { text } = chunks[ordinal]!
  const chunk = text.length > 80 ? `${text.slice(0, 79)}…` : text
  return new SpanStoreError('CHUNK_UNPLACEABLE', `Chunk ${ordinal} (${JSON.stringify(chunk)}) ${WHY[why]}.`, {
    ordinal,
    why,
    chunk,
  })
}
