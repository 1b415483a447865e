/** Compiled by `npm run check:types`, never run: an `@ts-expect-error` that no longer errs fails the build. */
import { isSpanStoreError, SpanStoreError } from '../../src/core/errors.ts'

declare const error: unknown

if (isSpanStoreError(error, 'INVALID_CHUNKS')) {
  error.detail.chunker satisfies string
  error.detail.ordinal satisfies number
  // @ts-expect-error INVALID_CHUNKS carries no path
  error.detail.path
}

// @ts-expect-error not a code
isSpanStoreError(error, 'NO_SUCH_CODE')

// @ts-expect-error the detail belongs to another code
new SpanStoreError('INVALID_CHUNKS', 'message', { path: 'spans[0]' })
