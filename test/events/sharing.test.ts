import { afterEach, describe, expect, test } from 'vitest'
import { SharedReads } from '../../src/ledger/sqlite/shared-reads.ts'
import { closeLedgers, newLedger, openLedger, positions } from './ledger.ts'

afterEach(closeLedgers)

describe('many subscriptions', () => {
  test('share a commit for what they acknowledge at once', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    await ledger.emit(notes, 9)
    const names = Array.from({ length: 20 }, (_, n) => `consumer ${n}`)
    const held = names.map((consumer) => ledger.subscribe({ consumer }))
    const first = await Promise.all(held.map((events) => events.next()))
    const before = ledger.settled
    await Promise.all(first.map(({ value }) => value!.ack()))
    expect(ledger.settled - before).toBe(1)
    await Promise.all(held.map((events) => events.return?.()))
    const seen = await Promise.all(names.map((consumer) => ledger.drain({ consumer })))
    for (const deliveries of seen) expect(positions(deliveries)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('do not suffer for one of them that lost its lease', async () => {
    const ledger = newLedger()
    await ledger.collection('notes')
    const [kept, lost] = ['kept', 'lost'].map((consumer) => ledger.subscribe({ consumer }))
    const [a, b] = [await kept!.next(), await lost!.next()]
    await ledger.consumers.delete('lost')
    const [mine, other] = await Promise.allSettled([a.value!.ack(), b.value!.ack()])
    expect(mine.status).toBe('fulfilled')
    expect(other).toMatchObject({ status: 'rejected', reason: { code: 'LEASE_LOST' } })
    await kept!.return?.()
    expect(await ledger.drain({ consumer: 'kept' })).toEqual([])
  })
})

describe('a shared read', () => {
  test('is made once for each question, until something is committed here or elsewhere', async () => {
    const ledger = newLedger()
    const notes = await ledger.collection('notes')
    const other = openLedger(ledger.directory)
    const reads = new SharedReads(ledger.connection)
    let asked = 0
    const head = () => {
      asked++
      return ledger.connection.value<number>('SELECT position FROM collection_head')!
    }
    expect([reads.get('head', head), reads.get('head', head), asked]).toEqual([1, 1, 1])
    reads.get('another', head)
    expect(asked).toBe(2)
    await ledger.emit(notes, 1)
    expect([reads.get('head', head), reads.get('head', head), asked]).toEqual([2, 2, 3])
    await other.emit(notes, 1)
    expect([reads.get('head', head), reads.get('head', head), asked]).toEqual([3, 3, 4])
  })
})
