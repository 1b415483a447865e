import { isContent } from './alignment.ts'
import type { Clause } from './clauses.ts'
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
} from './comparison.ts'
import { CERTAINTY, DUTIES } from './cues.ts'
import { speaksOfTheRest } from './numbers.ts'
import { deniesItsObject, effectOf } from './operators.ts'
import type { Sign } from './scopes.ts'

interface Vote {
  readonly source: number
  readonly claim: number
  /** -1 when one side says what the other denies. */
  readonly product: Sign
}

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

function productOf({ source, claim, alignment }: Comparison, s: number, c: number): Sign {
  return (source.scopes.signs[s]! * claim.scopes.signs[c]! * alignment.links[c]!.likeness.sign || 0) as Sign
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
  let product = productOf(comparison, link.source, clause.head)
  if (product === -1) {
    if (!edited && (score < 0.75 || !isBorneOut(comparison, clause, link.source))) product = 0
    else if (speaksOfTheRest(comparison) || hasOtherSubject(comparison, clause, link.source)) product = 0
    else if (isOpen(comparison, clause, link.source)) product = 0
    else if (agreesElsewhere(comparison, link.source, clause.head)) product = 1
  }
  return { source: link.source, claim: clause.head, product }
}

/** "must not exceed": a bound, the business of numbers. */
const COMPARES = /^(?:exceed|surpass|outlast|undercut)$/

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

/** The subject of the claim is the subject of another clause of the source. */
function hasOtherSubject({ source, claim, alignment }: Comparison, clause: Clause, s: number): boolean {
  const theirs = source.clauseOf[s]!
  const family = familyOf(source, theirs)
  for (let c = clause.subject[0]; c < clause.subject[1]; c++) {
    const at = alignment.links[c]!.source
    if (at < 0 || claim.words[c]!.tag !== 'N') continue
    if (source.clauses.some(({ id, subject }) => !family.has(id) && at >= subject[0] && at < subject[1]))
      return true
  }
  return false
}

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

/** Words that make a denial of the rest follow from an assertion: only she can, nobody else can. */
const EXCLUSIVE =
  /^(?:only|just|else|other|others|otherwise|rest|except|except_for|excluding|apart_from|aside_from|exception|until|unless|anymore|alone|instead)$/

/** Signs cannot be compared: exclusives, elliptical denials, conditions of different make. */
export function isOpen({ source, claim }: Comparison, clause: Clause, s: number): boolean {
  const theirs = clauseAt(source, s)
  if (theirs === undefined) return false
  const exclusive = (side: Side) => side.words.some(({ norm }) => EXCLUSIVE.test(norm))
  if (exclusive(source) !== exclusive(claim)) return true
  const has = (side: Side, pattern: RegExp) => side.words.some(({ norm }) => pattern.test(norm))
  const [ahead, afterwards] = [/^(?:before|until|till)$/, /^(?:after|only_after|once|only_once|when)$/]
  if ((has(source, ahead) && has(claim, afterwards)) || (has(source, afterwards) && has(claim, ahead)))
    return true
  const denied = (side: Side, { id }: Clause) => side.scopes.stances[id]!.sign === -1
  // "I didn't leave because of the money": which part is denied is open.
  if (
    denied(source, theirs) &&
    source.words.some(({ norm }) => norm === 'because' || norm === 'because_of' || norm === 'just_because')
  )
    return true
  // "few do not": how many takes part in what is denied.
  const [there, here] = [amountsIn(source, theirs), amountsIn(claim, clause)]
  if (denied(source, theirs) !== denied(claim, clause) && there !== here && there !== '' && here !== '')
    return true
  const conditional = ({ link }: Clause) => link === 'condition' || link === 'exception'
  if (conditional(theirs) !== conditional(clause) && (conditional(theirs) || conditional(clause))) return true
  // "they tried but couldn't": the denied verb is not there to be matched.
  return source.clauses.some(
    ({ head, negators, id }) =>
      id !== theirs.id &&
      negators.length % 2 === 1 &&
      (source.words[head]!.tag === 'M' || source.words[head]!.tag === 'X') &&
      claim.scopes.signs[clause.head] === -1,
  )
}

/** The quantifiers and numbers of a subject, in order. */
const amountsIn = ({ words, scopes }: Side, { subject: [from, to] }: Clause): string =>
  words
    .map(({ norm, tag }, i) =>
      i >= from && i < to && ((scopes.quantifiers[i] === i && scopes.amounts[i] !== 'none') || tag === '#')
        ? norm
        : '',
    )
    .filter((norm) => norm !== '')
    .join(' ')

const LIGHT_HEADS =
  /^(?:be|have|get|do|there|exist|want|need|use|include|contain|take|hold|see|apply|happen|occur|remain|stay|go|available|option|allowed)$/

/** Without a counterpart of the predicate, what it is said of: "support for Node 16 has been dropped". */
function topicVote(comparison: Comparison, clause: Clause): Vote | undefined {
  const { source, claim, alignment, edited } = comparison
  const head = claim.words[clause.head]!
  if (COMPARES.test(head.lemma)) return undefined
  const denies = deniesItsObject(head.lemma) || deniesItsObject(head.norm)
  if (!edited && !denies && !LIGHT_HEADS.test(head.lemma) && !clause.copula) return undefined
  const votes: Vote[] = []
  for (const [c, link] of alignment.links.entries()) {
    if (
      c === clause.head ||
      link.source < 0 ||
      claim.clauseOf[c] !== clause.id ||
      !isContent(claim.words[c]!)
    )
      continue
    if (link.likeness.score < 0.75) continue
    const theirs = clauseAt(source, link.source)
    if (theirs === undefined || isOpen(comparison, clause, link.source)) continue
    const above = source.words[theirs.head]!
    const anchor =
      theirs.head === link.source ||
      ((deniesItsObject(above.lemma) ||
        deniesItsObject(above.norm) ||
        LIGHT_HEADS.test(above.lemma) ||
        edited) &&
        alignment.back[theirs.head] === -1)
    if (!anchor) continue
    const product = productOf(comparison, link.source, c)
    if (product !== 0) votes.push({ source: link.source, claim: c, product })
  }
  const against = votes.filter(({ product }) => product === -1)
  return against.length * 2 > votes.length ? against[0] : undefined
}

/** "to her card, not store credit": denied where it stands, though its clause is not. */
function constituentVotes(comparison: Comparison): Vote[] {
  const { source, claim, alignment } = comparison
  const votes: Vote[] = []
  const own = ({ scopes, clauseOf }: Side, i: number) =>
    scopes.signs[i]! * (scopes.stances[clauseOf[i]!]?.sign ?? 1)
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
    if (own(source, link.source) !== -1 || own(claim, c) !== 1 || claim.scopes.signs[c] !== 1) continue
    if (
      source.words.some(
        ({ lemma }, k) =>
          k !== link.source && lemma === source.words[link.source]!.lemma && own(source, k) === 1,
      )
    )
      continue
    if (isExcepted(source, link.source) || claim.words.some(({ norm }) => EXCLUSIVE.test(norm))) continue
    votes.push({ source: link.source, claim: c, product: -1 })
  }
  return votes
}

/** Set apart by "except", not denied. */
const isExcepted = (side: Side, at: number) => {
  for (let i = at - 1; i >= 0 && i > at - 8; i--)
    if (
      /^(?:except|except_for|excluding|apart_from|aside_from|other_than|with_the_exception_of|unlike)$/.test(
        side.words[i]!.norm,
      )
    )
      return true
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
        sentences.add(sentenceAt(source, link.source))
    if (sentences.size === 0) continue
    const denied = source.words.some(
      (word, i) =>
        sentences.has(sentenceAt(source, i)) &&
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

/** Where the sentence of a word begins. */
function sentenceAt({ words }: Side, at: number): number {
  let i = at
  while (i > 0 && !/^[.!?;\n]$/.test(words[i - 1]!.norm)) i--
  return i
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
