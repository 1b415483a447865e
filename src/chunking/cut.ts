import { isSpace } from '../core/white-space.ts'
import { inkEnd, inkStart } from './blank.ts'
import type { Ranges } from './chunk.ts'
import { graphemeBoundaries, isGraphemeBoundary } from './graphemes.ts'

/** What a text that is too long is cut at first. Either way the next choices are words, then graphemes. */
export type Borders = 'sentences' | 'lines'

let made: Intl.Segmenter | undefined

/** Made at first use: loading its rules takes longer than starting the package. */
const segmenter = (): Intl.Segmenter => {
  made ??= new Intl.Segmenter('en', { granularity: 'sentence' })
  return made
}

/** Cuts are looked for in the last half of a chunk, and in no more than this: it bounds what the segmenter sees. */
const SEARCHED = 2000
/** What the segmenter sees in front of and behind the searched part, for its context. */
const CONTEXT = 160

/**
 * Adds the ranges of text[start, end), none longer than `max` unless a single grapheme is. Linear in the length
 * of the text. `start` must be a grapheme boundary and the text at `start` must not be blank up to `end`.
 *
 * Of the candidates in the last half of each chunk, the one with the smallest hash of its neighbourhood becomes
 * the border, not the last that fits: after an edit, the old borders are found again a few chunks later, so
 * that an insert at the start of a long text without paragraphs leaves the rest of its chunks as they were.
 */
export function cutRange(
  text: string,
  start: number,
  end: number,
  max: number,
  borders: Borders,
  out: Ranges,
): void {
  // The rest is never a mere scrap: the border in front of it moves back instead.
  const scrap = max >> 3
  let from = start
  while (end - from > max) {
    const high = Math.min(from + max, end - scrap)
    const low = Math.max(from + 1, high - Math.min(max >> 1, SEARCHED))
    const cut = bestCut(text, from, end, low, high, borders)
    emit(text, from, cut, out)
    from = nextStart(text, cut, end)
  }
  emit(text, from, end, out)
}

function emit(text: string, from: number, to: number, out: Ranges): void {
  const end = trimEnd(text, from, to)
  if (end > from) out.push(from, end)
}

/** Where the ink of [from, to) ends, without taking a space away from a mark that is combined with it. */
export function trimEnd(text: string, from: number, to: number): number {
  const end = inkEnd(text, from, to)
  return end === from || end === to ? end : graphemeBoundaries(text, from, end, end)[0]!
}

/** Blank text behind a cut is left out, except the indentation of a line. */
function nextStart(text: string, cut: number, end: number): number {
  const ink = inkStart(text, cut, end)
  if (ink === end) return end
  for (let line = ink; line >= cut; line--) if (text.charCodeAt(line - 1) === 0x0a) return line
  let at = ink
  while (at > cut && !isGraphemeBoundary(text, cut, at)) at--
  return at
}

function bestCut(
  text: string,
  from: number,
  end: number,
  low: number,
  high: number,
  borders: Borders,
): number {
  const proper = (at: number) => isGraphemeBoundary(text, from, at)
  if (borders === 'sentences') {
    const sentences = sentenceStarts(text, from, end, low, high).filter(proper)
    if (sentences.length > 0) return smallest(text, sentences, from, end)
  }
  const lines = lineStarts(text, low, high)
  if (lines.length > 0) return smallest(text, lines, from, end)
  const words = wordStarts(text, low, high).filter(proper)
  if (words.length > 0) return smallest(text, words, from, end)
  const graphemes = graphemeBoundaries(text, from, low, high)
  if (graphemes[0]! <= high || low <= from + 1) return smallest(text, graphemes, from, end)
  // One grapheme fills the searched part: cut in front of it, or behind it when the chunk starts with it.
  const last = graphemeBoundaries(text, from, from + 1, low - 1).at(-1)!
  return last < low ? last : graphemes[0]!
}

function smallest(text: string, candidates: readonly number[], from: number, end: number): number {
  let best = candidates[0]!
  let least = Number.POSITIVE_INFINITY
  for (const at of candidates) {
    const hash = neighbourhood(text, Math.max(from, at - 16), Math.min(end, at + 16))
    if (hash <= least) {
      least = hash
      best = at
    }
  }
  return best
}

/** FNV-1a over the code units around a candidate: 16 on both sides, within the text that is being cut. */
function neighbourhood(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

const TERMINAL = /\p{Sentence_Terminal}/u
const CLOSER = /["'”’»)\]}*_\p{Pe}\p{Pf}]/u

function sentenceStarts(text: string, from: number, end: number, low: number, high: number): number[] {
  const start = Math.max(from, low - CONTEXT)
  const seen = text.slice(start, Math.min(end, high + CONTEXT))
  const found: number[] = []
  if (!TERMINAL.test(seen)) return found
  for (const { index } of segmenter().segment(seen)) {
    const at = start + index
    if (at >= low && at <= high && index > 0 && endsSentence(text, start, at)) found.push(at)
  }
  return found
}

/**
 * The segmenter also breaks after every line end, and after the full stops of "Dr." and "Jan.": a break counts
 * when a terminal stands before it that does not close an abbreviation.
 */
function endsSentence(text: string, from: number, at: number): boolean {
  let end = inkEnd(text, from, at)
  while (end > from && CLOSER.test(text[end - 1]!)) end--
  if (end === from || !TERMINAL.test(text[end - 1]!)) return false
  if (text[end - 1] !== '.') return true
  let word = end - 1
  while (word > from && end - word < 8 && /[\p{L}.]/u.test(text[word - 1]!)) word--
  const last = text.slice(word, end - 1)
  if (last.includes('.')) return last.endsWith('.') // "e.g." is one, "wait..." is not
  return !(last.length > 0 && last.length <= 3 && /^\p{Lu}/u.test(last)) && last.length !== 1
}

/** Starts of lines; only those behind a blank line, when there are such. */
function lineStarts(text: string, low: number, high: number): number[] {
  const all: number[] = []
  const afterBlank: number[] = []
  for (let at = low; at <= high; at++) {
    if (text.charCodeAt(at - 1) !== 0x0a) continue
    all.push(at)
    const before = text.charCodeAt(at - 2) === 0x0d ? at - 3 : at - 2
    if (text.charCodeAt(before) === 0x0a) afterBlank.push(at)
  }
  return afterBlank.length > 0 ? afterBlank : all
}

function wordStarts(text: string, low: number, high: number): number[] {
  const found: number[] = []
  for (let at = low; at <= high; at++) {
    if (isSpace(text.charCodeAt(at - 1)) && !isSpace(text.charCodeAt(at))) found.push(at)
  }
  return found
}
