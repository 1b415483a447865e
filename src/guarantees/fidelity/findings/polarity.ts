import { compareWords, isContent } from '../comparing/alignment.ts'
import {
  type Comparison,
  clauseAt,
  type Finding,
  familyOf,
  finding,
  isDeniedDenier,
  type Side,
  said,
  supportOf,
} from '../comparing/comparison.ts'
import { sameAmount } from '../quantities/quantities.ts'
import type { Clause } from '../reading/clauses.ts'
import { bearingOf, deniesItsObject, effectOf } from '../reading/operators.ts'
import { type Sign, times } from '../reading/stances.ts'
import { anyOf, CERTAINTY, DUTIES } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import { isDenying } from './denials.ts'
import { deniedNouns, echoOf, isBare } from './ellipsis.ts'
import { exceptedWords } from './exceptions.ts'
import { speaksOfTheRest } from './numbers.ts'
import {
  EXCLUSIVE,
  hasOtherSubject,
  inSentence,
  isDeniedConstituent,
  isExcepted,
  isOpen,
} from './openness.ts'
import { isTurnedComparison } from './roles.ts'
import { COMPARES, productOf, topicVote, type Vote } from './topics.ts'

/** "neither can swim" became "one can't, but the other can": a clause of the claim that leaves its predicate to the one before. */
function bareVotes({ source, claim, alignment }: Comparison): Vote[] {
  const votes: Vote[] = []
  for (const clause of claim.clauses) {
    const antecedent = claim.clauses[clause.id - 1]
    if (antecedent === undefined || !isBare(claim, clause) || isBare(claim, antecedent)) continue
    const { source: s } = alignment.links[antecedent.head]!
    const sign = claim.scopes.stances[clause.id]!.sign
    for (let c = clause.subject[0]; c < clause.subject[1]; c++) {
      const there = alignment.links[c]!.source
      const own = source.clauses[source.clauseOf[there] ?? -1]
      if (claim.words[c]!.tag !== 'N' || there < 0 || own === undefined || own.head !== s) continue
      if (there < own.subject[0] || there >= own.subject[1]) continue
      votes.push({ source: s, claim: clause.head, product: times(source.scopes.stances[own.id]!.sign, sign) })
    }
  }
  return votes
}

const DEEMING = anyOf(
  'consider find deem call think regard count describe treat judge rate class classify label see',
)

/** "says it isn't serious" became "considers it serious": a predicate without its verb. */
function deemedVotes({ source, claim, alignment }: Comparison): Vote[] {
  const votes: Vote[] = []
  for (const clause of claim.clauses) {
    if (!DEEMING.has(claim.words[clause.head]!.lemma)) continue
    for (let c = clause.head + 1; c < claim.words.length && claim.clauseOf[c] === clause.id; c++) {
      const { source: s, likeness } = alignment.links[c]!
      const theirs = clauseAt(source, s)
      if (claim.words[c]!.tag !== 'A' || theirs?.head !== s || !theirs.copula || likeness.score < 0.75)
        continue
      const before = claim.words[c - 1]!
      if (before.tag === 'D') continue
      const product = (source.scopes.signs[s]! * claim.scopes.signs[c]! * likeness.sign) as Sign
      votes.push({ source: s, claim: c, product })
    }
  }
  return votes
}

/** What one side asserts and the other denies. */
export function polarityFindings(comparison: Comparison): Finding[] {
  const { claim, alignment } = comparison
  const found: Finding[] = []
  const settled = new Set<number>()
  const rest = !comparison.edited && speaksOfTheRest(comparison)
  for (const clause of claim.clauses) {
    const head = echoVote(comparison, clause) ?? headVote(comparison, clause)
    const turned = head !== undefined && alignment.links[head.claim]!.likeness.match === 'antonym'
    if (head !== undefined && head.product === -1 && !turned && isCompensated(comparison, clause, head)) {
      for (const link of alignment.links) settled.add(link.source)
      continue
    }
    const vote =
      head !== undefined && head.product !== 0 ? head : rest ? undefined : topicVote(comparison, clause)
    if (vote === undefined || vote.product !== -1 || settled.has(vote.source)) continue
    settled.add(vote.source)
    found.push(flip(comparison, vote))
  }
  for (const vote of rest
    ? []
    : [
        ...constituentVotes(comparison),
        ...oppositeVotes(comparison),
        ...bareVotes(comparison),
        ...deemedVotes(comparison),
      ])
    if (vote.product === -1 && !settled.has(vote.source)) {
      settled.add(vote.source)
      found.push(flip(comparison, vote))
    }
  if (found.length === 0) found.push(...groundless(comparison))
  return found
}

/** The predicate of the claim's clause against its counterpart. */
function headVote(comparison: Comparison, clause: Clause): Vote | undefined {
  const { source, claim, alignment } = comparison
  const link = alignment.links[clause.head]!
  const { match, score } = link.likeness
  const head = claim.words[clause.head]!
  if (COMPARES.has(head.lemma)) return undefined
  // In an edited text another word stands for it already: this one was put in.
  if (comparison.edited && alignment.back[link.source] !== clause.head) return undefined
  if (link.source < 0 || match === 'sister' || (score < 0.6 && match !== 'narrower')) return undefined
  // "I don't think it is": what is denied is what is thought.
  if (effectOf(head.lemma) === 'raises' && claim.clauses.some(({ governor }) => governor === clause.head))
    return undefined
  if (match === 'antonym') {
    const other = source.words[link.source]!
    // "Leave it unlocked": it stays so.
    if (other.lemma === 'leave' && clauseAt(source, link.source)?.imperative === true) return undefined
    // "has 8 places left": what remains.
    if (isLeftOver(source, link.source) || isLeftOver(claim, clause.head)) return undefined
    // "pencilled in" and "confirmed" differ in how sure they are.
    if ((CERTAINTY.get(other.norm) ?? 3) <= 2 && CERTAINTY.get(head.norm) === 4) return undefined
    if (!comparison.edited && isSaidPlainly(comparison, clause.head)) return undefined
    if (isConverse(other.lemma, head.lemma) || isConverse(other.norm, head.lemma)) return undefined
    if (isTurnedComparison(comparison, link.source, clause.head)) return undefined
    if (isTurnedOver(comparison, link.source, clause.head)) return undefined
  }
  if (isBothConditional(comparison, clause, link.source) || isEnded(comparison, clause, link.source))
    return undefined
  if (isReplaced(comparison, clause, link.source) || isEquated(comparison, link.source, clause.head))
    return undefined
  if (isOfAnotherKind(comparison, clause, link.source)) return undefined
  const s = placeOf(comparison, clause, link.source)
  const apart = apartSign(comparison, clause, s)
  let product = times(productOf(comparison, s, clause.head), apart)
  if (product === -1 && apart === -1 && deniedNouns(source).length > 0 && !isBorneOut(comparison, clause, s))
    product = 0
  if (product === -1 && apart === 1) product = ifComparable(comparison, clause, s)
  return { source: s, claim: clause.head, product }
}

/** "sent on Saturday" of one who answers e-mails: a verb whose counterpart is a thing that something else is said of. */
function isOfAnotherKind({ source, claim, edited }: Comparison, { head }: Clause, s: number): boolean {
  if (edited || claim.words[head]!.tag !== 'V' || source.words[s]!.tag !== 'N') return false
  const theirs = clauseAt(source, s)
  return (
    theirs !== undefined &&
    theirs.head !== s &&
    source.words[s]!.norm !== claim.words[head]!.norm &&
    bearingOf(source.words[theirs.head]!.lemma) === undefined
  )
}

/** "not insured" became "not covered", and "coverage" stands elsewhere: the denial itself was left as it is. */
function isReplaced(
  { source, claim, alignment }: Comparison,
  { head, negators }: Clause,
  s: number,
): boolean {
  const gap = alignment.gaps.find(({ claim: [from, to] }) => head >= from && head < to)
  if (gap === undefined || (s >= gap.source[0] && s < gap.source[1])) return false
  return (
    source.sentenceOf[gap.source[0]] !== source.sentenceOf[s] &&
    source.words.slice(...gap.source).some(({ tag }) => tag === 'V' || tag === 'A') &&
    !negators.some((i) => i >= gap.claim[0] && i < gap.claim[1]) &&
    !claim.words.slice(...gap.claim).some(isDenying)
  )
}

/** Another word of the source says the same as the claim's, not its opposite: "kept for 90 days, then deleted". */
const isSaidPlainly = ({ source, claim }: Comparison, c: number): boolean =>
  source.words.some(
    (word, s) =>
      word.tag === claim.words[c]!.tag &&
      source.scopes.signs[s] === claim.scopes.signs[c] &&
      /^(?:same|synonym)$/.test(compareWords(word, claim.words[c]!).match),
  )

/** What each makes a condition is compared with what hangs on it. */
const isBothConditional = ({ source, edited }: Comparison, clause: Clause, s: number): boolean => {
  const hangs = (link: Clause['link'] | undefined) => link === 'condition' || link === 'exception'
  return !edited && hangs(clause.link) && hangs(clauseAt(source, s)?.link)
}

/** "Support ends in June", and in June it stops being supported. */
function isEnded({ source, claim, edited }: Comparison, { head }: Clause, s: number): boolean {
  const theirs = clauseAt(source, s)
  if (edited || theirs === undefined || theirs.head === s || claim.scopes.signs[head] !== -1) return false
  const { lemma } = source.words[theirs.head]!
  return source.words[s]!.tag === 'N' && effectOf(lemma) === 'denies' && !deniesItsObject(lemma)
}

const isLeftOver = ({ words }: Side, at: number) =>
  words[at]!.norm === 'left' && /^[N#]$/.test(words[at - 1]?.tag ?? '') && words[at + 1]?.tag !== 'D'

const isComparative = ({ norm }: Word) => /^(?:better|worse|more|less|fewer|\w+er)$/.test(norm)

/** "not as good as" is "worse than": one side denies that two are alike, the other says which is which. */
const isEquated = ({ source, claim }: Comparison, s: number, c: number): boolean => {
  const equates = ({ words }: Side, at: number) => /^(?:as|so)$/.test(words[at - 1]?.norm ?? '')
  return (
    (equates(claim, c) && claim.scopes.signs[c] === -1 && isComparative(source.words[s]!)) ||
    (equates(source, s) && source.scopes.signs[s] === -1 && isComparative(claim.words[c]!))
  )
}

/** "Mira is Jonas's older sister", "Jonas is younger than Mira": the two have changed places. */
function isTurnedOver({ source, claim, alignment }: Comparison, s: number, c: number): boolean {
  if (!isComparative(claim.words[c]!) || !isComparative(source.words[s]!)) return false
  const than = claim.words.findIndex(({ norm }, i) => i > c && norm === 'than')
  if (than < 0) return false
  const placed = alignment.links.flatMap(({ source: at }, i) =>
    at >= 0 && i !== c && claim.words[i]!.tag === 'N' ? [{ i, at }] : [],
  )
  const [one, other] = [placed.find(({ i }) => i < c), placed.find(({ i }) => i > than)]
  return one !== undefined && other !== undefined && one.at > other.at && other.at < s
}

/** Of several places with the predicate, the one whose subject the claim speaks of. */
function placeOf({ source, claim, alignment, edited }: Comparison, clause: Clause, s: number): number {
  const { lemma } = source.words[s]!
  if (edited || clause.subject[0] === clause.subject[1]) return s
  const isMine = (at: number) => {
    const theirs = source.clauses[source.clauseOf[at]!]
    for (let c = clause.subject[0]; theirs !== undefined && c < clause.subject[1]; c++) {
      if (claim.words[c]!.tag !== 'N') continue
      const i = alignment.links[c]!.source
      for (let k = theirs.subject[0]; k < theirs.subject[1]; k++)
        if (k === i || source.words[k]!.lemma === claim.words[c]!.lemma) return true
    }
    return false
  }
  if (isMine(s)) return s
  const other = source.words.findIndex((word, i) => i !== s && word.lemma === lemma && isMine(i))
  return other < 0 ? s : other
}

/** What a clause without its predicate says of the claim's subject. */
function echoVote(comparison: Comparison, clause: Clause): Vote | undefined {
  const echo = echoOf(comparison, clause)
  if (echo === undefined) return undefined
  const { source, claim, alignment } = comparison
  const signs = times(source.scopes.stances[echo.clause.id]!.sign, claim.scopes.stances[clause.id]!.sign)
  return {
    source: echo.clause.head,
    claim: clause.head,
    product: times(signs, alignment.links[clause.head]!.likeness.sign),
  }
}

/** -1 where the denial of one side answers the assertion of the other, 0 where they may speak of different things. */
function ifComparable(comparison: Comparison, clause: Clause, s: number): Sign {
  if (!comparison.edited && !isSamePredicate(comparison, clause, s)) return 0
  // "the only nuts he can't eat": those excepted
  const excepted = clause.link === 'relative' ? exceptedWords(comparison.source) : []
  if (comparison.alignment.links.some(({ source: at }) => excepted.includes(at))) return 0
  if (speaksOfTheRest(comparison) || hasOtherSubject(comparison, clause, s)) return 0
  if (isOpen(comparison, clause, s) || hasOtherObject(comparison, clause, s)) return 0
  return agreesElsewhere(comparison, s, clause.head) ? 1 : -1
}

/** The sign of a word beside that of its clause: -1 for "iOS" in "works on Android but not on iOS". */
const apart = ({ scopes, clauseOf }: Side, at: number) =>
  scopes.signs[at]! * (scopes.stances[clauseOf[at]!]?.sign ?? 1)

/** "not Claire but her deputy", and "Claire's deputy": what is spoken of is another's. */
const isOwner = ({ words }: Side, at: number) => words[at + 1]?.norm === "'s"

/** What the source says of the rest it denies of one constituent; the claim may speak of that one. */
function apartSign({ source, claim, alignment }: Comparison, clause: Clause, s: number): Sign {
  const theirs = clauseAt(source, s)
  const [from, to] = clause.subject
  const left = deniedNouns(source)
  if (alignment.links.some(({ source: at }, c) => left.includes(at) && c >= from && c < to)) return -1
  if (theirs === undefined || deniesItsObject(source.words[theirs.head]!.lemma)) return 1
  const excepted = claim.words.some(({ norm }) => EXCLUSIVE.test(norm)) ? [] : exceptedWords(source)
  let sign: Sign = 1
  for (const [c, link] of alignment.links.entries())
    if (
      c !== clause.head &&
      link.source >= 0 &&
      link.source !== s &&
      claim.clauseOf[c] === clause.id &&
      source.clauseOf[link.source] === theirs.id &&
      claim.words[c]!.tag === 'N' &&
      claim.words[c + 1]?.tag !== 'N' &&
      !isOwner(claim, c) &&
      apart(claim, c) === 1 &&
      (excepted.includes(link.source) ||
        (apart(source, link.source) === -1 && isDeniedConstituent(source, link.source)))
    )
      sign = times(sign, -1)
  return sign
}

/** Two views of one event, not opposites. */
const CONVERSES = [
  'give take',
  'give receive',
  'buy sell',
  'lend borrow',
  'send receive',
  'come go',
  'teach learn',
  'win lose',
  'beat lose',
  'defeat lose',
  'export import',
  'push pull',
  // Of people, each the other's.
  'parent child',
  'parent kid',
  'teacher student',
  'employer employee',
  'landlord tenant',
  'host guest',
  'doctor patient',
  // "what is left" remains
  'left remain',
  'left stay',
]
const isConverse = (a: string, b: string) =>
  CONVERSES.includes(`${a} ${b}`) || CONVERSES.includes(`${b} ${a}`)

/** Of texts in their own words: the verb itself, about the same things, with no other word in the claim that denies or counts. */
function isSamePredicate(comparison: Comparison, clause: Clause, s: number): boolean {
  const { source, alignment } = comparison
  const { match, score } = alignment.links[clause.head]!.likeness
  if (score < 0.75 || !isBorneOut(comparison, clause, s)) return false
  // Of a single clause nothing else can be meant.
  if (source.clauses.length === 1 || isAllThereIs(source, s)) return true
  const { linked, all } = supportOf(comparison, clause.head, s)
  // What is denied by one verb is seldom affirmed by another; "not discontinued" of what was stopped is.
  if (match === 'synonym' && score <= 0.85 && (linked < all || source.scopes.signs[s] === -1)) return false
  if (linked < all && clauseAt(source, s)?.head !== s) return false
  return !isSaidOtherwise(comparison, clause, s)
}

/** "She refrained from mentioning it.": one clause under the only other one. */
const isAllThereIs = ({ clauses, clauseOf }: Side, s: number): boolean => {
  const own = clauses[clauseOf[s]!]
  return (
    clauses.length === 2 &&
    own?.head === s &&
    !own.finite &&
    own.link === 'complement' &&
    own.governor === clauses[own.parent]?.head
  )
}

/** "hardly any are covered", "coverage is low": the claim denies by a word of its own, or speaks of another number. */
function isSaidOtherwise({ source, claim, alignment }: Comparison, clause: Clause, s: number): boolean {
  const mine = (i: number) => claim.clauseOf[i] === clause.id && i !== clause.head
  if (source.scopes.signs[s] === -1 && claim.scopes.signs[clause.head] === 1)
    return claim.words.some(
      (word, i) => mine(i) && isDenying(word) && alignment.links[i]!.likeness.match !== 'same',
    )
  return claim.quantities.some(
    (quantity) =>
      mine(quantity.from) &&
      quantity.loose !== true &&
      source.quantities.some(({ kind, bound }) => kind === quantity.kind && bound !== '=') &&
      !source.quantities.some((other) => sameAmount(other, quantity)),
  )
}

/** The clause of the source speaks of what else the claim's clause speaks of. */
function isBorneOut(comparison: Comparison, clause: Clause, s: number): boolean {
  const { near, linked, all } = supportOf(comparison, clause.head, s)
  return all === 0 || (linked > 0 && near * 2 > linked)
}

/** Another occurrence of the word has the claim's sign, or none, and no less company. */
function agreesElsewhere(comparison: Comparison, s: number, c: number): boolean {
  const { source } = comparison
  const here = supportOf(comparison, c, s).near
  return source.words.some(
    ({ lemma }, k) =>
      k !== s &&
      lemma === source.words[s]!.lemma &&
      productOf(comparison, k, c) !== -1 &&
      (supportOf(comparison, c, k).near >= here || (k > s && resumes(source, k))),
  )
}

/** "we bought it two years later": a pronoun stands for what the clause before spoke of. */
function resumes({ words, clauseOf }: Side, at: number): boolean {
  for (let i = at + 1; i < words.length && clauseOf[i] === clauseOf[at] && i < at + 4; i++)
    if (/^(?:it|them|one|that|this|so)$/.test(words[i]!.norm)) return true
  return false
}

/** "refunded the fare but kept the booking fee": what the claim says it of is another's object. */
function hasOtherObject(
  { source, claim, alignment, edited }: Comparison,
  clause: Clause,
  s: number,
): boolean {
  if (edited) return false
  const theirs = source.clauseOf[s]!
  const own = source.clauses[theirs]!
  const mine = claim.words
    .map((_, i) => i)
    .filter((i) => {
      const isTheme = clause.passive || clause.copula ? i < clause.verb : i > clause.head
      return isTheme && claim.clauseOf[i] === clause.id && claim.words[i]!.tag === 'N'
    })
  const places = mine.map((i) => alignment.links[i]!.source).filter((at) => at >= 0)
  if (places.length === 0) return false
  const family = familyOf(source, theirs)
  const isConjunct = (id: number) => {
    const other = source.clauses[id]!
    return (
      id !== theirs &&
      ((other.link === 'coordinate' && other.parent === theirs) ||
        (own.link === 'coordinate' && own.parent === id) ||
        !family.has(id))
    )
  }
  if (!places.every((at) => isConjunct(source.clauseOf[at]!))) return false
  for (let i = s + 1; i < source.words.length && source.clauseOf[i] === theirs; i++)
    if (source.words[i]!.tag === 'N' && alignment.back[i]! < 0) return true
  return false
}

const AVERSE = anyOf(
  'allergic allergic_to intolerant afraid afraid_of scared terrified opposed against wary sick_of averse',
)

/** "to her card, not store credit": denied where it stands, though its clause is not. */
function constituentVotes(comparison: Comparison): Vote[] {
  const { source, claim, alignment } = comparison
  const votes: Vote[] = []
  const left = deniedNouns(source)
  for (const [c, link] of alignment.links.entries()) {
    if (link.source < 0) continue
    const mine = clauseAt(claim, c)
    const theirs = clauseAt(source, link.source)
    // "Not bad." has no verb, and only the signs of its words.
    if (mine === undefined && theirs === undefined && link.likeness.score >= 0.75)
      votes.push({ source: link.source, claim: c, product: productOf(comparison, link.source, c) })
    if (link.likeness.match !== 'same' || claim.words[c]!.tag !== 'N') continue
    // "covers stays but dental work not at all": denied where the verb is left out.
    if (
      left.includes(link.source) &&
      mine !== undefined &&
      c > mine.head &&
      claim.scopes.signs[c] === 1 &&
      alignment.links[mine.head]!.likeness.sign === 1 &&
      claim.words.every(({ tag }) => tag !== '-')
    )
      votes.push({ source: link.source, claim: c, product: -1 })
    // "Flat white, no sugar.": a note without a verb.
    if (
      theirs === undefined &&
      mine !== undefined &&
      source.words[link.source - 1]?.norm === 'no' &&
      claim.scopes.signs[c] === 1 &&
      claim.words.every(({ tag, norm }) => tag !== '-' && norm !== 'without') &&
      !source.words.some(({ lemma }, k) => k !== link.source && lemma === source.words[link.source]!.lemma)
    )
      votes.push({ source: link.source, claim: c, product: -1 })
    if (isOwner(claim, c) && !isOwner(source, link.source)) continue
    if (
      mine === undefined ||
      theirs === undefined ||
      deniesItsObject(claim.words[mine.head]!.lemma) ||
      deniesItsObject(source.words[theirs.head]!.lemma)
    )
      continue
    // "allergic to peanuts, not to almonds": those can be eaten.
    if (
      !comparison.edited &&
      AVERSE.has(source.words[theirs.head]!.lemma) &&
      alignment.links[mine.head]!.source !== theirs.head
    )
      continue
    if (apart(source, link.source) !== -1 || apart(claim, c) !== 1 || claim.scopes.signs[c] !== 1) continue
    if (
      source.words.some(
        ({ lemma }, k) =>
          k !== link.source && lemma === source.words[link.source]!.lemma && apart(source, k) === 1,
      )
    )
      continue
    if (isExcepted(source, link.source) || claim.words.some(({ norm }) => EXCLUSIVE.test(norm))) continue
    votes.push({ source: link.source, claim: c, product: -1 })
  }
  return votes
}

/** An adjective or noun turned into its opposite, away from the predicate. */
function oppositeVotes(comparison: Comparison): Vote[] {
  const { source, claim, alignment, edited } = comparison
  const votes: Vote[] = []
  for (const [c, link] of alignment.links.entries()) {
    if (link.source < 0 || link.likeness.match !== 'antonym') continue
    const clause = clauseAt(claim, c)
    if (clause !== undefined && clause.head === c) continue
    if (productOf(comparison, link.source, c) !== -1) continue
    if (
      clause !== undefined &&
      inSentence(source, link.source, EXCLUSIVE) !== inSentence(claim, c, EXCLUSIVE)
    )
      continue
    if (DUTIES.has(claim.words[c]!.norm) || DUTIES.has(source.words[link.source]!.norm)) continue
    if (
      !edited &&
      (claim.words[c]!.tag !== source.words[link.source]!.tag || !sharesHead(comparison, link.source, c))
    )
      continue
    votes.push({ source: link.source, claim: c, product: -1 })
  }
  return votes
}

/** The noun after, or the predicate over, is the same on both sides. */
function sharesHead({ source, claim, alignment }: Comparison, s: number, c: number): boolean {
  const next = claim.words[c + 1]
  if (next?.tag === 'N' && next.lemma === source.words[s + 1]?.lemma) return true
  if (next !== undefined && alignment.links[c + 1]!.source === s + 1) return true
  const mine = clauseAt(claim, c)
  const theirs = clauseAt(source, s)
  return mine !== undefined && theirs !== undefined && alignment.links[mine.head]!.source === theirs.head
}

/** "not a bad idea" and "a good idea": a denial on one side, an opposite on the other. */
function isCompensated({ source, claim, alignment }: Comparison, clause: Clause, head: Vote): boolean {
  const { subject } = clause
  let opposites =
    understated(source, clauseAt(source, head.source), claim) + understated(claim, clause, source)
  for (const [c, link] of alignment.links.entries())
    if (
      c !== head.claim &&
      claim.clauseOf[c] === clause.id &&
      !(c >= subject[0] && c < subject[1]) &&
      link.source >= 0 &&
      link.likeness.match === 'antonym' &&
      source.clauseOf[link.source] === source.clauseOf[head.source]
    )
      opposites++
  return opposites % 2 === 1
}

/** "not little", "not few" on one side alone: much, many. */
const understated = ({ words }: Side, clause: Clause | undefined, other: Side): number =>
  clause?.negators.filter((i) => {
    const next = words[i + 1]?.norm
    return (next === 'little' || next === 'few') && other.words.every(({ norm }) => norm !== next)
  }).length ?? 0

/** Words from which a denial of something may follow. */
const NEGATIVE =
  /^(?:not|no|never|none|nobody|nothing|neither|nor|without|only\w*|just|instead|otherwise|else|other|others|except\w*|excluding|unless|until|before|rather_than|instead_of|few\w*|less\w*|hardly\w*|rarely|seldom|too|yet|anymore|below|under|lower|against|off|out|away|late|old|former|previous|used_to|almost|nearly|most|some|half|partly|minority|barely|zero|lack\w*|miss\w*|rest|all_but|alone|apart_from|aside_from|if|dead|gone|than)$|less$/
/** What has not changed, or was not given. */
const LASTING = /^(?:same|still|stay\w*|remain\w*|keep|keeps|kept|object\w*|exclu\w*)$/
const TROUBLE = anyOf(
  'problem issue concern trouble difficulty risk bug error failure obstacle worry doubt wrong bad late mistake unanimous perfect certain sure clear easy enough sufficient all only alone',
)
const isTrouble = (word: Word) => TROUBLE.has(word.lemma) || isDenying(word)

/** What the claim denies is what the source speaks of. */
const isSpokenOf = ({ alignment }: Comparison, { head }: Clause): boolean =>
  alignment.links[head]!.likeness.score >= 0.75

const countsItsSubject = ({ scopes }: Side, { subject: [from, to] }: Clause): boolean =>
  scopes.quantifiers.slice(from, to).some((at) => at >= 0)

/** A denial in the claim, where nothing in the sentences it is about denies anything. */
function groundless(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  for (const clause of claim.clauses) {
    const stance = claim.scopes.stances[clause.id]!
    if (COMPARES.has(claim.words[clause.head]!.lemma) || isDeniedDenier(claim, clause.head)) continue
    if (
      stance.sign !== -1 ||
      clause.negators.length === understated(claim, clause, source) ||
      clause.link === 'condition'
    )
      continue
    // What is still to come is told by a plan as well.
    if (!comparison.edited && claim.words.some(({ norm }) => norm === 'yet')) continue
    // "not a problem", "not unanimous" deny nothing good.
    if (isTrouble(claim.words[clause.head]!)) continue
    // "One line was not tested" may be what is left of four of which three were.
    if (claim.words.some(({ tag }, i) => tag === '#' && i >= clause.subject[0] && i < clause.subject[1]))
      continue
    const vote = echoVote(comparison, clause) ?? headVote(comparison, clause)
    if (vote !== undefined && vote.product === 1) continue
    const places = new Set<number>()
    const sentences = new Set<number>()
    for (const [c, link] of alignment.links.entries())
      if (claim.clauseOf[c] === clause.id && link.source >= 0 && isContent(claim.words[c]!)) {
        for (const id of familyOf(source, source.clauseOf[link.source]!)) places.add(id)
        sentences.add(source.sentenceOf[link.source]!)
      }
    if (places.size === 0) continue
    const denied = source.words.some(
      (word, i) =>
        (places.has(source.clauseOf[i]!) && NEGATIVE.test(word.norm)) ||
        (sentences.has(source.sentenceOf[i]!) &&
          (isDenying(word) || LASTING.test(word.norm) || source.scopes.signs[i] !== 1)),
    )
    const family = familyOf(claim, clause.id)
    const opposite = alignment.links.some(
      ({ likeness }, c) => likeness.sign === -1 && family.has(claim.clauseOf[c]!),
    )
    if (denied || opposite) continue
    return [
      finding(
        comparison,
        'polarity_flip',
        'soft',
        comparison.edited || countsItsSubject(claim, clause) || isSpokenOf(comparison, clause) ? 0.6 : 0.3,
        [],
        [clause.head, ...clause.negators],
        `nothing in the source denies what '${said(claim, clause.head, ...clause.negators)}' denies`,
      ),
    ]
  }
  return []
}

function flip(comparison: Comparison, { source: s, claim: c }: Vote): Finding {
  const { source, claim } = comparison
  const deniers = (side: Side, at: number) => side.scopes.stances[side.clauseOf[at]!]?.deniers ?? []
  const [there, here] = [
    [s, ...deniers(source, s)],
    [c, ...deniers(claim, c)],
  ]
  return finding(
    comparison,
    'polarity_flip',
    'hard',
    0.95,
    there,
    here,
    `the source says '${said(source, ...there)}', the claim '${said(claim, ...here)}'`,
  )
}
