import type { Quantity } from '../quantities/quantities.ts'
import type { Word } from '../words/tagging.ts'

export interface Measure {
  readonly kind: string
  readonly value: number
}

export interface Measured {
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
export function measuresOf(
  words: readonly Word[],
  quantities: readonly Quantity[],
): ReadonlyMap<number, Measured> {
  const found = new Map<number, Measured>()
  const put = (from: number, to: number, measure: Measure) => {
    for (let i = from; i < to; i++) found.set(i, { from, to, measure })
  }
  for (const { loose, kind, unit, value, from, to } of quantities)
    if (
      loose !== true &&
      kind !== 'ordinal' &&
      words[from - 1]?.norm !== 'every' &&
      !(
        words[from]!.norm === 'one' &&
        to === from + 1 &&
        (words[from - 1]?.tag === 'A' || /^[VXM]$/.test(words[to]?.tag ?? ''))
      )
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
      put(i, i + (other ? 3 : 2), {
        kind: 'every',
        value: period * (other ? 2 : 1),
      })
  }
  return found
}
