import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startOracle } from './oracle.ts'

/*
 * Records what a real Chroma answers: `CHROMA_ORACLE=… npm run record:chroma` writes `recorded.jsonl`, which
 * `contract.test.ts` replays. `{A}` in a path is the id of the collection `alpha`.
 */

const V = '/api/v2'
const D = `${V}/tenants/default_tenant/databases/default_database`
const C = `${D}/collections`

type Request = readonly [method: string, path: string, body?: unknown]

const create = (name: string, more: object = {}): Request => ['POST', C, { name, ...more }]
const on = (path: string, body: unknown): Request => ['POST', `${C}/{A}${path}`, body]
const get = (body: object): Request => on('/get', { include: [], ...body })

const WHERE: readonly unknown[] = [
  { n: 1 },
  { n: 1.5 },
  { n: { $gt: 1 } },
  { n: { $ne: 1 } },
  { n: { $in: [1, 2] } },
  { n: { $in: [] } },
  { n: { $in: [1, 'x'] } },
  { n: { $nin: [1] } },
  { s: { $gt: 'a' } },
  { s: 'x', n: 1 },
  {},
  { b: true },
  { b: 1 },
  { tags: { $contains: 'p' } },
  { tags: { $not_contains: 'p' } },
  { tags: 'p' },
  { s: { $contains: 'x' } },
  { $and: [] },
  { $or: [] },
  { $and: [{ n: 1 }, { b: true }] },
  { $or: [{ n: 1 }, { '#document': { $contains: 'sky' } }] },
  { $not: { n: 1 } },
  { '#document': { $regex: '^B' } },
  { '#document': 'blue sky' },
  { 'x.y': 3 },
  { 'chroma:uri': 'u1' },
  { s: { $regex: 'x' } },
  { n: null },
]

const DOCUMENT: readonly unknown[] = [
  { $contains: 'apple' },
  { $contains: 'Apple' },
  { $contains: '' },
  { $not_contains: 'apple' },
  { $regex: '(?i)APPLE' },
  { $regex: '^blue|pear$' },
  { $regex: '\\bsky\\b' },
  { $regex: '[[:upper:]]' },
  { $regex: '(?=x)' },
  { $regex: 'a{2,1}' },
  { $not_regex: 'e' },
  { $and: [{ $contains: 'e' }, { $not_contains: 'pear' }] },
  { $or: [] },
  {},
  { $bad: 'x' },
]

const REQUESTS: readonly Request[] = [
  ['POST', `${V}/reset`],
  ['GET', `${V}/auth/identity`],
  ['GET', `${V}/healthcheck`],
  ['GET', `${V}/pre-flight-checks`],
  ['GET', `${V}/nowhere`],
  ['GET', '/api/v1/heartbeat'],
  create('alpha'),
  create('alpha'),
  create('alpha', { get_or_create: true, metadata: { other: 1 } }),
  create('ab'),
  create('a..b'),
  create('10.0.0.1'),
  create('tuned', { configuration: { hnsw: { space: 'cosine', ef_search: 7, max_neighbors: 9 } } }),
  create('by-metadata', { metadata: { 'hnsw:space': 'ip', 'hnsw:M': 20, owner: 'me' } }),
  create('schema', {
    schema: { defaults: { int: { int_inverted_index: { enabled: false, config: {} } } }, keys: {} },
  }),
  create('named-function', {
    configuration: { embedding_function: { type: 'known', name: 'own', config: { a: 1 } } },
  }),
  create('bad-one', { configuration: { hnsw: { ef_search: -1 } } }),
  create('bad-two', { configuration: { hnsw: { space: 'far' } } }),
  create('bad-three', { metadata: {} }),
  create('bad-four', { metadata: { a: { b: 1 } } }),
  get({}),
  on('/query', { query_embeddings: [[1, 2]], n_results: 2 }),
  on('/add', {
    ids: ['a', 'b', 'c', 'd'],
    embeddings: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 2],
      [0.5, 0.25, 0.5],
    ],
    documents: ['red apple', 'green pear', null, 'Blue sky'],
    metadatas: [
      { n: 1, s: 'x', b: true, tags: ['p', 'q'] },
      { n: 2, 'x.y': 3 },
      null,
      { n: 1.5, tags: ['q'] },
    ],
    uris: ['u1', null, 'u3', null],
  }),
  on('/add', { ids: ['a'], embeddings: [[9, 9, 9]], documents: ['other'] }),
  on('/add', { ids: ['x'], embeddings: [[1, 2]] }),
  on('/add', { ids: ['x', 'y'], embeddings: [[1, 2, 3]] }),
  on('/add', { ids: [''], embeddings: [[1, 2, 3]] }),
  on('/add', { ids: ['x'] }),
  on('/add', { ids: ['x'], embeddings: ['AACAPwAAAEA'] }),
  on('/add', { ids: ['x'], embeddings: [[1, 2, 3]], metadatas: [{ a: null }] }),
  on('/add', { ids: ['x'], embeddings: [[1, 2, 3]], metadatas: [{ a: [1, 'x'] }] }),
  get({ include: ['documents', 'embeddings', 'metadatas', 'uris'] }),
  get({ ids: ['c', 'never', 'a'] }),
  get({ limit: 2, offset: 1 }),
  get({ limit: -1 }),
  get({ include: ['colours'] }),
  ...WHERE.map((where) => get({ where })),
  ...DOCUMENT.map((where_document) => get({ where_document })),
  on('/query', { query_embeddings: [[1, 0, 0]], n_results: 10, include: ['distances'] }),
  on('/query', { query_embeddings: [[1, 0, 0]], n_results: 1, where: { n: { $lt: 2 } } }),
  on('/query', { query_embeddings: [[1, 0, 0]], ids: ['b', 'c'], include: ['distances', 'uris'] }),
  on('/query', { query_embeddings: [[1, 0, 0]], ids: ['never'] }),
  on('/query', { query_embeddings: [[1, 0]] }),
  on('/query', { query_embeddings: [] }),
  on('/update', { ids: ['never'], documents: ['x'] }),
  on('/update', { ids: ['a'], documents: ['red Apple'] }),
  on('/update', { ids: ['a'], metadatas: [{ s: null, more: 1 }] }),
  on('/upsert', {
    ids: ['b', 'e'],
    embeddings: [
      [5, 5, 5],
      [6, 6, 6],
    ],
    metadatas: [{ z: 1 }, null],
  }),
  on('/upsert', {
    ids: ['e', 'e'],
    embeddings: [
      [7, 7, 7],
      [8, 8, 8],
    ],
    documents: ['one', 'two'],
  }),
  get({ include: ['documents', 'embeddings', 'metadatas', 'uris'] }),
  on('/delete', { ids: ['e', 'never'] }),
  on('/delete', { where: { n: 1.5 } }),
  on('/delete', { where: { n: 1 }, limit: 0 }),
  on('/delete', { ids: ['a'], limit: 1 }),
  on('/delete', {}),
  on('/add', { ids: ['d'], embeddings: [[4, 4, 4]] }),
  get({}),
  ['GET', `${C}/{A}/count`],
  ['PUT', `${C}/{A}`, { new_name: 'renamed', new_metadata: { m: 2 } }],
  ['PUT', `${C}/{A}`, { new_configuration: { hnsw: { ef_search: 33 } } }],
  ['PUT', `${C}/{A}`, { new_configuration: { hnsw: { space: 'ip' } } }],
  ['GET', `${C}/renamed`],
  ['GET', `${C}/alpha`],
  ['GET', `${C}/by-id/{A}`],
  ['GET', `${C}/by-id/nothing`],
  ['GET', `${D}/collections_count`],
  ['DELETE', `${C}/nothing`],
  ['DELETE', `${C}/renamed`],
  get({}),
  ['POST', `${V}/tenants`, { name: 'acme' }],
  ['POST', `${V}/tenants`, { name: 'acme' }],
  ['POST', `${V}/tenants`, { name: 'ab' }],
  ['GET', `${V}/tenants/acme`],
  ['GET', `${V}/tenants/nobody`],
  ['POST', `${V}/tenants/acme/databases`, { name: 'one' }],
  ['POST', `${V}/tenants/acme/databases`, { name: 'one' }],
  ['GET', `${V}/tenants/acme/databases`],
  ['GET', `${V}/tenants/acme/databases/two`],
  ['DELETE', `${V}/tenants/acme/databases/one`],
  ['DELETE', `${V}/tenants/acme/databases/one`],
  ['POST', `${V}/tenants/acme/databases/one/collections`, { name: 'nowhere' }],
  ['POST', C, '{'],
  ['POST', C, {}],
]

await using oracle = await startOracle(process.env.CHROMA_ORACLE!)
let alpha = ''
const lines: string[] = []
for (const [method, template, body] of REQUESTS) {
  const path = template.replace('{A}', alpha)
  const answer = await fetch(`${oracle.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const response: unknown = text === '' ? '' : JSON.parse(text)
  if (alpha === '' && answer.ok && path === C) alpha = (response as { id: string }).id
  lines.push(JSON.stringify({ method, path, body, status: answer.status, response }))
}
writeFileSync(fileURLToPath(new URL('./recorded.jsonl', import.meta.url)), `${lines.join('\n')}\n`)
