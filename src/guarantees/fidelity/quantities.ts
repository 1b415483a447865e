import type { Token } from './tokens.ts'

/** What a number counts or measures; numbers of different kinds are never compared. */
export type QuantityKind =
  | 'count'
  | 'money'
  | 'share'
  | 'duration'
  | 'bytes'
  | 'length'
  | 'mass'
  | 'clock'
  | 'day'
  | 'ordinal'
  | 'version'
  | 'times'
  | 'measure'

export type Bound = '=' | '~' | '>=' | '<=' | '>' | '<'

export interface Quantity {
  readonly kind: QuantityKind
  /** In the base unit of its kind: seconds, bytes, metres, grams, 1 for a whole, minutes after midnight. */
  readonly value: number
  /** The unit where the kind is `measure`, the currency where it is `money`, the words of a version or a day. */
  readonly unit: string
  readonly bound: Bound
  /** Tokens from `from` up to and without `to`. */
  readonly from: number
  readonly to: number
  /** The whole of which another number is a part: five in "two of the five". */
  readonly whole: boolean
  /** `from 420` and `to 180`: which end of a change this is. */
  readonly end: 'from' | 'to' | ''
  /** What it is counted by: seconds of a period, or a noun; '' for none. */
  readonly per: string
  /** Said with an article: "a week" is a number only where another text makes it one. */
  readonly loose?: boolean
}

const UNITS = new Map<string, readonly [QuantityKind, number, string]>()
const define = (kind: QuantityKind, table: string) => {
  for (const entry of table.split(',')) {
    const [names, factor] = entry.trim().split('=') as [string, string]
    for (const name of names.split(' ')) UNITS.set(name, [kind, Number(factor), ''])
  }
}
define(
  'duration',
  'ms msec msecs millisecond milliseconds=0.001,µs us microsecond microseconds=0.000001,s sec secs second seconds=1,min mins minute minutes=60,h hr hrs hour hours=3600,d day days=86400,week weeks wk wks=604800,fortnight=1209600,month months=2629800,quarter quarters=7889400,year years yr yrs=31557600,decade decades=315576000',
)
define(
  'bytes',
  'b byte bytes=1,kb kib kilobyte kilobytes=1024,mb mib megabyte megabytes=1048576,gb gib gig gigs gigabyte gigabytes=1073741824,tb tib terabyte terabytes=1099511627776',
)
define(
  'length',
  'mm millimeter millimeters=0.001,cm centimeter centimeters=0.01,meter meters metre metres=1,km kilometer kilometers kilometre kilometres=1000,inch inches=0.0254,foot feet ft=0.3048,mile miles=1609.344,yard yards=0.9144',
)
define(
  'mass',
  'mg milligram milligrams=0.001,gram grams=1,kg kilo kilos kilogram kilograms=1000,lb lbs pound pounds=453.592,tonne tonnes=1000000',
)
define('share', '% percent pct=0.01')

const CURRENCIES: Readonly<Record<string, string>> = {
  $: 'usd',
  dollar: 'usd',
  dollars: 'usd',
  usd: 'usd',
  bucks: 'usd',
  '€': 'eur',
  euro: 'eur',
  euros: 'eur',
  eur: 'eur',
  '£': 'gbp',
  gbp: 'gbp',
  '¥': 'jpy',
  yen: 'jpy',
  cents: 'cent',
}
const SCALES: Readonly<Record<string, number>> = {
  hundred: 100,
  thousand: 1e3,
  k: 1e3,
  grand: 1e3,
  million: 1e6,
  m: 1e6,
  mn: 1e6,
  mm: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
  dozen: 12,
}
const ONES: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  dozen: 12,
  hundred: 100,
  thousand: 1000,
  million: 1e6,
}
const TIMES: Readonly<Record<string, number>> = { once: 1, twice: 2, thrice: 3 }
const ORDINALS: Readonly<Record<string, number>> = {
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
  thirteenth: 13,
  fourteenth: 14,
  fifteenth: 15,
  sixteenth: 16,
  seventeenth: 17,
  eighteenth: 18,
  nineteenth: 19,
  twentieth: 20,
  last: -1,
  final: -1,
}
const FRACTIONS: Readonly<Record<string, number>> = {
  half: 0.5,
  halves: 0.5,
  third: 1 / 3,
  thirds: 1 / 3,
  quarter: 0.25,
  quarters: 0.25,
  fourth: 0.25,
  fourths: 0.25,
  fifth: 0.2,
  fifths: 0.2,
  sixth: 1 / 6,
  tenth: 0.1,
  tenths: 0.1,
}
const DAYS =
  /^(?:mon|monday|tue|tues|tuesday|wed|weds|wednesday|thu|thur|thurs|thursday|fri|friday|sat|saturday|sun|sunday)s?$/
const MONTHS =
  /^(?:jan|january|feb|february|mar|march|apr|april|may|june?|july?|aug|august|sept?|september|oct|october|nov|november|dec|december)$/
const RELATIVE_DAYS = /^(?:today|tonight|tomorrow|yesterday)$/
const QUARTERS = /^(?:q[1-4]|h[12])$/

const BOUNDS: Readonly<Record<string, Bound>> = {
  at_least: '>=',
  no_less_than: '>=',
  no_fewer_than: '>=',
  not_less_than: '>=',
  minimum: '>=',
  min: '>=',
  no_earlier_than: '>=',
  at_most: '<=',
  up_to: '<=',
  no_more_than: '<=',
  not_more_than: '<=',
  maximum: '<=',
  max: '<=',
  within: '<=',
  no_later_than: '<=',
  not_later_than: '<=',
  capped: '<=',
  limited: '<=',
  exceed: '>',
  exceeds: '>',
  exceeded: '>',
  exceeding: '>',
  more_than: '>',
  over: '>',
  above: '>',
  greater_than: '>',
  higher_than: '>',
  larger_than: '>',
  beyond: '>',
  less_than: '<',
  fewer_than: '<',
  under: '<',
  below: '<',
  lower_than: '<',
  about: '~',
  around: '~',
  roughly: '~',
  approximately: '~',
  approx: '~',
  nearly: '~',
  almost: '~',
  some: '~',
  '~': '~',
  circa: '~',
  close_to: '~',
  '>': '>',
  '<': '<',
  '≥': '>=',
  '≤': '<=',
}
const AFTER: Readonly<Record<string, Bound>> = {
  maximum: '<=',
  max: '<=',
  tops: '<=',
  minimum: '>=',
  min: '>=',
  plus: '>=',
  '+': '>=',
}
const NEGATED: Readonly<Record<Bound, Bound>> = {
  '>': '<=',
  '<': '>=',
  '>=': '<',
  '<=': '>',
  '=': '=',
  '~': '~',
}

/** The numbers of a text, by the tokens they stand on. */
export function quantitiesOf(tokens: readonly Token[]): readonly Quantity[] {
  const found: Quantity[] = []
  for (let i = 0; i < tokens.length; ) {
    const ends = /^(\d{1,4})[-–](\d{1,4})$/.exec(tokens[i]!.norm)
    if (ends !== null && tokens[i]!.kind === 'number' && Number(ends[1]) < Number(ends[2])) {
      const upper = withUnit(tokens, Number(ends[2]), i + 1, undefined, makeAt(tokens, i))
      const factor = upper.value / Number(ends[2])
      found.push({ ...upper, value: Number(ends[1]) * factor }, upper)
      i = upper.to
      continue
    }
    const quantity = readAt(tokens, i)
    if (quantity) found.push(quantity)
    i = quantity ? Math.max(quantity.to, i + 1) : i + 1
  }
  return found.map((quantity, k) => withSharedUnit(tokens, quantity, found[k + 1]))
}

/** "from 30 to 45 seconds", "12 to 15 May": the first has the unit of the second. */
function withSharedUnit(tokens: readonly Token[], one: Quantity, next: Quantity | undefined): Quantity {
  if (one.kind !== 'count' || next === undefined || next.from - one.to > 2 || next.from === one.to) return one
  if (!/^(?:to|and|or|-|of|through|–|until)$/.test(tokens[next.from - 1]?.norm ?? '')) return one
  if (next.unit === 'date' && one.value <= 31)
    return { ...one, kind: 'day', unit: 'date', value: Math.floor(next.value / 100) * 100 + one.value }
  const unit = UNITS.get(tokens[next.to - 1]?.norm ?? '')
  if (unit === undefined || unit[0] !== next.kind)
    return next.kind === 'money' ? { ...one, kind: 'money', unit: next.unit } : one
  return { ...one, kind: next.kind, value: one.value * unit[1] }
}

const makeAt =
  (tokens: readonly Token[], at: number): Make =>
  (kind, value, to, unit = '') => ({
    kind,
    value,
    unit,
    from: at,
    to,
    per: periodAt(tokens, to),
    ...surroundings(tokens, at, to),
  })

const PERIODS: Readonly<Record<string, string>> = {
  secondly: 'second',
  hourly: 'hour',
  daily: 'day',
  nightly: 'day',
  weekly: 'week',
  monthly: 'month',
  quarterly: 'quarter',
  yearly: 'year',
  annually: 'year',
}

/** "per week", "a month", "daily", "per seat", up to two words behind the number: "100 requests per second". */
function periodAt(tokens: readonly Token[], to: number): string {
  for (let i = to; i < tokens.length && i < to + 3 && tokens[i]!.kind === 'word'; i++) {
    const { norm } = tokens[i]!
    const [first, second] = norm.split('_') as [string, string | undefined]
    const named = Object.hasOwn(PERIODS, norm) ? PERIODS[norm] : undefined
    if (named !== undefined) return String(UNITS.get(named)![1])
    const opens = /^(?:per|a|an|each|every)$/.test(first)
    const noun = second ?? tokens[i + 1]?.norm ?? ''
    if (opens && norm !== 'per_cent' && noun !== 'cent') {
      const unit = UNITS.get(noun)
      if (unit?.[0] === 'duration') return String(unit[1])
      return first === 'per' && tokens[i + 1]?.kind !== 'number' ? noun.replace(/s$/, '') : ''
    }
    if (/^(?:and|or|of|to|in|at|on|for|but|is|are|was|were)$/.test(norm)) return ''
  }
  return ''
}

function readAt(tokens: readonly Token[], at: number): Quantity | undefined {
  const token = tokens[at]!
  const norm = token.norm
  const make = makeAt(tokens, at)
  const next = tokens[at + 1]?.norm ?? ''
  if (DAYS.test(norm) && (norm.length > 3 || token.proper || token.first))
    return token.kind === 'word' && norm !== 'sun' && norm !== 'sat' && norm !== 'wed'
      ? make('day', dayNumber(norm), at + 1, 'weekday')
      : undefined
  if (MONTHS.test(norm) && (norm !== 'may' && norm !== 'march' ? true : token.proper))
    return month(tokens, at, make)
  if (RELATIVE_DAYS.test(norm))
    return make('day', { today: 0, tonight: 0, tomorrow: 1, yesterday: -1 }[norm]!, at + 1, 'relative')
  if (QUARTERS.test(norm)) return make('day', Number(norm[1]) + (norm[0] === 'h' ? 10 : 0), at + 1, 'quarter')
  if (norm === 'noon' || norm === 'midnight') return make('clock', norm === 'noon' ? 720 : 0, at + 1)
  if (
    norm === 'daily' ||
    norm === 'weekly' ||
    norm === 'monthly' ||
    norm === 'hourly' ||
    norm === 'yearly' ||
    norm === 'nightly'
  )
    return undefined
  if (Object.hasOwn(TIMES, norm)) {
    if (
      norm === 'once' &&
      !/^(?:daily|weekly|monthly|a|per|every|each|a_day|per_day|a_week|per_week|a_month|per_month)$/.test(
        next,
      )
    )
      return undefined
    return make('times', TIMES[norm]!, at + 1)
  }
  if (token.kind === 'number') return figure(tokens, at, make)
  if (/^(?:usd|eur|gbp)$/.test(norm) && tokens[at + 1]?.kind === 'number' && /^\d/.test(next)) {
    const sum = figure(tokens, at + 1, make)
    if (sum !== undefined) return { ...sum, kind: 'money', unit: norm }
  }
  const glued = token.kind === 'code' ? /^(\d{1,6}(?:\.\d+)?)([a-z]+)$/.exec(norm) : null
  if (glued !== null && /^[ap]m$/.test(glued[2]!)) {
    const [hours, minutes] = glued[1]!.split('.').map(Number) as [number, number | undefined]
    const shift = glued[2] === 'pm' && hours < 12 ? 12 : glued[2] === 'am' && hours === 12 ? -12 : 0
    return make('clock', (hours + shift) * 60 + (minutes ?? 0), at + 1)
  }
  // "2GB"; "5G" and "3D" are names.
  const measure = glued !== null && glued[2]!.length > 1 ? UNITS.get(glued[2]!) : undefined
  if (measure !== undefined) return make(measure[0], Number(glued![1]) * measure[1], at + 1)
  if (token.kind === 'code' && /^v?\d+(?:\.\d+)+$|^v\d+$/.test(norm))
    return make('version', 0, at + 1, norm.replace(/^v/, ''))
  if (token.kind !== 'word') return undefined
  if (Object.hasOwn(ORDINALS, norm) && !(Object.hasOwn(FRACTIONS, norm) && isFraction(tokens, at))) {
    if (norm === 'second' && /^(?:s|backoff|delay|timeout)$/.test(next)) return undefined
    if (norm === 'last' || norm === 'final') return undefined
    if (
      norm === 'first' &&
      (at === 0 ||
        tokens[at - 1]!.kind === 'mark' ||
        !/^(?:the|his|her|their|our|its|my|your|win|won|in|'s)$/.test(tokens[at - 1]!.norm))
    )
      return undefined
    return make('ordinal', ORDINALS[norm]!, at + 1)
  }
  return inWords(tokens, at, make)
}

type Make = (kind: QuantityKind, value: number, to: number, unit?: string) => Quantity

const dayNumber = (norm: string) =>
  ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].indexOf(norm.slice(0, 3)) + 1
const monthNumber = (norm: string) =>
  ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].indexOf(
    norm.slice(0, 3),
  ) + 1

/** "June", "June 5", "June 2024", "5 June": months times a hundred and the day, or the month alone. */
function month(tokens: readonly Token[], at: number, make: Make): Quantity {
  const number = monthNumber(tokens[at]!.norm)
  const day = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(tokens[at + 1]?.norm ?? '')
  if (day && Number(day[1]) <= 31) return make('day', number * 100 + Number(day[1]), at + 2, 'date')
  return make('day', number, at + 1, 'month')
}

function figure(tokens: readonly Token[], at: number, make: Make): Quantity | undefined {
  const written = tokens[at]!.norm
  const next = tokens[at + 1]
  const glued = next !== undefined && next.start === tokens[at]!.end
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(written)
  if (iso) return make('day', Number(iso[2]) * 100 + Number(iso[3]), at + 1, 'date')
  const half = /^[ap]\.?m$/.test(next?.norm ?? '') ? next!.norm.replace('.', '') : undefined
  const clock = (half === undefined ? /^(\d{1,2}):(\d\d)$/ : /^(\d{1,2})[:.](\d\d)$/).exec(written)
  if (clock || half !== undefined) {
    const hours = Number(clock?.[1] ?? written)
    const minutes = Number(clock?.[2] ?? 0)
    const shift = half === 'pm' && hours < 12 ? 12 : half === 'am' && hours === 12 ? -12 : 0
    if (!Number.isNaN(hours))
      return make('clock', (hours + shift) * 60 + minutes, half === undefined ? at + 1 : at + 2)
  }
  const ordinal = /^(\d+)(?:st|nd|rd|th)$/.exec(written)
  if (ordinal) {
    const of = tokens[at + 1]?.norm === 'of' ? at + 2 : at + 1
    if (MONTHS.test(tokens[of]?.norm ?? ''))
      return make('day', monthNumber(tokens[of]!.norm) * 100 + Number(ordinal[1]), of + 1, 'date')
    return make('ordinal', Number(ordinal[1]), at + 1)
  }
  if (/\d\.\d+\.\d/.test(written)) return make('version', 0, at + 1, written)
  const fraction = /^(\d+)\/(\d+)$/.exec(written)
  if (fraction) return make('share', Number(fraction[1]) / Number(fraction[2]), at + 1)
  const currency = CURRENCIES[written[0]!]
  let value = Number(written.replace(/^[$€£¥]/, '').replaceAll(',', ''))
  if (Number.isNaN(value)) return make('version', 0, at + 1, written)
  let to = at + 1
  const norm = next?.norm ?? ''
  if (Object.hasOwn(SCALES, norm) && (norm.length > 2 || glued) && !(norm === 'm' && !currency && !glued)) {
    value *= SCALES[norm]!
    to++
  }
  if (!currency && MONTHS.test(norm) && value <= 31 && next?.proper)
    return make('day', monthNumber(norm) * 100 + value, to + 1, 'date')
  return withUnit(tokens, value, to, currency, make)
}

function withUnit(
  tokens: readonly Token[],
  value: number,
  at: number,
  currency: string | undefined,
  make: Make,
): Quantity {
  if (currency) return make('money', value, at, currency)
  let to = at
  if (tokens[to]?.norm === '-') to++
  let norm = tokens[to]?.norm ?? ''
  // "three more days", "five business days"
  if (
    /^(?:business|working|calendar|full|more|additional|consecutive)$/.test(norm) &&
    UNITS.has(tokens[to + 1]?.norm ?? '')
  )
    norm = tokens[++to]!.norm
  if (Object.hasOwn(CURRENCIES, norm)) return make('money', value, to + 1, CURRENCIES[norm]!)
  if (norm === 'per' && tokens[to + 1]?.norm === 'cent') return make('share', value / 100, to + 2)
  if (norm === 'per_cent') return make('share', value / 100, to + 1)
  const unit = UNITS.get(norm)
  if (unit && andAHalf(tokens, to + 1)) return make(unit[0], (value + 0.5) * unit[1], to + 4)
  if (unit) return make(unit[0], value * unit[1], to + 1)
  if (norm === 'times' || norm === 'time' || norm === 'x') return make('times', value, to + 1)
  return make('count', value, at)
}

const andAHalf = (tokens: readonly Token[], at: number) =>
  tokens[at]?.norm === 'and' && tokens[at + 1]?.norm === 'a' && tokens[at + 2]?.norm === 'half'

const isFraction = (tokens: readonly Token[], at: number) => {
  const before = tokens[at - 1]?.norm ?? ''
  const after = tokens[at + 1]?.norm ?? ''
  return (
    (before === 'a' || before === 'one' || before === 'two' || before === 'three' || before === 'four') &&
    (after === 'of' || tokens[at]!.norm.endsWith('s'))
  )
}

/** Numbers in words: "twenty five", "two hundred", "a dozen", "three quarters of an hour", "two thirds". */
function inWords(tokens: readonly Token[], at: number, make: Make): Quantity | undefined {
  let to = at
  let value: number | undefined
  const first = tokens[at]!.norm
  if (first === 'a' || first === 'an') {
    const after = tokens[at + 1]?.norm ?? ''
    if (after === 'dozen' || after === 'hundred' || after === 'thousand' || after === 'million')
      return withUnit(tokens, ONES[after]!, at + 2, undefined, make)
    if (UNITS.get(after)?.[0] === 'duration' && after.length > 2 && after !== 'second' && after !== 'quarter')
      return andAHalf(tokens, at + 2)
        ? make(UNITS.get(after)![0], UNITS.get(after)![1] * 1.5, at + 5)
        : { ...make(UNITS.get(after)![0], UNITS.get(after)![1], at + 2), loose: true }
    if (after === 'half' || ((after === 'third' || after === 'quarter') && tokens[at + 2]?.norm === 'of'))
      return share(tokens, FRACTIONS[after]!, at + 2, make)
    return undefined
  }
  for (; to < tokens.length && tokens[to]!.kind === 'word'; to++) {
    const parts = tokens[to]!.norm.split('-')
    if (!parts.every((part) => Object.hasOwn(ONES, part))) {
      if (
        value !== undefined &&
        tokens[to]!.norm === 'and' &&
        Object.hasOwn(ONES, tokens[to + 1]?.norm ?? '') &&
        value >= 100 &&
        value % 100 === 0
      )
        continue
      break
    }
    for (const part of parts) {
      const one = ONES[part]!
      if (value === undefined) value = one
      else if (one >= 100 || part === 'dozen') value *= one
      else if (value % 10 === 0 && value >= 20) value += one
      else return make('count', value, to)
    }
  }
  if (value === undefined) {
    if (first === 'half') {
      // "half an hour"
      const unit = /^an?$/.test(tokens[at + 1]?.norm ?? '')
        ? UNITS.get(tokens[at + 2]?.norm ?? '')
        : undefined
      if (unit) return make(unit[0], unit[1] / 2, at + 3)
      if (tokens[at + 1]?.norm === 'a' && tokens[at + 2]?.norm === 'dozen')
        return withUnit(tokens, 6, at + 3, undefined, make)
      return share(tokens, 0.5, at + 1, make)
    }
    return undefined
  }
  const fraction = FRACTIONS[tokens[to]?.norm ?? '']
  if (
    fraction !== undefined &&
    (tokens[to]!.norm.endsWith('s') || tokens[to + 1]?.norm === 'of' || value === 1)
  )
    if (tokens[to]!.norm !== 'quarters' || tokens[to + 1]?.norm === 'of')
      return share(tokens, value * fraction, to + 1, make)
  if (andAHalf(tokens, to)) return withUnit(tokens, value + 0.5, to + 3, undefined, make)
  // "one" is a pronoun or an article more often than a number.
  if (first === 'one' && to === at + 1) {
    const after = tokens[to]?.norm ?? ''
    if (
      !/^[a-z]/.test(after) ||
      /^(?:of|that|who|is|was|has|to|can|will|would|should|for|in|on|day|another)$/.test(after)
    ) {
      if (after !== 'of' || !/^(?:the|our|my)$/.test(tokens[to + 1]?.norm ?? '')) return undefined
    }
  }
  return withUnit(tokens, value, to, undefined, make)
}

function share(tokens: readonly Token[], value: number, to: number, make: Make): Quantity {
  if (tokens[to]?.norm === 'of' && /^an?$/.test(tokens[to + 1]?.norm ?? '')) {
    const unit = UNITS.get(tokens[to + 2]?.norm ?? '')
    if (unit) return make(unit[0], value * unit[1], to + 3)
  }
  return make('share', value, to)
}

/** Bounds, ends of a change, and wholes are told by the words around a number. */
function surroundings(
  tokens: readonly Token[],
  from: number,
  to: number,
): Pick<Quantity, 'bound' | 'whole' | 'end'> {
  let bound: Bound = '='
  let end: Quantity['end'] = ''
  let whole = false
  let negated = false
  for (let i = from - 1, seen = 0; i >= 0 && seen < 5; i--, seen++) {
    const norm = tokens[i]!.norm
    if (tokens[i]!.kind === 'mark' && !/^[~<>≥≤$€£(]$/.test(norm)) break
    if (seen === 0 && norm === 'from') end = 'from'
    if (seen === 0 && norm === 'to') end = 'to'
    if (norm === 'of' && seen <= 1 && tokens[i - 1]?.kind !== 'mark') {
      const head = tokens[i - 1]?.norm ?? ''
      if (
        /^(?:[\d,.]+%?|one|two|three|four|five|six|seven|eight|nine|ten|none|all|most|some|many|few|half|both|any|each|out)$/.test(
          head,
        )
      )
        whole = true
    }
    if (norm === 'out' && seen === 1) whole = true
    if (
      Object.hasOwn(BOUNDS, norm) &&
      bound === '=' &&
      (seen < 2 || /^(?:exceed|capped|limited|maximum|minimum)/.test(norm))
    ) {
      if (norm === 'some' && seen > 0) continue
      bound = BOUNDS[norm]!
    } else if (/^(?:not|never|cannot|no)$/.test(norm) && bound !== '=') {
      negated = true
      break
    } else if (bound !== '=' && !/^(?:must|should|may|can|be|to|the|a|of|does|do|is|was|ever)$/.test(norm))
      break
    else if (bound === '=' && !/^(?:of|at|to|the|a|an|is|be|was|than|set|its|our|or|about|from)$/.test(norm))
      break
  }
  if (bound === '=') bound = AFTER[tokens[to]?.norm ?? ''] ?? '='
  if (bound === '=' && tokens[to]?.norm === 'or') {
    const after = tokens[to + 1]?.norm ?? ''
    if (after === 'more' || after === 'above' || after === 'higher' || after === 'later') bound = '>='
    if (
      after === 'less' ||
      after === 'fewer' ||
      after === 'below' ||
      after === 'lower' ||
      after === 'earlier'
    )
      bound = '<='
  }
  return { bound: negated ? NEGATED[bound] : bound, end, whole }
}

const close = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))

/** Whether the numbers name one amount, whatever the unit and bound. */
export function sameAmount(a: Quantity, b: Quantity): boolean {
  if (a.kind !== b.kind) {
    const kinds = `${a.kind} ${b.kind}`
    return /^(?:count times|times count|count measure|measure count|count ordinal|ordinal count)$/.test(kinds)
      ? close(a.value, b.value)
      : kinds === 'version count'
        ? a.unit === String(b.value)
        : kinds === 'count version'
          ? b.unit === String(a.value)
          : false
  }
  if (a.kind === 'version') return a.unit === b.unit
  if (a.kind === 'day' || a.kind === 'money') return a.unit === b.unit && close(a.value, b.value)
  if (a.kind === 'bytes' || a.kind === 'duration')
    return close(a.value, b.value) || Math.abs(a.value / b.value - 1) < (a.kind === 'bytes' ? 0.03 : 0.02)
  return close(a.value, b.value)
}

/** Whether every amount the first admits is admitted by the second. Both name the same value. */
export function boundImplies(a: Bound, b: Bound): boolean {
  if (a === b || a === '~' || b === '~') return a === b || (a !== '>' && a !== '<' && b !== '>' && b !== '<')
  if (a === '=') return b === '>=' || b === '<='
  if (a === '>') return b === '>='
  if (a === '<') return b === '<='
  return false
}

/** Whether a number with its bound is true of this many. */
export function admitsAmount({ value, bound }: Quantity, many: number): boolean {
  if (bound === '>=') return many >= value || close(many, value)
  if (bound === '<=') return many <= value || close(many, value)
  if (bound === '>') return many > value && !close(many, value)
  if (bound === '<') return many < value && !close(many, value)
  return bound === '~' ? Math.abs(many - value) <= Math.abs(value) * 0.06 : close(many, value)
}
