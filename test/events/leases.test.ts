import { afterEach, describe, expect, test } from 'vitest'
import { closeLedgers, newLedger, openLedger, positions } from './ledger.ts'

afterEach(closeLedgers)

describe('a lease', () => {
  test('keeps others out while it is valid', async () => {
    const ledger = newLedger()
    await ledger.collection('notes')
    const holder = ledger.subscribe({ consumer: 'c' })
    await holder.next()
    const other = openLedger(ledger.directory)
    await expect(other.subscribe({ consumer: 'c' }).next()).rejects.toMatchObject({
      code: 'CONSUMER_LEASED',
      detail: { consumer: 'c' },
    })
    await holder.return?.()
    expect(positions(await other.drain({ consumer: 'c' }))).toEqual([1])
  })

  test('is let go by break, by an error in the loop, by return and by the signal', async () => {
    const ledger = newLedger()
    await ledger.collection('notes')
    const free = async () => (await ledger.consumers.list())[0]!.leasedUntil === undefined
    for await (const _ of ledger.subscribe({ consumer: 'c' })) break
    expect(await free()).toBe(true)
    const failing = async () => {
      for await (const _ of ledger.subscribe({ consumer: 'c' })) throw new Error('handler')
    }
    await expect(failing()).rejects.toThrow('handler')
    expect(await free()).toBe(true)
    const subscription = ledger.subscribe({ consumer: 'c', types: undefined as never })
    await subscription.next()
    const waiting = subscription.next()
    await subscription.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await free()).toBe(true)
    const controller = new AbortController()
    const aborted = ledger.subscribe({ consumer: 'c', signal: controller.signal })
    await aborted.next()
    const pending = aborted.next()
    expect(await free()).toBe(false)
    controller.abort()
    await expect(pending).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await free()).toBe(true)
    await expect(ledger.subscribe({ consumer: 'c', signal: controller.signal }).next()).rejects.toMatchObject(
      { code: 'ABORTED' },
    )
  })

  test('let go while it waits for its turn is never taken', async () => {
    const ledger = newLedger()
    await ledger.collection('notes')
    const holder = ledger.subscribe({ consumer: 'c' })
    await holder.next()
    const controller = new AbortController()
    const queued = ledger.subscribe({ consumer: 'c', wait: true, signal: controller.signal }).next()
    controller.abort()
    await expect(queued).rejects.toMatchObject({ code: 'ABORTED' })
    await holder.return?.()
    expect((await ledger.consumers.list())[0]).not.toHaveProperty('leasedUntil')
  })

  test('passes to whoever waits for it, as soon as it is let go', async () => {
    const ledger = newLedger({ poll: false })
    await ledger.collection('notes')
    const holder = ledger.subscribe({ consumer: 'c' })
    const { value } = await holder.next()
    const other = openLedger(ledger.directory, { poll: false })
    const heir = other.subscribe({ consumer: 'c', wait: true })
    const next = heir.next()
    await value!.ack()
    await holder.return?.()
    await ledger.emit(1, 1)
    expect((await next).value?.position).toBe(2)
    await heir.return?.()
  })

  test('lost to another cannot acknowledge, and the other gets what was not', async () => {
    const ledger = newLedger()
    ledger.now = 1_000_000
    await ledger.collection('notes')
    const slow = ledger.subscribe({ consumer: 'c', lease: 1000 })
    const { value } = await slow.next()
    ledger.now += 1001
    const other = openLedger(ledger.directory)
    other.now = ledger.now
    const heir = other.subscribe({ consumer: 'c' })
    const inherited = (await heir.next()).value!
    expect(inherited.position).toBe(1)
    await expect(value!.ack()).rejects.toMatchObject({ code: 'LEASE_LOST', detail: { consumer: 'c' } })
    await expect(slow.next()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await inherited.ack()
    await heir.return?.()
  })

  test('that lapsed but nobody took is simply renewed', async () => {
    const ledger = newLedger()
    ledger.now = 1_000_000
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 1)
    const slow = ledger.subscribe({ consumer: 'c', lease: 1000 })
    const { value } = await slow.next()
    ledger.now += 5000
    await value!.ack()
    expect((await ledger.consumers.list())[0]).toMatchObject({ leasedUntil: ledger.now + 1000 })
    expect((await slow.next()).value?.position).toBe(2)
    await slow.return?.()
  })

  test('is renewed while its holder waits for events', async () => {
    const ledger = newLedger()
    await ledger.collection('notes')
    // Long enough for a busy machine: it is renewed after a third of it.
    const holder = ledger.subscribe({ consumer: 'c', lease: 450 })
    await (await holder.next()).value!.ack()
    const waiting = holder.next()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await expect(ledger.subscribe({ consumer: 'c' }).next()).rejects.toMatchObject({
      code: 'CONSUMER_LEASED',
    })
    await ledger.emit(1, 1)
    expect((await waiting).value?.position).toBe(2)
    await holder.return?.()
  })

  test('of a deleted consumer gives no rights over one made anew under its name', async () => {
    const ledger = newLedger()
    await ledger.collection('notes')
    const [stale] = await ledger.drain({ consumer: 'c' }, () => undefined)
    await ledger.consumers.delete('c')
    const heir = ledger.subscribe({ consumer: 'c' })
    const { value } = await heir.next()
    await expect(stale!.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await value!.ack()
    await heir.return?.()
  })

  test('ends with the store: who waits is told, and the next process need not wait', async () => {
    const ledger = newLedger()
    await ledger.collection('notes')
    const holder = ledger.subscribe({ consumer: 'c' })
    await holder.next()
    const waiting = holder.next()
    const refused = expect(waiting).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    await ledger.close()
    await refused
    expect(positions(await openLedger(ledger.directory).drain({ consumer: 'c' }))).toEqual([1])
  })

  test('of a name is taken back at once by a holder of the same name, and its former self is told', async () => {
    const ledger = newLedger()
    await ledger.collection('notes')
    const before = ledger.subscribe({ consumer: 'c', holder: 'worker 7' })
    const { value } = await before.next()
    const other = ledger.subscribe({ consumer: 'c', holder: 'worker 8' })
    await expect(other.next()).rejects.toMatchObject({ code: 'CONSUMER_LEASED' })
    const after = openLedger(ledger.directory).subscribe({ consumer: 'c', holder: 'worker 7' })
    expect((await after.next()).value!.id).toBe(value!.id)
    await expect(value!.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await after.return?.()
  })

  test('refuses a holder that is not a name', () => {
    const ledger = newLedger()
    expect(() => ledger.subscribe({ consumer: 'c', holder: '' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })
})
