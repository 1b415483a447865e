import { SpanStoreError } from '../core/errors.ts'
import { invalid, wholeNumber } from '../core/given.ts'

/** An embedder's failure, as the store and its callers see it: what went wrong, and what to do. */
export const failed = (embedder: string, what: string, cause?: unknown): SpanStoreError<'EMBEDDER_FAILED'> =>
  new SpanStoreError(
    'EMBEDDER_FAILED',
    `embedder ${embedder}: ${what}`,
    { embedder },
    cause === undefined ? {} : { cause },
  )

export const aborted = (signal: AbortSignal): SpanStoreError<'ABORTED'> =>
  new SpanStoreError('ABORTED', 'the embedding was aborted by its signal', {}, { cause: signal.reason })

/** `value` if it is a whole number of at least `least`, `fallback` if it was left out. @throws INVALID_ARGUMENT */
export const count = (path: string, value: unknown, fallback: number, least: number): number =>
  value === undefined ? fallback : wholeNumber(path, value, least)

/** A text that has to say something, such as a model's name. */
export function named(path: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw invalid(path, value, 'give a text that is not blank')
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
