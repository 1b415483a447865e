import fc from 'fast-check'
import { expect, it } from 'vitest'
import { operations, run } from './operations.ts'

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
