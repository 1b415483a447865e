import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SpanstoreClient } from '../../src/client/index.ts'
import type { Consumers } from '../../src/index.ts'
import { openStore, type Store } from '../../src/index.ts'
import { createServer, type Server } from '../../src/server/index.ts'
import { ROUTES } from '../../src/server/routes/all.ts'

/*
 * Every verb of the library has a route and a method of the client, or is named here with the reason why not; every
 * route is some verb's.
 */

/** Verbs that stay where the store is. */
const AT_HOME: Readonly<Record<string, string>> = {
  'store.backup': 'writes to a directory of the machine: spanstore backup, also while it is served',
  'store.activity': 'what /metrics is made of',
  'collection.switchEmbedder': 'takes an embedder: spanstore switch-embedder, also while it is served',
  'collection.estimateSwitch': 'takes an embedder',
  'collection.checkEmbeddings': 'spanstore verify --embeddings',
  'collection.records': 'what the Chroma interface is made of',
  'session.compact': 'runs a summarizer of the caller’s inside the store',
  'session.reconcile': 'runs a summarizer of the caller’s inside the store',
}

/** Routes that are not a verb of the library's: what looks after a server, and other ways to say the same. */
const BESIDES = {
  service: ['healthz', 'readyz', 'metrics', 'openapi', 'docs'],
  // By a GET, for what has an address only: browsers, curl, EventSource.
  byAddress: ['fetch', 'fetchInCollection', 'getCollection', 'subscribe'],
}

const KEY = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

let store: Store
let server: Server
let client: SpanstoreClient
let asked: string[]

beforeEach(async () => {
  store = await openStore(':memory:')
  server = createServer(store, {
    log: ({ route, method }) => {
      const found = ROUTES.find((one) => one.path === route && one.method === method)
      asked.push(found?.id ?? `${method} ${route}`)
    },
  })
  asked = []
  client = await SpanstoreClient.connect('http://localhost', {
    fetch: (input, init) => server.fetch(new Request(input, init)),
    retries: 0,
  })
  await (await client.collection('notes')).put({ source: 'a', text: 'One.' })
  asked = []
})

afterEach(async () => {
  await client.close()
  await server.close()
  await store.close()
})

/** Methods of a class and what they are to be called with. */
type Calls<T> = Readonly<Record<string, readonly [route: string, call: (of: T) => unknown]>>

const STORE: Calls<SpanstoreClient> = {
  collection: ['openCollection', (of) => of.collection('notes')],
  collections: ['listCollections', (of) => of.collections()],
  renameCollection: ['renameCollection', (of) => of.renameCollection('notes', 'other')],
  dropCollection: ['dropCollection', (of) => of.dropCollection('notes')],
  cursor: ['cursor', (of) => of.cursor()],
  fetch: ['fetchMany', (of) => of.fetch(KEY)],
  fetchMany: ['fetchMany', (of) => of.fetchMany([KEY])],
  verify: ['verify', (of) => of.verify()],
  stats: ['stats', (of) => of.stats()],
  prune: ['prune', (of) => of.prune({ before: 0 })],
  subscribe: ['subscribeByBody', (of) => of.subscribe({ follow: false }).next()],
}

type Notes = Awaited<ReturnType<SpanstoreClient['collection']>>
const COLLECTION: Calls<Notes> = {
  put: ['put', (of) => of.put({ source: 'a', text: 'Two.' })],
  putMany: ['putMany', (of) => of.putMany([{ source: 'a', text: 'Two.' }])],
  append: ['append', (of) => of.append({ source: 'a', spans: [{ text: 'Two.' }] })],
  remove: ['remove', (of) => of.remove({ source: 'a' })],
  retire: ['retire', (of) => of.retire([KEY])],
  update: ['update', (of) => of.update({ keys: [KEY], metadata: { a: 1 } })],
  erase: ['erase', (of) => of.erase({ source: 'a' })],
  fetch: ['fetchManyInCollection', (of) => of.fetch(KEY)],
  fetchMany: ['fetchManyInCollection', (of) => of.fetchMany([KEY])],
  find: ['find', (of) => of.find()],
  search: ['search', (of) => of.search({ text: 'one' })],
  similar: ['similar', (of) => of.similar(KEY)],
  embed: ['embed', (of) => of.embed()],
  count: ['count', (of) => of.count()],
  source: ['getSource', (of) => of.source('a')],
  sources: ['listSources', (of) => of.sources().next()],
  read: ['read', (of) => of.read('a')],
  history: ['history', (of) => of.history('a')],
  diff: ['diff', (of) => of.diff('a', 1, 1)],
  lineage: ['lineage', (of) => of.lineage(KEY)],
  dependents: ['dependents', (of) => of.dependents(KEY)],
}

type Talk = ReturnType<Notes['session']>
const SESSION: Calls<Talk> = {
  register: ['register', (of) => of.register({ text: 'Nothing.' })],
  summaries: ['summaries', (of) => of.summaries()],
  stale: ['stale', (of) => of.stale()],
  authoritative: ['authoritative', (of) => of.authoritative(KEY)],
  context: ['context', (of) => of.context({ maxTokens: 100 })],
  gate: ['gate', (of) => of.gate([])],
  assertGate: ['assertGate', (of) => of.assertGate([])],
  recheck: ['recheck', (of) => of.recheck('c1')],
  boundaryMarkers: ['boundaryMarkers', (of) => of.boundaryMarkers()],
  unrehydrated: ['unrehydrated', (of) => of.unrehydrated()],
  fetch: ['sessionFetch', (of) => of.fetch(KEY, { cited: 'self' })],
  search: ['sessionSearch', (of) => of.search({ text: 'one' })],
  observe: ['observe', (of) => of.observe({ citations: [KEY] })],
  boundary: ['boundary', (of) => of.boundary()],
  readings: ['readings', (of) => of.readings()],
  frozen: ['frozen', (of) => of.frozen()],
  discardEpoch: ['discardEpoch', (of) => of.discardEpoch()],
  configure: ['configure', (of) => of.configure({})],
  settings: ['settings', (of) => of.settings()],
}

const CONSUMERS: Calls<Consumers> = {
  open: ['openConsumer', (of) => of.open('c')],
  list: ['listConsumers', (of) => of.list()],
  info: ['getConsumer', (of) => of.info('c')],
  lag: ['consumerLag', (of) => of.lag('c')],
  reset: ['resetConsumer', (of) => of.reset('c', 'start')],
  setFilter: ['setConsumerFilter', (of) => of.setFilter('c', {})],
  delete: ['deleteConsumer', (of) => of.delete('c')],
  deadLetters: ['listDeadLetters', (of) => of.deadLetters('c')],
  replay: ['replayDeadLetters', (of) => of.replay('c', 'all')],
  discard: ['discardDeadLetters', (of) => of.discard('c', 'all')],
  pruneEvents: ['pruneEvents', (of) => of.pruneEvents('notes', { before: 0 })],
}

/** What a delivery of a consumer is answered with. */
const DELIVERY: Calls<SpanstoreClient> = {
  ack: ['ackEvents', async (of) => (await first(of)).ack()],
  nack: ['nackEvent', async (of) => (await first(of)).nack()],
  terminate: ['terminateEvent', async (of) => (await first(of)).terminate()],
}

const first = async (of: SpanstoreClient) => (await of.subscribe({ consumer: 'c' }).next()).value!

const methodsOf = (value: object): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(value)))
    .filter(([name, { value: method }]) => name !== 'constructor' && typeof method === 'function')
    .map(([name]) => name)

/** A verb that only hands on another part of the surface, or lets go. */
const HANDLES = ['session', 'consumers', 'close']

describe.each([
  ['store', STORE, () => [store, client]],
  ['collection', COLLECTION, async () => [await store.collection('notes'), await client.collection('notes')]],
  [
    'session',
    SESSION,
    async () => [
      (await store.collection('notes')).session('s'),
      (await client.collection('notes')).session('s'),
    ],
  ],
  ['consumers', CONSUMERS, () => [store.consumers(), client.consumers()]],
] as const)('%s', (what, calls, both) => {
  test('has the same verbs here and behind a server, but for those that are named', async () => {
    const [here, there] = (await both()) as [object, object]
    const verbs = methodsOf(here).filter((name) => !HANDLES.includes(name))
    const home = verbs.filter((name) => AT_HOME[`${what}.${name}`] !== undefined)
    expect(Object.keys(calls).toSorted()).toEqual(verbs.filter((name) => !home.includes(name)).toSorted())
    for (const name of [...Object.keys(calls), ...HANDLES.filter((one) => methodsOf(here).includes(one))])
      expect([name, typeof (there as Record<string, unknown>)[name]]).toEqual([name, 'function'])
  })

  test.each(Object.entries(calls))('%s asks the route of its name', async (_, [route, call]) => {
    const [, there] = await both()
    asked = []
    // Whether it finds anything is for other tests.
    await Promise.resolve(call(there as never)).catch(() => undefined)
    expect(asked).toContain(route)
  })
})

test.each(Object.entries(DELIVERY))(
  '%s of a delivery asks the route of its name',
  async (_, [route, call]) => {
    await store.consumers().open('c', { start: 'start' })
    await call(client)
    expect(asked).toEqual(expect.arrayContaining(['nextEvents', route]))
    await client.close()
    expect(asked).toContain('releaseConsumer')
  },
)

test('every route is some verb’s', () => {
  const verbs = [STORE, COLLECTION, SESSION, CONSUMERS, DELIVERY].flatMap((calls) =>
    Object.values<readonly [string, unknown]>(calls).map(([route]) => route),
  )
  const known = new Set([
    ...verbs,
    ...BESIDES.service,
    ...BESIDES.byAddress,
    'nextEvents',
    'releaseConsumer',
    'getStore',
  ])
  expect(ROUTES.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([])
})
