import { isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { UNITS } from '../quantities/measures.ts'

const DAY = 86_400
const NAMED: ReadonlyMap<string, number> = new Map([
  ['daily', 1],
  ['nightly', 1],
  ['every_day', 1],
  ['each_day', 1],
  ['everyday', 1],
  ['weekly', 7],
  ['every_week', 7],
  ['each_week', 7],
  ['fortnightly', 14],
  ['monthly', 30.4375],
  ['every_month', 30.4375],
  ['quarterly', 91.3125],
  ['yearly', 365.25],
  ['annually', 365.25],
  ['every_year', 365.25],
  ['hourly', 1 / 24],
])
const PARTS = /^(?:morning|afternoon|evening|night)$/

interface Frequency {
  readonly at: number
  /** Days from one time to the next. */
  readonly days: number
}

/** "daily", "every other day", "twice a week", "every three months". */
function frequenciesOf({ words, quantities }: Side): Frequency[] {
  const list: Frequency[] = []
  for (let i = 0; i < words.length; i++) {
    const { norm } = words[i]!
    const counted = quantities.find(({ from, kind, per }) => from === i && kind === 'times' && per !== '')
    if (counted !== undefined) {
      const period = Number(counted.per)
      if (period > 0 && counted.value > 0 && counted.bound === '=')
        list.push({ at: i, days: period / DAY / counted.value })
      i = counted.to
      continue
    }
    const named = NAMED.get(norm)
    if (named !== undefined) {
      // "the daily total" is no time of its own.
      if (words[i + 1]?.tag !== 'N') list.push({ at: i, days: named })
      continue
    }
    if (norm !== 'every' && norm !== 'each' && norm !== 'alternate') continue
    const measured = quantities.find(({ from, kind }) => from === i + 1 && kind === 'duration')
    if (measured !== undefined) {
      list.push({ at: i, days: measured.value / DAY })
      i = measured.to - 1
      continue
    }
    const alternate = norm === 'alternate'
    const other = alternate || /^(?:other|second)$/.test(words[i + 1]?.norm ?? '')
    const next = i + (other && !alternate ? 2 : 1)
    const unit = words[next]?.norm ?? ''
    const size = PARTS.test(unit) ? DAY : UNITS.get(unit)?.[0] === 'duration' ? UNITS.get(unit)![1] : 0
    const weekday = quantities.some(
      ({ kind, unit: of, from }) => kind === 'day' && of === 'weekday' && from === next,
    )
    if (size > 0 || weekday) list.push({ at: i, days: ((weekday ? 7 * DAY : size) / DAY) * (other ? 2 : 1) })
  }
  return list
}

/** 1 when both tell how often alike, -1 when not, 0 where either tells nothing or more than one thing. */
function agreement({ source, claim, alignment }: Comparison): { sign: 1 | -1 | 0; at: number; from: number } {
  const none = { sign: 0, at: -1, from: -1 } as const
  const [mine, more] = frequenciesOf(claim)
  if (mine === undefined || more !== undefined) return none
  const all = frequenciesOf(source)
  const [theirs] = all
  if (theirs === undefined || all.length > 1) return none
  const shared = claim.words.some((word, c) => {
    const { source: s, likeness } = alignment.links[c]!
    return c !== mine.at && s >= 0 && isContent(word) && word.tag !== '#' && likeness.score >= 0.75
  })
  if (!shared) return none
  return { sign: Math.abs(theirs.days / mine.days - 1) < 0.04 ? 1 : -1, at: mine.at, from: theirs.at }
}

const isDenied = ({ words }: Side) => words.filter(({ tag }) => tag === '-').length % 2 === 1

/** "every other day" became "daily". */
export function frequencyFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const { sign, at, from } = agreement(comparison)
  if (sign !== -1 || isDenied(source) || isDenied(claim)) return []
  return [
    finding(
      comparison,
      'number_mismatch',
      'hard',
      0.8,
      [from, from + 1],
      [at, at + 1],
      `how often differs: '${said(source, from, from + 1)}' became '${said(claim, at, at + 1)}'`,
    ),
  ]
}

/** "not daily", of what is done every other day. */
export const isOtherwiseOften = (comparison: Comparison): boolean =>
  isDenied(comparison.claim) && !isDenied(comparison.source) && agreement(comparison).sign === -1
