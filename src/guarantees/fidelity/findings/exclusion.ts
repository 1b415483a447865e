import { compareWords, isContent } from '../comparing/alignment.ts'
import { type Comparison, clauseAt, type Finding, finding, type Side } from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { anyOf } from '../words/cues.ts'
import { lemmaOf } from '../words/relations.ts'
import type { Word } from '../words/tagging.ts'

/**
 * "Only A do", "nobody but A does", "everyone except A does": a line between some and all others, with opposite things
 * said on either side. Whatever the words, it says two things, and a claim about either side can be held to them.
 */
interface Line {
  /** The words it is drawn with, for messages. */
  readonly at: number
  /** Who is on the small side. */
  readonly few: readonly number[]
  /** What is said of them: with the predicate or against it. The others have the reverse. */
  readonly sign: 1 | -1
  readonly clause: Clause
}

const APART = anyOf(
  'except except_for excepting excluding apart_from aside_from other_than with_the_exception_of save_for barring',
)
const ALL = anyOf(
  'all every each everyone everybody everything always any anyone anybody anything every_day both whole entire',
)
const NONE = anyOf('no none nobody no_one nothing never')
const ONLY = anyOf('only solely exclusively just alone')
const REST = anyOf('others other else rest remaining another')

/** Whether the claim agrees with a line the source draws; undefined where it draws none, or the claim is not about it. */
export function acrossTheLine(
  comparison: Comparison,
): { follows: boolean; findings: readonly Finding[] } | undefined {
  const { source, claim, alignment } = comparison
  const line = lineIn(source)
  if (line === undefined) return undefined
  const clause = claim.clauses.find(({ link }) => link === 'main')
  if (clause === undefined || claim.clauses.some(({ id, link }) => id !== clause.id && link === 'main'))
    return undefined
  const turn = sameDeed(source, line.clause, claim, clause)
  if (turn === 0) return undefined
  const said = ((clause.negators.length % 2 === 0 ? 1 : -1) * turn) as 1 | -1
  const mine = lineIn(claim)
  const holds =
    mine === undefined ? holdsOf(comparison, line, clause, said) : sameLine(source, claim, line, mine, turn)
  if (holds === undefined) return undefined
  if (!holds)
    return {
      follows: false,
      findings: [
        finding(
          comparison,
          'quantifier_shift',
          'hard',
          0.85,
          [line.at, ...line.few],
          [clause.subject[0], clause.head],
          'the source keeps some apart from all others, and the claim puts them on the wrong side',
        ),
      ],
    }
  const covered = claim.words.every(
    (word, c) =>
      !isContent(word) ||
      alignment.links[c]!.source >= 0 ||
      isPartOfLine(word.norm) ||
      c === clause.head ||
      word.tag === '#' ||
      claim.quantities.some(({ kind, from }) => kind === 'day' && from === c),
  )
  return covered ? { follows: true, findings: [] } : undefined
}

const isPartOfLine = (norm: string) =>
  ALL.has(norm) ||
  NONE.has(norm) ||
  ONLY.has(norm) ||
  REST.has(norm) ||
  APART.has(norm) ||
  /^(?:people|person|one|ones)$/.test(norm)

/** 1 when both clauses say the same of their subjects, -1 when the opposite, 0 when neither. */
function sameDeed(source: Side, theirs: Clause, claim: Side, mine: Clause): 1 | -1 | 0 {
  const [one, other] = [deedOf(source, theirs), deedOf(claim, mine)]
  if (one.lemma === other.lemma) return 1
  const { match } = compareWords(one, other)
  return match === 'antonym' ? -1 : match === 'same' || match === 'synonym' ? 1 : 0
}

/** The predicate; of "are up" and "is off" the word behind. */
function deedOf({ words }: Side, { head }: Clause): Word {
  const next = words[head + 1]
  return words[head]!.tag === 'X' && /^(?:up|down|on|off|out|in)$/.test(next?.norm ?? '')
    ? next!
    : words[head]!
}

/** What the claim says of the few, of the others, or of all together. */
function holdsOf(
  { source, claim }: Comparison,
  { few, sign }: Line,
  clause: Clause,
  said: 1 | -1,
): boolean | undefined {
  const norms = claim.words.map(({ norm }) => norm)
  const rest =
    norms.some((norm) => REST.has(norm)) || claim.words.some(({ norm }) => namesOutsider(norm, source, few))
  const all = norms.some((norm) => ALL.has(norm))
  const none = norms.some((norm) => NONE.has(norm))
  if (rest) return (none ? -said : said) === -sign
  // "the two interns": the number may be left out.
  const things = few.some((s) => source.words[s]!.tag === 'N')
    ? few.filter((s) => source.words[s]!.tag !== '#')
    : few
  const named = things.filter((s) => claim.words.some((word) => isSame(source, s, word.norm)))
  if (named.length === things.length && !all && !none && few.length > 0) {
    // A number stands for the few only beside their noun or as subject.
    const counted = few.every((s) => source.words[s]!.tag === '#')
    return counted && clause.subject[0] === clause.subject[1] ? undefined : said === sign
  }
  if (named.length === 0 && dayOutside(source, few, claim)) return all && !none ? undefined : said === -sign
  if (named.length === 0 && (all || none) && few.length > 0) return false
  return isOutsider(source, few, claim, clause) ? said === -sign : undefined
}

const isSame = (side: Side, at: number, norm: string) => {
  const one = side.words[at]!
  return one.norm === norm || one.lemma === norm || one.lemma === lemmaOf(norm, 'N')
}

/** "non-admins" of a line around admins. */
const namesOutsider = (norm: string, source: Side, few: readonly number[]) =>
  /^non-?/.test(norm) && few.some((s) => isSame(source, s, norm.replace(/^non-?/, '')))

/** Someone of a name or kind the source has not, where the line is around the subject. */
function isOutsider(source: Side, few: readonly number[], claim: Side, { subject }: Clause): boolean {
  const theirs = clauseAt(source, few[0]!)
  if (theirs === undefined || few[0]! < theirs.subject[0] || few[0]! >= theirs.subject[1]) return false
  const nouns: number[] = []
  for (let c = subject[0]; c < subject[1]; c++) if (claim.words[c]!.tag === 'N') nouns.push(c)
  return (
    nouns.length > 0 &&
    nouns.every((c) =>
      few.every((s) => /^(?:none|sister)$/.test(compareWords(source.words[s]!, claim.words[c]!).match)),
    )
  )
}

/** Tuesdays, where the line is around Sundays. */
function dayOutside({ quantities }: Side, few: readonly number[], claim: Side): boolean {
  const days = quantities.filter(
    ({ kind, unit, from }) => kind === 'day' && unit === 'weekday' && few.includes(from),
  )
  const others = claim.quantities.filter(({ kind, unit }) => kind === 'day' && unit === 'weekday')
  return (
    days.length > 0 &&
    others.length > 0 &&
    others.every(({ value }) => days.every((day) => day.value !== value))
  )
}

/** Two lines are one when they keep the same few apart, on the same side. */
function sameLine(source: Side, claim: Side, one: Line, other: Line, turn: 1 | -1): boolean | undefined {
  const matched = one.few.filter((s) =>
    other.few.some((c) => isSame(source, s, claim.words[c]!.norm) || isSame(claim, c, source.words[s]!.norm)),
  )
  if (matched.length === 0) return undefined
  return (
    matched.length === one.few.length && matched.length === other.few.length && one.sign === other.sign * turn
  )
}

/** The first line a text draws. */
function lineIn(side: Side): Line | undefined {
  for (let at = 0; at < side.words.length; at++) {
    const { norm, tag } = side.words[at]!
    if (tag === '.' && norm !== ',') continue
    if (APART.has(norm)) {
      const line = apart(side, at, at + 1)
      if (line !== undefined) return line
    } else if (norm === 'but' && isUniversalBefore(side, at)) {
      const line = apart(side, at, at + 1)
      if (line !== undefined) return line
    } else if (norm === 'excepted' || norm === 'excluded') {
      const line = behind(side, at)
      if (line !== undefined) return line
    } else if (norm === 'all_but') {
      const line = drawn(side, at, phraseAfter(side, at + 1), -1)
      if (line !== undefined) return line
    } else if (norm === 'only' && isTheOnlyOne(side, at)) {
      const line = onlyOne(side, at)
      if (line !== undefined) return line
    } else if (norm === 'none_but' || norm === 'nothing_but' || (ONLY.has(norm) && tag === 'R')) {
      const line = only(side, at)
      if (line !== undefined) return line
    }
  }
  return undefined
}

/** "but" right behind a universal and its noun: "everyone but", "no one but", "every day but". */
function isUniversalBefore({ words }: Side, at: number): boolean {
  for (let i = at - 1; i >= 0 && i >= at - 5; i--) {
    const { norm, tag } = words[i]!
    if (ALL.has(norm) || NONE.has(norm)) return true
    if (tag !== 'N' && tag !== 'A' && norm !== 'of' && tag !== 'D') return false
  }
  return false
}

/** "all … except X": who is apart has the reverse of what is said; of "nobody but X" the denial is theirs to lack. */
function apart(side: Side, at: number, from: number): Line | undefined {
  const few = phraseAfter(side, from)
  const { words, sentenceOf } = side
  // "except on Sundays, when it shuts at 2": what holds of them is told.
  const after = words[(few.at(-1) ?? at) + 1]?.norm === ',' ? words[few.at(-1)! + 2]?.norm : ''
  if (after === 'when' || after === 'where' || after === 'who' || after === 'which') return undefined
  const kind = words.findIndex(
    ({ norm }, i) =>
      sentenceOf[i] === sentenceOf[at] && !few.includes(i) && (ALL.has(norm) || NONE.has(norm)),
  )
  // "Refunds are given, except for sale items": what is said without a word for all is said of all.
  if (kind < 0) return words[at]!.norm === 'but' ? undefined : drawn(side, at, few, -1)
  return drawn(side, at, few, NONE.has(words[kind]!.norm) ? 1 : -1)
}

/** "…, guide dogs excepted". */
function behind(side: Side, at: number): Line | undefined {
  const { words } = side
  let from = at
  while (from > 0 && /^[NADC#]$/.test(words[from - 1]!.tag)) from--
  if (from === at || words[from - 1]?.norm !== ',') return undefined
  const line = apart(side, from - 1, from)
  return line === undefined ? undefined : { ...line, at }
}

/** "only admins can", "runs only on Mondays", "alone" behind its noun. */
function only(side: Side, at: number): Line | undefined {
  const { words } = side
  if (words[at - 1]?.norm === 'not' || /^(?:if|when|after|once)$/.test(words[at + 1]?.norm ?? ''))
    return undefined
  // "only a handful have answered" is about how many.
  if (side.scopes.quantifiers[at + 1] === at + 1) return undefined
  const few =
    words[at]!.norm === 'alone'
      ? words[at - 1]?.tag === 'N'
        ? [at - 1]
        : []
      : words[at]!.norm === 'only' && /^[VX]$/.test(words[at + 1]?.tag ?? '')
        ? lastPhrase(side, at + 1)
        : phraseAfter(side, at + 1)
  // "only 12 left" is about how many.
  if (
    few.some(
      (i) => words[i]!.tag === '#' && !side.quantities.some(({ kind, from }) => kind === 'day' && from === i),
    )
  )
    return undefined
  if (words[at]!.norm === 'just' && clauseAt(side, at)?.subject[0] !== at + 1) return undefined
  return drawn(side, at, few, 1)
}

/** "the only one on the team who", "the only person that" */
const isTheOnlyOne = ({ words }: Side, at: number) =>
  words[at - 1]?.norm === 'the' && /^(?:one|person|man|woman)$/.test(words[at + 1]?.norm ?? '')

/** "Yusuf was the only one who voted against it": nobody else did. */
function onlyOne(side: Side, at: number): Line | undefined {
  const { words, clauses, clauseOf } = side
  const own = clauses[clauseOf[at]!]
  const clause = clauses.find(
    ({ id, link, parent }) => id > (own?.id ?? 0) && link === 'relative' && parent === own?.id,
  )
  if (own === undefined || clause === undefined || own.negators.length > 0) return undefined
  const few: number[] = []
  for (let i = own.subject[0]; i < own.subject[1]; i++) if (words[i]!.tag === 'N') few.push(i)
  if (few.length === 0) return undefined
  return { at, few, sign: clause.negators.length % 2 === 0 ? 1 : -1, clause }
}

function drawn(side: Side, at: number, few: readonly number[], sign: 1 | -1): Line | undefined {
  if (few.length === 0) return undefined
  const { sentenceOf, clauses } = side
  const clause =
    clauses.find(({ head, finite }) => finite && sentenceOf[head] === sentenceOf[at] && head > few.at(-1)!) ??
    clauses.findLast(({ head, finite }) => finite && sentenceOf[head] === sentenceOf[at] && head < at) ??
    clauseAt(side, at)
  if (clause === undefined) return undefined
  const base = clause.negators.length % 2 === 0 ? 1 : -1
  return { at, few, sign: (sign * base) as 1 | -1, clause }
}

/** "only shows up in Safari", "only drinks tea": what "only" before a verb is about comes last. */
function lastPhrase(side: Side, verb: number): number[] {
  const { words, clauseOf } = side
  let from = verb + 1
  let to = from
  for (; to < words.length && clauseOf[to] === clauseOf[verb] && words[to]!.tag !== '.'; to++)
    if (words[to]!.tag === 'I') from = to + 1
  return words[to]?.tag === 'S' ? [] : phraseAfter(side, from).filter((i) => i < to)
}

/** The nouns and numbers of the phrase that begins here: "Kim and Raj", "on Mondays", "the login test". */
function phraseAfter({ words }: Side, from: number): number[] {
  const list: number[] = []
  for (let i = from; i < words.length && i < from + 8; i++) {
    const { tag, norm } = words[i]!
    if (
      tag === 'N' ||
      (i === from && words[i]!.form === 'ing') ||
      (tag === '#' && words[i + 1]?.norm !== 'of')
    )
      list.push(i)
    else if (norm === 'of' && list.length > 0) break
    else if (tag === 'C' && norm !== 'and') break
    else if (!/^[DAIC#R]$/.test(tag) || (tag === 'I' && list.length > 0)) break
  }
  return list
}
