import type { Metadata } from './json.ts'
import type { Key } from './key.ts'
import type { Reason } from './model.ts'

/*
 * A record, as clients of vector databases know it: a source whose id the caller chose, with one span (its text, or
 * none), metadata, and a vector that came with it. A source of several spans shows its first.
 */

/** A record as it is now. */
export interface LiveRecord {
  readonly source: string
  /** The ledger's integer id of its span. */
  readonly id: number
  readonly key: Key
  readonly text: string | undefined
  /** Canonical JSON; undefined when there is none. */
  readonly metadata: string | undefined
  /** Undefined where it has none, or was not asked for. */
  readonly vector: Float32Array | undefined
  /** Where it stands in the order of its collection: rises with the time at which its source came, or came back. */
  readonly came: number
}

/** What an id stands for. `tombstone`: there was a record; `key` was its last span's. */
export type RecordResult =
  | { readonly status: 'ok'; readonly record: LiveRecord }
  | {
      readonly status: 'tombstone'
      readonly source: string
      readonly key: Key
      readonly reason: Reason
      /** Milliseconds since the epoch. */
      readonly at: number
      /** Of the commit that retired it. */
      readonly position: number
    }
  | { readonly status: 'absent'; readonly source: string }

/**
 * One change. `create` leaves a record alone that is there, `change` one that is not; `put` does either; `remove`
 * takes it away. What is undefined keeps its value; a vector stays with its record when the text alone changes.
 */
export interface RecordChange {
  readonly source: string
  readonly verb: 'create' | 'change' | 'put' | 'remove'
  /** `text` undefined inside: a record without text. */
  readonly text?: { readonly text: string | undefined; readonly hash: string | undefined }
  readonly vector?: Float32Array
  /** Canonical JSON from canonical JSON; called inside the commit. */
  readonly metadata?: (before: string | undefined) => string | undefined
}

export interface RecordOutcome {
  readonly source: string
  /** `exists`: a `create` of what is there. `tombstone` and `absent`: a `change` or `remove` of what is not. */
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'removed' | 'exists' | 'tombstone' | 'absent'
  /** Its live key, or the one it had. */
  readonly key?: Key
}

/** What a filter cannot say, such as a condition on the text. Judged on live spans. */
export type Admits = (record: {
  readonly source: string
  readonly text: string | undefined
  readonly metadata: Metadata
}) => boolean
