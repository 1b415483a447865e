import { describe, expect, test } from 'vitest'
import { expectAtLeast, type Floor } from './floor.ts'
import { agentMemory, shortNotes } from './pairs.ts'
import { halfOf } from './split.ts'

const AGENT_MEMORY: Readonly<Record<'dev' | 'heldOut', Floor>> = {
  dev: { balancedAccuracy: 79, auc: 78, falseAlarms: 5 },
  heldOut: { balancedAccuracy: 68, auc: 67, falseAlarms: 18.5 },
}

const SHORT_NOTES: Floor = { balancedAccuracy: 82, auc: 82, falseAlarms: 13 }

describe('what agents remember', () => {
  const pairs = agentMemory()

  test('there are enough pairs of either label, each with its own text', () => {
    expect(pairs.filter(({ label }) => label === 'faithful').length).toBeGreaterThan(700)
    expect(pairs.filter(({ label }) => label === 'unfaithful').length).toBeGreaterThan(700)
    expect(new Set(pairs.map(({ id }) => id)).size).toBe(pairs.length)
    expect(new Set(pairs.map(({ source, claim }) => `${source}\n${claim}`)).size).toBe(pairs.length)
  })

  test.each(['dev', 'heldOut'] as const)('the %s half is judged as well as it was', (half) => {
    expectAtLeast(
      pairs.filter(({ id }) => halfOf(id) === half),
      AGENT_MEMORY[half],
    )
  })

  test('short notes, all of which were read, are judged as well as they were', () => {
    expectAtLeast(shortNotes(), SHORT_NOTES)
  })
})
