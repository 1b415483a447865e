import { expect } from 'vitest'
import { checkFidelity } from '../../src/guarantees/fidelity/index.ts'
import type { LabelledPair } from './pairs.ts'
import { score } from './score.ts'

/**
 * What has been reached must not be lost: a little below the figures of `npm run bench -- fidelity` when they were
 * last raised. All in percent; who abstains is wrong. Raise them when the check gets better; lower one only with a
 * reason in the commit that does.
 */
export interface Floor {
  readonly balancedAccuracy: number
  readonly auc: number
  /** At most so many faithful claims called unfaithful. */
  readonly falseAlarms: number
}

export function expectAtLeast(pairs: readonly LabelledPair[], floor: Floor): void {
  const { balancedAccuracy, auc, falseAlarms } = score(
    pairs.map((pair) => ({ pair, ...checkFidelity(pair) })),
  )
  expect.soft(balancedAccuracy).toBeGreaterThanOrEqual(floor.balancedAccuracy)
  expect.soft(auc).toBeGreaterThanOrEqual(floor.auc)
  expect.soft(falseAlarms).toBeLessThanOrEqual(floor.falseAlarms)
}
