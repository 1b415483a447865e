import type { Advice, Decision, Regime } from '../core/compaction.ts'
import { array, invalid } from '../core/given.ts'

/*
 * When compaction must stop (seed 001). `checkCompactionBoundary` is the seed's reference code, case for case. The
 * store's own verdict (`verdictOf`) follows the seed's prose where the two differ, and the regime.
 */

export interface CompactionSignals {
  /** Ids cited in active summaries. */
  readonly summaryCitedIds: Iterable<string>
  /** Ids the retrieval store can surface. */
  readonly storeRecentIds: Iterable<string>
  /** From 0 to 1. */
  readonly selfCitedHitRate: number
  readonly externalCitedHitRate: number
  /** From 0 to 1. */
  readonly duplicateRepresentationDensity: number
  /** Of successive summaries of the same span, oldest first. */
  readonly referencesPerSummary: readonly number[]
}

const SETS = ['summaryCitedIds', 'storeRecentIds'] as const
const RATES = ['selfCitedHitRate', 'externalCitedHitRate', 'duplicateRepresentationDensity'] as const

/** How much lower than that of external ids the hit rate of self-cited ids may be. */
export const ASYMMETRY = 0.05

/** The part of the context that may be a second representation of something. */
export const DENSITY = 0.08

/**
 * The decision of the seed's reference code, and nothing else: pure, without thresholds to turn. A rate that is not
 * a number is not lower than another. @throws INVALID_ARGUMENT
 */
export function checkCompactionBoundary(signals: CompactionSignals): Decision {
  checkSignals(signals)
  const recent = new Set(signals.storeRecentIds)
  let overhang = false
  for (const id of signals.summaryCitedIds) if (!recent.has(id)) overhang = true
  const asymmetry = signals.selfCitedHitRate < signals.externalCitedHitRate - ASYMMETRY
  const references = signals.referencesPerSummary
  const inflated = references.some((count, i) => i > 0 && count > references[i - 1]!)
  const dense = signals.duplicateRepresentationDensity > DENSITY
  if (inflated) return 'freeze_and_rollback'
  if (overhang && asymmetry) return 'freeze'
  if (overhang && dense) return 'freeze'
  return 'proceed'
}

/** A set that is left out, or a rate that is text, would read as nothing amiss. */
function checkSignals(signals: CompactionSignals): void {
  if (typeof signals !== 'object' || signals === null)
    throw invalid(
      'signals',
      signals,
      `give an object with ${[...SETS, ...RATES, 'referencesPerSummary'].join(', ')}`,
    )
  for (const name of SETS)
    if (typeof signals[name] !== 'object' || typeof signals[name]?.[Symbol.iterator] !== 'function')
      throw invalid(`signals.${name}`, signals[name], 'give a set or a list of ids')
  for (const name of RATES)
    if (typeof signals[name] !== 'number')
      throw invalid(`signals.${name}`, signals[name], 'give a number from 0 to 1')
  for (const [i, count] of array('signals.referencesPerSummary', signals.referencesPerSummary).entries())
    if (typeof count !== 'number')
      throw invalid(`signals.referencesPerSummary[${i}]`, count, 'give a number of references')
}

/** Which signals are elevated, by their numbers in the seed. */
export type Elevated = ReadonlySet<1 | 2 | 3 | 4 | 5>

export interface Verdict {
  readonly decision: Decision
  readonly advice: Advice
}

/**
 * The store's own verdict. `observed`: the seed's, in its prose: a citation-layer signal (1, 2) together with a
 * representation-layer signal (3), or 1 with 2, freezes; 4 rolls back. `enforced`: the store keeps the invariant, so
 * that rates and ages are noise; a citation that does not resolve is no lag, and freezes alone.
 */
export function verdictOf(regime: Regime, elevated: Elevated): Verdict {
  if (elevated.has(4)) return { decision: 'freeze_and_rollback', advice: 'DISCARD_EPOCH' }
  const freezes =
    regime === 'enforced'
      ? elevated.has(1)
      : (elevated.has(1) && elevated.has(2)) || ((elevated.has(1) || elevated.has(2)) && elevated.has(3))
  if (freezes) return { decision: 'freeze', advice: 'FREEZE_AND_RECONCILE' }
  if (elevated.has(1)) return { decision: 'proceed', advice: 'WIDEN_RETENTION' }
  if (elevated.has(5) && elevated.size === 1) return { decision: 'proceed', advice: 'ADJUST_RECENCY_WINDOW' }
  return { decision: 'proceed', advice: 'PROCEED' }
}

/** A part of an agent's context. */
export interface Represented {
  /** Its own key, where it has one. */
  readonly key?: string
  /** What it stands for: of a summary, the keys it covers. */
  readonly stands: readonly string[]
  readonly tokens: number
}

/**
 * Tokens that stand for something another part stands for as well. A part whose own key another part stands for (an
 * original beside its summary) counts whole; of a summary, the share of what it stands for.
 */
export function duplicateTokens(parts: readonly Represented[]): number {
  const represented = new Map<string, number>()
  const names = parts.map(({ key, stands }) => new Set(key === undefined ? stands : [key, ...stands]))
  for (const own of names) for (const name of own) represented.set(name, (represented.get(name) ?? 0) + 1)
  const twice = (name: string) => represented.get(name)! > 1
  let tokens = 0
  for (const part of parts) {
    if (part.key !== undefined && twice(part.key)) tokens += part.tokens
    else if (part.stands.length > 0)
      tokens += (part.tokens * part.stands.filter(twice).length) / part.stands.length
  }
  return tokens
}

/** How often each value occurs. */
export type Histogram = ReadonlyMap<number, number>

export const sizeOf = (counts: Histogram): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)

/** Undefined where there is nothing. */
export function medianOf(counts: Histogram): number | undefined {
  const values = [...counts].sort(([a], [b]) => a - b)
  let left = sizeOf(counts) / 2
  for (const [i, [value, count]] of values.entries()) {
    left -= count
    if (left < 0) return value
    if (left === 0) return (value + (values[i + 1]?.[0] ?? value)) / 2
  }
  return undefined
}

/** So many standard errors: a session that is looked at a few hundred times must not be called skewed by chance. */
const CERTAINTY = 3.5

/**
 * Whether the later values lie above the median of the earlier ones more often than chance would have it (a sign
 * test). Medians alone say little: what an agent reads is often half new and half old.
 */
export function liesHigher(later: Histogram, earlier: Histogram): boolean {
  const middle = medianOf(earlier)
  if (middle === undefined) return false
  const size = sizeOf(later)
  let above = 0
  for (const [value, count] of later) above += value > middle ? count : value === middle ? count / 2 : 0
  const error = Math.sqrt(0.25 * (1 / size + 1 / sizeOf(earlier)))
  return above / size - 0.5 >= CERTAINTY * error
}
