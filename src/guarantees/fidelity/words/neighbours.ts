import {
  ADVERBS,
  AUXILIARIES,
  anyOf,
  COORDINATORS,
  DETERMINERS,
  MODALS,
  NEGATORS,
  PREPOSITIONS,
  PRONOUNS,
  SUBJECT_PRONOUNS,
  SUBORDINATORS,
} from './cues.ts'
import { classesOf, knows, lemmaOf } from './relations.ts'
import type { Token } from './tokens.ts'
import { COMPOUND_FORM, formOf } from './verb-forms.ts'
import type { Tag, Word } from './word.ts'

/** The last word that matters to what may follow: adverbs and negators say nothing. */
export function lastSaying(before: readonly Word[]): Word | undefined {
  let i = before.length - 1
  while (i >= 0 && before[i]!.tag === 'R' && before[i]!.norm !== 'very') i--
  return before[i]
}

/** "access to prod is": what follows the word after "to" shows that it was a noun. */
export const afterNext = (tokens: readonly Token[], i: number) => {
  const word = tokens[i + 1]?.norm ?? ''
  const after = tokens[i + 2]?.norm ?? ''
  return (
    (lemmaOf(word, 'N') !== undefined || classesOf(word) === 'V') &&
    (AUXILIARIES.has(after) || MODALS.has(after))
  )
}

/** The last verb has a bare infinitive for its object's part. */
export function watches(before: readonly Word[]): boolean {
  const verb = before.findLast(({ tag }) => tag === 'V')
  return verb !== undefined && /^(?:see|hear|watch|let|make|help|notice|have)$/.test(verb.lemma)
}

export const opensPhrase = (last: Word | undefined) =>
  last === undefined || last.tag === '.' || last.tag === 'C'

/** "goes to finance,": a word that is a noun first, with nothing behind it. */
export function isNounAlone(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at]
  const after = tokens[at + 1]
  return (
    word !== undefined &&
    lemmaOf(word.norm, 'N') !== undefined &&
    (after === undefined ||
      after.kind === 'mark' ||
      COORDINATORS.has(after.norm) ||
      SUBORDINATORS.has(after.norm))
  )
}

/** Whether a determiner has no noun after it. */
export function standsAlone(tokens: readonly Token[], i: number): boolean {
  const next = tokens[i + 1]
  if (next === undefined || next.kind === 'mark') return true
  const norm = next.norm
  return (
    norm === 'of' ||
    AUXILIARIES.has(norm) ||
    MODALS.has(norm) ||
    NEGATORS.has(norm) ||
    (PREPOSITIONS.has(norm) && norm !== 'over') ||
    (COORDINATORS.has(norm) && norm !== 'so') ||
    SUBORDINATORS.has(norm)
  )
}

/** "before the replica has caught up" has a verb of its own; "before the meeting" has not. */
export function opensClause(tokens: readonly Token[], i: number): boolean {
  for (let k = i + 1; k < tokens.length && k < i + 9; k++) {
    const { norm, kind } = tokens[k]!
    if (kind === 'mark' || COORDINATORS.has(norm)) return false
    if (k === i + 1 && formOf(norm) === 'ing') return true
    if (AUXILIARIES.has(norm) || MODALS.has(norm)) return true
    if (k > i + 1 && norm.includes('_') && COMPOUND_FORM.test(norm)) return true
    if (SUBORDINATORS.has(norm) && k > i + 1) return false
    const form = formOf(norm)
    if (
      k > i + 1 &&
      (form === 's' || form === 'ed') &&
      !(knows(lemmaOf(norm, 'N') ?? '', 'N') && classesOf(lemmaOf(norm, 'V') ?? '')[0] !== 'V')
    )
      return true
    if (k > i + 1 && form === 'base' && SUBJECT_PRONOUNS.has(tokens[k - 1]!.norm)) return true
    if (k > i + 1 && SUBJECT_PRONOUNS.has(norm) && norm !== 'it' && norm !== 'you') return false
  }
  return false
}

export const FINITE_AUXILIARIES: ReadonlySet<string> = new Set(
  'is are was were do does did has had will can must should may might could would cannot'.split(' '),
)

/** A finite verb right after, adverbs aside, that is not itself part of a noun phrase. */
export function hasFiniteNext(tokens: readonly Token[], i: number): boolean {
  let k = i + 1
  while (ADVERBS.has(tokens[k]?.norm ?? '') || NEGATORS.has(tokens[k]?.norm ?? '')) k++
  const found = tokens[k]
  if (found === undefined || found.kind !== 'word') return false
  if (found.norm.includes('_') && COMPOUND_FORM.test(found.norm)) return true
  const form = formOf(found.norm)
  if (form !== 's' && form !== 'ed') return false
  if (lemmaOf(found.norm, 'V') === undefined || (form === 's' && k === i + 1)) return false
  const after = tokens[k + 1]?.norm ?? ''
  return (
    DETERMINERS.has(after) || PRONOUNS.has(after) || SUBORDINATORS.has(after) || (k > i + 1 && form === 's')
  )
}

/** "Support for Node 16 has been dropped": a finite verb follows that needs a subject. */
export function isSubjectOfLater(tokens: readonly Token[], i: number): boolean {
  const next = tokens[i + 1]?.norm ?? ''
  // "Support and Sales disagree"
  if (
    /^(?:and|or)$/.test(next) &&
    tokens[i + 2] !== undefined &&
    lemmaOf(tokens[i + 2]!.norm, 'N') !== undefined
  ) {
    const after = tokens[i + 3]?.norm ?? ''
    return (
      AUXILIARIES.has(after) ||
      MODALS.has(after) ||
      (formOf(after) === 'base' && lemmaOf(after, 'V') !== undefined)
    )
  }
  if (!/^(?:for|of|in|on|with|from)$/.test(next) && !AUXILIARIES.has(next) && !MODALS.has(next)) return false
  for (let k = i + 1; k < tokens.length; k++) {
    const { norm, kind } = tokens[k]!
    if (kind === 'mark' || SUBORDINATORS.has(norm) || COORDINATORS.has(norm) || SUBJECT_PRONOUNS.has(norm))
      return false
    if (AUXILIARIES.has(norm) || MODALS.has(norm)) return true
  }
  return false
}

/** "Design wants", "feature flags are": behind the word a finite verb that is no noun, or a plural before "are". */
export function isVerbAfter(tokens: readonly Token[], i: number): boolean {
  const next = tokens[i + 1]
  if (next?.kind !== 'word') return false
  const after = tokens[i + 2]
  if (after?.norm === ':') return lemmaOf(next.norm, 'N') !== undefined
  if (formOf(next.norm) !== 's') return false
  if (FINITE_AUXILIARIES.has(after?.norm ?? '')) return true
  return (
    classesOf(lemmaOf(next.norm, 'V') ?? '')[0] === 'V' &&
    after !== undefined &&
    (DETERMINERS.has(after.norm) || PREPOSITIONS.has(after.norm) || after.norm === 'to' || after.proper)
  )
}

/** A whole noun phrase begins here: "the change", "two approvals", "them". */
export function opensObject(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]
  if (token === undefined) return false
  const { norm, kind } = token
  if (kind === 'number' || COUNTS.has(norm)) return true
  return !/^(?:'s|that|which|who)$/.test(norm) && (DETERMINERS.has(norm) || PRONOUNS.has(norm))
}

const COUNTS = anyOf('two three four five six seven eight nine ten twelve twenty')

/** A finite auxiliary follows before the sentence is cut by a mark or another clause. */
export function hasAuxiliaryAhead(tokens: readonly Token[], i: number): boolean {
  for (let k = i + 1; k < tokens.length && k < i + 10; k++) {
    const { norm, kind } = tokens[k]!
    if (kind === 'mark' || SUBORDINATORS.has(norm) || SUBJECT_PRONOUNS.has(norm) || COORDINATORS.has(norm))
      return false
    if (FINITE_AUXILIARIES.has(norm)) return k > i + 1
  }
  return false
}

/** "Adding the index …": the sentence's only verb so far opens its subject. */
export function hasOnlyGerunds(before: readonly Word[]): boolean {
  for (let i = before.length - 1; i >= 0; i--) {
    const { tag, form, norm } = before[i]!
    if ((tag === 'V' && form !== 'ing') || tag === 'X' || tag === 'M') return false
    if (tag === 'S' || (tag === '.' && norm !== ',')) return true
  }
  return true
}

/** The sentence began with "does" or "can" and has had no verb since. */
export function isAsked(before: readonly Word[]): boolean {
  let i = before.length - 1
  while (i >= 0 && /^[NADP#]$/.test(before[i]!.tag)) i--
  const opener = before[i]
  return opener?.first === true && (opener.tag === 'M' || (opener.tag === 'X' && opener.lemma === 'do'))
}

/** The verb before is a bare form itself, so that another may go on with it: "can read and write". */
export function goesOnBare(before: readonly Word[]): boolean {
  for (let i = before.length - 1; i >= 0; i--) {
    const { tag, form } = before[i]!
    if (tag === 'V') return form === 'base'
    if (tag === 'M' || tag === 'S') return true
    if (tag === 'X') return false
  }
  return true
}

/** What comes before is a subject of several without its verb: "the tests", "Ana and Ben". */
export function followsMany(before: readonly Word[]): boolean {
  let joined = false
  for (let i = before.length - 1; i >= 0; i--) {
    const { tag, norm } = before[i]!
    if (tag === 'C' && /^(?:and|or|nor|&)$/.test(norm)) joined = true
    else if (tag === 'V' || tag === 'X' || tag === 'M') return false
    else if (tag === 'S' || (tag === '.' && norm !== ',') || (tag === 'C' && norm !== 'but')) break
  }
  return joined || /[^s]s$/.test(before.at(-1)!.norm)
}

export function isNominalNext(tokens: readonly Token[], i: number): boolean {
  const next = tokens[i + 1]
  if (next === undefined || next.kind === 'mark') return false
  const { norm } = next
  if (
    AUXILIARIES.has(norm) ||
    MODALS.has(norm) ||
    PREPOSITIONS.has(norm) ||
    COORDINATORS.has(norm) ||
    SUBORDINATORS.has(norm) ||
    NEGATORS.has(norm) ||
    norm === 'to' ||
    DETERMINERS.has(norm) ||
    PRONOUNS.has(norm)
  )
    return false
  if (
    lemmaOf(norm, 'V') !== undefined &&
    lemmaOf(norm, 'N') === undefined &&
    lemmaOf(norm, 'A') === undefined
  )
    return false
  return (
    next.kind !== 'word' ||
    next.proper ||
    lemmaOf(norm, 'N') !== undefined ||
    lemmaOf(norm, 'A') !== undefined ||
    classesOf(norm) === ''
  )
}

export function helperBefore(before: readonly Word[]): string {
  for (let i = before.length - 1; i >= 0; i--) {
    const { tag, lemma } = before[i]!
    if (tag === 'X') return lemma
    if (tag !== 'R' && tag !== '-') return ''
  }
  return ''
}

export function previousAuxiliary(before: readonly Word[]): Tag | undefined {
  for (let i = before.length - 1; i >= 0; i--) {
    const { tag } = before[i]!
    if (tag !== 'R' && tag !== '-') return tag
  }
  return undefined
}

export function hasAuxiliaryNear(before: readonly Word[]): boolean {
  for (let i = before.length - 1; i >= 0 && i >= before.length - 6; i--) {
    const { tag } = before[i]!
    if (tag === 'X' || tag === 'M') return true
    if (tag === 'S' || tag === '.') return false
  }
  return false
}

export const previousVerb = (before: readonly Word[]) => before.some(({ tag }) => tag === 'V')

/** Verbs after which a clause may begin without "that". */
const CLAUSAL = anyOf(
  'think say believe know claim hope suspect guess assume feel confirm find_out mean wish suppose notice realize realise argue insist worry swear imagine reckon doubt',
)

export function previousVerbInClause(before: readonly Word[]): boolean {
  for (let i = before.length - 1; i >= 0; i--) {
    const { tag, lemma } = before[i]!
    // "thinks the leak comes from"
    if (tag === 'V' && CLAUSAL.has(lemma) && /^[DNP]$/.test(before[i + 1]?.tag ?? '')) return false
    if (tag === 'V' || tag === 'X' || tag === 'M') return true
    if (tag === '.' || tag === 'S' || tag === 'C') return false
  }
  return false
}

/** A relative clause has had its verb; the clause around it has not. */
export function awaitsVerb(before: readonly Word[]): boolean {
  let verbs = 0
  let markers = 0
  for (let i = before.length - 1; i >= 0 && !/^[.!?;]$/.test(before[i]!.norm); i--) {
    const { tag, norm } = before[i]!
    if (tag === 'S' && /^(?:who|which|that)$/.test(norm) && before[i - 1]?.tag === 'N') markers++
    if ((tag === 'X' || tag === 'M' || tag === 'V') && !/^[XM]$/.test(before[i - 1]?.tag ?? '')) verbs++
  }
  return markers > 0 && verbs <= markers
}

export const followsSubject = (before: readonly Word[]) => !previousVerbInClause(before)
