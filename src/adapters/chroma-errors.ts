/*
 * Refusals, with the class names and the `name`s of Chroma's client, so that code which tells them apart by name goes
 * on working. They are not the classes of the `chromadb` package: for `instanceof`, import them from here.
 */

/** What every refusal is: `status` is that of the HTTP answer it would be. */
export class ChromaError extends Error {
  override readonly name: string = 'ChromaError'
  readonly status: number

  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}

/** The request makes no sense (400, 422). */
export class ChromaClientError extends ChromaError {
  override readonly name = 'ChromaClientError'
}

/** An argument was refused before anything was asked of the store. */
export class ChromaValueError extends ChromaError {
  override readonly name = 'ChromaValueError'
}

/** No such collection, record, tenant or database, or one that is no more (404, 410). */
export class ChromaNotFoundError extends ChromaError {
  override readonly name = 'ChromaNotFoundError'
}

/** The name or the id is in use (409). */
export class ChromaUniqueError extends ChromaError {
  override readonly name = 'ChromaUniqueError'
}

/** 403. */
export class ChromaForbiddenError extends ChromaError {
  override readonly name = 'ChromaForbiddenError'
}

/** A condition of a `commit` did not hold; nothing was written (409). */
export class ChromaConditionalWriteConflictError extends ChromaError {
  override readonly name = 'ChromaConditionalWriteConflictError'
}

/** What was read is no longer so (412). */
export class ChromaStaleReadError extends ChromaError {
  override readonly name = 'ChromaStaleReadError'
}

/** The store failed, or cannot do this (500, 501). */
export class ChromaServerError extends ChromaError {
  override readonly name = 'ChromaServerError'
}

const BY_ANSWER: Readonly<Record<string | number, typeof ChromaError>> = {
  ConditionalWriteConflictError: ChromaConditionalWriteConflictError,
  400: ChromaClientError,
  403: ChromaForbiddenError,
  404: ChromaNotFoundError,
  409: ChromaUniqueError,
  410: ChromaNotFoundError,
  412: ChromaStaleReadError,
  422: ChromaClientError,
}

/** The error for an answer: by its code, else by its status. */
export function refusalOf(status: number, code: string, message: string): ChromaError {
  return new (BY_ANSWER[code] ?? BY_ANSWER[status] ?? ChromaServerError)(message, status)
}
