import type { Retirement } from './changeset.ts'
import { equalPieces, firstAfter, newEndOf, oldEndOf, type Place, type Side } from './common-text.ts'
import { nonBlank, type Piece } from './tokens.ts'

/** What is the same on both sides, and what is there now to find it in. */
interface Ground {
  readonly old: Side
  readonly now: Side
  readonly pieces: readonly Piece[]
  /** How far the new places up to each one reach: rises even where one lies within the one before. */
  readonly reaches: readonly number[]
  /** How many non-blank characters there are now between a piece and the one before it. */
  readonly added: (piece: number) => number
}

/** A successor holds this much of the unchanged text of a span, or this share of the smaller of both. */
const SIGNIFICANT = 20
const SIGNIFICANT_SHARE = 0.2

/** Most successors of a span whose text was replaced, where there is only its place to go by. */
const REPLACEMENTS = 8

/**
 * Why each span that leaves a region left, and what now covers its text. `record`: the region is a source of one
 * span that stays a source of one span.
 */
export function retire(old: Side, now: Side, record: boolean): readonly Retirement[] {
  const unchanged = old.text === now.text
  const pieces = withBorders(equalPieces(old, now), old, now)
  const added: number[] = []
  let reach = -Infinity
  const ground: Ground = {
    old,
    now,
    pieces,
    reaches: now.places.map(({ end }) => {
      reach = Math.max(reach, end)
      return reach
    }),
    added: (p) => {
      const last = pieces[p - 1]
      added[p] ??= nonBlank(now.text, last ? newEndOf(last) : 0, pieces[p]?.new ?? now.text.length)
      return added[p]
    },
  }
  const leaving = old.places.filter(({ stays }) => !stays)
  const [only, ...others] = now.places.filter(({ stays }) => !stays)
  return leaving.map((span) => {
    const whole = unchanged || staysWhole(span, pieces)
    let successors = holders(span, whole, ground)
    if (successors.length === 0 && !whole) successors = replacements(span, ground)
    // One span gone and one new in its place: a record or a turn that was written over.
    const overwritten = leaving.length === 1 && others.length === 0 && only !== undefined && only.size > 0
    if (successors.length === 0 && !whole && overwritten) successors = [only.index]
    const reason = unchanged || (whole && !record) ? 'rechunked' : 'edited'
    return { entry: span.index, reason, successors }
  })
}

/** Adds the texts that stayed around a region. */
function withBorders(pieces: readonly Piece[], old: Side, now: Side): readonly Piece[] {
  const all = [...pieces]
  if (old.before > 0) all.unshift({ old: -old.before, new: -old.before, length: old.before })
  const skipped = Math.max(0, -old.border, -now.border)
  if (old.after > skipped) {
    all.push({ old: old.border + skipped, new: now.border + skipped, length: old.after - skipped })
  }
  return all
}

/** Whether all of a span's text is there unchanged, in one go. */
function staysWhole({ text, known, start, size }: Place, pieces: readonly Piece[]): boolean {
  if (!known || size === 0) return false
  let at = start + text.length - text.trimStart().length
  const end = start + text.trimEnd().length
  const first = firstAfter(pieces, at, oldEndOf)
  const shift = (pieces[first]?.new ?? 0) - (pieces[first]?.old ?? 0)
  for (let p = first; at < end; p++) {
    const piece = pieces[p]
    if (!piece || piece.old > at || piece.new - piece.old !== shift) return false
    at = oldEndOf(piece)
  }
  return true
}

/** What holds a telling part of a span's unchanged text; of a text that is there as a whole, every part tells. */
function holders(span: Place, whole: boolean, { pieces, now, reaches }: Ground): readonly number[] {
  if (!span.known) return []
  const scores = new Map<Place, number>()
  for (let p = firstAfter(pieces, span.start, oldEndOf); p < pieces.length; p++) {
    const piece = pieces[p]!
    if (piece.old >= span.end) break
    const shift = piece.new - piece.old
    const from = Math.max(span.start, piece.old) + shift
    const to = Math.min(span.end, oldEndOf(piece)) + shift
    for (const place of within(now.places, reaches, from, to)) {
      const a = Math.max(from, place.start) - shift - span.start
      const b = Math.min(to, place.end) - shift - span.start
      scores.set(place, (scores.get(place) ?? 0) + nonBlank(span.text, a, b))
    }
  }
  const found: number[] = []
  for (const [{ index, size }, score] of scores) {
    const enough = whole ? 0 : Math.min(SIGNIFICANT, SIGNIFICANT_SHARE * Math.min(span.size, size))
    if (score > 0 && score >= enough) found.push(index)
  }
  return found.sort((a, b) => a - b)
}

/**
 * The chunks that stand where a span's text was replaced, by proportion. None where it was simply removed, and none
 * that are mostly made of text that was there before: they are what became of another span.
 */
function replacements(span: Place, { old, now, pieces, reaches, added }: Ground): readonly number[] {
  let most = 0
  let hunk = { from: 0, to: 0, old: 0, oldEnd: 0, new: 0, newEnd: 0, added: 0 }
  for (let p = firstAfter(pieces, span.start, oldEndOf); p <= pieces.length; p++) {
    const last = pieces[p - 1]
    const next = pieces[p]
    const start = last ? oldEndOf(last) : 0
    if (start >= span.end) break
    const oldEnd = next?.old ?? old.text.length
    const from = Math.max(span.start, start)
    const to = Math.min(span.end, oldEnd)
    const size = from < to ? nonBlank(span.text, from - span.start, to - span.start) : 0
    if (size <= most) continue
    most = size
    const newEnd = next?.new ?? now.text.length
    hunk = { from, to, old: start, oldEnd, new: last ? newEndOf(last) : 0, newEnd, added: added(p) }
  }
  if (hunk.added === 0) return []
  const scale = (hunk.newEnd - hunk.new) / (hunk.oldEnd - hunk.old)
  const from = hunk.new + (hunk.from - hunk.old) * scale
  const to = hunk.new + (hunk.to - hunk.old) * scale
  const found: number[] = []
  for (const place of within(now.places, reaches, from, to)) {
    const shared = Math.min(to, place.end) - Math.max(from, place.start)
    const enough = SIGNIFICANT_SHARE * Math.min(to - from, place.end - place.start)
    if (place.stays || place.size === 0 || shared < enough) continue
    if (2 * familiar(place, pieces) <= place.size) found.push(place.index)
    if (found.length === REPLACEMENTS) break
  }
  return found
}

/** How many non-blank characters of a chunk were there before. */
function familiar(place: Place, pieces: readonly Piece[]): number {
  let size = 0
  for (let p = firstAfter(pieces, place.start, newEndOf); p < pieces.length; p++) {
    const piece = pieces[p]!
    if (piece.new >= place.end) break
    const from = Math.max(place.start, piece.new) - place.start
    size += nonBlank(place.text, from, Math.min(place.end, newEndOf(piece)) - place.start)
  }
  return size
}

/** The places that have part of `[from, to)`, in order. */
function* within(places: readonly Place[], reaches: readonly number[], from: number, to: number) {
  for (let k = firstAfter(reaches, from, (reach) => reach); k < places.length; k++) {
    const place = places[k]!
    if (place.start >= to) return
    if (place.end > from) yield place
  }
}
