import fc from 'fast-check'
import { it } from 'vitest'
import { operations, run } from '../../store/operations.ts'

/** SPANSTORE_RUNS and SPANSTORE_SEED widen or repeat a run. */
const numRuns = Number(process.env.SPANSTORE_RUNS ?? 300)
const seed = process.env.SPANSTORE_SEED === undefined ? {} : { seed: Number(process.env.SPANSTORE_SEED) }

it(
  'long histories: the store is what its rules say',
  async () => {
    await fc.assert(fc.asyncProperty(operations(90), run), {
      numRuns,
      ...seed,
      interruptAfterTimeLimit: numRuns * 2000,
    })
  },
  numRuns * 2500,
)
