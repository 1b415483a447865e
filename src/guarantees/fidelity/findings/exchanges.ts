import { type Comparison, type Finding, finding, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'

/** Two phrases of which either may come first: what stands between them joins or likens them. */
const EITHER_WAY = anyOf(
  'and or nor plus meet marry discuss talk agree match equal resemble merge differ speak argue chat work connect collaborate play fight combine share compare sync link exchange swap trade overlap collide conflict join married same similar identical different near next beside opposite compatible',
)

/** The claim is the source with two phrases exchanged: "a calls b" became "b calls a", all else left as it was. */
export function exchangeFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const theirs = tokensOf(source.words)
  const mine = tokensOf(claim.words)
  // An article more or less is no other text, but both have the same words.
  if (theirs.length !== mine.length || theirs.length > MOST) return []
  let from = 0
  while (from < mine.length && isSame(source.words, claim.words, theirs[from]!, mine[from]!)) from++
  let to = mine.length
  while (to > from && isSame(source.words, claim.words, theirs[to - 1]!, mine[to - 1]!)) to--
  const size = to - from
  for (let a = 1; a < size - 1; a++)
    for (let b = 1; a + b < size; b++) {
      const between = size - a - b
      const equal = (s: number, c: number, length: number) => {
        for (let i = 0; i < length; i++)
          if (!isSame(source.words, claim.words, theirs[from + s + i]!, mine[from + c + i]!)) return false
        return true
      }
      // a m b there, b m a here
      if (!equal(0, b + between, a) || !equal(a, b, between) || !equal(a + between, 0, b)) continue
      const phrase = (start: number, length: number) =>
        theirs.slice(from + start, from + start + length).map((i) => source.words[i]!)
      if (!isPhrase(phrase(0, a)) || !isPhrase(phrase(a + between, b))) continue
      if (!holdsApart(phrase(a, between))) return []
      return [
        finding(
          comparison,
          'role_swap',
          'hard',
          0.9,
          [theirs[from]!, theirs[to - 1]!],
          [mine[from]!, mine[to - 1]!],
          `'${said(source, theirs[from]!, theirs[from + a - 1]!)}' and '${said(source, theirs[to - b]!, theirs[to - 1]!)}' changed places`,
        ),
      ]
    }
  return []
}

/** Words beyond which a text is not searched for what changed places. */
const MOST = 60

const tokensOf = (words: readonly Word[]): number[] =>
  words.flatMap(({ tag, norm }, i) => (tag === '.' || /^(?:the|an?)$/.test(norm) ? [] : [i]))

const isSame = (source: readonly Word[], claim: readonly Word[], s: number, c: number) =>
  source[s]!.norm === claim[c]!.norm || source[s]!.lemma === claim[c]!.lemma

/** A noun phrase or number, without a preposition before it. */
const isPhrase = (words: readonly Word[]) =>
  words.every(({ tag, norm }) => /^[NADP#]$/.test(tag) || norm === 'of' || norm === "'s") &&
  words.some(({ tag }) => tag === 'N' || tag === '#' || tag === 'A' || tag === 'P')

/** What stands between says something of the one and something else of the other. */
const holdsApart = (between: readonly Word[]) =>
  between.some(({ tag }) => /^[VMISC]$/.test(tag)) &&
  !between.some(({ lemma, norm }) => EITHER_WAY.has(lemma) || EITHER_WAY.has(norm))
