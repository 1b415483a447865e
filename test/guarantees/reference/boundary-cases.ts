import type { CompactionSignals } from '../../../src/index.ts'
import { random } from '../../store/helpers.ts'

/** Every threshold of the reference code from both sides, as near as floating point comes to it. */
const RATES = [0, 0.05, 0.5, 0.85, 0.9, 0.9 - Number.EPSILON, 0.949999, 0.95, 0.95 + Number.EPSILON, 0.99, 1]
const DENSITIES = [
  0,
  0.0799999,
  0.08 - Number.EPSILON / 16,
  0.08,
  0.08 + Number.EPSILON / 16,
  0.0800001,
  0.5,
  1,
]
const IDS = ['a', 'b', 'c', 'd', 'doc:1']

/** Signals as JSON has them; the same for the same seed. A third of them lie on the thresholds. */
export function boundaryCases(seed: number, count: number): CompactionSignals[] {
  const next = random(seed)
  const one = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!
  const some = (chance: number) => IDS.filter(() => next() < chance)
  return Array.from({ length: count }, () => {
    const onEdge = next() < 1 / 3
    const external = onEdge ? one(RATES) : next()
    return {
      summaryCitedIds: some(next()),
      storeRecentIds: some(0.5 + next() / 2),
      selfCitedHitRate: onEdge ? one([external - 0.05, external, one(RATES)]) : next(),
      externalCitedHitRate: external,
      duplicateRepresentationDensity: onEdge ? one(DENSITIES) : next() / 6,
      referencesPerSummary: Array.from({ length: Math.floor(next() * 6) }, (_, i) =>
        next() < 0.6 ? 10 - i : Math.floor(next() * 10),
      ),
    }
  })
}
