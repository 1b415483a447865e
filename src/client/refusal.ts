import { type ErrorCode, type ErrorDetail, isSpanStoreError, SpanStoreError } from '../core/errors.ts'

/*
 * What a server's refusals stand for, and what can be done about them.
 */

export const aborted = () => new SpanStoreError('ABORTED', 'the call was aborted by its signal', {})

/** The status of a request that took too long. */
export const TIMED_OUT = 408

/**
 * Before anything was done, for reasons that pass. A 408 that is no problem of the server's own is Node's, or a
 * proxy's: the request did not arrive in full.
 */
export const refusedAtTheDoor = (status: number, text: string): boolean =>
  status === 429 ||
  (status === 503 && parsedProblem(text)?.code === 'SHUTTING_DOWN') ||
  (status === TIMED_OUT && parsedProblem(text)?.code === undefined)

interface ProblemBody {
  readonly code?: string
  readonly title?: string
  readonly status?: number
  readonly detail?: string
  readonly error?: object
  readonly outcome?: string
  readonly result?: unknown
  readonly resumable?: boolean
}

/** A body as a problem; undefined for one that is none. */
export function parsedProblem(text: string): ProblemBody | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Refusals that a server has of its own; every other code is the library's. */
export const SERVERS_OWN = [
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'HOST_REFUSED',
  'ORIGIN_REFUSED',
  'ROUTE_UNKNOWN',
  'METHOD_NOT_ALLOWED',
  'TOO_LARGE',
  'NOT_JSON',
  'TOO_MANY_REQUESTS',
  'TIMED_OUT',
  'SHUTTING_DOWN',
  'NOT_POSSIBLE',
  'UNEXPECTED',
] as const

const OF_SERVERS: ReadonlySet<string> = new Set(SERVERS_OWN)

/** A problem as the error it stands for: the library's, with its code and detail, or SERVER_REFUSED. */
export function refusal(status: number, text: string): SpanStoreError {
  const problem = parsedProblem(text)
  const code = problem?.code
  const message = problem?.detail ?? text.slice(0, 500)
  if (code === undefined || OF_SERVERS.has(code))
    return new SpanStoreError('SERVER_REFUSED', message || `the server answered ${status}`, {
      status: problem?.status ?? status,
      problem: code ?? problem?.title ?? String(status),
    })
  const error = new SpanStoreError(
    code as ErrorCode,
    message,
    (problem?.error ?? {}) as ErrorDetail[ErrorCode],
  )
  if (problem?.resumable === true) RESUMABLE.add(error)
  return error
}

const RESUMABLE = new WeakSet<object>()

/** A lease that the server forgot, and nobody took: who held it can take it back. */
export const isResumable = (error: unknown): boolean => RESUMABLE.has(error as object)

/** Waiting may help: the server is out of reach, or busy. What it refuses otherwise it refuses for good. */
export function isPassing(error: unknown): boolean {
  if (!isSpanStoreError(error)) return false
  if (isSpanStoreError(error, 'SERVER_REFUSED'))
    return [TIMED_OUT, 429].includes(error.detail.status) || error.detail.status >= 500
  return error.code === 'SERVER_UNREACHABLE' || error.code === 'STORE_CLOSED' || error.code === 'STORE_BUSY'
}
