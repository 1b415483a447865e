import { filterIn, notAConsumer } from '../core/consumer.ts'
import { decodeCursor, encodeCursor } from '../core/cursor.ts'
import { isSpanStoreError, type SpanStoreError } from '../core/errors.ts'
import type { StoreEvent } from '../core/event.ts'
import type { Delivery, EventStream, SubscribeOptions } from '../subscription/index.ts'
import { Backoff } from './backoff.ts'
import { type Answers, closedMeanwhile, collectionOf, delivery } from './delivery.ts'
import { type Http, pause } from './http.ts'
import { aborted, isPassing, refusal } from './refusal.ts'
import { type Message, MessageParser } from './sse.ts'

/** The server says something at least this often, in milliseconds. */
const HEARTBEAT = 15_000
/** After so long a silence the connection is taken for dead. */
const PATIENCE = 40_000

/**
 * Events without a consumer, over Server-Sent Events. A connection that breaks is made again from the last event that
 * was taken, so that none is missed and none comes twice; an expired cursor ends it with CURSOR_EXPIRED.
 */
export class RemoteStream implements EventStream {
  readonly #http: Http
  readonly #options: SubscribeOptions
  readonly #gone = new AbortController()
  readonly #backoff = new Backoff()
  readonly #events: AsyncGenerator<Delivery, undefined>
  readonly #begun: Promise<void>
  #begin!: () => void
  #refuse!: (error: unknown) => void
  #started: Promise<IteratorResult<Delivery, undefined>> | undefined
  #outcome: SpanStoreError | undefined
  readonly #forget: () => void
  /** The last cursor of the server's, and what was taken since. */
  #base: string | undefined
  #since = new Map<string, number>()
  /** Positions taken on this stream, by collection. */
  readonly #taken = new Map<string, number>()

  constructor(http: Http, options: SubscribeOptions) {
    this.#http = http
    this.#options = options
    this.#begun = new Promise((resolve, reject) => {
      this.#begin = resolve
      this.#refuse = reject
    })
    this.#begun.catch(() => undefined)
    this.#events = this.#read()
    options.signal?.addEventListener('abort', this.#abort)
    this.#forget = http.opened(() => this.#close())
    if (options.signal?.aborted) this.#abort()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  get cursor(): string | undefined {
    return this.#base === undefined ? undefined : advanced(this.#base, this.#since)
  }

  async ready(): Promise<void> {
    this.#started ??= this.#step()
    this.#started.catch(() => undefined)
    await this.#begun
  }

  next(): Promise<IteratorResult<Delivery, undefined>> {
    const started = this.#started
    if (started === undefined) return this.#step()
    // What `ready` asked for is the first.
    this.#started = undefined
    return started
  }

  async return(): Promise<IteratorResult<Delivery, undefined>> {
    this.#end()
    return await this.#events.return(undefined)
  }

  async #step(): Promise<IteratorResult<Delivery, undefined>> {
    const result = await this.#events.next()
    const outcome = this.#outcome
    this.#outcome = undefined
    if (result.done && outcome !== undefined) throw outcome
    return result
  }

  readonly #abort = () => {
    this.#outcome = aborted()
    this.#end()
  }

  async #close(): Promise<void> {
    this.#outcome = closedMeanwhile()
    this.#end()
  }

  #end(): void {
    this.#options.signal?.removeEventListener('abort', this.#abort)
    this.#forget()
    this.#gone.abort()
    if (this.#outcome === undefined) this.#begin()
    else this.#refuse(this.#outcome)
  }

  async *#read(): AsyncGenerator<Delivery, undefined> {
    try {
      while (!this.#gone.signal.aborted) {
        try {
          if ((yield* this.#oneConnection()) === 'caught-up') return undefined
        } catch (error) {
          if (this.#gone.signal.aborted) return undefined
          if (!isPassing(error)) {
            this.#refuse(error)
            throw error
          }
        }
        await pause(this.#backoff.next(), this.#gone.signal)
      }
      return undefined
    } finally {
      this.#end()
    }
  }

  async *#oneConnection(): AsyncGenerator<Delivery, string | undefined> {
    for await (const message of this.#connect()) {
      if (message.event === 'problem') throw refusal(500, message.data ?? '')
      if (message.event === 'end') return (JSON.parse(message.data!) as { readonly reason: string }).reason
      const event = this.#take(message)
      this.#begin()
      if (event !== undefined) yield this.#deliver(event)
      if (this.#gone.signal.aborted) break
    }
    return undefined
  }

  async *#connect(): AsyncGenerator<Message> {
    const { from, follow } = this.#options
    const resume = this.cursor ?? from
    const broken = new AbortController()
    const { signal } = broken
    const gone = () => broken.abort()
    this.#gone.signal.addEventListener('abort', gone)
    if (this.#gone.signal.aborted) gone()
    let timer = setTimeout(() => broken.abort(), PATIENCE)
    try {
      const body = await this.#http.stream(
        {
          method: 'POST',
          path: '/v1/events',
          body: {
            filter: filterIn(this.#options),
            ...(resume !== undefined && { from: resume }),
            ...(follow === false && { follow }),
            heartbeat: HEARTBEAT,
          },
        },
        signal,
      )
      const parser = new MessageParser()
      const reader = body.getReader()
      try {
        for (;;) {
          const { done, value } = await reader.read()
          clearTimeout(timer)
          if (done) return
          this.#backoff.reset()
          yield* parser.feed(value)
          timer = setTimeout(() => broken.abort(), PATIENCE)
        }
      } catch (error) {
        throw isSpanStoreError(error) ? error : this.#http.unreachable(error)
      } finally {
        // Nobody waits for a connection to be given up.
        reader.cancel().catch(() => undefined)
      }
    } finally {
      clearTimeout(timer)
      this.#gone.signal.removeEventListener('abort', gone)
    }
  }

  /** The event of a message that was not taken before. Moves the cursor. */
  #take({ id, data }: Message): StoreEvent | undefined {
    const event = data === undefined ? undefined : (JSON.parse(data) as StoreEvent)
    if (id !== undefined) {
      this.#base = id
      this.#since = new Map()
    }
    if (event === undefined) return undefined
    const collection = collectionOf(event)
    if (id === undefined) this.#since.set(collection, event.position)
    if (event.position <= (this.#taken.get(collection) ?? 0)) return undefined
    this.#taken.set(collection, event.position)
    return event
  }

  #deliver(event: StoreEvent): Delivery {
    const base = this.#base!
    const since = new Map(this.#since)
    return delivery({ ...event, attempt: 1, redelivered: false }, () => advanced(base, since), NOT_HELD)
  }
}

/** A cursor of the server's, and what was taken since. */
const advanced = (base: string, since: ReadonlyMap<string, number>): string =>
  since.size === 0 ? base : encodeCursor(new Map([...decodeCursor(base), ...since]))

const refuseAnswer = () => Promise.reject(notAConsumer())

const NOT_HELD: Answers = { ack: () => Promise.resolve(), nack: refuseAnswer, terminate: refuseAnswer }
