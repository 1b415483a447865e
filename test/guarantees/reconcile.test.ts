import { describe, expect, test } from 'vitest'
import type { Key, RewriteTask } from '../../src/index.ts'
import { cite, events, type Talk, TURNS, talk } from './sessions.ts'

const paragraphs = (texts: readonly string[]) => texts.map((text) => ({ text }))

/** Puts the talk again with the first turn cut in two, so that its key gets two successors. */
async function splitFirst({ notes }: Talk): Promise<readonly Key[]> {
  const [first, ...rest] = TURNS
  const at = first!.indexOf(' between')
  const { added } = await notes.put({
    source: 'talk',
    spans: paragraphs([first!.slice(0, at), first!.slice(at), ...rest]),
  })
  return added
}

/** Rewrites from what it is given, one sentence a source. */
const rewrite = ({ sources }: RewriteTask) => cite(...sources.map(({ key }) => key))

describe('reconcile', () => {
  test('reads what is cited, rewrites what is not current from its successors, and stamps one epoch', async () => {
    const here = await talk()
    const { store, session, turns } = here
    const one = await session.register({ text: cite(turns[0]!, turns[1]!), covers: turns.slice(0, 2) })
    const two = await session.register({ text: cite(turns[2]!) })
    const added = await splitFirst(here)
    expect((await session.boundary()).decision).toBe('freeze')
    const tasks: RewriteTask[] = []
    const result = await session.reconcile({
      summarize: (task) => {
        tasks.push(task)
        return rewrite(task)
      },
    })
    expect(tasks).toHaveLength(1)
    expect(tasks[0]!.summary.key).toBe(one.key)
    expect(tasks[0]!.gone).toEqual([])
    expect(tasks[0]!.sources).toMatchObject([
      { key: added[0], via: 'successor', replaces: turns[0] },
      { key: added[1], via: 'successor', replaces: turns[0] },
      { key: turns[1], via: 'live', text: TURNS[1] },
    ])
    expect(result).toMatchObject({
      outcome: 'reconciled',
      epoch: 3,
      rewritten: [{ from: one.key }],
      unresolved: [],
      rehydrated: { asked: 3, ok: 2 },
      resumed: true,
    })
    const live = await session.summaries()
    expect(live.map(({ key, state, epoch }) => [key, state, epoch])).toEqual([
      [two.key, 'current', 2],
      [result.rewritten[0]!.to, 'current', 3],
    ])
    expect(live[1]!.covers).toEqual([...[turns[1]!, ...added]].sort())
    expect(await store.fetch(one.key)).toMatchObject({
      status: 'tombstone',
      tombstone: { reason: 'superseded', successors: [result.rewritten[0]!.to] },
    })
    expect((await session.boundary()).decision).toBe('proceed')
  })

  test('leaves citations alone that `identical` satisfies', async () => {
    const { notes, session, turns } = await talk()
    await session.register({ text: cite(turns[0]!, turns[1]!) })
    await notes.retire([turns[0]!, turns[1]!])
    await notes.put({ source: 'talk', spans: paragraphs(TURNS.with(1, 'Anybody may deploy.')) })
    const tasks: RewriteTask[] = []
    await session.reconcile({
      summarize: (task) => {
        tasks.push(task)
        return cite(turns[0]!)
      },
    })
    expect(tasks[0]!.sources[0]).toMatchObject({ key: turns[0], via: 'identical', text: TURNS[0] })
    expect(await session.stale()).toEqual([])
    expect((await session.summaries())[0]!.dependsOn).toEqual([turns[0]])
  })

  test('calls nobody where everything is current, and is a checkpoint all the same', async () => {
    const { session, turns } = await talk()
    await session.register({ text: cite(turns[0]!) })
    let called = 0
    const result = await session.reconcile({ summarize: () => `${called++}` })
    expect(called).toBe(0)
    expect(result).toMatchObject({ outcome: 'reconciled', epoch: 2, rewritten: [], resumed: false })
  })

  test('rewrites summaries of summaries from the new texts, under keys that exist only afterwards', async () => {
    const { notes, session, turns } = await talk()
    const low = await session.register({ text: cite(turns[0]!) })
    const middle = await session.register({ text: `Lower: ${cite(low.key)}` })
    const high = await session.register({ text: cite(middle.key, turns[1]!) })
    await notes.retire([turns[0]!])
    const seen: [Key, RewriteTask['sources']][] = []
    const result = await session.reconcile({
      summarize: (task) => {
        seen.push([task.summary.key, task.sources])
        return task.summary.key === low.key ? `New: ${cite(turns[2]!)}` : rewrite(task)
      },
    })
    expect(seen.map(([key]) => key)).toEqual([low.key, middle.key, high.key])
    expect(seen[1]![1]).toEqual([{ key: low.key, via: 'rewritten', text: `New: ${cite(turns[2]!)}` }])
    const [newLow, newMiddle, newHigh] = result.rewritten.map(({ to }) => to)
    const live = new Map((await session.summaries()).map((summary) => [summary.key, summary]))
    expect(live.get(newMiddle!)!.dependsOn).toEqual([newLow])
    expect(live.get(newMiddle!)!.text).toContain(`[[${newLow}]]`)
    expect(live.get(newMiddle!)!.claims[0]!.anchors).toEqual([newLow])
    expect(live.get(newHigh!)!.dependsOn.toSorted()).toEqual([turns[1], newMiddle].toSorted())
    expect([...live.values()].every(({ state }) => state === 'current')).toBe(true)
  })

  test('goes on from a summary’s replacement where that is rewritten in the same pass, whichever is older', async () => {
    const { notes, session, turns } = await talk()
    const one = await session.register({ text: cite(turns[0]!) })
    const above = await session.register({ text: cite(one.key) })
    const two = await session.register({ text: `Else: ${cite(turns[1]!)}`, replaces: one.key })
    await notes.retire([turns[1]!])
    const order: Key[] = []
    await session.reconcile({
      summarize: (task) => {
        order.push(task.summary.key)
        return task.summary.key === two.key ? cite(turns[2]!) : rewrite(task)
      },
    })
    expect(order).toEqual([two.key, above.key])
    expect(await session.stale()).toEqual([])
  })

  test('lists what cannot be rewritten, and then writes nothing', async () => {
    const here = await talk()
    const { session, notes, turns } = here
    const a = await session.register({ text: cite(turns[0]!) })
    const b = await session.register({ text: cite(turns[0]!, turns[1]!) })
    const c = await session.register({ text: cite(turns[0]!, turns[2]!) })
    await notes.retire([turns[0]!], { reason: 'evicted' })
    const before = (await events(here.store)).length
    const result = await session.reconcile({
      summarize: ({ summary, gone }) => {
        expect(gone).toEqual([{ key: turns[0], status: 'tombstone', reason: 'evicted' }])
        if (summary.key === a.key) return undefined
        if (summary.key === b.key) return 'No key at all.'
        return cite(turns[0]!, turns[2]!)
      },
    })
    expect(result).toMatchObject({
      outcome: 'incomplete',
      epoch: 0,
      rewritten: [],
      unresolved: [
        { key: a.key, why: 'NOT_REWRITTEN', keys: [turns[0]] },
        { key: b.key, why: 'NO_ANCHORS' },
        { key: c.key, why: 'CITES_UNRESOLVABLE', keys: [turns[0]] },
      ],
    })
    expect((await events(here.store)).length).toBe(before)
    expect(await session.stale()).toHaveLength(3)
  })

  test('withdraws a summary that has nothing left to stand on, when told so', async () => {
    const { store, session, notes, turns } = await talk()
    const { key } = await session.register({ text: cite(turns[0]!) })
    await notes.retire([turns[0]!])
    await session.boundary()
    expect(await session.reconcile({ summarize: () => ({ withdraw: true }) })).toMatchObject({
      outcome: 'reconciled',
      withdrawn: [key],
      resumed: true,
    })
    expect(await store.fetch(key)).toMatchObject({ tombstone: { reason: 'discarded', successors: [] } })
  })

  test('refuses when an input moves while the summarizer thinks, and the pass can be made again', async () => {
    const here = await talk()
    const { session, notes, turns } = here
    await session.register({ text: cite(turns[0]!, turns[1]!) })
    await notes.retire([turns[0]!])
    await session.boundary()
    const before = await session.summaries()
    await expect(
      session.reconcile({
        summarize: async () => {
          await notes.retire([turns[1]!])
          return cite(turns[2]!)
        },
      }),
    ).rejects.toMatchObject({ code: 'INPUTS_MOVED' })
    await expect(
      session.reconcile({
        summarize: async (task) => {
          await notes.retire([turns[2]!])
          return cite(turns[2]!, ...task.sources.map(({ key }) => key))
        },
      }),
    ).resolves.toMatchObject({ outcome: 'incomplete', unresolved: [{ why: 'CITES_UNRESOLVABLE' }] })
    expect((await session.summaries()).map(({ key }) => key)).toEqual(before.map(({ key }) => key))
    expect(await session.frozen()).toBeDefined()
    expect(await session.reconcile({ summarize: () => cite(turns[3]!) })).toMatchObject({ resumed: true })
  })

  test('refuses when another pass of the same session was faster', async () => {
    const { session, notes, turns } = await talk()
    await session.register({ text: cite(turns[0]!) })
    await notes.retire([turns[0]!])
    await expect(
      session.reconcile({
        summarize: async () => {
          await session.reconcile({ summarize: () => cite(turns[2]!) })
          return cite(turns[3]!)
        },
      }),
    ).rejects.toMatchObject({ code: 'INPUTS_MOVED' })
    expect((await session.summaries())[0]!.dependsOn).toEqual([turns[2]])
  })

  test('tells the agent which of its own citations no longer resolve', async () => {
    const { session, notes, turns } = await talk()
    await session.observe({ citations: [turns[0]!, turns[1]!, turns[2]!] })
    await notes.retire([turns[0]!])
    const first = await session.reconcile({ summarize: () => undefined })
    expect(first.citations).toMatchObject([{ status: 'tombstone', key: turns[0] }])
    expect(first.rehydrated).toEqual({ asked: 1, ok: 0 })
  })

  test('has claims and completeness kept as the summarizer gave them', async () => {
    const { session, notes, turns } = await talk()
    await session.register({ text: cite(turns[0]!), covers: [turns[0]!, turns[1]!] })
    await notes.retire([turns[0]!])
    const text = cite(turns[1]!)
    await session.reconcile({ summarize: () => ({ text, claims: ['Claimed so.'], completeness: 0.5 }) })
    const [summary] = await session.summaries()
    expect(summary).toMatchObject({ text, claims: [{ text: 'Claimed so.' }], covers: [turns[1]] })
  })

  test.each([
    ['no function', {}],
    ['a text for a function', { summarize: 'x' }],
  ])('refuses %s', async (_, options) => {
    const { session } = await talk()
    await expect(session.reconcile(options as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  test('names the summary whose rewriting is malformed', async () => {
    const { session, notes, turns } = await talk()
    const { key } = await session.register({ text: cite(turns[0]!) })
    await notes.retire([turns[0]!])
    await expect(session.reconcile({ summarize: () => ({ text: '' }) })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(key),
    })
  })
})
