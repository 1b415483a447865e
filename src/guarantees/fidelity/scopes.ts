import type { Clause, Reading } from './clauses.ts'
import {
  type Amount,
  CERTAINTY,
  type Certainty,
  DUTIES,
  type Duty,
  EXCLUDERS,
  NEGATIVE_NOUNS,
  QUANTIFIERS,
} from './cues.ts'
import { deniesItsObject, effectOf } from './operators.ts'
import type { Word } from './tagging.ts'

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

export interface Scopes {
  /** By clause. */
  readonly stances: readonly Stance[]
  /** By word: whether it stands under an odd number of denials of its clause and itself. */
  readonly signs: readonly Sign[]
  /** By word: 1 where it may be replaced by a wider word, -1 by a narrower one, 0 by neither. */
  readonly directions: readonly Sign[]
  /** By word: how much of what it names is meant, where a quantifier says so. */
  readonly amounts: readonly (Amount | undefined)[]
  /** By word: the quantifier's own place, -1 for none. */
  readonly quantifiers: readonly number[]
}

const times = (a: Sign, b: Sign): Sign => (a * b || 0) as Sign

/** Negation, certainty, obligation and monotonicity over a reading. */
export function scopesOf(reading: Reading): Scopes {
  const { words, clauses } = reading
  const stances: Stance[] = []
  const order = [...clauses].sort((a, b) => depthOf(clauses, a) - depthOf(clauses, b) || a.id - b.id)
  for (const clause of order) stances[clause.id] = stanceOf(reading, clause, stances)
  const signs = signsOf(reading, stances)
  const { amounts, quantifiers } = amountsOf(words)
  return { stances, signs, directions: directionsOf(reading), amounts, quantifiers }
}

function depthOf(clauses: readonly Clause[], clause: Clause): number {
  let depth = 0
  for (let at = clause; at.parent >= 0 && depth < 12; at = clauses[at.parent]!) depth++
  return depth
}

/** Words of a clause that belong to its own level: not those of the subject of another. */
function wordsOf({ words, clauseOf }: Reading, clause: Clause): number[] {
  const list: number[] = []
  for (let i = 0; i < words.length; i++) if (clauseOf[i] === clause.id) list.push(i)
  return list
}

function stanceOf(reading: Reading, clause: Clause, stances: readonly Stance[]): Stance {
  const { words, clauses } = reading
  const own = wordsOf(reading, clause)
  const deniers = [...clause.negators]
  let sign: Sign = clause.negators.length % 2 === 0 ? 1 : -1
  const negativeNoun = own.find(
    (i) =>
      NEGATIVE_NOUNS.has(words[i]!.norm) &&
      (words[i]!.tag === 'D' || words[i]!.tag === 'P' || words[i]!.tag === 'R') &&
      !isBound(words, i),
  )
  if (negativeNoun !== undefined) {
    sign = times(sign, -1)
    deniers.push(negativeNoun)
  }
  const partial = own.find(
    (i) =>
      /^(?:not all|few)$/.test(QUANTIFIERS.get(words[i]!.norm) ?? '') &&
      words[i]!.norm !== 'a_few' &&
      words[i]!.norm !== 'little',
  )
  if (partial !== undefined && QUANTIFIERS.get(words[partial]!.norm) === 'not all') {
    sign = times(sign, 0)
  }
  let certainty: Certainty = clause.tense === 'future' ? 2 : 3
  let duty: Duty | undefined
  let condition: number | undefined
  const parent = clause.parent < 0 ? undefined : clauses[clause.parent]!
  const above = parent === undefined ? undefined : stances[parent.id]
  // Modals and adverbs of the clause itself.
  for (const i of own) {
    const { norm } = words[i]!
    const level = CERTAINTY.get(norm)
    if (level === undefined || !colours(words, i, clause)) continue
    if (level === 4) certainty = certainty === 3 ? 4 : certainty
    else certainty = Math.min(certainty, level) as Certainty
  }
  for (const i of clause.modals) {
    const { norm } = words[i]!
    const own =
      norm === 'can' || norm === 'may' || norm === 'could' || norm === 'might' ? undefined : DUTIES.get(norm)
    if (own !== undefined) duty = own
    if ((norm === 'can' || norm === 'may') && duty === undefined && sign === 1) duty = 'permitted'
  }
  if (
    duty === 'required' &&
    clause.negators.length % 2 === 1 &&
    clause.modals.some((i) => /^(?:have|has|had|need|needs|needed|having)_to$/.test(words[i]!.norm))
  ) {
    duty = 'not required'
    sign = 0
  } else if (
    duty === 'required' &&
    negativeNoun !== undefined &&
    words[negativeNoun]!.tag === 'D' &&
    /^need/.test(words[negativeNoun + 1]?.norm ?? '')
  ) {
    duty = 'not required'
    sign = 0
  } else if (sign === -1 && (duty === 'required' || duty === 'permitted')) duty = 'forbidden'
  else if (sign === -1 && duty === 'recommended') duty = 'forbidden'
  // "can't not": has to.
  if (clause.negators.length === 2 && clause.modals.some((i) => /^(?:can|could)$/.test(words[i]!.norm)))
    duty = 'required'
  if (clause.imperative && duty === undefined) duty = sign === -1 ? 'forbidden' : 'required'
  if (clause.question) certainty = 0
  // What hangs on an operator.
  if (clause.link === 'complement' && clause.governor >= 0 && above !== undefined) {
    const governor = words[clause.governor]!
    const effect = effectOf(governor.lemma) ?? effectOf(governor.norm)
    const level = CERTAINTY.get(governor.norm) ?? CERTAINTY.get(governor.lemma)
    if (effect === 'affirms' || effect === 'raises') sign = times(sign, above.sign)
    else if (effect === 'denies') {
      sign = times(sign, above.sign === 0 ? 0 : above.sign === 1 ? -1 : 1)
      deniers.push(clause.governor)
    } else if (effect === undefined)
      sign = times(
        sign,
        clause.finite || words[clause.start]?.tag === 'S' || governor.tag === 'A' ? 1 : above.sign,
      )
    else if (effect === 'leaves open' && above.sign === -1 && !clause.finite) sign = times(sign, -1)
    if (above.sign === -1) deniers.push(...above.deniers)
    if (
      /^(?:sure|certain|clear|known|confirmed|decided|convinced|positive)$/.test(governor.norm) &&
      above.sign === -1
    )
      certainty = 0
    else if (level === 0 && above.sign === -1) certainty = Math.min(certainty, 3) as Certainty
    else if (level !== undefined && level < 4) certainty = Math.min(certainty, level) as Certainty
    if (above.certainty < 3 && effect !== 'presupposes')
      certainty = Math.min(certainty, above.certainty) as Certainty
    const pressed = DUTIES.get(governor.norm) ?? DUTIES.get(governor.lemma)
    if (pressed !== undefined) {
      if (pressed === 'required' && above.sign === -1) {
        duty = 'not required'
        sign = 0
      } else
        duty =
          above.sign === -1
            ? pressed === 'permitted' || pressed === 'recommended'
              ? 'forbidden'
              : pressed === 'forbidden'
                ? 'permitted'
                : 'required'
            : pressed
      if (duty === 'not required') sign = 0
      if (pressed === 'forbidden' && duty === 'forbidden') sign = sign === 0 ? 0 : -1
    } else if (above.duty !== undefined && duty === undefined && effect !== 'presupposes') duty = above.duty
    condition = above.condition
  } else if (clause.link === 'coordinate' && above !== undefined) {
    condition = above.condition
    if (above.certainty < certainty && clause.modals.length > 0) certainty = above.certainty
    if (above.duty !== undefined && duty === undefined && clause.modals.length > 0) duty = above.duty
  } else if (clause.link === 'without') {
    sign = times(sign, -1)
    deniers.push(clause.start)
  } else if (clause.link === 'purpose' && above !== undefined && above.sign !== 1)
    sign = times(sign, above.sign)
  if (clause.link === 'exception') sign = times(sign, -1)
  if (clause.link === 'condition' || clause.link === 'exception')
    certainty = Math.min(certainty, 1) as Certainty
  if (clause.governor >= 0 && isDisclaimed(reading, clause)) sign = times(sign, -1)
  for (const other of clauses)
    if ((other.link === 'condition' || other.link === 'exception') && other.parent === clause.id)
      condition = other.id
  return { sign, certainty, condition, duty, deniers }
}

const DISCLAIMERS = /^(?:false|untrue|lie|incorrect|wrong|falsity|myth|falsehood|fiction)$/

/** Some clause after this one, the sentence's main one or inside it, calls it false. */
const disclaims = ({ words, clauses }: Reading, from: number) => {
  for (let i = clauses[from]!.verb; i < words.length && !/^[.!?;]$/.test(words[i]!.norm); i++)
    if (DISCLAIMERS.test(words[i]!.norm)) return true
  return false
}

/** "The statement that he owns a dog is false": the clause after says so of the whole. */
function isDisclaimed(reading: Reading, clause: Clause): boolean {
  if (clause.link !== 'complement') return false
  const next = reading.clauses.find(({ id, link }) => id > clause.id && link === 'main')
  return (
    next !== undefined &&
    next.subject[0] <= clause.start &&
    next.negators.length % 2 === 0 &&
    disclaims(reading, next.id)
  )
}

/** "no more than", "no later than": no denial. */
const isBound = (words: readonly Word[], i: number) =>
  words[i]!.norm === 'no' &&
  /^(?:more|less|fewer|later|earlier|sooner|doubt|matter|problem|worries|problems)$/.test(
    words[i + 1]?.norm ?? '',
  ) &&
  !/^(?:with|in)$/.test(words[i + 2]?.norm ?? '')

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

function signsOf(reading: Reading, stances: readonly Stance[]): Sign[] {
  const { words, clauses, clauseOf } = reading
  const signs = words.map((_, i): Sign => stances[clauseOf[i]!]?.sign ?? 1)
  for (let i = 0; i < words.length; i++) {
    const { norm, tag } = words[i]!
    // "without the cache", "not on underscore", "rather than Monday"
    const excludes = EXCLUDERS.has(norm) && (tag === 'I' || tag === 'A' || tag === 'N' || tag === 'V')
    const constituent = tag === '-' && clauses.every(({ negators }) => !negators.includes(i))
    if (excludes || constituent)
      for (let k = i + 1; k < reach(words, i + 1, constituent); k++)
        signs[k] = signs[k] === 0 ? -1 : (-signs[k]! as Sign)
    if (norm === 'nor' && tag === '-') signs[i] = -1
  }
  for (const clause of clauses) {
    const head = words[clause.head]!
    if (!deniesItsObject(head.lemma) && !deniesItsObject(head.norm)) continue
    const range =
      clause.passive || clause.copula
        ? [clause.subject[0], clause.subject[1]]
        : [clause.head + 1, phraseEnd(words, clause.head + 1, false)]
    for (let k = range[0]!; k < range[1]!; k++)
      if (clauseOf[k] === clause.id) signs[k] = (-signs[k]! || 0) as Sign
    // "with caching turned off": what it is said of stands right before.
    if (head.form === 'ed' && clause.helpers.length === 0 && clause.subject[0] === clause.subject[1])
      for (let k = clause.verb - 1; k >= 0 && /^[NVA]$/.test(words[k]!.tag); k--)
        signs[k] = (-signs[k]! || 0) as Sign
  }
  return signs
}

/** Where the phrase that begins here ends: at a mark, a clause, a verb. */
function phraseEnd(words: readonly Word[], from: number, constituent: boolean): number {
  let i = from
  while (i < words.length && i < from + 12) {
    const { tag } = words[i]!
    if (tag === '.' || tag === 'S' || tag === 'X' || tag === 'M' || tag === 'T' || tag === 'C') {
      if (
        tag === 'C' &&
        i > from &&
        (words[i]!.norm === 'or' || words[i]!.norm === 'and') &&
        /^[NAD#]$/.test(words[i + 1]?.tag ?? '') &&
        !constituent
      ) {
        i++
        continue
      }
      break
    }
    if (tag === 'I' && i > from && !/^(?:of|for|to|on|in)$/.test(words[i]!.norm)) break
    if (tag === 'V' && i > from && words[i]!.form !== 'ing') break
    i++
  }
  return i
}

/** "a not so tall person": a negator inside a noun phrase denies the adjective alone. */
function reach(words: readonly Word[], from: number, constituent: boolean): number {
  const before = words[from - 2]
  if (!constituent || before?.tag !== 'D') return phraseEnd(words, from, constituent)
  let i = from
  while (words[i]?.tag === 'R' || words[i]?.tag === 'A' || words[i]?.tag === 'V') i++
  return i
}

function amountsOf(words: readonly Word[]): { amounts: (Amount | undefined)[]; quantifiers: number[] } {
  const amounts = new Array<Amount | undefined>(words.length).fill(undefined)
  const quantifiers = new Array<number>(words.length).fill(-1)
  for (let i = 0; i < words.length; i++) {
    const amount =
      words[i]!.norm === 'little' && words[i]!.tag === 'D' ? 'few' : QUANTIFIERS.get(words[i]!.norm)
    if (
      amount === undefined ||
      words[i]!.tag === '.' ||
      (words[i]!.norm === 'certain' && words[i]!.tag !== 'D')
    )
      continue
    if (isBound(words, i)) continue
    amounts[i] = amount
    quantifiers[i] = i
    for (let k = i + 1; k < words.length && k < i + 7; k++) {
      const { tag, norm } = words[k]!
      if (tag === 'N' || tag === 'A' || tag === 'D' || norm === 'of' || norm === "'s" || tag === '#') {
        amounts[k] = amount
        quantifiers[k] = i
        if (tag === 'N' && words[k + 1]?.tag !== 'N') break
      } else break
    }
  }
  return { amounts, quantifiers }
}

/** Verbs under which less is more: avoiding dogs avoids spaniels; removing a spaniel removes a dog. */
const LESSENS =
  /^(?:lack|avoid|refuse|decline|deny|doubt|prohibit|forbid|ban|prevent|disallow|exclude|refrain|fail|neglect|oppose|reject|hate|shun|preclude)$/

/** Restrictors: what a determiner makes of the noun phrase after it, and of the rest of the clause. */
const DETERMINER_DIRECTIONS: ReadonlyMap<string, readonly [Sign, Sign]> = new Map([
  ...[
    'no',
    'none',
    'nobody',
    'no_one',
    'nothing',
    'neither',
    'few',
    'little',
    'at_most',
    'fewer_than',
    'less_than',
    'no_more_than',
    'hardly_any',
    'barely_any',
    'virtually_no',
    'almost_no',
    'not_one',
    'not_any',
    'not_a_single',
    'not_many',
    'up_to',
    'under',
    'below',
    'lower_than',
  ].map((w) => [w, [-1, -1]] as const),
  ...['every', 'each', 'all', 'everyone', 'everybody', 'everything', 'always'].map(
    (w) => [w, [-1, 1]] as const,
  ),
  ...[
    'most',
    'most_of',
    'the_majority_of',
    'half',
    'exactly',
    'precisely',
    'many',
    'majority',
    'a_majority_of',
  ].map((w) => [w, [0, 1]] as const),
  ...['not_all', 'not_every', 'not_everyone', 'not_everybody', 'not_everything'].map(
    (w) => [w, [1, -1]] as const,
  ),
] as (readonly [string, readonly [Sign, Sign]])[])

function directionsOf(reading: Reading): Sign[] {
  const { words, clauses, clauseOf } = reading
  const base = clauses.map((): Sign => 1)
  const order = [...clauses].sort((a, b) => depthOf(clauses, a) - depthOf(clauses, b) || a.id - b.id)
  const directions = new Array<Sign>(words.length).fill(1)
  for (const clause of order) {
    base[clause.id] = baseOf(reading, clause, base, directions)
    const own: number[] = []
    for (let i = 0; i < words.length; i++) if (clauseOf[i] === clause.id) own.push(i)
    for (const i of own) directions[i] = base[clause.id]!
    // A negator reaches over what follows it in its clause.
    for (const negator of clause.negators) {
      if (clauseOf[negator] !== clause.id && negator < clause.verb) {
        for (const i of own) if (i >= clause.verb) directions[i] = times(directions[i]!, -1)
        continue
      }
      for (const i of own)
        if (i > negator && !isOutside(words, clause, negator, i)) directions[i] = times(directions[i]!, -1)
    }
    for (const i of own) {
      const rule = DETERMINER_DIRECTIONS.get(words[i]!.norm)
      if (rule === undefined || isBound(words, i)) continue
      const inSubject = i >= clause.subject[0] && i < clause.subject[1]
      const [inside, outside] = rule
      const end = inSubject ? clause.subject[1] : phraseEnd(words, i + 1, false)
      for (const k of own) {
        if (k === i) continue
        if (k > i && k < end) directions[k] = times(directions[k]!, inside)
        else if (inSubject ? k >= end : k < i && k >= clause.verb)
          directions[k] = times(directions[k]!, outside)
        else if (!inSubject && k >= end && inside === -1 && outside === -1)
          directions[k] = times(directions[k]!, outside)
      }
    }
    for (const i of own) {
      const { norm, tag } = words[i]!
      const excludes = EXCLUDERS.has(norm) && tag !== 'C'
      const constituent = tag === '-' && clauses.every(({ negators }) => !negators.includes(i))
      if (
        excludes ||
        constituent ||
        norm === 'than' ||
        ((norm === 'before' || norm === 'until') && tag === 'I')
      ) {
        const end = reach(words, i + 1, constituent)
        for (let k = i + 1; k < end; k++) directions[k] = times(directions[k]!, -1)
      }
      if (norm === 'only' && tag === 'R')
        for (let k = i + 1; k < phraseEnd(words, i + 1, false); k++) directions[k] = 0
    }
    const head = words[clause.head]!
    if (LESSENS.test(head.lemma)) {
      const passive = clause.passive || clause.copula
      for (const k of own) {
        const inSubject = k >= clause.subject[0] && k < clause.subject[1]
        if (passive ? inSubject && clause.passive : k > clause.head) directions[k] = times(directions[k]!, -1)
      }
    }
  }
  return directions
}

/** Outside the reach of the clause's negator: another conjunct, a contrast, an aside. */
function isOutside(words: readonly Word[], clause: Clause, negator: number, i: number): boolean {
  for (let k = Math.max(negator, clause.head) + 1; k <= i; k++) {
    const { norm, tag } = words[k]!
    if (norm === 'but' || (tag === '.' && norm !== ',' && norm !== "'" && norm !== '"')) return true
    if (norm === ',' && k > clause.head) return true
  }
  return false
}

function baseOf(reading: Reading, clause: Clause, base: readonly Sign[], directions: readonly Sign[]): Sign {
  const { words, clauses } = reading
  if (clause.parent < 0) return 1
  const parent = clauses[clause.parent]!
  const outer = base[parent.id] ?? 1
  const inVerb = directions[parent.head] ?? 1
  switch (clause.link) {
    case 'complement': {
      const governor = clause.governor < 0 ? undefined : words[clause.governor]!
      const effect =
        governor === undefined ? undefined : (effectOf(governor.lemma) ?? effectOf(governor.norm))
      const at = clause.governor < 0 ? inVerb : (directions[clause.governor] ?? inVerb)
      if (isDisclaimed(reading, clause)) return times(at, -1)
      if (effect === 'denies') return times(at, -1)
      if (effect === 'presupposes') return 1
      return at
    }
    case 'condition':
    case 'before':
      return times(outer, -1)
    case 'without':
      return times(inVerb, -1)
    case 'relative': {
      const antecedent = clause.start - 1
      return antecedent >= 0 ? (directions[antecedent] ?? outer) : outer
    }
    case 'coordinate':
      return clause.subject[0] === parent.subject[0] && clause.subject[1] > clause.subject[0]
        ? parent.subject[1] > parent.subject[0] && DETERMINER_DIRECTIONS.has(words[parent.subject[0]]!.norm)
          ? inVerb
          : outer
        : outer
    case 'purpose':
      if (
        /^(?:so|order)$/.test(words[clause.start - 1]?.norm ?? '') ||
        words
          .slice(Math.max(0, clause.start - 2), clause.verb + 1)
          .some(({ norm }) => norm === 'so' || norm === 'so_as_to' || norm === 'in_order_to')
      )
        return outer
      return clause.start > parent.head ? inVerb : outer
    case 'adjunct':
      return clause.start > parent.head ? inVerb : outer
    case 'until':
      return times(outer, -1)
    default:
      return outer
  }
}
