import type { PlainRequest } from '../mount.ts'
import { ChromaFailure, invalid, misshapen } from './failure.ts'
import { ExactNumber, parseNumber } from './numbers.ts'

/** JSON with its numbers as Chroma tells them apart. */
export type Parsed =
  | null
  | boolean
  | string
  | number
  | ExactNumber
  | readonly Parsed[]
  | { readonly [key: string]: Parsed }

export type ParsedObject = { readonly [key: string]: Parsed }

/**
 * Numbers that JavaScript's own parser would flatten: whole ones with a fraction or exponent, and very long ones. What
 * looks like one inside a text does no harm.
 */
const EXACT = /[:,[]\s*-?\d+(?:\.0+[,\]}\s]|(?:\.\d+)?[eE][-+\d]|(?<=\d{16}))/

/** The body of a request. @throws ChromaFailure 415, 400 */
export async function bodyOf(request: PlainRequest): Promise<Parsed> {
  const type = request.header('content-type') ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type))
    throw new ChromaFailure(
      415,
      'ChromaError',
      'Expected request with `Content-Type: application/json`; send the body as JSON and say so',
    )
  return parseBody(await request.text())
}

export function parseBody(text: string): Parsed {
  let parsed: Parsed
  try {
    parsed = JSON.parse(text) as Parsed
  } catch (error) {
    throw invalid(`Failed to parse the request body as JSON: ${(error as Error).message}`)
  }
  return EXACT.test(text) ? new ExactParser(text).parse() : parsed
}

/** Values nest this deep at most, as in Chroma. */
const DEPTH = 128

/** Reads JSON that is known to be well-formed, keeping what its numbers say. */
class ExactParser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Parsed {
    return this.#value(0)
  }

  #skip(): string {
    while (' \t\n\r'.includes(this.#text[this.#at]!)) this.#at++
    return this.#text[this.#at]!
  }

  #value(depth: number): Parsed {
    if (depth > DEPTH) throw invalid('Failed to parse the request body as JSON: recursion limit exceeded')
    const first = this.#skip()
    if (first === '"') return this.#string()
    if (first === '[') return this.#list(depth)
    if (first === '{') return this.#object(depth)
    const from = this.#at
    while (this.#at < this.#text.length && !',]} \t\n\r'.includes(this.#text[this.#at]!)) this.#at++
    const token = this.#text.slice(from, this.#at)
    return first === 't' || first === 'f' || first === 'n'
      ? (JSON.parse(token) as Parsed)
      : parseNumber(token)
  }

  #string(): string {
    let end = this.#at + 1
    for (; this.#text[end] !== '"'; end++) if (this.#text[end] === '\\') end++
    const text = JSON.parse(this.#text.slice(this.#at, end + 1)) as string
    this.#at = end + 1
    return text
  }

  #list(depth: number): Parsed[] {
    const items: Parsed[] = []
    this.#at++
    while (this.#skip() !== ']') {
      items.push(this.#value(depth + 1))
      if (this.#skip() === ',') this.#at++
    }
    this.#at++
    return items
  }

  #object(depth: number): ParsedObject {
    const entries: [string, Parsed][] = []
    this.#at++
    while (this.#skip() !== '}') {
      const key = this.#string()
      this.#skip()
      this.#at++
      entries.push([key, this.#value(depth + 1)])
      if (this.#skip() === ',') this.#at++
    }
    this.#at++
    return Object.fromEntries(entries)
  }
}

// ── shapes ──────────────────────────────────────────────────────────────────────────────────────────────────

export const isObject = (value: Parsed | undefined): value is ParsedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

const kindOf = (value: Parsed | undefined): string => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'sequence'
  if (value instanceof ExactNumber) return `number \`${value.text}\``
  if (typeof value === 'object') return 'map'
  return typeof value === 'string'
    ? `string ${JSON.stringify(value.slice(0, 60))}`
    : `${typeof value} \`${value}\``
}

const wrong = (path: string, value: Parsed | undefined, expected: string) =>
  value === undefined
    ? misshapen(`missing field \`${path}\``)
    : misshapen(`${path === '' ? '' : `${path}: `}invalid type: ${kindOf(value)}, expected ${expected}`)

export function objectOf(value: Parsed, path = ''): ParsedObject {
  if (isObject(value)) return value
  throw wrong(path, value, 'a map')
}

export function stringOf(value: Parsed | undefined, path: string): string {
  if (typeof value === 'string') return value
  throw wrong(path, value, 'a string')
}

export function listOf(value: Parsed | undefined, path: string): readonly Parsed[] {
  if (Array.isArray(value)) return value
  throw wrong(path, value, 'a sequence')
}

export const stringsOf = (value: Parsed | undefined, path: string): readonly string[] =>
  listOf(value, path).map((one, i) => stringOf(one, `${path}[${i}]`))

/** Strings, and nulls between them. Undefined where the field is missing or null. */
export function textsOf(value: Parsed | undefined, path: string): readonly (string | null)[] | undefined {
  if (value === undefined || value === null) return undefined
  return listOf(value, path).map((one, i) => (one === null ? null : stringOf(one, `${path}[${i}]`)))
}

/** An unsigned 32-bit number; undefined where the field is missing or null. */
export function countOf(value: Parsed | undefined, path: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrong(path, value, 'u32')
  if (value < 0 || value >= 2 ** 32)
    throw misshapen(`${path}: invalid value: integer \`${value}\`, expected u32`)
  return value
}
