import { afterEach, expect, test, vi } from 'vitest'
import { Pace } from '../../src/core/pace.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** The sizes of some steps, where a row takes so many milliseconds. */
function sizes(pace: Pace, steps: number, each: number): number[] {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return Array.from({ length: steps }, () =>
    pace.step((size) => {
      now += size * each
      return size
    }),
  )
}

test('a step takes as many rows as it has time for, within bounds', () => {
  const pace = new Pace(250, 6, 4_000)
  // Short rows: more and more, up to what was allowed.
  expect(sizes(pace, 7, 0.001)).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000])
  // Long ones: fewer, until they fit.
  const settled = sizes(pace, 20, 0.02).at(-1)!
  expect(settled * 0.02).toBeCloseTo(6, 0)
  // One that alone takes longer than a step should: a few at once all the same.
  expect(sizes(pace, 20, 10).at(-1)).toBe(64)
})
