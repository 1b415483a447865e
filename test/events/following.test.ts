import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { closeLedgers, newLedger, openLedger, positions } from './ledger.ts'

afterEach(closeLedgers)

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url))

/** Another process that emits events when told to. */
function writer(directory: string, name: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', WRITER, directory, name], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    ready: async () => expect((await lines.next()).value).toBe('ready'),
    emit: (count: number) => child.stdin.write(`${count}\n`),
    done: async () => {
      child.stdin.end()
      const [code] = await once(child, 'exit')
      expect(code).toBe(0)
    },
  }
}

describe('a follower', () => {
  test('wakes on a commit of its own process', async () => {
    const ledger = newLedger({ poll: false })
    const notes = await ledger.collection('notes')
    const subscription = ledger.subscribe({ from: 'now' })
    for (let n = 2; n < 12; n++) {
      const next = subscription.next()
      await new Promise((resolve) => setTimeout(resolve, 2))
      await ledger.emit(notes, 1)
      expect((await next).value?.position).toBe(n)
    }
    await subscription.return?.()
  })

  test('wakes on the bell of another handle, without the poll', async () => {
    const ledger = newLedger({ poll: false })
    const notes = await ledger.collection('notes')
    const other = openLedger(ledger.directory, { poll: false })
    const subscription = ledger.subscribe({ from: 'now' })
    for (let n = 2; n < 12; n++) {
      const next = subscription.next()
      await new Promise((resolve) => setTimeout(resolve, 2))
      await other.emit(notes, 1)
      expect((await next).value?.position).toBe(n)
    }
    await subscription.return?.()
  })

  test('wakes on the bell of another process, without the poll', async () => {
    const ledger = newLedger({ poll: false })
    await ledger.collection('notes')
    const subscription = ledger.subscribe({ from: 'now' })
    const other = writer(ledger.directory, 'notes')
    await other.ready()
    for (let n = 2; n < 12; n++) {
      const next = subscription.next()
      await new Promise((resolve) => setTimeout(resolve, 2))
      other.emit(1)
      expect((await next).value?.position).toBe(n)
    }
    await subscription.return?.()
    await other.done()
  })

  test('notices by its poll a writer that rings no bell', async () => {
    const ledger = newLedger({ poll: 5 })
    const notes = await ledger.collection('notes')
    const other = openLedger(ledger.directory)
    vi.spyOn(other.doorbell, 'ring').mockImplementation(() => undefined)
    const subscription = ledger.subscribe({ from: 'now' })
    const next = subscription.next()
    await new Promise((resolve) => setTimeout(resolve, 2))
    await other.emit(notes, 1)
    expect((await next).value?.position).toBe(2)
    await subscription.return?.()
  })

  test('wakes when something falls due, and sees what that committed', async () => {
    const ledger = newLedger({ poll: false })
    const notes = await ledger.collection('notes')
    const due = Date.now() + 30
    let expired = false
    ledger.due = () => {
      if (Date.now() < due) return due
      if (!expired) void ledger.emit(notes, 1)
      expired = true
      return undefined
    }
    const subscription = ledger.subscribe({ from: 'now' })
    expect((await subscription.next()).value?.position).toBe(2)
    await subscription.return?.()
  })

  test('sees no event twice, none out of order and none missing while three processes write', async () => {
    const ledger = newLedger()
    const names = ['a', 'b', 'c']
    for (const name of names) await ledger.collection(name)
    const shared = await ledger.collection('shared')
    const rounds = 40
    const writers = names.map((name) => writer(ledger.directory, `${name},shared`))
    await Promise.all(writers.map((other) => other.ready()))
    for (let n = 0; n < rounds; n++) for (const other of writers) other.emit(1 + (n % 3))
    const total = Array.from({ length: rounds }, (_, n) => 1 + (n % 3)).reduce((sum, n) => sum + n, 0)
    const expected = 4 + 3 * 2 * total
    const seen = new Map<string, number[]>()
    let count = 0
    for await (const delivery of ledger.subscribe({ consumer: 'c' })) {
      const list = seen.get(delivery.collection) ?? []
      seen.set(delivery.collection, list)
      list.push(delivery.position)
      void delivery.ack()
      if (++count === expected) break
    }
    for (const [name, list] of seen) {
      const length = 1 + (name === 'shared' ? 3 : 1) * total
      expect(list).toEqual(Array.from({ length }, (_, i) => i + 1))
    }
    expect(seen.size).toBe(4)
    await Promise.all(writers.map((other) => other.done()))
    expect(await ledger.drain({ consumer: 'c' })).toEqual([])
    expect(ledger.connection.value('SELECT position FROM collection_head WHERE collection = ?', shared)).toBe(
      1 + 3 * total,
    )
  })
})

describe('across collections', () => {
  test('deliveries take turns, so a long log does not keep a short one waiting', async () => {
    const ledger = newLedger()
    await ledger.emit(await ledger.collection('long'), 2000)
    await ledger.emit(await ledger.collection('short'), 5)
    const read = await ledger.drain({ batch: 100 })
    const short = read.flatMap(({ collection }, i) => (collection === 'short' ? [i] : []))
    expect(short).toEqual([1, 3, 5, 7, 9, 11])
    expect(positions(read.filter(({ collection }) => collection === 'long'))).toEqual(
      Array.from({ length: 2001 }, (_, i) => i + 1),
    )
  })

  test('all get their turn when there are more of them than a batch holds', async () => {
    const ledger = newLedger()
    for (let n = 0; n < 40; n++) await ledger.emit(await ledger.collection(`c${n}`), 20)
    const read = await ledger.drain({ batch: 32 })
    expect(read).toHaveLength(40 * 21)
    const first = new Set(read.slice(0, 40 * 16).map(({ collection }) => collection))
    expect(first.size).toBe(40)
  })
})

describe('a doorbell', () => {
  test('looks at the database only while somebody follows, and is silent once closed', async () => {
    const ledger = newLedger({ poll: 1 })
    const notes = await ledger.collection('notes')
    const other = openLedger(ledger.directory)
    const looks = vi.spyOn(ledger.connection, 'value')
    const looksOf = async (ms: number) => {
      looks.mockClear()
      await new Promise((resolve) => setTimeout(resolve, ms))
      return looks.mock.calls.length
    }
    let rings = 0
    const listener = () => rings++
    expect(await looksOf(20)).toBe(0)
    const stop = ledger.doorbell.follow(listener)
    expect(await looksOf(50)).toBeGreaterThan(1)
    expect(rings).toBe(0)
    await ledger.emit(notes, 1)
    expect(rings).toBe(1)
    stop()
    stop()
    await other.emit(notes, 1)
    expect(await looksOf(20)).toBe(0)
    expect(rings).toBe(1)
    ledger.doorbell.follow(listener)
    ledger.doorbell.close()
    await other.emit(notes, 1)
    ledger.doorbell.ring()
    expect(await looksOf(20)).toBe(0)
    expect(rings).toBe(1)
  })

  test('has a cursor that passes what its filter leaves out, so that pruning does not expire it', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 3)
    const subscription = ledger.subscribe({ from: 'now', types: ['session.frozen'] })
    expect(subscription.cursor).toBeUndefined()
    const next = subscription.next()
    await vi.waitFor(() => expect(subscription.cursor).toBeDefined())
    const before = subscription.cursor!
    await ledger.emit(notes, 2)
    await vi.waitFor(() => expect(subscription.cursor).not.toBe(before))
    const between = subscription.cursor!
    await ledger.emit(notes, 1, 'session.frozen')
    expect((await next).value?.position).toBe(7)
    expect(subscription.cursor).toBe((await next).value!.cursor)
    await subscription.return?.()
    expect(positions(await ledger.drain({ from: between }))).toEqual([7])
    expect(positions(await ledger.drain({ from: before }))).toEqual([5, 6, 7])
  })
})

describe('whoever reads to the end of the log', () => {
  test('is refused a collection that was never there, and reads one that was', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 2)
    const misspelled = ledger.subscribe({ collections: ['notes', 'ntoes'], from: 'start', follow: false })
    await expect(misspelled.next()).rejects.toMatchObject({
      code: 'COLLECTION_UNKNOWN',
      detail: { collection: 'ntoes' },
    })
    const there = ledger.subscribe({ collections: ['notes'], from: 'start', follow: false })
    expect((await there.next()).value?.position).toBe(1)
    await there.return?.()
  })

  test('while a follower and a consumer wait for one to come', async () => {
    const ledger = newLedger()
    const follower = ledger.subscribe({ collections: ['later'], from: 'start' })
    const first = follower.next()
    const consumer = ledger.subscribe({
      collections: ['later'],
      consumer: 'early',
      from: 'start',
      follow: false,
    })
    expect(await consumer.next()).toMatchObject({ done: true })
    await ledger.collection('later')
    expect((await first).value?.position).toBe(1)
    await follower.return?.()
  })
})
