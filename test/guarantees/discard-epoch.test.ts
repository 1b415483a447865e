import { describe, expect, test } from 'vitest'
import { cite, events, TURNS, talk } from './sessions.ts'

describe('discardEpoch', () => {
  test('withdraws the last epoch and brings back what it replaced, identical to the old', async () => {
    const { store, session, turns } = await talk()
    const one = await session.register({
      text: cite(turns[0]!),
      covers: [turns[0]!],
      claims: ['As claimed.'],
    })
    const two = await session.register({ text: cite(turns[1]!), replaces: one.key })
    const done = await session.discardEpoch()
    const [back] = done.restored
    expect(done).toMatchObject({
      epoch: 2,
      discarded: [two.key],
      restored: [{ from: one.key }],
      lost: [],
      stale: [],
    })
    expect(await store.fetch(one.key)).toMatchObject({
      tombstone: { reason: 'superseded', identical: back!.to },
    })
    expect(await store.fetch(two.key)).toMatchObject({
      tombstone: { reason: 'discarded', successors: [back!.to] },
    })
    expect(await session.summaries()).toMatchObject([
      {
        key: back!.to,
        epoch: 1,
        text: cite(turns[0]!),
        claims: [{ text: 'As claimed.' }],
        dependsOn: [turns[0]],
        covers: [turns[0]],
        state: 'current',
      },
    ])
    expect(await store.verify()).toEqual([])
  })

  test('keeps those current that stand on what comes back, and does not wake them', async () => {
    const { store, notes, session, turns } = await talk()
    const one = await session.register({ text: cite(turns[0]!) })
    const above = await notes.session('other').register({ text: cite(one.key) })
    await session.register({ text: `Else. ${cite(turns[1]!)}`, replaces: one.key })
    expect(await store.fetch(above.key)).toMatchObject({ span: { state: 'stale' } })
    const before = (await events(store)).length
    expect((await session.discardEpoch()).stale).toEqual([])
    expect(await store.fetch(above.key)).toMatchObject({ span: { state: 'current' } })
    expect((await events(store)).slice(before).map(({ type }) => type)).toEqual([
      'epoch.discarded',
      'span.retired',
      'summary.registered',
      'summary.current',
    ])
  })

  test('makes those stale that stood on what it withdraws', async () => {
    const { notes, session, turns } = await talk()
    const one = await session.register({ text: cite(turns[0]!) })
    const above = await notes.session('other').register({ text: cite(one.key) })
    expect((await session.discardEpoch()).stale).toEqual([above.key])
  })

  test('lists what cannot come back, with what it lacks', async () => {
    const { notes, session, turns } = await talk()
    const one = await session.register({ text: cite(turns[0]!, turns[2]!) })
    const low = await session.register({ text: 'Of no further use.', dependsOn: [turns[3]!] })
    await session.register([
      { text: cite(turns[1]!), replaces: one.key },
      { text: 'Another thing.', dependsOn: [turns[4]!], replaces: low.key },
    ])
    await notes.retire([turns[0]!])
    await notes.erase({ keys: [low.key] })
    expect(await session.discardEpoch()).toMatchObject({
      restored: [],
      lost: [
        { key: one.key, missing: [turns[0]] },
        { key: low.key, missing: [] },
      ],
    })
  })

  test('brings back what stands on what it brings back, at any depth', async () => {
    const { store, session, turns } = await talk()
    const low = await session.register({ text: cite(turns[0]!) })
    const high = await session.register({ text: cite(low.key, turns[1]!) })
    const replaced = await session.register([
      { text: `New low. ${cite(turns[2]!)}`, replaces: low.key },
      { text: `New high. ${cite(turns[3]!)}`, replaces: high.key },
    ])
    const done = await session.discardEpoch()
    expect(done.discarded).toEqual(replaced.map(({ key }) => key))
    expect(done.restored.map(({ from }) => from)).toEqual([low.key, high.key])
    // The text still prints the old key, which is `identical` to the new.
    const live = await session.summaries()
    expect(live.map(({ state }) => state)).toEqual(['current', 'current'])
    expect(live[1]!.dependsOn).toEqual([turns[1], low.key])
    expect(await store.verify()).toEqual([])
  })

  test('goes back an epoch at a time, over what it brought back itself', async () => {
    const { store, session, turns } = await talk()
    const first = await session.register({ text: `A ${cite(turns[0]!)}` })
    const second = await session.register({ text: `B ${cite(turns[1]!)}`, replaces: first.key })
    await session.register({ text: `C ${cite(turns[2]!)}`, replaces: second.key })
    const texts = async () => (await session.summaries()).map(({ text, epoch }) => [text[0], epoch])
    expect((await session.discardEpoch()).epoch).toBe(3)
    expect(await texts()).toEqual([['B', 2]])
    expect((await session.discardEpoch()).epoch).toBe(2)
    expect(await texts()).toEqual([['A', 1]])
    expect((await session.discardEpoch()).epoch).toBe(1)
    expect(await texts()).toEqual([])
    expect(await session.discardEpoch()).toMatchObject({ epoch: 0, discarded: [], restored: [] })
    // Epochs go on counting up.
    expect((await session.register({ text: cite(turns[0]!) })).epoch).toBe(4)
    expect(await store.fetch(second.key)).not.toMatchObject({ tombstone: { identical: expect.anything() } })
    expect(await store.verify()).toEqual([])
  })

  test('leaves a trace: who erases the old is told of the copy', async () => {
    const { notes, session, turns } = await talk()
    const one = await session.register({ text: 'Said once and for all.', dependsOn: [turns[0]!] })
    await session.register({ text: 'Other words.', dependsOn: [turns[1]!], replaces: one.key })
    const { restored } = await session.discardEpoch()
    await expect(notes.erase({ keys: [one.key] })).rejects.toMatchObject({
      code: 'CASCADE_REQUIRED',
      detail: { keys: [restored[0]!.to] },
    })
    expect(await notes.lineage(one.key)).toMatchObject({
      edges: expect.arrayContaining([{ from: one.key, to: restored[0]!.to, kind: 'restored' }]),
    })
  })

  test('undoes a merge', async () => {
    const { store, session, turns } = await talk()
    const a = await session.register({ text: `A ${cite(turns[0]!)}` })
    const b = await session.register({ text: `B ${cite(turns[1]!)}` })
    await session.register({ text: cite(turns[0]!, turns[1]!), replaces: [a.key, b.key] })
    const { restored } = await session.discardEpoch()
    expect(restored.map(({ from }) => from)).toEqual([a.key, b.key])
    for (const { from, to } of restored)
      expect(await store.fetch(from)).toMatchObject({ tombstone: { identical: to } })
    expect(await store.verify()).toEqual([])
  })

  test('can be replaced again, and the replacement that says the same is identical down the chain', async () => {
    const { store, session, turns } = await talk()
    const one = await session.register({ text: cite(turns[0]!) })
    await session.register({ text: `Else. ${cite(turns[1]!)}`, replaces: one.key })
    const { restored } = await session.discardEpoch()
    const again = await session.register({ text: cite(turns[0]!), replaces: restored[0]!.to })
    expect(await store.fetch(one.key)).toMatchObject({ tombstone: { identical: again.key } })
    expect(await store.fetch(restored[0]!.to)).toMatchObject({ tombstone: { identical: again.key } })
    expect(await store.verify()).toEqual([])
  })

  test('answers a repeated command with its first answer', async () => {
    const { session, turns } = await talk()
    await session.register({ text: cite(turns[0]!) })
    await session.register({ text: cite(turns[1]!) })
    const first = await session.discardEpoch({ commandId: 'x' })
    expect(await session.discardEpoch({ commandId: 'x' })).toEqual(first)
    expect(await session.summaries()).toHaveLength(1)
  })

  test('of a session that never began discards nothing', async () => {
    const { notes } = await talk()
    expect(await notes.session('never').discardEpoch()).toMatchObject({ epoch: 0 })
    expect(TURNS).toHaveLength((await notes.source('talk')).status === 'ok' ? 6 : 0)
  })
})
