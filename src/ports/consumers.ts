import type { ConsumerInfo, DeadLetter, EventFilter, Lag, Start } from '../core/consumer.ts'

/** Which dead letters: one, or all of the consumer. */
export type WhichDeadLetters = 'all' | { readonly collection: string; readonly position: number }

/**
 * The durable consumers of a store: who reads its events, how far, and what failed. Everything that changes a
 * consumer takes it from its present holder, who learns so by LEASE_LOST. @throws CONSUMER_UNKNOWN
 */
export interface Consumers {
  /** Makes the consumer, so that events from now on wait for it. @throws CONSUMER_MISMATCH with another filter */
  open(
    name: string,
    options?: { readonly filter?: EventFilter; readonly start?: Start },
  ): Promise<ConsumerInfo>
  list(): Promise<ConsumerInfo[]>
  info(name: string): Promise<ConsumerInfo>
  /** How far behind it is, in events its filter admits and in the age of the oldest of them. */
  lag(name: string): Promise<Lag>
  /** Starts over from there; what it did not acknowledge is passed over, or comes again. */
  reset(name: string, start: Start, options?: { readonly collection?: string }): Promise<void>
  setFilter(name: string, filter: EventFilter): Promise<void>
  /** Forgets the consumer, its cursors and its dead letters. */
  delete(name: string): Promise<void>
  deadLetters(name: string): Promise<DeadLetter[]>
  /** Delivers dead letters again, before anything else. */
  replay(name: string, which: WhichDeadLetters): Promise<{ readonly replayed: number }>
  discard(name: string, which: WhichDeadLetters): Promise<{ readonly discarded: number }>
  /** Deletes a collection's events before a position. Refused while a consumer has not acknowledged them, unless `force`. */
  pruneEvents(
    collection: string,
    options: { readonly before: number; readonly force?: boolean },
  ): Promise<{ readonly pruned: number }>
}
