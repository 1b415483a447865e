import { SpanStoreError } from './errors.ts'
import { show } from './given.ts'
import type { Key } from './key.ts'

/*
 * A cursor says how far each collection has been read. It is opaque to callers, safe in URLs and headers, and
 * names collections by id, so it survives renames: `c1` and, per collection, `.`, its id, the position in base 36.
 */

const VERSION = 'c1'
const PART = /^([0-7][0-9A-HJKMNP-TV-Z]{25})(0|[1-9a-z][0-9a-z]{0,10})$/

/** Equal positions give equal tokens, whatever order they come in. */
export function encodeCursor(positions: ReadonlyMap<string, number>): string {
  const parts = [...positions].map(([collection, position]) => `.${collection}${position.toString(36)}`)
  return VERSION + parts.sort().join('')
}

/** Positions by collection id. Whether the collections are this store's is for the ledger to say. @throws CURSOR_INVALID */
export function decodeCursor(token: unknown): Map<Key, number> {
  const [version, ...parts] = typeof token === 'string' ? token.split('.') : []
  const positions = new Map<Key, number>()
  if (version !== VERSION) throw invalidCursor(token, 'it was not made by this store')
  for (const part of parts) {
    const [, collection, digits] = PART.exec(part) ?? []
    const position = Number.parseInt(digits ?? '', 36)
    if (collection === undefined || !Number.isSafeInteger(position) || positions.has(collection as Key))
      throw invalidCursor(token, 'it is damaged')
    positions.set(collection as Key, position)
  }
  return positions
}

export const invalidCursor = (token: unknown, why: string) =>
  new SpanStoreError(
    'CURSOR_INVALID',
    `${show(token)} cannot be used as a cursor: ${why}; pass a cursor as this store returned it, or start anew`,
    { cursor: typeof token === 'string' ? token : show(token) },
  )
