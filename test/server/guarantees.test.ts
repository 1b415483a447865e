import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../src/index.ts'
import { ANYONE } from '../../src/wire/principal.ts'
import { closeServed, type Send, serve } from './served.ts'

let call: Send
let store: Store
let key: string
let summary: string
const NOTES = '/v1/collections/notes'
const SESSION = `${NOTES}/sessions/agent-7`

beforeEach(async () => {
  const served = await serve()
  call = served.call
  store = served.store
  await call('PUT', NOTES)
  const { body } = await call('PUT', `${NOTES}/sources/doc`, { text: 'The deploy happens on Friday.' })
  key = body.added[0]
  const { body: registered } = await call('POST', `${SESSION}/summaries`, {
    summaries: [{ text: `The deploy happens on Friday. [[${key}]]`, covers: [key] }],
  })
  summary = registered.registrations[0].key
})

afterEach(closeServed)

const edit = () => call('PUT', `${NOTES}/sources/doc`, { text: 'The deploy is cancelled for good.' })
const metrics = async () => (await call('GET', '/metrics')).body as string

test('a gate answers what the library answers, and lets pass what its spans say', async () => {
  const { status, body } = await call('POST', `${SESSION}/gate`, { claims: summary, action: 'deploy' })
  expect(status).toBe(200)
  expect(body).toMatchObject({ verdict: 'substantiated', action: 'deploy' })
  expect((await call('POST', `${SESSION}/assert-gate`, { claims: summary })).status).toBe(200)
  const recheck = await call('POST', `${SESSION}/recheck`, { cursor: body.cursor })
  expect(recheck.body).toMatchObject({ verdict: 'holds', moved: [] })
  expect(await metrics()).toContain('spanstore_gates_total{verdict="substantiated"} 2')
})

test('a gate refuses a claim whose span was retired; asserted, it is 409 and names the claim', async () => {
  const before = await call('POST', `${SESSION}/gate`, { claims: summary })
  await edit()
  const { status, body } = await call('POST', `${SESSION}/gate`, { claims: summary })
  expect([status, body.verdict]).toEqual([200, 'refused'])
  const asserted = await call('POST', `${SESSION}/assert-gate`, { claims: summary })
  expect([asserted.status, asserted.body.code]).toEqual([409, 'REHYDRATION_BOUNDARY'])
  const recheck = await call('POST', `${SESSION}/recheck`, { cursor: before.body.cursor })
  expect(recheck.body).toMatchObject({ verdict: 'refused', moved: [key] })
  expect(await metrics()).toContain('spanstore_gates_total{verdict="refused"} 2')
})

test('no claims is a refusal, too', async () => {
  expect((await call('POST', `${SESSION}/gate`, { claims: [] })).body.verdict).toBe('refused')
  expect((await call('POST', `${SESSION}/gate`, { claims: [{ text: 'It rains.' }] })).body.verdict).toBe(
    'refused',
  )
})

test('a session reads keys as the four results, and what it read is in the counts', async () => {
  const read = (asked: string) => call('POST', `${SESSION}/fetch`, { key: asked, cited: 'self' })
  expect((await read(key)).status).toBe(200)
  await edit()
  expect((await read(key)).status).toBe(410)
  expect((await read('no key')).status).toBe(404)
  expect((await call('POST', `${SESSION}/observe`, { citations: [key] })).status).toBe(200)
  expect((await call('POST', `${SESSION}/search`, { text: 'deploy' })).body.hits).toHaveLength(1)
  expect(await metrics()).toContain('spanstore_fetches_total{status="tombstone"} 1')
})

test('the monitor tells its decision, its readings and its freeze', async () => {
  const { body } = await call('POST', `${SESSION}/boundary`)
  expect(body).toMatchObject({ session: 'agent-7', cycle: 1, decision: 'proceed' })
  expect((await call('GET', `${SESSION}/readings?limit=5`)).body.readings).toMatchObject([{ cycle: 1 }])
  expect((await call('GET', `${SESSION}/frozen`)).body).toEqual({})
  expect((await call('GET', `${SESSION}/boundary-markers`)).body.claims).toEqual([])
  expect((await call('GET', `${SESSION}/unrehydrated`)).body).toEqual({
    summaries: JSON.parse(
      JSON.stringify(await (await store.collection('notes')).session('agent-7').unrehydrated()),
    ),
  })
})

test('a frozen session refuses what is registered, and says what ends the freeze from here', async () => {
  await edit()
  expect((await call('POST', `${SESSION}/boundary`)).body.decision).toBe('freeze')
  expect((await call('GET', `${SESSION}/frozen`)).body.frozen.decision).toBe('freeze')
  const refused = await call('POST', `${SESSION}/summaries`, { summaries: [{ text: 'Anything else.' }] })
  expect([refused.status, refused.body.code]).toEqual([409, 'SESSION_FROZEN'])
  expect(refused.body.detail).toContain('only reconcile ends it')
  expect(refused.body.detail).toContain('a program that opens the store itself')
})

test('settings are set, shown and unset', async () => {
  expect((await call('PATCH', `${SESSION}/settings`, { recencyWindow: 3, retention: 1000 })).body).toEqual({
    recencyWindow: 3,
    retention: 1000,
  })
  await call('PATCH', `${SESSION}/settings`, { retention: false })
  expect((await call('GET', `${SESSION}/settings`)).body).toEqual({ recencyWindow: 3 })
})

test('a discarded epoch is discarded once, however often it is asked for', async () => {
  const first = await call('POST', `${SESSION}/discard-epoch`, {}, { 'idempotency-key': 'undo-1' })
  expect(first.body).toMatchObject({ epoch: 1, discarded: [summary] })
  const second = await call('POST', `${SESSION}/discard-epoch`, {}, { 'idempotency-key': 'undo-1' })
  expect(second.body).toEqual(first.body)
  expect((await call('GET', `/v1/keys/${summary}`)).body.result.tombstone.reason).toBe('discarded')
})

test('a caller confined to a collection gets no verdict that rests on another', async () => {
  const principal = { ...ANYONE, name: 'confined', collections: ['other'] }
  const served = await serve({
    tokens: { any: true, find: () => principal },
  } as never)
  const secret = await served.store.collection('secret')
  const { added } = await secret.put({ source: 'a', text: 'The vault opens at nine.' })
  const other = await served.store.collection('other')
  const { key: theirs } = await other
    .session('s')
    .register({ text: `The vault opens at nine. [[${added[0]}]]`, covers: added })
  for (const path of ['gate', 'assert-gate']) {
    const { status, body } = await served.call(
      'POST',
      `/v1/collections/other/sessions/s/${path}`,
      { claims: theirs },
      { authorization: 'Bearer x' },
    )
    expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
    expect(JSON.stringify(body)).not.toContain('vault')
  }
})

test('how complete a summarizer calls its text is held against it', async () => {
  const grown = await call('POST', `${SESSION}/summaries`, {
    summaries: [{ text: `On Friday. [[${key}]]`, covers: [key], replaces: summary, completeness: 0.9 }],
  })
  expect(grown.status).toBe(200)
  await call('POST', `${SESSION}/summaries`, {
    summaries: [
      {
        text: `As noted earlier, on Friday. [[${key}]]`,
        covers: [key],
        replaces: grown.body.registrations[0].key,
        completeness: 0.95,
      },
    ],
  })
  const { body } = await call('POST', `${SESSION}/boundary`, {})
  expect(body.recall.inflation).toMatchObject({ measured: true, elevated: true })
  const refused = await call('POST', `${SESSION}/summaries`, {
    summaries: [{ text: 'All.', completeness: 2 }],
  })
  expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } })
})
