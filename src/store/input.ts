import { SpanStoreError } from '../core/errors.ts'
import type { Expected } from '../core/expected.ts'
import { identifier, invalid, wholeNumber } from '../core/given.ts'
import type { Json, Metadata } from '../core/json.ts'

export {
  abortSignal,
  array,
  flag,
  fraction,
  identifier,
  invalid,
  object,
  show,
  wellFormed,
  wholeNumber,
} from '../core/given.ts'

/*
 * What callers hand in is checked here, once, before anything is read or written: a refused call leaves the store
 * exactly as it was.
 */

/** What names a write, so that sending it again answers what it answered first. */
export interface Command {
  readonly commandId?: string
}

export const commandOption = (scope: string, commandId: string | undefined): Command =>
  commandId === undefined ? {} : { commandId: `${scope} ${identifier('commandId', commandId)}` }

/** The revision a write was made for. */
export const expectedOption = (
  path: string,
  revision: number | undefined,
  of: Expected['of'],
): { readonly expected?: Expected } =>
  revision === undefined
    ? {}
    : { expected: { revision: wholeNumber(`${path}.expectedRevision`, revision, 0), of } }

/** A loop: `every` would call a function for each number. */
export function allFinite(vector: Float32Array): boolean {
  for (let i = 0; i < vector.length; i++) if (!Number.isFinite(vector[i])) return false
  return true
}

export function vectorOf(path: string, value: unknown): Float32Array {
  if (!(value instanceof Float32Array) && !Array.isArray(value))
    throw invalid(path, value, 'give a Float32Array or an array of numbers')
  // Not left to the conversion, which makes 0 of null and 1 of true.
  if (Array.isArray(value)) {
    const other = value.findIndex((number) => typeof number !== 'number')
    if (other >= 0) throw invalid(`${path}[${other}]`, value[other], 'give a number')
  }
  const vector = value instanceof Float32Array ? value.slice() : Float32Array.from(value as number[])
  if (vector.length === 0 || !allFinite(vector))
    throw new SpanStoreError(
      'INVALID_VECTOR',
      `${path} ${vector.length === 0 ? 'is empty' : 'holds a number that is not finite in 32 bits'}; give finite numbers`,
      { path, actual: vector.length },
    )
  return vector
}

/** Metadata nests this deep at most: SQLite's own JSON stops a little above a thousand. */
const METADATA_DEPTH = 100

export function metadataOf(path: string, value: unknown): Metadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(path, value, 'give an object of JSON values')
  return sorted(path, value, 0) as Metadata
}

/** Canonical JSON (sorted keys), so that equal metadata are equal strings; undefined when there is none. */
export function canonical(metadata: Metadata | undefined): string | undefined {
  if (metadata === undefined) return undefined
  const text = JSON.stringify(metadata)
  return text === '{}' ? undefined : text
}

function sorted(path: string, value: unknown, depth: number): Json {
  if (depth > METADATA_DEPTH) throw invalid(path, '…', `nest metadata at most ${METADATA_DEPTH} deep`)
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      break
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return value.map((item, i) => sorted(`${path}[${i}]`, item, depth + 1))
      if (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null) {
        // fromEntries defines own properties, so a key called __proto__ stays a key.
        return Object.fromEntries(
          Object.keys(value)
            .filter((key) => (value as Record<string, unknown>)[key] !== undefined)
            .sort()
            .map((key) => [
              key,
              sorted(`${path}.${key}`, (value as Record<string, unknown>)[key], depth + 1),
            ]),
        )
      }
  }
  throw invalid(
    path,
    value,
    'metadata holds strings, finite numbers, booleans, null, arrays and plain objects',
  )
}
