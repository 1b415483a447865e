import type { Key } from './key.ts'
import type { Reason } from './model.ts'

export const EVENT_TYPES = [
  'span.added',
  'span.moved',
  'span.updated',
  'span.retired',
  'span.erased',
  'source.revised',
  'source.removed',
  'collection.created',
  'collection.renamed',
  'collection.dropped',
  'summary.registered',
  'summary.stale',
  'summary.current',
  'summary.superseded',
  'session.frozen',
  'session.resumed',
  'epoch.discarded',
  'index.rebuilt',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** What each type carries: keys and names, never text or a hash of it, so erasure rewrites no history. */
export interface EventData {
  'span.added': { source: string; revision: number }
  'span.moved': { source: string; revision: number }
  'span.updated': { source: string; fields: readonly ('metadata' | 'vector')[] }
  /** `session` instead of `source` where a summary was discarded. */
  'span.retired': { source?: string; session?: string; reason: Reason; successors: readonly Key[] }
  /** `session` instead of `source` where the subject is a summary. */
  'span.erased': { source?: string; session?: string }
  'source.revised': { source: string; revision: number; kept: number; added: number; retired: number }
  'source.removed': { source: string; revision: number }
  'collection.created': { name: string; metric: string }
  'collection.renamed': { from: string; to: string }
  'collection.dropped': { name: string }
  'summary.registered': { session: string; epoch: number; replaces?: Key }
  'summary.stale': { session: string; state: 'stale' | 'suspect'; cause: Key }
  'summary.current': { session: string }
  'summary.superseded': { session: string; successor: Key }
  'session.frozen': { session: string; reason: string }
  'session.resumed': { session: string }
  'epoch.discarded': { session: string; epoch: number }
  'index.rebuilt': { embedder: string }
}

/**
 * One event of a collection's log, in a CloudEvents 1.0 envelope (cloudevents.io, core attributes and the
 * `sequence` extension). `position` counts up by one per collection, without gaps.
 */
export type StoreEvent = { [T in EventType]: EventOf<T> }[EventType]

export interface EventOf<T extends EventType> {
  readonly specversion: '1.0'
  /** Collection id and position; unique, the same on every delivery. */
  readonly id: string
  /** `spanstore:///<store>/<collection id>`. */
  readonly source: string
  readonly type: T
  /** The key concerned, where there is one. */
  readonly subject?: Key
  /** RFC 3339. */
  readonly time: string
  /** The position, zero-padded so that it sorts as text. */
  readonly sequence: string
  /** The collection's name when the event is read; its id, which outlives names, is in `source`. */
  readonly collection: string
  readonly position: number
  readonly data: EventData[T]
}
