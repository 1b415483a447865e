import { isSpanStoreError } from '../core/errors.ts'

type Send = <T>(action: string, body: object) => Promise<T>

interface Waiting {
  readonly id: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends answers in the order they were given, one request at a time. Acknowledgements given while a request is on its
 * way share the next one. When one fails, so do those that wait behind it, as they do in the library: to send a later
 * one alone would acknowledge the earlier.
 */
export class AnswerQueue {
  readonly #send: Send
  #acks: Waiting[] = []
  #last: Promise<unknown> = Promise.resolve()

  constructor(send: Send) {
    this.#send = send
  }

  /** Resolves when it is durable. */
  ack(id: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#acks.push({ id, resolve, reject })
      if (this.#acks.length === 1) void this.#chain(() => this.#sendAcks())
    })
  }

  /** After all acknowledgements given before. */
  fail<T>(action: 'nack' | 'terminate', body: object): Promise<T> {
    const acks = this.#acks
    this.#acks = []
    return this.#chain(async () => {
      if (acks.length > 0) await this.#settle(acks)
      return await this.#send<T>(action, body)
    })
  }

  /** Resolves when nothing waits any more, whatever came of it. */
  async idle(): Promise<void> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last
      await this.#last
    }
  }

  #chain<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  async #sendAcks(): Promise<void> {
    const acks = this.#acks
    this.#acks = []
    if (acks.length > 0) await this.#settle(acks)
  }

  async #settle(acks: readonly Waiting[]): Promise<void> {
    try {
      await this.#send('ack', { ids: acks.map(({ id }) => id) })
      for (const { resolve } of acks) resolve()
    } catch (error) {
      // Whoever is in order is not to fail with those that are not.
      if (acks.length > 1 && isSpanStoreError(error, 'ACK_OUT_OF_ORDER'))
        for (const ack of acks) await this.#settle([ack])
      else for (const { reject } of acks) reject(error)
    }
  }
}
