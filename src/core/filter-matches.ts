import { type Filter, isIndex, type Order } from './filter.ts'
import type { Json, Metadata } from './json.ts'

/*
 * What a filter means, in the plainest way: the reference for whatever a ledger or an index makes of one.
 */

/** Whether metadata satisfies a filter. No metadata is the same as `{}`. */
export function matches(filter: Filter, metadata: Metadata | undefined): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((part) => matches(part, metadata))
    case 'or':
      return filter.filters.some((part) => matches(part, metadata))
    case 'not':
      return !matches(filter.filter, metadata)
  }
  const found = resolve(metadata, filter.path)
  if (found === undefined) return false
  switch (filter.op) {
    case 'exists':
      return true
    case 'eq':
      return equals(found, filter.value)
    case 'in':
      return filter.values.some((value) => equals(found, value))
    case 'contains':
      if (Array.isArray(found)) return found.some((item) => equals(item, filter.value))
      return typeof found === 'string' && typeof filter.value === 'string' && isPart(filter.value, found)
    default:
      return inOrder(filter.op, found, filter.value)
  }
}

function resolve(metadata: Metadata | undefined, path: readonly string[]): Json | undefined {
  let at: Json | undefined = metadata
  for (const segment of path) {
    if (typeof at !== 'object' || at === null) return undefined
    if (Array.isArray(at) && !isIndex(segment)) return undefined
    at = Object.hasOwn(at, segment) ? (at as Metadata)[segment] : undefined
  }
  return at
}

function equals(a: Json, b: Json): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  // Arrays too: their keys are their indexes.
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equals((a as Metadata)[key]!, (b as Metadata)[key]!))
}

function inOrder(op: Order, found: Json, bound: number | string): boolean {
  let sign: number
  if (typeof found === 'number' && typeof bound === 'number')
    sign = found < bound ? -1 : found > bound ? 1 : 0
  else if (typeof found === 'string' && typeof bound === 'string') sign = byCodePoint(found, bound)
  else return false
  if (op === 'gt') return sign > 0
  if (op === 'gte') return sign >= 0
  return op === 'lt' ? sign < 0 : sign <= 0
}

/** Orders strings as their UTF-8 bytes do; `<` would put the pairs of an emoji before U+E000. */
function byCodePoint(a: string, b: string): number {
  for (let i = 0; ; i++) {
    const left = a.codePointAt(i) ?? -1
    const right = b.codePointAt(i) ?? -1
    if (left !== right || left < 0) return left - right
    if (left > 0xffff) i++
  }
}

/** Whether `part` occurs in `text` without cutting a surrogate pair of `text` in two. */
function isPart(part: string, text: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    if (!cutsPair(text, at) && !cutsPair(text, at + part.length)) return true
  }
  return false
}

const cutsPair = (text: string, at: number): boolean => at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
