import { describe, expect, test } from 'vitest'
import { duplicateTokens, verdictOf } from '../../src/guarantees/boundary.ts'
import type { Session } from '../../src/index.ts'
import { cite, events, TURNS, talk } from './sessions.ts'

/** Twenty reads each way, which is as many as a rate needs. */
async function read(session: Session, self: readonly string[], external: readonly string[]) {
  for (let i = 0; i < 20; i++) {
    await session.fetch(self[i % self.length]!, { cited: 'self' })
    await session.fetch(external[i % external.length]!, { cited: 'external' })
  }
}

describe('a healthy session', () => {
  test('goes on, with every condition holding and nothing frozen', async () => {
    const { session, turns } = await talk()
    await session.register({ text: cite(turns[0]!, turns[1]!), covers: turns.slice(0, 2) })
    await session.observe({ context: (await session.context({ maxTokens: 1000, source: 'talk' })).entries })
    await read(session, turns.slice(0, 2), turns)
    const boundary = await session.boundary()
    expect(boundary).toMatchObject({
      session: 'agent',
      cycle: 1,
      regime: 'enforced',
      decision: 'proceed',
      advice: 'PROCEED',
      warnings: [],
      due: [],
      conditions: { versioned: { holds: true }, epochs: { holds: true }, citations: { holds: true } },
      signals: {
        citationOverhang: { elevated: false, value: 0 },
        selfCitationAsymmetry: { elevated: false, value: 0, self: { asked: 20, ok: 20, rate: 1 } },
        duplicateDensity: { elevated: false, value: 0 },
      },
    })
    expect(await session.frozen()).toBeUndefined()
  })

  test('of which nothing was observed says what is missing instead of giving numbers', async () => {
    const { session } = await talk()
    const { signals, decision } = await session.boundary()
    expect(decision).toBe('proceed')
    expect(signals.selfCitationAsymmetry).toMatchObject({ unavailable: expect.stringMatching(/20 of each/) })
    expect(signals.selfCitationAsymmetry.value).toBeUndefined()
    expect(signals.duplicateDensity).toEqual({
      elevated: false,
      unavailable: expect.stringMatching(/no context/),
    })
    expect(signals.referenceInflation.unavailable).toMatch(/no summary took the place/)
    expect(signals.recencySkew.unavailable).toMatch(/spans read in/)
  })
})

describe('signal 1', () => {
  test('is a cited key that does not resolve; one whose text came back does', async () => {
    const { notes, session, turns } = await talk()
    await session.register({ text: cite(turns[0]!, turns[1]!) })
    await notes.retire([turns[0]!], { reason: 'evicted' })
    const look = await session.boundary({ enforce: false })
    expect(look).toMatchObject({ decision: 'freeze', advice: 'FREEZE_AND_RECONCILE', regime: 'enforced' })
    expect(look.signals.citationOverhang).toEqual({ elevated: true, value: 1, keys: [turns[0]] })
    expect(look.due).toMatchObject([{ state: 'stale', causes: [{ key: turns[0], reason: 'evicted' }] }])
    expect(await session.frozen(), 'a look freezes nothing').toBeUndefined()
    await notes.put({ source: 'talk', spans: TURNS.map((text) => ({ text })) })
    expect(await session.boundary()).toMatchObject({
      decision: 'proceed',
      signals: { citationOverhang: { value: 0 } },
    })
  })

  test('counts what a text prints; what a summary stands on beside it only makes it due', async () => {
    const { notes, session, turns } = await talk()
    const { key } = await session.register({ text: cite(turns[1]!), dependsOn: [turns[0]!] })
    await notes.retire([turns[0]!])
    expect(await session.boundary()).toMatchObject({
      decision: 'proceed',
      signals: { citationOverhang: { value: 0 } },
      due: [{ key, state: 'stale' }],
    })
  })

  test('does not count a summary that is only suspect: its own keys resolve', async () => {
    const { notes, session, turns } = await talk()
    const low = await notes.session('other').register({ text: cite(turns[0]!) })
    await session.register({ text: cite(low.key) })
    await notes.retire([turns[0]!])
    const boundary = await session.boundary()
    expect(boundary.signals.citationOverhang.value).toBe(0)
    expect(boundary.decision).toBe('proceed')
    expect(boundary.due).toMatchObject([{ state: 'suspect' }])
  })

  test('counts what an unregistered summary in the context cites, and that alone widens retention', async () => {
    const { notes, session, turns } = await talk()
    await notes.retire([turns[0]!])
    await session.observe({ context: [{ text: cite(turns[0]!, turns[1]!) }] })
    expect(await session.boundary()).toMatchObject({
      regime: 'observed',
      decision: 'proceed',
      advice: 'WIDEN_RETENTION',
      warnings: [expect.stringMatching(/signal 1/)],
      signals: { citationOverhang: { value: 1, keys: [turns[0]] } },
      conditions: { epochs: { holds: false } },
    })
  })

  test('gives no number where a summary in the context cites no key at all', async () => {
    const { session } = await talk()
    await session.observe({ context: [{ text: 'Everything went well.' }] })
    const { signals, conditions } = await session.boundary()
    expect(conditions.citations).toEqual({ holds: false, why: expect.stringMatching(/cite no key/) })
    expect(signals.citationOverhang).toEqual({
      elevated: false,
      keys: [],
      unavailable: expect.stringMatching(/condition \(c\) fails/),
    })
    expect(signals.duplicateDensity.unavailable).toMatch(/condition \(c\) fails/)
  })

  test('counts what an index beside the store cannot know yet, so that a lag shows before the first miss', async () => {
    const { session, turns, notes } = await talk()
    await session.register({ text: cite(turns[5]!) })
    const { span } = (await notes.fetch(turns[5]!)) as { span: { position: number } }
    await session.observe({ indexedThrough: span.position - 1 })
    expect(await session.boundary()).toMatchObject({
      regime: 'observed',
      advice: 'WIDEN_RETENTION',
      signals: { citationOverhang: { keys: [turns[5]] } },
    })
    await session.observe({ indexedThrough: span.position })
    expect(await session.boundary()).toMatchObject({ advice: 'PROCEED' })
  })
})

describe('signal 2', () => {
  test('with signal 1 freezes an observed session, and is only a warning in an enforced one', async () => {
    const { notes, session, turns } = await talk()
    await notes.retire([turns[0]!])
    await read(session, [turns[0]!, turns[1]!], [turns[2]!])
    const enforced = await session.boundary()
    expect(enforced).toMatchObject({ regime: 'enforced', decision: 'proceed', advice: 'PROCEED' })
    expect(enforced.warnings).toEqual([expect.stringMatching(/signal 2.*50\.0 %.*100\.0 %/)])
    await session.observe({ context: [{ text: cite(turns[0]!) }] })
    expect(await session.boundary()).toMatchObject({
      regime: 'observed',
      decision: 'freeze',
      advice: 'FREEZE_AND_RECONCILE',
      reason: expect.stringMatching(/signal 1.*signal 2/),
    })
  })

  test('needs twenty reads of each kind, and leaves out those of a reconcile pass', async () => {
    const { notes, session, turns } = await talk()
    await session.register({ text: cite(...turns) })
    await session.reconcile({ summarize: () => undefined })
    await notes.retire([turns[0]!])
    for (let i = 0; i < 19; i++) await session.fetch(turns[0]!, { cited: 'self' })
    for (let i = 0; i < 30; i++) await session.fetch(turns[1]!, { cited: 'external' })
    const { signals } = await session.boundary({ enforce: false })
    expect(signals.selfCitationAsymmetry).toMatchObject({ elevated: false, self: { asked: 19, ok: 0 } })
    await session.fetch(turns[0]!, { cited: 'self' })
    expect((await session.boundary({ enforce: false })).signals.selfCitationAsymmetry.elevated).toBe(true)
  })

  test('counts a retired key whose text came back as found', async () => {
    const { notes, session, turns } = await talk()
    await notes.retire([turns[0]!])
    await notes.put({ source: 'talk', spans: TURNS.map((text) => ({ text })) })
    await read(session, [turns[0]!], [turns[1]!])
    const { self } = (await session.boundary()).signals.selfCitationAsymmetry
    expect(self).toEqual({ asked: 20, ok: 20, rate: 1 })
  })

  test('is not given where told misses are of keys that live: the index lags, condition (a)', async () => {
    const { session, turns } = await talk()
    await session.observe({
      retrievals: [
        ...Array.from({ length: 20 }, () => ({ key: turns[0]!, hit: false, cited: 'self' as const })),
        ...Array.from({ length: 20 }, () => ({ key: turns[1]!, hit: true, cited: 'external' as const })),
      ],
    })
    const { signals, conditions, regime, advice } = await session.boundary()
    expect(regime).toBe('observed')
    expect(conditions.versioned).toEqual({ holds: false, why: expect.stringMatching(/20 reads/) })
    expect(signals.selfCitationAsymmetry).toMatchObject({
      elevated: false,
      unavailable: expect.stringMatching(/condition \(a\) fails/),
    })
    // What the agent cites and its index does not surface is an overhang all the same.
    expect(signals.citationOverhang.keys).toEqual([turns[0]])
    expect(advice).toBe('WIDEN_RETENTION')
  })
})

describe('signal 3', () => {
  test('is the part of the context that stands for something a second time', async () => {
    const { session, turns } = await talk()
    const { key } = await session.register({ text: cite(turns[0]!, turns[1]!), covers: turns.slice(0, 2) })
    await session.observe({
      context: [
        { key, tokens: 40 },
        { key: turns[0]!, tokens: 20 },
        { key: turns[2]!, tokens: 40 },
        { tokens: 100 },
      ],
    })
    const { signals, decision, warnings } = await session.boundary()
    // Half of the summary, and the whole original.
    expect(signals.duplicateDensity).toEqual({ elevated: true, value: 40 / 200 })
    expect(decision).toBe('proceed')
    expect(warnings).toEqual([expect.stringMatching(/signal 3: 20\.0 %/)])
  })

  test('sees a replaced summary that still lies beside the one that replaced it', async () => {
    const { session, turns } = await talk()
    const one = await session.register({ text: cite(turns[0]!), covers: [turns[0]!] })
    const two = await session.register({
      text: `So: ${cite(turns[0]!)}`,
      covers: [turns[0]!],
      replaces: one.key,
    })
    await session.observe({
      context: [
        { key: one.key, tokens: 10 },
        { key: two.key, tokens: 10 },
      ],
    })
    expect((await session.boundary()).signals.duplicateDensity.value).toBe(1)
  })

  test('with signal 1 or 2 freezes an observed session', async () => {
    const { notes, session, turns } = await talk()
    await notes.retire([turns[0]!])
    await session.observe({
      context: [
        { text: cite(turns[0]!), tokens: 50 },
        { key: turns[1]!, tokens: 5 },
        { key: turns[1]!, tokens: 5 },
      ],
    })
    expect(await session.boundary()).toMatchObject({ regime: 'observed', decision: 'freeze' })
  })

  test.each([
    ['nothing', [], 0],
    [
      'an original and a summary of something else',
      [
        { key: 'a', stands: [], tokens: 5 },
        { key: 's', stands: ['b'], tokens: 5 },
      ],
      0,
    ],
    [
      'the same key twice',
      [
        { key: 'a', stands: [], tokens: 5 },
        { key: 'a', stands: [], tokens: 5 },
      ],
      10,
    ],
    [
      'a summary of four and one of the four',
      [
        { key: 's', stands: ['a', 'b', 'c', 'd'], tokens: 8 },
        { key: 'a', stands: [], tokens: 5 },
      ],
      7,
    ],
    [
      'two summaries that overlap in one',
      [
        { stands: ['a', 'b'], tokens: 4 },
        { stands: ['b', 'c'], tokens: 6 },
      ],
      5,
    ],
    [
      'a summary and the summary it stands on',
      [
        { key: 't', stands: ['s'], tokens: 4 },
        { key: 's', stands: ['a'], tokens: 6 },
      ],
      10,
    ],
  ])('counts %s', (_, parts, tokens) => {
    expect(duplicateTokens(parts)).toBe(tokens)
  })
})

describe('signal 4', () => {
  test('is a replacement over the same spans that cites more, and takes the epoch back', async () => {
    const { session, turns } = await talk()
    const one = await session.register({ text: cite(turns[0]!), covers: turns.slice(0, 2) })
    const two = await session.register({
      text: cite(turns[0]!, turns[1]!),
      covers: turns.slice(0, 2),
      replaces: one.key,
    })
    expect(await session.boundary()).toMatchObject({
      decision: 'freeze_and_rollback',
      advice: 'DISCARD_EPOCH',
      signals: { referenceInflation: { value: 1, summaries: [{ key: two.key, before: 1, after: 2 }] } },
      frozen: { decision: 'freeze_and_rollback', epoch: 2, discarded: false },
    })
  })

  test('is found later, too, when the chain went on', async () => {
    const { session, turns } = await talk()
    const covers = turns.slice(0, 3)
    let replaces: string | undefined
    for (const count of [2, 1, 3, 2]) {
      const done = await session.register({
        text: cite(...turns.slice(0, count)),
        covers,
        ...(replaces === undefined ? {} : { replaces }),
      })
      replaces = done.key
    }
    const { signals } = await session.boundary({ enforce: false })
    expect(signals.referenceInflation.summaries).toMatchObject([{ before: 1, after: 3 }])
  })

  test('counts what is printed, not what a summary stands on beside that', async () => {
    const { session, turns } = await talk()
    const covers = turns.slice(0, 2)
    const one = await session.register({ text: cite(turns[0]!), covers, dependsOn: turns.slice(0, 4) })
    await session.register({ text: cite(turns[0]!, turns[1]!), covers, replaces: one.key })
    expect(await session.boundary()).toMatchObject({ decision: 'freeze_and_rollback' })
  })

  test('is quiet where fewer are cited, where the covers grew, and where nothing says what is covered', async () => {
    const { session, turns } = await talk()
    const covers = turns.slice(0, 2)
    const one = await session.register({ text: cite(...turns.slice(0, 2)), covers })
    const two = await session.register({ text: cite(turns[0]!), covers, replaces: one.key })
    await session.register({ text: cite(...turns), covers: turns, replaces: two.key })
    const loose = await session.register({ text: cite(turns[0]!) })
    await session.register({ text: cite(...turns), replaces: loose.key })
    const { signals, decision } = await session.boundary()
    expect(signals.referenceInflation).toEqual({ elevated: false, value: 0, summaries: [] })
    expect(decision).toBe('proceed')
  })
})

describe('signal 5', () => {
  test('is what is read becoming older while what is cited does not; alone it asks for another window', async () => {
    const { notes, session, turns } = await talk()
    let current: string | undefined
    for (let cycle = 0; cycle < 20; cycle++) {
      const spans = Array.from({ length: 4 }, (_, i) => ({ text: `Turn ${i} of cycle ${cycle}, said now.` }))
      const { added } = await notes.append({ source: 'talk', spans })
      const done = await session.register({
        text: cite(added[0]!),
        covers: added,
        ...(current === undefined ? {} : { replaces: current }),
      })
      current = done.key
      // From the eleventh cycle on, whatever is read is of the very beginning.
      for (const key of cycle < 10 ? added : turns.slice(0, 4))
        await session.fetch(key, { cited: 'external' })
      const boundary = await session.boundary()
      if (cycle < 12) expect(boundary.signals.recencySkew.elevated).toBe(false)
      if (cycle === 19)
        expect(boundary).toMatchObject({
          decision: 'proceed',
          advice: 'ADJUST_RECENCY_WINDOW',
          signals: { recencySkew: { elevated: true, citedAge: 1 } },
        })
    }
  })
})

describe('the verdict', () => {
  const signals = [1, 2, 3, 4, 5] as const
  const sets = Array.from(
    { length: 32 },
    (_, bits) => new Set(signals.filter((signal) => bits & (1 << (signal - 1)))),
  )

  test('of an observed session is the seed’s prose for every combination of signals', () => {
    for (const elevated of sets) {
      const has = (signal: (typeof signals)[number]) => elevated.has(signal)
      const { decision, advice } = verdictOf('observed', elevated)
      if (has(4)) expect([decision, advice]).toEqual(['freeze_and_rollback', 'DISCARD_EPOCH'])
      else if ((has(1) && has(2)) || ((has(1) || has(2)) && has(3)))
        expect([decision, advice]).toEqual(['freeze', 'FREEZE_AND_RECONCILE'])
      else {
        expect(decision).toBe('proceed')
        if (has(1)) expect(advice).toBe('WIDEN_RETENTION')
        else expect(advice).toBe(has(5) && elevated.size === 1 ? 'ADJUST_RECENCY_WINDOW' : 'PROCEED')
      }
    }
  })

  test('of an enforced session freezes for what does not resolve and for signal 4, and for nothing else', () => {
    for (const elevated of sets) {
      const { decision } = verdictOf('enforced', elevated)
      const expected = elevated.has(4) ? 'freeze_and_rollback' : elevated.has(1) ? 'freeze' : 'proceed'
      expect(decision).toBe(expected)
    }
  })
})

describe('readings', () => {
  test('are kept one for each time, oldest first, and a look keeps none', async () => {
    const { session, turns } = await talk()
    await session.boundary()
    await session.register({ text: cite(turns[0]!) })
    await session.boundary({ enforce: false })
    await session.boundary()
    const readings = await session.readings()
    expect(readings.map(({ cycle, decision, advice }) => [cycle, decision, advice])).toEqual([
      [0, 'proceed', 'PROCEED'],
      [1, 'proceed', 'PROCEED'],
    ])
    expect(await session.readings({ limit: 1 })).toEqual([readings[1]])
  })

  test('are no events', async () => {
    const { store, session } = await talk()
    const before = (await events(store)).length
    await session.boundary()
    expect((await events(store)).length).toBe(before)
  })
})
