import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'

/** How often the former amount the new one is. */
const RATIOS: ReadonlyMap<string, number> = new Map([
  ['double', 2],
  ['halve', 0.5],
  ['triple', 3],
  ['treble', 3],
  ['quadruple', 4],
])
const SAYS_SO = /^(?:doubl\w+|twice|halv\w+|half|tripl\w+|trebl\w+|thrice|quadrupl\w+|times|times_\w+)$/

/** What something was, and what it became: "went from 180 a month to 270". */
export function changesOf({ words, quantities }: Side): (readonly [from: number, to: number])[] {
  return quantities.flatMap((one, i) => {
    const next = quantities.slice(i + 1, i + 3).find(({ end }) => end === 'to')
    return one.end === 'from' &&
      next !== undefined &&
      one.value > 0 &&
      (one.kind === next.kind || (one.kind === 'count' && next.kind === 'money')) &&
      words.slice(one.to, next.from).every(({ norm }) => !/^[.;!?]$/.test(norm))
      ? [[one.value, next.value] as const]
      : []
  })
}

/** "doubled", of what went from 180 to 270. */
export function ratioFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const at = claim.words.findIndex(({ lemma }) => RATIOS.has(lemma))
  if (at < 0 || source.words.some(({ norm }) => SAYS_SO.test(norm))) return []
  const changes = changesOf(source)
  const told = RATIOS.get(claim.words[at]!.lemma)!
  const denied = claim.scopes.signs[at] === -1
  if (changes.length === 0 || changes.some(([from, to]) => Math.abs(to / from / told - 1) < 0.04) !== denied)
    return []
  return [
    finding(
      comparison,
      'number_mismatch',
      'hard',
      0.85,
      [],
      [at],
      `the numbers of the source do not come to '${said(claim, at)}'`,
    ),
  ]
}
