import {
  ADVERBS,
  AUXILIARIES,
  anyOf,
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
import { phrasalLemma } from './phrases.ts'
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

const DETESTS = /^(?:can|could)_not_(?:stand|bear|abide)$/

/** "the flag is off", "is on in production": a particle that is what is said. */
function isPredicate(tokens: readonly Token[], before: readonly Word[], i: number): boolean {
  if (helperBefore(before) !== 'be' && !/^(?:stay|remain)$/.test(lastSaying(before)?.lemma ?? ''))
    return false
  const next = tokens[i + 1]
  return (
    next === undefined ||
    next.kind === 'mark' ||
    /^(?:in|on|for|by|at|since|until|again|and|but|or|because|when|while|now|today|yet|anymore)$/.test(
      next.norm,
    )
  )
}

function compoundForm(norm: string, base: string | undefined): VerbForm {
  if (/^[a-z]+ing_/.test(norm)) return 'ing'
  if (COMPOUND_FORM.test(norm)) return 'ed'
  if (base === undefined || norm === base) return 'base'
  return /^[a-z]+s_/.test(norm) ? 's' : 'ed'
}

/** Verbs of software that are too new for the tables. */
const NEW_VERBS = new Set(
  'retry|refactor|reboot|whitelist|allowlist|blocklist|onboard|offboard|autoscale|upsell|deprecate|sync|rebase|upvote|snooze|unsubscribe|backfill|redeploy|reindex|hotfix|rollback|login|email|google|opt|provision|containerize|blacklist|subtweet|dm|ping|cc|unblock|unpin|rerun|resync|paginate|serialize|parse|cache|log|migrate|restart|reschedule|renegotiate|downgrade|upgrade|prioritize|deprioritize|finalize|rename|throttle|toggle|disable|enable|automate|truncate|escalate|rotate|pin|ship'.split(
    '|',
  ),
)

function newVerb(norm: string): string | undefined {
  const direct = newVerbOf(norm)
  if (direct !== undefined) return direct
  if (norm.endsWith('ing')) return newVerbOf(`${norm.slice(0, -3)}e`)
  if (norm.endsWith('ies') || norm.endsWith('ied')) return newVerbOf(`${norm.slice(0, -3)}y`)
  return undefined
}

function newVerbOf(form: string): string | undefined {
  if (NEW_VERBS.has(form)) return form
  for (const ending of ['s', 'es', 'ed', 'd', 'ing'])
    if (form.endsWith(ending) && NEW_VERBS.has(form.slice(0, -ending.length)))
      return form.slice(0, -ending.length)
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
  return withVerbs(withCommands(words))
}

/** "…, isn't it?" asks for assent and says nothing. */
function withoutTagQuestions(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(({ norm }) => norm === '?')) return tokens
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
    if (WEEKDAYS.has(words[i]!.norm)) continue
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

const ENDS: ReadonlySet<string> = new Set(['.', '!', '?', ';', ':', '\n'])

/** "Every road to the left leads …": a sentence that opens with a determiner has a verb; the first word fit for one. */
function withVerbs(words: readonly Word[]): readonly Word[] {
  const changed = [...words]
  for (let from = 0; from < words.length; ) {
    let to = from
    while (to < words.length && !ENDS.has(words[to]!.norm)) to++
    const opener = words[from]!
    if (
      (opener.tag === 'D' || (opener.tag === 'N' && opener.proper)) &&
      !words.slice(from, to).some(({ tag }) => /^[VXMS]$/.test(tag))
    ) {
      const at = verbIn(words, from, to)
      if (at > 0) {
        const { norm } = words[at]!
        changed[at] = { ...words[at]!, tag: 'V', form: formOf(norm), lemma: lemmaOf(norm, 'V') ?? norm }
        const before = words[at - 1]!
        if (before.tag === 'A' && lemmaOf(before.norm, 'N') !== undefined)
          changed[at - 1] = { ...before, tag: 'N' }
      }
    }
    from = to + 1
  }
  return changed
}

function verbIn(words: readonly Word[], from: number, to: number): number {
  for (let i = from + (words[from]!.tag === 'D' ? 2 : 1); i < to; i++) {
    const { tag, norm, proper, kind } = words[i]!
    if (tag !== 'N' || proper || kind !== 'word' || !/^[NA]$/.test(words[i - 1]!.tag)) continue
    const form = formOf(norm)
    const next = i + 1 < to ? words[i + 1]!.tag : '.'
    if ((form === 'ed' || form === 's') && /^[DPI#TR.]$/.test(next)) return i
    const before = words[i - 1]!
    if (
      form === 'base' &&
      /^[DP#]$/.test(next) &&
      (before.norm.endsWith('s') || (before.proper && UNCHANGED.has(norm)))
    )
      return i
  }
  return -1
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
  if (!isListed(norm) && token.text !== 'IT') return token.proper ? as('N') : open(tokens, before, i, as)
  const next = tokens[i + 1]?.norm ?? ''
  const last = lastSaying(before)
  if (norm === 'alone' || norm === 'upstairs' || norm === 'downstairs') return as('R')
  if (norm === 'versus' || norm === 'vs') return as('I')
  if (norm.includes('_') && /^(?:almost|nearly|hardly|barely|virtually)_\w+(?:one|body|thing)$/.test(norm))
    return as('P')
  // "neither copy contains it"
  if (
    norm === 'neither' &&
    lemmaOf(next, 'N') !== undefined &&
    !tokens.slice(i, i + 9).some((other) => other.norm === 'nor')
  )
    return as('D')
  if (
    token.text === 'IT' ||
    WEEKDAYS.has(norm) ||
    (norm === 'may' && token.proper && (last?.tag === 'I' || last?.tag === '#'))
  )
    return as('N')
  if (norm === 'to' && last?.tag === 'V' && HANDING.has(last.lemma) && isNounAlone(tokens, i + 1))
    return as('I')
  if (
    (norm === 'first' || norm === 'last' || norm === 'next') &&
    opensPhrase(last) &&
    next !== "'s" &&
    (DETERMINERS.has(next) ||
      (norm === 'first' && isBase(next) && DETERMINERS.has(tokens[i + 2]?.norm ?? '')))
  )
    return as('R')
  if (norm === 'to')
    return phrasalLemma(next) === next ||
      (isBase(next) && !(last?.tag === 'N' && afterNext(tokens, i))) ||
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
  if ((norm === 'got' || norm === 'get' || norm === 'gets' || norm === 'getting') && formOf(next) !== 'ed')
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
  const joined = norm.includes('_')
  const phrasal = joined ? (phrasalLemma(norm) ?? (DETESTS.test(norm) ? norm : undefined)) : undefined
  if (
    phrasal !== undefined ||
    (joined && COMPOUND_VERBS.test(norm) && !PREPOSITIONS.has(norm) && !QUANTIFIERS.has(norm))
  )
    return as('V', phrasal ?? norm, compoundForm(norm, phrasal))
  if (
    PREPOSITIONS.has(norm) &&
    !(
      norm === 'like' ||
      norm === 'following' ||
      (norm === 'pending' && last?.tag === 'X') ||
      (norm === 'down' && last?.tag === 'X') ||
      (norm === 'unlike' && (last?.tag === 'D' || /^\W*$/.test(next))) ||
      (/^(?:on|off|up|down|out|over)$/.test(norm) && isPredicate(tokens, before, i))
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
  if (joined && QUANTIFIERS.has(norm)) return standsAlone(tokens, i) ? as('P') : as('D')
  if (ADVERBS.has(norm) || (norm === 'better' && last?.tag === 'M')) return as('R')
  if (joined && /^(?:every|each|per)_/.test(norm)) return as('R')
  if (joined) return as(knows(norm, 'V') ? 'V' : knows(norm, 'N') ? 'N' : 'A')
  if (token.proper) return as('N', norm)
  return open(tokens, before, i, as)
}

/** Every word that `tag` settles by itself, whatever its place; phrases are all looked at. */
let listed: ReadonlySet<string> | undefined

function isListed(norm: string): boolean {
  listed ??= new Set(
    [
      ...[
        NEGATORS,
        MODALS,
        AUXILIARIES,
        COORDINATORS,
        PREPOSITIONS,
        DETERMINERS,
        NUMERALS,
        PRONOUNS,
        ADVERBS,
      ],
      ...[SUBORDINATORS.keys(), WEEKDAYS, SINGLE],
    ].flatMap((words) => [...words]),
  )
  return listed.has(norm) || norm.includes('_')
}

/** Those of no list. */
const SINGLE =
  'alone upstairs downstairs versus vs neither may to first last next that will either let get gets getting got am pm please like before after until till since as once her this these those all some each both many most few any another either little much better'.split(
    ' ',
  )

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

const WEEKDAYS: ReadonlySet<string> = new Set(
  ['mon', 'tues', 'wednes', 'thurs', 'fri', 'satur', 'sun'].flatMap((day) => [`${day}day`, `${day}days`]),
)
/** Verbs that go "to" somebody or somewhere. */
const HANDING = anyOf(
  'go send move return hand give assign forward route transfer switch ship deliver belong report escalate come get write go_back go_over pass',
)

/** The last verb has a bare infinitive for its object's part. */
function watches(before: readonly Word[]): boolean {
  const verb = before.findLast(({ tag }) => tag === 'V')
  return verb !== undefined && /^(?:see|hear|watch|let|make|help|notice|have)$/.test(verb.lemma)
}

const opensPhrase = (last: Word | undefined) => last === undefined || last.tag === '.' || last.tag === 'C'

/** "goes to finance,": a word that is a noun first, with nothing behind it. */
function isNounAlone(tokens: readonly Token[], at: number): boolean {
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

const FINITE_AUXILIARIES: ReadonlySet<string> = new Set(
  'is are was were do does did has had will can must should may might could would cannot'.split(' '),
)

/** A finite verb right after, adverbs aside, that is not itself part of a noun phrase. */
function hasFiniteNext(tokens: readonly Token[], i: number): boolean {
  let k = i + 1
  while (ADVERBS.has(tokens[k]?.norm ?? '') || NEGATORS.has(tokens[k]?.norm ?? '')) k++
  const found = tokens[k]
  if (found === undefined || found.kind !== 'word') return false
  const form = formOf(found.norm)
  if (form !== 's' && form !== 'ed') return false
  if (lemmaOf(found.norm, 'V') === undefined || (form === 's' && k === i + 1)) return false
  const after = tokens[k + 1]?.norm ?? ''
  return (
    DETERMINERS.has(after) || PRONOUNS.has(after) || SUBORDINATORS.has(after) || (k > i + 1 && form === 's')
  )
}

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

/** "Design wants", "feature flags are": behind the word a finite verb that is no noun, or a plural before "are". */
function isVerbAfter(tokens: readonly Token[], i: number): boolean {
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

/** Verbs after which a clause may begin without "that". */
const CLAUSAL = anyOf(
  'think say believe know claim hope suspect guess assume feel confirm find_out mean wish suppose notice realize realise argue insist worry swear imagine reckon doubt',
)

function previousVerbInClause(before: readonly Word[]): boolean {
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
