import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeCursor } from '../core/cursor.ts'
import { SpanStoreError } from '../core/errors.ts'
import type { Consumers, Delivery, EventStream } from '../index.ts'
import { isVoid, lookAgain, restOf } from '../subscription/index.ts'
import { Problem, STATUS } from '../wire/problem.ts'

/** What `next` answers: deliveries in order, and what to send with the following call. */
export interface Batch {
  readonly holder: string
  /** Of this holding. Another than before: the server forgot the former, and what had no answer comes again. */
  readonly lease: string
  /** Counts the batches of this lease. */
  readonly batch: number
  readonly events: readonly Delivery[]
  /** With `follow: false`: everything there was has been delivered. */
  readonly ended?: true
}

export interface NextOptions {
  /** The last batch that arrived, and of which lease. What was delivered after it and has no answer comes again first. */
  readonly after?: number
  readonly lease?: string
  /** At most so many events. */
  readonly batch: number
  /** How long to wait for the first event, in milliseconds. */
  readonly wait: number
  /** False: say so when there is nothing more. */
  readonly follow: boolean
}

/** Deliveries without an answer that one holder may have; then nothing more comes until it answers. */
const MOST_UNANSWERED = 2000

/** The batch of what was not sent yet. */
const NEVER = Number.POSITIVE_INFINITY

const PENDING = Symbol('pending')
const NOT_YET = Promise.resolve(PENDING)

/**
 * One client that holds a consumer: a subscription that lives from one of its requests to the next. It is kept while
 * the client is heard of, and let go when it was silent for as long as its lease.
 */
export class Holder {
  readonly lease = randomUUID()
  released = false
  readonly #consumers: Consumers
  readonly #name: string
  readonly #holder: string
  readonly #events: EventStream
  readonly #silence: number
  readonly #over: () => void
  /** In the order of delivery. */
  readonly #unanswered = new Map<string, { readonly delivery: Delivery; readonly batch: number }>()
  #batch = 0
  #pending: Promise<IteratorResult<Delivery, undefined>> | undefined
  #asking: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #requests = 0
  #onAnswer: (() => void) | undefined

  /** `silence`: after how many milliseconds without a request it is let go. `over`: it is no longer to be used. */
  constructor(
    consumers: Consumers,
    consumer: { readonly name: string; readonly holder: string },
    events: EventStream,
    silence: number,
    over: () => void,
  ) {
    this.#consumers = consumers
    this.#name = consumer.name
    this.#holder = consumer.holder
    this.#events = events
    this.#silence = silence
    this.#over = over
  }

  /** @throws what the subscription throws; it is over then */
  async next(options: NextOptions, signals: readonly AbortSignal[]): Promise<Batch> {
    // Whoever asks again has given up the former call, or lost its connection.
    this.#asking?.abort()
    const asking = new AbortController()
    this.#asking = asking
    const abort = () => asking.abort()
    for (const signal of signals) {
      signal.addEventListener('abort', abort)
      if (signal.aborted) abort()
    }
    try {
      return await this.#heard(() => this.#next(options, asking.signal))
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', abort)
    }
  }

  async #next(options: NextOptions, signal: AbortSignal): Promise<Batch> {
    const arrived = options.lease === this.lease ? (options.after ?? 0) : 0
    const again = [...this.#unanswered.values()].filter(({ batch }) => batch > arrived)
    if (again.length > 0) {
      // What this batch does not hold is still to come.
      for (const { delivery } of again.slice(options.batch)) this.#sent(delivery, NEVER)
      return this.#answer(again.slice(0, options.batch).map(({ delivery }) => delivery))
    }
    try {
      await this.#events.ready()
      lookAgain(this.#events)
      const { events, ended } = await this.#take(options, signal)
      return this.#answer(events, ended)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async #take(options: NextOptions, signal: AbortSignal) {
    const events: Delivery[] = []
    const until = Date.now() + options.wait
    while (events.length < options.batch) {
      if (this.#unanswered.size >= MOST_UNANSWERED) {
        if (events.length > 0 || !(await settles(this.#someAnswer(), until - Date.now(), signal))) break
        continue
      }
      this.#pending ??= this.#events.next()
      const result = await Promise.race([this.#pending, NOT_YET])
      if (result === PENDING) {
        if (events.length > 0 || signal.aborted) break
        const rest = restOf(this.#events)
        // It is looking: what there is comes in a moment.
        if (rest === undefined) await sleep(1)
        else if (rest === 'log' && !options.follow) return { events, ended: true as const }
        else if (!(await settles(this.#pending, until - Date.now(), signal))) break
        continue
      }
      // Whoever asked is gone: it stays for who asks next.
      if (signal.aborted) break
      this.#pending = undefined
      const { value } = result as IteratorResult<Delivery, undefined>
      // It was released.
      if (value === undefined) return { events, ended: true as const }
      // It came while an earlier one failed, and comes again after that.
      if (isVoid(value)) continue
      events.push(value)
      this.#sent(value, NEVER)
    }
    return { events }
  }

  #answer(events: readonly Delivery[], ended?: true): Batch {
    if (events.length > 0) this.#batch++
    for (const delivery of events) this.#sent(delivery, this.#batch)
    return {
      holder: this.#holder,
      lease: this.lease,
      batch: this.#batch,
      events,
      ...(ended === true && { ended }),
    }
  }

  /**
   * Acknowledges deliveries, each by its event's id, in order. One that is acknowledged already is passed over, so that
   * a request whose response was lost can be made again.
   */
  answer(ids: readonly string[]): Promise<{ readonly answered: number }> {
    return this.#heard(async () => {
      const answers: Promise<void>[] = []
      const unknown: string[] = []
      for (const id of ids) {
        const delivery = this.#unanswered.get(id)?.delivery
        if (delivery === undefined) unknown.push(id)
        else answers.push(delivery.ack().then(() => this.#forget(id)))
      }
      const failed = (await Promise.allSettled(answers)).find(({ status }) => status === 'rejected')
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
      if (unknown.length > 0) await this.#requireAnswered(unknown)
      return { answered: answers.length }
    })
  }

  /**
   * Gives a delivery back, or up. Those of its collection that were delivered after it, in batches up to the one
   * answered, count no longer: they come again after it.
   */
  fail(id: string, how: (delivery: Delivery) => Promise<void>): Promise<{ readonly batch: number }> {
    return this.#heard(async () => {
      const delivery = this.#unanswered.get(id)?.delivery
      if (delivery === undefined) throw this.#outOfOrder(id)
      await how(delivery)
      this.#forget(id)
      for (const [other, { delivery: later }] of this.#unanswered) if (isVoid(later)) this.#forget(other)
      return { batch: this.#batch }
    })
  }

  /** What comes again belongs to the batch it came with last. */
  #sent(delivery: Delivery, batch: number): void {
    this.#unanswered.set(delivery.id, { delivery, batch })
  }

  #forget(id: string): void {
    this.#unanswered.delete(id)
    this.#onAnswer?.()
  }

  #someAnswer(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAnswer = resolve
    })
  }

  async #requireAnswered(ids: readonly string[]): Promise<void> {
    const positions = decodeCursor((await this.#consumers.info(this.#name)).cursor) as ReadonlyMap<
      string,
      number
    >
    for (const id of ids) {
      const [collection, position] = id.split(':')
      if (!(Number(position) <= (positions.get(collection!) ?? 0))) throw this.#outOfOrder(id)
    }
  }

  #outOfOrder(id: string): SpanStoreError {
    return new SpanStoreError(
      'ACK_OUT_OF_ORDER',
      `event ${JSON.stringify(id)} cannot be answered by consumer ${JSON.stringify(this.#name)} now: it is not among what ${JSON.stringify(this.#holder)} was given and has not answered`,
      { consumer: this.#name, id },
    )
  }

  /**
   * Lets the lease go; what has no answer comes to the next holder. Until somebody takes the consumer, or the silence
   * is too long, it can still be answered.
   */
  async release(): Promise<void> {
    await this.#heard(async () => {
      this.released = true
      this.#asking?.abort()
      this.#pending?.catch(() => undefined)
      await this.#events.return?.()
    })
  }

  /** Lets the lease go, and is over. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#asking?.abort()
    this.#pending?.catch(() => undefined)
    this.#over()
    await this.#events.return?.()
  }

  async #heard<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer)
    this.#requests++
    try {
      return await work()
    } finally {
      this.#requests--
      if (this.#requests === 0) {
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => void this.close(), this.#silence)
        this.#timer.unref()
      }
    }
  }
}

/** Nobody holds the consumer under this name here: a restart, or a silence, ended it. Whoever asks again can go on. */
export function unknownHolder(consumer: string, holder: string): Problem {
  return new Problem(
    STATUS.LEASE_LOST,
    'LEASE_LOST',
    `${JSON.stringify(holder)} does not hold consumer ${JSON.stringify(consumer)} (any more): call next with the same holder to take it back; what was not acknowledged comes again`,
    { members: { error: { consumer }, resumable: true } },
  )
}

async function settles(promise: Promise<unknown>, wait: number, signal: AbortSignal): Promise<boolean> {
  if (wait <= 0 || signal.aborted) return false
  return await new Promise((resolve) => {
    const stop = (settled: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', aborted)
      resolve(settled)
    }
    const aborted = () => stop(false)
    const timer = setTimeout(() => stop(false), wait)
    signal.addEventListener('abort', aborted)
    promise.then(
      () => stop(true),
      () => stop(true),
    )
  })
}
