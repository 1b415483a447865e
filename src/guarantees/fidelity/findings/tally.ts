import { compareWords } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { admitsAmount } from '../quantities/bounds.ts'
import type { Quantity } from '../quantities/quantities.ts'
import type { FidelityPair } from '../types.ts'
import { excludeEachOther } from '../words/concepts.ts'
import { anyOf } from '../words/cues.ts'
import { type Crowd, inFront, isDenied, isVerb, type Layout, layOut, propertiesOf } from './crowds.ts'

/** How many members: from `low` to `high`, the ends taken in. */
interface Span {
  readonly low: number
  readonly high: number
}

/** Whether the members of a crowd have some property. */
type Truth = 'yes' | 'no' | 'unknown'

const NUMERAL =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|half|third|quarter)s?\b/i
const AMOUNT =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|half|thirds?|quarters?|most|majority|all|both|every|each|no|none|nobody|neither|some|few|not)\b/i

/** A quick look before reading: without a number here and an amount there, there is nothing to count. */
export const mayCount = ({ source, claim }: FidelityPair): boolean =>
  claim.length < 240 && source.length < 600 && NUMERAL.test(source) && AMOUNT.test(claim)

/**
 * Counts the members of the source's crowds that the claim speaks of, and compares the outcome with the number or
 * quantifier of the claim. Undefined where the texts do not tell every property the claim names.
 */
export function tally(
  comparison: Comparison,
): { follows: boolean; findings: readonly Finding[] } | undefined {
  const { source, claim } = comparison
  if (claim.words.length > 40 || source.words.length > 120) return undefined
  const other = layOut(source)
  const nouns = other.crowds.filter(({ head }) => head >= 0).map(({ head }) => source.words[head]!.lemma)
  const layout = layOut(claim, new Set(nouns))
  const { crowds: mine, stretches } = layout
  const subjects = mine.filter(({ at, stretch }) => inFront(claim, stretches[stretch]!, at))
  if (subjects.length === 0 || stretches.filter(({ verb }) => verb >= 0).length !== 1) return undefined
  const theirs = other.crowds
  if (!theirs.some(({ quantity }) => quantity !== undefined)) return undefined
  const outcomes = subjects.map((crowd) => ({ crowd, holds: holds(comparison, crowd, layout, other) }))
  const wrong = outcomes.find(({ holds }) => holds === false)
  if (wrong !== undefined) {
    const { crowd } = wrong
    const code = crowd.amount === undefined ? 'number_mismatch' : 'quantifier_shift'
    return {
      follows: false,
      findings: [
        finding(
          comparison,
          code,
          'hard',
          0.9,
          theirs.filter(({ quantity }) => quantity !== undefined).flatMap(({ at, to }) => [at, to - 1]),
          [crowd.at, crowd.to - 1],
          `the numbers of the source do not come to '${said(claim, crowd.at, crowd.to - 1)}'`,
        ),
      ],
    }
  }
  return outcomes.every(({ holds }) => holds === true) ? { follows: true, findings: [] } : undefined
}

/** Nouns for whoever was counted. */
const COLLECTIVE = anyOf('population total group others other rest')

interface Group {
  readonly crowd: Crowd
  readonly properties: readonly number[]
  readonly size: Span
}

function holds(
  { source, claim }: Comparison,
  crowd: Crowd,
  mine: Layout,
  { crowds: theirs, stretches: parts }: Layout,
): boolean | undefined {
  const { stretches } = mine
  const noun = claim.words[crowd.head]
  if (noun === undefined) return undefined
  const named = (head: number) =>
    head >= 0 &&
    (COLLECTIVE.has(noun.norm) ||
      COLLECTIVE.has(source.words[head]!.norm) ||
      /^(?:same|synonym|wider)$/.test(compareWords(source.words[head]!, noun).match))
  // What is counted as a whole, and what of it.
  const kin = theirs.filter(
    ({ head, stretch, at, to, quantity }) =>
      (head < 0
        ? quantity?.kind === 'share' || isVerb(source, Math.min(to, source.words.length - 1))
        : named(head)) && inFront(source, parts[stretch]!, at),
  )
  if (kin.length === 0 || kin.some(({ amount }) => amount !== undefined)) return undefined
  const first = kin[0]!
  const opening =
    kin.length > 1 &&
    first.quantity?.kind === 'count' &&
    parts[first.stretch]!.there &&
    first.whole === undefined
  // "490 million people, or 36% of the population"
  const share = kin.find(
    ({ at, quantity }) => quantity?.kind === 'share' && /^(?:or|\()$/.test(source.words[at - 1]?.norm ?? ''),
  )
  const told = kin.filter((one) => one !== share)
  if (
    share !== undefined &&
    (told.length !== 1 || told[0]!.quantity?.kind !== 'count' || share.quantity!.value === 0)
  )
    return undefined
  const stated =
    kin.find(({ whole }) => whole !== undefined)?.whole ??
    (opening && share === undefined ? first.quantity : undefined)
  const shared = opening && share === undefined ? propertiesOf(source, first, theirs, parts) : []
  const members = share !== undefined ? told : opening ? kin.slice(1) : kin
  // "three of the five are not up": of a whole, the others are; otherwise a denial says too little.
  const deniedIn = ({ stretch }: Crowd) => isDenied(source, parts[stretch]!)
  if (
    members.some(deniedIn) &&
    (members.length > 1 || members[0]!.whole === undefined || !members.every(deniedIn))
  )
    return undefined
  const open = members.filter(({ head }) => head >= 0).length === 0 || members.every(({ single }) => single)
  if (open && stated === undefined) return undefined
  const total = share !== undefined ? told[0]!.quantity!.value / share.quantity!.value : stated?.value
  // One number that stands in both texts is for other rules to compare.
  if (total === undefined && members.length < 2) return undefined
  const groups: Group[] = []
  for (const member of members) {
    const { quantity, single } = member
    const properties = propertiesOf(source, member, theirs, parts)
    // "two thirds wear red tops and one third wear green": tops, too.
    const before = groups.at(-1)
    if (before !== undefined && member.head < 0)
      properties.push(
        ...before.properties.filter(
          (i) =>
            source.words[i]!.tag === 'N' &&
            !shared.includes(i) &&
            properties.every(
              (k) => k !== i && !excludeEachOther(source.words[k]!.norm, source.words[i]!.norm),
            ),
        ),
      )
    const size = single ? { low: 1, high: 1 } : quantity === undefined ? undefined : sizeOf(quantity, total)
    if (size === undefined) return undefined
    groups.push({ crowd: member, properties: [...properties, ...shared], size })
  }
  const population = total ?? groups.reduce((sum, { size }) => sum + size.low, 0)
  const stretch = stretches[crowd.stretch]!
  const said = propertiesOf(claim, crowd, mine.crowds, stretches)
  const denied = isDenied(claim, stretch)
  // "two of the four smoke detectors": all four are.
  const common = kin.flatMap(({ whole, head }) =>
    whole === undefined ? [] : source.words.slice(whole.to, head).map(({ lemma }) => lemma),
  )
  const restricting = said.filter((i) => i < crowd.head && !common.includes(claim.words[i]!.lemma))
  const predicate = said.filter((i) => i > crowd.head)
  const counts = (wanted: readonly number[], flip: boolean): Span | undefined => {
    let low = 0
    let unknown = 0
    let none = 0
    let opposite = 0
    let matched = shared.length > 0 || wanted.length === 0
    for (const { crowd, properties, size } of groups) {
      const turned = wanted !== restricting && deniedIn(crowd)
      const plain = truthOf(source, claim, properties, wanted)
      const truth = turned && plain !== 'unknown' ? (plain === 'yes' ? 'no' : 'yes') : plain
      if (truth !== 'unknown') matched = true
      if (truth === 'yes') low += size.low
      else if (truth === 'no') {
        none += size.low
        if (turned || isOpposite(source, claim, properties, wanted)) opposite += size.low
      } else unknown += size.low
    }
    if (!matched) return undefined
    // Who is not spoken of is left out of what is said, as long as anyone is spoken of.
    const rest = Math.max(0, population - low - none - unknown)
    // Two of the five are down: the others are up.
    if (low === 0 && opposite > 0 && opposite === none && unknown === 0) low = rest
    const high = low + unknown + (low === 0 ? rest : 0)
    return flip ? { low: population - high, high: population - low } : { low, high }
  }
  const base = restricting.length === 0 ? { low: population, high: population } : counts(restricting, false)
  // All that is known of is of another colour, so nothing bears out what is said of these.
  if (base?.low === 0 && !denied) return admits(crowd, base, base, []) && base.high === 0
  const untold = (c: number) =>
    groups.every(({ properties }) => truthOf(source, claim, properties, [c]) === 'unknown')
  if (predicate.some(untold)) return undefined
  const met = counts([...restricting, ...predicate], denied)
  if (base === undefined || met === undefined) return undefined
  // "not done": of some it is not said, so there may be as many.
  if (denied && met.low < met.high && crowd.quantity !== undefined && crowd.quantity.value <= met.high)
    return undefined
  return admits(crowd, met, base, groups)
}

function sizeOf(quantity: Quantity, total: number | undefined): Span | undefined {
  if (quantity.bound !== '=') return undefined
  if (quantity.kind === 'count') return { low: quantity.value, high: quantity.value }
  if (total === undefined) return undefined
  const value = Math.round(quantity.value * total * 1000) / 1000
  return { low: value, high: value }
}

function truthOf(source: Side, claim: Side, properties: readonly number[], wanted: readonly number[]): Truth {
  let all: Truth = 'yes'
  for (const c of wanted) {
    let one: Truth = 'unknown'
    for (const s of properties) {
      const { match } = compareWords(source.words[s]!, claim.words[c]!)
      if (match === 'same' || match === 'synonym' || match === 'wider') one = 'yes'
      else if (
        one === 'unknown' &&
        (match === 'antonym' || excludeEachOther(source.words[s]!.norm, claim.words[c]!.norm))
      )
        one = 'no'
    }
    if (one === 'no') return 'no'
    if (one === 'unknown') all = 'unknown'
  }
  return all
}

/** The one thing said of both is said the other way round: up and down, pass and fail. */
const isOpposite = (source: Side, claim: Side, properties: readonly number[], wanted: readonly number[]) =>
  wanted.length === 1 &&
  properties.some((s) => compareWords(source.words[s]!, claim.words[wanted[0]!]!).match === 'antonym')

/** Whether a number or quantifier of the claim admits every size that may be. */
function admits(crowd: Crowd, met: Span, base: Span, groups: readonly Group[]): boolean | undefined {
  const { quantity, range, amount } = crowd
  const whole = base.low
  if (base.low !== base.high && (amount === 'all' || amount === 'most' || quantity?.kind === 'share'))
    return undefined
  if (quantity !== undefined) {
    const scale = quantity.kind === 'share' ? whole : 1
    if (range !== undefined) {
      const to = range.kind === 'share' ? whole : scale
      return met.low >= quantity.value * scale && met.high <= range.value * to
    }
    if (admitsAmount(quantity, met.low / scale) && admitsAmount(quantity, met.high / scale)) return true
    // A part of them that the source counts: three of the five that run.
    return (
      quantity.bound === '=' &&
      quantity.kind === 'count' &&
      groups.some(({ size }) => size.low === quantity.value && size.low <= met.low)
    )
  }
  if (amount === 'all') return met.low === whole
  if (amount === 'most') return met.low > whole / 2
  if (amount === 'some' || crowd.single) return met.low >= 1
  if (amount === 'none') return met.high === 0
  if (amount === 'not all') return met.high < whole
  if (amount === 'few') return met.high < whole / 2 && met.high > 0
  return undefined
}
