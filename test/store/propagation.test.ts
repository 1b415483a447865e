import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { Collection, FetchResult, Key, Store, Summary } from '../../src/index.ts'
import { openStore } from '../../src/index.ts'
import { Connection } from '../../src/ledger/sqlite/statements.ts'
import { eventsOf, random, temporary } from './helpers.ts'

async function fresh(): Promise<{ store: Store; notes: Collection }> {
  const store = await openStore(':memory:')
  return { store, notes: await store.collection('notes') }
}

async function summaryOf(store: Store, key: Key): Promise<Summary> {
  const result: FetchResult = await store.fetch(key)
  if (result.status !== 'ok' || result.kind !== 'summary') throw new Error(`${key} is ${result.status}`)
  return result.span
}

const stateOf = async (store: Store, key: Key) => (await summaryOf(store, key)).state
const causesOf = async (store: Store, key: Key) => (await summaryOf(store, key)).causes.map((c) => c.key)

const spans = (n: number, word = 'turn') =>
  Array.from({ length: n }, (_, i) => ({
    text: `${word} ${i} of the conversation, which says something of its own`,
  }))

describe('a retired span reaches everything that stands on it, in the same commit', () => {
  it('1000 summaries of one span: all stale, all named by the put, each with that one cause', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const session = notes.session('a')
    const registered = await session.register(
      Array.from({ length: 1000 }, (_, i) => ({ text: `Summary ${i}.`, dependsOn: [added[0]!] })),
    )
    const { stale } = await notes.put({ source: 's', spans: [{ text: 'Something else altogether.' }] })
    expect([...stale].sort()).toEqual(registered.map(({ key }) => key).sort())
    for (const { key } of registered.slice(0, 20)) {
      expect(await stateOf(store, key)).toBe('stale')
      expect(await causesOf(store, key)).toEqual([added[0]])
    }
    await store.close()
  })

  it('a chain 50 deep: the first is stale, all above are suspect, and all are current again when the text returns', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(2) })
    const session = notes.session('a')
    const chain: Key[] = []
    for (let below = added[0]!; chain.length < 50; below = chain.at(-1)!)
      chain.push((await session.register({ text: `Level ${chain.length}.`, dependsOn: [below] })).key)
    const { stale } = await notes.retire([added[0]!], { reason: 'evicted' })
    expect([...stale].sort()).toEqual([...chain].sort())
    expect(await stateOf(store, chain[0]!)).toBe('stale')
    for (const [i, key] of chain.slice(1).entries()) {
      expect(await stateOf(store, key)).toBe('suspect')
      expect(await causesOf(store, key)).toEqual([chain[i]])
    }
    const back = await notes.put({ source: 's', spans: spans(2) })
    expect(back.added).toHaveLength(1)
    expect(back.stale).toEqual([])
    for (const key of chain) expect(await stateOf(store, key)).toBe('current')
    await store.close()
  })

  it('a diamond is crossed once on each edge, and its top has both sides as causes', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const session = notes.session('a')
    const left = await session.register({ text: 'Left.', dependsOn: [added[0]!] })
    const right = await session.register({ text: 'Right.', dependsOn: [added[0]!] })
    const top = await session.register({ text: 'Top.', dependsOn: [left.key, right.key] })
    const { stale } = await notes.retire(added)
    expect([...stale].sort()).toEqual([left.key, right.key, top.key].sort())
    expect((await causesOf(store, top.key)).sort()).toEqual([left.key, right.key].sort())
    await store.close()
  })

  it('a dependent in another collection learns of it in that commit, in its own log', async () => {
    const { store, notes } = await fresh()
    const other = await store.collection('other')
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const far = await other.session('b').register({ text: 'Far.', dependsOn: added })
    const { stale } = await notes.retire(added)
    expect(stale).toEqual([far.key])
    expect(await stateOf(store, far.key)).toBe('stale')
    await store.close()
  })

  it('dropping a collection makes stale only what stands on it outside, and names nothing that it dropped', async () => {
    const { store, notes } = await fresh()
    const other = await store.collection('other')
    const { added } = await notes.put({ source: 's', spans: spans(2) })
    const inside = await notes.session('a').register({ text: 'Inside.', dependsOn: [added[0]!] })
    const onSpan = await other.session('b').register({ text: 'On a span.', dependsOn: [added[0]!] })
    const onSummary = await other.session('b').register({ text: 'On a summary.', dependsOn: [inside.key] })
    const above = await other.session('b').register({ text: 'Above.', dependsOn: [onSummary.key] })
    const { stale } = await store.dropCollection('notes')
    expect([...stale].sort()).toEqual([onSpan.key, onSummary.key, above.key].sort())
    expect(await stateOf(store, onSpan.key)).toBe('stale')
    expect(await stateOf(store, onSummary.key)).toBe('stale')
    expect(await stateOf(store, above.key)).toBe('suspect')
    expect((await store.fetch(inside.key)).status).toBe('tombstone')
    await store.close()
  })

  it('a summary of a dropped collection is no dependent any more, whatever happens to what it stood on', async () => {
    const { store, notes } = await fresh()
    const other = await store.collection('other')
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const gone = await other.session('b').register({ text: 'Gone.', dependsOn: added })
    const above = await notes.session('a').register({ text: 'Above.', dependsOn: [gone.key] })
    await store.dropCollection('other')
    const retired = await notes.retire(added, { reason: 'evicted' })
    expect(retired.stale).toEqual([])
    // It stands on a tombstone: neither the retirement nor the return of the text below may soften or lift that.
    expect(await stateOf(store, above.key)).toBe('stale')
    await notes.put({ source: 's', spans: spans(1) })
    expect(await stateOf(store, above.key)).toBe('stale')
    expect((await notes.dependents(added[0]!)).find(({ key }) => key === gone.key)).toMatchObject({
      status: 'tombstone',
      state: 'discarded',
      causes: [],
    })
    await store.close()
  })
})

describe('early cutoff', () => {
  it('a re-summarization that says the same clears everything above it, and nobody above is rewritten', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(3) })
    const session = notes.session('a')
    const low = await session.register({ text: `The first turns. [[${added[0]!}]]` })
    const high = await session.register({ text: 'High.', dependsOn: [low.key] })
    const top = await session.register({ text: 'Top.', dependsOn: [high.key] })
    const edited = await notes.put({
      source: 's',
      spans: [
        { text: 'turn 0 of the conversation, which says something of its own and more' },
        ...spans(3).slice(1),
      ],
    })
    expect(edited.stale).toHaveLength(3)
    const again = await session.register({
      text: `The first turns. [[${edited.added[0]!}]]`,
      replaces: low.key,
    })
    expect(again.stale).toEqual([])
    expect(await stateOf(store, high.key)).toBe('current')
    expect(await stateOf(store, top.key)).toBe('current')
    expect(await store.fetch(low.key)).toMatchObject({
      tombstone: { reason: 'superseded', successors: [again.key], identical: again.key },
    })
    await store.close()
  })

  it('a re-summarization that says something else makes everything above it not current', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const session = notes.session('a')
    const low = await session.register({ text: 'Approved.', dependsOn: added })
    const high = await session.register({ text: 'High.', dependsOn: [low.key] })
    const changed = await session.register({ text: 'Rejected.', dependsOn: added, replaces: low.key })
    expect(changed.stale).toEqual([high.key])
    // And when a third one says the first thing again, the first is what it says again.
    const back = await session.register({ text: 'Approved.', dependsOn: added, replaces: changed.key })
    expect(back.stale).toEqual([])
    expect(await stateOf(store, high.key)).toBe('current')
    expect(await store.fetch(changed.key)).toMatchObject({ tombstone: { reason: 'superseded' } })
    expect(await store.fetch(changed.key)).not.toHaveProperty('tombstone.identical')
    await store.close()
  })

  it('finds what it says again behind a predecessor with the same words about something else', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(2) })
    const session = notes.session('a')
    const first = await session.register({ text: `Approved. [[${added[0]!}]]` })
    const above = await session.register({ text: 'Above.', dependsOn: [first.key] })
    const second = await session.register({ text: `Approved. [[${added[1]!}]]`, replaces: first.key })
    expect(await stateOf(store, above.key)).toBe('stale')
    const third = await session.register({ text: `Approved. [[${added[0]!}]]`, replaces: second.key })
    expect(await store.fetch(first.key)).toMatchObject({ tombstone: { identical: third.key } })
    expect(await stateOf(store, above.key)).toBe('current')
    await store.close()
  })

  it('one that replaces several and says what one of them said is identical to that one', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const session = notes.session('a')
    const [one, two] = await session.register([
      { text: 'One.', dependsOn: added },
      { text: 'Two.', dependsOn: added },
    ])
    const onOne = await session.register({ text: 'On one.', dependsOn: [one!.key] })
    const onTwo = await session.register({ text: 'On two.', dependsOn: [two!.key] })
    const merged = await session.register({ text: 'Two.', dependsOn: added, replaces: [one!.key, two!.key] })
    expect(merged.stale).toEqual([onOne.key])
    expect(await stateOf(store, onTwo.key)).toBe('current')
    await store.close()
  })
})

describe('text that returns', () => {
  it('a short text that returns to its place clears the causes; elsewhere it does not', async () => {
    const { store, notes } = await fresh()
    const turns = ['Shall we deploy?', 'Yes.', 'Shall we tell them?', 'No.']
    const put = (texts: string[]) => notes.put({ source: 's', spans: texts.map((text) => ({ text })) })
    const { added } = await put(turns)
    const summary = await notes.session('a').register({ text: 'They agreed.', dependsOn: [added[1]!] })
    await notes.retire([added[1]!], { reason: 'evicted' })
    expect(await stateOf(store, summary.key)).toBe('stale')
    const back = await put(turns)
    expect(back.added).toHaveLength(1)
    expect(await stateOf(store, summary.key)).toBe('current')
    expect(await store.fetch(added[1]!)).toMatchObject({
      tombstone: { reason: 'evicted', identical: back.added[0] },
    })
    await put(['Shall we deploy?', 'Never.', 'Shall we tell them?', 'No.'])
    expect(await stateOf(store, summary.key)).toBe('stale')
    await put(['Shall we deploy?', 'Never.', 'Shall we tell them?', 'No.', 'Yes.'])
    expect(await stateOf(store, summary.key)).toBe('stale')
    await store.close()
  })

  it('a longer text that returns anywhere in its source clears them, until there are two of it', async () => {
    const { store, notes } = await fresh()
    const telling = 'The treasurer confirmed that the budget was approved.'
    const { added } = await notes.put({ source: 's', spans: [{ text: telling }, { text: 'Next.' }] })
    const summary = await notes.session('a').register({ text: 'Approved.', dependsOn: [added[0]!] })
    await notes.put({ source: 's', spans: [{ text: 'Next.' }] })
    expect(await stateOf(store, summary.key)).toBe('stale')
    await notes.append({ source: 's', spans: [{ text: telling }] })
    expect(await stateOf(store, summary.key)).toBe('current')
    const twice = await notes.append({ source: 's', spans: [{ text: telling }] })
    expect(twice.stale).toEqual([summary.key])
    await notes.retire([twice.added[0]!])
    expect(await stateOf(store, summary.key)).toBe('current')
    await store.close()
  })

  it('the same bytes in another source never clear a cause', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const summary = await notes.session('a').register({ text: 'Sum.', dependsOn: added })
    await notes.remove({ source: 's' })
    await notes.put({ source: 't', spans: spans(1) })
    expect(await stateOf(store, summary.key)).toBe('stale')
    await notes.put({ source: 's', spans: spans(1) })
    expect(await stateOf(store, summary.key)).toBe('current')
    await store.close()
  })

  it('a successor that was there before counts when it becomes the successor', async () => {
    const { store, notes } = await fresh()
    const at = (start: number, end: number) => ({ start, end })
    const put = (text: string, ranges: { start: number; end: number }[], id: string) =>
      notes.put({
        source: 's',
        text,
        chunker: { id, chunk: (t) => ranges.map((r) => ({ ...r, text: t.slice(r.start, r.end) })) },
      })
    const text = 'Is it safe? Yes. Indeed it is.'
    const first = await put(text, [at(0, 11), at(12, 16), at(17, 30)], 'three')
    const yes = first.added[1]!
    const summary = await notes.session('a').register({ text: 'Safe.', dependsOn: [yes] })
    // "Yes." goes into a longer span, then "Yes." is cut again inside that span, then the longer one goes.
    await put(text, [at(0, 11), at(12, 30)], 'two')
    const third = await put(text, [at(0, 11), at(12, 30), at(12, 16)], 'inside')
    expect(third.added).toHaveLength(1)
    expect(await stateOf(store, summary.key)).toBe('stale')
    await put(text, [at(0, 11), at(12, 16), at(17, 30)], 'three')
    expect(await store.fetch(yes)).toMatchObject({ tombstone: { identical: third.added[0] } })
    expect(await stateOf(store, summary.key)).toBe('current')
    await store.close()
  })
})

describe('suspect and stale', () => {
  it('suspect becomes stale when the support goes, and suspect again when only its standing is in doubt', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(2) })
    const session = notes.session('a')
    const low = await session.register({ text: 'Low.', dependsOn: [added[0]!] })
    const high = await session.register({ text: 'High.', dependsOn: [low.key, added[1]!] })
    await notes.retire([added[0]!], { reason: 'evicted' })
    expect(await stateOf(store, high.key)).toBe('suspect')
    const second = await notes.retire([added[1]!], { reason: 'evicted' })
    expect(second.stale).toEqual([])
    expect(await stateOf(store, high.key)).toBe('stale')
    await notes.put({ source: 's', spans: [spans(2)[1]!] })
    expect(await stateOf(store, high.key)).toBe('suspect')
    expect(await causesOf(store, high.key)).toEqual([low.key])
    await notes.retire([low.key])
    expect(await stateOf(store, high.key)).toBe('stale')
    await store.close()
  })

  it('a tombstone whose identical is not current makes suspect, not stale', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const session = notes.session('a')
    const low = await session.register({ text: 'Low.', dependsOn: added })
    const high = await session.register({ text: 'High.', dependsOn: [low.key] })
    await session.register({ text: 'Low.', dependsOn: added, replaces: low.key })
    expect(await stateOf(store, high.key)).toBe('current')
    await notes.retire(added)
    expect(await stateOf(store, high.key)).toBe('suspect')
    await store.close()
  })
})

describe('one epoch of several summaries', () => {
  it('is refused when one of them retires what another stands on: nothing is born stale', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const session = notes.session('a')
    const low = await session.register({ text: 'Low.', dependsOn: added })
    const high = await session.register({ text: 'High.', dependsOn: [low.key] })
    const position = (await store.collections())[0]!.position
    for (const batch of [
      [
        { text: 'Uses low.', dependsOn: [low.key] },
        { text: 'Low, said otherwise.', dependsOn: added, replaces: low.key },
      ],
      [
        { text: 'Low, said otherwise.', dependsOn: added, replaces: low.key },
        { text: 'Uses high.', dependsOn: [high.key] },
      ],
    ])
      await expect(session.register(batch)).rejects.toMatchObject({ code: 'DEPENDENCY_UNSATISFIED' })
    expect((await store.collections())[0]!.position).toBe(position)
    expect(await stateOf(store, high.key)).toBe('current')
    await store.close()
  })

  it('is refused where a summary that says the same as before loses its own support in that epoch', async () => {
    const { store, notes } = await fresh()
    const { added } = await notes.put({ source: 's', spans: spans(2) })
    const session = notes.session('a')
    const base = await session.register({ text: 'Base.', dependsOn: [added[0]!] })
    const old = await session.register({ text: 'Old.', dependsOn: [added[1]!] })
    const above = await session.register({ text: 'Above.', dependsOn: [old.key] })
    await expect(
      session.register([
        { text: 'Old.', dependsOn: [base.key], replaces: old.key },
        { text: 'Base, said otherwise.', dependsOn: [added[0]!], replaces: base.key },
      ]),
    ).rejects.toMatchObject({ code: 'DEPENDENCY_UNSATISFIED' })
    expect(await stateOf(store, above.key)).toBe('current')
    await store.close()
  })

  it('a summary that would flip twice in one commit makes no event', async () => {
    const { store, notes, connection } = await withReader()
    const { added } = await notes.put({ source: 's', spans: spans(1) })
    const session = notes.session('a')
    const low = await session.register({ text: 'Low.', dependsOn: added })
    const high = await session.register({ text: 'High.', dependsOn: [low.key] })
    const before = eventsOf(connection, notes.id).length
    const again = await session.register([{ text: 'Low.', dependsOn: added, replaces: low.key }])
    expect(again[0]!.stale).toEqual([])
    const events = eventsOf(connection, notes.id).slice(before)
    expect(events.map(({ type }) => type)).toEqual(['summary.registered', 'summary.superseded'])
    expect(await stateOf(store, high.key)).toBe('current')
    connection.db.close()
    await store.close()
  })
})

async function withReader() {
  const directory = temporary()
  const store = await openStore(directory)
  const connection = new Connection(new Database(join(directory, 'ledger.db'), { readonly: true }))
  return { store, notes: await store.collection('notes'), connection }
}

/** SPANSTORE_RUNS widens it. */
const ROUNDS = Number(process.env.SPANSTORE_RUNS ?? 2)

describe('random graphs', () => {
  it('causes are exactly the unsatisfied dependencies, however the graph and the order of events', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const next = random(round + 1)
      const { store, notes } = await fresh()
      const words = (i: number, version: number) =>
        `turn ${i} in version ${version}: the committee discussed item ${i} at length`
      const width = 30
      const versions = new Array<number>(width).fill(0)
      const put = () => notes.put({ source: 's', spans: versions.map((v, i) => ({ text: words(i, v) })) })
      let { added: current } = await put()
      const keys: Key[] = [...current]
      const session = notes.session('a')
      const deps = new Map<Key, Key[]>()
      for (let i = 0; i < 120; i++) {
        const dependsOn = [
          ...new Set(
            Array.from({ length: 1 + Math.floor(next() * 4) }, () => keys[Math.floor(next() * keys.length)]!),
          ),
        ]
        const { key } = await session.register({ text: `Summary ${i}.`, dependsOn })
        deps.set(key, dependsOn)
        keys.push(key)
      }
      const dead = new Set<Key>()
      /** By the text each first version had: it is satisfied while that version is live. */
      const first = current.slice()
      for (let step = 0; step < 12; step++) {
        for (let i = 0; i < 4; i++) {
          const at = Math.floor(next() * width)
          versions[at] = versions[at] === 0 ? step + 1 : 0
        }
        await put()
        const satisfied = (key: Key): boolean => {
          const at = first.indexOf(key)
          if (at >= 0) return versions[at] === 0
          return !dead.has(key) && deps.get(key)!.every(satisfied)
        }
        for (const [key, own] of deps) {
          const summary = await summaryOf(store, key)
          const expected = own.filter((dep) => !satisfied(dep))
          expect([...summary.causes.map((c) => c.key)].sort()).toEqual([...expected].sort())
          const hard = expected.some((dep) => first.includes(dep))
          expect(summary.state).toBe(expected.length === 0 ? 'current' : hard ? 'stale' : 'suspect')
        }
      }
      current = []
      await store.close()
    }
  })
})
