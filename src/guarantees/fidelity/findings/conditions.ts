import { compareWords, isContent } from '../comparing/alignment.ts'
import {
  type Comparison,
  clauseAt,
  type Finding,
  finding,
  type Side,
  said,
  supportOf,
} from '../comparing/comparison.ts'
import type { Clause } from '../reading/clauses.ts'
import { anyOf, CONDITIONERS } from '../words/cues.ts'
import { demandFindings, demandOutcome } from './demands.ts'

/** A condition of the source that the claim neither states nor hints at. */
export function conditionFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const found: Finding[] = []
  const hints =
    claim.words.some(({ norm, tag }) => (CONDITIONERS.has(norm) || CUSTOMARY.test(norm)) && tag !== '.') ||
    claim.clauses.some(
      ({ link }) =>
        link === 'condition' ||
        link === 'exception' ||
        link === 'time' ||
        link === 'until' ||
        link === 'after' ||
        link === 'before',
    )
  const demand = demandOutcome(comparison)
  if (demand === undefined) found.push(...defiedConditions(comparison))
  else found.push(...demandFindings(comparison))
  found.push(...turnedConditions(comparison))
  for (const clause of claim.clauses) {
    const theirs = counterpartOf(comparison, clause)
    if (theirs === undefined || clause.question || found.length > 0) continue
    const stance = source.scopes.stances[theirs.id]!
    if (claim.scopes.stances[clause.id]!.sign === -1 && stance.sign === 1) continue
    if (claim.scopes.stances[clause.id]!.condition !== undefined || hints) continue
    const gate = gateOf(source, theirs, stance.condition)
    // A condition of the sentence before or after is that of another clause.
    if (gate === undefined || source.sentenceOf[gate.at] !== source.sentenceOf[theirs.head]) continue
    const { linked, near } = supportOf(comparison, clause.head, theirs.head)
    if (linked > 0 && near * 2 < linked) continue
    // What the condition speaks of is in the claim all the same: "depends on", "needs".
    const words = gate.words.filter((i) => isContent(source.words[i]!))
    if (words.some((i) => alignment.back[i]! >= 0)) continue
    if (claim.scopes.stances[clause.id]!.certainty < 2) continue
    found.push(
      finding(
        comparison,
        'condition_dropped',
        'hard',
        0.8,
        [gate.at, ...words],
        [clause.head],
        `the source says so only under a condition: '${said(source, gate.at, ...words)}'`,
      ),
    )
    break
  }
  return found
}

/** What is so as a rule has its exceptions. */
const CUSTOMARY = /^(?:normally|usually|generally|typically|ordinarily|condition|conditions|proviso)$/

/** A clause that states a condition, or a time that is waited for. */
const isGate = ({ link }: Clause) => /^(?:condition|exception|after|until)$/.test(link)
const DEFIES = anyOf(
  'regardless whether even_if even_when unconditionally without before even_though irrespective anyway',
)

/**
 * The claim has it without what the source makes a condition of it: "if the tests pass" became "whether or not the tests
 * pass", "only after signing" became "before signing".
 */
function defiedConditions(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const defies = claim.words.findIndex(
    ({ norm, tag }, i) => (DEFIES.has(norm) && tag !== '.') || isEither(claim, i),
  )
  if (defies < 0) return []
  // "needed before": that is the condition.
  if (
    claim.words[defies]!.norm === 'before' &&
    claim.words.some(
      ({ norm, lemma }) =>
        /^(?:need|must|have_to|has_to|require|necessary|first|require)$/.test(lemma) || norm === 'needed',
    )
  )
    return []
  for (const clause of claim.clauses) {
    if (clause.question || (clause.start <= defies && clause.verb > defies)) continue
    const theirs = counterpartOf(comparison, clause)
    if (theirs === undefined) continue
    const [mine, stance] = [claim.scopes.stances[clause.id]!, source.scopes.stances[theirs.id]!]
    if (mine.sign !== stance.sign || mine.sign === 0) continue
    const gates = source.clauses.filter(
      (gate) => isGate(gate) && gate.parent === theirs.id && isPositive(source, gate),
    )
    const restated = gates.find((gate) => {
      if (claim.words[defies]!.norm === 'unconditionally') return true
      let shared = 0
      for (let c = isEither(claim, defies) ? defies - 1 : defies + 1; c < claim.words.length; c++) {
        const at = alignment.links[c]!.source
        if (at >= 0 && source.clauseOf[at] === gate.id && isContent(claim.words[c]!)) shared++
      }
      return shared > 0
    })
    if (restated === undefined) continue
    return [
      finding(
        comparison,
        'condition_dropped',
        'hard',
        0.85,
        [restated.start, restated.head],
        [defies, clause.head],
        `the source makes it depend on '${said(source, restated.start, restated.head)}', the claim does not`,
      ),
    ]
  }
  return []
}

/** "Salted or unsalted": it makes no difference which. */
const isEither = ({ words }: Side, at: number): boolean =>
  words[at]!.norm === 'or' &&
  words[at - 1] !== undefined &&
  words[at + 1] !== undefined &&
  compareWords(words[at - 1]!, words[at + 1]!).sign === -1

/** What has to be so, not what must not. */
const isPositive = (side: Side, gate: Clause) => side.scopes.stances[gate.id]!.sign === 1

interface Gate {
  readonly at: number
  readonly words: readonly number[]
}

/** The condition a clause hangs on: a clause, "subject to approval", "only in an emergency". */
function gateOf(side: Side, clause: Clause, condition: number | undefined): Gate | undefined {
  const { words, clauseOf, clauses } = side
  if (condition !== undefined)
    return {
      at: clauses[condition]!.start,
      words: words.map((_, i) => i).filter((i) => clauseOf[i] === condition),
    }
  for (let i = 0; i < words.length; i++) {
    if (clauseOf[i] !== clause.id) continue
    const { norm, tag } = words[i]!
    const next = words[i + 1]
    const only =
      norm === 'only' &&
      next?.tag === 'I' &&
      /^(?:in|on|with|during|for|at|by|via|within|upon)$/.test(next.norm)
    // "the real one only in the soak test": another conjunct's
    if (only && words.slice(clause.head, i).some((word) => word.tag === 'C' || word.norm === ',')) continue
    if (only || (tag === 'I' && CONDITIONERS.has(norm))) {
      const end = phraseEnd(words, i + (only ? 2 : 1))
      return { at: i, words: Array.from({ length: end - i - 1 }, (_, k) => i + 1 + k) }
    }
  }
  return undefined
}

function phraseEnd(words: Side['words'], from: number): number {
  let i = from
  while (i < words.length && i < from + 7 && /^[DNA#I]$/.test(words[i]!.tag)) i++
  return i
}

/** "unless the vendor objects" became "if the vendor objects". */
function turnedConditions(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  for (const clause of claim.clauses) {
    const mine = claim.scopes.stances[clause.id]!
    const theirs = mine.condition === undefined ? undefined : counterpartOf(comparison, clause)
    if (theirs === undefined) continue
    const stance = source.scopes.stances[theirs.id]!
    if (stance.condition === undefined || stance.sign * mine.sign !== 1) continue
    const [there, here] = [source.clauses[stance.condition]!, claim.clauses[mine.condition!]!]
    const { source: s, likeness } = alignment.links[here.head]!
    if (s < 0 || likeness.score < 0.75 || source.clauseOf[s] !== there.id || s !== there.head) continue
    const sameDemand = isPositive(source, there) === isPositive(claim, here)
    if (sameDemand === (likeness.sign === 1)) continue
    return [
      finding(
        comparison,
        'polarity_flip',
        'hard',
        0.9,
        [there.start, there.head],
        [here.start, here.head],
        `the source asks '${said(source, there.start, there.head)}', the claim '${said(claim, here.start, here.head)}'`,
      ),
    ]
  }
  return []
}

/** A clause of the claim and the clause of the source that speaks of the same. */
function counterpartOf({ source, claim, alignment }: Comparison, clause: Clause): Clause | undefined {
  const head = alignment.links[clause.head]
  if (head !== undefined && head.source >= 0 && head.likeness.score >= 0.6)
    return clauseAt(source, head.source)
  const counts = new Map<number, number>()
  for (const [c, link] of alignment.links.entries())
    if (link.source >= 0 && claim.clauseOf[c] === clause.id && isContent(claim.words[c]!)) {
      const at = source.clauseOf[link.source]!
      counts.set(at, (counts.get(at) ?? 0) + link.likeness.score)
    }
  let best: number | undefined
  for (const [id, count] of counts) if (best === undefined || count > counts.get(best)!) best = id
  return best === undefined ? undefined : source.clauses[best]
}
