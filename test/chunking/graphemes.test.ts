import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { graphemeBoundaries, isEvident } from '../../src/chunking/graphemes.ts'
import { graphemeStarts, nastyText } from './promises.ts'

describe('grapheme boundaries', () => {
  it('what is evident without the segmenter is what the segmenter says', () => {
    fc.assert(
      fc.property(fc.oneof(nastyText, fc.string({ unit: 'binary' })), (text) => {
        const starts = graphemeStarts(text)
        for (let at = 0; at <= text.length; at++) {
          if (isEvident(text, at)) expect(starts.has(at), `${JSON.stringify(text)} at ${at}`).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('is right about every pair with each code point of the basic plane', { timeout: 120_000 }, () => {
    const others = ['a', '\r', '\u200d', '\u0301', '漢', '한', '❤', '😀']
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    const wrong: string[] = []
    for (let code = 0; code <= 0xffff; code++) {
      const unit = String.fromCharCode(code)
      for (const other of others) {
        for (const [left, right] of [
          [unit, other],
          [other, unit],
        ] as const) {
          const text = left + right
          if (isEvident(text, left.length) && segmenter.segment(text).containing(0)!.segment !== left)
            wrong.push(text)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  it('finds the boundaries in a window, or the next one after it', () => {
    fc.assert(
      fc.property(nastyText, fc.nat(300), fc.nat(40), (text, a, size) => {
        const low = Math.min(a, text.length)
        const high = Math.min(low + size, text.length)
        const starts = [...graphemeStarts(text)].sort((x, y) => x - y)
        const found = graphemeBoundaries(text, 0, low, high)
        expect(found.length).toBeGreaterThan(0)
        const within = starts.filter((at) => at >= low && at <= high)
        if (within.length === 0) expect(found).toEqual([starts.find((at) => at > high)])
        else for (const at of found) expect(within).toContain(at)
      }),
      { numRuns: 500 },
    )
  })
})
