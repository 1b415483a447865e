import { afterEach, describe, expect, test } from 'vitest'
import { decodeCursor, encodeCursor } from '../../src/core/cursor.ts'
import { closeLedgers, newLedger, openLedger, positions } from './ledger.ts'

afterEach(closeLedgers)

const hour = 3_600_000

describe('a consumer', () => {
  test('remembers what it acknowledged, and nothing else', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 4)
    const first = await ledger.drain({ consumer: 'c' }, () => undefined)
    expect(positions(first)).toEqual([1, 2, 3, 4, 5])
    await first[0]!.ack()
    await first[1]!.ack()
    expect(positions(await ledger.drain({ consumer: 'c' }))).toEqual([3, 4, 5])
    expect(await ledger.drain({ consumer: 'c' })).toEqual([])
  })

  test('survives the process: another handle goes on where the first stopped', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 2)
    for await (const delivery of ledger.subscribe({ consumer: 'c' })) {
      await delivery.ack()
      if (delivery.position === 2) break
    }
    await ledger.close()
    expect(positions(await openLedger(ledger.directory).drain({ consumer: 'c' }))).toEqual([3])
  })

  test('acknowledges in order, each event alone, and twice is once', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 2)
    const [a, b, c] = await ledger.drain({ consumer: 'c' }, () => undefined)
    await expect(b!.ack()).rejects.toMatchObject({ code: 'ACK_OUT_OF_ORDER', detail: { id: b!.id } })
    await expect(b!.nack()).rejects.toMatchObject({ code: 'ACK_OUT_OF_ORDER' })
    await a!.ack()
    await a!.ack()
    await b!.ack()
    expect(positions(await ledger.drain({ consumer: 'c' }, () => undefined))).toEqual([c!.position])
  })

  test('commits acknowledgements that do not wait for each other together', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 49)
    const all = await ledger.drain({ consumer: 'c' }, () => undefined)
    let rings = 0
    ledger.doorbell.follow(() => rings++)
    await Promise.all(all.map((delivery) => delivery.ack()))
    expect(rings).toBe(1)
    expect(await ledger.drain({ consumer: 'c' })).toEqual([])
  })

  test('that holds too many unanswered deliveries waits, and goes on with the first answer', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 3)
    const subscription = ledger.subscribe({ consumer: 'c', maxUnacked: 2 })
    const first = (await subscription.next()).value!
    const second = (await subscription.next()).value!
    const third = subscription.next()
    expect(await Promise.race([third, new Promise((resolve) => setTimeout(resolve, 20))])).toBeUndefined()
    await first.ack()
    expect((await third).value?.position).toBe(3)
    await second.ack()
    await subscription.return?.()
  })

  test('that never answers a full window is let go, loudly', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 3)
    const subscription = ledger.subscribe({ consumer: 'c', maxUnacked: 1, lease: 30 })
    await subscription.next()
    await expect(subscription.next()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect((await ledger.consumers.list())[0]).not.toHaveProperty('leasedUntil')
  })
})

describe('where a consumer starts', () => {
  test("'start' reads everything kept, 'now' only what comes", async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.consumers.open('all')
    await ledger.consumers.open('new', { start: 'now' })
    await ledger.emit(notes, 1)
    expect(positions(await ledger.drain({ consumer: 'all' }))).toEqual([1, 2])
    expect(positions(await ledger.drain({ consumer: 'new' }))).toEqual([2])
  })

  test("'now' of a subscription without a consumer is the moment of the call", async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    const subscription = ledger.subscribe({ from: 'now' })
    await ledger.emit(notes, 1)
    expect((await subscription.next()).value?.position).toBe(2)
    await subscription.return?.()
  })

  test('a position belongs to one named collection', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 3)
    expect(positions(await ledger.drain({ consumer: 'c', from: 2, collections: ['notes'] }))).toEqual([3, 4])
    await expect(ledger.drain({ consumer: 'd', from: 2 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(ledger.drain({ from: 9, collections: ['notes'] })).rejects.toMatchObject({
      code: 'POSITION_UNKNOWN',
      detail: { position: 9, latest: 4 },
    })
  })

  test('a cursor resumes after its event in every collection', async () => {
    const ledger = newLedger()
    const a = await ledger.collection('a')
    const b = await ledger.collection('b')
    await ledger.emit(a, 3)
    await ledger.emit(b, 3)
    const all = await ledger.drain({})
    expect(all).toHaveLength(8)
    for (const [i, delivery] of all.entries()) {
      const rest = await ledger.drain({ from: delivery.cursor })
      const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).sort()
      expect(ids(rest)).toEqual(ids(all.slice(i + 1)))
    }
  })

  test('a cursor of another store, or one that is none, is refused', async () => {
    const ledger = newLedger()
    await ledger.collection('notes')
    for (const from of [
      'tomorrow',
      '',
      'c1.x',
      encodeCursor(new Map([['01ARZ3NDEKTSV4RRFFQ69G5FAV', 1]])),
      (await ledger.consumers.open('c')).cursor.replace(/.$/, '9'),
    ])
      await expect(ledger.drain({ from })).rejects.toMatchObject({ code: 'CURSOR_INVALID' })
  })

  test('cursors say the same whatever order the collections come in', () => {
    const a = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const b = '01ARZ3NDEKTSV4RRFFQ69G5FAW'
    const token = encodeCursor(
      new Map([
        [a, 0],
        [b, Number.MAX_SAFE_INTEGER],
      ]),
    )
    expect(
      encodeCursor(
        new Map([
          [b, Number.MAX_SAFE_INTEGER],
          [a, 0],
        ]),
      ),
    ).toBe(token)
    expect([...decodeCursor(token)]).toEqual([
      [a, 0],
      [b, Number.MAX_SAFE_INTEGER],
    ])
    expect(encodeURIComponent(token)).toBe(token)
  })

  test('collections join as they appear, from their first event, also for a consumer that started now', async () => {
    const ledger = newLedger()
    await ledger.collection('a')
    const subscription = ledger.subscribe({ consumer: 'c', from: 'now' })
    const next = subscription.next()
    await ledger.collection('b')
    const delivery = (await next).value!
    expect([delivery.collection, delivery.type]).toEqual(['b', 'collection.created'])
    await delivery.ack()
    await subscription.return?.()
    await ledger.collection('c')
    expect((await ledger.drain({ consumer: 'c' })).map(({ collection }) => collection)).toEqual(['c'])
  })
})

describe('a filter', () => {
  test('admits by type, collection, source and key, all of which must fit', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    const other = await ledger.collection('other')
    const key = await ledger.append(notes, 'a.md')
    await ledger.append(notes, 'b.md')
    await ledger.append(other, 'a.md')
    const read = async (filter: Parameters<typeof ledger.drain>[0]) =>
      (await ledger.drain(filter)).map(({ collection, position }) => `${collection} ${position}`)
    expect(await read({ types: ['span.added'] })).toEqual(['notes 2', 'other 2', 'notes 4'])
    expect(await read({ collections: ['notes'], sources: ['a.md'] })).toEqual(['notes 2', 'notes 3'])
    expect(await read({ sources: ['a.md'], types: ['source.revised'] })).toEqual(['notes 3', 'other 3'])
    expect(await read({ keys: [key.toLowerCase()] })).toEqual(['notes 2'])
    expect(await read({ keys: [key], types: ['span.moved'] })).toEqual([])
  })

  test('is checked: unknown types, malformed keys and empty lists are refused', async () => {
    const ledger = newLedger()
    expect(() => ledger.subscribe({ types: ['span.died' as never] })).toThrow(/types\[0\]/)
    expect(() => ledger.subscribe({ keys: ['x'] })).toThrow(/keys\[0\]/)
    expect(() => ledger.subscribe({ sources: [] })).toThrow(/leave it out/)
    expect(() => ledger.subscribe({ consumer: '' })).toThrow(/consumer/)
  })

  test('belongs to the consumer: another one is refused, and only setFilter changes it', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.append(notes, 'a.md')
    await ledger.drain({ consumer: 'c', types: ['span.added', 'span.retired'] })
    await ledger.drain({ consumer: 'c', types: ['span.retired', 'span.added', 'span.added'] })
    await expect(ledger.drain({ consumer: 'c' })).rejects.toMatchObject({ code: 'CONSUMER_MISMATCH' })
    await ledger.consumers.setFilter('c', { types: ['source.revised'] })
    await ledger.append(notes, 'a.md')
    expect(positions(await ledger.drain({ consumer: 'c', types: ['source.revised'] }))).toEqual([5])
  })

  test('by a name follows the collection through a rename', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.drain({ consumer: 'c', collections: ['notes'] })
    await ledger.commit((commit) => {
      commit.connection.run("UPDATE collection_head SET name = 'diary' WHERE collection = ?", notes)
      commit.connection.run('INSERT INTO collection_name (name, collection) VALUES (?, ?)', 'diary', notes)
      commit.event(notes, 'collection.renamed', { data: JSON.stringify({ from: 'notes', to: 'diary' }) })
    })
    const [renamed] = await ledger.drain({ consumer: 'c', collections: ['notes'] })
    expect(renamed).toMatchObject({ type: 'collection.renamed', collection: 'diary' })
  })

  test('skips without a write, and what it skipped is not read again by the next holder', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 30_000)
    await ledger.append(notes, 'a.md')
    let rings = 0
    ledger.doorbell.follow(() => rings++)
    const all = await ledger.drain({ consumer: 'c', types: ['span.added'] })
    expect(positions(all)).toEqual([30_002])
    // The lease, the acknowledgement, and letting go.
    expect(rings).toBe(3)
    const [consumer] = await ledger.consumers.list()
    expect([...decodeCursor(consumer!.cursor).values()]).toEqual([30_003])
  })
})

describe('lag', () => {
  test('counts the events the filter admits, and the age of the oldest', async () => {
    const ledger = newLedger()
    ledger.now = hour
    const notes = await ledger.collection('notes')
    await ledger.consumers.open('c', { filter: { types: ['span.added'] } })
    await ledger.consumers.open('all')
    ledger.now = 2 * hour
    await ledger.append(notes, 'a.md')
    ledger.now = 3 * hour
    await ledger.append(notes, 'a.md')
    ledger.now = 5 * hour
    expect(await ledger.consumers.lag('c')).toEqual({
      events: 2,
      age: 3 * hour,
      collections: [{ collection: 'notes', position: 0, head: 5, events: 2, age: 3 * hour, expired: false }],
    })
    expect(await ledger.consumers.lag('all')).toMatchObject({ events: 5, age: 4 * hour })
    await ledger.drain({ consumer: 'all' })
    expect(await ledger.consumers.lag('all')).toMatchObject({ events: 0, age: 0 })
    await expect(ledger.consumers.lag('nobody')).rejects.toMatchObject({ code: 'CONSUMER_UNKNOWN' })
  })
})

describe('administration', () => {
  test('lists, resets and deletes', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    const other = await ledger.collection('other')
    await ledger.emit(notes, 1)
    await ledger.emit(other, 1)
    await ledger.drain({ consumer: 'c' })
    expect(await ledger.consumers.list()).toMatchObject([
      { name: 'c', filter: {}, start: 'start', deadLetters: 0 },
    ])
    await ledger.consumers.reset('c', 1, { collection: 'other' })
    expect((await ledger.drain({ consumer: 'c' })).map(({ id }) => id.split(':')[1])).toEqual(['2'])
    await ledger.consumers.reset('c', 'start')
    expect(await ledger.drain({ consumer: 'c' })).toHaveLength(4)
    await ledger.consumers.delete('c')
    expect(await ledger.consumers.list()).toEqual([])
    await expect(ledger.consumers.delete('c')).rejects.toMatchObject({ code: 'CONSUMER_UNKNOWN' })
  })

  test('takes the consumer from its holder, who learns it', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 1)
    const subscription = ledger.subscribe({ consumer: 'c' })
    const { value } = await subscription.next()
    await ledger.consumers.reset('c', 'now')
    await expect(value!.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await subscription.next()
    await expect(subscription.next()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(await subscription.next()).toEqual({ done: true, value: undefined })
  })
})
