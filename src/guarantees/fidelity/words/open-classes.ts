import { AUXILIARIES, anyOf, COORDINATORS, DETERMINERS, PREPOSITIONS, PRONOUNS } from './cues.ts'
import {
  awaitsVerb,
  FINITE_AUXILIARIES,
  followsMany,
  followsSubject,
  goesOnBare,
  hasAuxiliaryAhead,
  hasAuxiliaryNear,
  hasFiniteNext,
  hasOnlyGerunds,
  helperBefore,
  isAsked,
  isNominalNext,
  isSubjectOfLater,
  isVerbAfter,
  lastSaying,
  opensObject,
  opensPhrase,
  previousAuxiliary,
  previousVerb,
  previousVerbInClause,
  watches,
} from './neighbours.ts'
import { classesOf, knows, lemmaOf } from './relations.ts'
import type { Token } from './tokens.ts'
import { formOf, newNoun, newVerb, singularOf, UNCHANGED } from './verb-forms.ts'
import type { Tag, VerbForm, Word } from './word.ts'

/** Verbs after which an adjective says how somebody or something is. */
const LOOKS = anyOf(
  'look feel seem appear sound smell taste become get go turn grow stay remain keep stand prove',
)

const RATES = anyOf('hourly daily nightly weekly biweekly fortnightly monthly quarterly yearly')

/** Forms in -ing that are things wherever nothing shows otherwise: "without warning". */
const THINGS = anyOf(
  'warning meeting building training hearing feeling beginning staging wedding opening ceiling clothing pricing billing branding housing funding spending hosting hiring parking heating lighting plumbing catering seating flooring recording booking listing filing finding earning saving offering pudding setting briefing',
)
/** Of these, those that a noun before them says the kind of: "the board meeting". */
const KINDS = anyOf(
  'warning meeting building training wedding staging ceiling pricing billing branding housing funding spending hosting hiring parking heating lighting plumbing catering seating flooring briefing',
)

/** Verbs that have what is done for their object: stop smoking. */
const GOES_ON = anyOf(
  'start stop begin keep finish continue quit resume avoid consider enjoy like love hate dislike prefer mind risk miss try remember forget regret suggest recommend propose practise practice postpone delay deny admit resist mention imagine discuss involve mean go come need require allow permit forbid prohibit ban help spend find catch see hear watch notice leave give_up keep_on carry_on put_off end_up',
)

/** Offices named before a name, of words that are verbs as well. */
const TITLES = anyOf('judge coach nurse captain guard cook host guide pilot chair lead')

export type As = (tagged: Tag, lemma?: string, form?: VerbForm) => Word

export function open(tokens: readonly Token[], before: readonly Word[], i: number, as: As): Word {
  const norm = tokens[i]!.norm
  const next = tokens[i + 1]?.norm ?? ''
  const last = lastSaying(before)
  const lastTag = last?.tag
  const verb = lemmaOf(norm, 'V') ?? newVerb(norm)
  const form = formOf(norm)
  const noun = lemmaOf(norm, 'N') ?? newNoun(norm)
  const adjective = lemmaOf(norm, 'A')
  const asVerb = () => as('V', verb ?? norm, form === '' ? 'base' : form)
  const asNoun = () => as('N', noun ?? (form === 'ing' ? verb : undefined) ?? singularOf(norm))
  const asAdjective = () => as('A', adjective ?? norm)
  // "Please refrain from", "Judge Moreno"
  if (form === 'base' && verb !== undefined && before.at(-1)?.norm === 'please') return asVerb()
  if (form === 'base' && tokens[i]!.first && tokens[i + 1]?.proper === true && TITLES.has(norm))
    return asNoun()
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
  // "the release notes mention the change": a verb after a plural, with a whole phrase behind it.
  if (
    form === 's' &&
    (lastTag === 'N' || lastTag === 'A') &&
    noun !== undefined &&
    formOf(next) === 'base' &&
    (opensObject(tokens, i + 2) ||
      (classesOf(next)[0] === 'V' && lastTag === 'N' && PREPOSITIONS.has(tokens[i + 2]?.norm ?? ''))) &&
    !previousVerbInClause(before)
  )
    return asNoun()
  if (form === 'base' && lastTag === 'N' && opensObject(tokens, i + 1) && followsMany(before)) return asVerb()
  // "covers hosting and support": a bare form goes on no finite verb.
  if (
    (form === 'base' || (form === 's' && before.at(-2)?.tag === 'N' && !opensObject(tokens, i + 1))) &&
    noun !== undefined &&
    lastTag === 'C' &&
    /^(?:and|or)$/.test(last!.norm) &&
    before.at(-1) === last &&
    /^[NA]$/.test(before.at(-2)?.tag ?? '') &&
    (next === '' ||
      tokens[i + 1]!.kind === 'mark' ||
      (form === 'base' ? PREPOSITIONS : COORDINATORS).has(next)) &&
    (form === 'base' ? !goesOnBare(before) : classesOf(noun)[0] === 'N' && previousVerb(before))
  )
    return asNoun()
  // "covers trains, buses and taxis"
  if (
    form === 's' &&
    noun !== undefined &&
    classesOf(noun)[0] === 'N' &&
    last?.norm === ',' &&
    before.at(-2)?.tag === 'N' &&
    (COORDINATORS.has(next) || next === ',') &&
    previousVerb(before)
  )
    return asNoun()
  // "Wants a window seat", "Hates cilantro": of whoever the line is about.
  if (
    form === 's' &&
    (last === undefined || lastTag === '.') &&
    tokens[i]!.first &&
    !tokens[i]!.proper &&
    (opensObject(tokens, i + 1) ||
      (classesOf(verb ?? '')[0] === 'V' && isNominalNext(tokens, i) && formOf(next) === ''))
  )
    return asVerb()
  // "arriving after ten use the side door"
  if (form === 'base' && lastTag === '#' && DETERMINERS.has(next) && classesOf(verb ?? '')[0] === 'V')
    return asVerb()
  // "made Lena wait"
  if (
    form === 'base' &&
    lastTag === 'N' &&
    classesOf(verb ?? '')[0] === 'V' &&
    last!.proper &&
    /^(?:make|let|help)$/.test(before.findLast(({ tag }) => tag === 'V')?.lemma ?? '') &&
    (next === '' || tokens[i + 1]!.kind === 'mark' || PREPOSITIONS.has(next))
  )
    return asVerb()
  // "neither blue nor green"
  if (form === 'base' && adjective !== undefined && last?.norm === 'nor' && before.at(-2)?.tag === 'A')
    return asAdjective()
  // "Users who skip the email lose access"
  if (
    form === 'base' &&
    lastTag === 'N' &&
    verb !== undefined &&
    classesOf(verb)[0] === 'V' &&
    isNominalNext(tokens, i) &&
    awaitsVerb(before)
  )
    return asVerb()
  // "The key Omar lost opens the shed": two verbs, of which the first is that of a clause about the key.
  if (
    form === 's' &&
    lastTag === 'V' &&
    before.at(-1) === last &&
    (last!.form === 'ing'
      ? before.at(-2)?.tag === 'V'
      : last!.form !== 'base' && /^[NP]$/.test(before.at(-2)?.tag ?? '')) &&
    opensObject(tokens, i + 1)
  )
    return asVerb()
  if (form === 'ing' && lastTag === 'N' && KINDS.has(norm) && !opensObject(tokens, i + 1)) return asNoun()
  // "has read access"
  if ((norm === 'read' || norm === 'write') && /^(?:access|permissions?|rights?)$/.test(next)) return as('N')
  // "Edit rights are limited", "Support staff continue to use it"
  if (
    form === 'base' &&
    noun !== undefined &&
    (last === undefined || lastTag === '.') &&
    tokens[i]!.first &&
    isNominalNext(tokens, i) &&
    !tokens[i + 1]!.proper &&
    (hasAuxiliaryAhead(tokens, i) ||
      (formOf(tokens[i + 2]?.norm ?? '') === 'base' &&
        classesOf(tokens[i + 2]!.norm) === 'V' &&
        tokens[i + 3]?.kind === 'word'))
  )
    return asNoun()
  // "the index rebuild finished at noon"
  if (
    form === 'base' &&
    lastTag === 'N' &&
    formOf(next) === 'ed' &&
    tokens[i + 1]!.kind === 'word' &&
    !isNominalNext(tokens, i + 1) &&
    !previousVerbInClause(before)
  )
    return asNoun()
  // "Built in 1910, the house"
  if (form === 'ed' && opensPhrase(last) && lastTag !== 'C' && PREPOSITIONS.has(next)) return asVerb()
  // "the results look promising"
  if (
    form === 'ing' &&
    lastTag === 'V' &&
    /^(?:look|seem|sound)$/.test(last!.lemma) &&
    (next === '' || tokens[i + 1]!.kind === 'mark')
  )
    return as('A')
  // "Does the plan include breakfast"
  if (form === 'base' && lastTag === 'N' && isAsked(before)) return asVerb()
  if (norm === 'people' || norm === 'staff') return asNoun()
  // "hiring frozen"
  if (
    form === 'ing' &&
    opensPhrase(last) &&
    formOf(next) === 'ed' &&
    (i + 2 >= tokens.length || tokens[i + 2]!.kind === 'mark')
  )
    return asNoun()
  // "Adding an index cut the latency"
  if (
    form === 'base' &&
    lastTag === 'N' &&
    UNCHANGED.has(norm) &&
    opensObject(tokens, i + 1) &&
    hasOnlyGerunds(before)
  )
    return as('V', verb ?? norm, 'ed')
  // "Jobs idle for an hour are killed": what a sentence opens with is no verb where another comes.
  if (
    form === 's' &&
    noun !== undefined &&
    (last === undefined || lastTag === '.') &&
    tokens[i]!.first &&
    hasAuxiliaryAhead(tokens, i)
  )
    return asNoun()
  // "runs faster", "left early"
  if (
    lastTag === 'V' &&
    adjective !== undefined &&
    noun === undefined &&
    knows(adjective, 'R') &&
    !LOOKS.has(last!.lemma) &&
    !isNominalNext(tokens, i)
  )
    return as('R', adjective)
  // "deploy staging": few verbs have an -ing for their object.
  if (
    form === 'ing' &&
    ((lastTag === 'V' && last!.form !== 'ing' && noun !== undefined && !GOES_ON.has(last!.lemma)) ||
      (/^[VI]$/.test(lastTag ?? '') && THINGS.has(norm) && !GOES_ON.has(last!.lemma))) &&
    (next === '' || tokens[i + 1]!.kind === 'mark' || COORDINATORS.has(next) || PREPOSITIONS.has(next))
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
  if (RATES.has(norm)) return isNominalNext(tokens, i) ? as('A') : as('R')
  if (norm.endsWith('ly') && adjective === undefined && noun === undefined && verb === undefined)
    return as('R')
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
    return as('N', singularOf(norm))
  }
  // After an auxiliary, a modal, "to": the verb, if it can be one.
  if (lastTag === 'M' || lastTag === 'T' || (lastTag === '-' && previousAuxiliary(before) === 'M')) {
    if (verb !== undefined) return asVerb()
    // "won't text it": a noun that has an object.
    if (
      adjective === undefined &&
      /^(?:it|them|him|us|me|you)$/.test(next) &&
      !/^(?:s|es)$/.test(norm.slice(-1))
    )
      return as('V', norm, 'base')
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
    return (form === 'base' || form === 's') && noun !== undefined && last!.norm === 'not'
      ? asNoun()
      : asVerb()
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
