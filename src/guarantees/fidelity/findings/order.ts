import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import type { Part, Statement } from '../reading/statements.ts'
import { anyOf } from '../words/cues.ts'
import { isDenied, isSame, matches } from './crossing.ts'

/** Something that happens, by the words that tell of it. */
interface Happening {
  readonly at: number
  /** Places of its telling words. */
  readonly told: readonly number[]
}

interface Timeline {
  /** One before the other. */
  readonly pairs: readonly (readonly [Happening, Happening])[]
  /** Those told one after another with "first", "then", "last". */
  readonly chain: readonly Happening[]
}

/** What comes first and what after, and from when until when. */
export function orderFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const boundaries = claim.statements.flatMap((statement) => turnedBoundary(comparison, statement) ?? [])
  boundaries.push(...claim.statements.flatMap((statement) => formerState(comparison, statement) ?? []))
  const mine = timelineOf(claim, false)
  const ends = endsOf(claim)
  boundaries.push(...plannedDay(comparison))
  if (mine.pairs.length === 0 && ends.length === 0) return boundaries
  const theirs = timelineOf(source, true)
  const turned = mine.pairs.flatMap(([first, second]) => {
    const before = (a: Happening, b: Happening) =>
      theirs.pairs.find(([x, y]) => isOf(comparison, x, a) && isOf(comparison, y, b))
    if (before(first, second) !== undefined) return []
    const reverse = before(second, first)
    return reverse === undefined
      ? []
      : [tell(comparison, [reverse[0].at, reverse[1].at], [first.at, second.at])]
  })
  const displaced = ends.flatMap(({ happening, end }) => {
    const at = theirs.chain.findIndex((one) => isOf(comparison, one, happening))
    const wanted = end === 'first' ? 0 : theirs.chain.length - 1
    return at < 0 || at === wanted || isOf(comparison, theirs.chain[wanted]!, happening)
      ? []
      : [tell(comparison, [theirs.chain[at]!.at], [happening.at])]
  })
  return [...boundaries, ...turned, ...displaced]
}

const tell = (comparison: Comparison, s: readonly number[], c: readonly number[]): Finding =>
  finding(
    comparison,
    'role_swap',
    'hard',
    0.85,
    s,
    c,
    `the order differs: '${said(comparison.source, ...s)}' became '${said(comparison.claim, ...c)}'`,
  )

const EMPTY = anyOf(
  'be have do get take place happen occur come go run start begin end finish only then first last',
)

function happeningOf({ words }: Side, { head, parts, at }: Statement): Happening {
  const told = parts
    .filter(({ slot, key, measure }) => key === 'word' && measure === undefined && !TIMED.has(slot))
    .map((part) => part.stands[0] ?? part.at)
  if (head >= 0 && !EMPTY.has(words[head]!.lemma) && !told.includes(head)) told.push(head)
  return { at: head >= 0 ? head : at, told }
}

const TIMED = anyOf('before after until since')

/** A noun phrase after "before" or "after", with its traits. */
const phraseOf = (statement: Statement, part: Part): Happening => ({
  at: part.at,
  told: [
    part.at,
    ...statement.parts.filter(({ of, slot }) => of === part.at && slot === 'trait').map(({ at }) => at),
  ],
})

function timelineOf(side: Side, clocks: boolean): Timeline {
  const { statements, words } = side
  const pairs: [Happening, Happening][] = []
  const happenings = statements.map((statement) => happeningOf(side, statement))
  const byClause = (id: number) => statements.findIndex(({ clause }) => clause?.id === id)
  for (const [s, statement] of statements.entries()) {
    const own = happenings[s]!
    for (const part of statement.parts) {
      if (part.key === 'open' || part.measure !== undefined || part.borrowed) continue
      if (part.slot === 'before' || part.slot === 'until')
        pairs.push(
          isDenied(side, statement) ? [phraseOf(statement, part), own] : [own, phraseOf(statement, part)],
        )
      if (part.slot === 'after') pairs.push([phraseOf(statement, part), own])
    }
    const { clause } = statement
    if (clause === undefined || clause.parent < 0) continue
    const outer = happenings[byClause(clause.parent)]
    if (outer === undefined || outer === own) continue
    // "never worked until it was mended": it worked afterwards.
    const denied = side.scopes.stances[clause.parent]?.sign === -1
    if (side.scopes.stances[clause.parent]?.sign === 0) continue
    if (clause.link === 'before' || clause.link === 'until') pairs.push(denied ? [own, outer] : [outer, own])
    else if (clause.link === 'after') pairs.push([own, outer])
    else if (clause.link === 'time' && /^(?:once|as_soon_as|when)$/.test(words[clause.start]?.norm ?? ''))
      pairs.push([own, outer])
  }
  const chain = chainOf(side, happenings)
  for (const [i, one] of chain.entries()) for (const other of chain.slice(i + 1)) pairs.push([one, other])
  if (clocks) pairs.push(...byTheClock(statements, happenings))
  return { pairs, chain }
}

const NEXT = /^(?:then|next|afterwards|afterward|finally|last|lastly|later|subsequently|eventually)$/

/** "First a, then b, last c". */
function chainOf({ statements, words }: Side, happenings: readonly Happening[]): readonly Happening[] {
  const chain: Happening[] = []
  // "revert the migration first": at the end of what it is said of.
  const says = (s: number, norm: string) => {
    const to = statements[s + 1]?.at ?? words.length
    for (let i = statements[s]!.at; i < to; i++)
      if (words[i]!.norm === norm && /^(?:|\.|,)$/.test(words[i + 1]?.norm ?? '')) return true
    return false
  }
  for (const [s, { at, head, clause }] of statements.entries()) {
    if (clause !== undefined && !clause.finite) continue
    const opens = (pattern: RegExp) => {
      for (let i = Math.max(0, at - 3); i < Math.max(head, at + 1) && i < words.length; i++)
        if (pattern.test(words[i]!.norm) && (i >= at || words[i]!.tag !== '.')) return true
      return false
    }
    if (chain.length > 0 && (opens(NEXT) || words[at]?.norm === 'then')) chain.push(happenings[s]!)
    else if (opens(/^(?:first|firstly)$/) || says(s, 'first')) chain.splice(0, chain.length, happenings[s]!)
    else if (chain.length < 2) chain.splice(0, chain.length, happenings[s]!)
  }
  return chain.length > 1 ? chain : []
}

/** Lines of a log: one hour before another. */
function byTheClock(
  statements: readonly Statement[],
  happenings: readonly Happening[],
): [Happening, Happening][] {
  const timed = statements.flatMap(({ parts }, s) => {
    const own = parts.filter(({ measure }) => measure?.kind === 'clock ' || measure?.kind === 'day date')
    return own.length === 1 ? [{ at: own[0]!.measure!, happening: happenings[s]! }] : []
  })
  if (timed.length < 2 || timed.length > 8) return []
  return timed.flatMap((one) =>
    timed
      .filter(({ at }) => at.kind === one.at.kind && one.at.value < at.value)
      .map((other): [Happening, Happening] => [one.happening, other.happening]),
  )
}

/** What the claim puts at the beginning or the end. */
function endsOf(side: Side): { happening: Happening; end: 'first' | 'last' }[] {
  return side.statements.flatMap((statement) => {
    const to = side.statements[statement.id + 1]?.at ?? side.words.length
    const words = side.words.slice(statement.at, to)
    const end = words.find(
      ({ norm, tag }, i) =>
        /^(?:first|last)$/.test(norm) && tag !== '.' && /^(?:|\.|,)$/.test(words[i + 1]?.norm ?? ''),
    )
    return end === undefined
      ? []
      : [
          {
            happening: happeningOf(side, statement),
            end: end.norm === 'first' ? ('first' as const) : ('last' as const),
          },
        ]
  })
}

/** Half of what the claim's happening is told by is in the source's. */
function isOf({ source, claim, alignment }: Comparison, theirs: Happening, mine: Happening): boolean {
  if (mine.told.length === 0) return false
  const there = new Set(theirs.told.map((s) => source.words[s]!.lemma))
  let met = 0
  for (const c of mine.told) {
    const link = alignment.links[c]!
    const linked = link.source >= 0 && link.likeness.sign === 1 && link.likeness.score >= 0.6
    if (there.has(claim.words[c]!.lemma) || (linked && there.has(source.words[link.source]!.lemma))) met++
  }
  return met * 2 >= mine.told.length || (met > 0 && met === there.size)
}

const FROM = anyOf('from since after starting')
const UNTIL = anyOf('until till by before through to')
const EITHER = anyOf('before after')
const ON = anyOf('on at in')

/** The word before a time; "not until" says from when. */
function boundaryOf(side: Side, statement: Statement, { at }: Part): string {
  const { norm } = side.words[at - 1] ?? { norm: '' }
  return UNTIL.has(norm) && (side.words[at - 2]?.tag === '-' || isDenied(side, statement)) ? 'from' : norm
}

/** "valid until March" became "valid from March", "on Friday" became "before Friday". */
function turnedBoundary(comparison: Comparison, mine: Statement): Finding | undefined {
  const { source, claim } = comparison
  for (const part of mine.parts) {
    if (part.measure === undefined) continue
    const here = boundaryOf(claim, mine, part)
    let against: { statement: Statement; part: Part } | undefined
    for (const statement of source.statements) {
      const theirs = statement.parts.find(
        ({ measure }) => measure?.kind === part.measure!.kind && measure.value === part.measure!.value,
      )
      if (theirs === undefined) continue
      const there = boundaryOf(source, statement, theirs)
      const differs =
        (FROM.has(here) && UNTIL.has(there)) ||
        (UNTIL.has(here) && FROM.has(there)) ||
        (EITHER.has(here) && ON.has(there))
      if (!differs) {
        against = undefined
        break
      }
      if (
        mine.head >= 0 &&
        statement.head >= 0 &&
        (isSame(source.words[statement.head]!, claim.words[mine.head]!) ||
          claim.words.some(({ norm }) => norm === source.words[statement.head]!.norm))
      )
        against = { statement, part: theirs }
    }
    if (against !== undefined)
      return finding(
        comparison,
        'number_mismatch',
        'hard',
        0.85,
        [against.part.at - 1, against.part.at],
        [part.at - 1, part.at],
        `'${said(source, against.part.at - 1, against.part.at)}' became '${said(claim, part.at - 1, part.at)}'`,
      )
  }
  return undefined
}

const FORMERLY = anyOf(
  'was were had used_to originally previously formerly before initially earlier first until no_longer',
)
const NOW = anyOf('now nowadays today currently these_days anymore no_longer')

/** "moved from Monday to Wednesday": it is no longer on Monday. "was a vegetarian but now eats fish": she no longer is. */
function formerState(comparison: Comparison, mine: Statement): Finding | undefined {
  const { source, claim } = comparison
  const { clause } = mine
  if (clause === undefined || clause.tense === 'past' || isDenied(claim, mine)) return undefined
  const to = claim.statements[mine.id + 1]?.at ?? claim.words.length
  if (claim.words.slice(mine.at, to).some(({ norm }) => FORMERLY.has(norm))) return undefined
  const subject = mine.parts.filter(({ slot }) => slot === 'subject')
  if (subject.length === 0) return undefined
  const speaksOf = (statement: Statement) =>
    subject.some((part) => statement.parts.some((other) => matches(comparison, other, part)))
  const passed = passedState(comparison, mine)
  if (passed !== undefined) return passed
  for (const statement of source.statements) {
    if (!speaksOf(statement)) continue
    const ends = endsOfChange(source, statement)
    for (const part of mine.parts) {
      if (part.slot === 'subject' || claim.words[part.at - 1]?.norm === 'from') continue
      if (
        ends !== undefined &&
        matches(comparison, ends.from, part) &&
        !mine.parts.some((one) => matches(comparison, ends.to, one))
      )
        return tell(comparison, [ends.from.at, ends.to.at], [part.at])
    }
    const { clause: theirs } = statement
    if (
      clause.copula &&
      theirs?.copula === true &&
      theirs.tense === 'past' &&
      /^(?:was|were)$/.test(source.words[theirs.verb]?.norm ?? '') &&
      mine.head >= 0 &&
      statement.head >= 0 &&
      source.words[statement.head]!.lemma === claim.words[mine.head]!.lemma &&
      source.words.some(({ norm }, i) => i > statement.head && NOW.has(norm)) &&
      !source.statements.some(
        ({ head, clause: other }) =>
          head !== statement.head &&
          other?.tense === 'present' &&
          head >= 0 &&
          source.words[head]!.lemma === claim.words[mine.head]!.lemma,
      )
    )
      return tell(comparison, [statement.head], [mine.head])
  }
  return undefined
}

const SINCE = anyOf('now nowadays today currently these_days since meanwhile')

/** "Until June the rent was 900; since then it has been 980": a measure of the past, where the present has its own. */
function passedState(comparison: Comparison, mine: Statement): Finding | undefined {
  const { source } = comparison
  const former = mine.parts.find((part) => isFormer(comparison, mine, part))
  if (former !== undefined) return tell(comparison, [], [former.at])
  for (const part of mine.parts) {
    if (part.measure === undefined) continue
    const there = source.statements.flatMap((statement) =>
      statement.parts
        .filter(({ measure }) => measure?.kind === part.measure!.kind)
        .map((one) => ({ statement, one })),
    )
    const [own] = there.filter(({ one }) => matches(comparison, one, part))
    const past = own?.statement.clause
    if (own === undefined || (past?.tense !== 'past' && past?.link !== 'until')) continue
    const present = there.find(
      ({ statement: { id, at, clause }, one }) =>
        id > own.statement.id &&
        !matches(comparison, one, part) &&
        !mine.parts.some((other) => matches(comparison, one, other)) &&
        source.words.some(({ norm }, i) => i >= at - 3 && i <= one.at + 2 && SINCE.has(norm)) &&
        (clause?.tense === 'present' || source.words[clause?.verb ?? -1]?.lemma === 'have'),
    )
    if (present !== undefined) return tell(comparison, [own.one.at, present.one.at], [part.at])
  }
  return undefined
}

/** "used to meet in the library": what is so today is told beside it. */
function isFormer(comparison: Comparison, mine: Statement, part: Part): boolean {
  const { source, claim } = comparison
  if (part.key !== 'word' || part.slot === 'subject' || part.slot === 'owner') return false
  if (part.measure === undefined && claim.words[part.at]!.tag !== 'N') return false
  const told = source.statements.filter(({ parts }) => parts.some((one) => matches(comparison, one, part)))
  const [first] = told
  return (
    first !== undefined &&
    told.every((statement) => usedTo(source, statement)) &&
    source.statements.length > 1 &&
    (mine.head < 0 ||
      first.head < 0 ||
      part.measure !== undefined ||
      isSame(source.words[first.head]!, claim.words[mine.head]!))
  )
}

const usedTo = ({ words }: Side, { clause }: Statement) =>
  clause !== undefined && words.slice(clause.start, clause.head + 1).some(({ norm }) => norm === 'used_to')

/** "on Thursday, a day later than planned" became "on Wednesday". */
function plannedDay(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const put =
    /\b(?:later|earlier|sooner) than (?:was )?(?:planned|expected|scheduled|announced|hoped|promised)\b/i
  if (
    !put.test(source.text) ||
    /\b(?:plan|expected for|schedul|original|initial|first|due)/i.test(claim.text)
  )
    return []
  const days = (side: Side) =>
    side.statements.flatMap(({ parts }) => parts.filter(({ measure }) => /^day/.test(measure?.kind ?? '')))
  const [theirs, mine] = [days(source), days(claim)]
  const [here] = mine
  const [there] = theirs
  if (here === undefined || there === undefined || mine.length > 1 || theirs.length > 1) return []
  return here.measure!.kind === there.measure!.kind && here.measure!.value !== there.measure!.value
    ? [tell(comparison, [there.at], [here.at])]
    : []
}

/** "from Monday to Wednesday": both ends of a change. */
function endsOfChange({ words }: Side, { parts }: Statement): { from: Part; to: Part } | undefined {
  const end = (norm: string) =>
    parts.find(
      ({ slot, measure, at }) => slot === norm || (measure !== undefined && words[at - 1]?.norm === norm),
    )
  const [from, to] = [end('from'), end('to')]
  if (from === undefined || to === undefined || from.measure?.kind !== to.measure?.kind) return undefined
  const changes = words.some(({ lemma }) =>
    /^(?:move|change|switch|migrate|shift|reschedule|postpone|transfer|relocate|raise|lower|cut|increase|reduce|rename|go|drop|rise|fall|grow|push_back|bring_forward|upgrade|downgrade)$/.test(
      lemma,
    ),
  )
  return changes ? { from, to } : undefined
}
