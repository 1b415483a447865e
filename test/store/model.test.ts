import fc from 'fast-check'
import { expect, it } from 'vitest'
import { operations, run } from './operations.ts'
import type { Op } from './world.ts'

/** SPANSTORE_RUNS and SPANSTORE_SEED widen or repeat a run. */
const numRuns = Number(process.env.SPANSTORE_RUNS ?? 30)
const seed = process.env.SPANSTORE_SEED === undefined ? {} : { seed: Number(process.env.SPANSTORE_SEED) }

it(
  'whatever is put, appended, retired, expired, removed, registered, replaced, dropped or reopened, the store is what its rules say',
  async () => {
    await fc.assert(fc.asyncProperty(operations(30), run), {
      numRuns,
      ...seed,
      interruptAfterTimeLimit: Math.max(100_000, numRuns * 500),
    })
    expect.hasAssertions
  },
  Math.max(120_000, numRuns * 600),
)

it('a summary that a discarded epoch gave back lives beside one that says the same, and another may say it again', async () => {
  const steps: readonly Op[] = [
    { op: 'put', c: 0, s: 0, words: [0, 0, 0], how: 0, meta: undefined },
    { op: 'retire', picks: [5], evicted: false },
    { op: 'retire', picks: [4], evicted: false },
    {
      op: 'register',
      c: 0,
      session: 1,
      summaries: [{ words: 0, deps: [0], covers: [], printed: false, replaces: [0], same: false }],
    },
    {
      op: 'register',
      c: 0,
      session: 0,
      summaries: [
        { words: 0, deps: [0], covers: [], printed: false, replaces: [], same: false },
        { words: 0, deps: [0], covers: [], printed: false, replaces: [7], same: true },
      ],
    },
    { op: 'edit', c: 1, s: 0, at: 1, remove: 1, words: [3], how: 1 },
    { op: 'edit', c: 0, s: 0, at: 6, remove: 1, words: [], how: 0 },
    {
      op: 'register',
      c: 0,
      session: 0,
      summaries: [{ words: 2, deps: [4, 9, 7], covers: [], printed: false, replaces: [], same: false }],
    },
    {
      op: 'register',
      c: 0,
      session: 0,
      summaries: [{ words: 0, deps: [5], covers: [11], printed: false, replaces: [0, 4], same: true }],
    },
    { op: 'discard', c: 0, session: 0 },
    {
      op: 'register',
      c: 0,
      session: 0,
      summaries: [
        { words: 2, deps: [5, 7, 10, 11], covers: [], printed: false, replaces: [4, 7], same: false },
      ],
    },
  ]
  await run(steps)
})
