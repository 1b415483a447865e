import { compareWords } from '../comparing/alignment.ts'
import {
  type Comparison,
  clauseAt,
  type Finding,
  finding,
  type Side,
  said,
  supportOf,
} from '../comparing/comparison.ts'
import type { Bound } from '../quantities/bounds.ts'
import { boundImplies, OPPOSITE } from '../quantities/bounds.ts'
import { type Quantity, sameAmount } from '../quantities/quantities.ts'
import { DUTIES } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import { isClose as close, countedBy, follows } from './arithmetic.ts'
import { directionFindings } from './directions.ts'
import { frequencyFindings } from './frequencies.ts'
import { ownTimeFindings } from './own-times.ts'
import { partOfTimeFindings } from './parts-of-time.ts'
import { ratioFindings } from './ratios.ts'
import { reschedulingFindings } from './rescheduling.ts'
import { thresholdFindings } from './thresholds.ts'

/** Numbers, dates and bounds of the claim that the source does not bear out. */
export function numberFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const found: Finding[] = []
  for (const mine of claim.quantities) {
    if (mine.loose === true && !isMeant(comparison, mine)) continue
    const equal = source.quantities.filter((theirs) => sameAmount(theirs, mine))
    if (equal.length === 0) {
      const problem = missing(comparison, mine)
      if (problem) found.push(problem)
      continue
    }
    if (equal.some((theirs) => fits(comparison, theirs, mine) === undefined)) continue
    const theirs = equal[0]!
    found.push(mismatch(comparison, theirs, mine, fits(comparison, theirs, mine)!))
  }
  return [
    ...found,
    ...comparedCounts(comparison),
    ...tooFew(comparison),
    ...directionFindings(comparison),
    ...ratioFindings(comparison),
    ...thresholdFindings(comparison),
    ...frequencyFindings(comparison),
    ...ownTimeFindings(comparison),
    ...partOfTimeFindings(comparison),
    ...reschedulingFindings(comparison),
  ]
}

/** "for a week", "have a month": a number where the source has another of its kind. */
const isMeant = ({ source, claim, edited }: Comparison, { from, kind }: Quantity): boolean =>
  !edited &&
  /^(?:for|have|has|had|within|takes?|took|lasts?|lasted)$/.test(claim.words[from - 1]?.norm ?? '') &&
  source.quantities.filter((other) => other.kind === kind).length === 1 &&
  source.quantities.some((other) => other.kind === kind && other.loose !== true)

/** "needs two signatures", and one is enough. */
function tooFew(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const enough = claim.words.findIndex(({ norm }) => /^(?:enough|suffices?|sufficient)$/.test(norm))
  if (enough < 0 || claim.scopes.signs[enough] !== 1) return []
  for (const [i, { norm, tag }] of claim.words.entries()) {
    const noun = claim.words[i + 1]
    if (i > enough || !/^(?:one|single)$/.test(norm) || noun === undefined || tag === 'P') continue
    const theirs = source.quantities.find(
      (quantity) =>
        quantity.kind === 'count' &&
        quantity.value > 1 &&
        (quantity.bound === '=' || quantity.bound === '>=' || quantity.bound === '>') &&
        countedBy(source, quantity)?.lemma === noun.lemma &&
        source.words.some(
          (word) => DUTIES.get(word.norm) === 'required' || DUTIES.get(word.lemma) === 'required',
        ),
    )
    if (theirs === undefined) continue
    return [
      finding(
        comparison,
        'number_mismatch',
        'hard',
        0.85,
        placesOf(theirs),
        [i, enough],
        `the source asks for '${said(source, ...placesOf(theirs))}', to the claim '${said(claim, i, i + 1)}' is enough`,
      ),
    ]
  }
  return []
}

/** "more cats than dogs", where the source has the number of both. */
function comparedCounts(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const numberOf = (noun: Word) =>
    source.quantities.find((quantity) => countedBy(source, quantity)?.lemma === noun.lemma)
  for (const [i, { norm }] of claim.words.entries()) {
    if (norm !== 'more' && norm !== 'fewer') continue
    const [one, than, other] = [claim.words[i + 1], claim.words[i + 2], claim.words[i + 3]]
    if (one === undefined || other === undefined || than?.norm !== 'than') continue
    const [a, b] = [numberOf(one), numberOf(other)]
    if (a === undefined || b === undefined || a.bound !== '=' || b.bound !== '=') continue
    const holds = norm === 'more' ? a.value > b.value : a.value < b.value
    const denied = claim.words.slice(0, i).some(({ tag }) => tag === '-')
    if (holds !== denied) continue
    return [
      finding(
        comparison,
        'number_mismatch',
        'hard',
        0.9,
        [...placesOf(a), ...placesOf(b)],
        [i, i + 3],
        `the source has '${said(source, ...placesOf(a), ...placesOf(b))}', the claim '${said(claim, i, i + 3)}'`,
      ),
    ]
  }
  return []
}

const placesOf = ({ from, to }: Quantity) => [from, to - 1]

function mismatch(comparison: Comparison, theirs: Quantity, mine: Quantity, why: string): Finding {
  const { source, claim } = comparison
  return finding(
    comparison,
    'number_mismatch',
    'hard',
    0.9,
    [...boundPlace(source, theirs), ...placesOf(theirs)],
    [...boundPlace(claim, mine), ...placesOf(mine)],
    `${why}: '${said(source, ...boundPlace(source, theirs), ...placesOf(theirs))}' became '${said(claim, ...boundPlace(claim, mine), ...placesOf(mine))}'`,
  )
}

const boundPlace = (side: Side, { from, bound }: Quantity) =>
  bound !== '=' && from > 0 && side.words[from - 1]!.tag !== '.' ? [from - 1] : []

/** Why an equal number means something else, or undefined. */
function fits({ source, claim }: Comparison, theirs: Quantity, mine: Quantity): string | undefined {
  if (
    theirs.kind !== 'day' &&
    theirs.kind !== 'version' &&
    theirs.kind !== 'ordinal' &&
    // "before 10" and "earlier than 10"
    !(theirs.kind === 'clock' && theirs.bound === '=' && source.words[theirs.from - 1]?.tag === 'I') &&
    !implies(source, theirs, claim, mine)
  )
    return 'the bound differs'
  if (
    theirs.whole &&
    !mine.whole &&
    // "the four offices" are all of them
    !/^(?:the|all|our|my|his|her|their|these|those)$/.test(claim.words[mine.from - 1]?.norm ?? '') &&
    theirs.kind === 'count' &&
    mine.kind === 'count' &&
    source.quantities.some((other) => other !== theirs && !other.whole && other.kind === 'count')
  )
    return 'the number of all became the number of some'
  if (theirs.per !== '' && mine.per !== '' && theirs.per !== mine.per) return 'the rate differs'
  if (isOfAnother(source, claim, theirs, mine)) return 'the number is that of something else'
  return misplaced(source, claim, theirs, mine)
}

const ENDS =
  /^(?:from|to|start\w*|begins?|ends?|until|earliest|latest|least|most|minimum|maximum|min|max|up|can|may|might|could|sometimes)$/
const FORMER =
  /^(?:was|were|had|used_to|before|previously|initially|originally?|first|started|from|earlier|old|formerly|instead|until|down|up|not|no_longer)$/

const ONCE = /^(?:used_to|originally|initially|previously|formerly)$/

/** "it's 945 now" */
function isNow({ words }: Side, { from, to }: Quantity): boolean {
  for (let i = from - 1; i >= 0 && i > from - 6 && words[i]!.tag !== '.'; i--)
    if (words[i]!.norm === 'now') return true
  return words[to]?.norm === 'now' || words[to + 1]?.norm === 'now'
}

/** An end of a range or of a change told as all of it. */
function misplaced(source: Side, claim: Side, theirs: Quantity, mine: Quantity): string | undefined {
  if (
    claim.words.some(({ norm }) => ONCE.test(norm)) &&
    theirs.kind !== 'ordinal' &&
    !claim.words.some(({ norm }) => norm === 'now') &&
    isNow(source, theirs)
  )
    return 'the number is that after the change'
  if (theirs.kind === 'day' || theirs.kind === 'clock' || theirs.kind === 'ordinal') return undefined
  if (theirs.end !== '' && mine.end !== '' && theirs.end !== mine.end) return 'start and end changed places'
  const says = (pattern: RegExp) => claim.words.some(({ norm }) => pattern.test(norm))
  if (theirs.range !== undefined && mine.range === undefined && mine.bound === '=' && !says(ENDS))
    return 'a range became one of its ends'
  const clause = clauseAt(source, theirs.from)
  const changed =
    theirs.end === 'from' &&
    mine.end === '' &&
    clause?.tense === 'past' &&
    source.quantities.some(
      ({ kind, end, from }) =>
        kind === theirs.kind && end === 'to' && from > theirs.to && from < theirs.to + 4,
    )
  return changed && !says(FORMER) ? 'the number is that before the change' : undefined
}

/** "four cats and seven dogs" became "seven cats": the source counts these things otherwise. */
function isOfAnother(source: Side, claim: Side, theirs: Quantity, mine: Quantity): boolean {
  const noun = countedBy(claim, mine)
  const other = countedBy(source, theirs)
  if (
    mine.value === 1 ||
    noun === undefined ||
    other === undefined ||
    (compareWords(other, noun).match !== 'none' && compareWords(other, noun).match !== 'sister')
  )
    return false
  return source.quantities.some((rival) => {
    const counted = rival === theirs ? undefined : countedBy(source, rival)
    return counted !== undefined && counted.lemma === noun.lemma && rival.value !== mine.value
  })
}

/** Whether what one side says of a number bears out what the other says of it. */
function implies(source: Side, theirs: Quantity, claim: Side, mine: Quantity): boolean {
  const bound = extremeAt(claim, mine) ?? mine.bound
  // "has two weeks to pay": at most.
  if (mine.kind === 'duration' && bound === '=' && theirs.bound === '<=' && isAllowance(claim, mine))
    return true
  if (boundImplies(theirs.bound, bound)) return true
  // "free unless it weighs more than 20 kilos" and "up to 20 kilos it is free": what one denies is on the other side of the line.
  const other = boundImplies(OPPOSITE[theirs.bound], bound)
  if (other && isTurned(source, theirs) !== isTurned(claim, mine)) return true
  // "25 MB at most, bigger ones by the link": both sides of the line are spoken of.
  if (other && source.words.some(({ norm }) => BEYOND.test(norm))) return true
  // "unless ten sign up": ten or more, and fewer of them on the other side.
  const link = clauseAt(source, theirs.from)?.link
  return (
    theirs.bound === '=' &&
    theirs.kind === 'count' &&
    (link === 'exception' || link === 'condition') &&
    (bound === '<' || bound === '>=')
  )
}

/** "the lowest he would take is 90": a bound in another word. */
function extremeAt({ words }: Side, { from, bound }: Quantity): Bound | undefined {
  if (bound !== '=') return undefined
  for (let i = from - 1; i >= 0 && words[i]!.tag !== '.'; i--) {
    const { norm } = words[i]!
    if (/^(?:lowest|minimum|least|smallest|shortest)$/.test(norm)) return '>='
    if (/^(?:highest|maximum|most|largest|longest|limit|cap|ceiling)$/.test(norm)) return '<='
  }
  return undefined
}

const BEYOND = /^(?:bigger|larger|longer|heavier|older|higher|above|beyond|anything|otherwise|afterwards)$/

const isAllowance = ({ words }: Side, { from, to }: Quantity): boolean =>
  words[to]?.norm === 'to' &&
  words
    .slice(Math.max(0, from - 3), from)
    .some(({ norm }) => /^(?:have|has|had|get|gets|got|given|allowed)$/.test(norm))

/** The clause denies what it says of the number, and not by words of the bound; or makes an exception of it. */
function isTurned(side: Side, { from, negated }: Quantity): boolean {
  const clause = clauseAt(side, from)
  if (clause === undefined || negated) return false
  if (clause.link === 'exception') return true
  // "not uncommon to take over an hour" denies nothing of the hour.
  return side.scopes.stances[clause.id]!.deniers.length % 2 === 1
}

function missing(comparison: Comparison, mine: Quantity): Finding | undefined {
  const { source, claim } = comparison
  const rivals = source.quantities.filter(
    ({ kind, unit }) => kind === mine.kind && (kind !== 'day' || unit === mine.unit),
  )
  if (
    follows(comparison, mine) ||
    within(comparison, mine) ||
    isWritten(source, said(claim, ...placesOf(mine)))
  )
    return undefined
  if (mine.kind === 'count' && mine.value === 1 && mine.to === mine.from + 1) return undefined
  // "zero artists" for none of them
  if (mine.value === 0 && source.scopes.signs.includes(-1)) return undefined
  // "Bad Santa 2": a number of a name is weighed with the name.
  const before = claim.words[mine.from - 1]
  if (
    mine.kind === 'count' &&
    before?.proper === true &&
    claim.words[mine.from]!.tag === '#' &&
    !source.words.some(({ norm }) => norm === before.norm)
  )
    return undefined
  if (mine.kind === 'day' && mine.unit === 'relative' && rivals.length === 0) return undefined
  if (mine.kind === 'ordinal' && rivals.length === 0 && source.words.some(({ norm }) => norm === 'first'))
    return undefined
  // A day in another form: a date for a weekday cannot be compared.
  if (mine.kind === 'day' && rivals.length === 0 && source.quantities.some(({ kind }) => kind === 'day'))
    return undefined
  // "did not sign in 2014", of one who signed in 2018.
  if (
    rivals.length > 0 &&
    (mine.kind === 'day' || mine.value >= 1000) &&
    isDeniedHere(claim, mine) &&
    !rivals.some((theirs) => isDeniedHere(source, theirs))
  )
    return undefined
  const rival = rivals[0]
  // Under a denial, a narrower set is denied, too.
  if (rival === undefined && claim.scopes.directions[mine.from] === -1) return undefined
  const text = said(claim, ...placesOf(mine))
  const hard = isStated(mine) || isMeasured(comparison, mine) || isOtherLength(comparison, mine)
  return finding(
    comparison,
    'number_mismatch',
    hard ? 'hard' : 'soft',
    !hard ? 0.15 : rival === undefined ? 0.8 : 0.92,
    rival === undefined ? [] : placesOf(rival),
    placesOf(mine),
    rival === undefined
      ? `'${text}' is not in the source`
      : `the source has '${said(source, ...placesOf(rival))}', the claim '${text}'`,
  )
}

/** "took two hours", of what ran from 2:00 to 2:40. */
const isOtherLength = ({ source, claim }: Comparison, { kind }: Quantity): boolean =>
  kind === 'duration' &&
  claim.words.some(({ lemma }) => /^(?:take|last|run)$/.test(lemma)) &&
  source.quantities.filter((other) => other.kind === 'clock').length === 2 &&
  source.quantities.every((other) => other.kind !== 'duration')

/** Years, dates, sums and shares are looked up, not worked out. */
const isStated = ({ kind, unit, value, to, from }: Quantity) =>
  kind === 'money' ||
  kind === 'share' ||
  kind === 'clock' ||
  (kind === 'day' && unit !== 'weekday') ||
  (kind === 'count' && value >= 1000 && value < 2100 && to === from + 1)

/** The source measures what the claim speaks of in the same unit; other numbers may be worked out from what is not one. */
const isMeasured = (comparison: Comparison, { kind, unit, from }: Quantity) =>
  comparison.edited ||
  comparison.source.quantities.some(
    (theirs) =>
      theirs.kind === kind &&
      theirs.unit === unit &&
      theirs.loose !== true &&
      supportOf(comparison, from, theirs.from).near > 0,
  )

const isDeniedHere = (side: Side, { from }: Quantity) =>
  (clauseAt(side, from)?.negators.length ?? 0) % 2 === 1

/** "free after 6 pm": at 9 pm, too. */
function isIn(source: Side, theirs: Quantity, claim: Side, mine: Quantity): boolean {
  if (theirs.kind !== 'clock' || /^(?:after|from|since|before|until|till|by|to)$/.test(before(claim, mine)))
    return false
  // Either could be of the other half of the day.
  const isSure = (side: Side, { from, to, value }: Quantity) =>
    value >= 13 * 60 ||
    /^(?:am|pm|a\.m|p\.m|noon|midnight)$/.test(side.words[to]?.norm ?? '') ||
    /[ap]\.?m/i.test(said(side, from, to - 1))
  if (!isSure(source, theirs) || !isSure(claim, mine)) return false
  const end = before(source, theirs)
  // "from 9 to 5" has another end.
  if (source.quantities.some(({ kind, from }) => kind === 'clock' && from === theirs.to + 1)) return false
  if (/^(?:after|from|since)$/.test(end)) return mine.value >= theirs.value
  return /^(?:before|until|till)$/.test(end) && mine.value <= theirs.value
}

const before = ({ words }: Side, { from }: Quantity): string => words[from - 1]?.norm ?? ''

/** A bound or a point inside what the source gives: below 100 ms, when it was 95. */
function within({ source, claim }: Comparison, mine: Quantity): boolean {
  const same = source.quantities.filter(({ kind, unit }) => kind === mine.kind && unit === mine.unit)
  const satisfies = ({ value, bound, range }: Quantity) =>
    (mine.bound === '<' &&
      (value < mine.value || (value === mine.value && bound === '<')) &&
      bound !== '>' &&
      bound !== '>=') ||
    (mine.bound === '<=' && value <= mine.value && bound !== '>' && bound !== '>=' && range !== 'low') ||
    (mine.bound === '>' && value > mine.value && bound !== '<' && bound !== '<=') ||
    (mine.bound === '>=' && value >= mine.value && bound !== '<' && bound !== '<=' && range !== 'high') ||
    (mine.bound === '~' && Math.abs(value / mine.value - 1) < 0.06)
  if (same.some(satisfies)) return true
  // "between 86 and 87" of 86.4
  const partner = claim.quantities.find(
    (other) =>
      other !== mine &&
      other.kind === mine.kind &&
      (other.from === mine.to + 1 || other.to + 1 === mine.from),
  )
  if (partner !== undefined && claim.words[Math.min(mine.from, partner.from) - 1]?.norm === 'between') {
    const [low, high] = [Math.min(mine.value, partner.value), Math.max(mine.value, partner.value)]
    // An end that the source has is one end of a range there, and the other was changed.
    const told = same.some(({ value }) => value === low || value === high)
    if (!told && same.some(({ value, bound }) => bound === '=' && value >= low && value <= high)) return true
  }
  // "closed from 12 to 2": at 1, too.
  const hour = (quantity: Quantity) =>
    (quantity.kind === 'clock'
      ? quantity.value / 60
      : quantity.kind === 'count'
        ? quantity.value
        : Number.NaN) % 12
  if (
    mine.kind === 'clock' &&
    mine.bound === '=' &&
    source.quantities.some((theirs) => isIn(source, theirs, claim, mine))
  )
    return true
  if (mine.kind === 'clock' && mine.bound === '=')
    for (const [i, first] of source.quantities.entries()) {
      const last = source.quantities[i + 1]
      if (
        last === undefined ||
        last.from !== first.to + 1 ||
        !/^(?:to|and|-|–|till|until)$/.test(source.words[first.to]!.norm)
      )
        continue
      const [low, high] = [hour(first), hour(last) > hour(first) ? hour(last) : hour(last) + 12]
      if (hour(mine) >= low && hour(mine) < high) return true
    }
  // "between 0.7 and 1"
  const open = source.words.findIndex(({ norm }) => norm === 'between')
  const ends = same.filter(({ from }) => open >= 0 && from > open && from < open + 7)
  return (
    ends.length >= 2 &&
    claim.words.some(({ norm }) =>
      /^(?:could|can|may|would|might|acceptable|allowed|ok|okay|fine|works?|possible)$/.test(norm),
    ) &&
    mine.value >= ends[0]!.value &&
    mine.value <= ends[1]!.value
  )
}

/** The figures stand in the source, whatever they were taken for there. */
function isWritten(side: Side, figures: string): boolean {
  if (!/^[\d][\d:.,/-]*$/.test(figures) || figures.length < 3) return false
  const at = side.text.indexOf(figures)
  return at >= 0 && !/\d/.test(side.text[at - 1] ?? '') && !/\d/.test(side.text[at + figures.length] ?? '')
}

/** "40 rooms, 12 of them with a balcony" */
const isOfThem = ({ words }: Side, { to }: Quantity): boolean =>
  words[to]?.norm === 'of' && /^(?:them|which|these|those|whom)$/.test(words[to + 1]?.norm ?? '')

/** "two of the five are down" and "three are still up": the claim speaks of the rest. */
export function speaksOfTheRest({ source, claim }: Comparison): boolean {
  const { quantities } = source
  return claim.quantities.some(
    ({ kind, value }) =>
      !quantities.some((same) => same.kind === kind && close(same.value, value)) &&
      quantities.some((a) =>
        quantities.some(
          (b) =>
            a.kind === kind &&
            b.kind === kind &&
            (b.whole || isOfThem(source, a)) &&
            close(b.value - a.value, value),
        ),
      ),
  )
}
