import { isContent } from './alignment.ts'
import { type Comparison, clauseAt, type Finding, finding, said } from './comparison.ts'
import { DUTIES } from './cues.ts'
import type { Sign } from './scopes.ts'

interface Vote {
  readonly source: number
  readonly claim: number
  /** -1 when one side says what the other denies. */
  readonly product: Sign
}

/** What one side asserts and the other denies. */
export function polarityFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const found: Finding[] = []
  const settled = new Set<number>()
  for (const clause of claim.clauses) {
    const votes = votesOf(comparison, clause.id)
    if (votes.length === 0) continue
    const head = votes.find((vote) => vote.claim === clause.head)
    const deciding =
      head !== undefined && head.product !== 0
        ? [head]
        : votes.filter(({ product, source: s }) => product !== 0 && isAnchor(comparison, s))
    if (head !== undefined && head.product !== 0 && isCompensated(comparison, clause.id, head)) {
      for (const link of alignment.links) settled.add(link.source)
      continue
    }
    const against = deciding.filter(({ product }) => product === -1)
    if (against.length === 0 || against.length * 2 <= deciding.length) continue
    const vote = against[0]!
    if (head === undefined && !hasReason(comparison, vote)) continue
    if (settled.has(vote.source)) continue
    settled.add(vote.source)
    found.push(flip(comparison, vote))
  }
  // An adjective or noun turned into its opposite, away from the predicate.
  for (const [c, link] of alignment.links.entries()) {
    if (link.source < 0 || link.likeness.match !== 'antonym' || settled.has(link.source)) continue
    const clause = clauseAt(claim, c)
    if (clause !== undefined && clause.head === c) continue
    const product = productOf(comparison, link.source, c)
    if (product !== -1) continue
    if (DUTIES.has(claim.words[c]!.norm) || DUTIES.has(source.words[link.source]!.norm)) continue
    settled.add(link.source)
    found.push(flip(comparison, { source: link.source, claim: c, product }))
  }
  return found
}

/** "not a bad idea" and "a good idea": a denial on one side, an opposite on the other. */
function isCompensated({ source, claim, alignment }: Comparison, clause: number, head: Vote): boolean {
  if (head.product !== -1) return false
  const { subject } = claim.clauses[clause]!
  let opposites = 0
  for (const [c, link] of alignment.links.entries())
    if (
      c !== head.claim &&
      claim.clauseOf[c] === clause &&
      !(c >= subject[0] && c < subject[1]) &&
      link.source >= 0 &&
      link.likeness.match === 'antonym' &&
      source.clauseOf[link.source] === source.clauseOf[head.source]
    )
      opposites++
  return opposites % 2 === 1
}

function flip(comparison: Comparison, { source: s, claim: c }: Vote): Finding {
  const { source, claim } = comparison
  const deniers = (side: typeof source, at: number) => side.scopes.stances[side.clauseOf[at]!]?.deniers ?? []
  return finding(
    comparison,
    'polarity_flip',
    'hard',
    0.95,
    [s, ...deniers(source, s)],
    [c, ...deniers(claim, c)],
    `the source says '${said(source, s, ...deniers(source, s))}', the claim '${said(claim, c, ...deniers(claim, c))}'`,
  )
}

function productOf({ source, claim, alignment }: Comparison, s: number, c: number): Sign {
  const sign = source.scopes.signs[s]! * claim.scopes.signs[c]! * alignment.links[c]!.likeness.sign
  return (sign || 0) as Sign
}

function votesOf(comparison: Comparison, clause: number): Vote[] {
  const { source, claim, alignment } = comparison
  const votes: Vote[] = []
  for (const [c, link] of alignment.links.entries()) {
    if (link.source < 0 || claim.clauseOf[c] !== clause) continue
    if (!isContent(claim.words[c]!) && claim.clauses[clause]!.head !== c) continue
    if (link.likeness.score < 0.6 && link.likeness.match !== 'narrower') continue
    let product = productOf(comparison, link.source, c)
    // The same word elsewhere in the source with the other sign: which is meant cannot be told by the word.
    if (product === -1 && link.likeness.match === 'same')
      for (let s = 0; s < source.words.length; s++)
        if (
          s !== link.source &&
          source.words[s]!.lemma === source.words[link.source]!.lemma &&
          productOf(comparison, s, c) === 1 &&
          supports(comparison, s, c) >= supports(comparison, link.source, c)
        )
          product = 1
    votes.push({ source: link.source, claim: c, product })
  }
  return votes
}

/** How many other words of the claim's clause the source has in the clause of this word. */
function supports({ source, claim, alignment }: Comparison, s: number, c: number): number {
  let count = 0
  for (const [k, link] of alignment.links.entries())
    if (
      k !== c &&
      link.source >= 0 &&
      isContent(claim.words[k]!) &&
      claim.clauseOf[k] === claim.clauseOf[c] &&
      source.clauseOf[link.source] === source.clauseOf[s]
    )
      count++
  return count
}

/** A noun votes only where the predicate over it in the source has no counterpart of its own. */
function isAnchor({ source, alignment }: Comparison, s: number): boolean {
  const clause = clauseAt(source, s)
  if (clause === undefined) return true
  return clause.head === s || alignment.back[clause.head] === -1 || source.words[clause.head]!.tag === 'X'
}

/** Somebody has to have denied something. */
function hasReason({ source, claim, alignment }: Comparison, { source: s, claim: c }: Vote): boolean {
  const there = source.scopes.signs[s] === -1
  const here = claim.scopes.signs[c] === -1
  return there || here || alignment.links[c]!.likeness.sign === -1
}
