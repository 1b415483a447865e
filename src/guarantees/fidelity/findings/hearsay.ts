import {
  type Comparison,
  type Finding,
  finding,
  type Side,
  said,
  supportOf,
} from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { anyOf, CERTAINTY } from '../words/cues.ts'

const SAYING = anyOf(
  'say tell claim insist swear assure promise think believe assume reckon guess suppose suspect maintain allege report figure argue',
)
const DOUBTING = anyOf('but though although however yet except only')
/** A claim with one of these says that it is said. */
const ATTRIBUTING = new Set([
  ...SAYING,
  ...anyOf(
    'according_to view opinion apparently reportedly allegedly supposedly mention state word rumour rumor hear',
  ),
])

/** "Sam says it was paid, but the bank shows nothing": that it was paid is Sam's word, which the source doubts. */
export function hearsayFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  if (!source.words.some(({ norm }) => DOUBTING.has(norm))) return []
  const doubted = source.clauses.filter((clause) => isDoubted(source, clause))
  if (doubted.length === 0) return []
  if (claim.words.some(({ lemma, norm }) => ATTRIBUTING.has(lemma) || (CERTAINTY.get(norm) ?? 3) <= 1))
    return []
  for (const clause of claim.clauses) {
    if (
      !/^(?:main|coordinate)$/.test(clause.link) ||
      claim.scopes.stances[clause.id]!.condition !== undefined
    )
      continue
    const { source: s, likeness } = alignment.links[clause.head]!
    const theirs = doubted.find(({ head }) => head === s)
    if (theirs === undefined || likeness.score < 0.75) continue
    // "said it was closed, but that was wrong": the denial is the source's own.
    if (source.scopes.signs[s] === -1 && theirs.negators.length === 0) continue
    if (source.scopes.signs[s]! * claim.scopes.signs[clause.head]! * likeness.sign !== 1) continue
    const { linked, near } = supportOf(comparison, clause.head, s)
    if (linked > 0 && near * 2 < linked) continue
    return [
      finding(
        comparison,
        'modality_upgrade',
        'hard',
        0.8,
        [theirs.governor, theirs.head],
        [clause.head],
        `the source only has somebody say '${said(source, theirs.head)}', and doubts it`,
      ),
    ]
  }
  return []
}

function isDoubted({ words, clauses, sentenceOf }: Side, clause: Clause): boolean {
  const governor = words[clause.governor]
  if (clause.link !== 'complement' || governor === undefined || !SAYING.has(governor.lemma)) return false
  // "I said I'd come": one's own word.
  const over = clauses[clause.parent]
  if (over === undefined || /^(?:i|we)$/.test(words[over.subject[0]]?.norm ?? '')) return false
  for (let i = clause.head + 1; i < words.length; i++) {
    if (sentenceOf[i] !== sentenceOf[clause.head] && words[i - 1]!.tag !== '.') return false
    if (!DOUBTING.has(words[i]!.norm)) continue
    // What follows denies something.
    return words
      .slice(i + 1, i + 10)
      .some(
        ({ tag, norm }) =>
          tag === '-' ||
          /^(?:nothing|nobody|no|none|never|doubt|wrong|different|otherwise|disagrees?)$/.test(norm),
      )
  }
  return false
}
