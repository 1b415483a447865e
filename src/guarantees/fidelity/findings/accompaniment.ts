import { compareWords } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const WITH = anyOf('with given on upon after subject_to under')
const CONDITIONAL = anyOf('if unless until except only not_only but')

/** "with a month's notice" became "without notice", "without warning" "were warned". */
export function accompanimentFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const lacksThere = source.words.some(({ norm }) => norm === 'without')
  const lacksHere = claim.words.some(({ norm }) => norm === 'without')
  if (lacksThere === lacksHere) return []
  if (
    [source, claim].some(({ words }) => words.some(({ tag, norm }) => tag === '-' || CONDITIONAL.has(norm)))
  )
    return []
  const pair = lacksHere ? had(comparison) : lacked(comparison)
  if (pair === undefined) return []
  return [
    finding(
      comparison,
      'polarity_flip',
      'hard',
      0.8,
      [pair[0]],
      [pair[1]],
      `with it on one side, without it on the other: '${said(source, pair[0])}' became '${said(claim, pair[1])}'`,
    ),
  ]
}

/** The last noun of the phrase behind a preposition. */
function nounBehind({ words }: Side, at: number): number {
  let found = -1
  for (let i = at + 1; i < words.length && /^[NADV#P]$/.test(words[i]!.tag); i++)
    if (words[i]!.tag === 'N') found = i
  return found
}

/** The source has it, the claim is without it. */
function had(comparison: Comparison): [number, number] | undefined {
  const { source, claim } = comparison
  const mine = nounBehind(
    claim,
    claim.words.findIndex(({ norm }) => norm === 'without'),
  )
  if (mine < 0 || !speaksOfSame(comparison, mine)) return undefined
  const theirs = source.words.findIndex(({ norm }, i) => {
    const noun = WITH.has(norm) ? nounBehind(source, i) : -1
    return noun >= 0 && source.words[noun]!.lemma === claim.words[mine]!.lemma
  })
  return theirs < 0 ? undefined : [nounBehind(source, theirs), mine]
}

/** The source is without it, the claim has it, or has it done. */
function lacked(comparison: Comparison): [number, number] | undefined {
  const { source, claim } = comparison
  const theirs = nounBehind(
    source,
    source.words.findIndex(({ norm }) => norm === 'without'),
  )
  if (theirs < 0) return undefined
  const mine = claim.words.findIndex(({ tag, lemma }, c) => {
    if (claim.scopes.signs[c] !== 1) return false
    if (lemma === source.words[theirs]!.lemma)
      return tag === 'N' && claim.words.slice(Math.max(0, c - 3), c).some(({ norm }) => WITH.has(norm))
    return tag === 'V' && claim.clauses.some(({ head }) => head === c) && isDeed(comparison, theirs, c)
  })
  return mine < 0 || !speaksOfSame(comparison, mine) ? undefined : [theirs, mine]
}

function isDeed({ source, claim }: Comparison, s: number, c: number): boolean {
  const { sign, score, match } = compareWords(source.words[s]!, claim.words[c]!)
  return sign === 1 && score >= 0.85 && match !== 'near'
}

/** Something else of the claim stands in the source as well. */
const speaksOfSame = ({ claim, alignment }: Comparison, at: number) =>
  alignment.links.some(
    ({ source, likeness }, c) =>
      c !== at && source >= 0 && likeness.score >= 0.75 && /^[NV]$/.test(claim.words[c]!.tag),
  )
