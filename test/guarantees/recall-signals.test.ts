import { describe, expect, it } from 'vitest'
import type { Key } from '../../src/core/key.ts'
import { type RecallInput, type RecallStep, recallSignals } from '../../src/guarantees/recall.ts'
import { openStore } from '../../src/index.ts'

const keyOf = (i: number) => `01KBADQ7XF8K2M4N6P${String(i).padStart(8, '0')}` as Key
const cite = (...numbers: number[]) => numbers.map((i) => `Fact ${i} holds [[${keyOf(i)}]].`).join(' ')

let number = 100
const step = (text: string, more: Partial<RecallStep> = {}): RecallStep => ({
  key: keyOf(number++),
  epoch: 1,
  text,
  covers: [1, 2, 3].map(keyOf),
  ...more,
})

const read = (chain: readonly RecallStep[], more: Partial<RecallInput> = {}) =>
  recallSignals({
    chains: [chain],
    gone: new Set(),
    anchors: { asked: 0, ok: 0 },
    queries: { asked: 0, ok: 0 },
    ...more,
  })

const elevated = (signals: ReturnType<typeof read>) =>
  Object.entries(signals).flatMap(([name, signal]) =>
    typeof signal === 'object' && signal.elevated ? [name] : [],
  )

describe('the five signals of recall', () => {
  it('a session whose summaries keep their anchors trips none of them', () => {
    const chain = [step(cite(1, 2)), step(cite(1, 2, 4), { covers: [1, 2, 3, 4].map(keyOf) })]
    const signals = read(chain, { anchors: { asked: 50, ok: 49 }, queries: { asked: 50, ok: 48 } })
    expect([elevated(signals), signals.holds]).toEqual([[], true])
    expect(read([]).holds).toBe(true)
  })

  it('1. pointers that are words: "as noted earlier", and no key in the sentence', () => {
    const signals = read([step(`${cite(1)} As noted earlier, the budget holds. The rest, etc.`)])
    expect(elevated(signals)).toEqual(['anaphora'])
    expect(signals.anaphora.found.map(({ text }) => text)).toEqual(['As noted', 'earlier'])
    expect(elevated(read([step(`As noted earlier, it holds [[${keyOf(1)}]].`)]))).toEqual([])
  })

  it('2. a density that falls from one compaction to the next, as it was observed: 0.9 to 0.3', () => {
    const nine = step(`${cite(1, 2, 3, 4, 5, 6, 7, 8, 9)} And more [[${keyOf(1)}]].`)
    const six = step(`${cite(1, 2, 3)} And so on, etc. [[${keyOf(1)}]]`)
    const three = step(
      `${cite(1, 2, 3)} And so on, etc., and more, and the like, and others, among others, and related [[${keyOf(4)}]]`,
    )
    const { density } = read([nine, six, three])
    expect(density.chains[0]!.densities.map((one) => one.toFixed(1))).toEqual(['0.9', '0.7', '0.4'])
    expect(density).toMatchObject({ elevated: true, measured: true })
    expect(read([nine, six]).density.elevated).toBe(false)
    expect(read([nine]).density).toMatchObject({ elevated: false, measured: false })
  })

  it('3. what was dropped is found by searching, and what is printed cannot be followed; only with enough of both', () => {
    const probes = { anchors: { asked: 40, ok: 20 }, queries: { asked: 40, ok: 39 } }
    expect(elevated(read([step(cite(1))], probes))).toEqual(['asymmetry'])
    expect(read([step(cite(1))], { ...probes, anchors: { asked: 19, ok: 0 } }).asymmetry).toMatchObject({
      elevated: false,
      measured: false,
    })
  })

  it('4. a re-compaction that changes the anchor set by more than it newly covers or lost', () => {
    const signals = read([step(cite(1, 2)), step(cite(1, 3))])
    expect(signals.idempotence).toMatchObject({
      elevated: true,
      drifted: [{ dropped: [keyOf(2)], added: [keyOf(3)] }],
    })
    expect(
      read([step(cite(1, 2)), step(cite(1, 3))], { gone: new Set([keyOf(2)]) }).idempotence.drifted,
    ).toMatchObject([{ dropped: [], added: [keyOf(3)] }])
    expect(read([step(cite(1, 2)), step(cite(2, 1))]).idempotence.elevated).toBe(false)
  })

  it('5. completeness, as the summarizer says it, that rises while anchors decay', () => {
    const exact = cite(1, 2, 3)
    const vague = `${exact} And so on.`
    const chain = [step(exact, { completeness: 0.7 }), step(vague, { completeness: 0.95 })]
    expect(elevated(read(chain))).toEqual(['inflation'])
    expect(elevated(read([chain[1]!, chain[0]!]))).toEqual([])
    expect(read([step(exact), step(vague)]).inflation).toMatchObject({ elevated: false, measured: false })
  })
})

describe('of a session in a store', () => {
  it('they are read from its own chains, replaced summaries included, and erased ones left out', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes')
    const { added } = await notes.put({
      source: 's',
      spans: Array.from({ length: 4 }, (_, i) => ({ text: `Fact ${i} holds.` })),
    })
    const [a, b, c] = added as [Key, Key, Key]
    const session = notes.session('agent')
    const first = await session.register({
      text: `Fact 0 holds. [[${a}]] Fact 1 holds. [[${b}]]`,
      covers: added,
      completeness: 0.6,
    })
    const look = async () => (await session.boundary({ enforce: false })).recall
    expect((await look()).holds).toBe(true)
    const second = await session.register({
      text: `Fact 0 holds. [[${a}]] As noted earlier, fact 2 holds, and so on. [[${c}]] The above stays, etc.`,
      covers: added,
      replaces: first.key,
      completeness: 0.9,
    })
    const now = await look()
    expect(elevated(now)).toEqual(['anaphora', 'density', 'idempotence', 'inflation'])
    expect(now.idempotence.drifted).toEqual([
      { summary: second.key, replaced: first.key, dropped: [b], added: [c] },
    ])
    // What is gone may go.
    await notes.retire([b])
    expect((await look()).idempotence.drifted).toMatchObject([{ dropped: [], added: [c] }])
    // Anchors followed and misses among them; queries that hit.
    for (let i = 0; i < 30; i++) {
      await session.fetch(i % 2 === 0 ? a : b, { cited: 'self' })
      await session.fetch(added[3]!, { cited: 'external' })
    }
    expect((await look()).asymmetry).toMatchObject({ elevated: true, measured: true })
    const [stats] = (await store.stats()).collections
    expect(stats!.rehydrations.anchored.ok).toBeLessThan(stats!.rehydrations.anchored.asked)
    expect(stats!.rehydrations.queried).toEqual({ asked: 30, ok: 30 })
    await notes.erase({ keys: [first.key] }, { cascade: true })
    expect((await look()).idempotence).toMatchObject({ elevated: false, measured: false })
    await store.close()
  })
})
