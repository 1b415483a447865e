import type { FetchStatus } from '../core/model.ts'
import type { Principal } from './principal.ts'
import type { Problem } from './problem.ts'

/** What a server knows about a request by the time it is handled. */
export interface RequestContext {
  readonly principal: Principal
  /** Aborted when the caller is gone, when time is up, and when the server stops without having been able to wait. */
  readonly signal: AbortSignal
  /** Aborted as soon as the server begins to stop: whoever holds a response open ends it now. */
  readonly stopping: AbortSignal
  /** In every log line of the request, and in its `Spanstore-Request` header. */
  readonly id: string
  /** What the request is counted and logged as; a mount may say it more closely than by its prefix. */
  route: string
  /** Asks again who this is, for what stays open. @throws Problem UNAUTHENTICATED (401) */
  recheck(): void
  /** Counts what was fetched, by what it answered. */
  fetched(status: FetchStatus, count: number): void
}

/** A request as far as most handlers look at it; no `Request` has to be made for it. */
export interface PlainRequest {
  /** By its name in lower case. */
  header(name: string): string | undefined
  text(): Promise<string>
}

/** An answer whose body is a text. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type PlainHandler = (request: PlainRequest, context: Partial<RequestContext>) => Promise<PlainAnswer>

/**
 * Another protocol on the same port. By the time `fetch` is called, the caller is known and host, origin, number of
 * requests and size of the body (as declared, or as it is read) were checked.
 */
export interface Mount {
  /** `/api/v2`: every path below it is the mount's, as it came. */
  readonly prefix: string
  fetch(request: Request, context: RequestContext): Response | Promise<Response>
  /**
   * What answers a short request often made, where there is such a thing: making `Request` and `Response` costs more than
   * many an answer. `target` are path and query as they came; `fetch` would answer the same. A handler refuses by its answer.
   */
  atOnce?(method: string, target: string): PlainHandler | undefined
  /** How this protocol says what the server itself refused. */
  problem(problem: Problem): Response
}
