import type { StoreApi } from '../api.ts'
import type { Key } from '../core/key.ts'
import type { FetchResult, WriteResult } from '../core/model.ts'
import type { Consumers } from '../ports/consumers.ts'
import type { CollectionInfo, LedgerStats } from '../ports/ledger.ts'
import type { Problem } from '../ports/problem.ts'
import type { CollectionOptions } from '../store/store.ts'
import type { EventStream, SubscribeOptions } from '../subscription/index.ts'
import { RemoteCollection } from './collection.ts'
import { RemoteConsumers } from './consumers.ts'
import { Http, type HttpOptions, segment } from './http.ts'
import { RemoteConsumer } from './remote-consumer.ts'
import { RemoteStream } from './remote-stream.ts'

export type ClientOptions = HttpOptions

/**
 * A store behind a server, with the names of the library: what is written against `StoreApi` runs with either. Refusals
 * come back as the errors the library throws, with the same code and detail. A request that got no answer is sent again
 * where that can do no harm: reads, and writes with a `commandId`. Runs wherever there is `fetch`.
 */
export class SpanstoreClient implements StoreApi {
  readonly id: Key
  readonly #http: Http

  private constructor(http: Http, id: Key) {
    this.#http = http
    this.id = id
  }

  /**
   * Asks the server which store it serves. @throws SERVER_UNREACHABLE, and SERVER_REFUSED where the token does not do
   */
  static async connect(url: string, options: ClientOptions = {}): Promise<SpanstoreClient> {
    const http = new Http(url, options)
    const { id } = await http.json<{ readonly id: Key }>({
      method: 'GET',
      path: '/v1/store',
      repeatable: true,
    })
    return new SpanstoreClient(http, id)
  }

  /** As the library's; the handle goes by the name, so that a rename asks for a new one. */
  async collection(name: string, options: CollectionOptions = {}): Promise<RemoteCollection> {
    const { create, ...body } = options
    const path = `/v1/collections/${segment('name', name)}`
    const info = await this.#http.json<Omit<CollectionInfo, 'ref'>>(
      create === false
        ? { method: 'GET', path, repeatable: true }
        : { method: 'PUT', path, body, repeatable: body.recreate !== true },
    )
    return new RemoteCollection(this.#http, info)
  }

  async collections(): Promise<readonly Omit<CollectionInfo, 'ref'>[]> {
    return (await this.#get<{ readonly collections: CollectionInfo[] }>('/v1/collections')).collections
  }

  async renameCollection(name: string, to: string): Promise<void> {
    const path = `/v1/collections/${segment('name', name)}`
    await this.#http.json({ method: 'PATCH', path, body: { name: to }, repeatable: false })
  }

  async dropCollection(name: string): Promise<WriteResult> {
    const path = `/v1/collections/${segment('name', name)}`
    return await this.#http.json({ method: 'DELETE', path, repeatable: false })
  }

  async cursor(): Promise<string> {
    return (await this.#get<{ readonly cursor: string }>('/v1/cursor')).cursor
  }

  async fetch(key: string): Promise<FetchResult> {
    return (await this.fetchMany([key]))[0]!
  }

  async fetchMany(keys: readonly string[]): Promise<readonly FetchResult[]> {
    return (await this.#ask<{ readonly results: FetchResult[] }>('/v1/fetch', { keys })).results
  }

  async verify(options: { readonly repair?: boolean } = {}): Promise<readonly Problem[]> {
    return (await this.#ask<{ readonly problems: Problem[] }>('/v1/verify', options)).problems
  }

  async stats(): Promise<LedgerStats> {
    return await this.#get('/v1/stats')
  }

  async prune({
    before,
    signal,
  }: {
    readonly before: number
    readonly signal?: AbortSignal
  }): Promise<{ readonly pruned: number; readonly reclaimed: boolean }> {
    return await this.#ask('/v1/prune', { before }, signal)
  }

  /**
   * As the library's, and it survives the server: a connection that breaks is made again, after a while that doubles up
   * to five seconds, from the last event taken, or, with a consumer, the last one acknowledged. What was handed out can
   * be acknowledged across a restart.
   */
  subscribe(options: SubscribeOptions = {}): EventStream {
    return options.consumer === undefined
      ? new RemoteStream(this.#http, options)
      : new RemoteConsumer(this.#http, options.consumer, options)
  }

  consumers(): Consumers {
    return new RemoteConsumers(this.#http)
  }

  /** Ends subscriptions and requests. The store is the server's, and stays open. */
  async close(): Promise<void> {
    await this.#http.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #get<T>(path: string): Promise<T> {
    return this.#http.json<T>({ method: 'GET', path, repeatable: true })
  }

  /** Questions too long for an address, and what may be done twice. */
  #ask<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
    return this.#http.json<T>({ method: 'POST', path, body, signal, repeatable: true })
  }
}
