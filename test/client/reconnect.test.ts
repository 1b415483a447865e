import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SpanstoreClient } from '../../src/client/index.ts'
import { type Collection, openStore, type Store } from '../../src/index.ts'
import { createServer, type Server } from '../../src/server/index.ts'

let store: Store
let notes: Collection
let server: Server
let client: SpanstoreClient
let port = 0

beforeEach(async () => {
  store = await openStore(':memory:')
  notes = await store.collection('notes')
  server = createServer(store)
  const listening = await server.listen({ port: 0 })
  port = listening.port
  client = await SpanstoreClient.connect(listening.url)
})

afterEach(async () => {
  await client.close()
  await server.close()
  await store.close()
})

/** Everybody is sent away; `meanwhile` happens before anybody can come back. */
async function restart(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
  await server.close()
  await meanwhile()
  server = createServer(store)
  await server.listen({ port })
}

const put = async (text: string) => await notes.put({ source: 's', spans: [{ text }] })

describe('a subscription', () => {
  test('comes back after the last event it gave', async () => {
    await put('One.')
    const events = client.subscribe()
    expect((await events.next()).value).toMatchObject({ position: 1 })
    await restart(() => put('Two.'))
    for (let position = 2; position <= 6; position++)
      expect((await events.next()).value).toMatchObject({ position, attempt: 1, redelivered: false })
    await events.return?.()
  })

  test('from now on misses nothing of an outage before its first event', async () => {
    await put('One.')
    const events = client.subscribe({ from: 'now' })
    await events.ready()
    await restart(() => put('Two.'))
    expect((await events.next()).value).toMatchObject({ position: 4 })
    await events.return?.()
  })

  test('says that events after its cursor were pruned while it was away', async () => {
    await put('One.')
    const events = client.subscribe()
    await events.next()
    await restart(async () => {
      const { position } = await put('Two.')
      await store.consumers().pruneEvents('notes', { before: position })
    })
    // What the socket had brought before still comes, in order.
    const failing = async () => {
      let last = 1
      for await (const { position } of events) expect(position).toBe(++last)
    }
    await expect(failing()).rejects.toMatchObject({ code: 'CURSOR_EXPIRED', detail: { collection: 'notes' } })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  test('waits for a server that is away when it begins', async () => {
    await server.close()
    const events = client.subscribe()
    const next = events.next()
    await restart()
    expect((await next).value).toMatchObject({ position: 1 })
    await events.return?.()
  })

  test('ends at once while it waits to come back', async () => {
    const events = client.subscribe({ from: 'now' })
    await events.ready()
    const next = events.next()
    await server.close()
    await events.return?.()
    expect(await next).toEqual({ done: true, value: undefined })
    await restart()
  })
})

describe('a consumer', () => {
  test('acknowledges across a restart what it was given before, and is given nothing twice', async () => {
    await put('One.')
    const events = client.subscribe({ consumer: 'c' })
    const [a, b] = [(await events.next()).value!, (await events.next()).value!]
    await restart()
    await Promise.all([a.ack(), b.ack()])
    const c = (await events.next()).value!
    expect(c).toMatchObject({ position: 3 })
    await restart(() => put('Two.'))
    await c.ack()
    for (let position = 4; position <= 6; position++) {
      const { value } = await events.next()
      expect(value).toMatchObject({ position, attempt: 1 })
      await value!.ack()
    }
    expect(await store.consumers().lag('c')).toMatchObject({ events: 0 })
    await events.return?.()
  })

  test('gives back across a restart', async () => {
    const events = client.subscribe({ consumer: 'c' })
    const { value } = await events.next()
    await restart()
    await value!.nack({ delay: 1, error: 'no luck' })
    expect((await events.next()).value).toMatchObject({ position: 1, attempt: 2, redelivered: true })
    await events.return?.()
  })

  test('has lost its lease when another took it while the server was away', async () => {
    const events = client.subscribe({ consumer: 'c' })
    const { value } = await events.next()
    const other = store.subscribe({ consumer: 'c', wait: true })
    await restart(() => other.ready())
    const lost = { code: 'LEASE_LOST', detail: { consumer: 'c' } }
    await expect(events.next()).rejects.toMatchObject(lost)
    await expect(value!.ack()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await other.return?.()
  })

  test('is held by the name it was given', async () => {
    const events = client.subscribe({ consumer: 'c', holder: 'worker 7' })
    await events.next()
    const again = client.subscribe({ consumer: 'c', holder: 'worker 7' })
    expect((await again.next()).value).toMatchObject({ position: 1 })
    await again.return?.()
  })

  test('lets its lease go when the client is closed', async () => {
    const events = client.subscribe({ consumer: 'c' })
    await events.next()
    await client.close()
    await vi.waitFor(async () => expect(await store.consumers().info('c')).not.toHaveProperty('leasedUntil'))
  })
})
