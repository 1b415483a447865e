import { type Comparison, clauseAt, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import type { Quantity } from '../quantities/quantities.ts'

const BREAKS = /^(?:[.;,:!?]|but|and|except|otherwise|whereas|while)$/

interface Hour {
  readonly at: number
  /** Hours of a half day; minutes in parts. */
  readonly value: number
}

/** Hours told by a clock, or by a bare number behind "at", "till", "from". */
function hoursIn({ words, quantities }: Side, from: number, to: number): Hour[] {
  const list: Hour[] = []
  for (let i = from; i < to; i++) {
    const quantity = quantities.find((one) => one.from === i)
    if (quantity?.kind === 'clock') list.push({ at: i, value: (quantity.value / 60) % 12 })
    else if (
      (quantity === undefined ? words[i]!.norm === 'one' : isBare(quantity)) &&
      /^(?:at|till|until|from|to|by|between)$/.test(words[i - 1]?.norm ?? '')
    )
      list.push({ at: i, value: (quantity?.value ?? 1) % 12 })
  }
  return list
}

const isBare = ({ kind, value, from, to }: Quantity) =>
  kind === 'count' && to === from + 1 && value > 0 && value < 24 && Number.isInteger(value)

/** The claim tells of a day the hour the source has for it. */
export const isOwnHour = (comparison: Comparison): boolean => ownHour(comparison)?.fits === true

/** "closes at 8, on Sundays at 2" became "on Sundays at 8": each day has its own hours. */
function hourOfAnotherDay(comparison: Comparison): Finding | undefined {
  const own = ownHour(comparison)
  return own === undefined || own.fits ? undefined : tell(comparison, own.theirs, own.mine)
}

interface OwnHour {
  readonly fits: boolean
  readonly theirs: readonly number[]
  readonly mine: readonly number[]
}

function ownHour(comparison: Comparison): OwnHour | undefined {
  const { source, claim } = comparison
  const isWeekday = ({ kind, unit }: Quantity) => kind === 'day' && unit === 'weekday'
  const days = claim.quantities.filter(isWeekday)
  const hours = hoursIn(claim, 0, claim.words.length)
  const [day] = days
  const [hour] = hours
  if (day === undefined || days.length > 1 || hour === undefined || hours.length > 1) return undefined
  const theirs = source.quantities.filter((one) => isWeekday(one) && one.value === day.value)
  if (theirs.length !== 1) return undefined
  let from = theirs[0]!.from
  let to = theirs[0]!.to
  while (from > 0 && !BREAKS.test(source.words[from - 1]!.norm)) from--
  const end = () => {
    while (to < source.words.length && !BREAKS.test(source.words[to]!.norm)) to++
  }
  end()
  let own = hoursIn(source, from, to)
  // "except on Sundays, when it shuts at 2"
  if (own.length === 0 && to < source.words.length && !/^[.!?]$/.test(source.words[to]!.norm)) {
    to++
    end()
    own = hoursIn(source, from, to)
  }
  const all = hoursIn(source, 0, source.words.length)
  const same = ({ value }: Hour) => value === hour.value
  if (own.length === 0 || !all.some(same)) return undefined
  return { fits: own.some(same), theirs: [theirs[0]!.from, own[0]!.at], mine: [day.from, hour.at] }
}

/** "2019, and two years later he moved" became "moved in 2019". */
function yearOfAnotherEvent(comparison: Comparison): Finding | undefined {
  const { source, claim, alignment } = comparison
  if (comparison.edited || claim.words.some(({ norm }) => /^(?:before|after|later|since)$/.test(norm)))
    return undefined
  for (const mine of claim.quantities) {
    if (mine.kind !== 'count' || mine.value < 1900 || mine.value >= 2100) continue
    const theirs = source.quantities.filter(({ kind, value }) => kind === 'count' && value === mine.value)
    const [year] = theirs
    const clause = clauseAt(claim, mine.from)
    if (year === undefined || theirs.length > 1 || clause === undefined) continue
    const { source: s, likeness } = alignment.links[clause.head]!
    if (s < 0 || likeness.score < 0.6 || s < year.to) continue
    const later = source.words.findIndex(
      ({ norm }, i) => norm === 'later' && i > year.to && source.sentenceOf[i] === source.sentenceOf[s],
    )
    const step = source.quantities.find(({ kind, to }) => kind === 'duration' && to === later)
    if (later < 0 || step === undefined || Math.abs(later - s) > 8) continue
    // What stands before the year and the step is of the year.
    if (source.words.slice(year.to, step.from).every((_, i) => i + year.to !== s))
      return tell(comparison, [step.from, later], [mine.from])
  }
  return undefined
}

const tell = (comparison: Comparison, s: readonly number[], c: readonly number[]): Finding =>
  finding(
    comparison,
    'number_mismatch',
    'hard',
    0.85,
    s,
    c,
    `the source has '${said(comparison.source, ...s)}', the claim '${said(comparison.claim, ...c)}'`,
  )

/** Hours and years told of another day or another event than the source's. */
export const ownTimeFindings = (comparison: Comparison): Finding[] =>
  comparison.claim.quantities.length === 0 || comparison.source.quantities.length < 2
    ? []
    : [hourOfAnotherDay(comparison), yearOfAnotherEvent(comparison)].flatMap((one) => one ?? [])
