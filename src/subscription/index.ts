import { SpanStoreError } from '../core/errors.ts'
import type { EventStream } from './delivery.ts'
import { parseOptions, type SubscribeOptions } from './options.ts'
import { Subscription, type SubscriptionHost } from './subscription.ts'

export { type Delivery, type EventStream, isVoid, type NackOptions } from './delivery.ts'
export type { SubscribeOptions } from './options.ts'
export type { SubscriptionHost } from './subscription.ts'

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
   * duration can lose it to another. @throws INVALID_ARGUMENT at once; CONSUMER_LEASED, CONSUMER_MISMATCH,
   * CURSOR_INVALID, CURSOR_EXPIRED, LEASE_LOST, ABORTED, STORE_CLOSED while iterating
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
