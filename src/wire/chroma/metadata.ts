import type { Json, Metadata } from '../../core/json.ts'
import { isObject, type Parsed } from './body.ts'
import { invalid, misshapen, unimplemented } from './failure.ts'
import { doubleText, ExactNumber } from './numbers.ts'

/*
 * A record's metadata are the span's own, as plain JSON, so that everything else in the store can filter by them. Two
 * members beside the client's: `chroma:uri`, where Chroma itself keeps a record's URI, and `chroma:exact`, which says
 * for numbers that JSON in JavaScript would flatten how they are printed. Members whose names begin with `chroma:` are
 * stored and can be filtered by, and are never shown: that is what Chroma does with them.
 */

const URI = 'chroma:uri'
const EXACT = 'chroma:exact'
const HIDDEN = 'chroma:'

export type FieldType = 'string' | 'bool' | 'int' | 'float'

interface Stored {
  readonly value: Json
  /** How it is printed, where JSON would print it in another way. */
  readonly exact: string | readonly string[] | undefined
  /** Of the value, or of what a list holds. */
  readonly type: FieldType
}

/** What a write says of each member; null takes it away. */
export type MetadataPatch = ReadonlyMap<string, Stored | null>

/** @throws ChromaFailure 422 for values Chroma has no place for, 400 for an empty name */
export function metadataPatch(
  value: Parsed,
  path: string,
  options: { readonly nulls: boolean; readonly field: string; readonly index: number },
): MetadataPatch {
  if (!isObject(value)) throw misshapen(`${path}: invalid type, expected a map`)
  const patch = new Map<string, Stored | null>()
  for (const [name, member] of Object.entries(value)) {
    if (name === '' || name === EXACT)
      throw invalid(`Validation error: ${options.field}: Invalid metadata at index ${options.index}`)
    if (member === null && options.nulls) patch.set(name, null)
    else {
      const stored = storedOf(member, `${path}.${name}`)
      // An empty list is as good as none, to Chroma: it takes away what was there.
      patch.set(name, stored ?? null)
    }
  }
  return patch
}

function storedOf(value: Parsed, path: string): Stored | undefined {
  if (typeof value === 'string') return { value, exact: undefined, type: 'string' }
  if (typeof value === 'boolean') return { value, exact: undefined, type: 'bool' }
  if (typeof value === 'number')
    return { value, exact: undefined, type: Number.isInteger(value) ? 'int' : 'float' }
  if (value instanceof ExactNumber)
    return { value: value.value, exact: value.text, type: value.integer ? 'int' : 'float' }
  if (Array.isArray(value)) return storedList(value, path)
  if (isObject(value) && Array.isArray(value.indices) && Array.isArray(value.values))
    throw unimplemented(`Unimplemented: Sparse vector is not supported for local chroma: ${path}`)
  throw misshapen(`${path}: data did not match any variant of untagged enum MetadataValue`)
}

function storedList(list: readonly Parsed[], path: string): Stored | undefined {
  if (list.length === 0) return undefined
  if (list.every((item) => typeof item === 'string'))
    return { value: list as string[], exact: undefined, type: 'string' }
  if (list.every((item) => typeof item === 'boolean'))
    return { value: list as boolean[], exact: undefined, type: 'bool' }
  if (!list.every((item) => typeof item === 'number' || item instanceof ExactNumber))
    throw misshapen(`${path}: data did not match any variant of untagged enum MetadataValue`)
  const numbers = list as readonly (number | ExactNumber)[]
  const value = numbers.map((number) => (typeof number === 'number' ? number : number.value))
  const integers = numbers.every((one) => (typeof one === 'number' ? Number.isInteger(one) : one.integer))
  // Among doubles, whole numbers are doubles.
  const exact = numbers.map((one, i) => {
    if (integers) return typeof one === 'number' ? String(one) : one.text
    return doubleText(value[i]!)
  })
  const type = integers ? 'int' : 'float'
  return exact.every((text, i) => text === JSON.stringify(value[i]))
    ? { value, exact: undefined, type }
    : { value, exact, type }
}

/** Names and types of what a write sets; those that Chroma hides are not counted. */
export function fieldsOf(patch: MetadataPatch): readonly (readonly [name: string, type: FieldType])[] {
  const fields: (readonly [string, FieldType])[] = []
  for (const [name, stored] of patch)
    if (stored !== null && !name.startsWith(HIDDEN)) fields.push([name, stored.type])
  return fields
}

/** Metadata after a write: what it says is set or taken away, the rest stays. */
export function patched(
  before: Metadata | undefined,
  patch: MetadataPatch | undefined,
  uri: string | null | undefined,
): Metadata | undefined {
  const members = new Map<string, Json>(Object.entries(before ?? {}))
  const exact = new Map<string, Json>(Object.entries((before?.[EXACT] as Metadata | undefined) ?? {}))
  members.delete(EXACT)
  for (const [name, stored] of patch ?? []) {
    exact.delete(name)
    if (stored === null) members.delete(name)
    else {
      members.set(name, stored.value)
      if (stored.exact !== undefined) exact.set(name, stored.exact as Json)
    }
  }
  if (uri != null) members.set(URI, uri)
  if (exact.size > 0) members.set(EXACT, Object.fromEntries(exact))
  return members.size === 0 ? undefined : Object.fromEntries(members)
}

/**
 * Stored metadata as a client sees them, in JSON. `json` is canonical. `all`: also names that records hide, as
 * collections do not.
 */
export function metadataText(json: string | undefined, all = false): string {
  if (json === undefined) return 'null'
  if (!json.includes(`"${HIDDEN}`)) return json
  const metadata = JSON.parse(json) as Metadata
  const exact = (metadata[EXACT] ?? {}) as Metadata
  const parts: string[] = []
  for (const [name, value] of Object.entries(metadata)) {
    if (all ? name === EXACT : name.startsWith(HIDDEN)) continue
    const texts = Object.hasOwn(exact, name) ? exact[name]! : undefined
    const text =
      texts === undefined
        ? JSON.stringify(value)
        : typeof texts === 'string'
          ? texts
          : `[${(texts as readonly string[]).join(',')}]`
    parts.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${parts.join(',')}}`
}

/** A record's URI, from its stored metadata in canonical JSON. */
export function uriOf(json: string | undefined): string | null {
  if (json === undefined || !json.includes(`"${URI}"`)) return null
  return ((JSON.parse(json) as Metadata)[URI] as string | undefined) ?? null
}

/** How a number is printed: an integer, or a double. Undefined where there is no number. */
export function numberAt(
  metadata: Metadata,
  name: string,
): { readonly value: number; readonly text: string; readonly integer: boolean } | undefined {
  const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined
  if (typeof value !== 'number') return undefined
  const text = exactAt(metadata, name)
  const printed = typeof text === 'string' ? text : JSON.stringify(value)
  return { value, text: printed, integer: !/[.eE]/.test(printed) }
}

/** The numbers of a list, and whether they are doubles. Undefined where there is no list of numbers. */
export function numbersAt(
  metadata: Metadata,
  name: string,
):
  | { readonly values: readonly number[]; readonly texts: readonly string[]; readonly integers: boolean }
  | undefined {
  const list = Object.hasOwn(metadata, name) ? metadata[name] : undefined
  if (!Array.isArray(list) || typeof list[0] !== 'number') return undefined
  const values = list as readonly number[]
  const exact = exactAt(metadata, name)
  const texts = Array.isArray(exact)
    ? (exact as readonly string[])
    : values.map((value) => JSON.stringify(value))
  return { values, texts, integers: texts.every((text) => !/[.eE]/.test(text)) }
}

function exactAt(metadata: Metadata, name: string): Json | undefined {
  const exact = metadata[EXACT] as Metadata | undefined
  return exact !== undefined && Object.hasOwn(exact, name) ? exact[name] : undefined
}
