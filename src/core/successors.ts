import type { Retirement } from './changeset.ts'
import { alignTokens, isBlank, nonBlank, type Piece, sentences, splitsWord, words } from './tokens.ts'

/** An old span or a chunk, in the coordinates of its side of a region. */
export interface Place {
  /** Of the entry or chunk. */
  readonly index: number
  readonly start: number
  readonly end: number
  /** As long as the place. Where it is not known: something that equals nothing on the other side. */
  readonly text: string
  readonly known: boolean
  /** Non-blank characters. */
  readonly size: number
  /** Whether it keeps its key. Of an entry: or had lost it before. */
  readonly stays: boolean
}

/**
 * One side of a region, which is what lies between two texts that stayed in place: 0 is the end of the one before,
 * `border` the start of the one after. Overlapping spans may reach into them.
 */
export interface Side {
  readonly places: readonly Place[]
  /** Of the region. */
  readonly text: string
  readonly border: number
  /** Lengths of the texts that stayed, 0 where there is none. */
  readonly before: number
  readonly after: number
}

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

/** Equal text of this length is no coincidence, however much changed around it. */
const TELLING = 32

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

/** Where two texts are the same: by sentences and lines first, then by words, then without mere coincidences. */
function equalPieces(old: Side, now: Side): readonly Piece[] {
  const a = old.text
  const b = now.text
  if (a === b) return a === '' ? [] : [{ old: 0, new: 0, length: a.length }]
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a.charCodeAt(head) === b.charCodeAt(head)) head++
  while (head > 0 && (splitsWord(a, head) || splitsWord(b, head))) head--
  let tail = 0
  while (tail < shorter - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail))
    tail++
  while (tail > 0 && (splitsWord(a, a.length - tail) || splitsWord(b, b.length - tail))) tail--

  const pieces: Piece[] = [{ old: 0, new: 0, length: head }]
  let oldAt = head
  let newAt = head
  const compareWords = (oldTo: number, newTo: number) => {
    if (oldAt >= oldTo || newAt >= newTo) return
    for (const piece of alignTokens(words(a, oldAt, oldTo), words(b, newAt, newTo))) pieces.push(piece)
  }
  const oldTo = a.length - tail
  const newTo = b.length - tail
  for (const piece of alignTokens(sentences(a, head, oldTo), sentences(b, head, newTo))) {
    compareWords(piece.old, piece.new)
    pieces.push(piece)
    oldAt = oldEndOf(piece)
    newAt = newEndOf(piece)
  }
  compareWords(oldTo, newTo)
  pieces.push({ old: oldTo, new: newTo, length: tail })
  return withoutCoincidences(slide(join(pieces, a, b), old, now), old, now)
}

/** Grows pieces over blank text that is the same, and makes one of those that meet. */
function join(pieces: readonly Piece[], a: string, b: string): readonly Piece[] {
  const joined: Piece[] = []
  let last: Piece | undefined
  for (const piece of pieces) {
    if (piece.length === 0) continue
    let { old, new: now, length } = piece
    const oldLimit = last ? oldEndOf(last) : 0
    const newLimit = last ? newEndOf(last) : 0
    while (old > oldLimit && now > newLimit && isBlank(a, old - 1) && a[old - 1] === b[now - 1]) {
      old--
      now--
      length++
    }
    if (last && old === oldLimit && now === newLimit) {
      last = { ...last, length: last.length + length }
      joined[joined.length - 1] = last
    } else {
      last = { old, new: now, length }
      joined.push(last)
    }
  }
  return joined
}

/**
 * A text that was purely added or removed may be read as starting earlier: "The cat. The dog." to "The dog." removes
 * "cat. The " or "The cat. ". The reading that cuts where spans begin, or else at blanks, is the one that is meant.
 */
function slide(pieces: readonly Piece[], old: Side, now: Side): readonly Piece[] {
  const oldStarts = new Set(old.places.map(({ start }) => start))
  const newStarts = new Set(now.places.map(({ start }) => start))
  const slid = [...pieces]
  for (let p = 1; p < slid.length; p++) {
    const last = slid[p - 1]!
    const next = slid[p]!
    const removed = newEndOf(last) === next.new
    if (!removed && oldEndOf(last) !== next.old) continue
    const text = removed ? old.text : now.text
    const starts = removed ? oldStarts : newStarts
    const from = removed ? oldEndOf(last) : newEndOf(last)
    const to = removed ? next.old : next.new
    const quality = (at: number) => (starts.has(at) ? 2 : isBlank(text, at - 1) ? 1 : 0)
    let best = 0
    let most = quality(from) + quality(to)
    for (let k = 1; k <= last.length && text[from - k] === text[to - k] && most < 4; k++) {
      const found = quality(from - k) + quality(to - k)
      if (found <= most) continue
      most = found
      best = k
    }
    slid[p - 1] = { ...last, length: last.length - best }
    slid[p] = { old: next.old - best, new: next.new - best, length: next.length + best }
  }
  return slid
}

/** Drops pieces that are outweighed by the changes around them: the words any two texts have in common. */
function withoutCoincidences(pieces: readonly Piece[], old: Side, now: Side): readonly Piece[] {
  const sizes = pieces.map((piece) => nonBlank(old.text, piece.old, oldEndOf(piece)))
  const changed = (from: Piece | undefined, to: Piece | undefined) =>
    Math.max(
      nonBlank(old.text, from ? oldEndOf(from) : 0, to?.old ?? old.text.length),
      nonBlank(now.text, from ? newEndOf(from) : 0, to?.new ?? now.text.length),
    )
  const telling: { piece: Piece; size: number; before: number }[] = []
  let before = changed(undefined, pieces[0])
  pieces.forEach((piece, p) => {
    telling.push({ piece, size: sizes[p]!, before })
    before = changed(piece, pieces[p + 1])
    for (let top = telling.at(-1); top; top = telling.at(-1)) {
      const outweighed = (change: number, atEnd: boolean) => (change === 0 ? atEnd : top.size <= change)
      if (top.size >= TELLING || top.before + before === 0) break
      if (!outweighed(top.before, telling.length === 1) || !outweighed(before, p === pieces.length - 1)) break
      if (holdsPlace(top.piece, old)) break
      telling.pop()
      before += top.before + top.size
    }
  })
  return telling.map(({ piece }) => piece)
}

/** Whether a piece has all of the text of some old span. */
function holdsPlace(piece: Piece, { places }: Side): boolean {
  let k = firstAfter(places, piece.old, ({ end }) => end)
  for (; k < places.length && places[k]!.start < oldEndOf(piece); k++) {
    const { text, start, size } = places[k]!
    if (
      size > 0 &&
      start + text.length - text.trimStart().length >= piece.old &&
      start + text.trimEnd().length <= oldEndOf(piece)
    ) {
      return true
    }
  }
  return false
}

const oldEndOf = (piece: Piece): number => piece.old + piece.length
const newEndOf = (piece: Piece): number => piece.new + piece.length

/** The first index whose measure, rising along `items`, is greater than `limit`. */
function firstAfter<T>(items: readonly T[], limit: number, measure: (item: T) => number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (measure(items[middle]!) > limit) high = middle
    else low = middle + 1
  }
  return low
}
