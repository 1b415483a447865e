import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const BECAUSE = anyOf('because because_of due_to owing_to thanks_to on_account_of')
const DENIED = anyOf('not none never neither nor no')

interface Reason {
  readonly at: number
  /** The nouns of the phrase behind it. */
  readonly nouns: readonly number[]
  readonly denied: boolean
}

/** "none because of side effects" became "because of side effects", "not because of the pay" "because of the pay". */
export function reasonFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const mine = reasonsOf(claim)
  if (mine.length !== 1 || mine[0]!.denied || claim.scopes.stances.some(({ sign }) => sign !== 1)) return []
  const [here] = mine
  const theirs = reasonsOf(source).filter(({ nouns }) => meets(comparison, nouns, here!.nouns))
  if (theirs.length === 0 || !theirs.every(({ denied }) => denied)) return []
  return [
    finding(
      comparison,
      'polarity_flip',
      'hard',
      0.85,
      [theirs[0]!.at, ...theirs[0]!.nouns],
      [here!.at, ...here!.nouns],
      `the source says it was not for that reason: '${said(source, theirs[0]!.at, ...theirs[0]!.nouns)}'`,
    ),
  ]
}

function reasonsOf(side: Side): Reason[] {
  const { words, clauses, clauseOf } = side
  const found: Reason[] = []
  for (const [at, { norm }] of words.entries()) {
    if (!BECAUSE.has(norm)) continue
    const nouns: number[] = []
    for (let i = at + 1; i < words.length && words[i]!.tag !== '.' && words[i]!.tag !== 'S'; i++)
      if (words[i]!.tag === 'N') nouns.push(i)
    if (nouns.length === 0) continue
    // Right before it, or in the clause whose reason it gives.
    const before = words[at - 1]
    found.push({
      at,
      nouns,
      denied:
        (before !== undefined && DENIED.has(before.norm)) ||
        (before?.tag !== '.' && (clauses[clauseOf[at]!]?.negators.length ?? 0) % 2 === 1),
    })
  }
  return found
}

const meets = ({ source, claim }: Comparison, theirs: readonly number[], mine: readonly number[]): boolean =>
  mine.every((c) =>
    theirs.some((s) =>
      source.words
        .slice(s, s + 3)
        .some(({ lemma, norm }) => lemma === claim.words[c]!.lemma || norm === claim.words[c]!.norm),
    ),
  )
