import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Collection, Store } from '../../src/index.ts'
import { eventSchema } from '../../src/index.ts'
import { Tokens } from '../../src/server/index.ts'
import { temporary } from '../store/helpers.ts'
import { closeServed, serve } from './served.ts'
import { Sse, unread } from './sse.ts'

afterEach(closeServed)

const ABSENT = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

async function served(options: Parameters<typeof serve>[0] = {}) {
  const { store, server } = await serve(options)
  const notes = await store.collection('notes')
  const { url } = await server.listen({ port: 0 })
  const open = (query = '', init: RequestInit = {}) => Sse.open(`${url}/v1/events${query}`, init)
  return { store, server, notes, url, open }
}

const put = async (collection: Collection, text: string, source = 's') =>
  await collection.put({ source, spans: [{ text }] })

describe('GET /v1/events', () => {
  test('sends CloudEvents, each with the cursor after it, and ends at the end when told to', async () => {
    const { notes, open } = await served()
    const { added } = await put(notes, 'One.')
    const stream = await open('?follow=false')
    expect(stream.response.status).toBe(200)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(stream.response.headers.get('cache-control')).toContain('no-cache')
    const messages = await stream.rest()
    expect(stream.text.startsWith('retry: 1000\n')).toBe(true)
    const events = messages.flatMap(({ event, data }) =>
      event === 'message' && data ? [JSON.parse(data)] : [],
    )
    expect(events.map(({ type }) => type)).toEqual(['collection.created', 'span.added', 'source.revised'])
    expect(events[1]).toEqual({
      specversion: '1.0',
      id: `${notes.id}:2`,
      source: expect.stringContaining(notes.id),
      type: 'span.added',
      subject: added[0],
      time: expect.any(String),
      sequence: '0000000000000002',
      collection: 'notes',
      position: 2,
      data: { source: 's', revision: 1 },
    })
    expect(eventSchema('span.added').required).toEqual(expect.arrayContaining(['specversion', 'subject']))
    expect(messages.map(({ id }) => id).filter(Boolean)).toEqual(
      [0, 1, 2, 3].map((n) => `c1.${notes.id}${n}`),
    )
    expect(messages.at(-1)).toMatchObject({ event: 'end', data: '{"reason":"caught-up"}' })
  })

  test('read to its end, a collection that was never there is told; dropped and renamed ones, and ids, are read', async () => {
    const { store, notes, url, open } = await served()
    const told = await fetch(`${url}/v1/events?collection=notes&collection=ntoes&follow=false`)
    expect(told.status).toBe(404)
    expect(await told.json()).toMatchObject({
      code: 'COLLECTION_UNKNOWN',
      detail: 'no collection is called "ntoes"; GET /v1/collections lists them',
    })
    await store.collection('gone')
    await store.dropCollection('gone')
    await store.renameCollection('notes', 'papers')
    for (const named of ['gone', 'notes', 'papers', notes.id]) {
      const read = await open(`?collection=${named}&follow=false`)
      expect(read.response.status, named).toBe(200)
      expect((await read.rest()).length, named).toBeGreaterThan(2)
    }
  })

  test('goes on after Last-Event-ID, which counts more than from', async () => {
    const { notes, open } = await served()
    await put(notes, 'One.')
    const first = await open()
    await first.event()
    const second = await first.event()
    await first.close()
    const resumed = await open('?from=start', { headers: { 'Last-Event-ID': second.cursor! } })
    expect((await resumed.event()).position).toBe(second.position + 1)
    const from = await open(`?from=${second.cursor}`)
    expect((await from.event()).position).toBe(second.position + 1)
    const position = await open('?from=2&collection=notes')
    expect((await position.event()).position).toBe(3)
    await Promise.all([resumed.close(), from.close(), position.close()])
  })

  test('names the cursor at once, so that nothing is lost of what comes after now', async () => {
    const { notes, open } = await served()
    await put(notes, 'One.')
    const stream = await open('?from=now')
    const { id } = (await stream.next())!
    await stream.close()
    const { added } = await put(notes, 'Two.')
    const resumed = await open(`?from=${id}`)
    expect((await resumed.event()).subject).toBe(added[0])
    await resumed.close()
  })

  test('answers 410 for a cursor that is unknown or pruned, and says which', async () => {
    const { store, notes, open } = await served()
    await put(notes, 'One.')
    const answer = async (query: string, init: RequestInit = {}) => {
      const { response } = await open(query, init)
      return { status: response.status, type: response.headers.get('content-type') }
    }
    const problem = async (query: string) => {
      const stream = await open(query)
      await stream.rest()
      return { status: stream.response.status, ...JSON.parse(stream.text) }
    }
    const gone = { status: 410, type: 'urn:spanstore:problem:cursor-expired', title: 'CURSOR_EXPIRED' }
    expect(await problem(`?from=c1.${ABSENT}1`)).toMatchObject({ ...gone, code: 'CURSOR_INVALID' })
    expect(await problem('?from=nonsense')).toMatchObject({ ...gone, code: 'CURSOR_INVALID' })
    expect(await problem(`?from=c1.${notes.id}z`)).toMatchObject({ ...gone, code: 'CURSOR_INVALID' })
    expect(await problem('?from=99&collection=notes')).toMatchObject({ ...gone, code: 'POSITION_UNKNOWN' })
    await store.consumers().pruneEvents('notes', { before: 3 })
    expect(await problem(`?from=c1.${notes.id}1`)).toMatchObject({
      ...gone,
      code: 'CURSOR_EXPIRED',
      error: { collection: 'notes', position: 1, oldest: 3 },
    })
    const header = { headers: { 'Last-Event-ID': `c1.${notes.id}1` } }
    expect(await answer('', header)).toEqual({ status: 410, type: 'application/problem+json' })
  })

  test('tells a reader whose next events are pruned meanwhile, instead of jumping', async () => {
    const { store, notes, open } = await served()
    await notes.put({ source: 's', spans: Array.from({ length: 3000 }, (_, i) => ({ text: `Span ${i}.` })) })
    const stream = await open()
    await stream.event()
    const { position } = await put(notes, 'One.')
    await store.consumers().pruneEvents('notes', { before: position })
    let last = 1
    for (;;) {
      const message = (await stream.next())!
      if (message.event === 'problem') {
        expect(JSON.parse(message.data!)).toMatchObject({ status: 410, code: 'CURSOR_EXPIRED' })
        break
      }
      if (message.data === undefined) continue
      const event = JSON.parse(message.data)
      expect(event.position).toBe(last + 1)
      last = event.position
    }
    expect(last).toBeLessThan(position - 1)
    expect(await stream.next()).toBeUndefined()
  })

  test('filters by type, collection, source and key, all of which must fit', async () => {
    const { store, notes, open } = await served()
    const other = await store.collection('other')
    await put(other, 'Elsewhere.')
    const { added } = await notes
      .putMany([
        { source: 'a', spans: [{ text: 'One.' }] },
        { source: 'b, c', spans: [{ text: 'Two.' }] },
      ])
      .then((results) => ({ added: results.map((result) => result.added[0]!) }))
    const subjects = async (query: string) => {
      const stream = await open(`?follow=false&${query}`)
      const messages = await stream.rest()
      expect(stream.response.status).toBe(200)
      return messages.flatMap(({ event, data }) =>
        event === 'message' && data ? [JSON.parse(data).subject] : [],
      )
    }
    expect(await subjects('type=span.added&collection=notes')).toEqual(added)
    expect(await subjects('type=span.added&source=a')).toEqual([added[0]])
    expect(await subjects(`type=span.added&source=${encodeURIComponent('b, c')}`)).toEqual([added[1]])
    expect(await subjects('type=span.added&source=a&source=b,%20c')).toEqual(added)
    expect(await subjects(`key=${added[1]}`)).toEqual([added[1]])
    expect(await subjects(`key=${added[1]}&source=a`)).toEqual([])
    expect((await open('?type=span.eaten')).response.status).toBe(400)
    expect((await open('?colour=red')).response.status).toBe(400)
    expect((await open('?key=x')).response.status).toBe(400)
  })

  test('takes filters that are too long for an address as a body', async () => {
    const { notes, url } = await served()
    const { added } = await notes.put({
      source: 's',
      spans: Array.from({ length: 1500 }, (_, i) => ({ text: `Span ${i}.` })),
    })
    const stream = await Sse.open(`${url}/v1/events`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ filter: { keys: added }, follow: false }),
    })
    const messages = await stream.rest()
    expect(messages.filter(({ event, data }) => event === 'message' && data !== undefined)).toHaveLength(1500)
  })

  test('gives signs of life, whose id passes what the filter leaves out', async () => {
    const { store, notes, open } = await served()
    const stream = await open('?type=span.retired&heartbeat=100')
    await put(notes, 'One.')
    const ids: string[] = []
    while (ids.at(-1) !== `c1.${notes.id}3`) ids.push((await stream.next())!.id!)
    expect(stream.text).toContain(': \n\n')
    await stream.close()
    // Nothing of what was passed over has to be kept for this reader.
    await store.consumers().pruneEvents('notes', { before: 4 })
    const resumed = await open(`?type=span.retired&from=${ids.at(-1)}`)
    expect(resumed.response.status).toBe(200)
    await resumed.close()
  })

  test('does not repeat a long cursor with every event, and loses none by that', async () => {
    const { store, notes, open } = await served()
    for (let n = 0; n < 40; n++) await store.collection(`collection ${n}`)
    await notes.put({ source: 's', spans: Array.from({ length: 50 }, (_, i) => ({ text: `Span ${i}.` })) })
    const stream = await open('?follow=false')
    const messages = await stream.rest()
    const events = messages.filter(({ event, data }) => event === 'message' && data !== undefined)
    expect(events).toHaveLength(1 + 40 + 51)
    expect(events.filter(({ id }) => id === undefined).length).toBeGreaterThan(80)
    // Wherever a reader that keeps the last id stops, it goes on before what it has not seen.
    let id: string | undefined
    const seen = new Set<string>()
    for (const message of messages) {
      if (message.id !== undefined) {
        id = message.id
        if (message.data === undefined) {
          const rest = await open(`?follow=false&from=${id}`)
          const after = (await rest.rest()).filter(
            ({ event, data }) => event === 'message' && data !== undefined,
          )
          expect(after.length).toBeGreaterThanOrEqual(events.length - seen.size)
        }
      }
      if (message.event === 'message' && message.data !== undefined) seen.add(JSON.parse(message.data).id)
    }
    expect(seen.size).toBe(events.length)
  })

  test('reads no further ahead than a slow reader takes', async () => {
    const { store, notes, url } = await served()
    for (let n = 0; n < 20; n++)
      await notes.put({
        source: `s${n}`,
        spans: Array.from({ length: 1000 }, (_, i) => ({ text: `Span ${i}.` })),
      })
    const subscribe = vi.spyOn(store, 'subscribe')
    const socket = unread(url, '/v1/events')
    await vi.waitFor(() => expect(subscribe).toHaveBeenCalledOnce())
    const events = subscribe.mock.results[0]!.value as ReturnType<Store['subscribe']>
    const next = vi.spyOn(events, 'next')
    let before = -1
    while (before !== next.mock.calls.length) {
      before = next.mock.calls.length
      await sleep(200)
    }
    // 20 041 events wait; a socket holds some megabytes at most.
    expect(before).toBeLessThan(15_000)
    // Then it reads, and everything comes.
    let size = 0
    let text = ''
    socket.on('data', (chunk) => {
      size += chunk.length
      text = text.slice(-600) + chunk.toString('latin1')
    })
    socket.resume()
    await vi.waitFor(() => expect(text).toContain('"position":20021'), { timeout: 15_000 })
    expect(size).toBeGreaterThan(20_021 * 300)
    socket.destroy()
  })

  test('ends the subscription when the reader is gone', async () => {
    const { store, open } = await served()
    const subscribe = vi.spyOn(store, 'subscribe')
    const stream = await open()
    await stream.event()
    const events = subscribe.mock.results[0]!.value as ReturnType<Store['subscribe']>
    const ended = vi.spyOn(events, 'return')
    await stream.close()
    await vi.waitFor(() => expect(ended).toHaveBeenCalled())
  })

  test('says goodbye when the server stops, and when to come back', async () => {
    const { server, notes, open } = await served()
    const streams = await Promise.all([open('?from=now'), open(), open('?type=span.retired')])
    await put(notes, 'One.')
    const started = Date.now()
    const rests = streams.map((stream) => stream.rest())
    await server.close()
    expect(Date.now() - started).toBeLessThan(2000)
    for (const rest of await Promise.all(rests))
      expect(rest.at(-1)).toMatchObject({ event: 'end', data: '{"reason":"shutdown"}' })
    expect(streams[0]!.text).toMatch(/retry: \d+\nevent: end\n/)
  })

  test('ends for a token that is revoked while it reads, whether anything happens or not', async () => {
    const tokens = new Tokens(temporary())
    const { notes, url } = await served({ tokens })
    const reader = () => {
      const { token, info } = tokens.create({ name: 'reader', access: 'read' })
      const headers = { Authorization: `Bearer ${token}` }
      return { open: () => Sse.open(`${url}/v1/events?heartbeat=100`, { headers }), id: info.id }
    }
    const [busy, idle, other] = [reader(), reader(), reader()]
    const [toldBusy, toldIdle, kept] = await Promise.all([busy.open(), idle.open(), other.open()])
    for (const stream of [toldBusy, toldIdle, kept]) await stream.event()
    tokens.revoke(busy.id)
    await put(notes, 'Not for who was turned out.')
    const [ended] = (await toldBusy.rest()).filter(({ event }) => event === 'problem')
    expect(JSON.parse(ended!.data!)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    expect(toldBusy.text).not.toContain('span.added')
    expect(await kept.event()).toMatchObject({ type: 'span.added' })
    tokens.revoke(idle.id)
    expect((await toldIdle.rest()).at(-1)).toMatchObject({ event: 'problem' })
    await kept.close()
  })

  test('shows a token the collections it reaches, and stops where one moves out of its reach', async () => {
    const tokens = new Tokens(temporary())
    const { store, notes, url } = await served({ tokens })
    const mine = await store.collection('mine')
    const { token } = tokens.create({ name: 'reader', access: 'read', collections: ['mine'] })
    const open = (query: string) =>
      Sse.open(`${url}/v1/events${query}`, { headers: { Authorization: `Bearer ${token}` } })
    await put(notes, 'Not for you.')
    expect((await open('')).response.status).toBe(403)
    expect((await open('?collection=notes')).response.status).toBe(403)
    expect((await open(`?collection=${notes.id}`)).response.status).toBe(403)
    expect((await open('?collection=mine&collection=notes')).response.status).toBe(403)
    const stream = await open('?collection=mine')
    expect(await stream.event()).toMatchObject({ collection: 'mine', position: 1 })
    await put(mine, 'For you.')
    expect(await stream.event()).toMatchObject({ collection: 'mine', position: 2 })
    await stream.event()
    await store.renameCollection('mine', 'secret')
    const last = (await stream.rest()).find(({ event }) => event === 'problem')
    expect(JSON.parse(last!.data!)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(stream.text).not.toContain('secret')
  })
})
