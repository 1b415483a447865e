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
  /** At most so many faithful claims with a hard reason: these no second opinion can save. */
  readonly hardAlarms?: number
}

export function expectAtLeast(pairs: readonly LabelledPair[], floor: Floor): void {
  const judged = pairs.map((pair) => ({ pair, ...checkFidelity(pair) }))
  const { balancedAccuracy, auc, falseAlarms } = score(judged)
  expect.soft(balancedAccuracy).toBeGreaterThanOrEqual(floor.balancedAccuracy)
  expect.soft(auc).toBeGreaterThanOrEqual(floor.auc)
  expect.soft(falseAlarms).toBeLessThanOrEqual(floor.falseAlarms)
  const faithful = judged.filter(({ pair }) => pair.label === 'faithful')
  const hard = faithful.filter(({ reasons }) => reasons.some(({ severity }) => severity === 'hard'))
  expect
    .soft((100 * hard.length) / faithful.length, 'hard alarms')
    .toBeLessThanOrEqual(floor.hardAlarms ?? 100)
}
