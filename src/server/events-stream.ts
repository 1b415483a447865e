import { isSpanStoreError } from '../core/errors.ts'
import type { Delivery, EventStream } from '../index.ts'

export interface EventStreamOptions {
  /** Milliseconds of silence after which a comment is sent. */
  readonly heartbeat: number
  /** Aborted when the server begins to stop: the stream says so and ends. */
  readonly stopping: AbortSignal
  /** Throws for an event that may not be shown. */
  readonly check: (event: Delivery) => void
  /** What a client is told when the reading fails, as JSON. */
  readonly problemOf: (error: unknown) => Promise<string>
}

/** As much as is written at once; with what the socket holds, all that a slow reader keeps in memory. */
const CHUNK = 64 * 1024

/** Longer cursors are not repeated with every event. */
const SHORT_CURSOR = 1024

/** How long a client waits before it comes back, in milliseconds. */
const HINT = 'retry: 1000\n'

const PENDING = Symbol('pending')
const NOT_YET = Promise.resolve(PENDING)

const encoder = new TextEncoder()

/**
 * A subscription as Server-Sent Events. `data` is a CloudEvent, `id` the cursor that resumes after it; an `id` without
 * data passes events that the filter left out. Two events have names: `problem` (the reading failed; `data` is the
 * problem) and `end` (`data.reason`: `caught-up` or `shutdown`). Nothing is read ahead of what the socket takes.
 */
export function eventStream(events: EventStream, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const frames = new Frames(events, options)
  return new ReadableStream(
    {
      async pull(controller) {
        controller.enqueue(encoder.encode(await frames.next()))
        if (frames.ended) controller.close()
      },
      cancel: () => frames.end(),
    },
    { highWaterMark: 0 },
  )
}

class Frames {
  ended = false
  readonly #events: EventStream
  readonly #options: EventStreamOptions
  #pending: Promise<IteratorResult<Delivery, undefined>> | undefined
  /** The last one sent. */
  #cursor: string | undefined
  #text = `${HINT}\n`
  #wake: (() => void) | undefined

  constructor(events: EventStream, options: EventStreamOptions) {
    this.#events = events
    this.#options = options
    options.stopping.addEventListener('abort', this.#stir)
    // A client that began at 'now' can come back before its first event.
    if (events.cursor !== undefined) this.#pass(events.cursor)
  }

  readonly #stir = () => this.#wake?.()

  /** What to send next: all that is ready, up to a chunk, else whatever comes first. */
  async next(): Promise<string> {
    try {
      while (this.#text === '' && !this.ended) await this.#advance()
    } catch (error) {
      this.#text += frame('problem', await this.#options.problemOf(error))
      await this.end()
    }
    const text = this.#text
    this.#text = ''
    return text
  }

  async end(): Promise<void> {
    if (this.ended) return
    this.ended = true
    this.#options.stopping.removeEventListener('abort', this.#stir)
    this.#pending?.catch(() => undefined)
    this.#stir()
    await this.#events.return?.()
  }

  async #advance(): Promise<void> {
    const before = this.#text.length
    await this.#takeReady()
    if (this.ended || this.#text.length > before) return
    if (this.#options.stopping.aborted) await this.#farewell('shutdown')
    else if (await this.#silent()) this.#signOfLife()
  }

  async #takeReady(): Promise<void> {
    let last: Delivery | undefined
    try {
      while (this.#text.length < CHUNK && !this.#options.stopping.aborted) {
        this.#pending ??= this.#events.next()
        const result = await Promise.race([this.#pending, NOT_YET])
        if (result === PENDING) return
        this.#pending = undefined
        const { done, value } = result as IteratorResult<Delivery, undefined>
        if (done) return await this.#farewell('caught-up')
        this.#options.check(value)
        last = this.#write(value)
      }
    } finally {
      if (last !== undefined) this.#pass(last.cursor)
    }
  }

  /** Answers the delivery where its cursor is still to be told. */
  #write(delivery: Delivery): Delivery | undefined {
    if ((this.#cursor?.length ?? 0) > SHORT_CURSOR) {
      this.#text += `data: ${json(delivery)}\n\n`
      return delivery
    }
    this.#cursor = delivery.cursor
    this.#text += `id: ${this.#cursor}\ndata: ${json(delivery)}\n\n`
    return undefined
  }

  /** Without data, a client keeps the id and dispatches nothing. */
  #pass(cursor: string): void {
    if (cursor === this.#cursor) return
    this.#cursor = cursor
    this.#text += `id: ${cursor}\n\n`
  }

  #signOfLife(): void {
    this.#text += ': \n\n'
    if (this.#events.cursor !== undefined) this.#pass(this.#events.cursor)
  }

  async #farewell(reason: 'caught-up' | 'shutdown'): Promise<void> {
    if (reason === 'caught-up' && this.#events.cursor !== undefined) this.#pass(this.#events.cursor)
    this.#text += `${reason === 'shutdown' ? HINT : ''}${frame('end', JSON.stringify({ reason }))}`
    await this.end()
  }

  /** Waits for the next event, the end, or too long a silence: true for that. */
  #silent(): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = (silent: boolean) => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve(silent)
      }
      const timer = setTimeout(() => stop(true), this.#options.heartbeat)
      const wake = () => stop(false)
      this.#wake = wake
      // Whether it brought an event or an error shows when it is asked next.
      this.#pending?.then(wake, wake)
    })
  }
}

const frame = (name: string, data: string) => `event: ${name}\ndata: ${data}\n\n`

/** The event alone: without a consumer nothing is ever attempted twice. */
function json(delivery: Delivery): string {
  const { attempt: _, redelivered: __, ...event } = delivery
  return JSON.stringify(event)
}

/** An unknown cursor and a pruned one are the same to who wants to go on: there is no way to, and no silent jump. */
export const isCursorGone = (error: unknown): boolean =>
  isSpanStoreError(error, 'CURSOR_EXPIRED') ||
  isSpanStoreError(error, 'CURSOR_INVALID') ||
  isSpanStoreError(error, 'POSITION_UNKNOWN')
