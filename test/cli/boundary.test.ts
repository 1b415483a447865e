import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plotReadings } from '../../src/cli/plot.ts'
import { type Key, openStore, type Reading } from '../../src/index.ts'
import { type Answer, ended, newDirectory, removeDirectories, start } from './command.ts'

afterAll(removeDirectories)

const directory = newDirectory()
const run = (...args: string[]): Promise<Answer> =>
  ended(start(['--store', join(directory, 'store'), '--collection', 'notes', ...args], { cwd: directory }))

const reading = (cycle: number, decision: Reading['decision'], elevated: readonly number[]): Reading => ({
  cycle,
  at: 0,
  regime: 'enforced',
  decision,
  advice: 'PROCEED',
  elevated,
  duplicateDensity: cycle / 100,
})

const cite = (...keys: readonly Key[]) => keys.map((key) => `Said [[${key}]].`).join(' ')

beforeAll(async () => {
  await using store = await openStore(join(directory, 'store'))
  const notes = await store.collection('notes')
  const { added } = await notes.put({
    source: 'talk',
    spans: ['One thing.', 'Another thing.', 'A third.'].map((text) => ({ text })),
  })
  const [one, two, three] = added as [Key, Key, Key]
  const healthy = notes.session('healthy')
  await healthy.register({ text: cite(two) })
  await healthy.fetch(two, { cited: 'self' })
  await healthy.boundary()
  await healthy.register({ text: cite(three) })
  await healthy.boundary()
  await notes.session('broken').register({ text: cite(one) })
  const inflated = notes.session('inflated')
  const first = await inflated.register({ text: cite(two), covers: [two, three] })
  await inflated.register({ text: cite(two, three), covers: [two, three], replaces: first.key })
  await notes.retire([one])
})

describe('spanstore boundary', () => {
  test('exits with 0 to proceed, 6 to freeze, 8 to roll back, 5 for a session nobody saw', async () => {
    const codes = await Promise.all(
      ['healthy', 'broken', 'inflated', 'nobody'].map(async (id) => (await run('boundary', id)).code),
    )
    expect(codes).toEqual([0, 6, 8, 5])
  })

  test('says the decision, the advice, each signal, and what is due', async () => {
    const { out } = await run('boundary', 'broken')
    expect(out).toMatch(/^freeze {2}FREEZE_AND_RECONCILE/)
    expect(out).toMatch(/1 citation overhang +1 +elevated/)
    expect(out).toMatch(/2 self-citation asymmetry .*20 of each are needed/)
    expect(out).toMatch(/due: [0-9A-Z]{26} is stale/)
  })

  test('answers the whole boundary as JSON', async () => {
    const { code, out } = await run('boundary', 'inflated', '--json')
    expect(code).toBe(8)
    expect(JSON.parse(out)).toMatchObject({
      session: 'inflated',
      decision: 'freeze_and_rollback',
      advice: 'DISCARD_EPOCH',
      signals: { referenceInflation: { summaries: [{ before: 1, after: 2 }] } },
    })
    expect(JSON.parse((await run('boundary', 'nobody', '--json')).out)).toEqual({
      status: 'absent',
      session: 'nobody',
    })
  })

  test('only looks unless told to freeze, and then it is frozen', async () => {
    await run('boundary', 'broken')
    expect(JSON.parse((await run('boundary', 'broken', '--json')).out).frozen).toBeUndefined()
    const { code, out } = await run('boundary', 'broken', '--freeze')
    expect(code).toBe(6)
    expect(out).toContain('frozen since epoch 1; reconcile ends it')
    expect((await run('stats')).out).toContain('notes: 1 session frozen')
  })

  test('draws the readings that were kept as an SVG document', async () => {
    const file = join(directory, 'signals.svg')
    const { code, out } = await run('boundary', 'healthy', '--plot', file)
    expect(code).toBe(0)
    expect(out).toContain(`2 readings drawn in ${file}`)
    const svg = readFileSync(file, 'utf8')
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    expect(svg.trimEnd()).toMatch(/<\/svg>$/)
    for (const signal of [1, 2, 3, 4, 5]) expect(svg).toContain(`>${signal}  `)
    expect(svg).toContain('Session healthy, cycles 1 to 2')
    expect(svg).not.toContain('NaN')
  })

  test('draws where the first signal rose, and where compaction was stopped', async () => {
    const drawn = plotReadings('agent', [
      reading(1, 'proceed', []),
      reading(2, 'proceed', [3]),
      reading(3, 'freeze', [1, 3]),
      reading(4, 'proceed', []),
      reading(5, 'freeze_and_rollback', [4]),
    ])
    expect(drawn).toContain('>signal 3, cycle 2<')
    expect(drawn).toContain('>freeze, cycle 3<')
    // One mark for signal 3 over both of its cycles; the panel of hit rates has nothing to draw.
    expect(drawn.match(/<rect [^>]+ height="6"/g)).toHaveLength(3)
    expect(drawn).toContain('>no number<')
    expect(drawn).not.toContain('NaN')
  })
})
