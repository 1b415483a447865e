import { compareWords, isContent } from '../comparing/alignment.ts'
import {
  type Comparison,
  type Finding,
  finding,
  isDocument,
  isSummary,
  type Side,
  said,
} from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { effectOf } from '../reading/operators.ts'
import { outcomeOf } from '../reading/stances.ts'
import { anyOf } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import { COMMANDS } from './modality.ts'

/** Words by which a claim shows that it does not tell of what was done. */
export const AHEAD = anyOf(
  'will should must may can might would could if until plan plans planned planning going_to asked told want wants wanted promised agreed requested proposed suggested offered supposed due scheduled ready decided expected intended hoped tried considered',
)
/** What is wanted, asked for or weighed is not done by it. */
const WANTED = anyOf(
  'request proposal propose suggest suggestion option offer demand plan proposed planned possible potential idea incline consider reject refuse discuss want schedule expect need require await postpone',
)

/** "has been tested", "was approved": told as done, where the source speaks of it only as wanted, awaited or to come. */
export function undoneFindings(comparison: Comparison): Finding[] {
  const { source, claim, edited } = comparison
  if (
    (edited && isSummary(comparison)) ||
    isDocument(source) ||
    source.words.some(({ norm }) => /^(?:did|done|so_far)$/.test(norm))
  )
    return []
  if (claim.words.some(({ norm, tag }) => AHEAD.has(norm) && !/^[N#]$/.test(tag))) return []
  for (const clause of claim.clauses) {
    if (!isTold(claim, clause)) continue
    const head = claim.words[clause.head]!
    const places = source.words.flatMap((word, i) => (isContent(word) && isSame(word, head) ? [i] : []))
    if (places.length === 0 || !places.every((i) => isAhead(source, i))) continue
    return [
      finding(
        comparison,
        'modality_upgrade',
        'hard',
        0.8,
        [places[0]!],
        [clause.verb, clause.head],
        `the source only has '${said(source, places[0]!)}' ahead, the claim has it done`,
      ),
    ]
  }
  return []
}

function isTold({ words, scopes }: Side, clause: Clause): boolean {
  const { sign, condition, duty } = scopes.stances[clause.id]!
  return (
    /^(?:main|coordinate|complement)$/.test(clause.link) &&
    clause.tense === 'past' &&
    clause.modals.length === 0 &&
    !clause.question &&
    sign === 1 &&
    condition === undefined &&
    duty === undefined &&
    words[clause.head]!.tag === 'V' &&
    words[clause.head]!.form === 'ed'
  )
}

function isSame(word: Word, head: Word): boolean {
  const { sign, score } = compareWords(word, head)
  return sign === 1 && score >= (word.tag === 'N' ? 0.9 : 0.8)
}

export function isAhead(side: Side, at: number): boolean {
  const { words, scopes, clauses, clauseOf } = side
  const clause = clauses[clauseOf[at]!]
  if (clause === undefined) return false
  if (clause.head !== at)
    return (
      (words[at]!.tag === 'N' || words[at]!.form !== 'ed') &&
      (words
        .slice(Math.max(0, at - 3), at + 3)
        .some((word, k) => k !== Math.min(3, at) && WANTED.has(word.lemma)) ||
        (words[clause.head]!.tag === 'V' && WANTED.has(words[clause.head]!.lemma)))
    )
  const { sign, duty } = scopes.stances[clause.id]!
  // "reminded me to lock it, and I did"
  if (outcomeOf(side, clause) === 1) return false
  if (/^(?:until|condition|exception)$/.test(clause.link) || clause.imperative) return true
  if (
    /^(?:time|after|before)$/.test(clause.link) &&
    (clause.tense !== 'past' || /^ha(?:s|ve)$/.test(words[clause.verb]!.norm))
  )
    return true
  if (clause.tense === 'future' && sign === 1) return true
  // "had to cancel": it was done.
  if (clause.modals.some((i) => words[i]!.norm === 'had_to')) return false
  if (duty === 'required' || duty === 'recommended' || duty === 'permitted') return true
  const governor = words[clause.governor]
  if (clause.finite || governor === undefined) return false
  const effect = effectOf(governor.lemma) ?? effectOf(governor.norm)
  return (
    effect === 'raises' ||
    effect === 'leaves open' ||
    COMMANDS.has(governor.lemma) ||
    WANTED.has(governor.lemma)
  )
}
