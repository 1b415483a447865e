import { SpanStoreError } from './errors.ts'

/*
 * Checks of what callers hand in, the same everywhere: the message names the value and says what to do.
 */

export const invalid = (path: string, value: unknown, advice: string) =>
  new SpanStoreError('INVALID_ARGUMENT', `${path} is ${show(value)}; ${advice}`, { path, value })

/** A short, safe rendering of any value for an error message. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'function') return 'a function'
  let text: string
  try {
    text =
      typeof value === 'string'
        ? JSON.stringify(value.slice(0, 80))
        : (JSON.stringify(value) ?? String(value))
  } catch {
    text = 'a value that is no JSON'
  }
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

/** A string that can be given back as it came: SQLite stores UTF-8, which has no lone surrogates. */
export function wellFormed(path: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(path, value, 'give a string')
  if (value.isWellFormed()) return value
  const offset = [...value].findIndex((character) => !character.isWellFormed())
  throw new SpanStoreError(
    'ILL_FORMED_TEXT',
    `${path} holds half a surrogate pair (character ${offset}), so it could not be given back as it came; repair it with toWellFormed(), or cut it elsewhere`,
    { path, offset },
  )
}

/** Whether a text can name something: 1 to 1024 characters that can be given back as they came. */
export const isIdentifier = (text: string): boolean =>
  text.length >= 1 && text.length <= 1024 && text.isWellFormed()

/** An identifier chosen by the caller: 1 to 1024 characters. */
export function identifier(path: string, value: unknown): string {
  const text = wellFormed(path, value)
  if (isIdentifier(text)) return text
  throw invalid(path, value, 'give 1 to 1024 characters')
}

export function wholeNumber(path: string, value: unknown, least: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number
  throw invalid(path, value, `give a whole number of at least ${least}`)
}

/** A switch that is off unless given. */
export function flag(path: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw invalid(path, value, 'give true or false')
}

export function array(path: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalid(path, value, 'give an array')
}

export function object(path: string, value: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(path, value, `give an object with ${known.join(', ')}`)
  for (const key of Object.keys(value))
    if (!known.includes(key))
      throw invalid(
        `${path}.${key}`,
        (value as Record<string, unknown>)[key],
        `the fields are ${known.join(', ')}`,
      )
  return value as Record<string, unknown>
}

/** Calls off what takes long; made by an `AbortController`, of this platform or another's. */
export function abortSignal(path: string, value: unknown): AbortSignal | undefined {
  if (value === undefined) return undefined
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>
  if (typeof aborted === 'boolean' && typeof addEventListener === 'function') return value as AbortSignal
  throw invalid(path, value, 'give the signal of an AbortController')
}

/** A part of something. */
export function fraction(path: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value
  throw invalid(path, value, 'give a number from 0 to 1')
}
