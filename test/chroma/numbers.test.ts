import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBody } from '../../src/wire/chroma/body.ts'
import {
  doubleText,
  ExactNumber,
  shortestFloat,
  vectorFromBase64,
  vectorText,
} from '../../src/wire/chroma/numbers.ts'

describe('32-bit floats', () => {
  test('are printed as the shortest decimal that is the same float', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const printed = shortestFloat(value)
        expect(Math.fround(printed)).toBe(Object.is(value, -0) ? printed : value)
        const digits = (text: string) =>
          text
            .replace(/e.*/, '')
            .replace(/[-.]/g, '')
            .replace(/^0+|0+$/g, '').length
        for (let fewer = 1; fewer < digits(String(printed)); fewer++)
          expect(Math.fround(Number(value.toPrecision(fewer)))).not.toBe(value)
      }),
      { numRuns: 2_000 },
    )
  })

  // As a real Chroma printed them; of two that are as near, the even one.
  test.each([
    [0.1, '0.1'],
    [-40554.9375, '-40554.938'],
    [-7387.53125, '-7387.5312'],
    [40554.9375, '40554.938'],
    [16777216, '16777216'],
    [1e-5, '0.00001'],
    [123456789, '123456790'],
  ])('%d is %s', (value, text) => {
    expect(vectorText(Float32Array.of(value))).toBe(`[${text}]`)
  })

  test('come from base64 bit by bit; what is no base64 of floats is told', () => {
    fc.assert(
      fc.property(fc.float32Array({ minLength: 1, maxLength: 9 }), (vector) => {
        const text = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
        expect(vectorFromBase64(text)).toEqual(vector)
      }),
    )
    for (const text of ['AACAPw', '!!', 'AAAA', 'AACAPw== ']) expect(vectorFromBase64(text)).toBeUndefined()
  })

  test('base64 is taken exactly where its bytes give it back', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'AQgw/+9z=-_ \n'), maxLength: 12 })
    const kept = fc.uint8Array({ maxLength: 24 }).map((bytes) => Buffer.from(bytes).toString('base64'))
    fc.assert(
      fc.property(
        fc.oneof(
          letters,
          kept,
          fc.tuple(kept, letters).map(([a, b]) => a + b),
        ),
        (text) => {
          const bytes = Buffer.from(text, 'base64')
          const whole = bytes.toString('base64') === text && bytes.length % 4 === 0
          const vector = vectorFromBase64(text)
          expect(vector && Buffer.from(vector.buffer).toString('base64')).toBe(whole ? text : undefined)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('JSON', () => {
  test('is read as JavaScript reads it, but for numbers that say more', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        expect(JSON.stringify(parseBody(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
    const value = parseBody(
      ' {"a" : [1.0, 1, -2e3 ,9007199254740993], "b":{"c\\"":"1.0,"}, "d":[1.5,true,null]} ',
    ) as {
      a: unknown[]
    }
    expect(value.a).toEqual([
      new ExactNumber(1, '1.0', false),
      1,
      new ExactNumber(-2000, '-2000.0', false),
      new ExactNumber(9007199254740992, '9007199254740993', true),
    ])
    expect(JSON.stringify(value)).toBe(
      '{"a":[1,1,-2000,9007199254740992],"b":{"c\\"":"1.0,"},"d":[1.5,true,null]}',
    )
  })

  test.each([
    [1, '1.0'],
    [1e16, '1e+16'],
    [-0, '0.0'],
    [2.5, '2.5'],
    [1.2345678901234568e20, '1.2345678901234568e+20'],
  ])('the double %d is %s', (value, text) => {
    expect(doubleText(value)).toBe(text)
  })

  test('nests as deep as Chroma lets it', () => {
    const nested = `${'['.repeat(200)}1.0${']'.repeat(200)}`
    expect(() => parseBody(nested)).toThrow('recursion limit')
    expect(() => parseBody('{')).toThrow('Failed to parse')
  })
})
