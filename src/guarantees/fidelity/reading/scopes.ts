import { type Amount, anyOf, EXCLUDERS, NEGATIVE_NOUNS, QUANTIFIERS } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import type { Clause, Reading } from './clauses.ts'
import { deniesItsObject, effectOf } from './operators.ts'
import {
  isBound,
  isDisclaimed,
  isTooMuch,
  isWithNo,
  type Sign,
  type Stance,
  stanceOf,
  times,
} from './stances.ts'

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

/** Negation, certainty, obligation and monotonicity over a reading. */
export function scopesOf(reading: Reading): Scopes {
  const { words, clauses } = reading
  const stances: Stance[] = []
  const order = outerFirst(clauses)
  for (const clause of order) stances[clause.id] = stanceOf(reading, clause, stances)
  const signs = signsOf(reading, stances)
  const { amounts, quantifiers } = amountsOf(words)
  return {
    stances,
    signs,
    directions: directionsOf(reading, order),
    amounts,
    quantifiers,
  }
}

function outerFirst(clauses: readonly Clause[]): readonly Clause[] {
  if (clauses.length < 2) return clauses
  const depths = clauses.map((clause) => depthOf(clauses, clause))
  return [...clauses].sort((a, b) => depths[a.id]! - depths[b.id]! || a.id - b.id)
}

function depthOf(clauses: readonly Clause[], clause: Clause): number {
  let depth = 0
  for (let at = clause; at.parent >= 0 && depth < 12; at = clauses[at.parent]!) depth++
  return depth
}

function signsOf(reading: Reading, stances: readonly Stance[]): Sign[] {
  const { words, clauses, clauseOf } = reading
  const signs = words.map((_, i): Sign => stances[clauseOf[i]!]?.sign ?? 1)
  for (let i = 0; i < words.length; i++) {
    const { norm, tag } = words[i]!
    // "without the cache", "not on underscore", "rather than Monday"
    const excludes =
      EXCLUDERS.has(norm) && (tag === 'I' || tag === 'V' || (/[AN]/.test(tag) && norm !== 'unlike'))
    const constituent =
      tag === '-' &&
      clauses.every(({ negators }) => !negators.includes(i)) &&
      !(norm === 'nor' && clauses[clauseOf[i]!]?.negators.some((at) => words[at]!.norm === 'neither'))
    if (excludes || constituent || isWithNo(words, i))
      for (
        let k = i + 1, end = CHOOSING.has(norm) ? choiceEnd(words, i + 1) : reach(words, i + 1, constituent);
        k < end;
        k++
      )
        if (clauses[clauseOf[k]!]?.link !== 'without') signs[k] = signs[k] === 0 ? -1 : (-signs[k]! as Sign)
    if (norm === 'nor' && tag === '-') {
      signs[i] = -1
      // "plays neither piano nor guitar"
      if (/^[DAN#]$/.test(words[i + 1]?.tag ?? '') && words[i - 2]?.norm === 'neither')
        for (let k = i + 1, end = phraseEnd(words, k, true); k < end; k++) signs[k] = -1
    }
  }
  for (const clause of clauses) {
    // "is off dairy": has none.
    const off = offIn(words, clause)
    if (off >= 0)
      for (let k = off + 1; /^[NA]$/.test(words[k]?.tag ?? '') && !words[k]!.norm.includes('_'); k++)
        if (!TIMES.test(words[k]!.norm)) signs[k] = (-signs[k]! || 0) as Sign
    const head = words[clause.head]!
    if (!deniesItsObject(head.lemma) && !deniesItsObject(head.norm)) continue
    const range =
      clause.passive || clause.copula || lacksObject(reading, clause)
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

const TIMES = /^(?:today|tonight|tomorrow|now|again|sick|ill|work|duty|.+day)$/

/** "off" right behind "is" or "has been". */
function offIn(words: readonly Word[], { verb, copula }: Clause): number {
  if (!copula) return -1
  for (let i = verb + 1; i <= verb + 2; i++)
    if (words[i]?.norm === 'off') return words[i - 1]!.lemma === 'be' ? i : -1
  return -1
}

/** "The migration failed on the replica", "the index is missing": said of the subject. */
function lacksObject({ words, clauses, clauseOf }: Reading, clause: Clause): boolean {
  if (clause.subject[0] === clause.subject[1]) return false
  for (let i = clause.head + 1; i < words.length && clauseOf[i] === clause.id; i++) {
    const { tag } = words[i]!
    if (tag === 'I' || tag === '.') break
    if (tag !== 'R') return false
  }
  return clauses.every(({ governor }) => governor !== clause.head)
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

const CHOOSING = anyOf('instead_of rather_than as_opposed_to')

/** "marble instead of granite for the counter": what is for both stands behind the second choice. */
function choiceEnd(words: readonly Word[], from: number): number {
  const end = phraseEnd(words, from, false)
  for (let i = from + 1; i < end; i++)
    if (words[i]!.tag === 'I' && words[i]!.norm !== 'of' && /^[N#]$/.test(words[i - 1]!.tag)) return i
  return end
}

function amountsOf(words: readonly Word[]): {
  amounts: (Amount | undefined)[]
  quantifiers: number[]
} {
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
const LESSENS = anyOf(
  'lack avoid refuse decline deny doubt prohibit forbid ban prevent disallow exclude refrain fail neglect oppose reject hate shun preclude',
)

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
    'hardly_anyone',
    'hardly_anybody',
    'barely_any',
    'barely_anyone',
    'virtually_no',
    'almost_no',
    'almost_none',
    'almost_nobody',
    'almost_nothing',
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
    'many',
    'majority',
    'a_majority_of',
    'almost_all',
    'nearly_all',
    'virtually_all',
    'almost_every',
    'nearly_every',
    'almost_everyone',
    'nearly_everyone',
    'almost_everybody',
    'almost_everything',
    'nearly_everything',
  ].map((w) => [w, [0, 1]] as const),
  ...['not_all', 'not_every', 'not_everyone', 'not_everybody', 'not_everything'].map(
    (w) => [w, [1, -1]] as const,
  ),
] as (readonly [string, readonly [Sign, Sign]])[])

/** Where nothing denies or asks, of whatever there is: every. */
const FREE = /^(?:any|any(?:one|body|thing)|who(?:m?)ever|what(?:so)?ever|whichever)$/

/** Before a number, these say neither more nor fewer. */
const EXACT = anyOf('exactly precisely only just')
const isCount = (word: Word | undefined) => word?.tag === '#' || word?.norm === 'half'

function ruleAt(words: readonly Word[], i: number): readonly [Sign, Sign] | undefined {
  const { norm } = words[i]!
  // "at most half": the bound decides, not the share.
  if (norm === 'half' && DETERMINER_DIRECTIONS.has(words[i - 1]?.norm ?? '')) return undefined
  if (isWithNo(words, i)) return [-1, 1]
  if (EXACT.has(norm)) return isCount(words[i + 1]) ? [0, 0] : undefined
  return DETERMINER_DIRECTIONS.get(norm)
}

/** "Any visitor may enter", "you can take any bus". */
function isFree({ words }: Reading, { subject, modals, question, link }: Clause, i: number): boolean {
  if (question || link !== 'main' || words.some(({ tag, norm }) => tag === '-' || NEGATIVE_NOUNS.has(norm)))
    return false
  return i === subject[0] || modals.some((at) => /^(?:can|may|will)$/.test(words[at]!.norm))
}

function withSubject(own: readonly number[], { subject }: Clause): readonly number[] {
  const [from, to] = subject
  if (from === to || own.includes(from)) return own
  return [...Array.from({ length: to - from }, (_, k) => from + k), ...own]
}

function directionsOf(reading: Reading, order: readonly Clause[]): Sign[] {
  const { words, clauses, clauseOf } = reading
  const base = clauses.map((): Sign => 1)
  const directions = new Array<Sign>(words.length).fill(1)
  for (const clause of order) {
    base[clause.id] = baseOf(reading, clause, base, directions)
    const own = reading.wordsOf[clause.id]!
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
    // What a conjunct says of a subject it shares stands under the determiners of that subject as well.
    for (const i of withSubject(own, clause)) {
      const rule = ruleAt(words, i)
      if (rule === undefined || isBound(words, i)) continue
      // "Only 12": an adverb in front of the subject stands outside it.
      const inSubject = (i >= clause.subject[0] || i + 1 === clause.subject[0]) && i < clause.subject[1]
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
      const excludes =
        EXCLUDERS.has(norm) &&
        tag !== 'C' &&
        (norm !== 'unlike' || tag === 'I') &&
        !(clause.link === 'without' && i < clause.verb)
      const constituent = tag === '-' && clauses.every(({ negators }) => !negators.includes(i))
      if (
        excludes ||
        constituent ||
        norm === 'than' ||
        ((norm === 'before' || norm === 'until') && tag === 'I') ||
        (norm === 'against' && clause.copula && i === clause.head + 1) ||
        (norm === 'against' && clause.copula && i === clause.verb + 1)
      ) {
        const end = reach(words, i + 1, constituent)
        for (let k = i + 1; k < end; k++) directions[k] = times(directions[k]!, -1)
      }
      if (norm === 'only' && tag === 'R')
        for (let k = i + 1, end = phraseEnd(words, i + 1, false); k < end; k++) directions[k] = 0
    }
    for (const i of own)
      if (FREE.test(words[i]!.norm) && words[i]!.tag !== 'S' && isFree(reading, clause, i))
        for (let k = i + 1; k < phraseEnd(words, i + 1, false) && clauseOf[k] === clause.id; k++)
          directions[k] = times(directions[k]!, -1)
    const head = words[clause.head]!
    if (LESSENS.has(head.lemma)) {
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
      if (effect === 'presupposes' || (clause.finite && governor?.lemma === 'forget')) return 1
      if (effect === 'denies') return times(at, -1)
      return at
    }
    case 'condition':
    case 'before':
      return times(outer, -1)
    case 'without':
      return times(inVerb, -1)
    case 'relative': {
      const antecedent = clause.start - 1
      if (antecedent < 0) return outer
      const { norm } = words[antecedent]!
      // "nobody who", "anyone who", "those who": the clause is what they are restricted to.
      const inside = norm === 'those' || FREE.test(norm) ? -1 : (DETERMINER_DIRECTIONS.get(norm)?.[0] ?? 1)
      return times(directions[antecedent] ?? outer, inside)
    }
    case 'coordinate':
      return clause.subject[0] === parent.subject[0] && clause.subject[1] > clause.subject[0]
        ? parent.subject[1] > parent.subject[0] && DETERMINER_DIRECTIONS.has(words[parent.subject[0]]!.norm)
          ? inVerb
          : outer
        : outer
    case 'time':
      return words[clause.start]?.norm === 'whenever' ? times(outer, -1) : outer
    case 'purpose':
      if (
        isTooMuch(words, parent, clause) ||
        /^(?:hard|difficult|tough|impossible)$/.test(words[clause.start - 1]?.norm ?? '')
      )
        return times(inVerb, -1)
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
