import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkChunks } from '../../src/chunking/index.ts'
import { nastyText } from './promises.ts'

describe('checkChunks', () => {
  it('accepts exact slices in order, overlapping or not, and names the first that is wrong', () => {
    fc.assert(
      fc.property(
        nastyText,
        fc.array(fc.tuple(fc.nat(100), fc.integer({ min: 1, max: 30 }))),
        (text, places) => {
          const chunks = places
            .filter(([start, size]) => start + size <= text.length)
            .sort(([a], [b]) => a - b)
            .map(([start, size]) => ({ start, end: start + size, text: text.slice(start, start + size) }))
          checkChunks(text, chunks, 'x/1')
          const wrong = [
            { start: 0, end: 0, text: '' },
            { start: 0, end: 1, text: 'no' },
            { start: 0.5, end: 1, text: '' },
            null,
          ]
          for (const bad of [...wrong, { start: 0, end: text.length + 1, text }]) {
            expect(() => checkChunks(text, [...chunks, bad as never], 'x/1')).toThrow(
              expect.objectContaining({
                code: 'INVALID_CHUNKS',
                detail: { chunker: 'x/1', ordinal: chunks.length },
              }),
            )
          }
        },
      ),
    )
    const backwards = [
      { start: 1, end: 2, text: 'b' },
      { start: 0, end: 1, text: 'a' },
    ]
    expect(() => checkChunks('ab', backwards, 'x/1')).toThrow(
      expect.objectContaining({ code: 'INVALID_CHUNKS' }),
    )
  })
})
