import { Hono } from 'hono'
import type { LiveRecord } from '../../core/record.ts'
import type { Collection, Store } from '../../index.ts'
import type { Mount, PlainAnswer, PlainHandler, PlainRequest, RequestContext } from '../mount.ts'
import { type Access, ANYONE, reaches, requireAccess } from '../principal.ts'
import { Problem } from '../problem.ts'
import { bodyOf, countOf, objectOf, type Parsed, stringOf } from './body.ts'
import { ChromaCollections, type CollectionInfo, type Place } from './collections.ts'
import { conditionalCommit, conditionalGet } from './conditional.ts'
import { ChromaFailure, failureOf, invalid, misshapen, unimplemented } from './failure.ts'
import { forkCollection } from './fork.ts'
import {
  isMissing,
  MISSING_HEADER,
  type Missing,
  MissingFailure,
  missingText,
  refuseMissing,
} from './missing.ts'
import { queryRecords, queryRequestOf } from './query.ts'
import {
  columnsOf,
  deleteRecords,
  getRecords,
  getRequestOf,
  type WriteVerb,
  writeColumns,
} from './records.ts'
import { DEFAULT_DATABASE, DEFAULT_TENANT, type Entry, storedName } from './registry.ts'
import { getText, queryText, searchText } from './render.ts'
import { searchRecords, searchRequestsOf } from './search.ts'

export interface ChromaOptions {
  /** Default true. `false`: `/reset` answers 403. It takes away only what was made through this interface. */
  readonly reset?: boolean
}

/** Clients compare it with what they know how to speak. */
export const CHROMA_VERSION = '1.0.0'

export const MAX_BATCH = 5461

type Bindings = { Bindings: Partial<RequestContext> }

/** Chroma's HTTP interface, version 2, over a store. */
export function chromaMount(store: Store, options: ChromaOptions = {}): Mount {
  const { app, atOnce } = chromaRoutes(store, options)
  return {
    prefix: '/api',
    fetch: (request, context) => app.fetch(request, context),
    atOnce,
    problem: (problem) =>
      answer(problem.status, JSON.stringify({ error: errorNameOf(problem), message: problem.message })),
  }
}

const errorNameOf = ({ status, code }: Problem): string =>
  status === 401 || status === 403 ? 'AuthError' : code === 'ROUTE_UNKNOWN' ? 'NotFoundError' : 'ChromaError'

const JSON_TYPE = { 'content-type': 'application/json' }

const reply = (status: number, body: string): PlainAnswer => ({ status, headers: JSON_TYPE, body })

const responseOf = ({ status, headers, body }: PlainAnswer): Response =>
  new Response(body, { status, headers: { ...headers } })

const answer = (status: number, body: string): Response => responseOf(reply(status, body))

const json = (value: unknown, status = 200): Response => answer(status, JSON.stringify(value))

const plainOf = (request: Request): PlainRequest => ({
  header: (name) => request.headers.get(name) ?? undefined,
  text: () => request.text(),
})

const bodyIn = (request: Request): Promise<Parsed> => bodyOf(plainOf(request))

/** An answer to which it is added what the request named and did not get. `body` is an object's JSON. */
function told(
  body: string,
  missing: Missing,
  extra: Readonly<Record<string, unknown>> = {},
  status = 200,
): PlainAnswer {
  const says = isMissing(missing)
  if (!says && Object.keys(extra).length === 0) return reply(status, body)
  const member = JSON.stringify({ ...extra, ...(says ? { missing } : {}) })
  const text = missingText(missing)
  return {
    status,
    headers: text === undefined ? JSON_TYPE : { ...JSON_TYPE, [MISSING_HEADER]: text },
    body: `${body.slice(0, -1)}${body.length > 2 ? ',' : ''}"spanstore":${member}}`,
  }
}

/** Counts what was fetched, where somebody counts. */
function fetched(context: Partial<RequestContext>, records: readonly LiveRecord[], missing: Missing): void {
  if (context.fetched === undefined) return
  const empty = records.reduce((sum, { text }) => sum + (text !== undefined && /\S/.test(text) ? 0 : 1), 0)
  const { absent, tombstone } = missing
  for (const [status, count] of [
    ['ok', records.length - empty],
    ['empty', empty],
    ['tombstone', tombstone.length],
    ['absent', absent.length],
  ] as const)
    if (count > 0) context.fetched(status, count)
}

function infoText({ metadata, ...info }: CollectionInfo): string {
  const { tenant, database, dimension, ...first } = info
  const rest = JSON.stringify({ dimension, tenant, database, log_position: 0, version: 0 })
  return `${JSON.stringify(first).slice(0, -1)},"metadata":${metadata},${rest.slice(1)}`
}

/** The handlers alone, to be called in process. */
export const chromaApp = (store: Store, options: ChromaOptions = {}): Hono<Bindings> =>
  chromaRoutes(store, options).app

/** A collection's id and what is asked of it, where nothing in the path has to be decoded. */
const ON_COLLECTION =
  /^\/api\/v2\/tenants\/[^/?#%]+\/databases\/[^/?#%]{3,}\/collections\/([^/?#%]+)(\/[a-z_/]+)$/

interface Routes {
  readonly app: Hono<Bindings>
  /** What is asked of a collection's records, without looking for its route among all of them. */
  readonly atOnce: (method: string, target: string) => PlainHandler | undefined
}

function chromaRoutes(store: Store, options: ChromaOptions): Routes {
  const collections = new ChromaCollections(store)
  const app = new Hono<Bindings>({ strict: false })
  const allow = (
    context: Partial<RequestContext>,
    access: Access,
    where: Parameters<typeof requireAccess>[2],
  ) => requireAccess(context.principal ?? ANYONE, access, where)

  const refused = (error: unknown): PlainAnswer => {
    const failure = failureOf(error)
    if (failure !== undefined) {
      const { status, error: name, message } = failure
      const missing = failure instanceof MissingFailure ? failure.missing : undefined
      const body = JSON.stringify({ error: name, message })
      return missing === undefined ? reply(status, body) : told(body, missing, {}, status)
    }
    if (error instanceof Problem)
      return reply(error.status, JSON.stringify({ error: errorNameOf(error), message: error.message }))
    // A defect of ours: whoever serves this writes it to its log.
    throw error
  }
  app.onError((error) => responseOf(refused(error)))
  app.notFound(() => new Response('', { status: 404 }))

  // ── the server ────────────────────────────────────────────────────────────────────────────────────────────

  const heartbeat = () => answer(200, `{"nanosecond heartbeat":${BigInt(Date.now()) * 1_000_000n}}`)
  app.get('/api/v2', heartbeat)
  app.get('/api/v2/heartbeat', heartbeat)
  app.get('/api/v2/version', () => json(CHROMA_VERSION))
  app.get('/api/v2/healthcheck', () => json({ is_executor_ready: true, is_log_client_ready: true }))
  app.get('/api/v2/pre-flight-checks', () =>
    json({ max_batch_size: MAX_BATCH, supports_base64_encoding: true }),
  )
  app.get('/api/v2/auth/identity', ({ env }) =>
    json({
      user_id: env?.principal === undefined || env.principal === ANYONE ? '' : env.principal.name,
      tenant: DEFAULT_TENANT,
      databases: [DEFAULT_DATABASE],
    }),
  )
  app.post('/api/v2/reset', async ({ env }) => {
    if (options.reset === false)
      throw new ChromaFailure(403, 'AuthError', 'Reset is disabled here; start the server with it allowed')
    allow(env ?? {}, 'admin', 'store')
    await collections.reset()
    return json(true)
  })
  app.all('/api/v1/*', () =>
    json({ error: 'Unimplemented', message: 'The v1 API is deprecated. Please use /v2 apis' }, 410),
  )

  // ── tenants and databases ─────────────────────────────────────────────────────────────────────────────────

  app.post('/api/v2/tenants', async ({ req, env }) => {
    allow(env ?? {}, 'admin', 'store')
    await collections.createTenant(stringOf(objectOf(await bodyIn(req.raw)).name, 'name'))
    return json({})
  })
  app.get('/api/v2/tenants/:tenant', async ({ req }) => json(await collections.tenant(req.param('tenant'))))
  app.patch('/api/v2/tenants/:tenant', async ({ req, env }) => {
    allow(env ?? {}, 'admin', 'store')
    const resource = stringOf(objectOf(await bodyIn(req.raw)).resource_name, 'resource_name')
    await collections.nameTenant(req.param('tenant'), resource)
    return json({})
  })
  app.get('/api/v2/tenants/:tenant/databases', async ({ req }) =>
    json(page(await collections.registry.databases(req.param('tenant')), req.query())),
  )
  app.post('/api/v2/tenants/:tenant/databases', async ({ req, env }) => {
    allow(env ?? {}, 'admin', 'store')
    const name = stringOf(objectOf(await bodyIn(req.raw)).name, 'name')
    await collections.createDatabase(req.param('tenant'), name)
    return json({})
  })
  // Chroma counts bytes, and says so before it looks whether there is such a database.
  const longEnough = (name: string | undefined): string => {
    if (name === undefined || Buffer.byteLength(name) < 3)
      throw invalid('database name must be at least 3 characters')
    return name
  }
  app.get('/api/v2/tenants/:tenant/databases/:database', async ({ req }) =>
    json(await collections.database(req.param('tenant'), longEnough(req.param('database')))),
  )
  app.delete('/api/v2/tenants/:tenant/databases/:database', async ({ req, env }) => {
    allow(env ?? {}, 'admin', 'store')
    await collections.deleteDatabase(req.param('tenant'), req.param('database'))
    return json({})
  })

  // ── collections ───────────────────────────────────────────────────────────────────────────────────────────

  const BASE = '/api/v2/tenants/:tenant/databases/:database/collections'
  const placeOf = (req: { param(): Record<string, string> }): Place => {
    const { tenant, database } = req.param()
    return { tenant: tenant!, database: database! }
  }
  app.use(`${BASE}/*`, async ({ req }, next) => {
    longEnough(req.param('database'))
    await next()
  })
  const seen = async (place: Place, context: Partial<RequestContext>) => {
    const principal = context.principal ?? ANYONE
    return (await collections.list(place)).filter((info) =>
      reaches(principal, storedName(info.tenant, info.database, info.name)),
    )
  }

  app.get(BASE, async ({ req, env }) => {
    const infos = page(await seen(placeOf(req), env ?? {}), req.query())
    return answer(200, `[${infos.map(infoText).join(',')}]`)
  })
  app.get('/api/v2/tenants/:tenant/databases/:database/collections_count', async ({ req, env }) => {
    longEnough(req.param('database'))
    return json((await seen(placeOf(req), env ?? {})).length)
  })
  app.post(BASE, async ({ req, env }) => {
    const place = placeOf(req)
    const { name: given, get_or_create, ...rest } = objectOf(await bodyIn(req.raw))
    const name = stringOf(given, 'name')
    if (get_or_create !== undefined && typeof get_or_create !== 'boolean')
      throw misshapen('get_or_create: invalid type, expected a boolean')
    allow(env ?? {}, 'write', { collection: storedName(place.tenant, place.database, name) })
    const { configuration, schema, metadata } = rest
    const entry = await collections.create(place, {
      name,
      getOrCreate: get_or_create === true,
      configuration,
      schema,
      metadata,
    })
    return answer(200, infoText(await collections.info(entry)))
  })
  app.get(`${BASE}/by-id/:id`, async ({ req, env }) => {
    const { id } = req.param()
    if (!/^[0-9a-f-]{32,36}$/i.test(id))
      throw invalid('Validation error: collection_id: Invalid collection ID format, expected UUID')
    const entry = await collections.byId(id)
    allow(env ?? {}, 'read', { collection: entry.stored })
    return answer(200, infoText(await collections.info(entry)))
  })
  app.get('/api/v2/collections/:crn', async ({ req, env }) => {
    const [resource, database, name, ...more] = req.param('crn').split(':')
    if (name === undefined || more.length > 0)
      throw invalid('Validation error: crn: expected tenant_resource_name:database_name:collection_name')
    const tenant = (await collections.registry.tenantOf(resource!)) ?? resource!
    const entry = await collections.byName({ tenant, database: database! }, name)
    allow(env ?? {}, 'read', { collection: entry.stored })
    return answer(200, infoText(await collections.info(entry)))
  })
  app.get(`${BASE}/:name`, async ({ req, env }) => {
    const entry = await collections.byName(placeOf(req), req.param('name'))
    allow(env ?? {}, 'read', { collection: entry.stored })
    return answer(200, infoText(await collections.info(entry)))
  })
  app.put(`${BASE}/:id`, async ({ req, env }) => {
    const entry = await collections.byId(req.param('id'))
    allow(env ?? {}, 'write', { collection: entry.stored })
    await collections.update(entry.id, await bodyIn(req.raw))
    return json({})
  })
  app.delete(`${BASE}/:name`, async ({ req, env }) => {
    const place = placeOf(req)
    const name = req.param('name')
    allow(env ?? {}, 'admin', { collection: (await collections.byName(place, name)).stored })
    await collections.delete(place, name)
    return json({})
  })

  // ── records ───────────────────────────────────────────────────────────────────────────────────────────────

  interface Asked {
    readonly entry: Entry
    readonly collection: Collection
    readonly strict: boolean
    readonly body: () => Promise<Parsed>
    readonly context: Partial<RequestContext>
  }

  const known = new Map<
    string,
    (request: PlainRequest, context: Partial<RequestContext>, id: string) => Promise<PlainAnswer>
  >()
  const onCollection = (
    method: 'get' | 'post',
    path: string,
    access: Access,
    handle: (asked: Asked) => PlainAnswer | Promise<PlainAnswer>,
  ) => {
    const route = `${BASE}/:collection${path}`.replaceAll(/:(\w+)/g, '{$1}')
    const asked = async (request: PlainRequest, context: Partial<RequestContext>, id: string) => {
      context.route = route
      const entry = await collections.byId(id)
      allow(context, access, { collection: entry.stored })
      const collection = await collections.open(entry)
      const header = request.header('spanstore-strict')
      const strict = header === undefined ? isStrict(entry) : header !== 'false' && header !== '0'
      return await handle({ entry, collection, strict, body: () => bodyOf(request), context })
    }
    known.set(`${method.toUpperCase()} ${path}`, asked)
    app.on(method, `${BASE}/:id${path}`, async ({ req, env }) =>
      responseOf(await asked(plainOf(req.raw), env ?? {}, req.param('id')!)),
    )
  }

  for (const [verb, status] of [
    ['add', 201],
    ['upsert', 200],
    ['update', 200],
  ] as const satisfies readonly (readonly [WriteVerb, number])[])
    onCollection('post', `/${verb}`, 'write', async ({ entry, collection, strict, body }) => {
      const columns = columnsOf(objectOf(await body()), verb)
      const { missing, fields } = await writeColumns(collection, verb, columns, strict)
      if (fields.length > 0) await collections.noteFields(entry.id, fields)
      return told('{}', missing, {}, status)
    })
  onCollection('post', '/get', 'read', async ({ collection, strict, body, context }) => {
    const request = getRequestOf(await body())
    const { records, missing } = await getRecords(collection, request, false)
    fetched(context, records, missing)
    if (strict) refuseMissing(missing)
    return told(getText(records, request.include), missing)
  })
  onCollection('post', '/query', 'read', async ({ collection, body }) => {
    const request = queryRequestOf(await body())
    return reply(200, queryText(await queryRecords(collection, request), request.include))
  })
  onCollection('post', '/delete', 'write', async ({ collection, strict, body }) => {
    const { deleted, removed, missing } = await deleteRecords(collection, await body(), strict)
    return told(`{"deleted":${deleted}}`, missing, removed === deleted ? {} : { deleted: removed })
  })
  onCollection('get', '/count', 'read', async ({ collection }) =>
    reply(200, String(await collection.records().count())),
  )
  onCollection('post', '/search', 'read', async ({ collection, body }) => {
    const answers = []
    for (const request of searchRequestsOf(await body()))
      answers.push(await searchRecords(collection, request))
    return reply(200, searchText(answers))
  })
  onCollection('post', '/conditional/get', 'read', async ({ collection, body, context }) => {
    const asked = await body()
    const { records, missing, token } = await conditionalGet(collection, asked)
    fetched(context, records, missing)
    const text = getText(records, getRequestOf(asked).include)
    return told(`${text.slice(0, -1)},"read_token":${token}}`, missing)
  })
  onCollection('post', '/conditional/commit', 'write', async ({ collection, body }) =>
    reply(200, JSON.stringify(await conditionalCommit(collection, await body()))),
  )
  app.post(`${BASE}/:id/fork`, async ({ req, env }) => {
    const entry = await collections.byId(req.param('id'))
    const name = stringOf(objectOf(await bodyIn(req.raw)).new_name, 'new_name')
    allow(env ?? {}, 'read', { collection: entry.stored })
    allow(env ?? {}, 'write', { collection: storedName(entry.tenant, entry.database, name) })
    const forked = await forkCollection(collections, entry, name)
    return answer(200, infoText(await collections.info(forked)))
  })
  onCollection('get', '/fork_count', 'read', async ({ entry }) => {
    const related = (await collections.registry.all()).filter(
      ({ root, unfinished }) => root === entry.root && !unfinished,
    )
    return reply(200, JSON.stringify({ count: Math.max(0, related.length - 1) }))
  })

  // What one machine's Chroma says of them: there is no log to scout, and no functions.
  onCollection('get', '/indexing_status', 'read', () => {
    throw new ChromaFailure(500, 'InternalError', 'Method scout_logs is not implemented')
  })
  const functions = () => {
    throw unimplemented('Attached functions are not part of this server')
  }
  onCollection('post', '/functions/attach', 'write', functions)
  onCollection('get', '/functions/:function', 'read', functions)
  onCollection('post', '/attached_functions/:function/detach', 'write', functions)

  // A path that is known, asked in a way that is not.
  for (const path of new Set(app.routes.map((route) => route.path)))
    if (!path.includes('*')) app.all(path, () => new Response('', { status: 405 }))

  const atOnce: Routes['atOnce'] = (method, target) => {
    const [, id, path] = ON_COLLECTION.exec(target) ?? []
    const asked = known.get(`${method} ${path}`)
    // Dots as a part of the path have to be resolved first.
    if (asked === undefined || target.includes('/.')) return undefined
    return async (request, context) => {
      try {
        return await asked(request, context, id!)
      } catch (error) {
        return refused(error)
      }
    }
  }
  return { app, atOnce }
}

/** `"spanstore:strict": true` in a collection's metadata. */
const isStrict = ({ metadata }: Entry): boolean =>
  metadata?.includes('"spanstore:strict"') === true &&
  (JSON.parse(metadata) as Record<string, unknown>)['spanstore:strict'] === true

/** A part of a list, as `limit` and `offset` in the address say. */
function page<T>(list: readonly T[], query: Record<string, string>): readonly T[] {
  const count = (name: string): number | undefined => {
    const text = query[name]
    if (text === undefined) return undefined
    if (!/^\d{1,10}$/.test(text))
      throw invalid(`Failed to deserialize query string: ${name}: invalid digit found in string`)
    return countOf(Number(text), name)
  }
  const offset = count('offset') ?? 0
  const limit = count('limit')
  return list.slice(offset, limit === undefined ? undefined : offset + limit)
}
