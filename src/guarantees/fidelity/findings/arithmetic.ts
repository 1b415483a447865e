import { type Comparison, clauseAt, type Side } from '../comparing/comparison.ts'
import { admitsAmount } from '../quantities/bounds.ts'
import { UNITS } from '../quantities/measures.ts'
import type { Quantity } from '../quantities/quantities.ts'
import type { Word } from '../words/tagging.ts'
import { changesOf } from './ratios.ts'

/** Whether a number of the claim follows from those of the source: the rest of a whole, a sum, a share, a rate. */
export function follows(comparison: Comparison, mine: Quantity): boolean {
  return (
    isRenamed(comparison, mine) ||
    isShare(comparison, mine) ||
    isDifference(comparison, mine) ||
    isSum(comparison, mine) ||
    isProduct(comparison, mine) ||
    isInstance(comparison, mine) ||
    isReckoned(comparison, mine) ||
    isListed(comparison, mine) ||
    isRounded(comparison, mine) ||
    isAllButOne(comparison, mine) ||
    isGrandTotal(comparison, mine)
  )
}

export const isClose = (a: number, b: number) => Math.abs(a - b) < 1e-9 * Math.max(1, Math.abs(a))

const has = ({ words }: Side, pattern: RegExp) => words.some(({ norm }) => pattern.test(norm))

/** "twice" and "two times", "the second" of a counted row, "every other". */
function isRenamed({ source }: Comparison, { kind, value, unit }: Quantity): boolean {
  const counts = (wanted: number) =>
    source.quantities.some((other) => other.kind === 'count' && other.value === wanted)
  if (kind === 'times' || kind === 'count') {
    if (value === 1 && has(source, /^once$/)) return true
    // "every second Thursday" is once a fortnight.
    if (kind === 'times' && value === 1 && source.quantities.every((other) => other.kind !== 'times'))
      return has(source, /^(?:every|each|(?:dai|night|week|month|year)ly|(?:every|each)_\w+)$/)
    if (value === 2 && has(source, /^(?:twice|both|couple|a_couple_of|double)$/)) return true
    if (
      kind === 'times' &&
      source.quantities.some((other) => other.kind === 'ordinal' && other.value === value)
    )
      return true
  }
  if (kind === 'count')
    return source.quantities.some(
      (other) => other.kind === 'clock' && (other.value === value * 60 || other.value === (value + 12) * 60),
    )
  // "Let's make it 7": 7 pm; "the second half": H2.
  if (kind === 'clock' && value % 60 === 0) return counts(value / 60) || counts(value / 60 - 12)
  if (kind === 'day' && unit === 'quarter')
    return (
      has(source, value > 10 ? /^half$/ : /^quarter$/) &&
      source.quantities.some((other) => other.kind === 'ordinal' && other.value === value % 10)
    )
  if (kind !== 'ordinal') return false
  return counts(value) || (value === 1 && has(source, /^one$/)) || (value === 2 && has(source, /^other$/))
}

/** Part over whole, or a part worked out. */
function isShare(comparison: Comparison, mine: Quantity): boolean {
  const { source, claim } = comparison
  const { quantities } = source
  const shares = quantities.filter(({ kind }) => kind === 'share')
  if (mine.kind !== 'share') {
    if (
      shares.some((share) =>
        quantities.some((a) => a.kind === mine.kind && isClose(a.value * share.value, mine.value)),
      )
    )
      return true
    // "four out of five" for 80 %
    const partner = claim.quantities.find(
      (other) =>
        other !== mine &&
        other.kind === mine.kind &&
        (other.whole || mine.whole) &&
        Math.abs(other.from - mine.from) < 5,
    )
    if (partner === undefined) return false
    const [part, whole] = partner.whole ? [mine, partner] : [partner, mine]
    return shares.some(({ value }) => Math.abs(part.value / whole.value - value) < 0.006)
  }
  // "went from 180 to 270": up by half.
  if (
    mine.end === 'by' &&
    changesOf(source).some(([from, to]) => Math.abs(Math.abs(to / from - 1) - mine.value) < 0.011)
  )
    return true
  const counts = quantities.filter(({ kind }) => kind === 'count')
  if (
    counts.some(
      (a) =>
        !a.whole && counts.some((b) => a.value < b.value && Math.abs(a.value / b.value - mine.value) < 0.006),
    )
  )
    return true
  if (shares.some(({ value }) => isClose(1 - value, mine.value)))
    return isTurned(comparison, mine) || speaksOfRest(claim)
  return (
    (mine.value === 0.5 && has(source, /^half$/)) ||
    (mine.value === 1 && has(source, /^(?:all|every)$/)) ||
    (mine.value === 0 && has(source, /^(?:no|none)$/))
  )
}

/** What is between two numbers, or left of a whole. */
function isDifference(comparison: Comparison, mine: Quantity): boolean {
  const { source, claim } = comparison
  const { quantities } = source
  if (mine.kind === 'duration') {
    const clocks = quantities.filter(({ kind }) => kind === 'clock')
    if (clocks.some((a) => clocks.some((b) => (b.value - a.value) * 60 === mine.value))) return true
  }
  const alike = quantities.filter(({ kind, unit }) => kind === mine.kind && unit === mine.unit)
  for (const a of alike)
    for (const b of alike) {
      if (a === b || b.value <= a.value || !isClose(b.value - a.value, mine.value)) continue
      if (mine.kind !== 'count' || mine.value >= MANY) return true
      if (a.end !== '' && b.end !== '') return true
      if (speaksOfRest(claim) || isTurned(comparison, mine)) return true
    }
  // What two parts leave of a whole.
  return alike.some((whole) =>
    alike.some(
      (a) =>
        a !== whole &&
        alike.some((b) => b !== a && b !== whole && isClose(whole.value - a.value - b.value, mine.value)),
    ),
  )
}

/** Small numbers come out of small numbers by chance. */
const MANY = 20
const TOTAL = /^(?:total|altogether|sum|combined|overall|together|in_total|consists?)$/

/** All of them: not one kind of them alone. */
function isSum(comparison: Comparison, mine: Quantity): boolean {
  const { source, claim } = comparison
  const alike = source.quantities.filter(({ kind, unit }) => kind === mine.kind && unit === mine.unit)
  const noun = countedBy(claim, mine)?.lemma
  const known = alike.some((other) => noun !== undefined && countedBy(source, other)?.lemma === noun)
  for (const [i, a] of alike.entries())
    for (const b of alike.slice(i + 1)) {
      const three = alike.some((c) => c !== a && c !== b && isClose(a.value + b.value + c.value, mine.value))
      if (!isClose(a.value + b.value, mine.value) && !three) continue
      // Four offices and two printers are not six printers.
      if (!three && isOfBoth(source, a, noun) !== isOfBoth(source, b, noun)) continue
      if (mine.kind !== 'count' || mine.value >= MANY || has(claim, TOTAL) || speaksOfRest(claim)) return true
      if (!known || isTurned(comparison, mine)) return true
      // "There are three replicas", of two here and one there.
      if (has(claim, /^there$/) && claim.words.filter(({ tag }) => tag === 'N').length === 1) return true
    }
  return false
}

const isOfBoth = (source: Side, quantity: Quantity, noun: string | undefined): boolean => {
  const counted = countedBy(source, quantity)?.lemma
  return noun === undefined || counted === undefined || counted === noun
}

/** So much each, for so many; or one of so many. */
function isProduct({ source, claim }: Comparison, mine: Quantity): boolean {
  const alike = source.quantities.filter(({ kind, unit }) => kind === mine.kind && unit === mine.unit)
  const counts = [...source.quantities, ...claim.quantities].filter(
    (other) =>
      other !== mine &&
      (other.kind === 'count' || other.kind === 'duration' || other.kind === 'times') &&
      other.value > 1,
  )
  const EACH = /^(?:each|per|apiece|every|an?|single|one|a_day|per_\w+|daily|weekly|monthly)$/
  // "three trays of a dozen eggs"
  if (
    mine.kind === 'count' &&
    counts.some((one) =>
      counts.some(
        (other) =>
          one.kind === 'count' &&
          other.kind === 'count' &&
          other.from > one.to &&
          other.from < one.to + 4 &&
          source.words[other.from - 1]?.norm === 'of' &&
          source.quantities.includes(one) &&
          source.quantities.includes(other) &&
          isClose(one.value * other.value, mine.value),
      ),
    )
  )
    return true
  for (const one of alike)
    for (const count of counts) {
      if (count === one) continue
      const { value } = one
      const many = count.kind === 'duration' ? timesOf(count) : count.value
      if (
        isClose(value * many, mine.value) &&
        (mine.kind === 'count'
          ? has(source, EACH) && countsTheSame(source, one, claim, mine)
          : claim.quantities.includes(count) || has(source, EACH))
      )
        return true
      if (isClose(value / many, mine.value) && has(claim, EACH) && mine.kind !== 'count') return true
      // "split four ways": everyone paid so much.
      if (
        isClose(value / many, mine.value) &&
        has(source, /^(?:split|splits|divided?|shared?|ways)$/) &&
        has(claim, /^(?:each|everyone|everybody|apiece|per_\w+)$/)
      )
        return true
    }
  return false
}

/** "500, then 120 a month for a year": 1,940 in total. */
function isGrandTotal({ source, claim }: Comparison, mine: Quantity): boolean {
  if (!has(claim, TOTAL)) return false
  const { quantities } = source
  return quantities.some((rate) => {
    const period = Number(rate.per)
    if (!(period > 0)) return false
    return quantities.some((term) => {
      if (term.kind !== 'duration') return false
      const paid = rate.value * Math.round(term.value / period)
      return (
        isClose(paid, mine.value) ||
        quantities.some(
          (once) => once !== rate && once.kind !== 'duration' && isClose(paid + once.value, mine.value),
        )
      )
    })
  })
}

/** Two numbers of the same things. */
function countsTheSame(source: Side, theirs: Quantity, claim: Side, mine: Quantity): boolean {
  const noun = countedBy(claim, mine)?.lemma
  return noun !== undefined && countedBy(source, theirs)?.lemma === noun
}

/** "eight weeks" and "two months", "30 days" and "a month" are the same to whoever tells them. */
const isRounded = ({ source, claim }: Comparison, mine: Quantity): boolean => {
  const unit = ({ words }: Side, { to }: Quantity) => words[to - 1]?.norm ?? ''
  const coarse = (norm: string) => /^(?:month|months|quarter|quarters|year|years)$/.test(norm)
  return (
    mine.kind === 'duration' &&
    source.quantities.some(
      (theirs) =>
        theirs.kind === 'duration' &&
        theirs.value >= 28 * DAY &&
        coarse(unit(source, theirs)) !== coarse(unit(claim, mine)) &&
        Math.abs(theirs.value / mine.value - 1) < 0.09,
    )
  )
}

/** "the youngest of four" has three before it; "passed at the sixth attempt": five were in vain. */
const isAllButOne = ({ source, claim }: Comparison, { kind, value }: Quantity): boolean =>
  (kind === 'count' || kind === 'times') &&
  source.quantities.some(
    (theirs) =>
      (theirs.kind === 'count' || theirs.kind === 'ordinal') &&
      theirs.value === value + 1 &&
      (theirs.kind === 'ordinal' ||
      /^(?:attempts?|tries|try|goes)$/.test(countedBy(source, theirs)?.norm ?? '')
        ? has(claim, /^(?:before|earlier|previous\w*|fail\w*|unsuccessful\w*|in_vain|vain)$/)
        : theirs.whole &&
          has(source, /^(?:one|only|young|old|youngest|oldest|first|last)$/) &&
          has(claim, /^(?:others?|older|younger|more|rest|remaining)$/)),
  )

/** "ten hours": ten. */
const timesOf = ({ value }: Quantity): number => {
  for (const unit of [31557600, 2629800, 604800, 86400, 3600, 60])
    if (value >= unit && Number.isInteger(value / unit)) return value / unit
  return value
}

/** A case of a rule with a bound: a bag of 25 kilos, where those over 20 cost extra. */
function isInstance({ source, claim }: Comparison, mine: Quantity): boolean {
  if (mine.bound !== '=') return false
  const rules = source.quantities.filter(
    ({ kind, unit, bound }) => kind === mine.kind && unit === mine.unit && bound !== '=' && bound !== '~',
  )
  if (rules.some((rule) => admitsAmount(rule, mine.value))) return true
  const clause = clauseAt(claim, mine.from)
  const stance = clause === undefined ? undefined : claim.scopes.stances[clause.id]
  if (rules.length > 0)
    return (
      (stance !== undefined && (stance.sign === -1 || stance.duty === 'forbidden')) ||
      has(claim, /^(?:more_than|too_many|too|over|beyond|exceeds?|above)$/)
    )
  return isCase(claim, mine) && has(source, RULE)
}

const RULE =
  /^(?:each|per|every|apiece|a_day|per_\w+|under|over|above|below|beyond|up_to|at_least|at_most|(?:more|less|longer|higher|older|younger|fewer)_than|longer|older|younger|anniversary)$/

/** "a five-year-old", "for a four-night stay", "whoever leaves after ten months": a number the claim makes up as an example. */
function isCase({ words }: Side, { from, to }: Quantity): boolean {
  if (
    /^an?$/.test(words[from - 1]?.norm ?? '') &&
    words[to]?.tag !== undefined &&
    /^[NA-]$/.test(words[to]!.tag)
  )
    return true
  return words.some(
    ({ norm }, i) => i < from && /^(?:if|when|someone|somebody|anyone|anybody|whoever|those)$/.test(norm),
  )
}

const DAY = 86_400
const YEAR = 365.25 * DAY
/** A day after the other of a year that is no leap year. */
const dayOf = (date: number, days: number): number => {
  const moved = new Date(Date.UTC(2001, Math.floor(date / 100) - 1, (date % 100) + days))
  return (moved.getUTCMonth() + 1) * 100 + moved.getUTCDate()
}
const ALONG =
  /^(?:before|early|earlier|previous|prior|ahead|after|late|later|following|next|within|until|by|through)$/

const SPANNING = /^(?:from|for|since|as_of|starting|starts?|began|begins?|runs?|lasts?|valid|over)$/

/** Days and hours counted on from those of the source: a week after 3 May, the day before Friday. */
function isReckoned({ source, claim }: Comparison, mine: Quantity): boolean {
  const { quantities, words } = source
  if (mine.kind === 'duration')
    // "the first year"
    return quantities.some(
      ({ kind, value, to }) =>
        kind === 'ordinal' &&
        value === 1 &&
        UNITS.get((words[to]?.norm ?? '').replace('anniversary', 'year'))?.[1] === mine.value,
    )
  // "met in 2015 and got married three years later"
  if (mine.kind === 'count' && mine.value >= 1900 && mine.value < 2100)
    return quantities.some(
      ({ kind, value }) =>
        kind === 'count' &&
        (has(source, ALONG) || has(source, SPANNING)) &&
        quantities.some(
          (step) => step.kind === 'duration' && isClose(Math.abs(mine.value - value) * YEAR, step.value),
        ),
    )
  if (mine.kind !== 'day' && mine.kind !== 'clock') return false
  const steps = quantities.filter(({ kind }) => kind === 'duration').map(({ value }) => value)
  return quantities.some(({ kind, unit, value, from }) => {
    if (kind !== mine.kind || unit !== mine.unit) return false
    if (kind === 'clock') return steps.some((step) => Math.abs(Math.abs(mine.value - value) * 60 - step) < 1)
    if (unit === 'weekday' && has(source, /^(?:otherwise|others?|else|rest|remaining)$/)) return true
    const shift = (days: number) =>
      unit === 'weekday'
        ? ((value - 1 + days + 70) % 7) + 1
        : unit === 'date'
          ? dayOf(value, days)
          : unit === 'year'
            ? value + days / 365.25
            : value + days
    const near = (side: Side, at: number) => ALONG.test(side.words[at - 1]?.norm ?? '')
    if (
      near(source, from) !== near(claim, mine.from) ||
      (near(source, from) && words[from - 1]!.norm !== claim.words[mine.from - 1]!.norm)
    )
      if (shift(1) === mine.value || shift(-1) === mine.value) return true
    // "and the day after"
    if (unit === 'date' && nextTo(words) !== 0 && shift(nextTo(words)) === mine.value) return true
    return (
      has(source, ALONG) &&
      steps.some((step) => shift(step / DAY) === mine.value || shift(-step / DAY) === mine.value)
    )
  })
}

/** "the day after": 1, "the day before": -1. */
function nextTo(words: readonly Word[]): 1 | -1 | 0 {
  for (const [i, { norm }] of words.entries()) {
    if (norm !== 'day') continue
    const [before, after] = [words[i - 1]?.norm ?? '', words[i + 1]?.norm ?? '']
    if (/^(?:after|later)$/.test(after) || /^(?:next|following)$/.test(before)) return 1
    if (/^(?:before|earlier)$/.test(after) || before === 'previous') return -1
  }
  return 0
}

/** "Two lines replicated it", where the source names two. */
function isListed({ source: { words } }: Comparison, { kind, value }: Quantity): boolean {
  if (kind !== 'count' || value > 9) return false
  for (let i = 0, named = 0; i <= words.length; i++) {
    if (words[i]?.tag === 'N' && words[i]!.proper) named += words[i - 1]?.tag === 'N' ? 0 : 1
    else if (!/^(?:,|and|or|&)$/.test(words[i]?.norm ?? '')) {
      if (named === value && named > 1) return true
      named = 0
    }
  }
  return false
}

/** The claim denies, or says with a word of its own, what it says of the number. */
function isTurned({ claim, alignment }: Comparison, { from }: Quantity): boolean {
  const clause = clauseAt(claim, from)
  if (clause === undefined) return false
  return (
    clause.negators.length % 2 === 1 ||
    (claim.words[clause.head]!.tag !== 'X' && alignment.links[clause.head]!.likeness.match !== 'same')
  )
}

const speaksOfRest = (claim: Side) =>
  has(
    claim,
    /^(?:others?|remaining|remains?|left|still|rest|not|up|down|outstanding|missing|short|more|less|fewer|difference|open|free)$/,
  )

/** The noun a number counts; that of its neighbour in "7 daily and 4 weekly snapshots". */
export function countedBy({ words }: Side, { kind, to }: Quantity): Word | undefined {
  if (kind !== 'count') return undefined
  for (let i = to; i < words.length && i < to + 7; i++) {
    const { tag } = words[i]!
    if (/^(?:today|tomorrow|tonight|yesterday)$/.test(words[i]!.norm)) return undefined
    if (tag === 'N' && words[i + 1]?.tag !== 'N') return words[i]
    const joins = tag === 'C' && words[i + 1]?.tag === '#' && i > to
    if (!/^[ANR#]$/.test(tag) && !joins) return undefined
    if (tag !== 'N' && !joins && i >= to + 4) return undefined
  }
  return undefined
}
