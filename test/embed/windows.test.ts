import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { combined, windowsOf } from '../../src/embed/windows.ts'

/** One token per started four characters of a word. */
const tokens = (text: string) => text.split(' ').reduce((sum, word) => sum + Math.ceil(word.length / 4), 0)
const windows = (text: string, cap = 10) => windowsOf(text, cap, tokens)
const textsOf = (text: string, cap?: number) => windows(text, cap).map((window) => window.text)

const anything = fc
  .array(
    fc.oneof(
      fc.lorem(),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('. ', '\n\n', '  ', '\t', 'x'.repeat(70)),
    ),
  )
  .map((parts) => parts.join(' '))

describe('windows', () => {
  test('one, where the text fits, with single spaces', () => {
    expect(textsOf('  one\n\ntwo  three ')).toEqual(['one two three'])
  })

  test('none, where the text is blank', () => {
    expect(textsOf(' \n\t ')).toEqual([])
  })

  test('hold whole sentences, as many as fit', () => {
    expect(textsOf('We went out. It rained all day. We came home wet. So what.', 10)).toEqual([
      'We went out. It rained all day.',
      'We came home wet. So what.',
    ])
  })

  test('cut a long sentence at words, and a long word anywhere', () => {
    expect(textsOf('one two three four five six seven', 4)).toEqual([
      'one two',
      'three four',
      'five six seven',
    ])
    expect(textsOf('a'.repeat(64), 10)).toEqual(['a'.repeat(32), 'a'.repeat(32)])
    for (const part of textsOf('😀'.repeat(101), 10)) expect(part.isWellFormed()).toBe(true)
  })

  test('fit, and together hold all that is not white space, in order', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 5, max: 60 }), (text, cap) => {
        const found = windows(text, cap)
        expect(
          found
            .map((w) => w.text)
            .join('')
            .replaceAll(' ', ''),
        ).toBe(text.replace(/\s+/g, ''))
        for (const window of found) {
          expect(window.tokens).toBeLessThanOrEqual(cap)
          expect(window.tokens).toBe(tokens(window.text))
        }
      }),
      { numRuns: 150 },
    )
  })

  test('never ask the tokenizer for a long text', () => {
    let longest = 0
    const found = windowsOf('word '.repeat(40_000) + 'z'.repeat(5000), 128, (text) => {
      longest = Math.max(longest, text.length)
      return tokens(text)
    })
    expect(longest).toBeLessThanOrEqual(1000)
    expect(found.length).toBeGreaterThan(300)
  })

  test('take time linear in the text', () => {
    const text = 'It rained in 😀 all day, and we came home wet.\n'.repeat(10_000)
    const begun = performance.now()
    const found = windows(text, 128)
    expect(performance.now() - begun).toBeLessThan(5000)
    expect(found.map((w) => `${w.text} `).join('')).toBe(text.replaceAll('\n', ' '))
  })

  test('become one vector of length 1, weighted with their tokens', () => {
    const vector = combined(
      [
        { text: '', tokens: 3 },
        { text: '', tokens: 4 },
      ],
      [
        [1, 0],
        [0, 1],
      ],
    )
    expect(vector).toEqual(Float32Array.of(0.6, 0.8))
  })
})
