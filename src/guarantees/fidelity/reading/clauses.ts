import { anyOf, BE, SUBJECT_PRONOUNS } from '../words/cues.ts'
import { isPerson } from '../words/people.ts'
import { readWords, type Word } from '../words/tagging.ts'
import type { Clause, Reading } from './clause.ts'
import { isEmpty, linkOf } from './links.ts'
import { type Group, verbGroups } from './verb-groups.ts'

export type { Clause, Reading } from './clause.ts'

/** Words, and clauses with what hangs on what: a shallow reading, the same for the same text. */
export function read(text: string): Reading {
  const words = readWords(text)
  const groups = verbGroups(words)
  const clauses = attach(words, groups)
  const clauseOf = new Array<number>(words.length).fill(clauses.length > 0 ? 0 : -1)
  for (const clause of clauses) for (let i = clause.start; i < clause.end; i++) clauseOf[i] = clause.id
  assignSubjects(clauses, clauseOf)
  const wordsOf = clauses.map((): number[] => [])
  for (let i = 0; i < words.length; i++) wordsOf[clauseOf[i]!]?.push(i)
  return { text, words, clauses, clauseOf, wordsOf }
}

function assignSubjects(clauses: readonly Clause[], clauseOf: number[]): void {
  for (const { id, subject, link, parent } of clauses) {
    // A subject that is taken over stays with the verb it stands before.
    if (link === 'coordinate' && parent >= 0 && subject[1] <= clauses[parent]!.verb) continue
    for (let i = subject[0]; i < subject[1]; i++) {
      const other = clauses[clauseOf[i]!]
      // What a relative clause says about the subject is its own.
      if (other === undefined || other.link !== 'relative' || other.id === id || i < other.start)
        clauseOf[i] = id
    }
  }
}

const NOMINAL = new Set(['D', 'A', 'N', 'P', '#'])

/** Where the noun phrase that ends before `end` begins. */
function phraseStart(words: readonly Word[], end: number, floor: number): number {
  let i = end
  while (i > floor) {
    const { tag, norm } = words[i - 1]!
    if (
      !NOMINAL.has(tag) &&
      norm !== 'of' &&
      !(tag === 'R' && i - 1 > floor && NOMINAL.has(words[i - 2]!.tag) === false)
    )
      break
    // Two phrases side by side: "told Ana the server".
    if (tag === 'P' && i < end && SUBJECT_PRONOUNS.has(norm)) break
    i--
    if (
      tag === 'D' &&
      i > floor &&
      words[i - 1]!.norm !== 'of' &&
      words[i - 1]!.tag !== 'D' &&
      words[i]!.norm !== "'s"
    )
      break
    if (tag === 'P' && SUBJECT_PRONOUNS.has(norm)) break
  }
  return i
}

function attach(words: readonly Word[], groups: readonly Group[]): Clause[] {
  const clauses: Clause[] = []
  let floor = 0
  let pending: number | undefined
  for (const [k, group] of groups.entries()) {
    let marker = markerBefore(words, floor, group.from)
    // "that a person reading a paper is": the marker before a participle is that of the verb after.
    if (marker === undefined && pending !== undefined) marker = pending
    pending = undefined
    const previous = clauses.at(-1)
    const mark = marker === undefined ? undefined : words[marker]!
    const head = words[group.head]!
    const helper = group.helpers[0] === undefined ? undefined : words[group.helpers[0]]!
    const bare = group.helpers.length === 0 && group.modals.length === 0
    const finite =
      !group.infinitive &&
      !(bare && (head.form === 'ing' || (head.form === 'ed' && isReduced(words, group, previous, marker)))) &&
      !(helper?.form === 'ing' && group.modals.length === 0)
    const sentence = sentenceOf(words, group.from)
    // So far the sentence has only clauses inside its subject: this verb is the main one.
    const opening = marker === undefined && finite ? openingOf(words, clauses, group.from) : undefined
    let start = group.from
    let subject: readonly [number, number] = [group.from, group.from]
    if (finite) {
      const from =
        marker === undefined
          ? previous === undefined
            ? 0
            : phraseStart(words, group.from, floor)
          : marker + 1
      subject = [Math.max(from, floor === 0 && previous === undefined ? from : from), group.from]
      if (
        marker === undefined &&
        previous !== undefined &&
        previous.finite &&
        subject[0] === floor &&
        subject[0] < group.from &&
        previous.head === floor - 1
      )
        subject = [floor, group.from]
      start = marker === undefined ? subject[0] : marker
      if (opening !== undefined) {
        subject = opening
        start = group.from
      }
    } else {
      if (marker !== undefined && words[marker]!.tag === 'S' && marker < group.from - 1 && !group.infinitive)
        pending = marker
      const before = words[group.from - 1]
      if (before !== undefined && (before.tag === 'I' || before.tag === 'S') && group.from - 1 >= floor)
        start = group.from - 1
    }
    start = Math.max(start, previous === undefined ? 0 : Math.min(group.from, previous.verb + 1))
    const contact =
      finite && marker === undefined && opening === undefined && previous === undefined
        ? contactIn(words, subject, groups[k + 1])
        : -1
    if (contact >= 0) {
      subject = [contact, group.from]
      start = contact
    }
    const relation: Pick<Clause, 'link' | 'parent' | 'governor'> =
      contact >= 0
        ? { link: 'relative', parent: -1, governor: -1 }
        : opening === undefined
          ? linkOf(words, group, {
              finite,
              marker,
              start,
              subject,
              previous,
              clauses,
            })
          : { link: 'main', parent: -1, governor: -1 }
    const imperative =
      (finite &&
        bare &&
        head.form === 'base' &&
        isEmpty(words, subject) &&
        relation.link !== 'relative' &&
        (relation.link === 'main' || relation.link === 'coordinate') &&
        (previous === undefined || relation.link === 'main' || previous.imperative)) ||
      (finite &&
        helper?.norm === 'do' &&
        head.form === 'base' &&
        isEmpty(words, subject) &&
        relation.link !== 'relative')
    const inherited =
      relation.link === 'coordinate' && relation.parent >= 0 && isEmpty(words, subject)
        ? clauses[relation.parent]!
        : undefined
    const shares =
      inherited !== undefined &&
      bare &&
      !group.infinitive &&
      (head.form === 'base'
        ? inherited.modals.length > 0 ||
          inherited.helpers.some((h) => words[h]!.lemma === 'do') ||
          inherited.imperative
        : head.form !== 's' && inherited.helpers.length > 0 && words[inherited.head]!.form === head.form)
    const neither = correlated(words, subject)
    const negators =
      neither >= 0
        ? [neither, ...group.negators]
        : shares && !group.negators.length && !/^(?:but|then)$/.test(mark?.norm ?? '')
          ? [...inherited.negators, ...group.negators]
          : group.negators
    const modals = shares ? inherited.modals : group.modals
    clauses.push({
      id: k,
      start,
      end: words.length,
      verb: group.from,
      head: group.head,
      subject: isEmpty(words, subject) && inherited ? inherited.subject : trimmed(words, subject),
      negators,
      modals,
      helpers: shares ? inherited.helpers : group.helpers,
      passive:
        !group.copula &&
        head.form === 'ed' &&
        ((shares ? inherited.helpers : group.helpers).some((h) => BE.has(words[h]!.norm)) ||
          (!finite && bare) ||
          (bare && DONE_TO.has(head.lemma) && isLabel(words, subject, group))),
      copula: group.copula,
      finite,
      imperative: imperative || (shares && inherited.imperative),
      question: sentence.question,
      tense: tenseOf(words, group, shares ? modals : group.modals),
      ...relation,
      alternative: mark?.norm === 'or',
    })
    floor = group.head + 1
    if (group.copula) floor = Math.max(group.to, Math.min(group.head + 1, words.length))
  }
  return settle(words, clauses)
}

/** "The key Omar lost opens …": where a second noun phrase begins that is the subject of a clause about the first. */
function contactIn(
  words: readonly Word[],
  [from, to]: readonly [number, number],
  next: Group | undefined,
): number {
  if (next === undefined || next.infinitive) return -1
  for (let i = to; i < next.from; i++) if (/^[SC.]$/.test(words[i]!.tag)) return -1
  for (let i = from + 1; i < to; i++) {
    const { tag, norm, proper, kind } = words[i]!
    const before = words[i - 1]!
    if (before.tag !== 'N' || before.proper) continue
    if (tag === 'P' && SUBJECT_PRONOUNS.has(norm) && norm !== 'who') return i
    if (tag === 'D' && norm !== "'s" && norm !== 'all' && norm !== 'both' && norm !== 'each') return i
    if (proper && tag === 'N' && kind === 'word' && words[from]!.tag === 'D' && !isPerson(before)) return i
  }
  return -1
}

/** A thing, a participle, and nothing more. */
const isLabel = (words: readonly Word[], [from, to]: readonly [number, number], { head }: Group) =>
  to > from &&
  words[to - 1]!.tag === 'N' &&
  !isPerson({ ...words[to - 1]!, first: false }) &&
  /^(?:[.]|[C])$/.test(words[head + 1]?.tag ?? '.') &&
  words[head + 1]?.norm !== '"'

/** "Neither the API nor the worker logs it" */
function correlated(words: readonly Word[], [from, to]: readonly [number, number]): number {
  let neither = -1
  for (let i = from; i < to; i++) {
    if (words[i]!.norm === 'neither') neither = i
    if (words[i]!.norm === 'nor') return neither
  }
  return -1
}

const ENDS: ReadonlySet<string> = new Set(['.', '!', '?', ';', ':', '\n'])

/** The noun phrase a sentence opens with, when all clauses so far hang inside it. */
function openingOf(
  words: readonly Word[],
  clauses: readonly Clause[],
  at: number,
): readonly [number, number] | undefined {
  let from = at
  while (from > 0 && !ENDS.has(words[from - 1]!.norm)) from--
  if (clauses.length === 0 || clauses.at(-1)!.verb < from) return undefined
  const inside = clauses.filter(({ verb }) => verb >= from)
  for (const clause of inside) {
    if (clause.link === 'adjunct' || clause.link === 'coordinate' || clause.imperative) return undefined
    if (clause.link === 'relative' || !clause.finite) continue
    const governor = clause.governor < 0 ? undefined : words[clause.governor]!
    const parent = clause.parent < 0 ? undefined : clauses[clause.parent]!
    if (
      clause.link !== 'complement' ||
      !(governor?.tag === 'N' || (parent !== undefined && !parent.finite && parent.verb >= from))
    )
      return undefined
  }
  return [from, Math.max(from, inside[0]!.start)]
}

function trimmed(words: readonly Word[], [from, to]: readonly [number, number]): readonly [number, number] {
  let start = from
  while (start < to && /^[.RC]$/.test(words[start]!.tag)) start++
  return [start, to]
}

/** "Asked about the delay, Legal blamed the vendor": what the sentence goes on with has a verb of its own. */
function opensWithParticiple(words: readonly Word[], { head }: Group): boolean {
  if (words[head + 1]?.tag !== 'I') return false
  let i = head + 1
  while (i < words.length && words[i]!.tag !== '.') if (/^[VXMSC]$/.test(words[i++]!.tag)) return false
  if (words[i]?.norm !== ',' || !/^[DNP]$/.test(words[i + 1]?.tag ?? '')) return false
  for (i += 2; i < words.length && !ENDS.has(words[i]!.norm); i++)
    if (/^[VXM]$/.test(words[i]!.tag)) return words[i - 1]!.tag !== 'C' && words[i - 1]!.norm !== ','
  return false
}

/** "Budget approved.": done to it, though no auxiliary says so. */
const DONE_TO = anyOf(
  'approve restore lose freeze cancel delete remove book confirm pay sign reject deploy merge update fix replace schedule complete resolve archive send receive block revoke grant submit review test postpone rename install disable enable create migrate extend reset rotate patch encrypt request award deny close reopen reserve refund',
)

/** Finite verbs that follow in the sentence. */
function verbsAfter(words: readonly Word[], at: number): number {
  let count = 0
  for (let i = at + 1; i < words.length && !ENDS.has(words[i]!.norm); i++) {
    const { tag, form } = words[i]!
    const led = /^[XMT-]$/.test(words[i - 1]!.tag)
    if ((tag === 'X' || tag === 'M' || (tag === 'V' && form !== 'ing')) && !led) count++
  }
  return count
}

/** Past forms that are no participles. */
const PAST_ONLY = anyOf(
  'came went took gave saw wrote broke fell ran began drank sang swam spoke chose drove ate flew grew knew rose shook stole threw wore forgot became rode rang froze woke drew blew tore swore lay overtook undertook withdrew undid arose',
)

/** A participle right after a noun, where a finite verb is elsewhere: "the man dressed in white sits". */
function isReduced(
  words: readonly Word[],
  group: Group,
  previous: Clause | undefined,
  marker: number | undefined,
): boolean {
  if (PAST_ONLY.has(words[group.head]!.norm)) return false
  const before = words[group.from - 1]
  if (before === undefined || ENDS.has(before.norm)) return opensWithParticiple(words, group)
  if (before.tag === 'S')
    return (
      before.norm === 'as' ||
      before.norm === 'when' ||
      before.norm === 'if' ||
      before.norm === 'unless' ||
      before.norm === 'once'
    )
  const mark = words[marker ?? -1]
  if (/^(?:i|he|she|we|they)$/.test(before.norm)) return false
  // "The laptop that Finance bought for Lena is slow": of two verbs one is the laptop's.
  if (
    mark?.tag === 'S' &&
    /^(?:that|which|whom)$/.test(mark.norm) &&
    words[marker! - 1]?.tag === 'N' &&
    marker! < group.from - 1 &&
    (previous === undefined || previous.head < marker!) &&
    verbsAfter(words, group.head) < 2
  )
    return false
  if (before.tag === 'N' || before.tag === 'P' || before.tag === '.') {
    for (let i = group.head + 1; i < words.length && words[i]!.norm !== '.'; i++) {
      if (words[i]!.tag === 'C' || words[i]!.tag === 'S' || words[i]!.norm === ',') break
      if (i === group.head + 1 && !/^[IXMR]$/.test(words[i]!.tag)) break
      if (words[i]!.tag === 'X' || words[i]!.tag === 'M') return true
    }
    // "washed the car, fed the dog": a participle has no object; and where there is no main verb yet, this is it.
    if (before.tag === '.')
      return (
        before.norm === ',' &&
        previous !== undefined &&
        previous.link !== 'relative' &&
        !/^[DP#NC]$/.test(words[group.head + 1]?.tag ?? '') &&
        words[group.head + 1]?.norm !== ','
      )
    return (
      previous?.finite === true &&
      (mark === undefined || previous.head > (marker ?? -1)) &&
      words[group.head + 1]?.tag === 'I'
    )
  }
  return false
}

/** The last word before the verb group, after the last head, that opens a clause. */
function markerBefore(words: readonly Word[], floor: number, end: number): number | undefined {
  for (let i = end - 1; i >= floor; i--) {
    const { tag, norm } = words[i]!
    if (tag === 'S' || (tag === '.' && !/^["'“”‘’()%[\]/*#]$/.test(norm))) {
      // A list inside the subject: "Ana, Ben and Eve are"
      return i
    }
    if (tag === 'C') {
      // "Ana and Ben are": no verb stands before the coordinator since the last boundary.
      let k = i - 1
      while (k >= floor && (NOMINAL.has(words[k]!.tag) || words[k]!.tag === 'I' || words[k]!.tag === 'R')) k--
      const bounded = k < floor ? floor === 0 : words[k]!.tag === '.' || words[k]!.tag === 'S'
      if (!bounded || i === end - 1 || norm === 'but' || norm === 'so') return i
    }
  }
  return undefined
}

function sentenceOf(words: readonly Word[], at: number): { question: boolean } {
  for (let i = at; i < words.length; i++) {
    if (words[i]!.norm === '?') return { question: true }
    if (words[i]!.tag === '.' && /^[.!;\n]$/.test(words[i]!.norm)) break
  }
  return { question: false }
}

function tenseOf(words: readonly Word[], group: Group, modals: readonly number[]): Clause['tense'] {
  const modal = modals[0] === undefined ? undefined : words[modals[0]]!.norm
  if (
    modal === 'will' ||
    modal === 'shall' ||
    modal === 'going_to' ||
    modal === 'about_to' ||
    modal === 'would'
  )
    return 'future'
  if (modal === 'used_to' || modal === 'had_to' || modal === 'needed_to') return 'past'
  const helper = group.helpers[0] === undefined ? undefined : words[group.helpers[0]]!.norm
  if (helper !== undefined && modal === undefined) {
    if (/^(?:was|were|did|had)$/.test(helper)) return 'past'
    if (/^(?:has|have)$/.test(helper) && group.head !== group.helpers[0]) return 'past'
    return 'present'
  }
  const { form } = words[group.head]!
  if ((form === 's' || form === 'base') && isSoon(words, group.head)) return 'future'
  return form === 'ed' ? 'past' : form === 's' || form === 'base' ? 'present' : 'none'
}

const SPANS =
  /^(?:a_few_|a_couple_of_)?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|fortnight|quarters?|nights?)$/

/** "expires in nine days": told in the present, and still to come. */
function isSoon(words: readonly Word[], head: number): boolean {
  for (let i = head + 1; i < words.length && i < head + 8 && !/^[.SCVXM]$/.test(words[i]!.tag); i++) {
    if (words[i]!.norm !== 'in') continue
    for (let k = i + 1; k < i + 4 && k < words.length && /^[#DAN]$/.test(words[k]!.tag); k++)
      // "in the first week" is no while from now.
      if (SPANS.test(words[k]!.norm))
        return k > i + 1 && !/^(?:the|this|that|these|every|each)$/.test(words[i + 1]!.norm)
  }
  return false
}

/** Ends of clauses, and the parents of those that stand before the clause they hang on. */
function settle(words: readonly Word[], clauses: readonly Clause[]): Clause[] {
  return clauses.map((clause, k) => {
    const next = clauses[k + 1]
    const start = clause.start
    const end = next === undefined ? words.length : Math.max(next.start, clause.verb + 1)
    let { parent } = clause
    if (parent < 0 && clause.link !== 'main') parent = next !== undefined ? next.id : -1
    // "If the vendor agrees, we'll sign": the subordinate one comes first.
    const opensSentence =
      clause.start === 0 || (words[clause.start - 1]?.tag === '.' && words[clause.start - 1]!.norm !== ',')
    if (
      next !== undefined &&
      next.link === 'main' &&
      opensSentence &&
      /^(?:condition|exception|time|reason|contrast|before|after|until|adjunct|without|purpose)$/.test(
        clause.link,
      )
    )
      parent = next.id
    return {
      ...clause,
      start,
      end,
      parent: parent === clause.id ? -1 : parent,
    }
  })
}
