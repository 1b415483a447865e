import { isContent } from './alignment.ts'
import type { Clause } from './clauses.ts'
import {
  type Comparison,
  clauseAt,
  type Finding,
  finding,
  isDeniedDenier,
  type Side,
  said,
  supportOf,
} from './comparison.ts'
import { CERTAINTY, DUTIES } from './cues.ts'
import { speaksOfTheRest } from './numbers.ts'
import { EXCLUSIVE, hasOtherSubject, isOpen } from './openness.ts'
import { deniesItsObject, effectOf } from './operators.ts'
import type { Sign } from './stances.ts'
import { COMPARES, productOf, topicVote, type Vote } from './topics.ts'

/** What one side asserts and the other denies. */
export function polarityFindings(comparison: Comparison): Finding[] {
  const { claim, alignment } = comparison
  const found: Finding[] = []
  const settled = new Set<number>()
  for (const clause of claim.clauses) {
    const head = headVote(comparison, clause)
    if (head !== undefined && head.product === -1 && isCompensated(comparison, clause, head)) {
      for (const link of alignment.links) settled.add(link.source)
      continue
    }
    const vote = head !== undefined && head.product !== 0 ? head : topicVote(comparison, clause)
    if (vote === undefined || vote.product !== -1 || settled.has(vote.source)) continue
    settled.add(vote.source)
    found.push(flip(comparison, vote))
  }
  for (const vote of [...constituentVotes(comparison), ...oppositeVotes(comparison)])
    if (!settled.has(vote.source)) {
      settled.add(vote.source)
      found.push(flip(comparison, vote))
    }
  if (found.length === 0) found.push(...groundless(comparison))
  return found
}

/** The predicate of the claim's clause against its counterpart. */
function headVote(comparison: Comparison, clause: Clause): Vote | undefined {
  const { source, claim, alignment, edited } = comparison
  const link = alignment.links[clause.head]!
  const { match, score } = link.likeness
  if (COMPARES.test(claim.words[clause.head]!.lemma)) return undefined
  if (link.source < 0 || match === 'sister' || (score < 0.6 && match !== 'narrower')) return undefined
  // "I don't think it is": what is denied is what is thought.
  if (
    effectOf(claim.words[clause.head]!.lemma) === 'raises' &&
    claim.clauses.some(({ governor }) => governor === clause.head)
  )
    return undefined
  // "pencilled in" and "confirmed" differ in how sure they are.
  if (
    match === 'antonym' &&
    (CERTAINTY.get(source.words[link.source]!.norm) ?? 3) <= 2 &&
    CERTAINTY.get(claim.words[clause.head]!.norm) === 4
  )
    return undefined
  if (match === 'antonym' && isConverse(source.words[link.source]!.lemma, claim.words[clause.head]!.lemma))
    return undefined
  let product = (productOf(comparison, link.source, clause.head) *
    apartSign(comparison, clause, link.source) || 0) as Sign
  if (product === -1) {
    if (!edited && (score < 0.75 || !isBorneOut(comparison, clause, link.source))) product = 0
    else if (speaksOfTheRest(comparison) || hasOtherSubject(comparison, clause, link.source)) product = 0
    else if (isOpen(comparison, clause, link.source)) product = 0
    else if (agreesElsewhere(comparison, link.source, clause.head)) product = 1
  }
  return { source: link.source, claim: clause.head, product }
}

/** The sign of a word beside that of its clause: -1 for "iOS" in "works on Android but not on iOS". */
const apart = ({ scopes, clauseOf }: Side, at: number) =>
  scopes.signs[at]! * (scopes.stances[clauseOf[at]!]?.sign ?? 1)

/** What the source says of the rest it denies of one constituent; the claim may speak of that one. */
function apartSign({ source, claim, alignment }: Comparison, clause: Clause, s: number): number {
  const theirs = clauseAt(source, s)
  if (theirs === undefined || deniesItsObject(source.words[theirs.head]!.lemma)) return 1
  let sign = 1
  for (const [c, link] of alignment.links.entries())
    if (
      c !== clause.head &&
      link.source >= 0 &&
      link.source !== s &&
      claim.clauseOf[c] === clause.id &&
      source.clauseOf[link.source] === theirs.id &&
      claim.words[c]!.tag === 'N' &&
      claim.words[c + 1]?.tag !== 'N' &&
      apart(source, link.source) === -1 &&
      apart(claim, c) === 1 &&
      isDeniedConstituent(source, link.source)
    )
      sign = -sign
  return sign
}

/** After "not" or "nor" in the phrase itself. */
function isDeniedConstituent({ words }: Side, at: number): boolean {
  for (let i = at - 1; i >= 0 && i > at - 6; i--) {
    if (words[i]!.tag === '-') return true
    if (!/^[NADI#]$/.test(words[i]!.tag)) return false
  }
  return false
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
  'export import',
  'push pull',
]
export const isConverse = (a: string, b: string) =>
  CONVERSES.includes(`${a} ${b}`) || CONVERSES.includes(`${b} ${a}`)

/** The clause of the source speaks of what else the claim's clause speaks of. */
function isBorneOut(comparison: Comparison, clause: Clause, s: number): boolean {
  const { near, linked, all } = supportOf(comparison, clause.head, s)
  return all === 0 || (linked > 0 && near * 2 > linked)
}

/** Another occurrence of the word has the claim's sign and no less company. */
function agreesElsewhere(comparison: Comparison, s: number, c: number): boolean {
  const { source } = comparison
  const here = supportOf(comparison, c, s).near
  return source.words.some(
    ({ lemma }, k) =>
      k !== s &&
      lemma === source.words[s]!.lemma &&
      productOf(comparison, k, c) === 1 &&
      supportOf(comparison, c, k).near >= here,
  )
}

/** "to her card, not store credit": denied where it stands, though its clause is not. */
function constituentVotes(comparison: Comparison): Vote[] {
  const { source, claim, alignment } = comparison
  const votes: Vote[] = []
  for (const [c, link] of alignment.links.entries()) {
    if (link.source < 0 || link.likeness.match !== 'same' || claim.words[c]!.tag !== 'N') continue
    const mine = clauseAt(claim, c)
    const theirs = clauseAt(source, link.source)
    if (
      mine === undefined ||
      theirs === undefined ||
      deniesItsObject(claim.words[mine.head]!.lemma) ||
      deniesItsObject(source.words[theirs.head]!.lemma)
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

/** Set apart by "except", or required by "without" in a rule ("void without a receipt"); not denied. */
const isExcepted = (side: Side, at: number) => {
  const clause = clauseAt(side, at)
  const rule = clause?.tense === 'present' && !clause.imperative
  for (let i = at - 1; i >= 0 && i > at - 8; i--) {
    const { norm } = side.words[i]!
    if (norm === 'without' && rule) return true
    if (
      /^(?:except|except_for|excluding|apart_from|aside_from|other_than|with_the_exception_of|unlike)$/.test(
        norm,
      )
    )
      return true
  }
  return false
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
  const next = alignment.links[c + 1]
  if (next !== undefined && next.source === s + 1) return true
  const mine = clauseAt(claim, c)
  const theirs = clauseAt(source, s)
  return mine !== undefined && theirs !== undefined && alignment.links[mine.head]!.source === theirs.head
}

/** "not a bad idea" and "a good idea": a denial on one side, an opposite on the other. */
function isCompensated({ source, claim, alignment }: Comparison, clause: Clause, head: Vote): boolean {
  const { subject } = clause
  let opposites = 0
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

/** Words from which a denial of something may follow. */
const NEGATIVE =
  /^(?:not|no|never|none|nobody|nothing|neither|nor|without|only|just|instead|but|however|although|though|otherwise|else|other|except\w*|excluding|unless|until|before|rather_than|instead_of|few\w*|less\w*|hardly\w*|rarely|seldom|too|yet|still|anymore|later|below|under|lower|against|off|out|down|away|late|old|former|previous|used_to|zero|lack\w*|miss\w*|rest|all_but|alone|apart_from|aside_from|if|dead|gone|than)$|^(?:un|in|im|ir|il|non|dis|anti|mis)(?=\w{4})|less$/

/** A denial in the claim, where nothing in the sentences it is about denies anything. */
function groundless(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  for (const clause of claim.clauses) {
    const stance = claim.scopes.stances[clause.id]!
    if (COMPARES.test(claim.words[clause.head]!.lemma) || isDeniedDenier(claim, clause.head)) continue
    if (stance.sign !== -1 || clause.negators.length === 0 || clause.link === 'condition') continue
    const vote = headVote(comparison, clause)
    if (vote !== undefined && vote.product === 1) continue
    const sentences = new Set<number>()
    for (const [c, link] of alignment.links.entries())
      if (claim.clauseOf[c] === clause.id && link.source >= 0 && isContent(claim.words[c]!))
        sentences.add(source.sentenceOf[link.source]!)
    if (sentences.size === 0) continue
    const denied = source.words.some(
      (word, i) =>
        sentences.has(source.sentenceOf[i]!) &&
        (NEGATIVE.test(word.norm) ||
          deniesItsObject(word.lemma) ||
          effectOf(word.lemma) === 'denies' ||
          source.scopes.signs[i] !== 1),
    )
    const opposite = alignment.links.some(
      ({ likeness }, c) => likeness.sign === -1 && claim.clauseOf[c] === clause.id,
    )
    if (denied || opposite) continue
    return [
      finding(
        comparison,
        'polarity_flip',
        'soft',
        0.6,
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
