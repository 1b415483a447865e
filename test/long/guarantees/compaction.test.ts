import { describe, expect, test } from 'vitest'
import { FAULT_AT, type Fault, lineOf, type Outcome, simulate } from '../../guarantees/simulation.ts'
import { named, present } from '../../store/corpora.ts'

const CYCLES = 300

async function ran(fault: Fault, heals = false): Promise<Outcome> {
  const outcome = await simulate(fault, CYCLES, { heals })
  process.stdout.write(`${lineOf(outcome)}\n`)
  return outcome
}

describe.skipIf(!present)(named('three hundred compactions of real meetings'), () => {
  test.each(['none', 'none, through an index of its own'] as const)(
    'raise no signal where nothing is wrong: %s',
    async (fault) => {
      const { signal, decision, drift, regime } = await ran(fault)
      expect([signal, decision, drift]).toEqual([undefined, undefined, undefined])
      expect(regime).toBe(fault === 'none' ? 'enforced' : 'observed')
    },
  )

  test.each([
    ['citations to evicted spans', 1, 'FREEZE_AND_RECONCILE'],
    ['lagging index', 1, 'WIDEN_RETENTION'],
    ['re-inflating references', 4, 'DISCARD_EPOCH'],
  ] as const)('are told of %s before the first cited key is missed', async (fault, signal, advice) => {
    const outcome = await ran(fault)
    expect(outcome.signal!.cycle).toBeGreaterThanOrEqual(FAULT_AT)
    expect(outcome.signal!.numbers).toContain(signal)
    expect(outcome.decision!.advice).toBe(advice)
    expect(outcome.drift!.cycle).toBeGreaterThan(outcome.decision!.cycle)
  })

  test.each([
    ['duplicate representations', 3, undefined],
    ['recency skew', 5, 'ADJUST_RECENCY_WINDOW'],
  ] as const)('go on, warned, with %s, which costs and loses nothing', async (fault, signal, advice) => {
    const outcome = await ran(fault)
    expect(outcome.signal!.cycle).toBeGreaterThanOrEqual(FAULT_AT)
    expect(outcome.signal!.numbers).toEqual([signal])
    expect(outcome.decision?.advice).toBe(advice)
    expect(outcome.drift).toBeUndefined()
  })

  test.each(['citations to evicted spans', 're-inflating references'] as const)(
    'never miss a cited key, whatever goes on, where each freeze is reconciled: %s',
    async (fault) => {
      const outcome = await ran(fault, true)
      expect(outcome.reconciled).toBeGreaterThan(0)
      expect(outcome.drift).toBeUndefined()
    },
  )
})
