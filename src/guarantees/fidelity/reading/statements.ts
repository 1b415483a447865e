import type { Quantity } from '../quantities/quantities.ts'
import { anyOf } from '../words/cues.ts'
import { isFeminine, isMasculine, isPerson } from '../words/people.ts'
import type { Word } from '../words/tagging.ts'
import type { Clause, Reading } from './clauses.ts'
import { antecedentFor, inSlot, lend, listed, nearestIn, parallelTo, subjectFor, withShared } from './gaps.ts'
import { measuresOf } from './measures.ts'
import { type Phrase, phrasesOf, place, placed } from './noun-phrases.ts'
import type { Part, Slot, Statement } from './statement.ts'

export type { Part, Statement } from './statement.ts'

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

const SELF = anyOf('i me my mine myself we us our ours user team')
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
  /** Parts of a subject whose verb comes after a clause about it. */
  let ahead: { readonly clause: number; readonly parts: readonly Part[] } | undefined

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
    if ((SELF.has(norm) && !isAnyUser(words, head)) || (addressed && YOU.has(norm))) {
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
    const last = new Map(near.map((i) => [words[i]!.norm, i]))
    const distinct = near.filter((i) => last.get(words[i]!.norm) === i)
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
        const mine = ahead !== undefined && ahead.clause === clauseId ? ahead.parts : []
        const all = [...mine, ...waiting, ...parts]
        const before = nearestIn([
          ...(last?.sentence === sentence ? last.parts : []),
          ...(ahead?.parts ?? []),
        ])
        waiting = []
        if (mine.length > 0) ahead = undefined
        const wanted: Slot = clause?.passive === true ? 'object' : 'subject'
        const subject = all.some(({ slot, borrowed }) => slot === wanted && !borrowed)
        const lent = subject
          ? antecedentFor(clause, before, words, all)
          : subjectFor({
              clause,
              clauses,
              last,
              before,
              words,
              found,
              sentence,
            })
        const nominal = predicate(words, clause, head, all)
        tell(spoken(words, clause, head, last), clause, [...lent, ...all, ...nominal], from)
      } else {
        const parts = own.map((one) =>
          partOf(one.slot === 'by' && last?.clause?.passive === true ? placed(one, 'subject') : one),
        )
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
          const filled = parts.map((part) => (part.slot === 'bare' ? inSlot(part, slot) : part))
          tell(last.head, clause, [...subject.map((part) => lend(part)), ...filled], from)
        }
        const parallel =
          last === undefined || last.sentence !== sentence ? undefined : parallelTo(last, parts)
        const labelled = words[to]?.norm === ':'
        if (again) {
          // Told already.
        } else if (clause !== undefined && clause.verb > to && to <= clause.subject[1] && !labelled)
          ahead = {
            clause: clauseId,
            parts: parts.map((part) =>
              part.slot === 'bare' ? inSlot(part, clause.passive ? 'object' : 'subject') : part,
            ),
          }
        else if (parallel !== undefined) tell(last!.head, clause, parallel, from)
        else if (last !== undefined && last.sentence === sentence && waiting.length === 0)
          found[found.length - 1] = {
            id: last.id,
            head: last.head,
            clause: last.clause,
            parts: [...last.parts, ...parts.map((part) => listed(last, part))],
            at: last.at,
            sentence: last.sentence,
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
        ahead = undefined
      }
      to++
    }
    if (to === from) to++
    from = to
  }
  if (waiting.length > 0) tell(-1, undefined, waiting, 0)
  return withShared(reading, found)
}

/** "every user", "a new user": not the one these notes are about. */
const isAnyUser = (words: readonly Word[], at: number) =>
  words[at]!.norm === 'user' &&
  ((words[at - 1]?.tag === 'D' && !/^(?:the|this|that|'s)$/.test(words[at - 1]!.norm)) ||
    words[at - 1]?.tag === 'A')

/** "Guests may not.", "Ben hasn't": the verb that is left out is the one before. */
function spoken(
  words: readonly Word[],
  clause: Clause | undefined,
  head: number,
  last: Statement | undefined,
): number {
  // "before the customer did": whether he did is not said.
  if (clause === undefined || /^(?:before|until|condition|exception)$/.test(clause.link)) return head
  if (clause.copula || head !== clause.head || last === undefined || last.head < 0) return head
  const word = words[head]!
  if ((word.tag !== 'M' && word.tag !== 'X') || words[last.head]!.tag !== 'V') return head
  let next = head + 1
  while (words[next]?.tag === '-' || words[next]?.tag === 'R') next++
  return /^[.CS]$/.test(words[next]?.tag ?? '.') ? last.head : head
}

const endsSentence = (words: readonly Word[], at: number) => at >= words.length || STRONG.has(words[at]!.norm)

const toSubject = (part: Part, always: boolean): Part =>
  (always || part.slot === 'bare') && part.slot !== 'quantity' ? inSlot(part, 'subject') : part

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
    {
      at: head,
      slot: 'object',
      of: -1,
      stands: [head],
      key: 'word',
      measure: undefined,
      borrowed: false,
    },
  ]
}
