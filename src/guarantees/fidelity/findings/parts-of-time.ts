import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'

type Span = readonly [from: number, to: number]

/** Hours of the day, in minutes; noon is the end of one and no part of the other. */
const OF_DAY: ReadonlyMap<string, Span> = new Map([
  ['morning', [0, 720]],
  ['afternoon', [721, 1080]],
  ['evening', [1020, 1439]],
])
const DAYTIME = /^(?:mornings?|afternoons?|evenings?|nights?|tonight|overnight|lunchtime|midday)$/

/** "in the afternoon", of what is to come before noon. */
function wrongPartOfDay(comparison: Comparison): Finding | undefined {
  const { source, claim } = comparison
  const at = claim.words.findIndex(({ norm }) => OF_DAY.has(norm))
  if (at < 0 || source.words.some(({ norm }) => DAYTIME.test(norm))) return undefined
  const [from, to] = OF_DAY.get(claim.words[at]!.norm)!
  // Hours whose half of the day is told: noon, 14:30, 9 am.
  const clocks = source.quantities.filter(
    ({ kind, value, to: end }) =>
      kind === 'clock' && (value >= 720 || /^[ap]\.?m$|am$/.test(source.words[end - 1]?.norm ?? '')),
  )
  const [first] = clocks
  if (first === undefined || clocks.some(({ value }) => value >= from && value <= to)) return undefined
  if (source.quantities.some(({ kind }) => kind === 'duration') || claim.words.some(({ tag }) => tag === '-'))
    return undefined
  return tell(comparison, [first.from, first.to - 1], [at])
}

const PARTS: ReadonlyMap<string, Span> = new Map([
  ['start', [1, 8]],
  ['beginning', [1, 8]],
  ['early', [1, 12]],
  ['middle', [10, 20]],
  ['mid', [10, 20]],
  ['end', [22, 31]],
  ['late', [19, 31]],
])

const WEEKS: ReadonlyMap<string, Span> = new Map([
  ['first', [1, 7]],
  ['second', [8, 14]],
  ['third', [15, 21]],
  ['last', [24, 31]],
])

interface Time {
  readonly month: number
  readonly span: Span
  readonly at: number
  readonly to: number
}

/** "the end of March", "mid October", "5 May": which days of which month. */
function timesIn({ words, quantities }: Side): Time[] {
  return quantities.flatMap(({ kind, unit, value, from, to }) => {
    if (kind !== 'day' || (unit !== 'month' && unit !== 'date')) return []
    const of = words[from - 1]?.norm === 'of' ? from - 2 : from - 1
    const named = words[of]?.norm ?? ''
    // "the first week of April"
    const part =
      unit === 'month'
        ? (PARTS.get(named) ?? WEEKS.get(named === 'week' ? (words[of - 1]?.norm ?? '') : ''))
        : ([value % 100, value % 100] as const)
    if (part === undefined) return []
    const month = unit === 'month' ? value : Math.floor(value / 100)
    const at = unit === 'month' ? of : from
    const before = words[at - 1]?.norm === 'the' ? words[at - 2]?.norm : words[at - 1]?.norm
    const open = /^(?:from|after|since|no_earlier_than|starting|not_before)$/.test(before ?? '')
    const closed = /^(?:by|before|until|till|no_later_than|through)$/.test(before ?? '')
    return [{ month, at, to, span: [closed ? 1 : part[0], open ? 31 : part[1]] as const }]
  })
}

/** "the end of March", of what is on the first. */
function wrongPartOfMonth(comparison: Comparison): Finding | undefined {
  const { source, claim } = comparison
  const mine = timesIn(claim).find(({ at }) => PARTS.has(claim.words[at]!.norm))
  if (mine === undefined || comparison.edited) return undefined
  const theirs = timesIn(source).filter(({ month }) => month === mine.month)
  const [first] = theirs
  // "until the end of March" is not told apart from its first days; its end is what the claim names.
  const { span } = mine
  const named: Span = claim.words[mine.at]!.norm === 'end' ? [22, 31] : span
  if (first === undefined || theirs.some((one) => one.span[0] <= named[1] && one.span[1] >= named[0]))
    return undefined
  return tell(comparison, [first.at, first.to - 1], [mine.at, mine.to - 1])
}

const tell = (comparison: Comparison, s: readonly number[], c: readonly number[]): Finding =>
  finding(
    comparison,
    'number_mismatch',
    'hard',
    0.8,
    s,
    c,
    `the time differs: '${said(comparison.source, ...s)}' became '${said(comparison.claim, ...c)}'`,
  )

/** Parts of the day and of the month, where the source names hours and days. */
export const partOfTimeFindings = (comparison: Comparison): Finding[] =>
  comparison.source.quantities.length === 0
    ? []
    : [wrongPartOfDay(comparison), wrongPartOfMonth(comparison)].flatMap((one) => one ?? [])
