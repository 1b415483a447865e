import { setMaxListeners } from 'node:events'
import { isSpanStoreError } from '../core/errors.ts'
import type { Delivery, EventStream } from '../index.ts'

export interface EventStreamOptions {
  /** Milliseconds of silence after which a comment is sent. */
  readonly heartbeat: number
  /** Aborted when the server begins to stop: the stream says so and ends. */
  readonly stopping: AbortSignal
  readonly textOf: (event: Delivery) => string
  /** Throws when nothing may be shown any more. Asked before anything is sent. */
  readonly admit: () => void
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

/** Texts of events kept at hand: about two megabytes. */
const KEPT = 4000

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
  /** The next event was asked for and has not come. */
  #asked = false
  #arrived: IteratorResult<Delivery, undefined> | undefined
  #failure: { readonly error: unknown } | undefined
  /** The last one sent. */
  #cursor: string | undefined
  /** The last event, where it was sent without its cursor. */
  #unnamed: Delivery | undefined
  #text = `${HINT}\n`
  #wake: (() => void) | undefined

  constructor(events: EventStream, options: EventStreamOptions) {
    this.#events = events
    this.#options = options
    // One for each stream.
    setMaxListeners(0, options.stopping)
    options.stopping.addEventListener('abort', this.#stir)
    // A client that began at 'now' can come back before its first event.
    if (events.cursor !== undefined) this.#pass(events.cursor)
  }

  readonly #stir = () => this.#wake?.()

  readonly #arrive = (result: IteratorResult<Delivery, undefined>) => {
    this.#asked = false
    this.#arrived = result
    this.#wake?.()
  }

  readonly #fail = (error: unknown) => {
    this.#asked = false
    this.#failure = { error }
    this.#wake?.()
  }

  /** What to send next: all that is ready, up to a chunk, else whatever comes first. */
  async next(): Promise<string> {
    try {
      while (this.#text === '' && !this.ended) await this.#advance()
    } catch (error) {
      await this.#fails(error)
    }
    try {
      this.#options.admit()
    } catch (error) {
      // What was to be sent is no longer for this reader.
      this.#text = ''
      await this.#fails(error)
    }
    const text = this.#text
    this.#text = ''
    return text
  }

  async #fails(error: unknown): Promise<void> {
    this.#text += frame('problem', await this.#options.problemOf(error))
    await this.end()
  }

  async end(): Promise<void> {
    if (this.ended) return
    this.ended = true
    this.#options.stopping.removeEventListener('abort', this.#stir)
    this.#stir()
    await this.#events.return?.()
  }

  async #advance(): Promise<void> {
    await this.#takeReady()
    if (this.ended || this.#text !== '') return
    if (this.#options.stopping.aborted) await this.#farewell('shutdown')
    else await this.#somethingOrSilence()
  }

  async #takeReady(): Promise<void> {
    while (this.#text.length < CHUNK && !this.#options.stopping.aborted) {
      if (this.#arrived === undefined && !this.#asked) {
        this.#asked = true
        this.#events.next().then(this.#arrive, this.#fail)
      }
      // What is at hand arrives in this turn.
      await undefined
      if (this.#failure !== undefined) {
        const { error } = this.#failure
        this.#failure = undefined
        throw error
      }
      if (this.#arrived === undefined) break
      const { done, value } = this.#arrived
      this.#arrived = undefined
      if (done) return await this.#farewell('caught-up')
      this.#options.check(value)
      this.#write(value)
    }
    this.#passUnnamed()
  }

  #write(delivery: Delivery): void {
    const { textOf } = this.#options
    if ((this.#cursor?.length ?? 0) > SHORT_CURSOR) {
      this.#text += `data: ${textOf(delivery)}\n\n`
      this.#unnamed = delivery
      return
    }
    this.#cursor = this.#events.cursor
    this.#text += `id: ${this.#cursor}\ndata: ${textOf(delivery)}\n\n`
  }

  /** Without data, a client keeps the id and dispatches nothing. */
  #pass(cursor: string): void {
    if (cursor === this.#cursor) return
    this.#cursor = cursor
    this.#text += `id: ${cursor}\n\n`
  }

  #passUnnamed(): void {
    if (this.#unnamed !== undefined) this.#pass(this.#unnamed.cursor)
    this.#unnamed = undefined
  }

  async #farewell(reason: 'caught-up' | 'shutdown'): Promise<void> {
    this.#passUnnamed()
    if (reason === 'caught-up' && this.#events.cursor !== undefined) this.#pass(this.#events.cursor)
    this.#text += `${reason === 'shutdown' ? HINT : ''}${frame('end', JSON.stringify({ reason }))}`
    await this.end()
  }

  /** Waits for the next event or the end; gives a sign of life when neither comes. */
  #somethingOrSilence(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(() => {
        this.#text += ': \n\n'
        // Looked at here and not later: whatever the subscription has taken has arrived when a timer runs.
        const { cursor } = this.#events
        if (this.#arrived === undefined && cursor !== undefined) this.#pass(cursor)
        wake()
      }, this.#options.heartbeat)
      this.#wake = wake
    })
  }
}

const frame = (name: string, data: string) => `event: ${name}\ndata: ${data}\n\n`

/** Events of one store as JSON. Many subscribers follow close to each other, so that the latest are kept. */
export class EventTexts {
  readonly #texts = new Map<string, string>()

  /** The event alone: without a consumer nothing is ever attempted twice. */
  readonly of = (delivery: Delivery): string => {
    // A renamed collection's events have its new name.
    const key = `${delivery.id} ${delivery.collection}`
    const known = this.#texts.get(key)
    if (known !== undefined) return known
    const { attempt: _, redelivered: __, ...event } = delivery
    const text = JSON.stringify(event)
    if (this.#texts.size >= KEPT) this.#texts.delete(this.#texts.keys().next().value!)
    this.#texts.set(key, text)
    return text
  }
}

/** An unknown cursor and a pruned one are the same to who wants to go on: there is no way to, and no silent jump. */
export const isCursorGone = (error: unknown): boolean =>
  isSpanStoreError(error, 'CURSOR_EXPIRED') ||
  isSpanStoreError(error, 'CURSOR_INVALID') ||
  isSpanStoreError(error, 'POSITION_UNKNOWN')
