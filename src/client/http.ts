import { isSpanStoreError, SpanStoreError } from '../core/errors.ts'
import { encodeSegment } from '../core/path-segment.ts'
import { Backoff } from './backoff.ts'
import { aborted, parsedProblem, refusal, refusedAtTheDoor, TIMED_OUT } from './refusal.ts'

export interface HttpOptions {
  /** A bearer token. */
  readonly token?: string
  /** In the place of the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Milliseconds for one request, streams apart. Default 60 000. */
  readonly timeout?: number
  /** How often a request is sent again when no answer came and that can do no harm. Default 3. */
  readonly retries?: number
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the server's address, with its leading slash, segments encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** It may be done twice. Reads may; so may a write that has a `commandId`. */
  readonly repeatable: boolean
}

/** Sends requests to one server; refusals come back as the errors that the library throws. */
export class Http {
  /** Without a slash at its end. */
  readonly url: string
  readonly #token: string | undefined
  readonly #fetch: typeof fetch
  readonly #timeout: number
  readonly #retries: number
  readonly #requests = new Set<AbortController>()
  readonly #streams = new Set<() => Promise<unknown>>()
  #closed = false

  constructor(url: string, options: HttpOptions) {
    this.url = url.replace(/\/+$/, '')
    this.#token = options.token
    // A browser's `fetch` wants to be called as a function of its window.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init))
    this.#timeout = options.timeout ?? 60_000
    this.#retries = options.retries ?? 3
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Something to end before the client is closed. @returns a function to call when it has ended by itself */
  opened(end: () => Promise<unknown>): () => void {
    this.#streams.add(end)
    return () => this.#streams.delete(end)
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#streams].map((end) => end()))
    this.#closed = true
    for (const request of this.#requests) request.abort()
  }

  /** What the server answered, as JSON; undefined when that is empty. */
  async json<T>(call: Call): Promise<T> {
    const { status, text } = await this.#send(call)
    if (status >= 300) throw refusal(status, text)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** One of the four results: those that are no answer come as problems that hold them. */
  async result<T>(call: Call): Promise<T> {
    const { status, text } = await this.#send(call)
    if (status < 300) return JSON.parse(text) as T
    const problem = parsedProblem(text)
    if (typeof problem?.outcome === 'string') return problem.result as T
    throw refusal(status, text)
  }

  /** A response whose body is read as it comes. One attempt; no time limit. */
  async stream(
    call: Omit<Call, 'repeatable' | 'signal'>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    try {
      const response = await this.#request(call, signal)
      if (response.ok && response.body !== null) return response.body
      throw refusal(response.status, await response.text())
    } catch (error) {
      throw isSpanStoreError(error) ? error : this.unreachable(error)
    }
  }

  async #send(call: Call): Promise<{ readonly status: number; readonly text: string }> {
    const backoff = new Backoff()
    for (let attempt = 1; ; attempt++) {
      const last = attempt > this.#retries
      let wait = backoff.next()
      try {
        const { status, text, after } = await this.#attempt(call)
        const again = refusedAtTheDoor(status, text) || (status === TIMED_OUT && call.repeatable)
        if (last || !again) return { status, text }
        wait = Math.max(wait, 1000 * after)
      } catch (error) {
        if (last || call.signal?.aborted || this.#closed) throw error
        if (!call.repeatable && !nobodyListened(error)) throw error
      }
      await pause(wait, call.signal)
    }
  }

  async #attempt(
    call: Call,
  ): Promise<{ readonly status: number; readonly text: string; readonly after: number }> {
    const { signal } = call
    const stop = new AbortController()
    const abort = () => stop.abort()
    const timer = setTimeout(abort, this.#timeout)
    this.#requests.add(stop)
    signal?.addEventListener('abort', abort)
    if (signal?.aborted || this.#closed) abort()
    try {
      const response = await this.#request(call, stop.signal)
      const after = Number(response.headers.get('Retry-After') ?? 0)
      return { status: response.status, text: await response.text(), after }
    } catch (error) {
      if (signal?.aborted) throw aborted()
      if (this.#closed)
        throw new SpanStoreError('STORE_CLOSED', 'this client was closed', {}, { cause: error })
      throw this.unreachable(error)
    } finally {
      clearTimeout(timer)
      this.#requests.delete(stop)
      signal?.removeEventListener('abort', abort)
    }
  }

  #request(
    { method, path, query = {}, body }: Omit<Call, 'repeatable' | 'signal'>,
    signal: AbortSignal,
  ): Promise<Response> {
    const given = Object.entries(query).filter((entry) => entry[1] !== undefined)
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`
    return this.#fetch(this.url + path + search, {
      method,
      signal,
      headers: {
        ...(this.#token !== undefined && { Authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  unreachable(cause: unknown): SpanStoreError<'SERVER_UNREACHABLE'> {
    const why = (cause as { cause?: { message?: string } })?.cause?.message ?? (cause as Error)?.message
    return new SpanStoreError(
      'SERVER_UNREACHABLE',
      `${this.url} gave no answer (${why}); check the address, or try again: a write with the same commandId is done once`,
      { url: this.url },
      { cause },
    )
  }
}

/** Nothing can have been done. Only Node says so. */
const nobodyListened = (error: unknown): boolean =>
  ((error as Error)?.cause as { cause?: { code?: string } } | undefined)?.cause?.code === 'ECONNREFUSED'

/** Resolves after a time, or at once when aborted. */
export function pause(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}

/** An identifier as a part of a path. @throws INVALID_ARGUMENT for what is none */
export function segment(path: string, id: unknown): string {
  if (typeof id === 'string' && id !== '') return encodeSegment(id)
  throw new SpanStoreError('INVALID_ARGUMENT', `${path}: ${JSON.stringify(id)} is no identifier`, {
    path,
    value: id,
  })
}

/** A function cannot be sent. */
export const notOverTheWire = (path: string) =>
  new SpanStoreError('INVALID_ARGUMENT', `${path}: a function cannot be sent to a server; leave it out`, {
    path,
  })
