import { isContent } from '../comparing/alignment.ts'
import {
  type Comparison,
  clauseAt,
  type Finding,
  finding,
  isDocument,
  type Side,
  said,
} from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { type Amount, anyOf, DETERMINERS } from '../words/cues.ts'
import { partFindings } from './parts-of-a-whole.ts'
import { isRestrictionLost } from './restrictions.ts'

/** What is left of a claim over some of a set when the predicate is denied: all not is none. */
const DENIED: Readonly<Record<Amount, Amount>> = {
  all: 'none',
  none: 'all',
  some: 'not all',
  'not all': 'some',
  most: 'few',
  few: 'most',
  many: 'few',
}
/** "did not test all": a denial over the quantifier. */
const UNDER: Readonly<Record<Amount, Amount>> = {
  all: 'not all',
  none: 'some',
  some: 'none',
  'not all': 'all',
  most: 'not all',
  few: 'many',
  many: 'few',
}

/** Which amounts follow from which, of the same things and predicate. */
const FOLLOWS: Readonly<Record<Amount, readonly Amount[]>> = {
  all: ['all', 'most', 'many', 'some'],
  most: ['most', 'many', 'some'],
  many: ['many', 'some'],
  some: ['some'],
  few: ['few', 'not all', 'some'],
  none: ['none', 'not all', 'few'],
  'not all': ['not all'],
}

/** Quantifiers of the claim against those of the source over the same noun. */
export function amountFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const found: Finding[] = []
  const seen = new Set<number>()
  for (const [c, link] of alignment.links.entries()) {
    if (link.source < 0 || !isContent(claim.words[c]!) || claim.words[c]!.tag !== 'N') continue
    const mine = amountAt(claim, c)
    const theirs = amountAt(source, link.source)
    if (theirs === undefined && mine === undefined) continue
    const place = mine?.place ?? c
    if (seen.has(place)) continue
    const sign = predicateSign(comparison, c, link.source)
    if (sign === undefined) continue
    if (mine === undefined) {
      // "few customers" or "not all backups" became all of them by leaving the word out.
      if (
        (theirs!.amount === 'few' || theirs!.amount === 'not all') &&
        sign === 1 &&
        !hasDeterminer(claim, c)
      ) {
        seen.add(place)
        found.push(
          finding(
            comparison,
            'quantifier_shift',
            'hard',
            0.8,
            [theirs!.place, link.source],
            [c],
            `'${said(source, theirs!.place, link.source)}' became '${said(claim, c)}'`,
          ),
        )
      }
      continue
    }
    if (theirs === undefined) continue
    const effective = sign === -1 ? DENIED[mine.amount] : mine.amount
    seen.add(place)
    if (FOLLOWS[theirs.amount].includes(effective)) continue
    if (FOLLOWS[theirs.amount].includes(DENIED[effective]) && speaksOfOthers(comparison, c, link.source))
      continue
    found.push(
      finding(
        comparison,
        'quantifier_shift',
        'hard',
        0.9,
        [theirs.place, link.source],
        [mine.place, c],
        `'${said(source, theirs.place, link.source)}' became '${said(claim, mine.place, c)}'`,
      ),
    )
  }
  // Quantifiers without a noun: always, never, everyone, nothing; and those that replaced each other.
  for (const {
    source: [s0, s1],
    claim: [c0, c1],
  } of alignment.gaps) {
    const s = quantifierIn(source, s0, s1)
    const c = quantifierIn(claim, c0, c1)
    if (s === undefined || c === undefined || seen.has(c)) continue
    const [one, other] = [source.scopes.amounts[s]!, claim.scopes.amounts[c]!]
    const clause = clauseAt(claim, c)
    const sign = clause === undefined ? 1 : (predicateSign(comparison, c, s) ?? 1)
    if (FOLLOWS[one].includes(sign === -1 ? DENIED[other] : other)) continue
    seen.add(c)
    found.push(
      finding(
        comparison,
        'quantifier_shift',
        'hard',
        0.85,
        [s],
        [c],
        `'${said(source, s)}' became '${said(claim, c)}'`,
      ),
    )
  }
  if (found.length === 0) found.push(...unlicensed(comparison), ...unrestricted(comparison))
  if (found.length === 0) found.push(...partFindings(comparison))
  return found
}

/** "most were paid on time" and "few were paid late": words on both sides that the other has not may be each other's contrary. */
function speaksOfOthers({ source, claim, alignment, edited }: Comparison, c: number, s: number): boolean {
  if (edited) return false
  const isOwn = (side: Side, i: number, at: number, linked: number) =>
    linked < 0 &&
    side.clauseOf[i] === side.clauseOf[at] &&
    isContent(side.words[i]!) &&
    /^[VAR]$/.test(side.words[i]!.tag)
  return (
    claim.words.some((_, i) => isOwn(claim, i, c, alignment.links[i]!.source)) &&
    source.words.some((_, i) => isOwn(source, i, s, alignment.back[i]!))
  )
}

const UNIVERSAL =
  /^(?:all|every|each|both|everyone|everybody|everything|always|entire|whole|any|anyone|anybody|anything|whatever|whenever|never|none|no|nobody|nothing|no_one|fully|entirely|completely|neither|throughout|without|either|only|last|unanimous|unanimously)$/
const MOST =
  /^(?:most|most_of|majority|a_majority_of|the_majority_of|almost_all|nearly_all|almost_every|nearly_every|mostly|mainly|usually|largely|generally|typically|normally|bulk|predominantly|primarily|few|hardly_any)$/

/** "all", "most" and "only" need a word of the source to stand on, in a sentence that speaks of the same things. */
function unlicensed(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const anywhere = (pattern: RegExp) =>
    source.words.some(
      ({ norm }, s) => pattern.test(norm) && (pattern !== UNIVERSAL || !isOfOthers(source, s)),
    )
  const found: Finding[] = []
  for (const [c, { norm, tag }] of claim.words.entries()) {
    if (!QUANTIFYING.has(norm) || (tag !== 'D' && tag !== 'P' && tag !== 'R' && tag !== 'A')) continue
    if (claim.words[c - 1]?.norm === 'at' || claim.words[c - 1]?.tag === '-') continue
    // "all the same", "all in all"
    if (norm === 'all' && /^(?:the same|in all)$/.test(said(claim, c + 1, c + 2).toLowerCase())) continue
    // Under a denial, more is less.
    if (claim.scopes.directions[c] === -1) continue
    const near = sentencesOf(comparison, c)
    const has = (pattern: RegExp) =>
      source.words.some(
        (word, s) =>
          pattern.test(word.norm) &&
          (near.size === 0 || near.has(source.sentenceOf[s]!)) &&
          (pattern !== UNIVERSAL || !isOfOthers(source, s) || isOfOthers(claim, c)),
      )
    const all = /^(?:all|every|everyone|everybody|everything|always|each|whole|entire)$/.test(norm)
    const universal =
      all &&
      !(
        norm === 'every' &&
        (claim.words[c + 1]?.tag === '#' || OFTEN.test(claim.words[c + 1]?.norm ?? ''))
      ) &&
      !(has(/^half$/) && has(/^other$/)) &&
      (!has(UNIVERSAL) || onlyRestricts(comparison, c)) &&
      !((near.size === 0 || isDocument(source)) && anywhere(UNIVERSAL))
    const both =
      norm === 'both' &&
      (has(CHOICE) || !(anywhere(/^(?:and|two|2|both|either|each|&|\+)$/) || anywhere(UNIVERSAL)))
    const most =
      /^(?:most|most_of|a_majority_of|the_majority_of|mostly)$/.test(norm) &&
      !anywhere(MOST) &&
      !has(UNIVERSAL) &&
      !source.scopes.amounts.includes('most') &&
      !source.quantities.some(
        ({ kind, value, bound, whole }) =>
          whole || (kind === 'share' && (value > 0.5 || (value === 0.5 && bound === '>'))),
      )
    const only = (norm === 'only' || norm === 'solely' || norm === 'exclusively') && !anywhere(ONLY)
    if (!universal && !both && !most && !only) continue
    found.push(
      finding(
        comparison,
        'quantifier_shift',
        'hard',
        0.75,
        [],
        [c],
        `nothing in the source says '${said(claim, c)}'`,
      ),
    )
  }
  return found
}

const OF_ALL = /^(?:all|every|each|any)$/
const OF_NONE = /^(?:no|none|nobody|never|neither|not_any|any|nothing)$/

/**
 * "every sample from the east field failed" became "all samples failed", "invoices under 200 don't need it" "no invoice
 * needs it": what is said of some, or denied of them, is said of all.
 */
function unrestricted(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const at = claim.words.findIndex(({ norm }) => norm === 'no' || /^(?:all|every|each)$/.test(norm))
  if (at < 0) return []
  const denies = claim.words[at]!.norm === 'no'
  let noun = at + 1
  while (/^[ANDI]$/.test(claim.words[noun]?.tag ?? '') && /^[AND]$/.test(claim.words[noun + 1]?.tag ?? ''))
    noun++
  if (claim.words[noun]?.tag !== 'N') return []
  const { source: s, likeness } = alignment.links[noun]!
  if (s < 0 || likeness.score < 0.9 || !isRestrictionLost(comparison, s, noun)) return []
  if (source.words.some(({ norm }, i) => i > s && (denies ? OF_NONE : OF_ALL).test(norm))) return []
  if (denies) {
    const isDenied = (clauseAt(source, s)?.negators.length ?? 0) % 2 === 1
    if (!isDenied || source.words.some(({ norm }) => OF_NONE.test(norm))) return []
  } else if (!source.words.slice(Math.max(0, s - 3), s).some(({ norm }) => OF_ALL.test(norm))) return []
  return [
    finding(
      comparison,
      'quantifier_shift',
      'hard',
      0.8,
      [s, s + 1],
      [at, noun],
      `the source ${denies ? 'denies it of' : 'says it of'} '${said(source, s, s + 1)} …', the claim of all`,
    ),
  ]
}

/** "everyone else", "all the others" */
const isOfOthers = ({ words }: Side, at: number): boolean =>
  /^(?:all|every|everyone|everybody|everything|any|anyone|anybody|anything)$/.test(words[at]!.norm) &&
  (/^(?:else|other|others)$/.test(words[at + 1]?.norm ?? '') ||
    /^(?:else|other|others|rest)$/.test(words[at + 2]?.norm ?? ''))

/** "every other day" is how often, not how many. */
const OFTEN = /^(?:other|second|third|few)$/
const QUANTIFYING = anyOf(
  'all every everyone everybody everything always both each whole entire most most_of a_majority_of the_majority_of mostly only solely exclusively',
)
const CHOICE = /^(?:one_of|choose|chooses|pick|picks|or)$/

/** "for the engineering team only" became "for every team": what was kept to some is given to all. */
function onlyRestricts({ source, claim, alignment }: Comparison, c: number): boolean {
  // "only members" became "everyone".
  if (/^every(?:one|body)$/.test(claim.words[c]!.norm) && isOnlyOf(source, claim)) return true
  const noun = claim.words.findIndex(({ tag }, i) => i > c && tag === 'N')
  // "only premium users" became "all users".
  if (/^(?:all|every)$/.test(claim.words[c]!.norm) && noun > 0 && isOnlySome(source, claim, noun)) return true
  const theirs = alignment.links[noun]?.source ?? -1
  if (theirs < 0 || source.words.some(({ norm }) => UNIVERSAL.test(norm) && norm !== 'only')) return false
  return (
    source.words.some(({ norm }, i) => norm === 'only' && source.clauseOf[i] === source.clauseOf[theirs]) &&
    !claim.words.some(({ norm, tag }) => tag === '-' || /^(?:other|others|else|rest|except|but)$/.test(norm))
  )
}

/** "only" keeps it to some of what a noun of the claim counts, and the claim does not say which. */
function isOnlySome(source: Side, claim: Side, noun: number): boolean {
  const { lemma } = claim.words[noun]!
  if (source.words.some(({ norm }) => UNIVERSAL.test(norm) && norm !== 'only')) return false
  return source.words.some(({ norm }, i) => {
    if (norm !== 'only') return false
    let end = i + 1
    while (/^[DAN#]$/.test(source.words[end]?.tag ?? '')) end++
    const traits = source.words.slice(i + 1, end - 1).filter(isContent)
    return (
      source.words[end - 1]!.lemma === lemma &&
      traits.length > 0 &&
      !claim.words.some((word) => traits.some((trait) => trait.lemma === word.lemma))
    )
  })
}

/** "only" before a noun is the source's one word of a whole, and the claim knows no rest. */
const isOnlyOf = (source: Side, claim: Side): boolean =>
  source.words.some(({ norm }, i) => norm === 'only' && source.words[i + 1]?.tag === 'N') &&
  !source.words.some(({ norm }) => UNIVERSAL.test(norm) && norm !== 'only') &&
  !claim.words.some(({ norm, tag }) => tag === '-' || /^(?:other|others|else|rest|except|but)$/.test(norm))

/** The sentences of the source that speak of what the claim's clause speaks of. */
function sentencesOf({ source, claim, alignment }: Comparison, c: number): ReadonlySet<number> {
  const places = new Set<number>()
  for (const [k, { source: s, likeness }] of alignment.links.entries())
    if (
      s >= 0 &&
      likeness.score >= 0.75 &&
      claim.clauseOf[k] === claim.clauseOf[c] &&
      isContent(claim.words[k]!)
    )
      places.add(source.sentenceOf[s]!)
  return places
}

const ONLY =
  /^(?:only|just|solely|exclusively|alone|except|except_for|but|other_than|unless|until|not|no|nobody|nothing|never|none|without|single|one|rest|else|otherwise|apart_from|excluding|only_if|only_after|only_when|rather_than|instead_of|few|no_more_than|not_more_than|at_most|a_handful_of|handful|last|unique|hardly_any|hardly_anyone|hardly_anybody|limited|restricted|confined|reserved|void|invalid)$/

function quantifierIn({ scopes }: Side, from: number, to: number): number | undefined {
  for (let i = from; i < to; i++) if (scopes.quantifiers[i] === i) return i
  return undefined
}

/** The amount of a noun, a denial of its clause over it taken in. */
function amountAt(side: Side, at: number): { amount: Amount; place: number } | undefined {
  const amount = side.scopes.amounts[at]
  if (amount === undefined) return undefined
  const place = side.scopes.quantifiers[at]!
  const clause = clauseAt(side, at)
  if (clause === undefined) return { amount, place }
  const under =
    clause.negators.length % 2 === 1 && clause.negators[0]! < place && side.words[place]!.norm !== 'any'
  return { amount: under ? UNDER[amount] : amount, place }
}

/** Whether the predicates over the two are said with one sign: 1 or -1; undefined when they are not the same predicate. */
function predicateSign({ source, claim, alignment }: Comparison, c: number, s: number): 1 | -1 | undefined {
  const mine = clauseAt(claim, c)
  const theirs = clauseAt(source, s)
  if (mine === undefined || theirs === undefined) return mine === theirs ? 1 : undefined
  const link = alignment.links[mine.head]
  if (link === undefined || link.source !== theirs.head) return undefined
  const negated = ({ negators }: Clause, at: number) => negators.length % 2 === 1 && !(negators[0]! < at)
  const product = (negated(theirs, s) ? -1 : 1) * (negated(mine, c) ? -1 : 1) * link.likeness.sign
  return product === 1 ? 1 : -1
}

const hasDeterminer = (side: Side, at: number) =>
  DETERMINERS.has(side.words[at - 1]?.norm ?? '') && /^(?:these|those|such)$/.test(side.words[at - 1]!.norm)
