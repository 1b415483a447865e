import type { Decision, Freeze, Probes, Purpose, Reading } from '../core/compaction.ts'
import type { Key } from '../core/key.ts'
import type { FetchResult, FetchStatus, Summary, WriteResult } from '../core/model.ts'
import type { WriteOptions } from './planned.ts'

export interface RegisterCommand {
  readonly text: string
  readonly claims: readonly ClaimRecord[]
  readonly dependsOn: readonly { readonly key: Key; readonly printed: boolean }[]
  readonly covers: readonly Key[]
  readonly replaces: readonly Key[]
  /** Position by collection id: what the summarizer had read. */
  readonly basedOn: ReadonlyMap<string, number> | undefined
  /** Text with its anchors blanked: equal for summaries that say the same about other keys. */
  readonly skeleton: string
  /** How complete the summarizer called it, from 0 to 1. */
  readonly completeness: number | undefined
}

export interface ClaimRecord {
  readonly text: string
  /** Whether a key can be derived for it from the summary's text alone. */
  readonly derivable: boolean
  /** Registered although it was found unfaithful. */
  readonly unverified: boolean
}

export interface Registered extends WriteResult {
  readonly epoch: number
  readonly keys: readonly Key[]
}

/** Keys that were read the same way and answered the same. */
export interface Rehydrations {
  readonly status: FetchStatus
  /** Whether there was text to stand on, at the key or at its `identical`. */
  readonly hit: boolean
  readonly cited: 'self' | 'external'
  readonly purpose: Purpose
  /** Found by a search, not by a key the session had. */
  readonly queried: boolean
  /** Each once. */
  readonly keys: readonly string[]
  /** How often each was read. */
  readonly times: readonly number[]
}

/** What an agent read elsewhere and told the store. */
export interface Report {
  readonly key: string
  readonly hit: boolean
  readonly cited: 'self' | 'external'
}

/** An agent's context at one time. Texts stay outside. */
export interface Snapshot {
  readonly tokens: number
  /** Tokens for what another part of the context stands for as well. */
  readonly duplicate: number
  /** Parts that are no text of this store, and those among them that cite no key. */
  readonly foreign: number
  readonly uncited: number
  /** What foreign parts cite. */
  readonly cites: readonly Key[]
}

/** A batch of what one session observed. */
export interface Observed {
  readonly rehydrations: readonly Rehydrations[]
  readonly reports: readonly Report[]
  readonly citations: readonly string[]
  readonly snapshots: readonly Snapshot[]
  /** How far an index beside the store has read this collection's log. */
  readonly through?: number
}

/** Where a session stands: a write that was decided on an older one is refused. */
export interface SessionMark {
  /** 0 before the first. */
  readonly epoch: number
  /** Counts freezes, discarded epochs and reconcile passes. */
  readonly interventions: number
}

/** What the monitor decides on, of the cycles since the last reconcile pass and within a window. */
export interface SignalRows {
  readonly mark: SessionMark
  readonly freeze?: Freeze
  /** The epoch of the last reconcile pass or discarded epoch; 0 without one. */
  readonly checkpoint: number
  /** Keys that live summaries cite and that do not resolve. */
  readonly unresolvable: readonly Key[]
  /** So, of foreign parts of the context. */
  readonly unresolvableForeign: readonly Key[]
  /** Keys cited in live summaries that an index beside the store cannot know yet, or did not find. */
  readonly behind: readonly Key[]
  readonly self: Probes
  readonly external: Probes
  /** Reads told to the store; misses among them of keys that were live. */
  readonly reported: number
  readonly lagging: number
  /** Whether an index beside the store was ever named. */
  readonly beside: boolean
  readonly snapshot?: Snapshot
  /** Summaries that took the place of others over the same spans; those that cite more than what they replaced. */
  readonly recompacted: number
  readonly inflated: readonly { readonly key: Key; readonly before: number; readonly after: number }[]
  /** How many reads of spans, and how many citations, by age in cycles; the reads of the window before, too. */
  readonly rehydratedAges: ReadonlyMap<number, number>
  readonly rehydratedBefore: ReadonlyMap<number, number>
  readonly citedAges: ReadonlyMap<number, number>
  /** Readings of this window and the one before, oldest first. */
  readonly earlier: readonly Reading[]
  /** Live summaries that are not current. */
  readonly due: readonly Summary[]
}

export interface SessionKnobs {
  /** Milliseconds for which `prune` leaves the texts of retired spans that live summaries of the session stand on. */
  readonly retention?: number
  /** How many cycles old a span may be that the session's `search` returns. */
  readonly recencyWindow?: number
}

export interface EpochDiscarded extends WriteResult {
  /** 0: there was none to discard. */
  readonly epoch: number
  readonly discarded: readonly Key[]
  /** What the epoch had replaced, back under new keys. */
  readonly restored: readonly { readonly from: Key; readonly to: Key }[]
  /** What could not come back, and the dependencies it lacks; none where its text was erased. */
  readonly lost: readonly { readonly key: Key; readonly missing: readonly Key[] }[]
}

/** A live summary of the session, as `reconcile` finds it. */
export interface Reconcilable {
  readonly summary: Summary
  readonly standings: readonly {
    readonly key: Key
    readonly printed: boolean
    readonly result: FetchResult
    readonly satisfied: boolean
    /** What stands for it now: itself, its `identical`, or the live ends of its successors. */
    readonly live: readonly FetchResult[]
  }[]
  /** The live spans that stand for those it covers. */
  readonly covers: readonly Key[]
}

export interface Reconciliation {
  readonly mark: SessionMark
  readonly freeze?: Freeze
  /** Position by collection id. */
  readonly basedOn: ReadonlyMap<string, number>
  /** Equal for as long as the session's live summaries and what they lack are the same. */
  readonly fingerprint: string
  /** Those that are not current, oldest first. */
  readonly summaries: readonly Reconcilable[]
  /** What all current summaries cite. */
  readonly cited: readonly Key[]
  /** Keys the agent cited in its own words since the last pass that do not resolve. */
  readonly citations: readonly FetchResult[]
}

export interface ReconcileCommand {
  readonly mark: SessionMark
  readonly basedOn: ReadonlyMap<string, number>
  readonly fingerprint: string
  /** In the order in which they are written; a later one may cite the old key of an earlier one. */
  readonly rewrites: readonly { readonly key: Key; readonly summary: RegisterCommand }[]
  readonly withdrawn: readonly Key[]
}

export interface Reconciled extends Registered {
  readonly resumed: boolean
}

/**
 * What a ledger keeps of a session beside its summaries: observations, the monitor's readings, freezes. A freeze is
 * ended by `reconcile` alone, and by that only where every live summary of the session is current afterwards.
 */
export interface SessionRecords {
  /** One transaction. */
  observe(collection: number, session: string, observed: Observed): Promise<void>
  /** Those of the keys that were ever read with success, whatever for. */
  rehydrated(collection: number, session: string, keys: readonly Key[]): Promise<ReadonlySet<Key>>
  /** Those of the keys that the agent ever cited in its own words. */
  cited(collection: number, session: string, keys: readonly Key[]): Promise<ReadonlySet<Key>>
  /** Every read of the session, by how its key was found. */
  probes(
    collection: number,
    session: string,
  ): Promise<{ readonly anchored: Probes; readonly queried: Probes }>
  freeze(collection: number, session: string): Promise<Freeze | undefined>
  /** `window`: over how many cycles. */
  signals(collection: number, session: string, window: number): Promise<SignalRows>
  /**
   * Keeps a reading, and freezes the session where `freeze` says so. `undefined`: the session moved since the mark;
   * read again.
   */
  judge(
    collection: number,
    session: string,
    mark: SessionMark,
    reading: Reading,
    freeze: { readonly decision: Exclude<Decision, 'proceed'>; readonly reason: string } | undefined,
  ): Promise<{ readonly freeze?: Freeze } | undefined>
  /** Oldest first, the last `limit` of them. */
  readings(collection: number, session: string, limit: number): Promise<readonly Reading[]>
  knobs(collection: number, session: string): Promise<SessionKnobs>
  /** Undefined leaves a knob as it is; `null` unsets it. */
  turn(
    collection: number,
    session: string,
    knobs: { readonly retention?: number | null; readonly recencyWindow?: number | null },
  ): Promise<void>
  /** The position at which the cycle began that lies so many back. 0: before the first. */
  since(collection: number, session: string, cycles: number): Promise<number>
  discardEpoch(collection: number, session: string, options: WriteOptions): Promise<EpochDiscarded>
  reconciliation(collection: number, session: string): Promise<Reconciliation>
  /** All or nothing. @throws INPUTS_MOVED, SESSION_FROZEN (no epoch discarded yet), DEPENDENCY_UNSATISFIED, CYCLE */
  reconcile(collection: number, session: string, command: ReconcileCommand): Promise<Reconciled>
}
