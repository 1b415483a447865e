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
import {
  afterNext,
  helperBefore,
  isNounAlone,
  lastSaying,
  opensClause,
  opensPhrase,
  standsAlone,
} from './neighbours.ts'
import { type As, open } from './open-classes.ts'
import { ADVERBIAL, phrasalLemma } from './phrases.ts'
import { knows, lemmaOf } from './relations.ts'
import { type Token, tokenize } from './tokens.ts'
import { compoundForm, formOf, isBase, UNCHANGED } from './verb-forms.ts'
import { retagged, type Tag, type VerbForm, type Word } from './word.ts'

export type { Tag, Word } from './word.ts'

const NUMERALS = new Set(
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half'.split(
    ' ',
  ),
)

const COMPOUND_VERBS =
  /_(?:off|on|down|up|out|back|in|over|against|for|to|with|about|into|of|forward|ahead|away|toward|towards|aside)$/

/** Said of somebody with "be". */
const DISPOSED = anyOf('allergic_to responsible_for accountable_for capable_of incapable_of')

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
    // "Part 8841 left": a label and what it did.
    if (next === '#' && formOf(words[i + 2]?.norm ?? '') === 'ed') continue
    let k = i + 1
    while (k < words.length && !/^[.!?;\n]$/.test(words[k]!.norm) && !/^[VXMS]$/.test(words[k]!.tag)) k++
    if (/^[VXM]$/.test(words[k]?.tag ?? '')) continue
    changed[i] = retagged(words[i]!, 'V', words[i]!.norm, 'base')
  }
  return changed
}

const ENDS: ReadonlySet<string> = new Set(['.', '!', '?', ';', ':', '\n'])

/** "Every road to the left leads …": a sentence that opens with a noun phrase has a verb; the first word fit for one. */
function withVerbs(words: readonly Word[]): readonly Word[] {
  let changed: Word[] | undefined
  for (let from = 0; from < words.length; ) {
    let to = from
    let verbless = true
    for (; to < words.length && !ENDS.has(words[to]!.norm); to++)
      if (/^[VXMS]$/.test(words[to]!.tag) && !(to === from && opensPhraseOf(words, from))) verbless = false
    if (verbless && /^[DNA#PV]$/.test(words[from]?.tag ?? '')) {
      const at = verbIn(words, from, to)
      if (at > 0) {
        changed ??= [...words]
        const { norm } = words[at]!
        changed[at] = retagged(words[at]!, 'V', lemmaOf(norm, 'V') ?? norm, formOf(norm))
        const before = words[at - 1]!
        if (before.tag === 'A' && (lemmaOf(before.norm, 'N') !== undefined || at === from + 1))
          changed[at - 1] = retagged(before, 'N')
      }
    }
    from = to + 1
  }
  return changed ?? words
}

/** "Deleted notes produce …", "Hiring for the front goes on": a participle that is part of a subject. */
const opensPhraseOf = (words: readonly Word[], at: number): boolean =>
  words[at]!.tag === 'V' &&
  (words[at]!.form === 'ing' || (words[at]!.form === 'ed' && words[at + 1]?.tag === 'N'))

/** "bay 2", "replica-2": a number that names what stands before it. */
const isLabelled = (words: readonly Word[], at: number): boolean =>
  words[at]?.tag === '#' &&
  (words[at - 1]?.tag === 'N' || (words[at - 1]?.norm === '-' && words[at - 2]?.tag === 'N'))

function verbIn(words: readonly Word[], from: number, to: number): number {
  const opener = words[from]!
  const settled = /^[DV]$/.test(opener.tag) || (opener.tag === 'N' && opener.proper)
  for (let i = from + (opener.tag === 'D' ? 2 : 1); i < to; i++) {
    const { tag, norm, proper, kind } = words[i]!
    if (!/^[NA]$/.test(tag) || proper || kind !== 'word') continue
    const form = formOf(norm)
    if (isLabelled(words, i - 1) && (form === 'ed' || form === 's') && i + 1 < to) return i
    if (!/^[NAP]$/.test(words[i - 1]!.tag)) continue
    const next = i + 1 < to ? words[i + 1]!.tag : '.'
    // In front of "the" or "its" a noun phrase has ended: what stands there is a verb.
    const opens = next === 'D' && words[i + 1]!.norm !== "'s"
    if (
      (form === 'ed' || form === 's') &&
      (settled && tag === 'N' ? /^[DPI#TR.]$/.test(next) : opens || next === 'P')
    )
      return i
    const before = words[i - 1]!
    if (
      form === 'base' &&
      (tag === 'N' ? /^[DP#]$/.test(next) : opens) &&
      (isMany(words, from, i) || (before.proper && UNCHANGED.has(norm)))
    )
      return i
    // "Linen, silk and wool shrink."
    if (
      form === 'base' &&
      /^[.R]$/.test(next) &&
      i + (next === 'R' ? 2 : 1) === to &&
      isMany(words, from, i) &&
      areJoined(words, from, i)
    )
      return i
  }
  return -1
}

/** What stands before a word is a subject in the plural: "the tests", "Ana and Ben". */
const isMany = (words: readonly Word[], from: number, at: number): boolean =>
  /[^s]s$|^(?:people|children|men|women|police)$/.test(words[at - 1]!.norm) || areJoined(words, from, at)

function areJoined(words: readonly Word[], from: number, at: number): boolean {
  for (let i = at - 1; i > from; i--) {
    const { tag, norm } = words[i]!
    if (tag === 'C') return /^(?:and|or|nor|&)$/.test(norm)
    if (!/^[NAD#]$/.test(tag)) return false
  }
  return false
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
  // "until then use the mobile": a command behind its time.
  if (
    before.at(-1)?.norm === 'then' &&
    /^(?:until|till|by|from|since)$/.test(before.at(-2)?.norm ?? '') &&
    isBase(norm) &&
    DETERMINERS.has(tokens[i + 1]?.norm ?? '')
  )
    return as('V', norm, 'base')
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
  // "neither includes it"
  if (
    norm === 'neither' &&
    (next === 'of' || formOf(next) === 's' || AUXILIARIES.has(next) || MODALS.has(next)) &&
    !tokens.slice(i, i + 12).some((other) => other.norm === 'nor')
  )
    return as('P')
  if (
    token.text === 'IT' ||
    WEEKDAYS.has(norm) ||
    (norm === 'may' &&
      token.proper &&
      (last?.tag === 'I' ||
        last?.tag === '#' ||
        /^(?:since|until|till|before|after)$/.test(last?.norm ?? '')))
  )
    return as('N')
  // "the backup last succeeded on"
  if (norm === 'last' && last?.tag === 'N' && formOf(next) === 'ed') return as('R')
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
  // "to Mark", "to Will": names.
  if (norm === 'to' && tokens[i + 1]?.proper === true && tokens[i + 1]!.kind === 'word') return as('I')
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
  // "barely passed": passed.
  if (norm === 'barely' && ACHIEVED.has(next)) return as('R')
  if (NEGATORS.has(norm)) return as('-')
  // "the can", "Ana's will"
  // "left it to Will"
  if (MODALS.has(norm))
    return (norm === 'will' && (token.proper || (token.first && formOf(next) === 'ed'))) ||
      ((norm === 'can' || norm === 'will') && last?.tag === 'D' && OWNING.has(last.norm))
      ? as('N')
      : as('M')
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
  if (norm === 'forward' && (last?.tag === 'N' || last?.tag === 'P')) return as('R')
  // "need not submit"
  if (norm === 'need' && next === 'not') return as('M')
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
  if (joined && DISPOSED.has(norm)) return as('A')
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
  if (joined && ADVERBIAL.has(norm)) return as('R')
  if (joined) return as(knows(norm, 'V') ? 'V' : knows(norm, 'N') ? 'N' : 'A')
  if (token.proper) return as('N', norm)
  return open(tokens, before, i, as)
}

/** What was barely done was done. */
const ACHIEVED = anyOf(
  'passed made managed won survived caught reached finished escaped beat avoided missed qualified succeeded got',
)

/** Behind these a thing comes. */
const OWNING = anyOf("the a my your his her its our their 's no")

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
  'alone upstairs downstairs versus vs neither need forward may to first last next that will either let get gets getting got am pm please like before after until till since as once her this these those all some each both many most few any another either little much better'.split(
    ' ',
  )

const WEEKDAYS: ReadonlySet<string> = new Set(
  ['mon', 'tues', 'wednes', 'thurs', 'fri', 'satur', 'sun'].flatMap((day) => [`${day}day`, `${day}days`]),
)

/** Verbs that go "to" somebody or somewhere. */
const HANDING = anyOf(
  'walk cycle drive commute ride travel bike fly get_back go send move return hand give assign forward route transfer switch ship deliver belong report escalate come get write go_back go_over pass',
)

const TURNS_OUT = anyOf('turned_out turns_out proved proves proven')

function that(tokens: readonly Token[], before: readonly Word[], i: number, as: As): Word {
  const last = before.at(-1)
  const next = tokens[i + 1]?.norm ?? ''
  if (next === 'one') return as('D')
  // "but that turned out to be wrong", "and that proved false": takes up what was said before.
  if ((last?.tag === 'C' || last?.tag === '.') && TURNS_OUT.has(next)) return as('P')
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
