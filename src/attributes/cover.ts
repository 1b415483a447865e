import { type Filter, isIndex } from '../core/filter.ts'
import type { Json } from '../core/json.ts'
import { ELEMENT, KIND, kindOf, prefixOf, WHOLE } from './entries.ts'

/** Values from `low` to `high`, both included; all of the kind where they are undefined. */
export interface Lookup {
  readonly path: string
  readonly kind: number
  readonly low?: number | string
  readonly high?: number | string
}

/** Lookups that together find every span a filter lets pass, and others besides. */
export interface Cover {
  readonly lookups: readonly Lookup[]
  /** How many spans they find. */
  readonly count: number
}

/** More lookups than this cost more than they save. */
const LOOKUPS = 1_000

/**
 * The cheapest cover of a filter; undefined where there is none of at most `most` spans. `count` says how many spans a
 * lookup finds, or something above its second argument.
 */
export function coverOf(
  filter: Filter,
  count: (lookup: Lookup, most: number) => number,
  most: number,
): Cover | undefined {
  switch (filter.op) {
    case 'not':
      return undefined
    case 'and': {
      let best: Cover | undefined
      for (const part of filter.filters) best = coverOf(part, count, best?.count ?? most) ?? best
      return best
    }
    case 'or': {
      const lookups: Lookup[] = []
      let total = 0
      for (const part of filter.filters) {
        const cover = coverOf(part, count, most - total)
        if (cover === undefined) return undefined
        lookups.push(...cover.lookups)
        total += cover.count
      }
      return { lookups, count: total }
    }
  }
  const lookups = lookupsOf(filter)
  if (lookups === undefined || lookups.length > LOOKUPS) return undefined
  // Metadata that was not taken apart may hold anything.
  const all = [...lookups, { path: WHOLE, kind: KIND.nested }]
  let total = 0
  for (const lookup of all) {
    total += count(lookup, most - total)
    if (total > most) return undefined
  }
  return { lookups: all, count: total }
}

type Condition = Exclude<Filter, { readonly op: 'and' | 'or' | 'not' }>

function lookupsOf(filter: Condition): Lookup[] | undefined {
  if (filter.path.some(isIndex)) return undefined
  const path = JSON.stringify(filter.path)
  switch (filter.op) {
    case 'exists':
      return Object.values(KIND).map((kind) => ({ path, kind }))
    case 'eq':
      return [equalTo(path, filter.value, 0)]
    case 'in':
      return filter.values.map((value) => equalTo(path, value, 0))
    case 'contains':
      return typeof filter.value === 'string'
        ? [equalTo(path, filter.value, ELEMENT), { path, kind: KIND.text }, { path, kind: KIND.odd }]
        : [equalTo(path, filter.value, ELEMENT)]
  }
  const { op, value } = filter
  const bound = typeof value === 'number' ? value : prefixOf(value)
  if (bound === undefined) return undefined
  const range = op === 'gt' || op === 'gte' ? { low: bound } : { high: bound }
  if (typeof bound === 'number') return [{ path, kind: KIND.number, ...range }]
  return [
    { path, kind: KIND.text, ...range },
    { path, kind: KIND.odd },
  ]
}

/** What is not a scalar is looked up as something nested. */
function equalTo(path: string, given: Json, element: number): Lookup {
  const { kind, value } = kindOf(given)
  return { path, kind: kind + element, low: value, high: value }
}
