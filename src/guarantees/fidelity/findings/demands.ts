import { isContent } from '../comparing/alignment.ts'
import { type Comparison, clauseAt, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

/**
 * What something depends on, by whatever words: "only if the swab is positive", "needs the receipt", "not without a
 * visa", "unless it is an emergency"; and claims that have it without that, or the other way round.
 */
interface Demand {
  /** The word that makes the demand. */
  readonly at: number
  /** Words that say what is demanded, and those that say for what. */
  readonly demanded: readonly number[]
  readonly rest: readonly number[]
  /** 1: the rest is so when what is demanded is so; -1: when it is not. */
  readonly sign: 1 | -1
  /** The rest is told as what does not come about. */
  readonly denies: boolean
}

const IF = anyOf(
  'if provided provided_that assuming assuming_that as_long_as so_long_as only_if on_condition_that only_when only_after only_once subject_to contingent_on contingent_upon conditional_on depending_on in_case_of in_the_event_of',
)
const AFTER = anyOf('once when after')
const ONLY_BEFORE = anyOf('with after when once by for in during upon following')
const NEEDS = anyOf('need require demand')
const NEEDED = anyOf('needed required necessary mandatory compulsory essential obligatory')
const DEFYING = anyOf(
  'without regardless even_if even_when unconditionally whatever irrespective whether even with_or_without any_time',
)
/** What does not come about or is not let, said without "not". */
const REFUSED = anyOf(
  'out_of_the_question impossible forbidden prohibited banned invalid void refuse refused rejected denied off_limits limits useless pointless unpaid unable illegal fail fails failed cancel cancelled canceled lapse lapses stop stops unlawful unacceptable refusal',
)
const BREAKS = anyOf('. ; ! ? , : but and or')

/** The words from here to the end of the phrase or clause, and whether an odd number of them deny. */
function complementOf(side: Side, from: number): { words: number[]; denied: boolean } {
  const list: number[] = []
  let denials = 0
  for (let i = from; i < side.words.length; i++) {
    const word = side.words[i]!
    if (BREAKS.has(word.norm) && list.length > 0 && !joins(side, i)) break
    if (/^[.;!?]$/.test(word.norm)) break
    if (word.tag === '-' || word.norm === 'no') denials++
    if (isContent(word)) list.push(i)
  }
  return { words: list, denied: denials % 2 === 1 }
}

/** "a green build and a second reviewer": one demand of two parts. */
const joins = ({ words }: Side, at: number) =>
  words[at]!.norm === 'and' && /^[DA#]$/.test(words[at + 1]?.tag ?? '') && words[at - 1]?.tag === 'N'

const sentence = (side: Side, at: number): number[] => {
  const own = side.sentenceOf[at]!
  const list: number[] = []
  for (let i = own; i < side.words.length && side.sentenceOf[i] === own; i++) list.push(i)
  return list
}

/** An odd number of denials among these words. */
const isDenied = ({ words }: Side, at: readonly number[]): boolean =>
  at.filter((i) => words[i]!.tag === '-' || words[i]!.norm === 'no' || REFUSED.has(words[i]!.norm)).length %
    2 ===
  1

function demandAt(side: Side, at: number): Demand | undefined {
  const { words } = side
  const { norm, lemma, tag } = words[at]!
  const demand = (demanded: readonly number[], sign: 1 | -1): Demand | undefined => {
    const rest = sentence(side, at).filter((i) => i !== at && !demanded.includes(i))
    const own = isDenied(side, rest) ? -1 : 1
    return demanded.length === 0
      ? undefined
      : { at, demanded, rest, sign: (sign * own) as 1 | -1, denies: own === -1 }
  }
  const from = (start: number, sign: 1 | -1) => {
    const { words: list, denied } = complementOf(side, start)
    const whole = demand(list, (denied ? -sign : sign) as 1 | -1)
    if (whole === undefined) return undefined
    // Denials inside what is demanded are no denials of the rest.
    const inside = (i: number) => i >= start && i <= (list.at(-1) ?? start)
    const rest = whole.rest.filter((i) => !inside(i))
    const own = isDenied(side, rest) ? -1 : 1
    return { ...whole, rest, sign: ((denied ? -sign : sign) * own) as 1 | -1, denies: own === -1 }
  }
  if (norm === 'even_if' || norm === 'even_when' || norm === 'even') return undefined
  if (IF.has(norm) || (AFTER.has(norm) && words[at - 1]?.norm === 'only')) return from(at + 1, 1)
  if (norm === 'unless') return from(at + 1, -1)
  if (norm === 'only' && ONLY_BEFORE.has(words[at + 1]?.norm ?? '')) return from(at + 2, 1)
  // "can't board without a visa", "no entry without glasses"
  if (norm === 'without') {
    const before = sentence(side, at).filter((i) => i < at)
    return isDenied(side, before) || before.some((i) => words[i]!.norm === 'no')
      ? from(at + 1, -1)
      : undefined
  }
  // "the codes we need" asks nothing of anyone.
  if (
    (NEEDS.has(lemma) || norm === 'needs') &&
    (tag === 'V' || words[at + 1]?.tag === 'D') &&
    clauseAt(side, at)?.link === 'main' &&
    words[at - 1]?.tag !== '-' &&
    words[at - 2]?.tag !== '-'
  )
    return from(at + 1, 1)
  if (NEEDED.has(norm) && /^(?:for|before|to|in)$/.test(words[at + 1]?.norm ?? '')) {
    const before = sentence(side, at).filter((i) => i < at)
    return before.some((i) => words[i]!.tag === '-')
      ? undefined
      : demand(
          before.filter((i) => isContent(words[i]!)),
          1,
        )
  }
  return undefined
}

function demandsOf(side: Side): Demand[] {
  const list: Demand[] = []
  for (let i = 0; i < side.words.length; i++) {
    const { norm, lemma } = side.words[i]!
    if (!CUES.has(norm) && !CUES.has(lemma)) continue
    const demand = demandAt(side, i)
    if (demand !== undefined) list.push(demand)
  }
  return list
}

const CUES = new Set(['needs', ...IF, ...AFTER, ...NEEDS, ...NEEDED, 'unless', 'only', 'without'])

/** What the claim has it without, or in spite of; 0 where it makes no difference. */
interface Defiance {
  readonly at: number
  readonly named: readonly number[]
  /** -1: without it; 1: even with it; 0: either way. */
  readonly sign: 1 | -1 | 0
  readonly denied: boolean
}

function defianceOf(side: Side): Defiance | undefined {
  const { words } = side
  const at = words.findIndex(({ norm, tag }) => DEFYING.has(norm) && tag !== '.')
  if (at < 0) return undefined
  const { norm } = words[at]!
  let start = at + 1
  if (norm === 'even' && !/^(?:with|without|if|when|after|for)$/.test(words[start]?.norm ?? ''))
    return undefined
  if (norm === 'even' && /^(?:with|without|if|when|after|for)$/.test(words[start]?.norm ?? '')) start++
  const { words: named, denied } = complementOf(side, start)
  const rest = sentence(side, at).filter((i) => i < at || i > (named.at(-1) ?? at))
  const either =
    /^(?:regardless|unconditionally|whatever|irrespective|whether|with_or_without)$/.test(norm) ||
    (norm === 'without' && words[at - 1]?.norm === 'or' && words[at - 2]?.norm === 'with')
  const without = norm === 'without' || (norm === 'even' && words[at + 1]?.norm === 'without')
  return {
    at,
    named,
    sign: either ? 0 : without !== denied ? -1 : 1,
    denied: isDenied(
      side,
      rest.filter((i) => i !== at),
    ),
  }
}

interface Outcome {
  readonly follows: boolean
  readonly demand: Demand
  readonly at: number
  /** The claim says what it has to do with, not only what it has it without. */
  readonly demands: boolean
}

/** Whether the claim has it with the demand, against it, or does not speak of it. */
export function demandOutcome(comparison: Comparison): Outcome | undefined {
  const { source, claim, alignment } = comparison
  if (claim.words.length > 40) return undefined
  const defiance = defianceOf(claim)
  if (defiance === undefined) return sameDemand(comparison)
  // A number in it is a matter of more and less.
  if (
    claim.quantities.some(
      ({ kind, from }) =>
        kind !== 'day' && kind !== 'clock' && kind !== 'ordinal' && defiance.named.includes(from),
    )
  )
    return undefined
  const meets = (list: readonly number[], wanted: readonly number[]) =>
    list.some((c) => {
      const { source: s, likeness } = alignment.links[c]!
      return s >= 0 && likeness.score >= 0.75 && likeness.sign === 1 && wanted.includes(s)
    })
  const others = claim.words.flatMap((word, c) =>
    isContent(word) && c !== defiance.at && !defiance.named.includes(c) ? [c] : [],
  )
  for (const demand of demandsOf(source)) {
    if (!meets(defiance.named, demand.demanded)) continue
    const content = demand.rest.filter((i) => isContent(source.words[i]!))
    if (content.length > 0 && !meets(others, content)) continue
    const turns = others.filter((c) => {
      const { source: s, likeness } = alignment.links[c]!
      return s >= 0 && likeness.sign === -1 && content.includes(s)
    }).length
    // What is denied in the source is part of `sign`: here all is told of its contrary.
    const mine = (defiance.denied ? -1 : 1) * (turns % 2 === 1 ? -1 : 1)
    if (defiance.sign === 0) return { follows: false, demand, at: defiance.at, demands: false }
    return { follows: demand.sign * defiance.sign * mine === 1, demand, at: defiance.at, demands: false }
  }
  return undefined
}

/** A demand on either side, of the same for the same. */
function sameDemand({ source, claim, alignment, edited }: Comparison): Outcome | undefined {
  if (edited && source.words.length > 16) return undefined
  const [mine] = demandsOf(claim)
  if (mine === undefined) return undefined
  const only = claim.words.some(({ norm }) => norm.startsWith('only'))
  const linked = (list: readonly number[], wanted: readonly number[]) =>
    list.flatMap((c) => {
      const { source: s, likeness } = alignment.links[c]!
      return s >= 0 && likeness.score >= 0.6 && wanted.includes(s) ? [likeness.sign] : []
    })
  const product = (signs: readonly number[]) => signs.reduce((all, sign) => all * sign, 1)
  for (const demand of demandsOf(source)) {
    const demanded = linked(mine.demanded, demand.demanded)
    const rest = linked(mine.rest, demand.rest)
    // "only if" says more than "if", unless that is said of what does not come about.
    if (demanded.length === 0 || rest.length === 0 || (only && !demand.denies)) continue
    const sign = demand.sign * mine.sign * product(demanded) * product(rest)
    return { follows: sign === 1, demand, at: mine.at, demands: true }
  }
  return undefined
}

export function demandFindings(comparison: Comparison): Finding[] {
  if (comparison.edited && comparison.source.words.length > 16) return []
  const outcome = demandOutcome(comparison)
  if (outcome === undefined || outcome.follows) return []
  const { source, claim } = comparison
  const { at, demanded } = outcome.demand
  return [
    finding(
      comparison,
      'condition_dropped',
      'hard',
      0.85,
      [at, ...demanded],
      [outcome.at],
      `the source makes it depend on '${said(source, at, ...demanded)}', the claim says '${said(claim, outcome.at)}'`,
    ),
  ]
}
