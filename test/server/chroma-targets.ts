import type { Schema, Target } from './hostile.ts'

const TEXT: Schema = { type: 'string' }
const TEXTS: Schema = { type: 'array', items: TEXT }
const NUMBERS: Schema = { type: 'array', items: { type: 'number' }, minItems: 3 }
const OBJECT: Schema = { type: 'object' }
const COUNT: Schema = { type: 'integer', minimum: 1 }
const INCLUDE: Schema = {
  type: 'array',
  items: { enum: ['documents', 'embeddings', 'metadatas', 'distances', 'uris'] },
}

const object = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties })
const list = (items: Schema): Schema => ({ type: 'array', items })

const columns = object({
  ids: TEXTS,
  embeddings: list(NUMBERS),
  documents: TEXTS,
  metadatas: list(OBJECT),
  uris: TEXTS,
})
const filters = { ids: TEXTS, where: OBJECT, where_document: OBJECT }
const get = object({ ...filters, limit: COUNT, offset: COUNT, include: INCLUDE })

const TENANT = '/api/v2/tenants/{tenant}'
const DATABASE = `${TENANT}/databases/{database}`
const BASE = `${DATABASE}/collections`
const page = object({ limit: COUNT, offset: COUNT })

/** What a Chroma on one machine answers so, too. */
const UNKNOWN_ID = /Error finding id/
const NOT_THERE = /scout_logs|"error":"ChromaError"/

/** Every path of Chroma's interface that takes something. */
export const CHROMA_TARGETS: readonly Target[] = [
  ...['heartbeat', 'version', 'healthcheck', 'pre-flight-checks', 'auth/identity', 'none'].map(
    (name): Target => ({ method: 'GET', path: `/api/v2/${name}`, reads: true }),
  ),
  { method: 'POST', path: '/api/v2/reset', reads: false },
  { method: 'POST', path: '/api/v2/tenants', body: object({ name: TEXT }), reads: false },
  { method: 'GET', path: TENANT, reads: true },
  { method: 'GET', path: `${TENANT}/databases`, query: page, reads: true },
  { method: 'POST', path: `${TENANT}/databases`, body: object({ name: TEXT }), reads: false },
  { method: 'GET', path: DATABASE, reads: true },
  { method: 'DELETE', path: DATABASE, reads: false },
  { method: 'GET', path: BASE, query: page, reads: true },
  { method: 'GET', path: `${DATABASE}/collections_count`, reads: true },
  {
    method: 'POST',
    path: BASE,
    body: object({
      name: TEXT,
      get_or_create: { type: 'boolean' },
      metadata: OBJECT,
      configuration: OBJECT,
      schema: OBJECT,
    }),
    reads: false,
  },
  { method: 'GET', path: `${BASE}/by-id/{id}`, reads: true },
  { method: 'GET', path: `${BASE}/{name}`, reads: true },
  {
    method: 'PUT',
    path: `${BASE}/{id}`,
    body: object({ new_name: TEXT, new_metadata: OBJECT, new_configuration: OBJECT }),
    reads: false,
    owed: /already exists|"error":"InternalError","message":"(?!the server failed)/,
  },
  { method: 'DELETE', path: `${BASE}/{name}`, reads: false },
  ...['add', 'upsert', 'update'].map(
    (verb): Target => ({ method: 'POST', path: `${BASE}/{id}/${verb}`, body: columns, reads: false }),
  ),
  { method: 'POST', path: `${BASE}/{id}/get`, body: get, reads: true },
  {
    method: 'POST',
    path: `${BASE}/{id}/query`,
    body: object({ ...filters, query_embeddings: list(NUMBERS), n_results: COUNT, include: INCLUDE }),
    reads: true,
    owed: UNKNOWN_ID,
  },
  { method: 'POST', path: `${BASE}/{id}/delete`, body: object(filters), reads: false },
  { method: 'GET', path: `${BASE}/{id}/count`, reads: true },
  {
    method: 'POST',
    path: `${BASE}/{id}/search`,
    body: object({
      searches: list(
        object({
          filter: object({ where_clause: OBJECT, query_ids: TEXTS }),
          rank: object({ $knn: object({ query: NUMBERS, limit: COUNT, key: TEXT }) }),
          limit: object({ limit: COUNT, offset: COUNT }),
          select: object({ keys: TEXTS }),
          group_by: OBJECT,
        }),
      ),
    }),
    reads: true,
    owed: NOT_THERE,
  },
  { method: 'POST', path: `${BASE}/{id}/conditional/get`, body: get, reads: true },
  {
    method: 'POST',
    path: `${BASE}/{id}/conditional/commit`,
    body: object({ read_token: TEXT, operations: list(OBJECT), ids: TEXTS }),
    reads: false,
  },
  { method: 'POST', path: `${BASE}/{id}/fork`, body: object({ new_name: TEXT }), reads: false },
  { method: 'GET', path: `${BASE}/{id}/fork_count`, reads: true },
  { method: 'GET', path: `${BASE}/{id}/indexing_status`, reads: true, owed: NOT_THERE },
  { method: 'POST', path: `${BASE}/{id}/functions/attach`, body: OBJECT, reads: true, owed: NOT_THERE },
]
