import { anyOf } from '../words/cues.ts'
import type { Token } from '../words/tokens.ts'
import { type Bound, surroundings } from './bounds.ts'
import { CALENDAR_WORDS, clockAt, dateAt, dayAt, MONTHS, monthNumber } from './calendar.ts'
import { CURRENCIES, FRACTIONS, ONES, ORDINALS, SCALES, TIMES, UNITS } from './measures.ts'

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

export interface Quantity {
  readonly kind: QuantityKind
  /** In the base unit of its kind: seconds, bytes, metres, grams, 1 for a whole, minutes after midnight. */
  readonly value: number
  /** The unit where the kind is `measure`, the currency where it is `money`, the words of a version or a day. */
  readonly unit: string
  readonly bound: Bound
  /** The bound is the opposite of what its words say: "not more than". */
  readonly negated: boolean
  /** Tokens from `from` up to and without `to`. */
  readonly from: number
  readonly to: number
  /** The whole of which another number is a part: five in "two of the five". */
  readonly whole: boolean
  /** `from 420` and `to 180`: which end of a change this is. */
  readonly end: 'from' | 'to' | 'by' | ''
  /** An end of "3 to 5 days"; a change from one to the other is none. */
  readonly range: 'low' | 'high' | undefined
  /** What it is counted by: seconds of a period, or a noun; '' for none. */
  readonly per: string
  /** Said with an article: "a week" is a number only where another text makes it one. */
  readonly loose: boolean
}

/** The same number told otherwise. Spelled out, as every number is: the engine then knows but one shape of them. */
const retold = (
  one: Quantity,
  kind: Quantity['kind'],
  value: number,
  unit = one.unit,
  range = one.range,
  loose = one.loose,
): Quantity => ({
  kind,
  value,
  unit,
  from: one.from,
  to: one.to,
  per: one.per,
  bound: one.bound,
  negated: one.negated,
  end: one.end,
  whole: one.whole,
  range,
  loose,
})

/** As an end of a range. */
const asEnd = (one: Quantity, range: 'low' | 'high', value = one.value): Quantity =>
  retold(one, one.kind, value, one.unit, range)

/** Words with what kind of word they are, where that is known. */
type Read = Token & { readonly tag?: string }

/** The numbers of a text, by the tokens they stand on. */
export function quantitiesOf(tokens: readonly Read[]): readonly Quantity[] {
  const found: Quantity[] = []
  for (let i = 0; i < tokens.length; ) {
    const ends = tokens[i]!.kind === 'number' ? /^(\d{1,4})[-–](\d{1,4})$/.exec(tokens[i]!.norm) : null
    if (ends !== null && Number(ends[1]) < Number(ends[2])) {
      const upper = withUnit(tokens, Number(ends[2]), i + 1, undefined, makeAt(tokens, i))
      const factor = upper.value / Number(ends[2])
      found.push(asEnd(upper, 'low', Number(ends[1]) * factor), asEnd(upper, 'high'))
      i = upper.to
      continue
    }
    const quantity = readAt(tokens, i)
    if (quantity) found.push(quantity)
    i = quantity ? Math.max(quantity.to, i + 1) : i + 1
  }
  for (let k = found.length - 2; k >= 0; k--) found[k] = withSharedUnit(tokens, found[k]!, found[k + 1]!)
  for (let k = 1; k < found.length; k++) {
    found[k] = withUnitBefore(
      tokens,
      found[k]!,
      found.findLast(({ loose }, i) => i < k && loose !== true),
    )
    if (isRange(tokens, found[k - 1]!, found[k]!)) {
      found[k - 1] = asEnd(found[k - 1]!, 'low')
      found[k] = asEnd(found[k]!, 'high')
    }
  }
  return found
}

/** "from 30 to 45 seconds", "12 to 15 May": the first has the unit of the second. */
function withSharedUnit(tokens: readonly Read[], one: Quantity, next: Quantity): Quantity {
  if (one.kind !== 'count' || next.from - one.to > 2 || next.from === one.to) return one
  // "in 2019 and two years later"
  if (one.value >= 1900 && one.value < 2100 && next.kind === 'duration') return one
  if (!/^(?:to|and|or|-|of|through|–|until)$/.test(tokens[next.from - 1]?.norm ?? '')) return one
  if (next.unit === 'date' && one.value <= 31)
    return retold(one, 'day', Math.floor(next.value / 100) * 100 + one.value, 'date')
  const unit = UNITS.get(tokens[next.to - 1]?.norm ?? '')
  if (unit === undefined || unit[0] !== next.kind)
    return next.kind === 'money' ? retold(one, 'money', one.value, next.unit) : one
  return retold(one, next.kind, one.value * unit[1])
}

/** "the build takes 20 minutes and the tests 5": a bare number has the unit of the one before. */
function withUnitBefore(tokens: readonly Read[], one: Quantity, before: Quantity | undefined): Quantity {
  if (before === undefined || tokens[one.from - 1]?.norm === 'between') return one
  if (one.kind !== 'count' || tokens[one.from - 1]?.tag === 'N' || (one.value >= 1900 && one.value < 2100))
    return one
  const after = tokens[one.to]
  // "14 days left, nine are mine"
  const stands = before.kind === 'duration' && /^(?:are|were)$/.test(after?.norm ?? '')
  if (after !== undefined && after.kind !== 'mark' && !ENDS_PHRASE.has(after.norm) && !stands) return one
  for (let i = before.to; i < one.from; i++) if (/^[.!?\n]$/.test(tokens[i]!.norm)) return one
  // "expects 95k, not below 90"
  if (before.kind === 'count' && tokens[before.to - 1]!.norm === 'k' && one.value < 1000)
    return retold(one, one.kind, one.value * 1000)
  if (before.kind === 'money') return retold(one, 'money', one.value, before.unit)
  for (let i = before.from; i < before.to; i++) {
    const unit = UNITS.get(tokens[i]!.norm)
    if (unit !== undefined && unit[0] === before.kind) return retold(one, before.kind, one.value * unit[1])
  }
  return one
}

const ENDS_PHRASE = anyOf(
  'and or but if when while by at on for from with without each because so until after before only',
)

/** "3 to 5 days", "between 2 and 8"; "from 900 to 950" is a change. */
function isRange(tokens: readonly Read[], one: Quantity, next: Quantity): boolean {
  if (one.kind !== next.kind || one.unit !== next.unit || one.value >= next.value || one.to !== next.from - 1)
    return false
  const between = tokens[one.to]!.norm
  if (between === 'and') return tokens[one.from - 1]?.norm === 'between'
  return (
    /^(?:to|-|–|through)$/.test(between) && (one.end !== 'from' || one.kind === 'day' || one.kind === 'clock')
  )
}

const makeAt =
  (tokens: readonly Read[], at: number): Make =>
  (kind, value, to, unit = '') => {
    const { bound, end, whole, negated } = surroundings(tokens, at, to)
    const per = periodAt(tokens, to)
    return {
      kind,
      value,
      unit,
      from: at,
      to,
      per,
      bound,
      negated,
      end,
      whole,
      range: undefined,
      loose: false,
    }
  }

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
function periodAt(tokens: readonly Read[], to: number): string {
  for (let i = to; i < tokens.length && i < to + 3 && tokens[i]!.kind === 'word'; i++) {
    const { norm } = tokens[i]!
    const [first, second] = norm.split('_') as [string, string | undefined]
    const named = Object.hasOwn(PERIODS, norm) ? PERIODS[norm] : undefined
    if (named !== undefined) return String(UNITS.get(named)![1])
    const opens = /^(?:per|a|an|each|every)$/.test(first)
    const noun = second ?? tokens[i + 1]?.norm ?? ''
    if (opens && noun !== 'cent') {
      const unit = UNITS.get(noun)
      if (unit?.[0] === 'duration') return String(unit[1])
      return first === 'per' && tokens[i + 1]?.kind !== 'number' ? noun.replace(/s$/, '') : ''
    }
    if (/^(?:and|or|of|to|in|at|on|for|but|is|are|was|were)$/.test(norm)) return ''
  }
  return ''
}

const NUMERALS = new Set([TIMES, ORDINALS, FRACTIONS, ONES].flatMap((table) => Object.keys(table)))
/** Every word a quantity may begin with. */
const BEGINNERS = new Set([...NUMERALS, ...CALENDAR_WORDS, 'usd', 'eur', 'gbp', 'a', 'an'])

function mayBegin(norm: string): boolean {
  if (BEGINNERS.has(norm)) return true
  const dash = norm.indexOf('-')
  return dash > 0 && NUMERALS.has(norm.slice(0, dash))
}

const isMoney = (norm: string) => norm === 'usd' || norm === 'eur' || norm === 'gbp'

function readAt(tokens: readonly Read[], at: number): Quantity | undefined {
  const token = tokens[at]!
  const norm = token.norm
  if (token.kind === 'mark' || (token.kind === 'word' && !mayBegin(norm))) return undefined
  const make = makeAt(tokens, at)
  const next = tokens[at + 1]?.norm ?? ''
  const ratio = ratioAt(tokens, at, make)
  if (ratio !== undefined) return ratio
  const when = dayAt(tokens, at, make) ?? clockAt(tokens, at, make)
  if (when !== undefined) return when
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
      !/^(?:daily|weekly|monthly|an?|per|every|each|a_day|per_day|a_week|per_week|a_month|per_month)$/.test(
        next,
      )
    )
      return undefined
    return make('times', TIMES[norm]!, at + 1)
  }
  if (token.kind === 'number') return figure(tokens, at, make)
  if (isMoney(norm) && tokens[at + 1]?.kind === 'number' && /^\d/.test(next)) {
    const sum = figure(tokens, at + 1, make)
    if (sum !== undefined) return retold(sum, 'money', sum.value, norm)
  }
  const glued = token.kind === 'code' ? /^(\d{1,6}(?:\.\d+)?)([a-z]+)$/.exec(norm) : null
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

export type Make = (kind: QuantityKind, value: number, to: number, unit?: string) => Quantity

function figure(tokens: readonly Read[], at: number, make: Make): Quantity | undefined {
  const written = tokens[at]!.norm
  const next = tokens[at + 1]
  const glued = next !== undefined && next.start === tokens[at]!.end
  const when = dateAt(tokens, at, make)
  if (when !== undefined) return when
  if (/\d\.\d+\.\d/.test(written)) return make('version', 0, at + 1, written)
  const fraction = /^(\d+)\/(\d+)$/.exec(written)
  if (fraction) return make('share', Number(fraction[1]) / Number(fraction[2]), at + 1)
  // "$ 196 million"
  const sign = tokens[at - 1]?.kind === 'mark' ? CURRENCIES[tokens[at - 1]!.norm] : undefined
  const currency = CURRENCIES[written[0]!] ?? sign
  let value = Number(written.replace(/^[$€£¥]/, '').replaceAll(',', ''))
  if (Number.isNaN(value)) return make('version', 0, at + 1, written)
  let to = at + 1
  const norm = next?.norm ?? ''
  if (Object.hasOwn(SCALES, norm) && (norm.length > 2 || glued) && !(norm === 'm' && !currency && !glued)) {
    value *= SCALES[norm]!
    to++
  }
  if (!currency && MONTHS.has(norm) && value <= 31 && next?.proper)
    return make('day', monthNumber(norm) * 100 + value, to + 1, 'date')
  return withUnit(tokens, value, to, currency, make)
}

function withUnit(
  tokens: readonly Read[],
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
  if (WORKING.has(norm) && UNITS.has(tokens[to + 1]?.norm ?? '')) norm = tokens[++to]!.norm
  // "700 CI minutes"
  if (
    tokens[to]?.tag === 'N' &&
    norm.length > 1 &&
    !UNITS.has(norm) &&
    UNITS.get(tokens[to + 1]?.norm ?? '')?.[0] === 'duration'
  )
    norm = tokens[++to]!.norm
  if (Object.hasOwn(CURRENCIES, norm)) return make('money', value, to + 1, CURRENCIES[norm]!)
  const unit = UNITS.get(norm)
  const more = unit && andMore(tokens, to + 1)
  if (unit && more) return make(unit[0], (value + more) * unit[1], to + 4)
  if (unit) return make(unit[0], value * unit[1], to + 1)
  if (norm === 'times' || norm === 'time' || norm === 'x') return make('times', value, to + 1)
  return make('count', value, at)
}

const WORKING = anyOf('business working calendar full whole more additional consecutive')

/** "one in ten parcels": a share of them. */
function ratioAt(tokens: readonly Read[], at: number, make: Make): Quantity | undefined {
  if (tokens[at + 1]?.norm !== 'in' || tokens[at + 3]?.kind !== 'word') return undefined
  const [part, whole] = [plainNumber(tokens[at]!.norm), plainNumber(tokens[at + 2]?.norm ?? '')]
  const noun = tokens[at + 3]!.norm
  if (part === undefined || whole === undefined || part >= whole || UNITS.has(noun) || MONTHS.has(noun))
    return undefined
  return make('share', part / whole, at + 3)
}

const plainNumber = (norm: string): number | undefined =>
  Object.hasOwn(ONES, norm) ? ONES[norm] : /^\d{1,4}$/.test(norm) ? Number(norm) : undefined

/** "more than an hour" is a number; "an hour" may be none. */
const loosely = (quantity: Quantity): Quantity =>
  quantity.bound === '='
    ? retold(quantity, quantity.kind, quantity.value, quantity.unit, quantity.range, true)
    : quantity

/** "and a half", "and a quarter", "and three quarters": how much that is; 0 where it is not said. */
function andMore(tokens: readonly Read[], at: number): number {
  if (tokens[at]?.norm !== 'and') return 0
  const [count, part] = [tokens[at + 1]?.norm, tokens[at + 2]?.norm]
  if (count === 'a') return part === 'half' ? 0.5 : part === 'quarter' ? 0.25 : 0
  return count === 'three' && part === 'quarters' ? 0.75 : 0
}

const isFraction = (tokens: readonly Read[], at: number) => {
  const before = tokens[at - 1]?.norm ?? ''
  const after = tokens[at + 1]?.norm ?? ''
  return (
    (before === 'a' || before === 'one' || before === 'two' || before === 'three' || before === 'four') &&
    (after === 'of' || tokens[at]!.norm.endsWith('s'))
  )
}

/** Numbers in words: "twenty five", "two hundred", "a dozen", "three quarters of an hour", "two thirds". */
function inWords(tokens: readonly Read[], at: number, make: Make): Quantity | undefined {
  let to = at
  let value: number | undefined
  const first = tokens[at]!.norm
  if (first === 'a' || first === 'an') {
    const after = tokens[at + 1]?.norm ?? ''
    if (WORKING.has(after) && UNITS.has(tokens[at + 2]?.norm ?? ''))
      return loosely(make(UNITS.get(tokens[at + 2]!.norm)![0], UNITS.get(tokens[at + 2]!.norm)![1], at + 3))
    if (after === 'dozen' || after === 'hundred' || after === 'thousand' || after === 'million')
      return withUnit(tokens, ONES[after]!, at + 2, undefined, make)
    if (
      UNITS.get(after)?.[0] === 'duration' &&
      after.length > 2 &&
      after !== 'second' &&
      after !== 'quarter'
    ) {
      const more = andMore(tokens, at + 2)
      const [kind, size] = UNITS.get(after)!
      return more ? make(kind, size * (1 + more), at + 5) : loosely(make(kind, size, at + 2))
    }
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
  const more = andMore(tokens, to)
  if (more) return withUnit(tokens, value + more, to + 3, undefined, make)
  // "one" is a pronoun or an article more often than a number.
  if (first === 'one' && to === at + 1) {
    const after = tokens[to]?.norm ?? ''
    if (
      !/^[a-z]/.test(after) ||
      /^(?:of|that|who|is|was|has|to|can|will|would|should|for|in|on|day|another)$/.test(after)
    ) {
      const whole = tokens[to + 1]?.norm ?? ''
      if (after !== 'of' || !(/^(?:the|our|my|\d+)$/.test(whole) || Object.hasOwn(ONES, whole)))
        return undefined
    }
  }
  return withUnit(tokens, value, to, undefined, make)
}

function share(tokens: readonly Read[], value: number, to: number, make: Make): Quantity {
  if (tokens[to]?.norm === 'of' && /^an?$/.test(tokens[to + 1]?.norm ?? '')) {
    const unit = UNITS.get(tokens[to + 2]?.norm ?? '')
    if (unit) return make(unit[0], value * unit[1], to + 3)
  }
  return make('share', value, to)
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
