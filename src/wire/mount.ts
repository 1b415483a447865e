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

/**
 * Another protocol on the same port. By the time `fetch` is called, the caller is known and host, origin, number of
 * requests and size of the body (as declared, or as it is read) were checked.
 */
export interface Mount {
  /** `/api/v2`: every path below it is the mount's, as it came. */
  readonly prefix: string
  fetch(request: Request, context: RequestContext): Response | Promise<Response>
  /** How this protocol says what the server itself refused. */
  problem(problem: Problem): Response
}
