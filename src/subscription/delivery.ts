import type { StoreEvent } from '../core/event.ts'
import type { Key } from '../core/key.ts'

export interface NackOptions {
  /** Milliseconds to hold the collection back, instead of the consumer's backoff. */
  readonly delay?: number
  /** What went wrong, kept with the failure. An error's message is taken. */
  readonly error?: unknown
}

/**
 * An event as a subscription delivers it. As data (spread, JSON) it is the event, `attempt` and `redelivered`.
 *
 * Delivery is at least once: an event delivered but not acknowledged when its holder ends or crashes is delivered
 * again, which is not an attempt; only `nack` counts attempts.
 */
export type Delivery = StoreEvent & {
  /** 1, and one more for every failure. */
  readonly attempt: number
  /** It failed before, is replayed, or was delivered by this subscription already. False after a crash: nobody knows. */
  readonly redelivered: boolean
  /** Resumes after this event, in every collection of the subscription. */
  readonly cursor: string
  /**
   * Acknowledges this event alone; resolves when that is durable. In the order of delivery within a collection,
   * else ACK_OUT_OF_ORDER; again is a no-op; LEASE_LOST when another holds the consumer. Calls made without waiting
   * for each other share a commit. Without a consumer it resolves and does nothing.
   */
  ack(): Promise<void>
  /**
   * Gives the event back, in order like `ack`. Its collection is held back until the delay is over and goes on with
   * this event; later deliveries of it are void and come again. After `maxAttempts` the event becomes a dead letter
   * and its collection goes on.
   */
  nack(options?: NackOptions): Promise<void>
  /** Gives the event up, in order like `ack`: it becomes a dead letter at once, and its collection goes on. */
  terminate(options?: Pick<NackOptions, 'error'>): Promise<void>
}

/** Events as they come. Leaving the loop, or `return()`, ends the subscription. */
export interface EventStream extends AsyncIterableIterator<Delivery> {
  /**
   * Resumes after everything that was delivered or that the filter passed over, so that it also moves on where nothing
   * is delivered. Undefined until the log was looked at for the first time, which without a consumer `ready` does.
   */
  readonly cursor: string | undefined
  /**
   * Resolves when reading can begin: the start is understood, the consumer held. Asking for the first event does the
   * same. @throws CONSUMER_LEASED, CONSUMER_MISMATCH, CURSOR_INVALID, CURSOR_EXPIRED, POSITION_UNKNOWN, ABORTED, STORE_CLOSED
   */
  ready(): Promise<void>
}

interface Answers {
  ack(delivered: Delivered): Promise<void>
  nack(delivered: Delivered, options: NackOptions): Promise<void>
  terminate(delivered: Delivered, options: Pick<NackOptions, 'error'>): Promise<void>
}

/** What only the subscription needs to know of a delivery; hidden, so that a delivery is data and four members. */
export class Delivered {
  readonly ref: number
  readonly position: number
  readonly id: string
  readonly attempt: number
  /** A dead letter delivered again: outside the order of its collection. */
  readonly replay: boolean
  state: 'open' | 'acked' | 'nacked' | 'void' = 'open'
  /** What the first `ack` answered, while that holds. */
  acked: Promise<void> | undefined

  constructor(ref: number, event: StoreEvent, attempt: number, replay: boolean) {
    this.ref = ref
    this.position = event.position
    this.id = event.id
    this.attempt = attempt
    this.replay = replay
  }
}

/** Members are copied one by one: `Object.assign` would cost more than reading the event. */
class Handle {
  readonly specversion: StoreEvent['specversion']
  readonly id: string
  readonly source: string
  readonly type: StoreEvent['type']
  declare readonly subject?: Key
  readonly time: string
  readonly sequence: string
  readonly collection: string
  readonly position: number
  readonly data: StoreEvent['data']
  readonly attempt: number
  readonly redelivered: boolean
  readonly #answers: Answers
  readonly #delivered: Delivered
  readonly #cursor: () => string

  constructor(
    event: StoreEvent,
    delivered: Delivered,
    redelivered: boolean,
    cursor: () => string,
    answers: Answers,
  ) {
    this.specversion = event.specversion
    this.id = event.id
    this.source = event.source
    this.type = event.type
    if (event.subject !== undefined) this.subject = event.subject
    this.time = event.time
    this.sequence = event.sequence
    this.collection = event.collection
    this.position = event.position
    this.data = event.data
    this.attempt = delivered.attempt
    this.redelivered = redelivered
    this.#answers = answers
    this.#delivered = delivered
    this.#cursor = cursor
  }

  get cursor(): string {
    return this.#cursor()
  }

  static isVoid(delivery: Delivery): boolean {
    return #delivered in delivery && delivery.#delivered.state === 'void'
  }

  ack(): Promise<void> {
    return this.#answers.ack(this.#delivered)
  }

  nack(options: NackOptions = {}): Promise<void> {
    return this.#answers.nack(this.#delivered, options)
  }

  terminate(options: Pick<NackOptions, 'error'> = {}): Promise<void> {
    return this.#answers.terminate(this.#delivered, options)
  }
}

/** Whether it counts no longer: an earlier event of its collection failed, and this one comes again after it. */
export const isVoid = (delivery: Delivery): boolean => Handle.isVoid(delivery)

export const deliver = (
  event: StoreEvent,
  delivered: Delivered,
  redelivered: boolean,
  cursor: () => string,
  answers: Answers,
): Delivery => new Handle(event, delivered, redelivered, cursor, answers) as Delivery
