import { anyOf } from '../words/cues.ts'
import { isPerson } from '../words/people.ts'
import type { Word } from '../words/tagging.ts'
import type { Clause } from './clause.ts'
import type { Measured } from './measures.ts'
import type { Slot } from './statement.ts'

export interface Phrase {
  readonly from: number
  readonly head: number
  readonly slot: Slot
  readonly of: number
}

/** The phrase in another place. */
export const placed = (phrase: Phrase, slot: Slot): Phrase => ({
  from: phrase.from,
  head: phrase.head,
  slot,
  of: phrase.of,
})

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

const BOUNDS = anyOf('at_least at_most up_to no_more_than no_less_than fewer_than')
const NOMINAL = anyOf('D A N P #')
export const HANDS = anyOf('give hand send lend sell teach tell offer pay owe show bring ask email buy grant')

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

const isBoundary = (words: readonly Word[], at: number) =>
  BOUNDS.has(words[at]!.norm) ||
  (/^(?:more_than|less_than|over|under|about|around)$/.test(words[at]!.norm) && words[at + 1]?.tag === '#')

/** A name and one more word between two marks, in a sentence that began with a name and its verb. */
const leavesVerbOut = (words: readonly Word[], at: number) =>
  /^(?:,|and|while|;)$/.test(words[at - 1]?.norm ?? '') &&
  /^(?:|\.|,|;|and)$/.test(words[at + 2]?.norm ?? '') &&
  opensWithName(words, at)

/** Noun phrases, each with the preposition before it and whose it is. */
export function phrasesOf(
  words: readonly Word[],
  measured: ReadonlyMap<number, Measured>,
): readonly Phrase[] {
  const phrases: Phrase[] = []
  let preposition = ''
  for (let i = 0; i < words.length; ) {
    const { tag, norm } = words[i]!
    const quantity = measured.get(i)
    if (quantity !== undefined) {
      if (i === quantity.from) phrases.push({ from: i, head: i, slot: 'quantity', of: -1 })
      i = Math.max(i + 1, quantity.to)
      // "at sixty degrees"
      if (!/^[NA]$/.test(words[i]?.tag ?? '')) preposition = ''
      continue
    }
    // "may hold at most two" has an object.
    if (tag === 'I' && !isBoundary(words, i)) preposition = GROUPS[norm] ?? norm
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
      // "my uncle last year"
      if (head >= 0 && word.tag === 'A' && (word.norm === 'last' || word.norm === 'next')) break
      // "the hall grey": an adjective behind its noun is said of it.
      if (
        word.tag === 'A' &&
        head >= 0 &&
        words[head]!.tag === 'N' &&
        words[i - 1]!.norm !== "'s" &&
        !/^[NA#]$/.test(words[i + 1]?.tag ?? '') &&
        words[i + 1]?.norm !== "'s"
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
      phrases.push({
        from: start,
        head: at,
        slot: owns ? 'owner' : 'trait',
        of: head,
      })
    }
    phrases.push({
      from: start,
      head,
      slot: preposition === '' ? 'bare' : preposition,
      of: -1,
    })
    preposition = ''
  }
  return phrases.sort((a, b) => a.head - b.head)
}

const WHEN = anyOf(
  'today tomorrow yesterday tonight week month year quarter morning evening afternoon night weekend time monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter',
)

/** "last week", "all the time", "twice a week": when, not what. */
function isWhen(words: readonly Word[], { from, head }: Phrase): boolean {
  const { lemma, norm } = words[head]!
  if (!WHEN.has(lemma) && !WHEN.has(norm)) return false
  return (
    from === head ||
    words[from - 1]?.norm === 'all' ||
    words[from + 1]?.norm === 'same' ||
    /^(?:this|last|next|every|each|that|all|any|some)$/.test(words[from]!.norm) ||
    (/^an?$/.test(words[from]!.norm) && /^(?:once|twice|times)$/.test(words[from - 1]?.norm ?? ''))
  )
}

/** Gives bare phrases their place by the verb. */
export function place(
  words: readonly Word[],
  phrases: readonly Phrase[],
  verb: number,
  clause: Clause | undefined,
): readonly Phrase[] {
  const passive = clause?.passive === true
  return phrases.map((phrase) => {
    if (phrase.slot === 'by' && passive) return placed(phrase, 'subject')
    if (phrase.slot !== 'bare') return phrase
    if (phrase.head > verb && isWhen(words, phrase)) return placed(phrase, 'at')
    const before =
      phrase.head < verb ||
      (words[verb]!.tag === 'X' && words[verb + 1]?.tag === 'P' && phrase.head === verb + 1)
    return placed(phrase, before && !passive ? 'subject' : 'object')
  })
}
