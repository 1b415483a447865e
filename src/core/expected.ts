import { SpanStoreError } from './errors.ts'

/**
 * What a write was made for: the revision its caller had read, of a source, or of the one source that all of these
 * keys belong to. 0: a source that was never there.
 */
export interface Expected {
  readonly revision: number
  readonly of: { readonly source: string } | { readonly keys: readonly string[] }
}

/** @throws REVISION_CONFLICT */
export function requireRevision(source: string, expected: number | undefined, actual: number): void {
  if (expected === undefined || expected === actual) return
  throw new SpanStoreError(
    'REVISION_CONFLICT',
    `source ${JSON.stringify(source)} stands at revision ${actual}, not ${expected}: read it again and redo the change`,
    { source, expected, actual },
  )
}
