import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type CompactionSignals, checkCompactionBoundary, type Decision } from '../../src/index.ts'
import { boundaryCases } from './reference/boundary-cases.ts'
import { hasPython, reference } from './reference/run.ts'

const FIXTURES = new URL('reference/boundary-cases.json', import.meta.url)

interface Fixture {
  readonly signals: CompactionSignals
  readonly decision: Decision
}

// SPANSTORE_WRITE_FIXTURES=1 writes them anew, from the Python.
if (process.env.SPANSTORE_WRITE_FIXTURES === '1') {
  const signals = boundaryCases(1, 300)
  const decisions = reference<Decision>('boundary', signals)
  const lines = signals.map((one, i) => `  ${JSON.stringify({ signals: one, decision: decisions[i] })}`)
  writeFileSync(FIXTURES, `[\n${lines.join(',\n')}\n]\n`)
}

describe('checkCompactionBoundary', () => {
  test('decides what the reference code decided, also where there is no Python to ask', () => {
    const fixtures = JSON.parse(readFileSync(FIXTURES, 'utf8')) as Fixture[]
    expect(fixtures.map(({ signals }) => signals)).toEqual(
      JSON.parse(JSON.stringify(boundaryCases(1, fixtures.length))),
    )
    for (const { signals, decision } of fixtures) expect(checkCompactionBoundary(signals)).toBe(decision)
    expect(new Set(fixtures.map(({ decision }) => decision)).size).toBe(3)
  })

  test.skipIf(!hasPython)(
    'decides as the reference code on twenty thousand inputs, thresholds included',
    () => {
      const cases = boundaryCases(2, 20_000)
      const expected = reference<Decision>('boundary', cases)
      expect(cases.map(checkCompactionBoundary)).toEqual(expected)
      for (const decision of ['proceed', 'freeze', 'freeze_and_rollback'] as const)
        expect(expected.filter((one) => one === decision).length).toBeGreaterThan(1000)
    },
  )

  test('a rate that is not a number is not lower than another', () => {
    const signals = {
      ...boundaryCases(1, 1)[0]!,
      referencesPerSummary: [],
      duplicateRepresentationDensity: 0,
    }
    const cited = { ...signals, summaryCitedIds: ['x'], storeRecentIds: [] }
    expect(checkCompactionBoundary({ ...cited, selfCitedHitRate: Number.NaN })).toBe('proceed')
    expect(checkCompactionBoundary({ ...cited, selfCitedHitRate: 0, externalCitedHitRate: 1 })).toBe('freeze')
  })
})
