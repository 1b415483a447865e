import { isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { anyOf } from '../words/cues.ts'

/** Verbs by which somebody is done with the thing. */
const CEASING = anyOf(
  'stop quit drop cancel discontinue give_up unsubscribe come_off cut_out sell return give_away get_rid_of abandon ditch phase_out opt_out_of drop_out_of pull_out_of back_out_of switch_off turn_off resign lose cease end leave',
)
/** Begun anew, or what it was before. */
const ANEW = anyOf(
  'again back resume restart return used_to until before previously formerly once start restarted resumed but try want plan',
)
/** What is so with the thing as long as one is not done with it. */
const HAVING = anyOf(
  'take use have own get receive attend want keep play drink eat smoke wear drive run see be do go work subscribe pay need continue carry_on keep_on stay remain on still belong visit',
)
const LASTING = anyOf(
  'still currently now continue continues keep keeps keeps_on keeping remains remain today nowadays',
)

/** "Stopped taking it in August" became "is on it", "Stop sending the digest" "wants to keep getting the digest". */
export function ceasedFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (!source.words.some(({ lemma, norm }) => CEASING.has(lemma) || CEASING.has(norm))) return []
  if (claim.words.some(({ tag, norm, lemma }) => tag === '-' || norm === 'no_longer' || CEASING.has(lemma)))
    return []
  if (claim.scopes.signs.some((sign) => sign === -1)) return []
  for (const clause of source.clauses) {
    const verb = source.words[clause.head]!
    if (!CEASING.has(verb.lemma) && !CEASING.has(verb.norm)) continue
    if (source.scopes.stances[clause.id]!.sign !== 1 || clause.modals.length > 0 || clause.question) continue
    if (/^(?:condition|exception|until|before|purpose)$/.test(clause.link)) continue
    // "leaves Tallinn at six": a journey.
    if (verb.lemma === 'leave' && clause.tense !== 'past') continue
    if (source.scopes.stances[clause.id]!.condition !== undefined) continue
    const things = thingsOf(source, clause)
    const last = things.at(-1)
    if (last === undefined) continue
    const { lemma } = source.words[last]!
    if (isTakenUp(source, clause, lemma)) continue
    const at = claim.words.findIndex(
      (word, c) => word.lemma === lemma && word.tag === 'N' && claim.words[c + 1]?.tag !== 'N',
    )
    if (at < 0) continue
    // Every word that tells which one it is.
    const told = new Set(claim.words.map((word) => word.lemma))
    const others = source.words.filter(
      (word, i) => !things.includes(i) && word.lemma === lemma && word.tag === 'N' && i > last,
    )
    if (
      others.length > 0 ||
      things.some((i) => source.words[i]!.tag === 'A' && !told.has(source.words[i]!.lemma))
    )
      continue
    const mine = claim.clauses[claim.clauseOf[at]!]
    if (mine === undefined || !isHad(claim, mine, at)) continue
    return [
      finding(
        comparison,
        'polarity_flip',
        'hard',
        0.85,
        [clause.head, last],
        [mine.head, at],
        `the source is done with '${said(source, last)}', the claim has it go on`,
      ),
    ]
  }
  return []
}

/** The telling words of what the verb, or a gerund under it, has behind it; for a pronoun those of the clause before. */
function thingsOf(side: Side, clause: Clause): number[] {
  const inner = side.clauses.find(({ governor }) => governor === clause.head)
  const from = (inner ?? clause).head + 1
  const list: number[] = []
  for (let i = from; i < side.words.length; i++) {
    const { tag, norm } = side.words[i]!
    if (/^(?:it|them|that|this)$/.test(norm) && list.length === 0 && tag === 'P')
      return objectBefore(side, clause)
    if (/^(?:me|us|him|her|you)$/.test(norm) && list.length === 0) continue
    if (/^[.CSIVXMTR]$/.test(tag)) break
    if (isContent(side.words[i]!) && (tag === 'N' || tag === 'A')) list.push(i)
  }
  return list
}

function objectBefore(side: Side, clause: Clause): number[] {
  const before = side.clauses[clause.id - 1]
  if (before === undefined) return []
  const list: number[] = []
  for (let i = before.head + 1; i < clause.start; i++) {
    const { tag } = side.words[i]!
    if (/^[.CS#]$/.test(tag)) break
    if (tag === 'I') {
      if (list.length > 0) break
      continue
    }
    if (tag === 'N') list.push(i)
  }
  return list
}

/** Begun anew in the same sentence, or in a later one that names no other thing. */
const isTakenUp = ({ words, sentenceOf }: Side, { head }: Clause, thing: string) =>
  words.some(
    ({ norm, lemma }, i) =>
      i > head &&
      (ANEW.has(norm) || ANEW.has(lemma)) &&
      !isDeniedBefore(words, i) &&
      (sentenceOf[i] === sentenceOf[head] ||
        words.some(
          (word, k) =>
            sentenceOf[k] === sentenceOf[i] &&
            (word.lemma === thing || /^(?:it|them|that|one)$/.test(word.norm)),
        )),
  )

const isDeniedBefore = (words: Side['words'], at: number) =>
  words.slice(Math.max(0, at - 3), at).some(({ tag }) => tag === '-')

/** In the present, said to be had, used or wanted. */
function isHad(side: Side, clause: Clause, at: number): boolean {
  const { words } = side
  const head = words[clause.head]!
  const lasting = words.some(({ norm }) => LASTING.has(norm))
  if (clause.tense === 'past' || clause.tense === 'future' || clause.question) return false
  if (at < clause.verb) return lasting
  return HAVING.has(head.lemma) || words[clause.verb]?.lemma === 'be' || lasting
}
