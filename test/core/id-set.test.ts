import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdSet } from '../../src/core/id-set.ts'

test('ids are there once they were added, and no others', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat(40), fc.nat(200_000), fc.nat(2 ** 31))),
      fc.nat(40),
      (ids, other) => {
        const known = new Set<number>()
        const set = new IdSet()
        for (const id of ids) {
          expect(set.add(id)).toBe(!known.has(id))
          known.add(id)
        }
        for (const id of [...ids, other, ...ids.map((id) => id + 8)]) expect(set.has(id)).toBe(known.has(id))
      },
    ),
  )
})
