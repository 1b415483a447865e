import { AUXILIARIES, DETERMINERS, PREPOSITIONS, PRONOUNS } from './cues.ts'
import {
  awaitsVerb,
  FINITE_AUXILIARIES,
  followsSubject,
  hasAuxiliaryNear,
  hasFiniteNext,
  helperBefore,
  isNominalNext,
  isSubjectOfLater,
  isVerbAfter,
  lastSaying,
  opensPhrase,
  previousAuxiliary,
  previousVerb,
  previousVerbInClause,
  watches,
} from './neighbours.ts'
import { classesOf, knows, lemmaOf } from './relations.ts'
import type { Token } from './tokens.ts'
import { formOf, newVerb, UNCHANGED } from './verb-forms.ts'
import type { Tag, VerbForm, Word } from './word.ts'

export type As = (tagged: Tag, lemma?: string, form?: VerbForm) => Word

export function open(tokens: readonly Token[], before: readonly Word[], i: number, as: As): Word {
  const norm = tokens[i]!.norm
  const next = tokens[i + 1]?.norm ?? ''
  const last = lastSaying(before)
  const lastTag = last?.tag
  const verb = lemmaOf(norm, 'V') ?? newVerb(norm)
  const form = formOf(norm)
  const noun = lemmaOf(norm, 'N')
  const adjective = lemmaOf(norm, 'A')
  const asVerb = () => as('V', verb ?? norm, form === '' ? 'base' : form)
  const asNoun = () => as('N', noun ?? norm)
  const asAdjective = () => as('A', adjective ?? norm)
  // "CSV exports don't work": so it is after another noun.
  if (
    (form === 's' || form === 'base') &&
    noun !== undefined &&
    FINITE_AUXILIARIES.has(next) &&
    (lastTag === 'N' || lastTag === 'A') &&
    !previousVerbInClause(before)
  )
    return asNoun()
  // "Support asked whether", "Support no longer logs in": a verb in the third person or the past follows.
  if (
    form === 'base' &&
    noun !== undefined &&
    (last === undefined || lastTag === '.') &&
    hasFiniteNext(tokens, i)
  )
    return asNoun()
  // "Rollback is not required": what a finite auxiliary follows is its subject, no command.
  if (
    form === 'base' &&
    FINITE_AUXILIARIES.has(next) &&
    (last === undefined || lastTag === '.' || lastTag === 'C' || lastTag === 'S')
  )
    return asNoun()
  // "Feature flags are", "Design wants", "customers in Norway pay in": the verb comes after.
  if (
    form === 'ing' &&
    noun !== undefined &&
    (lastTag === 'N' || opensPhrase(last)) &&
    !previousVerbInClause(before) &&
    (FINITE_AUXILIARIES.has(next) ||
      (formOf(next) === 'ed' && lastTag === 'N') ||
      (formOf(next) === 's' && classesOf(lemmaOf(next, 'V') ?? '')[0] === 'V'))
  )
    return asNoun()
  if (
    form === 'ing' &&
    noun !== undefined &&
    lastTag === 'N' &&
    /^[DAI]$/.test(before.at(-2)?.tag ?? '') &&
    (next === '' || tokens[i + 1]!.kind === 'mark')
  )
    return asNoun()
  // "saw the tenant sign the lease"
  if (form === 'base' && lastTag === 'N' && (DETERMINERS.has(next) || PRONOUNS.has(next)) && watches(before))
    return asVerb()
  if (
    form === 's' &&
    noun !== undefined &&
    FINITE_AUXILIARIES.has(next) &&
    last?.norm !== 'who' &&
    last?.norm !== 'that'
  )
    return asNoun()
  if (
    noun !== undefined &&
    ((form === 'base' && opensPhrase(last)) || (form === 'ing' && (opensPhrase(last) || lastTag === 'S'))) &&
    isVerbAfter(tokens, i)
  )
    return asNoun()
  if (
    form === 's' &&
    lastTag === 'N' &&
    noun !== undefined &&
    classesOf(noun)[0] === 'N' &&
    formOf(next) === 'base' &&
    classesOf(next)[0] === 'V'
  )
    return asNoun()
  if (form === 'ed' && lastTag === 'V' && isNominalNext(tokens, i) && last!.form !== 'ed')
    return asAdjective()
  if (
    form === 's' &&
    lastTag === 'N' &&
    !last!.proper &&
    noun !== undefined &&
    classesOf(noun)[0] === 'N' &&
    before.at(-2)?.tag === 'C' &&
    previousVerb(before)
  )
    return asNoun()
  if (
    form === 'base' &&
    lastTag === 'N' &&
    last!.proper &&
    before.at(-2)?.tag === 'I' &&
    PREPOSITIONS.has(next) &&
    /s$|^those$|^these$/.test(before.at(-3)?.norm ?? '') &&
    verb !== undefined &&
    !previousVerbInClause(before)
  )
    return asVerb()
  if (norm.endsWith('ly') && adjective === undefined && noun === undefined) return as('R')
  if (knows(norm, 'R') && verb === undefined && noun === undefined && adjective === undefined) return as('R')
  if (verb === undefined && noun === undefined && adjective === undefined) {
    if (norm.endsWith('ing') && (lastTag === 'X' || lastTag === 'P'))
      return as('V', norm.replace(/ing$/, ''), 'ing')
    if (norm.endsWith('ed') && (lastTag === 'X' || lastTag === 'P' || lastTag === 'N'))
      return as('V', norm.replace(/e?d$/, ''), 'ed')
    if (
      lastTag === 'M' ||
      lastTag === 'T' ||
      (lastTag === '-' && before.at(-2)?.tag === 'X' && before.at(-2)?.lemma === 'do')
    )
      return as('V', norm, 'base')
    if (/(?:able|ible|ful|less|ous|ive|ic|al|ary)$/.test(norm)) return as('A')
    return as('N')
  }
  // After an auxiliary, a modal, "to": the verb, if it can be one.
  if (lastTag === 'M' || lastTag === 'T' || (lastTag === '-' && previousAuxiliary(before) === 'M')) {
    if (verb !== undefined) return asVerb()
  } else if (lastTag === 'X' || (lastTag === '-' && previousAuxiliary(before) === 'X')) {
    const helper = helperBefore(before)
    if (helper === 'do' && verb !== undefined && form === 'base') return asVerb()
    if (helper === 'have' && verb !== undefined && (form === 'ed' || UNCHANGED.has(norm)))
      return as('V', verb, 'ed')
    if (helper === 'be' && verb !== undefined && (form === 'ing' || form === 'ed')) return asVerb()
    if (helper === 'be' && verb !== undefined && UNCHANGED.has(norm)) return as('V', verb, 'ed')
    if (adjective !== undefined) return asAdjective()
    if (noun !== undefined) return asNoun()
  } else if (lastTag === '-' && verb !== undefined && form !== '') {
    // "her card, not store credit"
    return form === 'base' && noun !== undefined && last!.norm === 'not' ? asNoun() : asVerb()
  }
  const nominal =
    lastTag === 'D' || lastTag === '#' || lastTag === 'I' || (lastTag === 'A' && last!.norm !== 'able')
  if (
    nominal &&
    lastTag === 'A' &&
    noun === undefined &&
    (form === 's' ||
      (form === 'ed' && adjective === undefined && !norm.endsWith('ed') && !previousVerbInClause(before)))
  )
    return asVerb()
  if (nominal) {
    if (form === 'ing' && lastTag === 'I') return asVerb()
    if (
      adjective !== undefined &&
      (noun === undefined || isNominalNext(tokens, i)) &&
      classesOf(adjective) !== ''
    ) {
      if (noun === undefined || classesOf(adjective).indexOf('A') <= classesOf(noun).indexOf('N'))
        return asAdjective()
    }
    if (noun !== undefined) return asNoun()
    if (adjective !== undefined) return asAdjective()
    return form === 'ed' || form === 'ing' ? as('A', verb) : as('N', verb ?? norm)
  }
  if (verb !== undefined) {
    const atStart = last === undefined || lastTag === '.' || lastTag === 'C' || lastTag === 'S'
    if (
      lastTag === 'P' &&
      last!.norm !== 'it' &&
      !/^(?:me|him|them|us|this|these|those|something|anything|nothing|everything|someone|none)$/.test(
        last!.norm,
      )
    )
      return asVerb()
    if (lastTag === 'P')
      return noun !== undefined && form === 'base' && last!.norm === 'this' ? asNoun() : asVerb()
    if (atStart && form === 'base' && noun !== undefined && isSubjectOfLater(tokens, i)) return asNoun()
    if (
      atStart &&
      form === 'base' &&
      (noun === undefined ||
        DETERMINERS.has(next) ||
        PRONOUNS.has(next) ||
        classesOf(verb)[0] === 'V' ||
        (AUXILIARIES.has(next) === false && PREPOSITIONS.has(next) && classesOf(norm)[0] === 'V'))
    )
      return lastTag === 'S' ||
        (last !== undefined &&
          lastTag === 'C' &&
          noun !== undefined &&
          !DETERMINERS.has(next) &&
          !previousVerb(before))
        ? noun !== undefined
          ? asNoun()
          : asVerb()
        : asVerb()
    if (lastTag === 'N' || lastTag === 'R' || lastTag === '.' || lastTag === 'C' || lastTag === 'S') {
      if (form === 'ed')
        return hasAuxiliaryNear(before) && adjective !== undefined && isNominalNext(tokens, i)
          ? asAdjective()
          : asVerb()
      if (form === 'ing' && (noun === undefined || lastTag === 'N' || lastTag === 'C' || atStart))
        return asVerb()
      if (
        form === 's' &&
        !(noun !== undefined && previousVerbInClause(before)) &&
        (noun === undefined || followsSubject(before) || classesOf(verb)[0] === 'V')
      )
        return noun !== undefined && previousVerbInClause(before) && !DETERMINERS.has(next)
          ? asNoun()
          : asVerb()
      if (
        form === 'base' &&
        lastTag === 'N' &&
        (!previousVerbInClause(before) || awaitsVerb(before)) &&
        (/s$/.test(last!.norm) || last!.lemma !== last!.norm) &&
        (DETERMINERS.has(next) ||
          PRONOUNS.has(next) ||
          PREPOSITIONS.has(next) ||
          next === '' ||
          classesOf(verb)[0] === 'V')
      )
        return asVerb()
    }
    if (lastTag === 'V' && form === 'ing') return asVerb()
  }
  if (adjective !== undefined && (noun === undefined || classesOf(adjective)[0] === 'A')) return asAdjective()
  if (noun !== undefined && !(verb !== undefined && classesOf(verb)[0] === 'V' && noun === undefined))
    return asNoun()
  if (adjective !== undefined) return asAdjective()
  if (form === 'base' && (lastTag === 'N' || lastTag === 'V') && previousVerbInClause(before))
    return as('N', verb ?? norm)
  return asVerb()
}
