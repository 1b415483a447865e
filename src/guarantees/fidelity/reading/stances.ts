import {
  anyOf,
  CERTAINTY,
  type Certainty,
  DUTIES,
  type Duty,
  NEGATIVE_NOUNS,
  QUANTIFIERS,
} from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import type { Clause, Reading } from './clauses.ts'
import { effectOf, isView } from './operators.ts'

/** 1 said to hold, -1 said not to hold, 0 left open. */
export type Sign = 1 | -1 | 0

export interface Stance {
  /** Whether what the clause says is said to hold. */
  readonly sign: Sign
  readonly certainty: Certainty
  /** Hangs on a condition or exception: the clause that states it. */
  readonly condition: number | undefined
  readonly duty: Duty | undefined
  /** The words that deny it, for messages. */
  readonly deniers: readonly number[]
}

type Draft = { -readonly [K in keyof Stance]: Stance[K] } & {
  deniers: number[]
}

export const times = (a: Sign, b: Sign): Sign => (a * b || 0) as Sign

const atMost = (draft: Draft, level: Certainty) => {
  draft.certainty = Math.min(draft.certainty, level) as Certainty
}

/** What a clause is said to be: asserted, denied, guessed, demanded, conditional. Its parent's stance comes first. */
export function stanceOf(reading: Reading, clause: Clause, stances: readonly Stance[]): Stance {
  const { clauses } = reading
  const draft: Draft = {
    sign: 1,
    certainty: clause.tense === 'future' ? 2 : 3,
    condition: undefined,
    duty: undefined,
    deniers: [],
  }
  const parent = clause.parent < 0 ? undefined : clauses[clause.parent]!
  const above = parent === undefined ? undefined : stances[parent.id]
  const own = wordsOf(reading, clause)
  denyItself(reading, clause, own, draft)
  hedgeItself(reading, clause, own, draft)
  obligeItself(reading, clause, own, draft)
  if (clause.question) draft.certainty = 0
  if (above !== undefined) hangOn(reading, clause, parent!, above, draft)
  if (clause.link === 'exception') draft.sign = times(draft.sign, -1)
  if (clause.link === 'condition' || clause.link === 'exception') atMost(draft, 1)
  if (clause.governor >= 0 || clause.link === 'adjunct') borneOut(reading, clause, draft)
  for (const other of clauses)
    if ((other.link === 'condition' || other.link === 'exception') && other.parent === clause.id)
      draft.condition = other.id
  if (isCounterfactual(reading, clause, parent)) {
    draft.sign = times(draft.sign, -1)
    draft.certainty = 3
    draft.condition = undefined
  }
  return draft
}

/** Words of a clause that belong to its own level: not those of the subject of another, but of one it shares. */
function wordsOf({ clauses, wordsOf }: Reading, clause: Clause): readonly number[] {
  const own = wordsOf[clause.id]!
  if (clause.link !== 'coordinate' || clause.parent < 0 || clause.subject[1] > clauses[clause.parent]!.verb)
    return own
  const list: number[] = []
  for (let i = clause.subject[0]; i < clause.subject[1]; i++) list.push(i)
  return [...list, ...own]
}

/** Verbs that "almost" measures and does not deny: costs nearly doubled. */
const MEASURES = anyOf('double triple quadruple halve reach hit fill exceed match equal all every everyone')

function denyItself({ words }: Reading, clause: Clause, own: readonly number[], draft: Draft): void {
  draft.deniers.push(...clause.negators)
  draft.sign = clause.negators.length % 2 === 0 ? 1 : -1
  const negativeNoun = negativeNounOf(words, own)
  if (negativeNoun !== undefined) {
    draft.sign = times(draft.sign, -1)
    draft.deniers.push(negativeNoun)
  }
  if (own.some((i) => QUANTIFIERS.get(words[i]!.norm) === 'not all')) draft.sign = 0
  // "Lee almost sent it", "nearly dropped the table": it was not done.
  const near = own.find(
    (i) =>
      i >= clause.verb - 1 &&
      i < clause.head &&
      /^(?:almost|nearly)$/.test(words[i]!.norm) &&
      // "almost never" is hardly ever
      words[i + 1]?.tag !== '-',
  )
  if (near !== undefined && !clause.copula && !MEASURES.has(words[clause.head]!.lemma)) {
    draft.sign = times(draft.sign, -1)
    draft.deniers.push(near)
  }
}

const negativeNounOf = (words: readonly Word[], own: readonly number[]) =>
  own.find(
    (i) =>
      NEGATIVE_NOUNS.has(words[i]!.norm) &&
      /^[DPR]$/.test(words[i]!.tag) &&
      !isBound(words, i) &&
      !isWithNo(words, i),
  )

/** Modals and adverbs of the clause itself. */
function hedgeItself(
  { words, clauses }: Reading,
  clause: Clause,
  own: readonly number[],
  draft: Draft,
): void {
  let certain = false
  for (const i of own) {
    const level = CERTAINTY.get(words[i]!.norm)
    if (level === undefined || !colours(words, i, clause)) continue
    // "1 May"
    if (words[i]!.norm === 'may' && words[i]!.tag === 'N') continue
    // "not unsure": no hedge
    if (level === 0 && draft.sign === -1 && i === clause.head) continue
    if (level === 4) certain ||= draft.sign === 1 || i !== clause.head
    else atMost(draft, level)
  }
  // "will definitely"
  if (certain && (draft.certainty === 3 || clause.tense === 'future') && draft.certainty >= 2)
    draft.certainty = 4
  // "was going to", "were supposed to": it was meant; whether it was done is open, or denied by what follows.
  if (
    clause.modals.some((i) => /^(?:going_to|about_to|supposed_to)$/.test(words[i]!.norm)) &&
    /^(?:was|were)$/.test(words[clause.verb]!.norm)
  ) {
    atMost(draft, 1)
    const next = clauses[clause.id + 1]
    if (next !== undefined && /^(?:but|when|until|before)$/.test(openerOf(words, next))) draft.sign = 0
  }
}

/** The word that joins a clause to the one before it. */
const openerOf = (words: readonly Word[], { start }: Clause) =>
  words[start]?.tag === '.' ? (words[start + 1]?.norm ?? '') : (words[start]?.norm ?? '')

function obligeItself({ words }: Reading, clause: Clause, own: readonly number[], draft: Draft): void {
  for (const i of clause.modals) {
    const { norm } = words[i]!
    const pressed = /^(?:can|may|could|might)$/.test(norm) ? undefined : DUTIES.get(norm)
    if (pressed !== undefined) draft.duty = pressed
    if (/^(?:can|may)$/.test(norm) && draft.duty === undefined && draft.sign === 1) draft.duty = 'permitted'
  }
  const denied = clause.negators.length % 2 === 1
  const needs = clause.modals.some((i) =>
    /^(?:(?:have|has|had|need|needs|needed|having)_to|need)$/.test(words[i]!.norm),
  )
  const noun = draft.duty === 'required' ? negativeNounOf(words, own) : undefined
  // "no need to"
  const needless = noun !== undefined && words[noun]!.tag === 'D' && /^need/.test(words[noun + 1]?.norm ?? '')
  if (draft.duty === 'required' && ((denied && needs) || needless)) {
    draft.duty = 'not required'
    draft.sign = 0
  } else if (draft.sign === -1 && /^(?:required|permitted|recommended)$/.test(draft.duty ?? ''))
    // "I'd rather not": a wish, no ban.
    draft.duty = clause.modals.some((i) => words[i]!.norm === 'would_rather') ? 'recommended' : 'forbidden'
  // "should have told him": it was not done; "should have arrived by now": who knows.
  if (
    clause.modals.some((i) => /^(?:should|ought_to)$/.test(words[i]!.norm)) &&
    clause.helpers.some((i) => words[i]!.norm === 'have' && i < clause.head) &&
    words[clause.head]!.form === 'ed' &&
    !own.some((i) => /^(?:now|already)$/.test(words[i]!.norm))
  ) {
    draft.sign = times(draft.sign, -1)
    draft.duty = undefined
    draft.certainty = 3
    draft.deniers.push(clause.modals[0]!)
  }
  // "can't not": has to.
  if (clause.negators.length === 2 && clause.modals.some((i) => /^(?:can|could)$/.test(words[i]!.norm)))
    draft.duty = 'required'
  // "don't bother to": there is no need.
  if (clause.imperative && draft.sign === -1 && words[clause.head]!.lemma === 'bother') {
    draft.duty = 'not required'
    draft.sign = 0
  }
  if (clause.imperative && draft.duty === undefined) draft.duty = draft.sign === -1 ? 'forbidden' : 'required'
}

/** What the clause over it makes of it. */
function hangOn(reading: Reading, clause: Clause, parent: Clause, above: Stance, draft: Draft): void {
  const { words } = reading
  if (clause.link === 'complement' && clause.governor >= 0) {
    governed(reading, clause, above, draft)
    draft.condition = above.condition
  } else if (clause.link === 'coordinate') {
    draft.condition = above.condition
    if (clause.modals.length > 0) {
      if (above.certainty < draft.certainty) draft.certainty = above.certainty
      draft.duty ??= above.duty
    }
  } else if (clause.link === 'without') {
    // "can't ship without testing": whether there is testing is not said.
    draft.sign = above.sign === -1 ? 0 : times(draft.sign, -1)
    draft.deniers.push(clause.start)
  } else if (clause.link === 'purpose' && isTooMuch(words, parent, clause)) {
    draft.sign = times(draft.sign, -above.sign as Sign)
    draft.deniers.push(clause.start)
  } else if (clause.link === 'purpose' && above.sign !== 1) {
    draft.sign = times(draft.sign, above.sign)
    if (words[parent.head]!.tag === 'V' && above.sign === -1) draft.deniers.push(...above.deniers)
  }
}

/** "too tired to walk": it is not done. */
export const isTooMuch = (words: readonly Word[], parent: Clause, { start }: Clause): boolean =>
  words[start]?.tag === 'T' &&
  parent.verb < start &&
  words.slice(Math.max(parent.verb, start - 4), start).some(({ norm, tag }) => norm === 'too' && tag === 'R')

/** "managed to", "refused to", "thinks that": what the word it complements makes of it. */
function governed({ words }: Reading, clause: Clause, above: Stance, draft: Draft): void {
  const governor = words[clause.governor]!
  // "forgot that it had run": it had.
  const effect =
    governor.lemma === 'keep' && words[clause.verb - 1]?.norm === 'from'
      ? 'denies'
      : clause.finite && /^(?:forget|neglect|overlook|ignore)$/.test(governor.lemma)
        ? 'presupposes'
        : (effectOf(governor.lemma) ?? effectOf(governor.norm))
  const level = CERTAINTY.get(governor.norm) ?? CERTAINTY.get(governor.lemma)
  const { sign } = draft
  if (/^(?:whether|if)$/.test(words[clause.start]?.norm ?? '')) draft.certainty = 0
  // "would like to move": it is wished
  if (/^(?:like|love|prefer)$/.test(governor.lemma) && words[clause.governor - 1]?.norm === 'would')
    atMost(draft, 1)
  // "I wish we had tested it"
  if (governor.lemma === 'wish' && clause.finite && clause.tense === 'past') {
    draft.sign = times(sign, -1)
    draft.deniers.push(clause.governor)
    return
  }
  if (isGivenUp(words, clause, governor)) {
    draft.sign = 0
    atMost(draft, 1)
    draft.deniers.push(clause.governor)
    return
  }
  if (effect === 'affirms' || effect === 'raises') draft.sign = times(sign, above.sign)
  else if (effect === 'denies') {
    draft.sign = times(sign, -above.sign as Sign)
    draft.deniers.push(clause.governor)
  } else if (effect === undefined)
    draft.sign = times(
      sign,
      clause.finite || words[clause.start]?.tag === 'S' || governor.tag === 'A' ? 1 : above.sign,
    )
  else if (effect === 'leaves open' && level !== 0 && above.sign === -1 && !clause.finite)
    draft.sign = times(sign, -1)
  if (above.sign === -1) draft.deniers.push(...above.deniers)
  const sure = /^(?:sure|certain|clear|known|confirmed|decided|convinced|positive)$/.test(governor.norm)
  if (sure && above.sign === -1) draft.certainty = 0
  else if (level === 0 && above.sign === -1) atMost(draft, 3)
  else if (isView(governor.lemma) && clause.finite) atMost(draft, 1)
  else if (level !== undefined && level < 4) atMost(draft, level)
  if (above.certainty < 3 && effect !== 'presupposes') atMost(draft, above.certainty)
  const pressed = DUTIES.get(governor.norm) ?? DUTIES.get(governor.lemma)
  if (pressed !== undefined) oblige(pressed, above.sign, draft)
  else if (above.duty !== undefined && effect !== 'presupposes') draft.duty ??= above.duty
}

const INTENDING = anyOf('mean intend plan want hope wish aim expect try attempt supposed scheduled')

/** "meant to water them but forgot": nothing tells that it was done. */
function isGivenUp(words: readonly Word[], clause: Clause, governor: Word): boolean {
  if (clause.finite || !INTENDING.has(governor.lemma) || governor.form !== 'ed') return false
  for (let i = clause.head + 1; i < words.length && !/^[.!?;\n]$/.test(words[i]!.norm); i++)
    if (words[i]!.norm === 'but') return true
  return false
}

function oblige(pressed: Duty, sign: Sign, draft: Draft): void {
  draft.duty = sign === -1 ? DENIED[pressed] : pressed
  if (draft.duty === 'not required') draft.sign = 0
  if (pressed === 'forbidden' && draft.duty === 'forbidden' && draft.sign !== 0) draft.sign = -1
}

/** What a duty becomes when it is denied. */
export const DENIED: Readonly<Record<Duty, Duty>> = {
  required: 'not required',
  recommended: 'forbidden',
  permitted: 'forbidden',
  'not required': 'required',
  forbidden: 'permitted',
}

/** "If we had pinned it, the build would not have broken": neither was so. */
function isCounterfactual(reading: Reading, clause: Clause, parent: Clause | undefined): boolean {
  if (clause.link === 'condition') return parent !== undefined && isUnreal(reading, clause, parent)
  return reading.clauses.some(
    (other) => other.link === 'condition' && other.parent === clause.id && isUnreal(reading, other, clause),
  )
}

const isUnreal = ({ words }: Reading, condition: Clause, main: Clause) =>
  condition.helpers.some((i) => words[i]!.norm === 'had') &&
  condition.head > (condition.helpers[0] ?? 0) &&
  main.modals.some((i) => /^(?:would|could|might|should)$/.test(words[i]!.norm)) &&
  main.helpers.some((i) => words[i]!.norm === 'have')

/** What follows says how it turned out: "but that was wrong", "and he was right", "and she did", "but never did". */
function borneOut(reading: Reading, clause: Clause, draft: Draft): void {
  if (isDisclaimed(reading, clause)) {
    draft.sign = times(draft.sign, -1)
    return
  }
  const outcome = isCalledTrue(reading, clause) ? 1 : outcomeOf(reading, clause)
  if (outcome === undefined) return
  draft.sign = clause.negators.length % 2 === 0 ? outcome : times(outcome, -1)
  draft.certainty = 3
}

/** Verbs of what somebody says, thinks or means to do, which may come true or not. */
const PROSPECTIVE = anyOf(
  'promise vow swear pledge agree offer threaten say tell claim think believe assume suppose guess reckon expect suspect hope intend mean plan want try attempt aim remind ask order urge advise persuade convince beg invite instruct consider contemplate discuss think_about talk_about think_of toy_with thinking_about thinking_of fear worry',
)

/** "promised to send it, and he did", "said he had locked it, but he hadn't": nothing but the auxiliary. */
export function outcomeOf({ words, clauses }: Reading, { id, link, governor }: Clause): Sign | undefined {
  const next = clauses[id + 1]
  const over = words[governor]
  if (next === undefined) return undefined
  // "talked about quitting, but never did"
  if (link === 'adjunct' && words[clauses[id]!.verb - 1]?.norm === 'about') return bareOutcome(words, next)
  if (link !== 'complement' || over === undefined) return undefined
  if (!PROSPECTIVE.has(over.lemma) && !PROSPECTIVE.has(over.norm)) return undefined
  return bareOutcome(words, next)
}

function bareOutcome(words: readonly Word[], next: Clause): Sign | undefined {
  const settled = settledBy(words, next)
  if (settled !== undefined) return settled
  if (words[next.head]!.tag !== 'X' || !/^(?:do|have|be)$/.test(words[next.head]!.lemma)) return undefined
  const [from, to] = next.subject
  if (from < to && words[to - 1]!.tag !== 'P') return undefined
  if (
    !/^(?:,|and|but)$/.test(openerOf(words, next)) &&
    !/^(?:,|and|but)$/.test(words[next.start - 1]?.norm ?? '')
  )
    return undefined
  for (let i = next.head + 1; i < words.length && !/^[.!?;,]$/.test(words[i]!.norm); i++)
    if (words[i]!.tag !== '-' && words[i]!.tag !== 'R' && words[i]!.norm !== 'so') return undefined
  return next.negators.length % 2 === 0 ? 1 : -1
}

const AGAINST = anyOf('decide_against decided_against refuse decline think_better_of thought_better_of')
const FOR = anyOf('go_for went_for go_ahead went_ahead agree oblige comply')

/** "and decided against it", "but it refused", "and went ahead". */
function settledBy(
  words: readonly Word[],
  { head, subject: [from, to], negators }: Clause,
): Sign | undefined {
  const { lemma, norm } = words[head]!
  const sign = AGAINST.has(lemma) || AGAINST.has(norm) ? -1 : FOR.has(lemma) || FOR.has(norm) ? 1 : undefined
  if (sign === undefined || (from < to && words[to - 1]!.tag !== 'P')) return undefined
  for (let i = head + 1; i < words.length && !/^[.!?;,]$/.test(words[i]!.norm); i++)
    if (!/^(?:it|that|this|so|with|the|idea|plan|in|end)$/.test(words[i]!.norm) && words[i]!.tag !== 'R')
      return undefined
  return negators.length % 2 === 0 ? sign : times(sign, -1)
}

/** "..., and that was true", "and she was right". */
function isCalledTrue({ words, clauses }: Reading, { id, link }: Clause): boolean {
  const next = clauses[id + 1]
  if (link !== 'complement' || next === undefined || next.negators.length > 0 || !next.copula) return false
  return (
    /^(?:true|right|correct|so)$/.test(words[next.head]!.norm) &&
    next.subject[1] - next.subject[0] <= 1 &&
    /^[P]$/.test(words[next.subject[0]]?.tag ?? '') &&
    !/^[NV]$/.test(words[next.head + 1]?.tag ?? '')
  )
}

const DISCLAIMERS = anyOf('false untrue lie incorrect wrong falsity myth falsehood fiction mistaken')

/** Some clause after this one, the sentence's main one or inside it, calls it false. */
const disclaims = ({ words, clauses }: Reading, from: number) => {
  for (let i = clauses[from]!.verb; i < words.length && !/^[.!?;]$/.test(words[i]!.norm); i++)
    if (DISCLAIMERS.has(words[i]!.norm)) return true
  return false
}

/**
 * "The statement that he owns a dog is false": the clause after says so of the whole. "I thought he owned one, but that
 * was wrong": the pronoun stands for it.
 */
export function isDisclaimed(reading: Reading, clause: Clause): boolean {
  if (clause.link !== 'complement') return false
  if (isCalledUntrue(reading, clause)) return true
  const next = reading.clauses.find(({ id, link }) => id > clause.id && link === 'main')
  if (next === undefined || next.negators.length % 2 !== 0 || !disclaims(reading, next.id)) return false
  if (next.subject[0] <= clause.start) return true
  const { words } = reading
  return (
    next.subject[1] - next.subject[0] === 1 && /^(?:that|this|it|which)$/.test(words[next.subject[0]]!.norm)
  )
}

/** "told them it was too big, which wasn't true" */
function isCalledUntrue(reading: Reading, { id }: Clause): boolean {
  const { words, clauses } = reading
  const next = clauses[id + 1]
  // "but that turned out to be wrong"
  if (
    next !== undefined &&
    /^(?:turned_out|turns_out|proved|proves|proven)$/.test(words[next.head]!.norm) &&
    /^(?:which|that|it|this)$/.test(words[next.subject[0]]?.norm ?? '') &&
    next.negators.length === 0 &&
    disclaims(reading, next.id)
  )
    return true
  if (
    next === undefined ||
    !/^(?:which|that|it|this)$/.test(words[next.subject[0]]?.norm ?? words[next.start]?.norm ?? '')
  )
    return words[next?.start ?? -1]?.norm === 'which' && isUntrue(words, next!)
  return next.subject[1] - next.subject[0] <= 1 && isUntrue(words, next)
}

const isUntrue = (words: readonly Word[], { head, negators }: Clause): boolean =>
  negators.length % 2 === 1
    ? /^(?:true|correct|right|so|accurate|case|truth)$/.test(words[head]!.norm)
    : DISCLAIMERS.has(words[head]!.norm)

/** "with no money": without. */
export const isWithNo = (words: readonly Word[], i: number) =>
  words[i]!.norm === 'no' && words[i - 1]?.norm === 'with'

/** "no more than", "no later than", "no. 8841": no denial. */
export const isBound = (words: readonly Word[], i: number) =>
  words[i]!.norm === 'no' &&
  ((words[i + 1]?.tag === '#' && words[i - 1]?.tag === 'N') ||
    (/^(?:more|less|fewer|later|earlier|sooner|doubt|matter|problem|worries|problems)$/.test(
      words[i + 1]?.norm ?? '',
    ) &&
      !/^(?:with|in)$/.test(words[i + 2]?.norm ?? '')))

/** Words that hedge what they stand with; others of their kind hedge only their complement: discuss, consider. */
const HEDGES =
  /^(?:pencil\w*_in|lean\w*_towards?|leaning|tentative\w*|provisional\w*|suspect\w*|to_be_\w+|up_in_the_air|under_consideration|tbd|unclear|undecided|draft)$/

/** Whether a word of certainty speaks of its whole clause: a modal, an adverb, a predicate, not "a potential client". */
function colours(words: readonly Word[], i: number, clause: Clause): boolean {
  const { norm, tag } = words[i]!
  if (HEDGES.test(norm) || tag === 'M' || tag === 'R') return true
  if (norm === 'proposed' || norm === 'planned') return i < clause.verb && tag === 'A'
  if (i === clause.head) return clause.copula || (CERTAINTY.get(norm) ?? 3) >= 2
  return norm.includes('_') || (tag === 'A' && !/^[NA]$/.test(words[i + 1]?.tag ?? ''))
}
