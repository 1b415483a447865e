import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { FetchStatus } from '../core/model.ts'
import type { Store } from '../index.ts'

interface Answered {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly seconds: number
}

/** What a server counts, beside what it asks the store for when it is scraped. */
export class Metrics {
  /** For further metrics of a protocol or a route: `new Counter({ …, registers: [metrics.registry] })`. */
  readonly registry = new Registry()
  readonly #requests: Histogram<'route' | 'method' | 'status'>
  /** Requests being answered. */
  #open = 0
  readonly #fetches: Counter<'status'>
  readonly #gates: Counter<'verdict'>
  readonly #look: () => Promise<void>
  readonly #uncounted: Answered[] = []

  constructor(store: Store) {
    const registers = [this.registry]
    this.#requests = new Histogram({
      name: 'spanstore_http_request_duration_seconds',
      help: 'From a request to the end of its answer (of a stream: to its beginning).',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    })
    // Set when it is looked at: a gauge takes longer than the counting.
    const open: Gauge = new Gauge({
      name: 'spanstore_http_requests_open',
      help: 'Requests being answered.',
      registers,
      collect: () => {
        open.set(this.#open)
      },
    })
    this.#fetches = new Counter({
      name: 'spanstore_fetches_total',
      help: 'Keys and records fetched through this server, by what they answered.',
      labelNames: ['status'],
      registers,
    })
    for (const status of ['ok', 'empty', 'tombstone', 'absent']) this.#fetches.inc({ status }, 0)
    this.#gates = new Counter({
      name: 'spanstore_gates_total',
      help: 'Gates asked through this server, by their verdict.',
      labelNames: ['verdict'],
      registers,
    })
    for (const verdict of ['substantiated', 'refused']) this.#gates.inc({ verdict }, 0)
    this.#look = storeGauges(store, registers)
  }

  fetched(status: FetchStatus, count = 1): void {
    this.#fetches.inc({ status }, count)
  }

  gated(verdict: 'substantiated' | 'refused'): void {
    this.#gates.inc({ verdict })
  }

  begun(): void {
    this.#open++
  }

  /** Counted in the next turn of the event loop: whoever asked has the answer first. */
  answered(request: Answered): void {
    if (this.#uncounted.push(request) === 1) setImmediate(() => this.#count()).unref()
  }

  #count(): void {
    for (const { route, method, status, seconds } of this.#uncounted.splice(0)) {
      this.#open--
      this.#requests.observe({ route, method, status: String(status) }, seconds)
    }
  }

  /** In Prometheus's text format. */
  async text(): Promise<{ readonly text: string; readonly type: string }> {
    await this.#look()
    this.#count()
    return { text: await this.registry.metrics(), type: this.registry.contentType }
  }
}

/** What only the store knows. The answer asks it, before a scrape is answered. */
function storeGauges(store: Store, registers: Registry[]): () => Promise<void> {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge<Label>({ name, help, labelNames: [...labelNames], registers })
  const commits = new Counter({
    name: 'spanstore_commits_total',
    help: 'Commits of this process.',
    registers,
  })
  const events = gauge(
    'spanstore_collection_events',
    'Events written to the log of a collection, which is its position.',
    ['collection'],
  )
  const live = gauge('spanstore_collection_live_spans', 'Live spans of a collection.', ['collection'])
  const lag = gauge(
    'spanstore_index_lag_events',
    'Events an index has not absorbed yet. Searches are complete all the same.',
    ['collection', 'index'],
  )
  const behind = gauge('spanstore_consumer_lag_events', 'Events a consumer has not acknowledged.', [
    'consumer',
  ])
  const age = gauge(
    'spanstore_consumer_lag_seconds',
    'Age of the oldest event a consumer has not acknowledged.',
    ['consumer'],
  )
  const dead = gauge('spanstore_consumer_dead_letters', 'Events a consumer gave up.', ['consumer'])
  let counted = 0
  return async () => {
    const activity = await store.activity()
    const consumers = await store.consumers().list()
    const lags = await Promise.all(consumers.map(({ name }) => store.consumers().lag(name)))
    commits.inc(activity.commits - counted)
    counted = activity.commits
    for (const one of [events, live, lag, behind, age, dead]) one.reset()
    for (const { name: collection, position, live: spans, indexedThrough } of activity.collections) {
      events.set({ collection }, position)
      live.set({ collection }, spans)
      for (const [index, reached] of Object.entries(indexedThrough))
        lag.set({ collection, index }, position - reached)
    }
    consumers.forEach(({ name: consumer, deadLetters }, i) => {
      dead.set({ consumer }, deadLetters)
      behind.set({ consumer }, lags[i]!.events)
      age.set({ consumer }, lags[i]!.age / 1000)
    })
  }
}
