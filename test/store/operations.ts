import fc from 'fast-check'
import { type Op, type SummaryOp, World } from './world.ts'

/*
 * Steps for `World`. Small numbers that are taken modulo what there is: short texts repeat, most picks hit something
 * live, and a failing run shrinks to a few steps.
 */

const small = fc.nat({ max: 7 })
const pick = fc.nat({ max: 11 })
/** Now and then a blank one. */
const words = fc.array(small, { maxLength: 6 })
const c = fc.nat({ max: 6 }).map((n) => (n === 6 ? 1 : 0))
const s = fc.nat({ max: 4 }).map((n) => (n < 3 ? 0 : n - 2))
const how = fc.nat({ max: 23 })

const summary: fc.Arbitrary<SummaryOp> = fc.record({
  words: small,
  deps: fc.array(pick, { minLength: 1, maxLength: 4 }),
  covers: fc.array(pick, { maxLength: 2 }),
  printed: fc.boolean(),
  replaces: fc.oneof(fc.constant<number[]>([]), fc.array(small, { minLength: 1, maxLength: 2 })),
  same: fc.boolean(),
})

const operation: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('put' as const),
      c,
      s,
      words,
      how: fc.oneof(fc.constant(1), fc.constant(0), how),
      meta: fc.oneof(fc.constant(undefined), fc.constant(undefined), small),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constant('edit' as const),
      c,
      s,
      at: small,
      remove: fc.nat({ max: 2 }),
      words: fc.array(small, { maxLength: 2 }),
      how: fc.oneof(fc.constant(1), fc.constant(0), how),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('again' as const),
      c,
      s,
      how: fc.oneof(fc.constant(1), fc.constant(0), how),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('append' as const),
      c,
      s,
      words: fc.array(small, { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), c, s }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('retire' as const),
      picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
      evicted: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('update' as const),
      picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
      value: small,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('expires' as const),
      c,
      s,
      after: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null, freq: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('tick' as const),
      ms: fc.integer({ min: -5, max: 15 }),
      quiet: fc.boolean(),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      op: fc.constant('register' as const),
      c,
      session: fc.nat({ max: 4 }).map((n) => (n === 4 ? 1 : 0)),
      summaries: fc.array(summary, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('prune' as const), ago: fc.nat({ max: 9 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('erase' as const),
      picks: fc.array(pick, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('discard' as const),
      c,
      session: fc.nat({ max: 4 }).map((n) => (n === 4 ? 1 : 0)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('rename' as const), c }) },
  { weight: 1, arbitrary: fc.constant({ op: 'reopen' as const }) },
)

/** A run may end with a drop and what happens after it. */
export const operations = (maxLength: number): fc.Arbitrary<Op[]> =>
  fc
    .tuple(
      fc.array(operation, { minLength: Math.ceil(maxLength / 2), maxLength, size: 'max' }),
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.record({ op: fc.constant('drop' as const), c }) },
      ),
      fc.array(operation, { maxLength: Math.ceil(maxLength / 4) }),
    )
    .map(([before, drop, after]) => (drop === undefined ? before : [...before, drop, ...after]))

/** Runs the steps against a fresh store. */
export async function run(steps: readonly Op[]): Promise<void> {
  const world = await World.open()
  try {
    for (const step of steps) await world.step(step)
    world.finish()
  } finally {
    await world.close()
  }
}
