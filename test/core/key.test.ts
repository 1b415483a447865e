import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKey, type Key, keyAfter, parseKey } from '../../src/core/key.ts'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const keys = fc
  .array(fc.integer({ min: 0, max: 31 }), { minLength: 25, maxLength: 25 })
  .map((digits) => `0${digits.map((d) => DIGITS[d]).join('')}` as Key)

describe('keys', () => {
  it('follow each other in order, in the same millisecond, and are keys', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const next = keyAfter(key)
        if (next === undefined) return key.slice(10) === 'Z'.repeat(16)
        return isKey(next) && next > key && next.slice(0, 10) === key.slice(0, 10)
      }),
    )
  })

  it('carry over, and end with their millisecond', () => {
    expect(keyAfter('01ARZ3NDEK00000000000000ZZ' as Key)).toBe('01ARZ3NDEK0000000000000100')
    expect(keyAfter('01ARZ3NDEKZZZZZZZZZZZZZZZZ' as Key)).toBeUndefined()
  })

  it('are read as people type them, and nothing else is', () => {
    expect(parseKey(' 01arz3ndektsv4rrffq69g5fav ')).toBe('01ARZ3NDEKTSV4RRFFQ69G5FAV')
    for (const wrong of ['', '01ARZ3NDEKTSV4RRFFQ69G5FA', '81ARZ3NDEKTSV4RRFFQ69G5FAV', 'i'.repeat(26), 7])
      expect(() => parseKey(wrong)).toThrow(/is not a key/)
  })
})
