import { SpanStoreError } from '../core/errors.ts'
import type { EventStream } from './delivery.ts'
import { parseOptions, type SubscribeOptions } from './options.ts'
import { type Rest, Subscription, type SubscriptionHost } from './subscription.ts'

export { type Delivery, type EventStream, isVoid, type NackOptions } from './delivery.ts'
export type { SubscribeOptions } from './options.ts'
export type { SubscriptionHost } from './subscription.ts'

/** For who reads on behalf of somebody that asks now and then: why a subscription delivers nothing, when it cannot. */
export const restOf = (events: EventStream): Rest | undefined => (events as Subscription).rest

/** For who may not wait for a bell: has a subscription look at the log now. */
export const lookAgain = (events: EventStream): void => (events as Subscription).lookAgain()

/** The subscriptions of one open store. */
export class Subscriptions {
  readonly #host: SubscriptionHost
  readonly #active = new Set<Subscription>()

  constructor(host: SubscriptionHost) {
    this.#host = host
  }

  /**
   * Reads events as they come, each collection in order. A consumer is created and leased when the first event is
   * asked for; leaving the loop, `return()`, or the signal lets the lease go at once.
   *
   * A lease is renewed by reading, by answers, and while `next()` waits; a holder that does none of these for its
   * duration can lose it to another. @throws INVALID_ARGUMENT at once; COLLECTION_UNKNOWN (where nobody follows and no
   * consumer reads: the log of a name misspelled would look empty), CONSUMER_LEASED, CONSUMER_MISMATCH, CURSOR_INVALID,
   * CURSOR_EXPIRED, LEASE_LOST, ABORTED, STORE_CLOSED while iterating
   */
  subscribe(options: SubscribeOptions = {}): EventStream {
    const subscription = new Subscription(this.#host, parseOptions(options), (ended) =>
      this.#active.delete(ended),
    )
    this.#active.add(subscription)
    return subscription
  }

  /** Ends them all with STORE_CLOSED and lets their leases go. Call before the ledger is closed. */
  async close(): Promise<void> {
    const closed = new SpanStoreError(
      'STORE_CLOSED',
      'the store was closed while a subscription was open',
      {},
    )
    await Promise.all([...this.#active].map((subscription) => subscription.end(closed)))
  }
}
