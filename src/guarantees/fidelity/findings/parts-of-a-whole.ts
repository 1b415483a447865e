import { isContent } from '../comparing/alignment.ts'
import {
  type Comparison,
  clauseAt,
  type Finding,
  familyOf,
  finding,
  type Side,
  said,
} from '../comparing/comparison.ts'
import { effectOf } from '../reading/operators.ts'
import { type Amount, anyOf } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import { isRestrictionLost } from './restrictions.ts'

/** How much of a whole is meant, from 0 to 1, the ends taken in. */
interface Part {
  readonly low: number
  readonly high: number
}

/** Some of a set of things or people, and how much of it. */
interface Crowd {
  readonly at: number
  /** Its noun; -1 for "hardly anyone". */
  readonly noun: number
  /** What a source that says so tells at least and at most, and what a claim that says so allows. */
  readonly told: Part
  readonly allowed: Part
}

const SOME = 0.001
const part = (low: number, high: number): Part => ({ low, high })
const TOLD: Readonly<Record<Amount, Part>> = {
  all: part(1, 1),
  most: part(0.5 + SOME, 1),
  many: part(0.31, 1),
  some: part(SOME, 1),
  few: part(0, 0.3),
  none: part(0, 0),
  'not all': part(0, 1 - SOME),
}
const ALLOWED: Readonly<Record<Amount, Part>> = { ...TOLD, few: part(0, 0.4) }
/** "nearly all": a few are not. */
const NEARLY = /^(?:almost|nearly|virtually)_(?:all|every)/
const PEOPLE = anyOf('people person one anyone anybody somebody guest visitor resident')
const DIMINISH = anyOf('only just merely no_more_than not_more_than at_most')
/** Words by which the source tells of those that are left. */
const REST = anyOf('but except other others rest remaining however while whereas apart_from though')
const SEVERAL: ReadonlySet<Amount> = new Set<Amount>(['some', 'many'])

function crowdsOf({ words, scopes, quantities, sentenceOf }: Side): Crowd[] {
  const list: Crowd[] = []
  for (let i = 0; i < words.length; i++) {
    const amount = scopes.quantifiers[i] === i ? scopes.amounts[i] : undefined
    const share =
      amount === undefined ? quantities.find(({ from, kind }) => from === i && kind === 'share') : undefined
    if (amount === undefined && share === undefined) continue
    const { norm, tag } = words[i]!
    // How often and how far are no parts of a set.
    if (tag === 'R' && share === undefined) continue
    // "have no address" denies it of those in front.
    if (norm === 'no' && list.length > 0) continue
    let noun = -1
    const from = share?.to ?? i + 1
    if (tag !== 'P' || words[from]?.norm === 'of')
      for (let k = from; k < words.length && k < from + 7 && words[k]!.tag !== '.'; k++) {
        if (words[k]!.tag === 'N') noun = k
        else if (noun >= 0 || !/^[DAI#RVP]$/.test(words[k]!.tag)) break
      }
    if (share !== undefined) {
      if (!/^(?:of|the|our|my|their|his|her|its|all)$/.test(words[share.to]?.norm ?? '')) continue
      const slack = share.bound === '~' ? 0.08 : share.bound === '=' ? 0.02 : 0
      const up = share.bound === '>' || share.bound === '>='
      const down = share.bound === '<' || share.bound === '<='
      const told = part(
        down ? 0 : share.value - slack + (share.bound === '>' ? SOME : 0),
        up ? 1 : share.value + slack,
      )
      list.push({ at: i, noun, told, allowed: told })
      continue
    }
    const less = SEVERAL.has(amount!) && DIMINISH.has(words[i - 1]?.norm ?? '')
    let told = less ? TOLD.few : NEARLY.test(norm) ? part(0.75, 1 - SOME) : TOLD[amount!]
    if (
      told.high === 1 &&
      told.low < 1 &&
      words.some((word, k) => sentenceOf[k] === sentenceOf[i] && k > i && REST.has(word.norm))
    )
      told = part(told.low, 1 - SOME)
    const allowed = less ? ALLOWED.few : NEARLY.test(norm) ? part(0.7, 1) : ALLOWED[amount!]
    list.push({ at: i, noun, told, allowed })
  }
  return list
}

/** What a claim that says how much of a whole makes of a source that says so, too. */
interface Outcome {
  readonly follows: boolean
  readonly theirs: Crowd
  readonly mine: Crowd
}

/** "not one passed" and "every one failed", "a third pay" and "most don't": the same part, told by who is in it or by who is not. */
function outcomeOf(comparison: Comparison): Outcome | undefined {
  const { source, claim, alignment } = comparison
  if (claim.words.length > 40 || source.words.length > 120) return undefined
  const [mine, more] = crowdsOf(claim)
  if (mine === undefined || more !== undefined) return undefined
  const all = crowdsOf(source)
  // Said with the same word, there is nothing to reckon.
  if (all.some(({ at }) => source.words[at]!.norm === claim.words[mine.at]!.norm)) return undefined
  const own = familyOf(claim, claim.clauseOf[mine.at] ?? -1)
  for (const theirs of all) {
    if (!areOne(comparison, theirs, mine)) continue
    const family = familyOf(source, source.clauseOf[theirs.at] ?? -1)
    const near = alignment.links.filter(
      ({ source: s, likeness }, c) =>
        s >= 0 &&
        c !== mine.noun &&
        isContent(claim.words[c]!) &&
        likeness.score >= 0.6 &&
        family.has(source.clauseOf[s]!),
    )
    if (near.length === 0) continue
    const turned = isTurned(comparison, theirs, family, mine, own)
    const { low, high } = turned ? part(1 - theirs.told.high, 1 - theirs.told.low) : theirs.told
    const { allowed } = mine
    // In an edit, a word for as much in the place of another tells nothing of the rest.
    if (comparison.edited && !turned) continue
    if (low >= allowed.low - 1e-9 && high <= allowed.high + 1e-9) return { follows: true, theirs, mine }
    // "half on Monday and the other half on Wednesday": of all of them, more is told.
    const apart = high < allowed.low - 1e-9 || low > allowed.high + 1e-9
    // The predicate of the claim is not that of another clause.
    const head = alignment.links[clauseAt(claim, mine.at)?.head ?? -1]?.source ?? -1
    const isTold = head < 0 || family.has(source.clauseOf[head]!)
    const one = all.filter((crowd) => areOne(comparison, crowd, mine)).length === 1
    const back = part(1 - high, 1 - low)
    // Where the contrary would follow, a predicate the source has not may be the contrary.
    const isOpen = head < 0 && back.low >= allowed.low - 1e-9 && back.high <= allowed.high + 1e-9
    if (apart && one && isTold && !isOpen && !tellsOfOthers(source)) return { follows: false, theirs, mine }
  }
  return undefined
}

const tellsOfOthers = ({ words }: Side) => words.some(({ norm }) => /^(?:others?|rest|remaining)$/.test(norm))

/** Parts of one set: of the same things, or of people not told apart. */
function areOne(comparison: Comparison, theirs: Crowd, mine: Crowd): boolean {
  const { source, claim, alignment } = comparison
  const isPeople = (side: Side, { at, noun }: Crowd) =>
    noun < 0
      ? /(?:one|body)$/.test(side.words[at]!.norm) || side.words[at]!.tag === 'P'
      : PEOPLE.has(side.words[noun]!.lemma)
  if (isPeople(source, theirs) && isPeople(claim, mine)) return true
  if (theirs.noun < 0 || mine.noun < 0 || isRestrictionLost(comparison, theirs.noun, mine.noun)) return false
  const { source: s, likeness } = alignment.links[mine.noun]!
  return (
    (s === theirs.noun && likeness.score >= 0.75 && likeness.match !== 'wider') ||
    source.words[theirs.noun]!.lemma === claim.words[mine.noun]!.lemma
  )
}

/** The claim says the contrary of the part it names: an odd number of denials and opposites between the two. */
function isTurned(
  { source, claim, alignment }: Comparison,
  theirs: Crowd,
  family: ReadonlySet<number>,
  mine: Crowd,
  own: ReadonlySet<number>,
): boolean {
  let turns = 0
  claim.words.forEach((word, c) => {
    if (c === mine.at || !own.has(claim.clauseOf[c]!)) return
    const { source: s, likeness } = alignment.links[c]!
    if (s >= 0 && likeness.sign === -1 && family.has(source.clauseOf[s]!)) turns++
    else if (word.tag === '-' || word.norm === 'no' || (s < 0 && isDenier(word))) turns++
  })
  source.words.forEach((word, s) => {
    if (s === theirs.at || !family.has(source.clauseOf[s]!)) return
    if (word.tag === '-' || word.norm === 'no' || (alignment.back[s]! < 0 && isDenier(word))) turns++
  })
  return turns % 2 === 1
}

const isDenier = ({ lemma, tag }: Word) => /^[VAN]$/.test(tag) && effectOf(lemma) === 'denies'

const mayTell = ({ claim, source }: Comparison): boolean =>
  claim.scopes.quantifiers.some((at) => at >= 0) || claim.quantities.some(({ kind }) => kind === 'share')
    ? source.scopes.quantifiers.some((at) => at >= 0) ||
      source.quantities.some(({ kind }) => kind === 'share')
    : false

/** A part of a whole that excludes the one the source tells. */
export function partFindings(comparison: Comparison): Finding[] {
  if (comparison.edited || !mayTell(comparison)) return []
  const outcome = outcomeOf(comparison)
  if (outcome === undefined || outcome.follows) return []
  const { source, claim } = comparison
  const { theirs, mine } = outcome
  const at = ({ at, noun }: Crowd) => (noun < 0 ? [at] : [at, noun])
  return [
    finding(
      comparison,
      'quantifier_shift',
      'hard',
      0.85,
      at(theirs),
      at(mine),
      `as much as '${said(source, ...at(theirs))}' is not '${said(claim, ...at(mine))}'`,
    ),
  ]
}

/** The part the claim names is the source's, in whatever words. */
export const isSamePart = (comparison: Comparison): boolean =>
  mayTell(comparison) && outcomeOf(comparison)?.follows === true
