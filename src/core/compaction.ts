import { SpanStoreError } from './errors.ts'

export const DECISIONS = ['proceed', 'freeze', 'freeze_and_rollback'] as const

/** Before each compaction: go on, stop, or stop and take the last epoch back (seed 001). */
export type Decision = (typeof DECISIONS)[number]

export const ADVICE = [
  'PROCEED',
  'WIDEN_RETENTION',
  'FREEZE_AND_RECONCILE',
  'DISCARD_EPOCH',
  'ADJUST_RECENCY_WINDOW',
] as const

export type Advice = (typeof ADVICE)[number]

export const REGIMES = ['enforced', 'observed'] as const

/**
 * `enforced`: all summaries and retrievals of the session ran through this store, which keeps the invariant itself.
 * `observed`: some were only told to it.
 */
export type Regime = (typeof REGIMES)[number]

/** Why a key was read. Only the agent's own reads count in the signals. */
export type Purpose = 'agent' | 'gate' | 'reconcile' | 'compact'

/** A session that may not compact. Only `reconcile` ends it; after `freeze_and_rollback`, `discardEpoch` comes first. */
export interface Freeze {
  readonly decision: 'freeze' | 'freeze_and_rollback'
  readonly reason: string
  /** The session's last epoch when it was frozen. */
  readonly epoch: number
  /** Of the event, in the collection. */
  readonly position: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Whether the last epoch was discarded since. */
  readonly discarded: boolean
}

/** Asked and answered, by how a key was found. */
export interface Probes {
  readonly asked: number
  readonly ok: number
}

/** What the monitor read at one cycle. A number that could not be had is left out. */
export interface Reading {
  readonly cycle: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly regime: Regime
  readonly decision: Decision
  readonly advice: Advice
  /** Numbers of the signals that were elevated. */
  readonly elevated: readonly number[]
  readonly overhang?: number
  readonly selfCitedHitRate?: number
  readonly externalCitedHitRate?: number
  readonly duplicateDensity?: number
  readonly inflated?: number
  readonly rehydratedAge?: number
  readonly citedAge?: number
}

export function frozenError(session: string, freeze: Freeze): SpanStoreError {
  const next =
    freeze.decision === 'freeze_and_rollback' && !freeze.discarded
      ? 'call discardEpoch, then reconcile'
      : 'call reconcile'
  return new SpanStoreError(
    'SESSION_FROZEN',
    `session ${JSON.stringify(session)} is frozen since epoch ${freeze.epoch} (${freeze.reason}); ${next}: nothing else ends it`,
    { session, decision: freeze.decision, discarded: freeze.discarded },
  )
}
