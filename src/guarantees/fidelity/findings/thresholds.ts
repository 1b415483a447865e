import { isContent } from '../comparing/alignment.ts'
import { type Comparison, clauseAt, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import type { Bound } from '../quantities/bounds.ts'
import type { Quantity } from '../quantities/quantities.ts'
import type { Clause } from '../reading/clauses.ts'
import { anyOf } from '../words/cues.ts'

/** Where a rule changes sides: "if the rate goes over 2 %", "unless ten sign up", "needs at least six". */
interface Threshold {
  readonly quantity: Quantity
  readonly bound: Bound
  /** What is said beyond it; undefined where the number is only asked for. */
  readonly governs: Clause | undefined
  readonly sign: 1 | -1
}

const MAY_TELL: ReadonlySet<string> = new Set([
  'count',
  'money',
  'share',
  'duration',
  'bytes',
  'length',
  'mass',
  'times',
  'measure',
])
const GATES: ReadonlySet<string> = new Set(['condition', 'exception', 'time', 'after'])
const ENOUGH = anyOf('enough suffice suffices sufficient')
const DEMANDS = anyOf('need needs require requires must minimum have_to has_to demand demands takes take')
/** Verbs that say only that it comes about. */
const COMES_ABOUT = anyOf('take happen go hold run be is are occur apply proceed possible start')

function thresholdsOf(side: Side): Threshold[] {
  const { words, quantities, clauses, scopes } = side
  return quantities.flatMap((quantity): Threshold[] => {
    const { kind, loose, bound, from } = quantity
    if (!MAY_TELL.has(kind) || loose || bound === '~') return []
    const clause = clauseAt(side, from)
    if (clause === undefined) return []
    const gate = GATES.has(clause.link) && clause.parent >= 0
    // "unless ten people sign up": ten or more.
    const open =
      bound === '=' && kind === 'count' && (clause.link === 'exception' || clause.link === 'condition')
    if (bound === '=' && !open) return []
    const beyond = open ? '>=' : bound
    if (!gate) {
      const asked =
        (beyond === '>=' || beyond === '>') &&
        words.some(({ norm }, i) => side.clauseOf[i] === clause.id && DEMANDS.has(norm))
      return asked ? [{ quantity, bound: beyond, governs: undefined, sign: 1 }] : []
    }
    const governs = clauses[clause.parent]!
    const denied = clause.negators.length % 2 === 1 && !quantity.negated
    const own = scopes.stances[governs.id]!.sign
    if (own === 0) return []
    const sign = (clause.link === 'exception' ? -1 : 1) * (denied ? -1 : 1) * own
    return [{ quantity, bound: beyond, governs, sign: sign as 1 | -1 }]
  })
}

/** Whether all the claim's number may be is beyond the threshold (1), none of it (-1), or neither (0). */
function beyond({ value, bound }: { value: number; bound: Bound }, mine: Quantity): 1 | -1 | 0 {
  const up = bound === '>' || bound === '>='
  const strict = bound === '>' || bound === '<'
  if (mine.bound === '=') {
    const holds = up
      ? strict
        ? mine.value > value
        : mine.value >= value
      : strict
        ? mine.value < value
        : mine.value <= value
    return holds ? 1 : -1
  }
  if (mine.bound === '~') return 0
  const more = mine.bound === '>' || mine.bound === '>='
  if (more === up && (up ? mine.value >= value : mine.value <= value)) return 1
  const strictly = mine.bound === '>' || mine.bound === '<'
  if (more !== up && mine.value === value) return strict || strictly ? -1 : 0
  return more !== up && (up ? mine.value < value : mine.value > value) ? -1 : 0
}

export interface ThresholdOutcome {
  readonly follows: boolean
  readonly theirs: Quantity
  readonly mine: Quantity
}

/** "unless ten sign up" and "with five"; "over 2 %" and "at 1 %": a case that is told on its side of the line, or the other. */
export function thresholdOutcome(comparison: Comparison): ThresholdOutcome | undefined {
  const { source, claim, alignment } = comparison
  if (comparison.edited || claim.words.length > 40 || source.words.length > 120) return undefined
  const mine = claim.quantities.filter(({ kind, loose }) => MAY_TELL.has(kind) && !loose)
  if (mine.length !== 1) return undefined
  const number = mine[0]!
  for (const { quantity, bound, governs, sign } of thresholdsOf(source)) {
    if (quantity.kind !== number.kind || quantity.unit !== number.unit) continue
    const side = beyond({ value: quantity.value, bound }, number)
    if (side === 0) continue
    const enough = claim.words.findIndex(({ norm }) => ENOUGH.has(norm))
    if (enough >= 0) {
      if ((bound !== '>' && bound !== '>=') || number.from > enough || number.from < enough - 5) continue
      const denied = claim.words.filter(({ tag }) => tag === '-').length % 2 === 1
      return { follows: (side === 1) !== denied, theirs: quantity, mine: number }
    }
    if (governs === undefined) continue
    const clause = claim.clauses.find(({ link }) => link === 'main')
    if (clause === undefined || !isCase(claim, number)) continue
    const stance = claim.scopes.stances[clause.id]!.sign
    const turn = turnOf(comparison, clause, governs)
    if (stance === 0 || turn === 0) continue
    // Denials inside the case are none of what comes about: "unless", "if not".
    if (
      claim.clauses.some(
        ({ link, negators }) => link === 'exception' || (link === 'condition' && negators.length > 0),
      )
    )
      continue
    return { follows: sign * side === stance * turn, theirs: quantity, mine: number }
  }
  return undefined

  /** Whether what comes about in the claim is what the source's rule is about: 1, its contrary: -1, or neither: 0. */
  function turnOf({ source, claim }: Comparison, mine: Clause, governs: Clause): 1 | -1 | 0 {
    const { source: s, likeness } = alignment.links[mine.head]!
    if (s >= 0 && likeness.score >= 0.6) return source.clauseOf[s] === governs.id ? likeness.sign : 0
    if (!COMES_ABOUT.has(claim.words[mine.head]!.lemma) && !COMES_ABOUT.has(claim.words[mine.head]!.norm))
      return 0
    const shared = claim.words.some((word, c) => {
      const { source: at, likeness: like } = alignment.links[c]!
      return at >= 0 && isContent(word) && like.score >= 0.75 && source.clauseOf[at] === governs.id
    })
    return shared ? 1 : 0
  }
}

/** The number is of a case: "with five", "at 1 %", "if there are three". */
function isCase(side: Side, { from }: Quantity): boolean {
  const clause = clauseAt(side, from)
  if (clause !== undefined && GATES.has(clause.link)) return true
  for (let i = from - 1; i >= 0 && i > from - 7; i--) {
    const { norm, tag } = side.words[i]!
    if (/^(?:with|at|for|of|given|on|under|if|when|from)$/.test(norm)) return true
    if (tag === 'V' || tag === 'X' || tag === '.') return false
  }
  return false
}

export function thresholdFindings(comparison: Comparison): Finding[] {
  if (comparison.claim.quantities.length === 0 || comparison.source.quantities.length === 0) return []
  const outcome = thresholdOutcome(comparison)
  if (outcome === undefined || outcome.follows) return []
  const { source, claim } = comparison
  const { theirs, mine } = outcome
  return [
    finding(
      comparison,
      'number_mismatch',
      'hard',
      0.85,
      [theirs.from, theirs.to - 1],
      [mine.from, mine.to - 1],
      `'${said(claim, mine.from, mine.to - 1)}' is on the other side of '${said(source, theirs.from, theirs.to - 1)}'`,
    ),
  ]
}
