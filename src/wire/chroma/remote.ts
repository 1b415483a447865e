import { type Parsed, parseBody } from './body.ts'
import { ChromaFailure } from './failure.ts'

export interface RemoteOptions {
  /** `http://127.0.0.1:8000` */
  readonly url: string
  /** Sent as a bearer token, and as Chroma's own header. */
  readonly token?: string
  readonly tenant?: string
  readonly database?: string
  readonly signal?: AbortSignal
}

export interface RemoteCollection {
  readonly id: string
  readonly name: string
  readonly configuration_json: Parsed
  readonly metadata: Parsed
}

/** A Chroma server elsewhere, spoken to in its own HTTP interface. */
export class RemoteChroma {
  readonly #options: RemoteOptions
  readonly #base: string
  readonly #collections: string

  constructor(options: RemoteOptions) {
    this.#options = options
    const { url, tenant = 'default_tenant', database = 'default_database' } = options
    this.#base = `${url.replace(/\/+$/, '')}/api/v2`
    this.#collections = `/tenants/${encodeURIComponent(tenant)}/databases/${encodeURIComponent(database)}/collections`
  }

  /** @throws ChromaFailure with what the server refused; TypeError of `fetch` where nobody answers */
  async #ask(method: string, path: string, body?: string): Promise<Parsed> {
    const { token, signal } = this.#options
    const response = await fetch(`${this.#base}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}`, 'x-chroma-token': token }),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
    const text = await response.text()
    if (!response.ok) {
      const said = /"message":("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
      const why = said === undefined ? text.slice(0, 200) : (JSON.parse(said) as string)
      throw new ChromaFailure(
        response.status,
        'ChromaError',
        `${method} ${this.#base}${path}: ${response.status} ${why}`,
      )
    }
    return parseBody(text)
  }

  /** How many records it takes at once. */
  async maxBatch(): Promise<number> {
    const { max_batch_size } = (await this.#ask('GET', '/pre-flight-checks')) as { max_batch_size?: number }
    return max_batch_size ?? 100
  }

  async collections(): Promise<readonly RemoteCollection[]> {
    const all: RemoteCollection[] = []
    for (;;) {
      const page = (await this.#ask(
        'GET',
        `${this.#collections}?limit=100&offset=${all.length}`,
      )) as unknown as readonly RemoteCollection[]
      all.push(...page)
      if (page.length < 100) return all
    }
  }

  /** Opens or makes one. `body` is JSON. */
  async open(body: string): Promise<RemoteCollection> {
    return (await this.#ask('POST', this.#collections, body)) as unknown as RemoteCollection
  }

  async count(id: string): Promise<number> {
    return (await this.#ask('GET', `${this.#collections}/${id}/count`)) as number
  }

  /** Column by column. */
  async get(id: string, request: unknown): Promise<{ readonly [column: string]: Parsed }> {
    const body = JSON.stringify(request)
    return (await this.#ask('POST', `${this.#collections}/${id}/get`, body)) as {
      readonly [column: string]: Parsed
    }
  }

  /** `body` is JSON. */
  async upsert(id: string, body: string): Promise<void> {
    await this.#ask('POST', `${this.#collections}/${id}/upsert`, body)
  }
}
