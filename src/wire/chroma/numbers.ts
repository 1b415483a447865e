/*
 * JSON has one kind of number, Chroma has three. Vectors are printed as the shortest decimal that is the same 32-bit
 * float (0.1, not 0.10000000149011612). Metadata tell an integer of up to 64 bits from a double, and a double that is
 * whole is printed with its fraction (1.0), so that a client in a language with both gets back what it gave.
 */

/** A number whose JSON says more than JavaScript's number does: a whole double, or an integer beyond 2^53. */
export class ExactNumber {
  readonly value: number
  /** As it is printed. */
  readonly text: string
  readonly integer: boolean

  constructor(value: number, text: string, integer: boolean) {
    this.value = value
    this.text = text
    this.integer = integer
  }

  toJSON(): number {
    return this.value
  }
}

export type ParsedNumber = number | ExactNumber

export const plainNumber = (number: ParsedNumber): number =>
  typeof number === 'number' ? number : number.value

/** A whole double with its fraction: `1.0`, `1e+16`. */
export function doubleText(value: number): string {
  if (!Number.isInteger(value)) return JSON.stringify(value)
  return Math.abs(value) < 1e16 ? `${Object.is(value, -0) ? 0 : value}.0` : value.toExponential()
}

const I64_MAX = 2n ** 63n - 1n
const I64_MIN = -(2n ** 63n)

/** What a number in JSON is to Chroma. */
export function parseNumber(token: string): ParsedNumber {
  const value = Number(token)
  if (/[.eE]/.test(token))
    return Number.isInteger(value) ? new ExactNumber(value, doubleText(value), false) : value
  if (Number.isSafeInteger(value)) return value
  const integer = BigInt(token)
  // Beyond 64 bits it is a double.
  return integer <= I64_MAX && integer >= I64_MIN
    ? new ExactNumber(value, integer.toString(), true)
    : new ExactNumber(value, doubleText(value), false)
}

const TENS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13]

/** How far the point has to move for six digits to stand before it, for sizes from 0.0001 to 100 000. */
function shiftOf(size: number): number {
  if (size >= 1) return size >= 1e4 ? 1 : size >= 1e3 ? 2 : size >= 1e2 ? 3 : size >= 10 ? 4 : 5
  return size >= 0.1 ? 6 : size >= 0.01 ? 7 : size >= 0.001 ? 8 : 9
}

/** The double that prints as the shortest decimal of this 32-bit float, the nearest of those, the even one of two. */
export function shortestFloat(value: number): number {
  const size = Math.abs(value)
  if (size < 1e6 && Number.isInteger(size)) return value
  if (size >= 1e-4 && size < 1e5) {
    const shift = shiftOf(size)
    for (let more = 0; more < 4; more++) {
      const power = TENS[shift + more]!
      const scaled = size * power
      let whole = Math.round(scaled)
      if (whole - scaled === 0.5 && whole % 2 === 1) whole--
      const rounded = whole / power
      if (Math.fround(rounded) === size) return value < 0 ? -rounded : rounded
    }
  }
  for (let digits = 1; digits < 10; digits++) {
    const rounded = Number(value.toPrecision(digits))
    if (Math.fround(rounded) === value) return rounded
  }
  return value
}

/** A vector as JSON. */
export function vectorText(vector: Float32Array): string {
  const numbers = new Array<number>(vector.length)
  for (let i = 0; i < vector.length; i++) numbers[i] = shortestFloat(vector[i]!)
  return JSON.stringify(numbers)
}

/** A distance, which Chroma works out in 32 bits. */
export const floatText = (value: number): string => JSON.stringify(shortestFloat(Math.fround(value)))

/** A 32-bit vector from base64 of its little-endian bytes; undefined where it is not one. */
export function vectorFromBase64(text: string): Float32Array | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const size = (text.length / 4) * 3 - padding
  if (text.length % 4 !== 0 || size % 4 !== 0) return undefined
  const vector = new Float32Array(size / 4)
  const bytes = Buffer.from(vector.buffer)
  // Buffer passes over what is no base64; Chroma refuses it. To write them again takes a twentieth of what a pattern does.
  return bytes.write(text, 'base64') === size && bytes.toString('base64') === text ? vector : undefined
}
