import { parseAnchors, wordsOf } from './anchors.ts'
import type { Key } from './key.ts'

/** Only anchors and punctuation: belongs to the sentence before it. */
const ANCHORS_ONLY = /^[\s.,;:()]*(?:\[\[[^\]]*\]\][\s.,;:()]*)+$/

const BULLET = /^\s*(?:[-*+•]|\d+[.)])\s+/

/** Ends in a full stop that ends no sentence: titles, abbreviations, initials. */
const OPEN =
  /(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|Fig|Figs|Sec|Nr|Abs|Hr|Fr|vs|cf|approx|ca|e\.\s?g|i\.\s?e|z\.\s?B|d\.\s?h|u\.\s?a|z|d|u|bzw|evtl|ggf|inkl|exkl)\.$|(?:^|\s)(?:\p{Lu}\.){2,}$|^(?:\p{Lu}\.\s?)+$/u

const ORDINAL = /(?:^|\s)\d{1,2}\.$/
const AFTER_ORDINAL =
  /^(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Quartal|Jahrhundert|Stock)\b/

/** Unicode's segmentation breaks after every full stop before a capital; some of these end no sentence. */
function joined(segments: Iterable<{ readonly segment: string }>): string[] {
  const sentences: string[] = []
  for (const { segment } of segments) {
    const before = sentences.at(-1)?.trimEnd()
    const continues =
      before?.endsWith('.') === true &&
      (OPEN.test(before) || /^\p{Ll}/u.test(segment) || (ORDINAL.test(before) && AFTER_ORDINAL.test(segment)))
    if (continues) sentences[sentences.length - 1] += segment
    else sentences.push(segment)
  }
  return sentences
}

/**
 * The claims of a summary that does not list them: its sentences, line by line (a list item is a line), with the
 * anchors that follow a sentence kept on it. Pieces are exact, only trimmed; a bullet's mark is left out.
 */
export function claimsOf(text: string, locale = 'en'): string[] {
  const claiming = claimsIn(text, locale)
  for (;;) {
    const { done, value } = claiming.next()
    if (done) return value
  }
}

const segmenters = new Map<string, Intl.Segmenter>()

/** Lines of one step. */
const LINES = 16

/** `claimsOf` in steps. */
export function* claimsIn(text: string, locale = 'en'): Generator<void, string[]> {
  if (!segmenters.has(locale)) {
    segmenters.set(locale, new Intl.Segmenter(locale, { granularity: 'sentence' }))
    // The first of a process loads its tables.
    yield
  }
  const segmenter = segmenters.get(locale)!
  const claims: string[] = []
  for (const [i, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (i % LINES === LINES - 1) yield
    if (line.trim() === '') continue
    let first = true
    for (const sentence of joined(segmenter.segment(line.replace(BULLET, '')))) {
      const piece = sentence.trim()
      if (piece === '') continue
      if (!first && (ANCHORS_ONLY.test(piece) || /^\[\[/.test(piece))) {
        // "[[KEY]] Next sentence" after a full stop: the anchor closes the sentence before.
        const anchors = /^(?:\[\[[^\]]*\]\][\s.,;:]*)+/.exec(piece)?.[0] ?? piece
        claims[claims.length - 1] += ` ${anchors.trim()}`
        const rest = piece.slice(anchors.length).trim()
        if (rest !== '') claims.push(rest)
      } else claims.push(piece)
      first = false
    }
  }
  return claims
}

/**
 * The keys that can be derived for a claim from a summary's text alone: those printed in the claim itself, else those
 * in the sentences of the text that say it. A key printed for another sentence is not this claim's.
 */
export function derivableKeys(claim: string, text: string, locale = 'en'): readonly Key[] {
  const own = parseAnchors(claim).keys
  const words = wordsOf(claim)
  if (own.length > 0 || words === '' || !text.includes('[[')) return own
  const found = sentencesOf(text, locale).flatMap(({ said, keys }) =>
    said.includes(words) || words.includes(said) ? keys : [],
  )
  return [...new Set(found)]
}

interface Sentence {
  readonly said: string
  readonly keys: readonly Key[]
}

/** Of the text that was asked about last: whoever asks about one claim of a summary asks about all of them. */
let last:
  | { readonly text: string; readonly locale: string; readonly sentences: readonly Sentence[] }
  | undefined

/** Sentences that say something and print a key. */
function sentencesOf(text: string, locale: string): readonly Sentence[] {
  if (last?.text === text && last.locale === locale) return last.sentences
  const sentences = claimsOf(text, locale).flatMap((sentence) => {
    const { keys } = parseAnchors(sentence)
    const said = keys.length === 0 ? '' : wordsOf(sentence)
    return said === '' ? [] : { said, keys }
  })
  last = text.length > REMEMBERED ? undefined : { text, locale, sentences }
  return sentences
}

/** Characters of a text that is kept for the next question. */
const REMEMBERED = 2 ** 22
