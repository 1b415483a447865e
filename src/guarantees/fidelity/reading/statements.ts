import type { Quantity } from '../quantities/quantities.ts'
import { anyOf } from '../words/cues.ts'
import { isFeminine, isMasculine, isPerson } from '../words/people.ts'
import type { Word } from '../words/tagging.ts'
import type { Clause, Reading } from './clauses.ts'

/**
 * What is said of what, one statement a verb, and one a conjunct that leaves its verb out: "Ana takes the tram and Ben
 * the bus" are two. A flat reading: it tells which words belong together, and the part each has where that is plain.
 */
export interface Statement {
  readonly id: number
  /** The word that says what is the case; -1 for none. */
  readonly head: number
  readonly clause: Clause | undefined
  readonly parts: readonly Part[]
  /** Where its own words begin. */
  readonly at: number
  readonly sentence: number
}

/** The slot of a part: one of these, or the group of its preposition. */
export type Slot = 'subject' | 'object' | 'bare' | 'owner' | 'trait' | 'quantity' | (string & {})

export interface Part {
  readonly at: number
  readonly slot: Slot
  /** The word it belongs to: an owner's thing, what a trait is a trait of; -1 for none. */
  readonly of: number
  /** Words it may stand for: itself, or what a pronoun takes up. */
  readonly stands: readonly number[]
  /** `self` is whoever keeps these notes or their team; `open` stands for anything said before. */
  readonly key: 'word' | 'self' | 'open'
  /** What a number, a time or "weekly" is compared by. */
  readonly measure: Measure | undefined
  /** Taken over from the statement before. */
  readonly borrowed: boolean
}

export interface Measure {
  readonly kind: string
  readonly value: number
}

interface Phrase {
  readonly from: number
  readonly head: number
  readonly slot: Slot
  readonly of: number
}

const GROUPS: Readonly<Record<string, string>> = {
  on: 'at',
  at: 'at',
  in: 'at',
  into: 'to',
  onto: 'to',
  to: 'to',
  toward: 'to',
  towards: 'to',
  from: 'from',
  out_of: 'from',
  off: 'from',
  with: 'with',
  via: 'by',
  through: 'by',
  till: 'until',
  more_than: 'than',
  less_than: 'than',
  versus: 'than',
  vs: 'than',
  rather_than: 'over',
  instead_of: 'over',
}

const STRONG: ReadonlySet<string> = new Set(['.', ';', '!', '?', '•', '\n'])
const WEAK = anyOf(', and or but nor while whereas plus -- – — ( ) & +')

/** Speakers before a colon: "Ana: I'll do it". By word, the speaker's word, -1 for none. */
function speakersOf(words: readonly Word[]): readonly number[] {
  const speakers = new Array<number>(words.length).fill(-1)
  let current = -1
  for (let i = 0; i < words.length; i++) {
    const opens = i === 0 || words[i - 1]!.tag === '.' || words[i]!.first
    if (opens && /^\p{Lu}/u.test(words[i]!.text))
      for (let k = i + 1; k <= i + 2 && k < words.length; k++)
        if (words[k]!.norm === ':' && (k === i + 1 || /^\p{Lu}/u.test(words[i + 1]!.text))) current = k - 1
        else if (words[k]!.norm === ':' && /^(?:write|say|ask|reply|answer)$/.test(words[i + 1]!.lemma))
          current = i
    speakers[i] = current
  }
  return speakers
}

const SELF = anyOf('i me my mine myself we us our ours user users team')
const THIRD = anyOf('he him his himself she her hers herself')
const LOOSE = anyOf(
  'it its they them their theirs one ones this that these those both each other others another who which whom whose the_same same there you your',
)
const YOU = anyOf('you your yours yourself')

const FIRST = anyOf('i me my we us our')

/** Reads the statements of a text. */
export function statementsOf(reading: Reading, quantities: readonly Quantity[]): readonly Statement[] {
  const { words, clauses, clauseOf } = reading
  const speakers = speakersOf(words)
  const measured = measuresOf(words, quantities)
  const phrases = phrasesOf(words, measured)
  const found: Statement[] = []
  const people: number[] = []
  // In rules and answers "you" is whoever they are for.
  const addressed = !words.some(({ norm }) => FIRST.has(norm))
  const genders = new Map<'he' | 'she', number>()
  let phrase = 0
  let sentence = 0
  let waiting: Part[] = []

  const tell = (
    head: number,
    clause: Clause | undefined,
    parts: readonly Part[],
    at: number,
    within = sentence,
  ) => {
    found.push({ id: found.length, head, clause, parts, at, sentence: within })
  }

  const partOf = ({ head, slot, of }: Phrase): Part => {
    const { norm } = words[head]!
    const measure = measured.get(head)?.measure
    const standing = (key: Part['key'], stands: readonly number[]): Part => ({
      at: head,
      slot: measure === undefined ? slot : 'quantity',
      of,
      stands,
      key,
      measure,
      borrowed: false,
    })
    if (measure !== undefined) return standing('word', [head])
    if (words[head]!.tag === 'N' && words[head]!.text === 'IT') return standing('word', [head])
    if (SELF.has(norm) || (addressed && YOU.has(norm))) {
      const speaker = speakers[head]!
      return speaker >= 0 && !SELF.has(words[speaker]!.norm)
        ? standing('word', [speaker])
        : standing('self', [head])
    }
    if (THIRD.has(norm)) {
      const stands = antecedents(norm, head)
      return standing('word', stands.length > 0 ? stands : [head])
    }
    if (LOOSE.has(norm)) return standing('open', [])
    if (isPerson(words[head]!)) people.push(head)
    return standing('word', [head])
  }

  const antecedents = (norm: string, at: number): readonly number[] => {
    const gender = /^h(?:e|im|is|imself)$/.test(norm) ? 'he' : 'she'
    const fits = (i: number) => !(gender === 'he' ? isFeminine : isMasculine)(words[i]!)
    const known = genders.get(gender)
    if (known !== undefined && people.every((i) => i <= known || !fits(i))) return [known]
    const other = genders.get(gender === 'he' ? 'she' : 'he')
    const near = people.filter(
      (i) => i < at && fits(i) && words[i]!.norm !== (other === undefined ? '' : words[other]!.norm),
    )
    const distinct = near.filter((i, k) => near.findLastIndex((j) => words[j]!.norm === words[i]!.norm) === k)
    const sure = distinct.filter((i) => (gender === 'he' ? isMasculine : isFeminine)(words[i]!))
    // "Mira is Jonas's sister; she": the name, before the word of kinship said of it.
    const named = distinct.filter((i) => words[i]!.proper || words[i]!.first)
    const chosen =
      sure.length === 1 && (words[sure[0]!]!.proper || named.length !== 1)
        ? sure
        : named.length === 1
          ? named
          : distinct.slice(-2)
    if (chosen.length === 1) genders.set(gender, chosen[0]!)
    return chosen
  }

  let from = 0
  while (from < words.length) {
    const clauseId = clauseOf[from]!
    const clause = clauses[clauseId]
    let to = from
    while (to < words.length && clauseOf[to] === clauseId && !separates(words, to, clause)) to++
    const own: Phrase[] = []
    while (phrase < phrases.length && phrases[phrase]!.head < to) {
      if (phrases[phrase]!.head >= from) own.push(phrases[phrase]!)
      phrase++
    }
    const verb = firstVerb(words, from, to)
    if (own.length > 0 || verb >= 0) {
      const last = found.at(-1)
      if (verb >= 0) {
        const parts = place(words, own, verb, clause).map(partOf)
        const head = clause !== undefined && clause.head >= from && clause.head < to ? clause.head : verb
        const all = [...waiting, ...parts]
        waiting = []
        const wanted: Slot = clause?.passive === true ? 'object' : 'subject'
        const subject = all.some(({ slot, borrowed }) => slot === wanted && !borrowed)
        const lent = subject
          ? antecedentFor(clause, last, sentence)
          : subjectFor(clause, last, words, from, found, sentence)
        const nominal = predicate(words, clause, head, all)
        tell(head, clause, [...lent, ...all, ...nominal], from)
      } else {
        const parts = own.map(partOf)
        // "first the migration, then the code": the verb again.
        const again =
          last !== undefined &&
          last.sentence === sentence &&
          parts.length === 1 &&
          words[from]?.norm === 'then' &&
          last.head >= 0
        if (again) {
          const slot: Slot = last.parts.some((part) => part.slot === 'object') ? 'object' : 'subject'
          const subject = slot === 'object' ? last.parts.filter((part) => part.slot === 'subject') : []
          const filled = parts.map((part) => (part.slot === 'bare' ? { ...part, slot } : part))
          tell(last.head, clause, [...subject.map((part) => lend(part)), ...filled], from)
        }
        const parallel =
          last === undefined || last.sentence !== sentence ? undefined : parallelTo(last, parts)
        const labelled = words[to]?.norm === ':'
        if (again) {
          // Told already.
        } else if (parallel !== undefined) tell(last!.head, clause, parallel, from)
        else if (last !== undefined && last.sentence === sentence && waiting.length === 0)
          found[found.length - 1] = {
            ...last,
            parts: [...last.parts, ...parts.map((part) => listed(last, part))],
          }
        else if (labelled || !endsSentence(words, to))
          waiting.push(...parts.map((part) => toSubject(part, labelled)))
        else {
          tell(-1, clause, [...waiting, ...parts], from)
          waiting = []
        }
      }
    }
    while (to < words.length && clauseOf[to] === clauseId && separates(words, to, clause)) {
      if (STRONG.has(words[to]!.norm)) {
        sentence++
        if (waiting.length > 0) {
          tell(-1, undefined, waiting, from, sentence - 1)
          waiting = []
        }
      }
      to++
    }
    if (to === from) to++
    from = to
  }
  if (waiting.length > 0) tell(-1, undefined, waiting, 0)
  return found
}

const endsSentence = (words: readonly Word[], at: number) => at >= words.length || STRONG.has(words[at]!.norm)

const toSubject = (part: Part, always: boolean): Part =>
  (always || part.slot === 'bare') && part.slot !== 'quantity' ? { ...part, slot: 'subject' } : part

/** Marks between statements; inside a subject they join names. */
function separates(words: readonly Word[], at: number, clause: Clause | undefined): boolean {
  const { norm, tag } = words[at]!
  if (STRONG.has(norm) && tag === '.') return true
  if (norm === ':') return true
  if (clause !== undefined && at >= clause.subject[0] && at < clause.subject[1]) return false
  return WEAK.has(norm) && (tag === '.' || tag === 'C' || tag === 'S')
}

const isVerbal = ({ tag }: Word) => tag === 'V' || tag === 'X' || tag === 'M'

function firstVerb(words: readonly Word[], from: number, to: number): number {
  for (let i = from; i < to; i++) if (isVerbal(words[i]!)) return i
  return -1
}

const NOMINAL = anyOf('D A N P #')
const HANDS = anyOf('give hand send lend sell teach tell offer pay owe show bring ask email buy grant')

/** The sentence begins with a name. */
function opensWithName(words: readonly Word[], at: number): boolean {
  let from = at
  while (from > 0 && !/^[.!?\n]$/.test(words[from - 1]!.norm)) from--
  return (
    words[from]!.tag === 'N' &&
    /^\p{Lu}/u.test(words[from]!.text) &&
    /^[VXMN]$/.test(words[from + 1]?.tag ?? '')
  )
}

interface Measured {
  readonly from: number
  readonly to: number
  readonly measure: Measure
}

const DAY = 86_400
const PERIODS: Readonly<Record<string, number>> = {
  minute: 60,
  hour: 3600,
  day: DAY,
  night: DAY,
  morning: DAY,
  evening: DAY,
  afternoon: DAY,
  week: 7 * DAY,
  weekend: 7 * DAY,
  month: 30 * DAY,
  quarter: 91 * DAY,
  year: 365 * DAY,
  hourly: 3600,
  daily: DAY,
  nightly: DAY,
  weekly: 7 * DAY,
  biweekly: 14 * DAY,
  fortnightly: 14 * DAY,
  monthly: 30 * DAY,
  quarterly: 91 * DAY,
  yearly: 365 * DAY,
  annually: 365 * DAY,
}

/** By word, the number, time or rate of recurrence it is part of. */
function measuresOf(words: readonly Word[], quantities: readonly Quantity[]): ReadonlyMap<number, Measured> {
  const found = new Map<number, Measured>()
  const put = (from: number, to: number, measure: Measure) => {
    for (let i = from; i < to; i++) found.set(i, { from, to, measure })
  }
  for (const { loose, kind, unit, value, from, to } of quantities)
    if (
      loose !== true &&
      kind !== 'ordinal' &&
      words[from - 1]?.norm !== 'every' &&
      !(words[from]!.norm === 'one' && to === from + 1 && words[from - 1]?.tag === 'A')
    )
      put(from, to, { kind: `${kind} ${unit}`, value })
  for (let i = 0; i < words.length; i++) {
    const { norm } = words[i]!
    if (norm.endsWith('ly') && Object.hasOwn(PERIODS, norm))
      put(i, i + 1, { kind: 'every', value: PERIODS[norm]! })
    if (!norm.startsWith('e') && !norm.startsWith('per_')) continue
    const joined = /^(?:every|each|per)_(.+)$/.exec(norm)?.[1]
    if (joined !== undefined && Object.hasOwn(PERIODS, joined))
      put(i, i + 1, { kind: 'every', value: PERIODS[joined]! })
    if (norm !== 'every' && norm !== 'each') continue
    const other = words[i + 1]?.norm === 'other' || words[i + 1]?.norm === 'second'
    const noun = words[i + (other ? 2 : 1)]?.norm ?? ''
    const days = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/.test(noun) ? 7 * DAY : undefined
    const period = days ?? (Object.hasOwn(PERIODS, noun) ? PERIODS[noun] : undefined)
    const counted = quantities.find(({ from, kind }) => from === i + 1 && kind === 'duration')
    if (counted !== undefined) put(i, counted.to, { kind: 'every', value: counted.value })
    else if (period !== undefined)
      put(i, i + (other ? 3 : 2), { kind: 'every', value: period * (other ? 2 : 1) })
  }
  return found
}

/** A name and one more word between two marks, in a sentence that began with a name and its verb. */
const leavesVerbOut = (words: readonly Word[], at: number) =>
  /^(?:,|and|while|;)$/.test(words[at - 1]?.norm ?? '') &&
  /^(?:|\.|,|;|and)$/.test(words[at + 2]?.norm ?? '') &&
  opensWithName(words, at)

/** Noun phrases, each with the preposition before it and whose it is. */
function phrasesOf(words: readonly Word[], measured: ReadonlyMap<number, Measured>): readonly Phrase[] {
  const phrases: Phrase[] = []
  let preposition = ''
  for (let i = 0; i < words.length; ) {
    const { tag, norm } = words[i]!
    const quantity = measured.get(i)
    if (quantity !== undefined) {
      if (i === quantity.from) phrases.push({ from: i, head: i, slot: 'quantity', of: -1 })
      preposition = ''
      i = Math.max(i + 1, quantity.to)
      continue
    }
    if (tag === 'I') preposition = GROUPS[norm] ?? norm
    if (!NOMINAL.has(tag)) {
      if (tag !== 'I' && tag !== 'R') preposition = ''
      i++
      continue
    }
    const start = i
    let head = -1
    const inner: number[] = []
    for (; i < words.length && NOMINAL.has(words[i]!.tag); i++) {
      const word = words[i]!
      if (measured.has(i)) break
      // "In the review Ana": a name behind a whole phrase begins its own; "my cousin Ana" is one.
      if (
        word.proper &&
        word.kind === 'word' &&
        head >= 0 &&
        !words[head]!.proper &&
        !isPerson(words[head]!) &&
        words[start]!.tag === 'D' &&
        words[i - 1]!.norm !== "'s"
      )
        break
      // Two phrases, where a verb was left out ("Ana owns staging, Ben production") or for whom it is ("teaches Ben piano").
      if (
        i === start + 1 &&
        words[start]!.proper &&
        !word.proper &&
        word.tag === 'N' &&
        (leavesVerbOut(words, start) || (words[start - 1]?.tag === 'V' && HANDS.has(words[start - 1]!.lemma)))
      )
        break
      if (
        i > start &&
        ((word.tag === 'P' && !(/^ones?$/.test(word.norm) && head >= 0)) ||
          (word.tag === 'D' && word.norm !== "'s"))
      )
        break
      if (word.norm === "'s") {
        if (head >= 0) inner.push(head)
        continue
      }
      if (word.tag === 'D' && /^(?:my|your|his|her|its|our|their)$/.test(word.norm)) inner.push(i)
      if (word.tag === 'P') {
        if (head >= 0) inner.push(head)
        head = i
        i++
        break
      }
      if (word.tag === 'N' || word.tag === 'A') {
        if (head >= 0 && !inner.includes(head)) inner.push(head)
        head = i
      }
    }
    if (head < 0) {
      if (i === start) i++
      preposition = ''
      continue
    }
    for (const at of inner) {
      const owns = words[at + 1]?.norm === "'s" || words[at]!.tag === 'D'
      phrases.push({ from: start, head: at, slot: owns ? 'owner' : 'trait', of: head })
    }
    phrases.push({ from: start, head, slot: preposition === '' ? 'bare' : preposition, of: -1 })
    preposition = ''
  }
  return phrases.sort((a, b) => a.head - b.head)
}

/** Gives bare phrases their place by the verb. */
function place(
  words: readonly Word[],
  phrases: readonly Phrase[],
  verb: number,
  clause: Clause | undefined,
): readonly Phrase[] {
  const passive = clause?.passive === true
  return phrases.map((phrase) => {
    if (phrase.slot === 'by' && passive) return { ...phrase, slot: 'subject' }
    if (phrase.slot !== 'bare') return phrase
    const before =
      phrase.head < verb ||
      (words[verb]!.tag === 'X' && words[verb + 1]?.tag === 'P' && phrase.head === verb + 1)
    return { ...phrase, slot: before && !passive ? 'subject' : 'object' }
  })
}

/** The noun or adjective after "be" is what is said of the subject. */
function predicate(
  words: readonly Word[],
  clause: Clause | undefined,
  head: number,
  parts: readonly Part[],
): Part[] {
  if (clause?.copula !== true || head < 0 || !/^[AN]$/.test(words[head]!.tag)) return []
  if (parts.some(({ at }) => at === head)) return []
  return [
    { at: head, slot: 'object', of: -1, stands: [head], key: 'word', measure: undefined, borrowed: false },
  ]
}

/** What a statement is about, not whose or what kind that is. */
const isMain = ({ slot }: Part) => slot !== 'trait' && slot !== 'owner'

const lend = (part: Part, slot: Slot = part.slot): Part => ({ ...part, slot, borrowed: true })

/** The subject of a verb without one. */
function subjectFor(
  clause: Clause | undefined,
  last: Statement | undefined,
  words: readonly Word[],
  from: number,
  found: readonly Statement[],
  sentence: number,
): Part[] {
  if (last === undefined || last.sentence !== sentence) return []
  const slot: Slot = clause?.passive === true ? 'object' : 'subject'
  if (clause?.link === 'relative') {
    const near = last.parts.findLast(isMain)
    return near === undefined ? [] : [lend(near, slot)]
  }
  if (clause !== undefined && clause.subject[0] < clause.subject[1]) {
    const owner = found.find(({ parts }) =>
      parts.some(({ at, borrowed }) => !borrowed && at >= clause.subject[0] && at < clause.subject[1]),
    )
    if (owner !== undefined)
      return owner.parts
        .filter(({ at }) => at >= clause.subject[0] && at < clause.subject[1])
        .map((part) => lend(part, part.slot === 'owner' || part.slot === 'trait' ? part.slot : slot))
  }
  const infinitive = words[from]?.tag === 'T'
  const object = last.parts.find(({ slot: own, key }) => own === 'object' && key !== 'open')
  if (
    infinitive &&
    object !== undefined &&
    last.head >= 0 &&
    /^(?:ask|tell|order|want|get|let|make|help|remind|allow|permit|request|urge|invite|advise|instruct|have)$/.test(
      words[last.head]!.lemma,
    )
  )
    return [lend(object, slot)]
  return last.parts
    .filter(({ slot: own }) => own === (last.clause?.passive === true ? 'object' : 'subject'))
    .map((part) => lend(part, slot))
}

/** "the repair that Dad paid for": what a relative clause with its own subject speaks of. */
function antecedentFor(clause: Clause | undefined, last: Statement | undefined, sentence: number): Part[] {
  if (clause?.link !== 'relative' || last === undefined || last.sentence !== sentence) return []
  const near = last.parts.findLast(isMain)
  return near === undefined ? [] : [lend(near, 'object')]
}

/** A part that continues a list has the slot of the part before it. */
function listed(last: Statement, part: Part): Part {
  if (part.slot !== 'bare') return part
  const before = last.parts.findLast(isMain)
  return before === undefined ? part : { ...part, slot: before.slot === 'quantity' ? 'object' : before.slot }
}

/** "…, Ben the bus", "… and metrics to Prometheus": the slots of the statement before, filled anew. */
function parallelTo(last: Statement, parts: readonly Part[]): readonly Part[] | undefined {
  const main = parts.filter(isMain)
  if (main.length < 2) return undefined
  const bare = main.filter(({ slot }) => slot === 'bare')
  const has = (slot: Slot, measure?: Measure) =>
    last.parts.some((part) => part.slot === slot && part.measure?.kind === measure?.kind)
  const repeated = main.filter(({ slot, measure }) => slot !== 'bare' && has(slot, measure))
  if (repeated.length + Math.min(2, bare.length) < 2) return undefined
  const lone: Slot = has('object') ? 'object' : 'subject'
  const filled = new Map<Part, Slot>()
  for (const [k, part] of bare.entries())
    filled.set(part, bare.length === 1 ? lone : k === 0 ? 'subject' : 'object')
  const own = parts.map((part) => ({ ...part, slot: filled.get(part) ?? part.slot }))
  const taken = (slot: Slot) => own.some((part) => part.slot === slot)
  const kept = last.parts.filter(({ slot }) => (slot === 'subject' || slot === 'object') && !taken(slot))
  return [...kept.map((part) => lend(part)), ...own]
}
