import type { Ranges } from './chunk.ts'
import { type Borders, cutRange } from './cut.ts'

/** The smallest part of a source that is kept whole where it fits: a paragraph, a fence, a list item, a line. */
export interface Piece {
  readonly start: number
  readonly end: number
  /** A piece and the deeper ones that follow it form a group, which is kept in one chunk where it fits. */
  readonly depth: number
  /** Starts a new chunk, whatever room is left. Only pieces of depth 0 may. */
  readonly opens: boolean
  /** A heading with nothing below it: not left alone when the text behind it has to be cut anyway. */
  readonly bare: boolean
  /** Where to cut it when it is longer than a chunk. */
  readonly borders: Borders
}

/**
 * Fills chunks of at most `max` with pieces from the front. The filling starts over at pieces that open a chunk
 * and around pieces that are cut, so that what an edit changes stays local. `min` weakens the first: a piece does
 * not open a chunk while the one in front of it is shorter than `min`.
 */
export function pack(text: string, pieces: readonly Piece[], max: number, min = 0): Ranges {
  const out: Ranges = []
  let from = -1
  let to = -1
  let bare = false
  const close = () => {
    if (from >= 0) out.push(from, to)
    from = -1
  }
  const take = (piece: Piece, last: Piece) => {
    bare = piece === last && piece.bare && (from < 0 || bare)
    if (from < 0) from = piece.start
    to = last.end
  }

  for (let i = 0; i < pieces.length; ) {
    const piece = pieces[i]!
    if (piece.opens && to - from >= min) close()
    const room = max - (from < 0 ? 0 : piece.start - from)
    const last = groupEnd(pieces, i, max)
    if (pieces[last]!.end - piece.start <= room) {
      take(piece, pieces[last]!)
      i = last + 1
    } else if (from < 0) {
      cutRange(text, piece.start, piece.end, max, piece.borders, out)
      i++
    } else if (bare && piece.end - piece.start <= room) {
      take(piece, piece)
      i++
    } else if (bare && piece.end - piece.start > max) {
      cutRange(text, from, piece.end, max, piece.borders, out)
      from = -1
      i++
    } else close()
  }
  close()
  return out
}

/** The index of the last piece of the group at `i`, or `i` itself when the group is too long for one chunk. */
function groupEnd(pieces: readonly Piece[], i: number, max: number): number {
  const { start, depth } = pieces[i]!
  let last = i
  for (let next = pieces[i + 1]; next !== undefined && next.depth > depth && !next.opens; ) {
    if (next.end - start > max) return i
    last++
    next = pieces[last + 1]
  }
  return last
}
