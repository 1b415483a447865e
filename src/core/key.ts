import { SpanStoreError } from './errors.ts'

declare const brand: unique symbol

/** The name of a span or summary: a ULID, minted by the store, unique in it, never reused. Opaque. */
export type Key = string & { readonly [brand]: 'Key' }

// The first character stops at 7 because a ULID's 48-bit time leaves the top two bits of 130 unused.
const KEY = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

export const isKey = (value: unknown): value is Key => typeof value === 'string' && KEY.test(value)

/** Reads a key a person typed: case does not matter. @throws INVALID_ARGUMENT */
export function parseKey(value: unknown, path = 'key'): Key {
  const upper = typeof value === 'string' ? value.trim().toUpperCase() : value
  if (isKey(upper)) return upper
  throw new SpanStoreError(
    'INVALID_ARGUMENT',
    `${path}: ${typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `a ${typeof value}`} is not a key; a key is 26 characters of Crockford base 32, as the store returned it`,
    { path, value },
  )
}

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Where a ULID's random part begins. */
const RANDOM = 10

/** The next key in the ULID specification's monotonic order; undefined after the last of its millisecond. */
export function keyAfter(key: Key): Key | undefined {
  for (let i = key.length - 1; i >= RANDOM; i--) {
    const digit = DIGITS.indexOf(key[i]!)
    if (digit < 31) return (key.slice(0, i) + DIGITS[digit + 1] + '0'.repeat(key.length - 1 - i)) as Key
  }
  return undefined
}
