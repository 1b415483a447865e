import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { FetchStatus } from '../core/model.ts'
import type { Store } from '../index.ts'

/** What a server counts, beside what it asks the store for when it is scraped. */
export class Metrics {
  /** For further metrics of a protocol or a route: `new Counter({ …, registers: [metrics.registry] })`. */
  readonly registry = new Registry()
  readonly #requests: Histogram<'route' | 'method' | 'status'>
  readonly #open: Gauge
  readonly #fetches: Counter<'status'>
  readonly #gates: Counter<'verdict'>

  constructor(store: Store) {
    const registers = [this.registry]
    this.#requests = new Histogram({
      name: 'spanstore_http_request_duration_seconds',
      help: 'From a request to the end of its answer (of a stream: to its beginning).',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    })
    this.#open = new Gauge({
      name: 'spanstore_http_requests_open',
      help: 'Requests being answered.',
      registers,
    })
    this.#fetches = new Counter({
      name: 'spanstore_fetches_total',
      help: 'Keys fetched through this server, by what they answered.',
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
    for (const verdict of ['passed', 'refused']) this.#gates.inc({ verdict }, 0)
    storeGauges(store, registers)
  }

  fetched(status: FetchStatus): void {
    this.#fetches.inc({ status })
  }

  gated(verdict: 'passed' | 'refused'): void {
    this.#gates.inc({ verdict })
  }

  begun(): void {
    this.#open.inc()
  }

  answered(request: {
    readonly route: string
    readonly method: string
    readonly status: number
    readonly seconds: number
  }): void {
    this.#open.dec()
    const { route, method, status, seconds } = request
    this.#requests.observe({ route, method, status: String(status) }, seconds)
  }

  /** In Prometheus's text format. */
  async text(): Promise<{ readonly text: string; readonly type: string }> {
    return { text: await this.registry.metrics(), type: this.registry.contentType }
  }
}

/** What only the store knows, asked when somebody looks. */
function storeGauges(store: Store, registers: Registry[]): void {
  const events = new Gauge({
    name: 'spanstore_collection_position',
    help: 'Events in the log of a collection, which is its position.',
    labelNames: ['collection'],
    registers,
    async collect() {
      this.reset()
      live.reset()
      for (const { name, position, live: spans } of await store.collections()) {
        this.set({ collection: name }, position)
        live.set({ collection: name }, spans)
      }
    },
  })
  const live = new Gauge({
    name: 'spanstore_collection_live_spans',
    help: 'Live spans of a collection.',
    labelNames: ['collection'],
    registers,
  })
  void events
}
