import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Regex, RegexSyntaxError } from '../../src/wire/chroma/regex.ts'

const TEXTS = ['', 'Hello\nWorld', 'ünï', 'aXb', 'a.b']

// What a real Chroma found among these texts.
test.each([
  ['a.b', [3, 4]],
  ['^Hello$', []],
  ['(?m)^Hello$', [1]],
  ['(?i)hello', [1]],
  ['(?i)ÜNÏ', [2]],
  ['\\w+ï', [2]],
  ['', [0, 1, 2, 3, 4]],
  ['o.W', []],
  ['(?s)o.W', [1]],
  ['\\bWorld\\b', [1]],
  ['[[:alpha:]]{5}', [1]],
  ['^$', [0]],
  ['(?P<n>X)', [3]],
  ['\\p{Greek}', []],
  ['\\pL{3}', [1, 2, 3]],
  ['}', []],
  [']', []],
  ['a**', [0, 1, 2, 3, 4]],
  ['\\A', [0, 1, 2, 3, 4]],
  ['\\x{61}', [3, 4]],
  ['(?x) a X b # a comment', [3]],
  ['\\u0061', [3, 4]],
  ['[a-z&&[^b]]X', [3]],
] as const)('%s finds what Chroma finds', (pattern, found) => {
  const regex = new Regex(pattern)
  expect(TEXTS.flatMap((text, i) => (regex.test(text) ? [i] : []))).toEqual(found)
})

test.each([
  '[',
  '(?=a)',
  '(?<!a)',
  'a{2,1}',
  '(a)\\1',
  'a{,2}',
  'a{',
  '\\Z',
  '\\q',
  '*',
  '(',
  'a)',
  '[b-a]',
  '\\p{Nothing}',
  '(?y)',
])('%s is refused', (pattern) => {
  expect(() => new Regex(pattern)).toThrow(RegexSyntaxError)
})

describe('against an engine that goes back and forth', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    'c',
    '.',
    '[ab]',
    '[^a]',
    '\\w',
    '\\s',
    '\\b',
    '(?:ab|c)',
    '(?:a|bc|)',
    'é',
  )
  const piece = fc
    .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{2,}'))
    .map(([one, times]) => (one === '\\b' ? one : one + times))
  const pattern = fc
    .tuple(
      fc.constantFrom('', '^'),
      fc.array(piece, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('', '$'),
    )
    .map(([start, pieces, end]) => start + pieces.join('') + end)
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '\n', '_', '😀'), maxLength: 12 })

  test('they say the same', () => {
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        expect(new Regex(source).test(subject)).toBe(new RegExp(source, 'u').test(subject))
      }),
      { numRuns: 2_000 },
    )
  })
})

test('patterns that would never end, and ones that grow, are answered', () => {
  expect(new Regex('(a+)+$').test(`${'a'.repeat(100_000)}b`)).toBe(false)
  expect(new Regex('(x+x+)+y').test('x'.repeat(20_000))).toBe(false)
  expect(new Regex('((a?){30}){30}b').test('a'.repeat(2_000))).toBe(false)
  expect(() => new Regex('((((a{100}){100}){100}){100})')).toThrow('size limit')
  expect(() => new Regex('('.repeat(1_000))).toThrow(RegexSyntaxError)
})
