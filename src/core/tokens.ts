// By its own file: the package's index loads twenty others, and a command line starts with this one.
import { diffArrays } from 'diff/lib/diff/array.js'
import { classes, solve } from './subsequence.ts'
import { isSpace } from './white-space.ts'

/*
 * What of a text is still there in another: tokens (sentences, or words), aligned. Used only where texts changed.
 */

/** `length` units that are the same on both sides. Pieces rise on both sides and do not overlap. */
export interface Piece {
  readonly old: number
  readonly new: number
  readonly length: number
}

/** Parts of a text, without the blanks between them. */
export interface Tokens {
  readonly text: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** More tokens than this on both sides together are compared only if they differ little. */
const TOKENS = 10_000_000

/** As CELLS, for tokens: fewer, because there are more of them and less hangs on each. */
const TOKEN_CELLS = 16_000

/** Bounds the steps of the search for the shortest edit, so that no text takes long and each gives the same result. */
const EDITS = 64

/** The tokens two texts have in common, in order. */
export function alignTokens(old: Tokens, now: Tokens): readonly Piece[] {
  const classOf = classes<string>()
  const kindsOf = ({ text, starts, ends }: Tokens) =>
    starts.map((from, k) => classOf(text.slice(from, ends[k])))
  const olds = kindsOf(old)
  const news = kindsOf(now)
  const pieces: Piece[] = []
  const add = (i: number, j: number) => {
    pieces.push({ old: old.starts[i]!, new: now.starts[j]!, length: old.ends[i]! - old.starts[i]! })
  }
  const tokens = olds.length + news.length
  const maxEditLength = Math.min(EDITS, Math.ceil(tokens / 4), Math.ceil(2 ** 25 / (tokens + 1)))
  const changes =
    bagDistance(olds, news) <= maxEditLength ? diffArrays(olds, news, { maxEditLength }) : undefined
  if (changes) {
    let i = 0
    let j = 0
    for (const { added, removed, count } of changes) {
      if (!added && !removed) for (let k = 0; k < count; k++) add(i + k, j + k)
      if (!added) i += count
      if (!removed) j += count
    }
  } else if (tokens <= TOKENS) {
    alignClasses(Int32Array.from(olds), Int32Array.from(news)).forEach((i, j) => {
      if (i >= 0) add(i, j)
    })
  }
  return pieces
}

/** How many tokens have no counterpart wherever it stands: no edit is shorter than that. */
function bagDistance(olds: readonly number[], news: readonly number[]): number {
  const surplus = new Int32Array(olds.length + news.length)
  for (const kind of olds) surplus[kind]!++
  for (const kind of news) surplus[kind]!--
  return surplus.reduce((sum, count) => sum + Math.abs(count), 0)
}

function alignClasses(old: Int32Array, now: Int32Array): Int32Array {
  const live = new Uint8Array(old.length).fill(1)
  const problem = {
    old,
    new: now,
    kinds: old.length + now.length,
    live,
    oldMetadata: new Int32Array(old.length),
    newMetadata: new Int32Array(now.length),
  }
  return solve(problem, 0, old.length, 0, now.length, TOKEN_CELLS)
}

/** Lines, and where these are long, the sentences in them. */
export function sentences(text: string, from: number, to: number): Tokens {
  return tokensOf(text, from, to, (at) => {
    const code = text.charCodeAt(at)
    if (code === 0x0a || code === 0x3002 || code === 0xff01 || code === 0xff1f) return true
    return (code === 0x2e || code === 0x21 || code === 0x3f) && isBlank(text, at + 1)
  })
}

export function words(text: string, from: number, to: number): Tokens {
  return tokensOf(text, from, to, (at) => isBlank(text, at) || !splitsWord(text, at + 1))
}

/** Cuts after each place where `endsAt` says so, and leaves out the blanks at both ends of what was cut. */
function tokensOf(text: string, from: number, to: number, endsAt: (at: number) => boolean): Tokens {
  const starts: number[] = []
  const ends: number[] = []
  let start = from
  for (let at = from; at < to; at++) {
    if (at + 1 < to && !endsAt(at)) continue
    let end = at + 1
    while (start < end && isBlank(text, start)) start++
    while (end > start && isBlank(text, end - 1)) end--
    if (start < end) {
      starts.push(start)
      ends.push(end)
    }
    start = at + 1
  }
  return { text, starts, ends }
}

/** Whether the units before and at a place belong to one word: letters, digits, or the halves of a character. */
export function splitsWord(text: string, at: number): boolean {
  const kind = kindAt(text, at)
  return kind > 0 && kind === kindAt(text, at - 1)
}

const isWithin = (code: number, from: number, to: number) => code >= from && code <= to

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 0x80) {
    const letter = isWithin(code | 0x20, 0x61, 0x7a) || isWithin(code, 0x30, 0x39) || code === 0x5f
    return letter ? 1 : 0
  }
  if (isWithin(code, 0xd800, 0xdfff)) return 2
  // Scripts that do not write spaces: each character stands alone. The rest of this range is punctuation.
  if (isWithin(code, 0x0e00, 0x0e7f) || isWithin(code, 0x2000, 0x206f) || isWithin(code, 0x3000, 0x9fff))
    return 0
  return isBlank(text, at) || Number.isNaN(code) ? 0 : 1
}

/** Whether a unit is white space, as `trim` understands it. Beyond the text there is none. */
export const isBlank = (text: string, at: number): boolean => isSpace(text.charCodeAt(at))

export function nonBlank(text: string, from = 0, to = text.length): number {
  let count = 0
  for (let at = from; at < to; at++) if (!isBlank(text, at)) count++
  return count
}
