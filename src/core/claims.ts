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
