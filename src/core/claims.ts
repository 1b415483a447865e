import { parseAnchors, wordsOf } from './anchors.ts'
import type { Key } from './key.ts'

/** Only anchors and punctuation: belongs to the sentence before it. */
const ANCHORS_ONLY = /^[\s.,;:()]*(?:\[\[[^\]]*\]\][\s.,;:()]*)+$/

const BULLET = /^\s*(?:[-*+•]|\d+[.)])\s+/

/**
 * The claims of a summary that does not list them: its sentences, line by line (a list item is a line), with the
 * anchors that follow a sentence kept on it. Pieces are exact, only trimmed; a bullet's mark is left out.
 */
export function claimsOf(text: string, locale = 'en'): string[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' })
  const claims: string[] = []
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line.trim() === '') continue
    let first = true
    for (const { segment } of segmenter.segment(line.replace(BULLET, ''))) {
      const piece = segment.trim()
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
  const keys = claimsOf(text, locale).flatMap((sentence) => {
    const said = wordsOf(sentence)
    return said !== '' && (said.includes(words) || words.includes(said)) ? parseAnchors(sentence).keys : []
  })
  return [...new Set(keys)]
}
