import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { isSpanStoreError, openStore } from '../../src/index.ts'
import { random } from '../store/helpers.ts'
import { another, cite, look, reopened, TURNS, talk } from './sessions.ts'

const count = (here: Parameters<typeof look>[0], table: 'observation' | 'snapshot') =>
  look(here, (connection) => connection.value<number>(`SELECT count(*) FROM ${table}`)!)

afterEach(() => {
  vi.useRealTimers()
})

describe('what a session observes', () => {
  test('waits beside the reads, and is written before anything is decided on it', async () => {
    const here = await talk()
    const { session, turns } = here
    await session.fetch(turns[0]!, { cited: 'self' })
    await session.observe({ citations: [turns[1]!] })
    expect(await count(here, 'observation')).toBe(0)
    await session.boundary({ enforce: false })
    expect(await count(here, 'observation')).toBe(2)
  })

  test('is written after a second without anybody asking', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const here = await talk()
    await here.session.fetch(here.turns[0]!, { cited: 'self' })
    await vi.advanceTimersByTimeAsync(900)
    expect(await count(here, 'observation')).toBe(0)
    await vi.advanceTimersByTimeAsync(200)
    vi.useRealTimers()
    await vi.waitFor(async () => expect(await count(here, 'observation')).toBe(1))
  })

  test('is written after many reads without waiting, all of one kind as one row', async () => {
    const here = await talk()
    for (let i = 0; i < 100_001; i++) await here.session.fetch(here.turns[i % 6]!, { cited: 'external' })
    await vi.waitFor(async () => expect(await count(here, 'observation')).toBe(1))
    const [number, keys] = look(
      here,
      (connection) => connection.row<[number, string]>('SELECT count, keys FROM observation')!,
    )
    expect([number, keys.length]).toEqual([100_000, 6 * 26])
  })

  test('is written earlier where each read is of another key: what waits is bounded', async () => {
    const here = await talk()
    const another = here.turns[0]!.slice(0, 20)
    const nth = (i: number) => another + String(i).padStart(6, '0')
    for (let i = 0; i < 50_001; i++) await here.session.fetch(nth(i), { cited: 'self' })
    await vi.waitFor(async () => expect(await count(here, 'observation')).toBe(1))
    const [number, keys] = look(
      here,
      (connection) => connection.row<[number, string]>('SELECT count, keys FROM observation')!,
    )
    expect([number, keys.length]).toEqual([50_000, 50_000 * 26])
  })

  test('is written when the store closes', async () => {
    const here = await talk()
    await here.session.fetch(here.turns[0]!, { cited: 'self' })
    const again = await reopened(here)
    expect(await count(again, 'observation')).toBe(1)
  })

  test('is lost with a crash up to the last batch, and nothing else is', async () => {
    const here = await talk()
    const { session, turns } = here
    await session.register({ text: cite(turns[0]!) })
    await session.fetch(turns[0]!, { cited: 'self' })
    await session.boundary()
    await session.fetch(turns[1]!, { cited: 'self' })
    // The process is gone here: what another opening sees is what is on disk.
    const other = await another(here.directory)
    const { signals } = await other.session.boundary({ enforce: false })
    expect(signals.selfCitationAsymmetry.self.asked).toBe(1)
    expect(await other.session.summaries()).toHaveLength(1)
    expect(await other.store.verify()).toEqual([])
  })

  test('waits for a store that is busy, and the write that follows carries all of it', async () => {
    const here = await talk({ wait: 30 })
    const { session, turns } = here
    const other = new Database(join(here.directory, 'ledger.db'))
    other.exec('BEGIN IMMEDIATE')
    await session.fetch(turns[0]!, { cited: 'self' })
    await expect(session.boundary({ enforce: false })).rejects.toMatchObject({ code: 'STORE_BUSY' })
    await session.fetch(turns[1]!, { cited: 'self' })
    other.exec('ROLLBACK')
    other.close()
    const { signals } = await session.boundary({ enforce: false })
    expect(signals.selfCitationAsymmetry.self.asked).toBe(2)
  })

  test('is told of once where it can never be written, and does not hold up what follows', async () => {
    let now = 1_000
    const { session, turns } = await talk({ clock: () => now })
    await session.fetch(turns[0]!, { cited: 'self' })
    // No time: the table takes whole milliseconds alone.
    now = 1_000.5
    await expect(session.boundary({ enforce: false })).rejects.toThrow(/REAL/)
    now = 1_001
    await session.fetch(turns[1]!, { cited: 'self' })
    const { signals } = await session.boundary({ enforce: false })
    expect(signals.selfCitationAsymmetry.self.asked).toBe(1)
  })

  test('is dropped with its collection', async () => {
    const { store, session, notes, turns } = await talk()
    await session.fetch(turns[0]!, { cited: 'self' })
    await store.dropCollection('notes')
    await expect(session.boundary()).rejects.toMatchObject({ code: 'COLLECTION_DROPPED' })
    await expect(notes.session('agent').register({ text: 'x' })).rejects.toSatisfy(isSpanStoreError)
  })

  test('holds no text, and counts what is no key without keeping it', async () => {
    const here = await talk()
    const { session } = here
    await session.fetch('my secret question', { cited: 'external' })
    await session.observe({
      citations: ['another secret'],
      context: [{ text: 'A secret summary.', covers: ['secret cover'] }],
      retrievals: [{ key: 'a secret id', hit: false, cited: 'self' }],
    })
    await session.boundary()
    const rows = look(here, (connection) => [
      ...connection.rows('SELECT * FROM observation'),
      ...connection.rows('SELECT * FROM snapshot'),
    ])
    expect(JSON.stringify(rows)).not.toMatch(/secret/)
    expect(rows).toHaveLength(4)
  })

  test('outlives an erasure of what was read: keys are not text', async () => {
    const { store, notes, session, turns } = await talk()
    await session.fetch(turns[0]!, { cited: 'self' })
    await session.boundary()
    expect(await notes.erase({ keys: [turns[0]!] })).toMatchObject({ complete: true })
    await store.prune({ before: Date.now() + 1 })
    expect(await store.verify()).toEqual([])
  })
})

describe('reads are told apart', () => {
  test('by whether their keys are printed in a summary of the session, whatever the caller says', async () => {
    const { store, session, turns } = await talk()
    await session.register({ text: cite(turns[0]!), dependsOn: [turns[1]!] })
    await session.fetch(turns[0]!, { cited: 'self' })
    await session.fetch(turns[0]!, { cited: 'external' })
    // Given beside the text, so not to be read off it.
    await session.fetch(turns[1]!, { cited: 'self' })
    await session.fetch('01ARZ3NDEKTSV4RRFFQ69G5FAV', { cited: 'self' })
    await session.search({ text: 'pager' })
    await session.boundary()
    const [stats] = (await store.stats()).collections
    expect(stats!.rehydrations).toEqual({
      anchored: { asked: 2, ok: 2 },
      queried: { asked: 3, ok: 2 },
    })
  })

  test('so that anchors that fail are not hidden by queries that succeed', async () => {
    const { store, notes, session, turns } = await talk()
    await session.register({ text: cite(turns[0]!) })
    await notes.retire([turns[0]!])
    for (let i = 0; i < 10; i++) await session.search({ text: 'pager migration customers' })
    await session.fetch(turns[0]!, { cited: 'self' })
    await session.boundary()
    const { anchored, queried } = (await store.stats()).collections[0]!.rehydrations
    expect(anchored).toEqual({ asked: 1, ok: 0 })
    expect(queried.ok).toBe(queried.asked)
  })

  test.each(['', 'both', undefined, 1])('and must say whose idea they were: not %j', async (cited) => {
    const { session, turns } = await talk()
    await expect(session.fetch(turns[0]!, { cited } as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })
})

describe('observe refuses', () => {
  test.each([
    ['what it does not know', { contexts: [] }],
    ['a context that is no array', { context: {} }],
    ['a part with a field it does not know', { context: [{ key: 'x', words: 1 }] }],
    ['tokens that are no number', { context: [{ tokens: '12' }] }],
    ['tokens that are negative', { context: [{ tokens: -1 }] }],
    ['half a surrogate pair', { citations: ['\ud83e'] }],
    ['a retrieval that does not say hit or miss', { retrievals: [{ key: 'x', cited: 'self' }] }],
    ['a retrieval of nobody', { retrievals: [{ key: 'x', hit: true, cited: 'them' }] }],
    ['a position that is none', { indexedThrough: -1 }],
  ])('%s, and notes nothing of it', async (_, observation) => {
    const here = await talk()
    await expect(here.session.observe(observation as never)).rejects.toMatchObject({
      code: expect.stringMatching(/INVALID_ARGUMENT|ILL_FORMED_TEXT/),
    })
    await here.session.boundary({ enforce: false })
    expect(await count(here, 'observation')).toBe(0)
    expect(await count(here, 'snapshot')).toBe(0)
  })
})

describe('the counters', () => {
  test('are those of the log after any mixture of work, and verify finds and mends what is not', async () => {
    const here = await talk()
    const { store, notes, session, turns, directory } = here
    const next = random(7)
    let keys = [...turns]
    let last: string | undefined
    for (let step = 0; step < 120; step++) {
      const key = keys[Math.floor(next() * keys.length)]!
      const kind = Math.floor(next() * 8)
      if (kind === 0) {
        const { added } = await notes.append({ source: 'talk', spans: [{ text: `Step ${step} was said.` }] })
        keys = [...keys, ...added]
      } else if (kind === 1) await notes.retire([key])
      else if (kind === 2) {
        const live = (await notes.fetchMany(keys)).filter(({ status }) => status === 'ok').slice(-3)
        if ((await session.frozen()) === undefined && live.length > 0)
          last = (
            await session.register({
              text: cite(...live.map((result) => result.key)),
              covers: [live[0]!.key],
              ...(last !== undefined && next() < 0.7 ? { replaces: last } : {}),
            })
          ).key
      } else if (kind === 3) {
        if (next() < 0.3) {
          await session.boundary()
          if (await session.frozen()) {
            await session.discardEpoch()
            await session.reconcile({ summarize: () => ({ withdraw: true }) })
          }
          last = (await session.summaries()).at(-1)?.key
        } else await session.boundary({ enforce: false })
      } else if (kind === 4)
        await session.observe({
          retrievals: [{ key, hit: next() < 0.5, cited: next() < 0.5 ? 'self' : 'external' }],
        })
      else await session.fetch(key, { cited: next() < 0.5 ? 'self' : 'external' })
    }
    await session.boundary({ enforce: false })
    expect(await store.verify()).toEqual([])

    const db = new Database(join(directory, 'ledger.db'))
    const before = db.prepare('SELECT * FROM session_cycle').all()
    const ages = db.prepare('SELECT * FROM session_age').all()
    expect(before.length).toBeGreaterThan(3)
    expect(ages.length).toBeGreaterThan(3)
    db.exec('UPDATE session_cycle SET self_hits = self_hits + 1 WHERE cycle = 1')
    db.exec('DELETE FROM session_age WHERE cycle = 2')
    db.exec('INSERT INTO session_cycle SELECT id, 999, 1,1,1,1,1,1,1,1,1,1,1,1 FROM session LIMIT 1')
    const found = await store.verify()
    expect(new Set(found.map(({ code }) => code))).toEqual(new Set(['WRONG_SESSION_COUNT']))
    expect((await store.verify({ repair: true })).every(({ repaired }) => repaired)).toBe(true)
    expect(await store.verify()).toEqual([])
    const nothing = (row: unknown) =>
      Object.values(row as object)
        .slice(2)
        .every((value) => value === 0)
    expect(
      db
        .prepare('SELECT * FROM session_cycle')
        .all()
        .filter((row) => !nothing(row)),
    ).toEqual(before)
    expect(db.prepare('SELECT * FROM session_age').all()).toEqual(ages)
    db.close()
  })
})

describe('the knobs', () => {
  test('retention keeps texts that live summaries stand on from prune, as long as it says', async () => {
    let now = 1_000_000
    const { store, notes, session, turns } = await talk({ clock: () => now })
    await session.register({ text: cite(turns[0]!) })
    await session.configure({ retention: 5000 })
    expect(await session.settings()).toEqual({ retention: 5000 })
    await notes.retire([turns[0]!, turns[1]!])
    now += 4000
    expect((await store.prune({ before: now + 1 })).pruned).toBe(1)
    expect(await notes.fetch(turns[0]!)).not.toMatchObject({ tombstone: { prunedAt: expect.anything() } })
    now += 2000
    expect((await store.prune({ before: now + 1 })).pruned).toBe(1)
  })

  test('retention ends where it is unset, and where the summary is gone', async () => {
    const { store, notes, session, turns } = await talk()
    const { key } = await session.register({ text: cite(turns[0]!) })
    await session.configure({ retention: 1e12 })
    await notes.retire([turns[0]!])
    expect((await store.prune({ before: Date.now() + 1 })).pruned).toBe(0)
    await notes.retire([key])
    expect((await store.prune({ before: Date.now() + 1 })).pruned).toBe(1)
    await session.configure({ retention: false })
    expect(await session.settings()).toEqual({})
  })

  test('the recency window leaves older spans out of the session’s search, exactly', async () => {
    const { notes, session, turns } = await talk()
    await session.register({ text: cite(turns[0]!) })
    const { added } = await notes.append({
      source: 'talk',
      spans: [{ text: 'The pager was handed to Jonas.' }],
    })
    await session.register({ text: cite(added[0]!) })
    expect((await session.search({ text: 'pager' })).hits).toHaveLength(2)
    await session.configure({ recencyWindow: 1 })
    const recent = await session.search({ text: 'pager' })
    expect(recent.hits.map(({ key }) => key)).toEqual(added)
    expect(recent.complete).toBe(true)
    await session.configure({ recencyWindow: 2 })
    expect((await session.search({ text: 'pager' })).hits).toHaveLength(2)
  })

  test('the recency window pages on until it has as many as were asked for', async () => {
    const { notes, session } = await talk()
    const turn = (i: number) => ({ text: `Turn ${i} is about budgets.` })
    await notes.append({ source: 'long', spans: Array.from({ length: 500 }, (_, i) => turn(i)) })
    const first = await notes.append({ source: 'long', spans: [turn(500)] })
    await session.register({ text: cite(first.added[0]!) })
    const { added } = await notes.append({
      source: 'long',
      spans: Array.from({ length: 30 }, (_, i) => ({
        text: `${turn(501 + i).text} At some length, so it ranks low.`,
      })),
    })
    await session.configure({ recencyWindow: 0 })
    const { hits } = await session.search({ text: 'budgets', k: 25 })
    expect(hits).toHaveLength(25)
    expect(hits.every(({ key }) => added.includes(key))).toBe(true)
    expect((await session.search({ text: 'budgets', k: 25, offset: 25 })).hits).toHaveLength(5)
  })

  test.each([{ retention: -1 }, { recencyWindow: 0.5 }, { retention: '1 day' }, { window: 3 }])(
    'refuse %j',
    async (knobs) => {
      const { session } = await talk()
      await expect(session.configure(knobs as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    },
  )
})

test('a store in memory observes, too', async () => {
  const store = await openStore(':memory:')
  const notes = await store.collection('notes')
  const { added } = await notes.put({ source: 's', spans: [{ text: TURNS[0]! }] })
  const session = notes.session('a')
  await session.fetch(added[0]!, { cited: 'self' })
  expect((await session.boundary()).signals.selfCitationAsymmetry.self.asked).toBe(1)
  await store.close()
})
