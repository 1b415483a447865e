import { isIndex } from '../core/filter.ts'
import type { Json, Metadata } from '../core/json.ts'

/** What kind of value stands at a path. Those of array elements are `ELEMENT` higher. */
export const KIND = { null: 0, false: 1, true: 2, number: 3, text: 4, nested: 5, odd: 6 } as const
export const ELEMENT = 8

/** Stands for everything in metadata that is too large to be taken apart. */
export const WHOLE = '[]'

/** One thing by which a span can be found. */
export interface Entry {
  /** Its path, in JSON. */
  readonly path: string
  readonly kind: number
  /** 0 where the kind says all. */
  readonly value: number | string
}

/** Code points of a text that are compared; spans whose texts begin alike are told apart by the ledger. */
const PREFIX = 64

/** Metadata with more to find than this is found by being large. */
const MOST = 200
const DEEPEST = 16

const isOdd = (text: string): boolean => text.includes('\u0000') || /\p{Surrogate}/u.test(text)

/**
 * The part of a text by which it is looked up: as ordered as the texts themselves, though not strictly. Undefined for
 * a text with a NUL or half a surrogate pair, whose order is not that of its bytes everywhere.
 */
export function prefixOf(text: string): string | undefined {
  if (isOdd(text)) return undefined
  // By code points: cut by units, one text's prefix may end before the pair that another's still has half of.
  return text.length <= PREFIX
    ? text
    : Array.from(text.slice(0, 2 * PREFIX))
        .slice(0, PREFIX)
        .join('')
}

/** The kind and value of a scalar, or the kind of anything else. */
export function kindOf(value: Json): { readonly kind: number; readonly value: number | string } {
  if (value === null) return { kind: KIND.null, value: 0 }
  if (typeof value === 'boolean') return { kind: value ? KIND.true : KIND.false, value: 0 }
  if (typeof value === 'number') return { kind: KIND.number, value }
  if (typeof value === 'object') return { kind: KIND.nested, value: 0 }
  const prefix = prefixOf(value)
  return prefix === undefined ? { kind: KIND.odd, value: 0 } : { kind: KIND.text, value: prefix }
}

/**
 * Everything in metadata by which a filter may find it. Keys that look like an index are left out, with what is
 * below them: paths through them are not looked up.
 */
export function entriesOf(metadata: Metadata): readonly Entry[] {
  const entries: Entry[] = []
  const visit = (value: Json, path: readonly string[]): boolean => {
    const name = JSON.stringify(path)
    entries.push({ path: name, ...kindOf(value) })
    if (entries.length > MOST || path.length > DEEPEST) return false
    if (typeof value !== 'object' || value === null) return true
    if (!Array.isArray(value)) return members(value as Metadata, path)
    for (const element of value) {
      const { kind, value: key } = kindOf(element)
      entries.push({ path: name, kind: kind + ELEMENT, value: key })
      if (entries.length > MOST) return false
    }
    return true
  }
  const members = (object: Metadata, path: readonly string[]): boolean =>
    Object.keys(object).every((key) => isIndex(key) || visit(object[key]!, [...path, key]))
  return members(metadata, []) ? entries : [{ path: WHOLE, kind: KIND.nested, value: 0 }]
}
