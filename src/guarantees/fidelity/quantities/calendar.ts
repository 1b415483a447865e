import { anyOf } from '../words/cues.ts'
import type { Token } from '../words/tokens.ts'
import { ONES } from './measures.ts'
import type { Make, Quantity } from './quantities.ts'

const DAYS = new Set(
  'mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat saturday sun sunday'
    .split(' ')
    .flatMap((day) => [day, `${day}s`]),
)
export const MONTHS = anyOf(
  'jan january feb february mar march apr april may june jun july jul aug august sept sep september oct october nov november dec december',
)
const RELATIVE_DAYS = anyOf('today tonight tomorrow yesterday')
const QUARTERS = anyOf('q1 q2 q3 q4 h1 h2')

const dayNumber = (norm: string) =>
  ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].indexOf(norm.slice(0, 3)) + 1
export const monthNumber = (norm: string) =>
  ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].indexOf(
    norm.slice(0, 3),
  ) + 1

/** A day in words: 'Monday', 'June 5', 'tomorrow', 'Q3'. Months count a hundred, and the day of the month one. */
export function dayAt(tokens: readonly Token[], at: number, make: Make): Quantity | undefined {
  const { norm, kind, proper, first } = tokens[at]!
  if (DAYS.has(norm) && (norm.length > 3 || proper || first))
    return kind === 'word' && norm !== 'sun' && norm !== 'sat' && norm !== 'wed'
      ? make('day', dayNumber(norm), at + 1, 'weekday')
      : undefined
  if (MONTHS.has(norm) && (norm !== 'may' && norm !== 'march' ? true : proper)) {
    const number = monthNumber(norm)
    const day = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(tokens[at + 1]?.norm ?? '')
    if (day && Number(day[1]) <= 31) return make('day', number * 100 + Number(day[1]), at + 2, 'date')
    return make('day', number, at + 1, 'month')
  }
  if (RELATIVE_DAYS.has(norm))
    return make('day', { today: 0, tonight: 0, tomorrow: 1, yesterday: -1 }[norm]!, at + 1, 'relative')
  if (QUARTERS.has(norm)) return make('day', Number(norm[1]) + (norm[0] === 'h' ? 10 : 0), at + 1, 'quarter')
  return undefined
}

const MINUTES: Readonly<Record<string, number>> = {
  half: 30,
  quarter: 15,
  five: 5,
  ten: 10,
  twenty: 20,
  'twenty-five': 25,
}
const HALF = 12 * 60

/** Words by which a day or an hour may begin. */
export const CALENDAR_WORDS: readonly string[] = [
  ...['noon', 'midnight', ...Object.keys(MINUTES)],
  ...[...DAYS, ...MONTHS, ...RELATIVE_DAYS, ...QUARTERS],
]

/** An hour in words or glued to its half of the day: 'noon', 'half past nine', '9am', 'T22:00Z'. */
export function clockAt(tokens: readonly Token[], at: number, make: Make): Quantity | undefined {
  const { norm, kind } = tokens[at]!
  if (norm === 'noon' || norm === 'midnight') return make('clock', norm === 'noon' ? HALF : 0, at + 1)
  if (kind === 'code') {
    const stamp = /^t(\d\d):?(\d\d)(?::?\d\d)?z?$/.exec(norm)
    if (stamp !== null) return make('clock', Number(stamp[1]) * 60 + Number(stamp[2]), at + 1)
    const glued = /^(\d{1,2}(?:\.\d\d)?)([ap])m$/.exec(norm)
    return glued === null ? undefined : make('clock', minutesOf(glued[1]!, glued[2]), at + 1)
  }
  // "a quarter to eight", "ten past six"
  const minutes = Object.hasOwn(MINUTES, norm)
    ? MINUTES[norm]!
    : kind === 'number'
      ? Number(/^\d\d?$/.exec(norm)?.[0] ?? Number.NaN)
      : Number.NaN
  if (Number.isNaN(minutes) || minutes > 30) return undefined
  const turn = tokens[at + 1]?.norm
  // "from half six"
  if (norm === 'half' && /^(?:at|from|by|till|until)$/.test(tokens[at - 1]?.norm ?? '')) {
    const named = ONES[turn ?? ''] ?? 0
    if (named > 0 && named <= 12) return make('clock', named * 60 + 30, at + 2)
  }
  // "five to ten people" is a range; "twenty to seven" none.
  if (turn !== 'past' && (turn !== 'to' || !/^(?:quarter|ten|twenty|twenty-five)$/.test(norm)))
    return undefined
  const written = tokens[at + 2]?.norm ?? ''
  const hour = ONES[written] ?? Number(/^\d\d?$/.exec(written)?.[0] ?? Number.NaN)
  if (Number.isNaN(hour) || hour < 1 || hour > 24) return undefined
  if (turn === 'to' && norm !== 'quarter' && hour > minutes) return undefined
  const late = isLate(tokens, at + 3) && hour < 12
  return make('clock', (late ? hour + 12 : hour) * 60 + (turn === 'past' ? minutes : -minutes), at + 3)
}

/** "in the evening", "at night", "pm" */
function isLate(tokens: readonly Token[], from: number): boolean {
  for (let i = from; i < from + 3 && tokens[i]?.kind === 'word'; i++)
    if (/^(?:afternoon|evening|pm)$/.test(tokens[i]!.norm)) return true
  return false
}

/** '9', '14:30' or '2.30' and the half of the day it is in, in minutes after midnight. */
function minutesOf(written: string, half: string | undefined): number {
  const [hours, minutes] = written.split(/[.:]/).map(Number) as [number, number | undefined]
  const shift = half === 'p' && hours < 12 ? 12 : half === 'a' && hours === 12 ? -12 : 0
  return (hours + shift) * 60 + (minutes ?? 0)
}

/** A date or an hour in figures: '2026-05-09', '31/12/2026', '14:30', '2.30 pm', '5th of June'. */
export function dateAt(tokens: readonly Token[], at: number, make: Make): Quantity | undefined {
  const written = tokens[at]!.norm
  const next = tokens[at + 1]?.norm ?? ''
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(written)
  if (iso) return make('day', Number(iso[2]) * 100 + Number(iso[3]), at + 1, 'date')
  const figures = /^(\d\d?)[/.](\d\d?)[/.]\d{4}$/.exec(written)
  if (figures) {
    // The day comes first, unless only the second can be one.
    const [one, other] = [Number(figures[1]), Number(figures[2])]
    const [day, month] = other > 12 ? [other, one] : [one, other]
    if (month <= 12 && day <= 31) return make('day', month * 100 + day, at + 1, 'date')
  }
  const half = /^([ap])\.?m$/.exec(next)?.[1]
  if (half !== undefined && /^\d{1,2}(?:[:.]\d\d)?$/.test(written))
    return make('clock', minutesOf(written, half), at + 2)
  // "7:45 in the evening"
  if (/^\d{1,2}:\d\d$/.test(written))
    return make('clock', minutesOf(written, isLate(tokens, at + 1) ? 'p' : undefined), at + 1)
  // "7 in the morning"
  if (
    /^\d{1,2}$/.test(written) &&
    next === 'in' &&
    /^(?:morning|afternoon|evening)$/.test(tokens[at + 3]?.norm ?? '')
  )
    return make('clock', minutesOf(written, isLate(tokens, at + 1) ? 'p' : 'a'), at + 1)
  const ordinal = /^(\d+)(?:st|nd|rd|th)$/.exec(written)
  if (ordinal === null) return undefined
  const of = next === 'of' ? at + 2 : at + 1
  if (MONTHS.has(tokens[of]?.norm ?? ''))
    return make('day', monthNumber(tokens[of]!.norm) * 100 + Number(ordinal[1]), of + 1, 'date')
  return make('ordinal', Number(ordinal[1]), at + 1)
}
