/** Compiled by `npm run check:types`, never run: an `@ts-expect-error` that no longer errs fails the build. */
import type { SERVERS_OWN } from '../../src/client/refusal.ts'
import { type ErrorCode, isSpanStoreError, SpanStoreError } from '../../src/core/errors.ts'
import type { ProblemCode } from '../../src/wire/problem.ts'

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

// The client knows every refusal that is a server's own, and takes none of the library's for one.
declare const known: (typeof SERVERS_OWN)[number]
declare const own: Exclude<ProblemCode, ErrorCode>
known satisfies typeof own
own satisfies typeof known
