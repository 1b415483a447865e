import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CollectionApi, StoreApi } from '../../src/api.ts'
import { markdown } from '../../src/chunking/index.ts'
import { type Delivery, isSpanStoreError, match } from '../../src/index.ts'
import { type Opened, PLACES } from './both.ts'

/*
 * One program, run against a store in this process and against one behind a server: it may not tell which it has.
 */

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

const ABSENT = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe.each(PLACES)('a store $place', ({ open }) => {
  let opened: Opened
  let store: StoreApi
  let notes: CollectionApi

  beforeEach(async () => {
    opened = await open()
    store = opened.store
    notes = await store.collection('notes', { metric: 'l2' })
  })

  afterEach(() => opened.close())

  const refused = async (work: () => unknown) => {
    try {
      await work()
    } catch (error) {
      if (isSpanStoreError(error)) return { code: error.code, detail: error.detail }
      throw error
    }
    throw new Error('nothing was thrown')
  }

  const spans = (...texts: string[]) => texts.map((text) => ({ text }))

  test('has an id, and its collections have theirs', async () => {
    expect(store.id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(notes).toMatchObject({ name: 'notes', metric: 'l2' })
    expect(await store.collections()).toMatchObject([{ id: notes.id, name: 'notes', metric: 'l2', live: 0 }])
    expect((await store.collection('notes', { create: false })).id).toBe(notes.id)
  })

  test('answers the four results', async () => {
    const { added } = await notes.put({ source: 'a/b ?', spans: spans('One.', ' ', 'Three.') })
    await notes.retire([added[2]!])
    const keys = [...added, ABSENT, 'no key', added[0]!]
    const results = await notes.fetchMany(keys)
    expect(results.map(({ status }) => status)).toEqual([
      'ok',
      'empty',
      'tombstone',
      'absent',
      'absent',
      'ok',
    ])
    expect(await Promise.all(keys.map((key) => notes.fetch(key)))).toEqual(results)
    expect(await Promise.all(keys.map((key) => store.fetch(key)))).toEqual(results)
    expect(await store.fetchMany(keys)).toEqual(results)
    expect(results[0]).toMatchObject({ kind: 'span', span: { text: 'One.', source: 'a/b ?', metadata: {} } })
    expect(results[2]).toMatchObject({ tombstone: { reason: 'deleted', successors: [] } })
    const said = (i: number) =>
      match(results[i]!, {
        ok: ({ span }) => span.text,
        empty: ({ detail }) => detail,
        tombstone: ({ tombstone }) => tombstone.reason,
        absent: ({ key }) => key,
      })
    expect([0, 1, 2, 3].map(said)).toEqual(['One.', 'blank', 'deleted', ABSENT])
  })

  test('re-chunks, keeps keys, and reads the past', async () => {
    const text = '# A\n\nOne one one.\n\n# B\n\nTwo two two.'
    const first = await notes.put({ source: 'doc', text, chunker: markdown(), metadata: { n: 1 } })
    expect(first).toMatchObject({ revision: 1, outcome: 'created', kept: 0 })
    const again = await notes.put({ source: 'doc', text })
    expect(again).toMatchObject({ revision: 1, outcome: 'unchanged' })
    const second = await notes.put({ source: 'doc', text: text.replace('Two', '2'), expectedRevision: 1 })
    expect(second).toMatchObject({ revision: 2, outcome: 'revised' })
    const [retired] = second.retired
    expect(await notes.fetch(retired!, { asOf: first.position })).toMatchObject({ status: 'ok' })
    expect(await notes.fetch(retired!)).toMatchObject({
      status: 'tombstone',
      tombstone: { successors: second.added },
    })
    expect((await notes.read('doc')).text).toBe(text.replace('Two', '2'))
    expect((await notes.read('doc', { revision: 1 })).text).toBe(text)
    expect((await notes.history('doc')).map(({ revision }) => revision)).toEqual([1, 2])
    expect(await notes.diff('doc', 1, 2)).toMatchObject({
      added: second.added,
      removed: [{ key: retired, successors: second.added }],
    })
    expect((await notes.lineage(retired!)).edges).toEqual([
      { from: retired, to: second.added[0], kind: 'successor' },
    ])
  })

  test('refuses every write made for another revision, and says which one stands', async () => {
    await notes.put({ source: 'doc', text: 'One.' })
    const { added } = await notes.put({ source: 'doc', text: 'Two.' })
    const late = { expectedRevision: 1 }
    const conflict = { code: 'REVISION_CONFLICT', detail: { source: 'doc', expected: 1, actual: 2 } }
    const erased = await notes.put({ source: 'other', text: 'Three.' })
    for (const write of [
      () => notes.put({ source: 'doc', text: 'Three.', ...late }),
      () => notes.putMany([{ source: 'doc', text: 'Three.', ...late }]),
      () => notes.append({ source: 'doc', spans: spans('Three.'), ...late }),
      () => notes.remove({ source: 'doc', ...late }),
      () => notes.update({ keys: added, metadata: { n: 1 }, ...late }),
      () => notes.retire(added, late),
      () => notes.erase({ keys: added }, late),
      () => notes.erase({ source: 'doc' }, late),
    ])
      expect(await refused(write)).toEqual(conflict)
    expect((await notes.read('doc')).text).toBe('Two.')
    expect(await refused(() => notes.retire([...added, ...erased.added], late))).toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await notes.append({ source: 'doc', spans: spans('Three.'), expectedRevision: 2 })
    await notes.retire(added, { expectedRevision: 3 })
    await notes.remove({ source: 'doc', expectedRevision: 3 })
    expect((await notes.source('doc')).status).toBe('tombstone')
  })

  test('has sources with the same four results', async () => {
    await notes.putMany([
      { source: '.', spans: spans('One.') },
      { source: 'none', spans: [] },
      { source: 'gone', spans: spans('Two.') },
    ])
    await notes.remove({ source: 'gone' })
    const statuses = async (...ids: string[]) =>
      await Promise.all(ids.map(async (id) => (await notes.source(id)).status))
    expect(await statuses('.', 'none', 'gone', 'never')).toEqual(['ok', 'empty', 'tombstone', 'absent'])
    const all = await collected(notes.sources())
    expect(all.map(({ source, status }) => [source, status])).toEqual([
      ['.', 'ok'],
      ['gone', 'tombstone'],
      ['none', 'empty'],
    ])
    expect(all).toContainEqual(await notes.source('.'))
  })

  test('finds, counts and searches', async () => {
    const { added } = await notes.put({
      source: 's',
      spans: [
        { text: 'A heron.', metadata: { year: 1 }, vector: [1, 0] },
        { text: 'An otter.', metadata: { year: 2 }, vector: new Float32Array([0, 1]) },
      ],
    })
    const where = { year: { $gte: 2 } }
    expect((await notes.find({ where })).map(({ text }) => text)).toEqual(['An otter.'])
    expect([await notes.count(), await notes.count({ where })]).toEqual([2, 1])
    const words = await notes.search({ text: 'heron', mode: 'text', highlight: true })
    expect(words).toMatchObject({
      complete: true,
      hits: [{ key: added[0], highlights: [{ start: 2, end: 7 }] }],
    })
    const near = await notes.search({ vector: new Float32Array([0, 0.5]), k: 1 })
    expect(near.hits).toMatchObject([{ key: added[1], distance: 0.25 }])
    expect((await notes.similar(added[0]!)).hits.map(({ key }) => key)).toEqual([added[1]])
  })

  test('updates, appends and erases', async () => {
    const { added } = await notes.append({
      source: 'talk',
      spans: spans('A turn that is long enough to be told apart.'),
    })
    const { added: more } = await notes.append({ source: 'talk', spans: spans('Another.') })
    expect(await notes.update({ keys: added, metadata: { seen: true } })).toMatchObject({ updated: added })
    expect(await notes.fetch(added[0]!)).toMatchObject({ span: { metadata: { seen: true } } })
    expect(await notes.retire({ where: { seen: true } }, { reason: 'evicted' })).toMatchObject({
      retired: added,
    })
    expect(await notes.erase({ keys: added })).toMatchObject({ erased: added, complete: true })
    expect(await notes.fetch(added[0]!)).toMatchObject({ tombstone: { erasedAt: expect.any(Number) } })
    expect(await notes.fetch(more[0]!)).toMatchObject({ status: 'ok' })
  })

  test('remembers the answer to a command', async () => {
    const write = () => notes.put({ source: 's', spans: spans('One.'), commandId: 'once' })
    const first = await write()
    await notes.put({ source: 's', spans: spans('Two.') })
    expect(await write()).toEqual(first)
    expect((await notes.find()).map(({ text }) => text)).toEqual(['Two.'])
  })

  test('keeps summaries, and knows what stands on what', async () => {
    const { added } = await notes.put({ source: 's', spans: spans('One.', 'Two.') })
    const session = notes.session('agent/7')
    const one = await session.register({ text: `It was one [[${added[0]}]].`, covers: [added[0]!] })
    const [two] = await session.register([{ text: `It was two [[${added[1]}]].` }])
    expect((await session.summaries()).map(({ key }) => key)).toEqual([one.key, two!.key])
    expect(await session.authoritative(added[0]!)).toMatchObject({ kind: 'summary', key: one.key })
    const { stale } = await notes.put({ source: 's', spans: spans('Uno.', 'Two.') })
    expect(stale).toEqual([one.key])
    expect(await session.stale()).toMatchObject([
      { key: one.key, state: 'stale', causes: [{ key: added[0] }] },
    ])
    expect(await notes.dependents(added[0]!)).toMatchObject([{ key: one.key, depth: 1, state: 'stale' }])
    expect(await session.context({ maxTokens: 100 })).toMatchObject({
      entries: [{ key: two!.key }],
      omitted: [],
    })
    const missing = await refused(() => session.register({ text: `No [[${ABSENT}]].` }))
    expect(missing).toEqual({
      code: 'DEPENDENCY_UNSATISFIED',
      detail: { dependencies: [{ key: ABSENT, status: 'absent' }] },
    })
  })

  test('lets a session ask before it acts', async () => {
    const { added } = await notes.put({
      source: 's',
      spans: spans('I want a rollback path ready.', 'The window is on Thursday.'),
    })
    const session = notes.session('agent')
    const claims = [{ text: `The window is on Thursday [[${added[1]}]].` }]
    const gated = await session.gate(claims, { action: 'migrate' })
    expect(gated).toMatchObject({ verdict: 'substantiated', action: 'migrate' })
    expect(await session.recheck(gated)).toMatchObject({ verdict: 'holds', moved: [] })
    await session.observe({ citations: [added[0]!] })
    expect(await session.fetch(added[0]!, { cited: 'self' })).toMatchObject({ status: 'ok' })
    expect(await session.fetch(ABSENT, { cited: 'external' })).toEqual({ status: 'absent', key: ABSENT })
    expect((await session.search({ text: 'rollback' })).hits).toMatchObject([{ key: added[0] }])
    await notes.retire([added[1]!])
    expect(await session.recheck(gated.cursor)).toMatchObject({ verdict: 'refused', moved: [added[1]] })
    expect(await refused(() => session.assertGate(claims))).toMatchObject({ code: 'REHYDRATION_BOUNDARY' })
    expect(await session.boundaryMarkers()).toEqual([])
    expect(await session.unrehydrated()).toEqual([])
  })

  test('watches the compactions of a session', async () => {
    const { added } = await notes.put({ source: 's', spans: spans('One.') })
    const session = notes.session('agent')
    const { key } = await session.register({ text: `It was one [[${added[0]}]].` })
    expect(await session.boundary()).toMatchObject({ session: 'agent', decision: 'proceed' })
    expect(await session.readings({ limit: 1 })).toMatchObject([{ decision: 'proceed' }])
    expect(await session.frozen()).toBeUndefined()
    await session.configure({ retention: 1000, recencyWindow: 3 })
    expect(await session.settings()).toEqual({ retention: 1000, recencyWindow: 3 })
    await session.configure({ retention: false })
    expect(await session.settings()).toEqual({ recencyWindow: 3 })
    expect(await session.discardEpoch()).toMatchObject({ epoch: 1, discarded: [key], restored: [] })
    expect(await session.discardEpoch()).toMatchObject({ epoch: 0, discarded: [] })
  })

  test('renames and drops collections', async () => {
    await store.renameCollection('notes', 'memories')
    expect(await refused(() => store.collection('notes'))).toEqual({
      code: 'COLLECTION_RENAMED',
      detail: { collection: 'notes', now: 'memories' },
    })
    const { added } = await (await store.collection('memories')).put({ source: 's', spans: spans('One.') })
    await store.dropCollection('memories')
    expect(await store.fetch(added[0]!)).toMatchObject({ tombstone: { reason: 'deleted' } })
    expect(await refused(() => store.collection('memories'))).toMatchObject({ code: 'COLLECTION_DROPPED' })
  })

  test('refuses what it refuses with the same code and detail', async () => {
    await notes.put({ source: 's', spans: [{ text: 'One.', vector: [1, 0] }] })
    expect(await refused(() => notes.put({ source: 's', text: 'Two.', expectedRevision: 7 }))).toEqual({
      code: 'REVISION_CONFLICT',
      detail: { source: 's', expected: 7, actual: 1 },
    })
    expect(await refused(() => notes.search({ vector: [1, 2, 3] }))).toEqual({
      code: 'INVALID_VECTOR',
      detail: { path: 'search.vector', expected: 2, actual: 3 },
    })
    expect(await refused(() => notes.history('never'))).toEqual({
      code: 'SOURCE_UNKNOWN',
      detail: { source: 'never' },
    })
    expect(await refused(() => store.collection('notes', { metric: 'ip' }))).toEqual({
      code: 'COLLECTION_MISMATCH',
      detail: { collection: 'notes', expected: 'l2', actual: 'ip' },
    })
    expect(await refused(() => store.consumers().lag('nobody'))).toEqual({
      code: 'CONSUMER_UNKNOWN',
      detail: { consumer: 'nobody' },
    })
    expect(await refused(() => notes.put({ source: '', text: 'x' }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    expect(await refused(() => notes.find({ where: { a: { $no: 1 } } as never }))).toMatchObject({
      code: 'INVALID_FILTER',
      detail: { path: expect.stringContaining('$no') },
    })
    const signal = AbortSignal.abort()
    expect(await refused(() => store.prune({ before: 1, signal }))).toEqual({ code: 'ABORTED', detail: {} })
  })

  test('says how it is', async () => {
    await notes.put({ source: 's', spans: spans('One.') })
    expect(await store.stats()).toMatchObject({ collections: [{ name: 'notes', live: 1 }], events: 3 })
    expect(await store.verify()).toEqual([])
    expect(await store.cursor()).toMatch(/^c1\./)
    expect(await store.prune({ before: 1 })).toMatchObject({ pruned: 0 })
  })

  describe('has events', () => {
    const taken = async (events: AsyncIterable<Delivery>, count: number) => {
      const all: Delivery[] = []
      if (count > 0)
        for await (const event of events) {
          all.push(event)
          await event.ack()
          if (all.length === count) break
        }
      return all
    }
    const positions = (events: readonly Delivery[]) => events.map(({ position }) => position)

    test('from the start, to the end, and on from a cursor', async () => {
      await notes.put({ source: 's', spans: spans('One.', 'Two.') })
      const all = await collected(store.subscribe({ follow: false }))
      expect(positions(all)).toEqual([1, 2, 3, 4])
      expect(all[0]).toMatchObject({ type: 'collection.created', attempt: 1, redelivered: false })
      expect(Object.keys({ ...all[1] }).sort()).toEqual([
        'attempt',
        'collection',
        'data',
        'id',
        'position',
        'redelivered',
        'sequence',
        'source',
        'specversion',
        'subject',
        'time',
        'type',
      ])
      const rest = await collected(store.subscribe({ follow: false, from: all[1]!.cursor }))
      expect(positions(rest)).toEqual([3, 4])
      const few = store.subscribe({
        follow: false,
        types: ['span.added'],
        collections: ['notes'],
        sources: ['s'],
      })
      expect(positions(await collected(few))).toEqual([2, 3])
      expect(few.cursor).toBe(all[3]!.cursor)
    })

    test('as they come, from now on', async () => {
      const events = store.subscribe({ from: 'now' })
      await events.ready()
      const next = events.next()
      const { added } = await notes.put({ source: 's', spans: spans('One.') })
      expect((await next).value).toMatchObject({ type: 'span.added', subject: added[0] })
      await events.return?.()
      expect(await events.next()).toEqual({ done: true, value: undefined })
    })

    test('that end with the signal', async () => {
      const stop = new AbortController()
      const events = store.subscribe({ from: 'now', signal: stop.signal })
      const next = events.next()
      stop.abort()
      await expect(next).rejects.toMatchObject({ code: 'ABORTED' })
      expect(await events.next()).toEqual({ done: true, value: undefined })
    })

    test('whose cursor is refused when it is unknown or pruned', async () => {
      await notes.put({ source: 's', spans: spans('One.') })
      const unknown = store.subscribe({ from: `c1.${ABSENT}1` })
      expect(await refused(() => unknown.next())).toMatchObject({ code: 'CURSOR_INVALID' })
      await store.consumers().pruneEvents('notes', { before: 3 })
      const pruned = store.subscribe({ from: `c1.${notes.id}1` })
      expect(await refused(() => pruned.ready())).toEqual({
        code: 'CURSOR_EXPIRED',
        detail: { collection: 'notes', position: 1, oldest: 3 },
      })
    })

    test('for a consumer, who goes on where it acknowledged', async () => {
      await notes.put({ source: 's', spans: spans('One.', 'Two.') })
      expect(positions(await taken(store.subscribe({ consumer: 'c' }), 2))).toEqual([1, 2])
      const rest = store.subscribe({ consumer: 'c', follow: false })
      const [third] = await taken(rest, 1)
      expect(third).toMatchObject({ position: 3, attempt: 1 })
      expect(await store.consumers().lag('c')).toMatchObject({ events: 1, collections: [{ position: 3 }] })
      expect(await store.consumers().info('c')).toMatchObject({ name: 'c', deadLetters: 0 })
      expect(await store.consumers().list()).toHaveLength(1)
      const other = store.subscribe({ consumer: 'c', types: ['span.added'] })
      expect(await refused(() => other.next())).toEqual({
        code: 'CONSUMER_MISMATCH',
        detail: { consumer: 'c' },
      })
      await store.consumers().delete('c')
      expect(await store.consumers().list()).toEqual([])
    })

    test('that may be answered in order alone', async () => {
      await notes.put({ source: 's', spans: spans('One.') })
      const events = store.subscribe({ consumer: 'c' })
      const [a, b] = [(await events.next()).value!, (await events.next()).value!]
      expect(await refused(() => b.ack())).toEqual({
        code: 'ACK_OUT_OF_ORDER',
        detail: { consumer: 'c', id: b.id },
      })
      await a.ack()
      await a.ack()
      await b.ack()
      await events.return?.()
    })

    test('that one alone may hold', async () => {
      const events = store.subscribe({ consumer: 'c' })
      await events.ready()
      const other = store.subscribe({ consumer: 'c' })
      expect(await refused(() => other.next())).toMatchObject({
        code: 'CONSUMER_LEASED',
        detail: { consumer: 'c' },
      })
      const patient = store.subscribe({ consumer: 'c', wait: true })
      const next = patient.next()
      await events.return?.()
      expect((await next).value).toMatchObject({ position: 1 })
      await store.consumers().reset('c', 'now')
      expect(await refused(() => patient.next())).toEqual({ code: 'LEASE_LOST', detail: { consumer: 'c' } })
    })

    test('that come again when given back, and hold what came after them', async () => {
      await notes.put({ source: 's', spans: spans('One.', 'Two.') })
      const seen: [number, number][] = []
      for await (const event of store.subscribe({ consumer: 'c' })) {
        seen.push([event.position, event.attempt])
        if (event.position === 2 && event.attempt < 3)
          await event.nack({ delay: 5, error: new Error('no luck') })
        else await event.ack()
        if (event.position === 4) break
      }
      expect(seen).toEqual([
        [1, 1],
        [2, 1],
        [2, 2],
        [2, 3],
        [3, 1],
        [4, 1],
      ])
    })

    test('that become dead letters, and are replayed', async () => {
      await notes.put({ source: 's', spans: spans('One.', 'Two.') })
      const drain = async (answer: (event: Delivery) => Promise<void>) => {
        const all: Delivery[] = []
        for await (const event of store.subscribe({ consumer: 'c', follow: false, maxAttempts: 1 })) {
          all.push(event)
          await answer(event)
        }
        return all
      }
      const first = await drain((event) => {
        if (event.position === 2) return event.nack({ error: 'bad' })
        return event.position === 3 ? event.terminate({ error: new Error('worse') }) : event.ack()
      })
      expect(positions(first)).toEqual([1, 2, 3, 4])
      expect(await store.consumers().deadLetters('c')).toMatchObject([
        { position: 2, attempts: 1, error: 'bad', event: { type: 'span.added' } },
        { position: 3, attempts: 1, error: 'worse' },
      ])
      expect(await store.consumers().replay('c', { collection: 'notes', position: 3 })).toEqual({
        replayed: 1,
      })
      const replayed = await drain((event) => event.ack())
      expect(replayed).toMatchObject([{ position: 3, attempt: 2, redelivered: true }])
      expect(await store.consumers().discard('c', 'all')).toEqual({ discarded: 1 })
      expect(await store.consumers().deadLetters('c')).toEqual([])
    })

    test('that only a consumer can give back', async () => {
      const { value } = await store.subscribe().next()
      await value!.ack()
      expect(await refused(() => value!.nack())).toEqual({
        code: 'INVALID_ARGUMENT',
        detail: { path: 'consumer' },
      })
    })

    test('whose end can still be acknowledged', async () => {
      const events = store.subscribe({ consumer: 'c' })
      const { value } = await events.next()
      await events.return?.()
      await value!.ack()
      expect(await store.consumers().lag('c')).toMatchObject({ events: 0 })
    })

    test('that end with the store', async () => {
      const events = [store.subscribe({ from: 'now' }), store.subscribe({ consumer: 'c', from: 'now' })]
      await Promise.all(events.map((one) => one.ready()))
      const nexts = events.map((one) => refused(() => one.next()))
      await store.close()
      expect(await Promise.all(nexts)).toMatchObject([{ code: 'STORE_CLOSED' }, { code: 'STORE_CLOSED' }])
      expect(await refused(() => notes.count())).toMatchObject({ code: 'STORE_CLOSED' })
    })
  })
})
