import { isContent } from '../comparing/alignment.ts'
import { type Comparison, clauseAt, type Side } from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { bearingOf } from '../reading/operators.ts'
import type { Sign } from '../reading/stances.ts'
import { anyOf } from '../words/cues.ts'
import { hasOtherSubject, isExcepted, isOpen } from './openness.ts'

export interface Vote {
  readonly source: number
  readonly claim: number
  /** -1 when one side says what the other denies. */
  readonly product: Sign
}

/** "must not exceed": a bound, the business of numbers. */
export const COMPARES = anyOf('exceed surpass outlast undercut')

export function productOf({ source, claim, alignment }: Comparison, s: number, c: number): Sign {
  return (source.scopes.signs[s]! * claim.scopes.signs[c]! * alignment.links[c]!.likeness.sign || 0) as Sign
}

/**
 * Without a counterpart of the predicate, what it is said of: "support for Node 16 has been dropped" against "Node 16
 * is supported", "cancelled the gym" against "kept the gym membership". Both predicates must be for their topic or
 * against it.
 */
export function topicVote(comparison: Comparison, clause: Clause): Vote | undefined {
  const { claim, alignment, edited } = comparison
  const head = claim.words[clause.head]!
  if (COMPARES.has(head.lemma)) return undefined
  if (!edited && bearing(claim, clause) === undefined) return undefined
  const votes: Vote[] = []
  for (const [c, link] of alignment.links.entries()) {
    if (c === clause.head || claim.clauseOf[c] !== clause.id) continue
    if (link.source < 0 || link.likeness.score < 0.75 || !isContent(claim.words[c]!)) continue
    if (bearing(claim, clause) !== undefined && isBeside(claim, clause, c)) continue
    // "Greta's twin": what is spoken of is the twin.
    if (!edited && isOwner(claim, c) && !isOwner(comparison.source, link.source)) continue
    const places = mentionsOf(comparison, link.source, edited)
    const product = places.map((s) => (isAnchor(comparison, clause, s) ? productOf(comparison, s, c) : 0))
    // What speaks for a thing goes with much that a claim may deny of it, and not with its being dropped.
    const at = product.findIndex(
      (one, i) =>
        one === -1 &&
        (edited || comparison.source.scopes.signs[places[i]!] === -1 || bearing(claim, clause) === 'against'),
    )
    if (product.includes(1)) votes.push({ source: link.source, claim: c, product: 1 })
    else if (at >= 0) votes.push({ source: places[at]!, claim: c, product: -1 })
  }
  const against = votes.filter(({ product }) => product === -1)
  return against.length * 2 > votes.length ? against[0] : undefined
}

const isOwner = ({ words }: Side, at: number) => words[at + 1]?.norm === "'s"

/** Every place the source names the thing. */
function mentionsOf({ source }: Comparison, s: number, edited: boolean): readonly number[] {
  if (edited) return [s]
  const { lemma } = source.words[s]!
  const list = [s]
  for (const [i, word] of source.words.entries()) if (i !== s && word.lemma === lemma) list.push(i)
  return list
}

function isAnchor(comparison: Comparison, clause: Clause, s: number): boolean {
  const { source, alignment, edited } = comparison
  const theirs = clauseAt(source, s)
  if (theirs === undefined || isExcepted(source, s) || isOpen(comparison, clause, s)) return false
  if (!edited && (isWhen(source, s) || isAhead(theirs))) return false
  if (theirs.head === s) return edited || source.clauses.length === 1
  if (alignment.back[theirs.head] !== -1) return false
  const [there, here] = [bearing(source, theirs), bearing(comparison.claim, clause)]
  // "close a project" and "wrap up a project": a verb against its topic needs one for it on the other side.
  if (edited) return there === undefined ? here !== 'against' : there === 'for' || here !== undefined
  return there !== undefined && !isBeside(source, theirs, s) && !hasOtherSubject(comparison, clause, s)
}

/** "since the knee surgery", "before the drill": when it was, not what it was. */
function isWhen({ words }: Side, at: number): boolean {
  let i = at - 1
  while (i >= 0 && /^[NAD#]$/.test(words[i]!.tag)) i--
  return (
    i >= 0 &&
    /^(?:since|after|before|during|until|till|by|from|up_to|at|via|through|within)$/.test(words[i]!.norm) &&
    words[i]!.tag === 'I'
  )
}

/** "once the check is restored": it has not been yet. */
const isAhead = ({ link, tense, finite }: Clause) =>
  finite && tense === 'present' && /^(?:time|after|until|before|condition|exception)$/.test(link)

const bearing = ({ words }: Side, { head }: Clause) =>
  bearingOf(words[head]!.norm) ?? bearingOf(words[head]!.lemma)

/** Not what is spoken for or against: who does it, or what stands beside a passive's or copula's subject. */
function isBeside(side: Side, clause: Clause, at: number): boolean {
  const inSubject = at >= clause.subject[0] && at < clause.subject[1]
  if (clause.passive || clause.copula)
    return clause.subject[0] < clause.subject[1] && !inSubject && at !== clause.head
  if (!inSubject) return false
  for (let i = clause.head + 1; i < side.words.length && side.clauseOf[i] === clause.id; i++) {
    const { tag } = side.words[i]!
    if (tag === 'N' || tag === '#' || tag === 'P' || tag === 'D') return true
    if (tag === 'I' || tag === '.') return false
  }
  return side.clauses.some(({ governor }) => governor === clause.head)
}
