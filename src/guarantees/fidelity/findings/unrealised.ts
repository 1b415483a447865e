import { compareWords, isContent } from '../comparing/alignment.ts'
import {
  type Comparison,
  type Finding,
  finding,
  isSummary,
  type Side,
  said,
} from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { effectOf } from '../reading/operators.ts'
import { anyOf } from '../words/cues.ts'
import { isLight } from './crossing.ts'
import { AHEAD, isAhead } from './undone.ts'

/** Verbs of which a claim may tell as done though the thing itself is still to come. */
const TELLING = anyOf(
  'say tell ask mention announce discuss report write state note explain describe warn remind request order book schedule arrange postpone delay move reschedule cancel reject refuse decline deny receive get give offer make set plan propose recommend advise know learn see hear find want need like prefer choose pick assign send bring have be start begin commence leave keep allow permit grant forbid commit pledge contemplate weigh flag raise specify authorise authorize instruct warn insist mean owe',
)

/** What the source speaks of only as wanted, promised or to come, told as done by a verb of the claim's own. */
export function unrealisedFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (comparison.edited && isSummary(comparison)) return []
  if (claim.words.some(({ norm, tag }) => tag === '-' || (AHEAD.has(norm) && !/^[N#]$/.test(tag)))) return []
  for (const clause of claim.clauses) {
    if (!isDone(claim, clause)) continue
    const things = objectsOf(claim, clause)
    if (things.length === 0) continue
    const verb = claim.words[clause.head]!
    // Told as a fact by the claim's own verb.
    if (source.words.some((word, s) => isContent(word) && isVerbOf(word, verb) && !isAhead(source, s)))
      continue
    const places = things.map((c) => mentionsOf(comparison, c))
    if (places.some((list) => list.length === 0)) continue
    if (!places.every((list) => list.every((s) => isBesideAhead(source, s)))) continue
    const at = places[0]![0]!
    return [
      finding(
        comparison,
        'modality_upgrade',
        'hard',
        0.75,
        [source.clauses[source.clauseOf[at]!]!.head, at],
        [clause.verb, clause.head],
        `the source has '${said(source, at)}' only in what is to come, the claim says '${said(claim, clause.head)}'`,
      ),
    ]
  }
  return []
}

function isDone({ words, scopes }: Side, clause: Clause): boolean {
  const { sign, condition, duty } = scopes.stances[clause.id]!
  const head = words[clause.head]!
  return (
    /^(?:main|coordinate)$/.test(clause.link) &&
    clause.tense === 'past' &&
    clause.finite &&
    clause.modals.length === 0 &&
    !clause.question &&
    sign === 1 &&
    condition === undefined &&
    duty === undefined &&
    head.tag === 'V' &&
    head.form === 'ed' &&
    !isLight(head) &&
    effectOf(head.lemma) === undefined &&
    !TELLING.has(head.lemma)
  )
}

/** What it is done to: behind the verb, or before a passive one. */
function objectsOf(side: Side, clause: Clause): number[] {
  const list: number[] = []
  const [from, to] = clause.passive ? clause.subject : [clause.head + 1, side.words.length]
  for (let i = from; i < to; i++) {
    const { tag } = side.words[i]!
    if (side.clauseOf[i] !== clause.id && !clause.passive) break
    if (tag === 'I' || tag === '.' || tag === 'C' || tag === 'S') break
    if (tag === 'N' && isContent(side.words[i]!) && side.words[i + 1]?.norm !== "'s") list.push(i)
  }
  return list
}

const isVerbOf = (word: Side['words'][number], verb: Side['words'][number]) => {
  const { sign, score } = compareWords(word, verb)
  return sign === 1 && score >= 0.75
}

function mentionsOf({ source, claim, alignment }: Comparison, c: number): number[] {
  const { source: s, likeness } = alignment.links[c]!
  if (s < 0 || likeness.sign === -1 || likeness.score < 0.75) return []
  const { lemma } = source.words[s]!
  return source.words.flatMap((word, i) =>
    i === s || word.lemma === lemma || word.lemma === claim.words[c]!.lemma ? [i] : [],
  )
}

/** In a clause that is still to come, behind its verb or before a passive one. */
function isBesideAhead(side: Side, at: number): boolean {
  const clause = side.clauses[side.clauseOf[at]!]
  if (clause === undefined || clause.head === at || side.scopes.stances[clause.id]!.sign !== 1) return false
  const inSubject = at >= clause.subject[0] && at < clause.subject[1]
  if (inSubject ? !clause.passive && !clause.copula : at < clause.head) return false
  return side.words[clause.head]!.tag === 'V' && isAhead(side, clause.head)
}
