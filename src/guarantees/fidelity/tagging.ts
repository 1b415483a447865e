import {
  ADVERBS,
  AUXILIARIES,
  BE,
  COORDINATORS,
  DETERMINERS,
  HAVE,
  MODALS,
  NEGATORS,
  PREPOSITIONS,
  PRONOUNS,
  QUANTIFIERS,
  SUBJECT_PRONOUNS,
  SUBORDINATORS,
} from './cues.ts'
import { classesOf, knows, lemmaOf } from './relations.ts'
import { type Token, tokenize } from './tokens.ts'

/**
 * Noun, verb, adjective, adverb, pronoun, determiner, preposition, coordinator, subordinator, modal, auxiliary,
 * infinitive marker, number, negator, mark.
 */
export type Tag = 'N' | 'V' | 'A' | 'R' | 'P' | 'D' | 'I' | 'C' | 'S' | 'M' | 'X' | 'T' | '#' | '-' | '.'

export interface Word extends Token {
  readonly tag: Tag
  /** Of the class the tag says; the norm where the tables have none. */
  readonly lemma: string
  /** The form of a verb, '' for other words: base, -s, past or participle, -ing. */
  readonly form: VerbForm
}

export type VerbForm = '' | 'base' | 's' | 'ed' | 'ing'

const NUMERALS = new Set(
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half'.split(
    ' ',
  ),
)
const COMPOUND_VERBS =
  /_(?:off|on|down|up|out|back|in|over|against|for|to|with|about|into|of|forward|ahead|away|toward|towards|aside)$/
const COMPOUND_FORM =
  /^[a-z]+(ing)_|^(?:[a-z]+ed|went|took|taken|brought|got|broke|broken|ran|found|left|put|held|gave|given|cut|set|stuck|led)_/

/** Verbs of software that are too new for the tables. */
const NEW_VERBS =
  /^(retry|refactor|reboot|whitelist|allowlist|blocklist|onboard|offboard|autoscale|upsell|deprecate|sync|rebase|upvote|snooze|unsubscribe|backfill|redeploy|reindex|hotfix|rollback|login|email|google|opt|provision|containerize|blacklist|subtweet|dm|ping|cc|unblock|unpin|rerun|resync|paginate|serialize|parse|cache|log|migrate|restart|reschedule|renegotiate|downgrade|upgrade|prioritize|deprioritize|finalize|rename|throttle|toggle|disable|enable|automate|truncate|escalate|rotate|pin|ship)(s|es|ed|d|ing)?$/

function newVerb(norm: string): string | undefined {
  const direct = NEW_VERBS.exec(norm)
  if (direct) return direct[1]
  if (norm.endsWith('ing')) return NEW_VERBS.exec(`${norm.slice(0, -3)}e`)?.[1]
  if (norm.endsWith('ies') || norm.endsWith('ied')) return NEW_VERBS.exec(`${norm.slice(0, -3)}y`)?.[1]
  return undefined
}

const forms = new Map<string, VerbForm>()

function formOf(norm: string): VerbForm {
  const known = forms.get(norm)
  if (known !== undefined) return known
  const form = findForm(norm)
  if (forms.size > 20_000) forms.clear()
  forms.set(norm, form)
  return form
}

function findForm(norm: string): VerbForm {
  const lemma = lemmaOf(norm, 'V') ?? newVerb(norm)
  if (lemma === undefined) return ''
  if (norm.endsWith('ing') && lemma !== norm) return 'ing'
  if (lemma === norm) return norm === 'found' || norm === 'left' ? 'ed' : 'base'
  return norm.endsWith('s') && !norm.endsWith('ss') ? 's' : 'ed'
}

/** Verbs whose past looks like their base. */
const UNCHANGED = new Set(
  'put set cut hit let read cost quit shut split spread hurt cast burst bet run come become overcome'.split(
    ' ',
  ),
)

/** Guesses the class of each word from a dictionary, its ending, and its neighbours. */
export function readWords(text: string): readonly Word[] {
  const tokens = withoutTagQuestions(tokenize(text))
  const words: Word[] = []
  for (let i = 0; i < tokens.length; i++) words.push(tag(tokens, words, i))
  return withCommands(words)
}

/** "…, isn't it?" asks for assent and says nothing. */
function withoutTagQuestions(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter((_, i) => {
    for (let from = Math.max(1, i - 3); from <= i; from++) {
      if (
        tokens[from - 1]!.norm !== ',' ||
        !(AUXILIARIES.has(tokens[from]!.norm) || MODALS.has(tokens[from]!.norm))
      )
        continue
      const negated = tokens[from + 1]?.norm === 'not' ? 1 : 0
      if (
        i <= from + negated + 1 &&
        SUBJECT_PRONOUNS.has(tokens[from + negated + 1]?.norm ?? '') &&
        tokens[from + negated + 2]?.norm === '?'
      )
        return false
    }
    return true
  })
}

/** A sentence without a verb that begins with a bare word before a noun phrase is a command: "Retry five times". */
function withCommands(words: readonly Word[]): readonly Word[] {
  const changed = [...words]
  for (let i = 0; i < words.length; i++) {
    if (!words[i]!.first || words[i]!.tag !== 'N' || words[i]!.proper || words[i]!.kind !== 'word') continue
    const next = words[i + 1]?.tag
    if (
      (next !== 'D' && next !== '#' && next !== 'P') ||
      words[i + 1]!.norm === "'s" ||
      words[i]!.norm.endsWith('s')
    )
      continue
    let k = i + 1
    while (k < words.length && !/^[.!?;\n]$/.test(words[k]!.norm) && !/^[VXMS]$/.test(words[k]!.tag)) k++
    if (/^[VXM]$/.test(words[k]?.tag ?? '')) continue
    changed[i] = { ...words[i]!, tag: 'V', form: 'base', lemma: words[i]!.norm }
  }
  return changed
}

function tag(tokens: readonly Token[], before: readonly Word[], i: number): Word {
  const token = tokens[i]!
  const norm = token.norm
  const as = (tagged: Tag, lemma = norm, form: VerbForm = ''): Word => ({
    text: token.text,
    norm: token.norm,
    start: token.start,
    end: token.end,
    kind: token.kind,
    proper: token.proper,
    first: token.first,
    tag: tagged,
    lemma,
    form,
  })
  if (token.kind === 'mark') return norm === '&' || norm === '+' ? as('C') : as('.')
  if (token.kind === 'number') return as('#')
  if (token.kind === 'code') return as('N')
  const next = tokens[i + 1]?.norm ?? ''
  const last = lastSaying(before)
  if (norm === 'to')
    return (isBase(next) && !(last?.tag === 'N' && afterNext(tokens, i))) ||
      NEGATORS.has(next) ||
      next === 'be' ||
      next === 'have' ||
      (ADVERBS.has(next) && isBase(tokens[i + 2]?.norm ?? ''))
      ? DETERMINERS.has(next)
        ? as('I')
        : as('T')
      : as('I')
  if (norm === 'that') return that(tokens, before, i, as)
  if (NEGATORS.has(norm)) return as('-')
  if (MODALS.has(norm)) return norm === 'can' && last?.tag === 'D' ? as('N') : as('M')
  if (norm === 'will' && last?.tag === 'D') return as('N')
  if (
    norm === 'let' &&
    (next === 'us' || next === 'me') &&
    (last === undefined || last.tag === '.' || last.tag === 'C')
  )
    return as('R')
  if (/^get(?:s|ting)?$|^got$/.test(norm) && formOf(next) !== 'ed')
    return as('V', 'get', norm === 'got' ? 'ed' : norm === 'gets' ? 's' : norm === 'get' ? 'base' : 'ing')
  if ((norm === 'am' || norm === 'pm') && last?.tag === '#') return as('N')
  if (norm === 'please') return as('R')
  if (AUXILIARIES.has(norm))
    return as(
      'X',
      BE.has(norm) ? 'be' : HAVE.has(norm) ? 'have' : 'do',
      norm.endsWith('ing') ? 'ing' : norm === 'be' || norm === 'have' || norm === 'do' ? 'base' : 'ed',
    )
  if (
    norm === 'like' &&
    !(
      last?.tag === 'P' ||
      last?.tag === 'M' ||
      last?.tag === 'X' ||
      last?.tag === '-' ||
      last?.tag === 'R' ||
      last?.tag === 'N'
    )
  )
    return as('I')
  if (
    (norm === 'before' ||
      norm === 'after' ||
      norm === 'until' ||
      norm === 'till' ||
      norm === 'since' ||
      norm === 'as' ||
      norm === 'once') &&
    !opensClause(tokens, i)
  )
    return norm === 'once' ? as('R') : as('I')
  if (SUBORDINATORS.has(norm) && !(norm === 'what' && last === undefined)) return as('S')
  if (COORDINATORS.has(norm))
    return (norm === 'so' || norm === 'yet' || norm === 'then') && last !== undefined && last.tag !== '.'
      ? norm === 'so' && SUBJECT_PRONOUNS.has(next)
        ? as('C')
        : as('R')
      : as('C')
  if (norm.includes('_') && COMPOUND_VERBS.test(norm) && !PREPOSITIONS.has(norm) && !QUANTIFIERS.has(norm))
    return as('V', norm, /^[a-z]+ing_/.test(norm) ? 'ing' : COMPOUND_FORM.test(norm) ? 'ed' : 'base')
  if (
    PREPOSITIONS.has(norm) &&
    !(
      norm === 'like' ||
      norm === 'following' ||
      (norm === 'pending' && last?.tag === 'X') ||
      (norm === 'down' && last?.tag === 'X')
    )
  )
    return as('I')
  if (
    norm === 'her' ||
    norm === 'this' ||
    norm === 'these' ||
    norm === 'those' ||
    norm === 'all' ||
    norm === 'some' ||
    norm === 'each' ||
    norm === 'both' ||
    norm === 'many' ||
    norm === 'most' ||
    norm === 'few' ||
    norm === 'any' ||
    norm === 'another' ||
    norm === 'neither' ||
    norm === 'either'
  )
    return standsAlone(tokens, i) ? as('P') : as('D')
  if (norm === 'little' || norm === 'much')
    return last?.tag === 'D' || (norm === 'little' && last?.tag !== 'V' && last?.tag !== 'X')
      ? as('A')
      : as('D')
  if (DETERMINERS.has(norm)) return as('D')
  if (NUMERALS.has(norm)) return as('#')
  if (PRONOUNS.has(norm)) return as('P')
  if (QUANTIFIERS.has(norm) && norm.includes('_')) return standsAlone(tokens, i) ? as('P') : as('D')
  if (ADVERBS.has(norm) || (norm === 'better' && last?.tag === 'M')) return as('R')
  if (norm.includes('_')) return as(knows(norm, 'V') ? 'V' : knows(norm, 'N') ? 'N' : 'A')
  if (token.proper) return as('N', norm)
  return open(tokens, before, i, as)
}

type As = (tagged: Tag, lemma?: string, form?: VerbForm) => Word

/** The last word that matters to what may follow: adverbs and negators say nothing. */
function lastSaying(before: readonly Word[]): Word | undefined {
  let i = before.length - 1
  while (i >= 0 && before[i]!.tag === 'R' && before[i]!.norm !== 'very') i--
  return before[i]
}

/** "access to prod is": what follows the word after "to" shows that it was a noun. */
const afterNext = (tokens: readonly Token[], i: number) => {
  const word = tokens[i + 1]?.norm ?? ''
  const after = tokens[i + 2]?.norm ?? ''
  return (
    (lemmaOf(word, 'N') !== undefined || classesOf(word) === 'V') &&
    (AUXILIARIES.has(after) || MODALS.has(after))
  )
}

const isBase = (norm: string) => norm === 'be' || norm === 'have' || norm === 'do' || formOf(norm) === 'base'

/** Whether a determiner has no noun after it. */
function standsAlone(tokens: readonly Token[], i: number): boolean {
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
function opensClause(tokens: readonly Token[], i: number): boolean {
  for (let k = i + 1; k < tokens.length && k < i + 9; k++) {
    const { norm, kind } = tokens[k]!
    if (kind === 'mark' || COORDINATORS.has(norm)) return false
    if (k === i + 1 && formOf(norm) === 'ing') return true
    if (AUXILIARIES.has(norm) || MODALS.has(norm)) return true
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

function that(tokens: readonly Token[], before: readonly Word[], i: number, as: As): Word {
  const last = before.at(-1)
  const next = tokens[i + 1]?.norm ?? ''
  if (
    last?.tag === 'C' &&
    !AUXILIARIES.has(next) &&
    before.some(({ tag, norm }) => tag === 'V' || norm === 'that')
  )
    return as('S')
  if (last === undefined || last.tag === '.' || last.tag === 'I' || last.tag === 'C')
    return AUXILIARIES.has(next) || MODALS.has(next) ? as('P') : as('D')
  if (next === '' || tokens[i + 1]?.kind === 'mark') return as('P')
  return as('S')
}

const FINITE_AUXILIARIES = /^(?:is|are|was|were|has|had|will|can|must|should|may|might|could|would|cannot)$/

function open(tokens: readonly Token[], before: readonly Word[], i: number, as: As): Word {
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
  // "Rollback is not required": what a finite auxiliary follows is its subject, no command.
  if (
    form === 'base' &&
    FINITE_AUXILIARIES.test(next) &&
    (last === undefined || lastTag === '.' || lastTag === 'C' || lastTag === 'S')
  )
    return asNoun()
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

/** "Support for Node 16 has been dropped": a finite verb follows that needs a subject. */
function isSubjectOfLater(tokens: readonly Token[], i: number): boolean {
  const next = tokens[i + 1]?.norm ?? ''
  if (!/^(?:for|of|in|on|with|from)$/.test(next) && !AUXILIARIES.has(next) && !MODALS.has(next)) return false
  for (let k = i + 1; k < tokens.length; k++) {
    const { norm, kind } = tokens[k]!
    if (kind === 'mark' || SUBORDINATORS.has(norm) || COORDINATORS.has(norm) || SUBJECT_PRONOUNS.has(norm))
      return false
    if (AUXILIARIES.has(norm) || MODALS.has(norm)) return true
  }
  return false
}

function isNominalNext(tokens: readonly Token[], i: number): boolean {
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

function helperBefore(before: readonly Word[]): string {
  for (let i = before.length - 1; i >= 0; i--) {
    const { tag, lemma } = before[i]!
    if (tag === 'X') return lemma
    if (tag !== 'R' && tag !== '-') return ''
  }
  return ''
}

function previousAuxiliary(before: readonly Word[]): Tag | undefined {
  for (let i = before.length - 1; i >= 0; i--) {
    const { tag } = before[i]!
    if (tag !== 'R' && tag !== '-') return tag
  }
  return undefined
}

function hasAuxiliaryNear(before: readonly Word[]): boolean {
  for (let i = before.length - 1; i >= 0 && i >= before.length - 6; i--) {
    const { tag } = before[i]!
    if (tag === 'X' || tag === 'M') return true
    if (tag === 'S' || tag === '.') return false
  }
  return false
}

const previousVerb = (before: readonly Word[]) => before.some(({ tag }) => tag === 'V')

function previousVerbInClause(before: readonly Word[]): boolean {
  for (let i = before.length - 1; i >= 0; i--) {
    const { tag } = before[i]!
    if (tag === 'V' || tag === 'X' || tag === 'M') return true
    if (tag === '.' || tag === 'S' || tag === 'C') return false
  }
  return false
}

/** A relative clause has had its verb; the clause around it has not. */
function awaitsVerb(before: readonly Word[]): boolean {
  let verbs = 0
  let markers = 0
  for (let i = before.length - 1; i >= 0 && !/^[.!?;]$/.test(before[i]!.norm); i--) {
    const { tag, norm } = before[i]!
    if (tag === 'S' && /^(?:who|which|that)$/.test(norm) && before[i - 1]?.tag === 'N') markers++
    if ((tag === 'X' || tag === 'M' || tag === 'V') && !/^[XM]$/.test(before[i - 1]?.tag ?? '')) verbs++
  }
  return markers > 0 && verbs <= markers
}

const followsSubject = (before: readonly Word[]) => !previousVerbInClause(before)
