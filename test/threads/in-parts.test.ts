import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InParts, partsOf } from '../../src/threads/in-parts.ts'

/** As two threads do. */
function sent(value: unknown): { readonly value: unknown; readonly parts: number } {
  const received = new InParts()
  for (const part of partsOf(value)) received.add(structuredClone(part))
  return { value: received.value, parts: received.parts }
}

test('whatever is sent in parts arrives as it was', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(undefined, null, true, 7, 'text'),
      fc.uint8Array({ maxLength: 3 }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.string({ maxLength: 3 }).filter((key) => key !== '__proto__'),
        tie('value'),
        { maxKeys: 4, noNullPrototype: true },
      ),
      fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    ),
  }))
  const times = fc.constantFrom(1, 3_000)
  fc.assert(
    fc.property(value, times, times, (one, inner, outer) => {
      const large = {
        one,
        many: [Array(inner).fill(one), one, Array(outer).fill('x')],
        map: new Map([['a', [one]]]),
      }
      expect(sent(large).value).toEqual(large)
    }),
    { numRuns: 60 },
  )
})

test('what is large goes in many parts, what is small in one', () => {
  const spans = Array.from({ length: 10_000 }, (_, i) => ({
    text: `Span ${i}`,
    lead: { gap: '', overlap: 0 },
  }))
  const vectors = new Map(spans.map(({ text }, i) => [text, Float32Array.from([i, 2])]))
  const large = { puts: [{ spans, empty: [] }, { spans: [] }], vectors }
  const { value, parts } = sent(large)
  expect(parts).toBeGreaterThan(10)
  expect(value).toEqual(large)
  expect(sent({ puts: [{ spans: spans.slice(0, 100) }] }).parts).toBe(1)
  expect(sent('x'.repeat(10_000_000)).parts).toBe(1)
})
