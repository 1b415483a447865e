import { alignTokens, isBlank, nonBlank, type Piece, sentences, splitsWord, words } from './tokens.ts'

/*
 * Where an old text and a new one are the same: what successors are decided by.
 */

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

/** Equal text of this length is no coincidence, however much changed around it. */
const TELLING = 32

/** Where two texts are the same: by sentences and lines first, then by words, then without mere coincidences. */
export function equalPieces(old: Side, now: Side): readonly Piece[] {
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

export const oldEndOf = (piece: Piece): number => piece.old + piece.length
export const newEndOf = (piece: Piece): number => piece.new + piece.length

/** The first index whose measure, rising along `items`, is greater than `limit`. */
export function firstAfter<T>(items: readonly T[], limit: number, measure: (item: T) => number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (measure(items[middle]!) > limit) high = middle
    else low = middle + 1
  }
  return low
}
