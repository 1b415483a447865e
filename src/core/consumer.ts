import { SpanStoreError } from './errors.ts'
import { EVENT_TYPES, type EventType, type StoreEvent } from './event.ts'
import { identifier, invalid, object } from './given.ts'
import { type Key, parseKey } from './key.ts'

/**
 * Which events a consumer reads; what is left out admits everything. All given parts must fit.
 *
 * - `collections`: names or ids. A collection goes by every name it has or ever had, so a rename loses no event.
 * - `sources`: events that name one of these sources (not events of summaries, sessions or the collection).
 * - `keys`: events whose subject is one of these keys.
 */
export interface EventFilter {
  readonly types?: readonly EventType[]
  readonly collections?: readonly string[]
  readonly sources?: readonly string[]
  readonly keys?: readonly string[]
}

/**
 * Where reading begins: `'now'` after the last event, `'start'` at the oldest event kept, a position (of the one
 * collection the filter names) after which to read, or a cursor. A collection that appears later, or that a
 * cursor does not name, is read from its first event whatever the start was.
 */
export type Start = 'now' | 'start' | number | (string & {})

/** Sorted, without repetitions and in one order of members, so that equal filters have equal JSON. @throws INVALID_ARGUMENT */
export function parseEventFilter(filter: EventFilter): EventFilter {
  object('filter', filter, ['types', 'collections', 'sources', 'keys'])
  const list = <T extends string>(name: keyof EventFilter, read: (value: unknown, path: string) => T) => {
    const values: unknown = filter[name]
    if (values === undefined) return {}
    if (!Array.isArray(values) || values.length === 0)
      throw invalid(name, values, 'give a list of at least one, or leave it out to admit all')
    return { [name]: [...new Set(values.map((value, i) => read(value, `${name}[${i}]`)))].sort() }
  }
  return {
    ...list('types', (value, path) => {
      if (EVENT_TYPES.includes(value as EventType)) return value as EventType
      throw invalid(path, value, `the types of events are ${EVENT_TYPES.join(', ')}`)
    }),
    ...list('collections', (value, path) => identifier(path, value)),
    ...list('sources', (value, path) => identifier(path, value)),
    ...list('keys', parseKey),
  }
}

/** What is given of a filter among other options. */
export const filterIn = ({ types, collections, sources, keys }: EventFilter): EventFilter => ({
  ...(types === undefined ? {} : { types }),
  ...(collections === undefined ? {} : { collections }),
  ...(sources === undefined ? {} : { sources }),
  ...(keys === undefined ? {} : { keys }),
})

/** @throws INVALID_ARGUMENT, ILL_FORMED_TEXT */
export const parseConsumerName = (name: unknown): string => identifier('consumer', name)

export interface ConsumerInfo {
  readonly name: string
  readonly filter: EventFilter
  readonly start: Start
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Everything up to here is acknowledged, skipped by the filter, or a dead letter. */
  readonly cursor: string
  /** Until when somebody holds it, if somebody does. */
  readonly leasedUntil?: number
  readonly deadLetters: number
}

/** What a consumer has not acknowledged. Counts only events its filter admits; dead letters are not among them. */
export interface Lag {
  readonly events: number
  /** Milliseconds since the oldest unacknowledged event was written; 0 when there is none. */
  readonly age: number
  readonly collections: readonly CollectionLag[]
}

export interface CollectionLag {
  readonly collection: string
  readonly position: number
  /** The collection's last position. */
  readonly head: number
  readonly events: number
  readonly age: number
  /** The next event failed this often and is held back until `due`. */
  readonly failing?: { readonly attempts: number; readonly due: number; readonly error?: string }
  /** Events after the cursor were pruned: reading answers CURSOR_EXPIRED until the consumer is reset. */
  readonly expired: boolean
}

const FIRST_DELAY = 1000
const LONGEST_DELAY = 5 * 60 * 1000

/** Milliseconds for which a collection is held back after its event failed for the nth time, unless the caller says. */
export const heldBackFor = (failures: number): number =>
  Math.min(FIRST_DELAY * 2 ** (failures - 1), LONGEST_DELAY)

/** What went wrong, as a text that is kept with the failure. */
export function failureText(error: unknown): string | undefined {
  if (error === undefined) return undefined
  return error instanceof Error ? error.message : String(error)
}

/** To `nack` and `terminate` without a consumer. */
export const notAConsumer = () =>
  new SpanStoreError(
    'INVALID_ARGUMENT',
    'nack, terminate: only a consumer can give an event back; subscribe with a consumer name',
    { path: 'consumer' },
  )

/** An event that failed as often as its consumer allows. It stays until it is replayed and acknowledged, or discarded. */
export interface DeadLetter {
  readonly collection: string
  readonly position: number
  readonly attempts: number
  readonly error?: string
  /** When it failed last, in milliseconds since the epoch. */
  readonly at: number
  /** It waits to be delivered again. */
  readonly replaying: boolean
  /** Missing when the event was pruned; it cannot be replayed then. */
  readonly event?: StoreEvent
}

// ── what a subscription asks of a ledger ────────────────────────────────────────────────────────────────────

export interface CollectionHead {
  readonly ref: number
  readonly id: Key
  readonly name: string
  readonly position: number
}

export interface EventBatch {
  readonly events: readonly StoreEvent[]
  /** Up to here the log holds nothing else that the filter admits. */
  readonly through: number
}

/** A lease held. `fence` counts the leases of a consumer: an older one can change nothing. */
export interface Lease {
  readonly consumer: number
  readonly name: string
  readonly holder: string
  readonly fence: number
  readonly duration: number
}

/** How a consumer is to be held. */
export interface Acquiring {
  readonly filter: EventFilter
  /** Counts only where the consumer is made. */
  readonly start: Start
  readonly holder: string
  /** Milliseconds. */
  readonly duration: number
}

export interface ConsumerCursor {
  readonly position: number
  /** Failed deliveries of the event at `position + 1`, held back until `due`. */
  readonly attempts: number
  readonly due: number
}

export interface Replay {
  readonly ref: number
  readonly position: number
  readonly attempts: number
}

export interface Failure {
  readonly ref: number
  readonly position: number
  readonly attempts: number
  readonly error: string | undefined
  /** When to deliver again; `undefined`: never, it becomes a dead letter. */
  readonly due: number | undefined
}

/** What one transaction changes of a consumer. Positions by collection. */
export interface Settlement {
  readonly advance: ReadonlyMap<number, number>
  readonly failures: readonly Failure[]
  readonly replayed: readonly { readonly ref: number; readonly position: number }[]
}

export interface EventLog {
  /** Where each admitted collection begins. @throws CURSOR_INVALID, CURSOR_EXPIRED, POSITION_UNKNOWN */
  begin(filter: EventFilter, start: Start): Promise<ReadonlyMap<number, number>>
  /** Each collection that is named is there, or was once. @throws COLLECTION_UNKNOWN */
  requireCollections(filter: EventFilter): Promise<void>
  /** The admitted collections, and the dead letters to be delivered again. @throws LEASE_LOST */
  look(
    filter: EventFilter,
    lease?: Lease,
  ): Promise<{ readonly heads: readonly CollectionHead[]; readonly replays: readonly Replay[] }>
  /** Admitted events after a position, in order. May answer none although `through` is not the end yet. @throws CURSOR_EXPIRED */
  read(ref: number, after: number, limit: number, filter: EventFilter): Promise<EventBatch>
  /** Creates or opens a consumer and takes its lease. @throws CONSUMER_LEASED, CONSUMER_MISMATCH */
  acquire(
    name: string,
    options: Acquiring,
  ): Promise<{ readonly lease: Lease; readonly cursors: ReadonlyMap<number, ConsumerCursor> }>
  /** Applies a settlement and renews the lease. @throws LEASE_LOST */
  settle(lease: Lease, settlement: Settlement): Promise<void>
  /** Applies positions and lets the lease go. Does nothing when it was lost already. */
  release(lease: Lease, advance: ReadonlyMap<number, number>): Promise<void>
}

/** Rings after commits of this process and of others; a hint only, it may ring for nothing. */
export interface Bell {
  /** @returns a function that stops listening. */
  follow(listener: () => void): () => void
}
