import { type ErrorCode, isSpanStoreError, type SpanStoreError } from '../core/errors.ts'

/** Codes of refusals that are the server's own, beside those of `SpanStoreError`. */
export type ProblemCode =
  | ErrorCode
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'HOST_REFUSED'
  | 'ORIGIN_REFUSED'
  | 'ROUTE_UNKNOWN'
  | 'METHOD_NOT_ALLOWED'
  | 'TOO_LARGE'
  | 'NOT_JSON'
  | 'TOO_MANY_REQUESTS'
  | 'TIMED_OUT'
  | 'SHUTTING_DOWN'
  | 'NOT_POSSIBLE'
  | 'UNEXPECTED'

/** The HTTP status of every broken contract of the store. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  INVALID_ARGUMENT: 400,
  ILL_FORMED_TEXT: 400,
  INVALID_FILTER: 400,
  INVALID_CHUNKS: 400,
  CHUNK_UNPLACEABLE: 400,
  INVALID_VECTOR: 400,
  DUPLICATE_SOURCE: 400,
  COLLECTION_MISMATCH: 409,
  COLLECTION_UNKNOWN: 404,
  COLLECTION_EXISTS: 409,
  COLLECTION_RENAMED: 410,
  COLLECTION_DROPPED: 410,
  REVISION_CONFLICT: 409,
  REVISION_UNKNOWN: 404,
  SOURCE_UNKNOWN: 404,
  KEY_NOT_LIVE: 409,
  POSITION_UNKNOWN: 400,
  ERASED_TEXT: 409,
  CASCADE_REQUIRED: 409,
  DEPENDENCY_UNSATISFIED: 409,
  INPUTS_MOVED: 409,
  CYCLE: 409,
  REHYDRATION_BOUNDARY: 409,
  RECALL_BROKEN: 409,
  SESSION_FROZEN: 409,
  CONSUMER_UNKNOWN: 404,
  CONSUMER_MISMATCH: 409,
  CONSUMER_LEASED: 409,
  LEASE_LOST: 409,
  CURSOR_EXPIRED: 410,
  CURSOR_INVALID: 400,
  ACK_OUT_OF_ORDER: 409,
  EMBEDDER_FAILED: 502,
  RERANKER_FAILED: 502,
  EMBEDDER_MISMATCH: 409,
  NO_VECTORS: 409,
  STORE_BUSY: 503,
  STORE_TOO_NEW: 500,
  MIGRATION_CHANGED: 500,
  STORE_NOT_FOUND: 500,
  STORE_CORRUPT: 500,
  STORAGE_FAILED: 507,
  STORE_CLOSED: 503,
  BACKUP_INVALID: 500,
  ABORTED: 408,
  SERVER_UNREACHABLE: 502,
  SERVER_REFUSED: 502,
}

/** A refusal as HTTP knows it: thrown anywhere below a server, rendered once, in the protocol of the route. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: ProblemCode
  /** Further members of the body. */
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: ProblemCode,
    message: string,
    more: {
      readonly members?: Readonly<Record<string, unknown>>
      readonly headers?: Readonly<Record<string, string>>
      readonly cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.status = status
    this.code = code
    this.members = more.members ?? {}
    this.headers = more.headers ?? {}
  }
}

/**
 * What to answer for anything thrown. The store's own errors keep their code and detail; of others nothing is told,
 * because nobody knows what their messages hold.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isSpanStoreError(error)) return ofStore(error)
  return new Problem(500, 'UNEXPECTED', 'the server failed; its log says how', { cause: error })
}

function ofStore(error: SpanStoreError): Problem {
  // What the caller sent may be large, or nested too deep to be printed; the message shows its beginning.
  const { value: _, ...members } = error.detail as { readonly value?: unknown }
  return new Problem(STATUS[error.code], error.code, advised(error), {
    members: Object.keys(members).length === 0 ? {} : { error: members },
    headers: error.code === 'STORE_BUSY' ? { 'Retry-After': '1' } : {},
    cause: error,
  })
}

/** What to do about a refusal, where the store's own advice names calls of the library. */
const ADVICE: { readonly [Code in ErrorCode]?: string } = {
  COLLECTION_UNKNOWN: 'GET /v1/collections lists them',
  CONSUMER_LEASED: 'end that one with POST /v1/consumers/{consumer}/release, or wait until then',
  CONSUMER_MISMATCH:
    'ask with its filter, use another name, or change it with PUT /v1/consumers/{consumer}/filter',
  CONSUMER_UNKNOWN: 'GET /v1/consumers lists them, PUT /v1/consumers/{consumer} makes one',
  SESSION_FROZEN:
    'only reconcile ends it, which takes a summarizer: call it in a program that opens the store itself (and discard-epoch before, where decision is freeze_and_rollback)',
}

function advised({ code, message }: SpanStoreError): string {
  const advice = ADVICE[code]
  return advice === undefined ? message : message.replace(/; [^;]*$/, `; ${advice}`)
}

/** RFC 9457. */
export function problemResponse(problem: Problem, further: Readonly<Record<string, string>> = {}): Response {
  const { status, code, message, members, headers } = problem
  return new Response(
    JSON.stringify({
      type: problemType(code),
      title: code,
      status,
      detail: message,
      code,
      ...members,
    }),
    { status, headers: { 'Content-Type': 'application/problem+json', ...further, ...headers } },
  )
}

export const problemType = (word: string): string =>
  `urn:spanstore:problem:${word.toLowerCase().replaceAll('_', '-')}`
