import { afterEach, describe, expect, test, vi } from 'vitest'
import { pruneEvents } from '../../src/ledger/sqlite/prune-events.ts'
import type { Delivery } from '../../src/subscription/index.ts'
import { closeLedgers, newLedger, openLedger, positions, type TestLedger } from './ledger.ts'

afterEach(closeLedgers)

const second = 1000

/** A store whose clock the test sets, with one collection of `count` events. */
async function timed(count: number): Promise<{ ledger: TestLedger; notes: number }> {
  const ledger = newLedger()
  ledger.now = 1_000_000
  const notes = await ledger.collection('notes')
  if (count > 1) await ledger.emit(notes, count - 1)
  return { ledger, notes }
}

const pass = (ledger: TestLedger, ms: number) => {
  ledger.now = ledger.now! + ms
}

const failAt =
  (...failing: number[]) =>
  (delivery: Delivery) =>
    failing.includes(delivery.position) ? delivery.nack({ error: new Error('no luck') }) : delivery.ack()

describe('an event that fails', () => {
  test('holds its collection until it is due, and only its own', async () => {
    const { ledger } = await timed(3)
    await ledger.emit(await ledger.collection('other'), 1)
    const read = await ledger.drain({ consumer: 'c' }, (delivery) =>
      delivery.collection === 'notes' && delivery.position === 2 ? delivery.nack() : delivery.ack(),
    )
    const ids = (list: readonly Delivery[]) =>
      list.map(({ collection, position }) => `${collection} ${position}`)
    expect(ids(read).sort()).toEqual(['notes 1', 'notes 2', 'other 1', 'other 2'])
    pass(ledger, second - 1)
    expect(await ledger.drain({ consumer: 'c' })).toEqual([])
    pass(ledger, 1)
    const again = await ledger.drain({ consumer: 'c' })
    expect(ids(again)).toEqual(['notes 2', 'notes 3'])
    expect(again.map(({ attempt, redelivered }) => [attempt, redelivered])).toEqual([
      [2, true],
      [1, false],
    ])
  })

  test('waits twice as long after each failure, up to five minutes', async () => {
    const { ledger } = await timed(1)
    const waits: number[] = []
    for (let n = 0; n < 12; n++) {
      await ledger.drain({ consumer: 'c', maxAttempts: 100 }, failAt(1))
      const { failing } = (await ledger.consumers.lag('c')).collections[0]!
      expect(failing).toMatchObject({ attempts: n + 1, error: 'no luck' })
      waits.push((failing!.due - ledger.now!) / second)
      ledger.now = failing!.due
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('waits as long as nack, or the backoff given, says', async () => {
    const { ledger } = await timed(1)
    const due = async () => (await ledger.consumers.lag('c')).collections[0]!.failing!.due - ledger.now!
    await ledger.drain({ consumer: 'c' }, (delivery) => delivery.nack({ delay: 7 }))
    expect(await due()).toBe(7)
    pass(ledger, 7)
    await ledger.drain({ consumer: 'c', backoff: (failures) => failures * 100 }, failAt(1))
    expect(await due()).toBe(200)
  })

  test('voids what was delivered after it, which comes again after it', async () => {
    const { ledger } = await timed(3)
    const subscription = ledger.subscribe({ consumer: 'c' })
    const [a, b, c] = [
      (await subscription.next()).value!,
      (await subscription.next()).value!,
      (await subscription.next()).value!,
    ]
    await a.ack()
    await b.nack({ delay: 0 })
    await expect(c.ack()).rejects.toMatchObject({ code: 'ACK_OUT_OF_ORDER' })
    await expect(b.ack()).rejects.toMatchObject({ code: 'ACK_OUT_OF_ORDER' })
    const again = [(await subscription.next()).value!, (await subscription.next()).value!]
    expect(again.map(({ position, attempt, redelivered }) => [position, attempt, redelivered])).toEqual([
      [2, 2, true],
      [3, 1, true],
    ])
    for (const delivery of again) await delivery.ack()
    await subscription.return?.()
  })

  test('wakes its follower when it is due', async () => {
    const ledger = newLedger({ poll: false })
    await ledger.collection('notes')
    const subscription = ledger.subscribe({ consumer: 'c' })
    await (await subscription.next()).value!.nack({ delay: 5 })
    expect((await subscription.next()).value).toMatchObject({ position: 1, attempt: 2 })
    await subscription.return?.()
  })

  test('a crash is not a failure: what was delivered comes again, as the same attempt', async () => {
    const { ledger } = await timed(2)
    await ledger.drain({ consumer: 'c' }, failAt(1))
    pass(ledger, second)
    const crashed = ledger.subscribe({ consumer: 'c' })
    expect((await crashed.next()).value).toMatchObject({ position: 1, attempt: 2 })
    // Nobody lets the lease go; it lapses.
    pass(ledger, 31 * second)
    const heir = openLedger(ledger.directory)
    heir.now = ledger.now
    const again = await heir.drain({ consumer: 'c' })
    expect(again.map(({ position, attempt }) => [position, attempt])).toEqual([
      [1, 2],
      [2, 1],
    ])
  })
})

describe('an answer that cannot be committed', () => {
  const busy = new Error('busy')

  test('is taken back with those that wait behind it, and can be given again', async () => {
    const { ledger } = await timed(4)
    const [a, b, c] = await ledger.drain({ consumer: 'c' }, () => undefined)
    vi.spyOn(ledger.log, 'settle').mockImplementationOnce(async () => {
      // Comes while the first commit is on its way: committed alone, it would acknowledge the first as well.
      late = c!.ack()
      await new Promise((resolve) => setImmediate(resolve))
      throw busy
    })
    let late: Promise<void> | undefined
    expect(await Promise.allSettled([a!.ack(), b!.ack()])).toMatchObject([{ reason: busy }, { reason: busy }])
    await expect(late).rejects.toBe(busy)
    await expect(b!.ack()).rejects.toMatchObject({ code: 'ACK_OUT_OF_ORDER' })
    expect((await ledger.consumers.lag('c')).events).toBe(4)
    await a!.ack()
    await b!.ack()
    expect((await ledger.consumers.lag('c')).events).toBe(2)
  })

  test('leaves a failed event where it was', async () => {
    const { ledger } = await timed(3)
    const subscription = ledger.subscribe({ consumer: 'c', follow: false })
    const first = (await subscription.next()).value!
    await subscription.next()
    vi.spyOn(ledger.log, 'settle').mockRejectedValueOnce(busy)
    await expect(first.nack({ delay: 0 })).rejects.toBe(busy)
    await first.ack()
    const rest = [(await subscription.next()).value!, (await subscription.next()).value!]
    expect(rest.map(({ position, attempt }) => [position, attempt])).toEqual([
      [2, 1],
      [3, 1],
    ])
    for (const delivery of rest) await delivery.ack()
    expect(await subscription.next()).toEqual({ done: true, value: undefined })
    expect(await ledger.drain({ consumer: 'c' })).toEqual([])
  })
})

describe('a dead letter', () => {
  const dead = async () => {
    const { ledger, notes } = await timed(3)
    await ledger.drain({ consumer: 'c', maxAttempts: 1 }, failAt(2))
    return { ledger, notes }
  }

  test('is what an event becomes after its last attempt, and its collection goes on', async () => {
    const { ledger } = await timed(3)
    const seen: number[] = []
    for (let n = 0; n < 3; n++) {
      seen.push(...positions(await ledger.drain({ consumer: 'c', maxAttempts: 3 }, failAt(2))))
      pass(ledger, 10 * second)
    }
    expect(seen).toEqual([1, 2, 2, 2, 3])
    const [letter] = await ledger.consumers.deadLetters('c')
    expect(letter).toMatchObject({
      collection: 'notes',
      position: 2,
      attempts: 3,
      error: 'no luck',
      replaying: false,
      event: { type: 'session.resumed', position: 2 },
    })
    expect(await ledger.consumers.list()).toMatchObject([{ deadLetters: 1 }])
    expect(await ledger.consumers.lag('c')).toMatchObject({ events: 0 })
  })

  test('is delivered again before anything else when replayed, and gone once acknowledged', async () => {
    const { ledger, notes } = await dead()
    await ledger.emit(notes, 1)
    expect(await ledger.consumers.replay('c', { collection: 'notes', position: 2 })).toEqual({ replayed: 1 })
    const read = await ledger.drain({ consumer: 'c' })
    expect(read.map(({ position, attempt, redelivered }) => [position, attempt, redelivered])).toEqual([
      [2, 2, true],
      [4, 1, false],
    ])
    expect(await ledger.consumers.deadLetters('c')).toEqual([])
  })

  test('reaches a follower that waits', async () => {
    const { ledger } = await dead()
    const subscription = ledger.subscribe({ consumer: 'c' })
    const next = subscription.next()
    await ledger.consumers.replay('c', 'all')
    const { value } = await next
    expect(value).toMatchObject({ position: 2, redelivered: true })
    await value!.ack()
    await subscription.return?.()
  })

  test('that fails again is a dead letter again, with one more attempt', async () => {
    const { ledger } = await dead()
    await ledger.consumers.replay('c', 'all')
    await ledger.drain({ consumer: 'c' }, (delivery) => delivery.nack({ error: 'still' }))
    expect(await ledger.consumers.deadLetters('c')).toMatchObject([
      { position: 2, attempts: 2, error: 'still', replaying: false },
    ])
    expect(await ledger.drain({ consumer: 'c' })).toEqual([])
  })

  test('replayed but not acknowledged is delivered again', async () => {
    const { ledger } = await dead()
    await ledger.consumers.replay('c', 'all')
    expect(positions(await ledger.drain({ consumer: 'c' }, () => undefined))).toEqual([2])
    expect(positions(await ledger.drain({ consumer: 'c' }))).toEqual([2])
  })

  test('can be discarded', async () => {
    const { ledger } = await dead()
    expect(await ledger.consumers.discard('c', { collection: 'notes', position: 1 })).toEqual({
      discarded: 0,
    })
    expect(await ledger.consumers.discard('c', 'all')).toEqual({ discarded: 1 })
    expect(await ledger.consumers.replay('c', 'all')).toEqual({ replayed: 0 })
    await expect(ledger.consumers.replay('c', { collection: 'notes', position: 2 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })
})

describe('pruned events', () => {
  const prune = (ledger: TestLedger, before: number, force = false) =>
    pruneEvents({ connection: ledger.connection, write: ledger.write, clock: ledger.clock }, 'notes', {
      before,
      force,
    })

  test('are refused while a consumer needs them, by its name', async () => {
    const { ledger } = await timed(4)
    await ledger.drain({ consumer: 'reader', maxAttempts: 1 }, failAt(2))
    await ledger.consumers.open('late')
    await expect(prune(ledger, 2)).rejects.toThrow(/"late" has acknowledged only up to 0/)
    await ledger.consumers.delete('late')
    expect(await prune(ledger, 2)).toEqual({ pruned: 1 })
    await expect(prune(ledger, 3)).rejects.toThrow(/"reader" has a dead letter at position 2/)
    await ledger.consumers.open('elsewhere', { filter: { collections: ['other'] } })
    expect(await prune(ledger, 5, true)).toEqual({ pruned: 3 })
    await expect(prune(ledger, 9)).rejects.toMatchObject({ code: 'POSITION_UNKNOWN' })
  })

  test('make a cursor that has not read them an error, never a jump, until it is reset', async () => {
    const { ledger } = await timed(4)
    const [first] = await ledger.drain({ consumer: 'c' }, () => undefined)
    await first!.ack()
    await prune(ledger, 4, true)
    const expired = {
      code: 'CURSOR_EXPIRED',
      detail: { collection: 'notes', position: 1, oldest: 4 },
    }
    await expect(ledger.drain({ consumer: 'c' })).rejects.toMatchObject(expired)
    await expect(ledger.drain({ from: first!.cursor })).rejects.toMatchObject(expired)
    await expect(ledger.drain({ from: 1, collections: ['notes'] })).rejects.toMatchObject(expired)
    expect((await ledger.consumers.lag('c')).collections[0]).toMatchObject({ expired: true })
    await ledger.consumers.reset('c', 'start')
    expect(positions(await ledger.drain({ consumer: 'c' }))).toEqual([4])
    expect(positions(await ledger.drain({}))).toEqual([4])
  })

  test('make a dead letter one that cannot be replayed', async () => {
    const { ledger } = await timed(3)
    await ledger.drain({ consumer: 'c', maxAttempts: 1 }, failAt(2))
    await ledger.consumers.replay('c', 'all')
    await prune(ledger, 3, true)
    expect(await ledger.drain({ consumer: 'c' })).toEqual([])
    expect((await ledger.consumers.deadLetters('c'))[0]).not.toHaveProperty('event')
    expect(await ledger.consumers.replay('c', 'all')).toEqual({ replayed: 0 })
    await expect(ledger.consumers.replay('c', { collection: 'notes', position: 2 })).rejects.toMatchObject({
      code: 'CURSOR_EXPIRED',
    })
  })

  test('is given up at once when terminated, and its collection goes on', async () => {
    const { ledger } = await timed(3)
    const read = await ledger.drain({ consumer: 'c' }, (delivery) =>
      delivery.position === 2 ? delivery.terminate({ error: 'never' }) : delivery.ack(),
    )
    expect(positions(read)).toEqual([1, 2, 3])
    expect(await ledger.consumers.deadLetters('c')).toMatchObject([
      { position: 2, attempts: 1, error: 'never', replaying: false },
    ])
    expect((await ledger.consumers.lag('c')).events).toBe(0)
  })
})
