import type { ConsumerInfo, DeadLetter, EventFilter, Lag, Start } from '../core/consumer.ts'
import type { Consumers, WhichDeadLetters } from '../ports/consumers.ts'
import { type Call, type Http, segment } from './http.ts'

/** The durable consumers of a store behind a server. */
export class RemoteConsumers implements Consumers {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  async open(
    name: string,
    options: { readonly filter?: EventFilter; readonly start?: Start } = {},
  ): Promise<ConsumerInfo> {
    return await this.#call('PUT', name, '', options)
  }

  async list(): Promise<ConsumerInfo[]> {
    const { consumers } = await this.#http.json<{ readonly consumers: ConsumerInfo[] }>({
      method: 'GET',
      path: '/v1/consumers',
      repeatable: true,
    })
    return consumers
  }

  async info(name: string): Promise<ConsumerInfo> {
    return await this.#call('GET', name, '')
  }

  async lag(name: string): Promise<Lag> {
    return await this.#call('GET', name, '/lag')
  }

  async reset(name: string, start: Start, options: { readonly collection?: string } = {}): Promise<void> {
    await this.#call('POST', name, '/reset', { start, ...options })
  }

  async setFilter(name: string, filter: EventFilter): Promise<void> {
    await this.#call('PUT', name, '/filter', filter)
  }

  async delete(name: string): Promise<void> {
    await this.#call('DELETE', name, '')
  }

  async deadLetters(name: string): Promise<DeadLetter[]> {
    return (await this.#call<{ readonly deadLetters: DeadLetter[] }>('GET', name, '/dead-letters'))
      .deadLetters
  }

  async replay(name: string, which: WhichDeadLetters): Promise<{ readonly replayed: number }> {
    return await this.#call('POST', name, '/dead-letters/replay', { which })
  }

  async discard(name: string, which: WhichDeadLetters): Promise<{ readonly discarded: number }> {
    return await this.#call('POST', name, '/dead-letters/discard', { which })
  }

  async pruneEvents(
    collection: string,
    options: { readonly before: number; readonly force?: boolean },
  ): Promise<{ readonly pruned: number }> {
    const body = { collection, ...options }
    return await this.#http.json({ method: 'POST', path: '/v1/events/prune', body, repeatable: true })
  }

  #call<T>(method: Call['method'], name: string, action: string, body?: object): Promise<T> {
    return this.#http.json<T>({
      method,
      path: `/v1/consumers/${segment('consumer', name)}${action}`,
      ...(body !== undefined && { body }),
      repeatable: method === 'GET' || method === 'PUT',
    })
  }
}
