import { invalid } from './given.ts'
import type { Metadata } from './json.ts'
import type { Key } from './key.ts'

export type SpanReason = 'edited' | 'rechunked' | 'deleted' | 'evicted' | 'expired'
export type SummaryReason = 'superseded' | 'discarded'
export type Reason = SpanReason | SummaryReason
export type Metric = 'cosine' | 'l2' | 'ip'

/** Immutable text with a key. Its place, its metadata and its vector may change; its text may not. */
export interface Span {
  readonly key: Key
  readonly collection: string
  /** The caller's id of the document, conversation or record it belongs to. */
  readonly source: string
  /** Empty for a record without text; ask `fetch` for its status before standing on it. */
  readonly text: string
  readonly metadata: Metadata
  /** Position of the commit that added it, in its collection. */
  readonly position: number
  /** Milliseconds since the epoch at which it becomes a tombstone, where one is set. */
  readonly expiresAt?: number
}

export type SummaryState = 'current' | 'suspect' | 'stale'

/** A dependency that is not satisfied. `via` is the tombstone's `identical`, where that is itself not current. */
export interface Cause {
  readonly key: Key
  readonly status: 'tombstone' | 'stale'
  readonly reason?: Reason
  readonly successors?: readonly Key[]
}

export interface Claim {
  readonly text: string
  /** Anchors printed in the claim's own text. */
  readonly anchors: readonly Key[]
  /** Whether a key can be derived for it from the summary's text alone. */
  readonly derivable: boolean
  /** It was registered although it was found unfaithful; the gate refuses it. */
  readonly unverified: boolean
}

/** Text that depends on spans or on other summaries. */
export interface Summary {
  readonly key: Key
  readonly collection: string
  readonly session: string
  readonly epoch: number
  readonly text: string
  readonly claims: readonly Claim[]
  readonly dependsOn: readonly Key[]
  readonly covers: readonly Key[]
  readonly position: number
  readonly state: SummaryState
  /** Empty if and only if `state` is `current`. */
  readonly causes: readonly Cause[]
}

/** What remains of a retired key. It never carries text. */
export interface Tombstone {
  readonly collection: string
  readonly source?: string
  readonly session?: string
  readonly reason: Reason
  /** Position of the commit that retired it, in its collection. */
  readonly position: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The spans that cover the text it covered, or the summary that replaced it. */
  readonly successors: readonly Key[]
  /** The live key that brought the same text back, where there is exactly one. */
  readonly identical?: Key
  /** When the text was physically erased. */
  readonly erasedAt?: number
  /** When the text was dropped by `prune`. */
  readonly prunedAt?: number
}

/** The four results. Nothing can be mistaken for another: `match` does not compile when a case is missing. */
export type FetchResult =
  | { readonly status: 'ok'; readonly key: Key; readonly kind: 'span'; readonly span: Span }
  | { readonly status: 'ok'; readonly key: Key; readonly kind: 'summary'; readonly span: Summary }
  | {
      readonly status: 'empty'
      readonly key: Key
      readonly kind: 'span'
      readonly detail: 'blank' | 'no-text'
      readonly span: Span
    }
  | {
      readonly status: 'tombstone'
      readonly key: Key
      readonly kind: 'span' | 'summary'
      readonly tombstone: Tombstone
    }
  | { readonly status: 'absent'; readonly key: Key }

export type FetchStatus = FetchResult['status']

type Case<S extends FetchStatus> = Extract<FetchResult, { status: S }>

/** Calls the case that fits. Every case must be given: forgetting one is a compile error. */
export function match<R>(
  result: FetchResult,
  cases: {
    ok: (result: Case<'ok'>) => R
    empty: (result: Case<'empty'>) => R
    tombstone: (result: Case<'tombstone'>) => R
    absent: (result: Case<'absent'>) => R
  },
): R {
  switch (result?.status) {
    case 'ok':
      return cases.ok(result)
    case 'empty':
      return cases.empty(result)
    case 'tombstone':
      return cases.tombstone(result)
    case 'absent':
      return cases.absent(result)
  }
  throw invalid('result', result, 'give what fetch answered')
}

/** Where a span lies in a revision of its source: UTF-16 offsets, `text.slice(start, end)` is the span's text. */
export interface Place {
  readonly key: Key
  readonly ordinal: number
  readonly start: number
  readonly end: number
  /** A retired span keeps its place until the next revision. */
  readonly status: 'ok' | 'empty' | 'tombstone'
}

export interface SourceInfo {
  readonly source: string
  readonly collection: string
  readonly revision: number
  readonly position: number
  readonly at: number
  /** Live spans. */
  readonly live: number
  readonly chunker?: string
  readonly metadata: Metadata
  readonly expiresAt?: number
}

/** A whole source has the same four results as a key: live with spans, live with none, removed, never seen. */
export type SourceResult =
  | { readonly status: 'ok' | 'empty'; readonly source: string; readonly info: SourceInfo }
  | { readonly status: 'tombstone'; readonly source: string; readonly info: SourceInfo }
  | { readonly status: 'absent'; readonly source: string }

export interface Revision {
  readonly revision: number
  readonly position: number
  readonly at: number
  readonly removed: boolean
  readonly chunker?: string
  readonly spans: number
}

/** A revision read back. Pieces whose text was erased or pruned are gaps: absent from `text`, listed in `gaps`. */
export interface RevisionText {
  readonly source: string
  readonly revision: number
  readonly position: number
  readonly text: string
  readonly places: readonly Place[]
  /** `at` is the offset in `text` where `length` UTF-16 units are missing. */
  readonly gaps: readonly {
    readonly key?: Key
    readonly at: number
    readonly length: number
    readonly why: 'erased' | 'pruned'
  }[]
}

export interface RevisionDiff {
  readonly source: string
  readonly from: number
  readonly to: number
  readonly kept: readonly Key[]
  readonly moved: readonly Key[]
  readonly added: readonly Key[]
  readonly removed: readonly { readonly key: Key; readonly successors: readonly Key[] }[]
}

export interface Lineage {
  readonly key: Key
  readonly nodes: readonly LineageNode[]
  readonly edges: readonly { readonly from: Key; readonly to: Key; readonly kind: 'successor' | 'restored' }[]
}

export interface LineageNode {
  readonly key: Key
  readonly status: 'ok' | 'empty' | 'tombstone'
  readonly position: number
  readonly reason?: Reason
  readonly retiredAt?: number
  readonly identical?: Key
}

/** Everything that stands on a key, at any depth, nearest first. */
export interface Dependent {
  readonly key: Key
  readonly collection: string
  readonly session: string
  readonly depth: number
  /** The key it depends on directly, one step nearer to the key asked for. */
  readonly on: readonly Key[]
  readonly status: 'ok' | 'tombstone'
  readonly state: SummaryState | 'superseded' | 'discarded'
  readonly causes: readonly Key[]
}

export type PutOutcome = 'created' | 'revised' | 'unchanged'

export interface PutResult {
  readonly source: string
  readonly revision: number
  /** Where the collection stands after the commit, its consequences for summaries included. */
  readonly position: number
  readonly outcome: PutOutcome
  readonly kept: number
  readonly added: readonly Key[]
  readonly retired: readonly Key[]
  /** Summaries that turned from current to not current because of this write. */
  readonly stale: readonly Key[]
}

export interface WriteResult {
  readonly position: number
  readonly stale: readonly Key[]
}
