import type { FetchStatus } from '../core/model.ts'
import type { RequestContext } from '../wire/mount.ts'
import { type Access, ANYONE, type Principal } from '../wire/principal.ts'
import { Problem } from '../wire/problem.ts'
import type { Crowd, Deadlines } from './limits.ts'

/** A request, as far as who makes it is concerned. */
export interface Visitor {
  readonly url: string
  /** By its name in lower case. */
  header(name: string): string | undefined
  readonly signal: AbortSignal
}

export const visitorOf = (request: Request): Visitor => ({
  url: request.url,
  header: (name) => request.headers.get(name) ?? undefined,
  get signal() {
    return request.signal
  },
})

/** What a visit is to the server: who is let in, and how long it may take. */
export interface House {
  readonly crowd: Crowd
  readonly time: number
  readonly deadlines: Deadlines
  readonly bodyLimit: number
  readonly stopping: AbortSignal
  /** Aborted when waiting for what is being answered has an end. */
  readonly stopped: AbortSignal
  /** @throws Problem UNAUTHENTICATED (401) */
  identify(visitor: Visitor): Principal
  fetched(status: FetchStatus, count: number): void
}

/** Addresses whose path is as it stands there: nothing is encoded, left out or folded up. */
const PLAIN = /^https?:\/\/[^/?#]+((?:\/[\w:-]+)+)$/

/** One request on its way through the server. */
export class Visit implements RequestContext {
  readonly id: string
  /** The path of the route, with its parameters in braces, once it is known; a mount's prefix, until it says more. */
  route = 'none'
  principal: Principal = ANYONE
  admitted = false
  readonly #visitor: Visitor
  readonly #house: House
  #late: AbortController | undefined
  #url: URL | undefined
  #signal: AbortSignal | undefined
  #leave: (() => void) | undefined

  constructor(id: string, visitor: Visitor, house: House) {
    this.id = id
    this.#visitor = visitor
    this.#house = house
  }

  fetched(status: FetchStatus, count: number): void {
    this.#house.fetched(status, count)
  }

  get stopping(): AbortSignal {
    return this.#house.stopping
  }

  get bodyLimit(): number {
    return this.#house.bodyLimit
  }

  get url(): URL {
    this.#url ??= new URL(this.#visitor.url)
    return this.#url
  }

  /** That of `url`; most are plain enough that nothing has to be resolved. */
  get path(): string {
    return PLAIN.exec(this.#visitor.url)?.[1] ?? this.url.pathname
  }

  /** In every answer. */
  get headers(): Readonly<Record<string, string>> {
    return { 'X-Content-Type-Options': 'nosniff', 'Spanstore-Request': this.id }
  }

  /** Made when asked for: most requests are answered before anybody could be gone. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      this.#late = new AbortController()
      this.#signal = AbortSignal.any([this.#visitor.signal, this.#late.signal, this.#house.stopped])
    }
    return this.#signal
  }

  /** Lets the request in. @throws Problem UNAUTHENTICATED (401), TOO_MANY_REQUESTS (429) */
  admit(route: string, access: Access | 'public', stream = false): void {
    this.route = route
    if (access !== 'public') {
      this.principal = this.#house.identify(this.#visitor)
      this.admitted = true
    }
    this.#leave = this.#house.crowd.enter(stream)
  }

  /** Asks again who this is: what stays open outlives tokens. @throws Problem UNAUTHENTICATED (401) */
  recheck(): void {
    if (this.admitted) this.principal = this.#house.identify(this.#visitor)
  }

  /** The answer is complete. */
  leave(): void {
    this.#leave?.()
    this.#leave = undefined
  }

  /** Work that may take only so long. It is told by `signal` when it is late, and not waited for any longer. */
  inTime<T>(work: Promise<T>): Promise<T> {
    const { time, deadlines } = this.#house
    return new Promise<T>((resolve, reject) => {
      const late = () => {
        const problem = new Problem(
          408,
          'TIMED_OUT',
          `no answer within ${time} ms, so that it is not known whether a write was done; send it again with the same Idempotency-Key`,
        )
        reject(problem)
        this.#late?.abort(problem)
      }
      deadlines.begin(late)
      work.then(
        (result) => {
          deadlines.end(late)
          resolve(result)
        },
        (error) => {
          deadlines.end(late)
          reject(error)
        },
      )
    })
  }
}

/** The response, and a call when its last byte was taken, or nobody wants it any more. */
export function whenTaken(response: Response, taken: () => void): Response {
  if (response.body === null) {
    taken()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        taken()
      },
      async cancel(reason) {
        taken()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  const { status, headers } = response
  return new Response(body, { status, headers })
}
