import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openStore } from '../../src/index.ts'
import { chromaApp } from '../../src/wire/chroma/app.ts'

const PLACE = '/api/v2/tenants/default_tenant/databases/default_database'

/** Fields that handlers look at, so that what is wrong is wrong inside. */
const field = fc.constantFrom(
  'ids',
  'embeddings',
  'documents',
  'metadatas',
  'uris',
  'where',
  'where_document',
  'limit',
  'offset',
  'include',
  'query_embeddings',
  'n_results',
  'name',
  'metadata',
  'configuration',
  'schema',
  'get_or_create',
  'new_name',
  'new_metadata',
  'new_configuration',
  'searches',
  'read_token',
  'read_ids',
  'operations',
  '$and',
  '$or',
  '$eq',
  '$contains',
  '$regex',
  '#document',
  'hnsw',
  'rank',
  '$knn',
  'query',
  'filter',
  'group_by',
  'keys',
  'defaults',
)
const leaf = fc.oneof(
  fc.constantFrom(
    'a',
    '',
    '\u0000',
    '\ud800',
    '__proto__',
    '../../x',
    "' OR 1=1 --",
    'x'.repeat(2_000),
    '(a+)+$',
    '1e999',
  ),
  fc.constantFrom(0, -1, 1, 1.5, 1e300, 2 ** 53, -0),
  fc.boolean(),
  fc.constant(null),
)
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    { weight: 2, arbitrary: fc.array(tie('any'), { maxLength: 3 }) },
    { weight: 4, arbitrary: fc.dictionary(fc.oneof(field, fc.string()), tie('any'), { maxKeys: 4 }) },
  ),
})).any
const body = fc.oneof(
  { weight: 6, arbitrary: value.map((one) => JSON.stringify(one)) },
  { weight: 1, arbitrary: fc.string() },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', '[1.0', '{"ids":[1.0]}', `${'['.repeat(5_000)}${']'.repeat(5_000)}`),
  },
)
const route = fc.constantFrom(
  ['POST', '/add'],
  ['POST', '/upsert'],
  ['POST', '/update'],
  ['POST', '/delete'],
  ['POST', '/get'],
  ['POST', '/query'],
  ['POST', '/search'],
  ['POST', '/fork'],
  ['POST', '/conditional/get'],
  ['POST', '/conditional/commit'],
  ['PUT', ''],
  ['GET', '/count'],
  ['GET', '/fork_count'],
  ['PATCH', '/get'],
  ['POST', '/%2e%2e%2f'],
  ['DELETE', '/x'],
) as fc.Arbitrary<readonly [string, string]>

test('hostile requests are refused as what they are, and what is there stays', async () => {
  await using store = await openStore(':memory:')
  const app = chromaApp(store, { reset: false })
  const ask = async (method: string, path: string, sent?: string) =>
    await app.request(`http://127.0.0.1${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(sent === undefined || method === 'GET' ? {} : { body: sent }),
    })
  const made = await ask('POST', `${PLACE}/collections`, '{"name":"guarded"}')
  const { id } = (await made.json()) as { id: string }
  const kept = { ids: ['kept'], embeddings: [[1, 2, 3]], documents: ['stays'] }
  await ask('POST', `${PLACE}/collections/${id}/add`, JSON.stringify(kept))
  const allowed = (status: number, text: string) =>
    status < 500 || status === 501 || text.includes('Error finding id')
  await fc.assert(
    fc.asyncProperty(route, body, async ([method, path], sent) => {
      for (const address of [`${PLACE}/collections/${id}${path}`, `${PLACE}/collections`]) {
        const response = await ask(method, address, sent)
        const text = await response.text()
        expect(
          allowed(response.status, text),
          `${method} ${address} ${sent}: ${response.status} ${text}`,
        ).toBe(true)
      }
    }),
    { numRuns: 600 },
  )
  expect((await ask('POST', '/api/v2/reset')).status).toBe(403)
  const left = await store.collection('guarded', { create: false }).catch(() => undefined)
  // Renamed by one of the requests, perhaps; taken away by none.
  const names = (await store.collections()).map(({ name }) => name)
  expect(left !== undefined || names.length > 1).toBe(true)
  expect(await store.verify()).toEqual([])
})

test('a request without JSON, or with an unknown id, is told so', async () => {
  await using store = await openStore(':memory:')
  const app = chromaApp(store)
  const plain = await app.request(`http://127.0.0.1${PLACE}/collections`, {
    method: 'POST',
    body: '{"name":"abc"}',
  })
  expect(plain.status).toBe(415)
  const json = { 'content-type': 'application/json' }
  for (const [path, status] of [
    ['not-a-uuid', 400],
    ['00000000-0000-4000-8000-000000000000', 404],
    ['..%2f..%2fx', 400],
  ] as const) {
    const answer = await app.request(`http://127.0.0.1${PLACE}/collections/${path}/get`, {
      method: 'POST',
      headers: json,
      body: '{}',
    })
    expect(answer.status, path).toBe(status)
  }
})
