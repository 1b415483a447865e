import { anyOf } from '../words/cues.ts'
import type { Token } from '../words/tokens.ts'
import type { Quantity } from './quantities.ts'

/** Exactly, about, or one end left open. */
export type Bound = '=' | '~' | '>=' | '<=' | '>' | '<'

const BOUNDS: Readonly<Record<string, Bound>> = {
  at_least: '>=',
  no_less_than: '>=',
  no_fewer_than: '>=',
  not_less_than: '>=',
  minimum: '>=',
  min: '>=',
  no_earlier_than: '>=',
  no_sooner_than: '>=',
  at_most: '<=',
  up_to: '<=',
  no_more_than: '<=',
  not_more_than: '<=',
  maximum: '<=',
  max: '<=',
  within: '<=',
  no_later_than: '<=',
  not_later_than: '<=',
  no_longer_than: '<=',
  not_longer_than: '<=',
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
export const OPPOSITE: Readonly<Record<Bound, Bound>> = {
  '>': '<=',
  '<': '>=',
  '>=': '<',
  '<=': '>',
  '=': '=',
  '~': '~',
}

/** "older than seven years" */
const COMPARED =
  /^(?:older|longer|later|bigger|heavier|taller|faster|warmer|younger|shorter|earlier|smaller|lighter|cheaper|slower|colder)$/
const LESS = /^(?:younger|shorter|earlier|smaller|lighter|cheaper)$/

/** Between a bound and what denies it: "never went above". */
const UNDER_DENIAL = anyOf('must should would could will did may can be to the a of does do is was ever')
/** "more than CHF 5,000" */
const isCurrency = (norm: string) =>
  /^(?:chf|usd|eur|gbp|jpy|sek|nok|dkk|pln|czk|inr|cad|aud|nzd)$/.test(norm)

/** Bounds, ends of a change, and wholes are told by the words around a number. */
export function surroundings(
  tokens: readonly (Token & { readonly tag?: string })[],
  from: number,
  to: number,
): Pick<Quantity, 'bound' | 'whole' | 'end' | 'negated'> {
  let bound: Bound = '='
  let end: Quantity['end'] = ''
  let whole = false
  let negated = false
  for (let i = from - 1, seen = 0; i >= 0 && seen < 5; i--, seen++) {
    // "take over an hour": no verb with a particle.
    const norm = tokens[i]!.norm.replace(/^\w+_(?=over$)/, '')
    if (tokens[i]!.kind === 'mark' && !/^[~<>≥≤$€£(]$/.test(norm)) break
    if (seen === 0 && norm === 'from') end = 'from'
    if (seen === 0 && norm === 'to') end = 'to'
    if (seen === 0 && norm === 'by') end = 'by'
    if (norm === 'of' && seen <= 1 && tokens[i - 1]?.kind !== 'mark') {
      const head = tokens[i - 1]?.norm ?? ''
      if (
        /^(?:[\d,.]+%?|one|two|three|four|five|six|seven|eight|nine|ten|none|all|most|some|many|few|half|both|any|each|out)$/.test(
          head,
        )
      )
        whole = true
    }
    // "Of the 20 guests, 15 came"
    if (norm === 'of' && tokens[i]!.first) whole = true
    if (norm === 'out' && seen === 1) whole = true
    if (
      Object.hasOwn(BOUNDS, norm) &&
      bound === '=' &&
      (seen < 2 || /^(?:exceed|capped|limited|maximum|minimum)/.test(norm))
    ) {
      if (norm === 'some' && seen > 0) continue
      bound = BOUNDS[norm]!
    } else if (
      norm === 'than' &&
      seen === 0 &&
      tokens[i - 1] !== undefined &&
      COMPARED.test(tokens[i - 1]!.norm)
    ) {
      bound = LESS.test(tokens[--i]!.norm) ? '<' : '>'
    } else if (/^(?:not|never|cannot|no)$/.test(norm) && bound !== '=') {
      negated = true
      break
    } else if (bound === '=' && isCurrency(norm)) continue
    else if (bound !== '=' && !UNDER_DENIAL.has(norm) && !/^[VXM]$/.test(tokens[i]!.tag ?? '')) break
    // "max upload 25 MB"
    else if (bound === '=' && seen === 0 && /^(?:max|min|maximum|minimum)$/.test(tokens[i - 1]?.norm ?? '')) {
      bound = BOUNDS[tokens[i - 1]!.norm]!
    } else if (
      bound === '=' &&
      !/^(?:of|at|to|the|a|an|is|be|was|than|set|its|our|or|about|from)$/.test(norm)
    )
      break
  }
  if (bound === '=') bound = AFTER[tokens[to]?.norm ?? ''] ?? '='
  // "two pets at most"
  if (bound === '=' && /^at_(?:most|least)$/.test(tokens[to + 1]?.norm ?? ''))
    bound = tokens[to + 1]!.norm === 'at_most' ? '<=' : '>='
  if (bound === '=') bound = orBeyond(tokens, to) ?? '='
  if (bound === '=' && isLimitedTo(tokens, from)) bound = '<='
  return { bound: negated ? OPPOSITE[bound] : bound, end, whole, negated }
}

const OR_MORE = /^(?:more|above|over|up|higher|later|older|longer|larger|bigger|heavier|greater|better)$/
const OR_LESS = /^(?:less|fewer|below|under|down|lower|earlier|younger|shorter|smaller|lighter)$/

/** "16 or older", "18 degrees or lower". What goes on with a thing is a verb: "or lower the blinds". */
function orBeyond(tokens: readonly Token[], to: number): Bound | undefined {
  const or = [to, to + 1].find((i) => tokens[i]?.norm === 'or')
  if (or === undefined || (or > to && tokens[to]!.kind !== 'word')) return undefined
  const [after, next] = [tokens[or + 1]?.norm ?? '', tokens[or + 2]?.norm ?? '']
  if (/^(?:the|a|an|my|our|your|his|her|its|their|it|them|than|\d.*)$/.test(next)) return undefined
  return OR_MORE.test(after) ? '>=' : OR_LESS.test(after) ? '<=' : undefined
}

/** "limits each key to 100 requests" */
function isLimitedTo(tokens: readonly Token[], from: number): boolean {
  if (!/^(?:to|at)$/.test(tokens[from - 1]?.norm ?? '')) return false
  for (let i = from - 2; i >= 0 && i > from - 7 && tokens[i]!.kind !== 'mark'; i--)
    if (/^(?:limit|limits|limiting|cap|caps|capping|restrict|restricts|restricted)$/.test(tokens[i]!.norm))
      return true
  return false
}

/** Whether every amount the first admits is admitted by the second. Both name the same value. */
export function boundImplies(a: Bound, b: Bound): boolean {
  if (a === b || a === '~' || b === '~') return a === b || (a !== '>' && a !== '<' && b !== '>' && b !== '<')
  if (a === '=') return b === '>=' || b === '<='
  if (a === '>') return b === '>='
  if (a === '<') return b === '<='
  return false
}

const close = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))

/** Whether a number with its bound is true of this many. */
export function admitsAmount({ value, bound }: Quantity, many: number): boolean {
  if (bound === '>=') return many >= value || close(many, value)
  if (bound === '<=') return many <= value || close(many, value)
  if (bound === '>') return many > value && !close(many, value)
  if (bound === '<') return many < value && !close(many, value)
  return bound === '~' ? Math.abs(many - value) <= Math.abs(value) * 0.06 : close(many, value)
}
