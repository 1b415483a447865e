import { isSpanStoreError } from '../../core/errors.ts'

/** A refusal as Chroma's clients know it: they choose the class they throw by the status, and by `error`. */
export class ChromaFailure extends Error {
  override readonly name = 'ChromaFailure'
  readonly status: number
  readonly error: string

  constructor(status: number, error: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.status = status
    this.error = error
  }
}

/** The request is understood, and wrong. */
export const invalid = (message: string) => new ChromaFailure(400, 'InvalidArgumentError', message)

/** The request has another shape than it must have. */
export const misshapen = (message: string) =>
  new ChromaFailure(
    422,
    'ChromaError',
    `Failed to deserialize the JSON body into the target type: ${message}`,
  )

export const notFound = (message: string) => new ChromaFailure(404, 'NotFoundError', message)

export const exists = (message: string) => new ChromaFailure(409, 'ChromaError', message)

export const unimplemented = (message: string) => new ChromaFailure(501, 'ChromaError', message)

const STATUS: Readonly<Record<string, readonly [number, string]>> = {
  COLLECTION_DROPPED: [404, 'NotFoundError'],
  COLLECTION_UNKNOWN: [404, 'NotFoundError'],
  COLLECTION_RENAMED: [404, 'NotFoundError'],
  COLLECTION_EXISTS: [409, 'ChromaError'],
  COLLECTION_MISMATCH: [409, 'ChromaError'],
  REVISION_CONFLICT: [409, 'ChromaError'],
  ERASED_TEXT: [409, 'ChromaError'],
  NO_VECTORS: [400, 'InvalidArgumentError'],
  STORE_BUSY: [503, 'ChromaError'],
  STORE_CLOSED: [503, 'ChromaError'],
  STORAGE_FAILED: [507, 'InternalError'],
  STORE_CORRUPT: [500, 'InternalError'],
  EMBEDDER_FAILED: [502, 'InternalError'],
  RERANKER_FAILED: [502, 'InternalError'],
  ABORTED: [503, 'ChromaError'],
}

/** What a store refused, in Chroma's terms. Undefined: not the store's doing. */
export function failureOf(error: unknown): ChromaFailure | undefined {
  if (error instanceof ChromaFailure) return error
  if (!isSpanStoreError(error)) return undefined
  const [status, name] = STATUS[error.code] ?? [400, 'InvalidArgumentError']
  return new ChromaFailure(status, name, error.message, { cause: error })
}
