import { failureText, filterIn, heldBackFor } from '../core/consumer.ts'
import { isSpanStoreError, SpanStoreError } from '../core/errors.ts'
import type { Delivery, EventStream, NackOptions, SubscribeOptions } from '../subscription/index.ts'
import { AnswerQueue } from './answer-queue.ts'
import { Backoff } from './backoff.ts'
import { closedMeanwhile, collectionOf, type Delivered, delivery } from './delivery.ts'
import { type Http, pause, segment } from './http.ts'
import { aborted, isPassing, isResumable } from './refusal.ts'

/** How long one long-poll waits, in milliseconds. */
const WAIT = 20_000
/** How long to wait for deliveries that must come again before they are taken for answered. */
const SETTLED = 1000
const BATCH = 100

/** Browsers have `randomUUID` on secure pages alone. */
const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** Characters of what went wrong that are sent. */
const LONGEST_FAILURE = 10_000

interface Batch {
  readonly lease: string
  readonly batch: number
  readonly events: readonly (Delivered & { readonly cursor: string })[]
  readonly ended?: true
}

/** An event that failed: what came after it in its collection, in batches up to this one, comes again. */
interface Void {
  readonly position: number
  readonly batch: number
}

/**
 * A durable consumer over the wire, by long-poll. A server that was restarted is found again under the same lease: what
 * was handed out stays valid, what was not comes again in order, and acknowledgements are sent until they are durable.
 */
export class RemoteConsumer implements EventStream {
  readonly #http: Http
  readonly #options: SubscribeOptions
  readonly #name: string
  readonly #holder: string
  readonly #gone = new AbortController()
  readonly #answers: AnswerQueue
  #lease: string | undefined
  #batch = 0
  #ready: (Delivered & { readonly cursor: string })[] = []
  /** Handed out and not answered, by id. */
  readonly #open = new Map<string, Delivered>()
  /** The last position acknowledged, by collection. */
  readonly #acked = new Map<string, number>()
  readonly #voids = new Map<string, Void>()
  /** Handed out under an earlier lease, and not yet come again under this one. */
  #missing = new Set<string>()
  #asking: Promise<void> | undefined
  #ended = false
  #outcome: unknown
  #cursor: string | undefined
  readonly #forget: () => void
  #last: Promise<unknown> = Promise.resolve()
  #leaving: Promise<void> | undefined

  constructor(http: Http, name: string, options: SubscribeOptions) {
    this.#http = http
    this.#name = name
    this.#holder = options.holder ?? randomId()
    this.#options = options
    this.#answers = new AnswerQueue((action, body) => this.#answer(action, body))
    options.signal?.addEventListener('abort', this.#abort)
    this.#forget = http.opened(() => this.#close())
    if (options.signal?.aborted) this.#abort()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  get cursor(): string | undefined {
    return this.#cursor
  }

  async ready(): Promise<void> {
    while (this.#lease === undefined && !this.#ended) await this.#ask(0)
    if (this.#lease === undefined && this.#outcome !== undefined) throw this.#outcome
  }

  next(): Promise<IteratorResult<Delivery, undefined>> {
    const result = this.#last.then(() => this.#pull())
    this.#last = result.catch(() => undefined)
    return result
  }

  async return(): Promise<IteratorResult<Delivery, undefined>> {
    this.#end(undefined)
    await this.#leaving
    return { done: true, value: undefined }
  }

  readonly #abort = () => this.#end(aborted())

  async #close(): Promise<void> {
    this.#end(closedMeanwhile())
    await this.#leaving
  }

  #end(outcome: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#outcome = outcome
    this.#options.signal?.removeEventListener('abort', this.#abort)
    this.#forget()
    this.#gone.abort()
    this.#leaving = this.#leave()
  }

  /** When it cannot be let go it lapses, which is what leases are for. */
  async #leave(): Promise<void> {
    await this.#answers.idle()
    if (this.#lease !== undefined) await this.#post('release', {}, undefined).catch(() => undefined)
  }

  async #pull(): Promise<IteratorResult<Delivery, undefined>> {
    while (!this.#ended) {
      const event = this.#ready.shift()
      if (event !== undefined) return { done: false, value: this.#hand(event) }
      await this.#ask(WAIT)
    }
    const outcome = this.#outcome
    this.#outcome = undefined
    await this.#leaving
    if (outcome !== undefined) throw outcome
    return { done: true, value: undefined }
  }

  #hand(event: Delivered & { readonly cursor: string }): Delivery {
    const { cursor, ...delivered } = event
    this.#cursor = cursor
    this.#open.set(event.id, delivered)
    return delivery(delivered, () => cursor, {
      ack: (answered) => this.#ack(answered),
      nack: (answered, options) => this.#nack(answered, options),
      terminate: (answered, { error }) => this.#fail(answered, 'terminate', error, {}),
    })
  }

  // ── asking ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Asks once for what is next; one question at a time. */
  #ask(wait: number): Promise<void> {
    this.#asking ??= this.#question(wait).finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #question(patience: number): Promise<void> {
    const backoff = new Backoff()
    let wait = this.#missing.size > 0 ? Math.min(patience, SETTLED) : patience
    while (!this.#ended) {
      try {
        const { filter, settings } = this.#asked
        const taken = await this.#post<Batch>('next', { wait, filter, ...settings }, this.#gone.signal)
        return this.#arrived(taken)
      } catch (error) {
        if (this.#ended) return
        const delay = this.#delay(error, backoff)
        if (delay === undefined) return this.#end(this.#told(error))
        await pause(delay, this.#gone.signal)
        wait = Math.min(wait, SETTLED)
      }
    }
  }

  get #asked() {
    const { from, follow, lease, maxUnacked, maxAttempts } = this.#options
    return {
      filter: filterIn(this.#options),
      settings: {
        batch: Math.min(this.#options.batch ?? BATCH, 1000),
        ...(from !== undefined && { from }),
        ...(follow !== undefined && { follow }),
        ...(lease !== undefined && { duration: lease }),
        ...(maxUnacked !== undefined && { maxUnacked }),
        ...(maxAttempts !== undefined && { maxAttempts }),
        ...(this.#lease !== undefined && { lease: this.#lease, after: this.#batch }),
      },
    }
  }

  /** How long to wait before asking again; undefined: it is over. */
  #delay(error: unknown, backoff: Backoff): number | undefined {
    if (
      isSpanStoreError(error, 'CONSUMER_LEASED') &&
      this.#lease === undefined &&
      this.#options.wait === true
    )
      return Math.max(50, Math.min(error.detail.until - Date.now(), 250))
    return isPassing(error) ? backoff.next() : undefined
  }

  /** Who held a consumer and finds it taken has lost it. */
  #told(error: unknown): unknown {
    if (!isSpanStoreError(error, 'CONSUMER_LEASED') || this.#lease === undefined) return error
    return new SpanStoreError(
      'LEASE_LOST',
      `this subscription no longer holds consumer ${JSON.stringify(this.#name)}: another took it while the server was out of reach; what was not acknowledged is delivered again to its next holder`,
      { consumer: this.#name },
      { cause: error },
    )
  }

  #arrived({ lease, batch, events, ended }: Batch): void {
    // A new lease begins after the last acknowledgement: what was not handed out comes again.
    if (lease !== this.#lease) {
      this.#lease = lease
      this.#batch = 0
      this.#ready = []
      this.#voids.clear()
      this.#missing = new Set(this.#open.keys())
    }
    this.#batch = Math.max(this.#batch, batch)
    // What does not come now was answered before the server was lost.
    if (events.length === 0) this.#missing.clear()
    for (const event of events) {
      this.#missing.delete(event.id)
      if (!this.#isKnown(event) && !this.#isVoid(event, batch)) this.#ready.push(event)
    }
    if (ended === true && this.#ready.length === 0) this.#end(undefined)
  }

  /** Handed out and not answered, or acknowledged while it was on its way again. What failed comes as a later attempt. */
  #isKnown(event: Delivered): boolean {
    if (this.#open.has(event.id)) return true
    return event.attempt === 1 && event.position <= (this.#acked.get(collectionOf(event)) ?? 0)
  }

  #isVoid(event: Delivered, batch: number): boolean {
    const failed = this.#voids.get(collectionOf(event))
    return failed !== undefined && batch <= failed.batch && event.position >= failed.position
  }

  // ── answering ─────────────────────────────────────────────────────────────────────────────────────────────

  async #ack(event: Delivered): Promise<void> {
    await this.#answers.ack(event.id)
    this.#open.delete(event.id)
    const collection = collectionOf(event)
    this.#acked.set(collection, Math.max(event.position, this.#acked.get(collection) ?? 0))
  }

  #nack(event: Delivered, { delay, error }: NackOptions): Promise<void> {
    const wait = delay ?? (this.#options.backoff ?? heldBackFor)(event.attempt)
    return this.#fail(event, 'nack', error, { delay: Math.ceil(wait) })
  }

  async #fail(event: Delivered, action: 'nack' | 'terminate', error: unknown, more: object): Promise<void> {
    const why = failureText(error)?.slice(0, LONGEST_FAILURE)
    const { batch } = await this.#answers.fail<{ readonly batch: number }>(action, {
      id: event.id,
      ...more,
      ...(why !== undefined && { error: why }),
    })
    this.#open.delete(event.id)
    const collection = collectionOf(event)
    const position = event.position
    this.#voids.set(collection, { position, batch })
    this.#ready = this.#ready.filter(
      (later) => collectionOf(later) !== collection || later.position < position,
    )
    for (const [id, later] of this.#open)
      if (collectionOf(later) === collection && later.position > position) this.#open.delete(id)
  }

  /** Sends an answer until it is durable or refused. */
  async #answer<T>(action: string, body: object): Promise<T> {
    const backoff = new Backoff()
    for (;;) {
      try {
        return await this.#post<T>(action, { lease: this.#lease, ...body }, undefined)
      } catch (error) {
        if (this.#ended) throw error
        // What was handed out has to come again before it can be answered.
        const again =
          isResumable(error) || (isSpanStoreError(error, 'ACK_OUT_OF_ORDER') && this.#missing.size > 0)
        if (again) await this.#ask(SETTLED)
        else if (isPassing(error)) await pause(backoff.next(), this.#gone.signal)
        else throw error
      }
    }
  }

  #post<T>(action: string, body: object, signal: AbortSignal | undefined): Promise<T> {
    return this.#http.json<T>({
      method: 'POST',
      path: `/v1/consumers/${segment('consumer', this.#name)}/${action}`,
      body: { holder: this.#holder, ...body },
      signal,
      // Answered again with what has no answer yet; an acknowledgement is passed over.
      repeatable: action !== 'nack' && action !== 'terminate',
    })
  }
}
