import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { z } from 'zod'
import { encodeSegment } from '../../src/core/path-segment.ts'
import type { Store } from '../../src/index.ts'
import type { Server } from '../../src/server/index.ts'
import { parametersOf, type Route } from '../../src/server/route.ts'
import { axes } from './axes.ts'
import { closeServed, serve } from './served.ts'

/*
 * Hostile input for every route: what is answered is never a failure of the server, it is answered at all, what was
 * refused changed nothing, what only reads changes nothing whatever it answers, and no file appears outside the store.
 */

let home: string
let store: Store
let server: Server
let keys: readonly string[] = ['01ARZ3NDEKTSV4RRFFQ69G5FAV']

/** A store on disk, served, in a directory that holds nothing else. */
export async function openTarget(): Promise<void> {
  home = mkdtempSync(join(tmpdir(), 'spanstore-fuzz-'))
  const served = await serve({ directory: join(home, 'store'), limits: { body: 2 ** 20, time: 10_000 } })
  store = served.store
  server = served.server
}

/** What must hold after everything: the store is whole, and no file is beside it. */
export async function closeTarget(): Promise<void> {
  try {
    expect(await store.verify()).toEqual([])
    expect(readdirSync(home)).toEqual(['store'])
  } finally {
    await closeServed()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Something of everything, anew, whatever the routes before have made of it. */
async function populate(): Promise<void> {
  await store.dropCollection('notes').catch(() => {})
  const notes = await store.collection('notes', { metric: 'l2', recreate: true })
  const { added } = await notes.put({ source: 'doc', spans: axes(3), readmit: true })
  await notes.put({ source: 'empty', text: null })
  const retired = await notes.put({ source: 'gone', text: 'once', readmit: true })
  await notes.remove({ source: 'gone' })
  await store
    .consumers()
    .delete('c')
    .catch(() => {})
  await store.consumers().open('c', { start: 'start' })
  const live = (await notes.find({ sources: ['doc'] })).map(({ key }) => key)
  const { key } = await notes.session('s').register({ text: `Axes [[${live[0]}]].`, covers: [live[0]!] })
  keys = [...live, ...added, ...retired.added, key]
}

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

const HOSTILE = [
  '',
  ' ',
  '.',
  '..',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '/etc/passwd',
  'file:///etc/passwd',
  "'; DROP TABLE span; --",
  '" OR ""="',
  '%00',
  '\u0000',
  '\ud800',
  '\uffff',
  '%2e%2e%2f',
  '$ne',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '[[01ARZ3NDEKTSV4RRFFQ69G5FAV]]',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '*',
  '"*+-(){}^~',
  '\r\nSet-Cookie: a=b',
  'c1.01ARZ3NDEKTSV4RRFFQ69G5FAV0',
  'a'.repeat(5000),
  '🙂'.repeat(600),
]

const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
)

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, 1e21, [], {}, [[]], [null], ['']),
  fc.array(hostileText, { maxLength: 4 }),
  fc.constantFrom(
    { $where: 'sleep(1)' },
    { $and: [] },
    { a: { $in: {} } },
    { 'a.b.0.c': { $regex: '(a+)+$' } },
    { $not: { $not: { $not: {} } } },
    JSON.parse('{"__proto__": {"polluted": true}}'),
    '@deep array',
    '@deep object',
    [{ text: 'x', vector: [1, 2, 3, 4] }],
    [{ text: '\ud800' }],
    [{ source: '..', text: 'x' }],
    Array(20_000).fill('x'),
  ),
  fc.dictionary(hostileText, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
  fc.jsonValue({ maxDepth: 4 }),
)

export interface Schema {
  readonly type?: string
  readonly $ref?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly minItems?: number
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly $defs?: Readonly<Record<string, Schema>>
}

const schemaOf = (schema: z.ZodType | undefined): Schema =>
  schema === undefined ? {} : (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema)

/** Values that fit a schema, whose strings are as hostile as strings can be. */
function fitting(schema: Schema, defs: Schema['$defs'] = schema.$defs, name = ''): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return fitting(defs![schema.$ref.split('/').at(-1)!]!, defs, name)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return fc.oneof(...either.map((one) => fitting(one, defs, name)))
  switch (schema.type) {
    case 'string':
      return name === 'keys' || name === 'key' || name === 'covers'
        ? fc.oneof(fc.constantFrom(...keys), hostileText)
        : fc.oneof(fc.constantFrom('doc', 'axis one', 'A claim stands here.'), hostileText)
    case 'integer':
      return fc.nat(4).map((n) => n + (schema.minimum ?? 0))
    case 'number':
      return fc.constantFrom(0, 0.5, 1)
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(fitting(schema.items ?? {}, defs, name), {
        minLength: schema.minItems ?? 0,
        maxLength: 3,
      })
    case 'object':
      if (schema.properties === undefined)
        return fc.oneof(
          fc.constantFrom({}, { a: 1 }, { a: { $gte: 1 } }, { $or: [{ a: 1 }, { b: { $exists: true } }] }),
          fc.dictionary(hostileText, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 }),
        )
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties).map(([member, one]) => [member, fitting(one, defs, member)]),
        ),
        { requiredKeys: [...(schema.required ?? [])] },
      )
    default:
      return hostileValue
  }
}

/** Bodies that fit, bodies that fit but for one member, and what is no body at all. */
function bodyOf(schema: Schema): fc.Arbitrary<string | undefined> {
  const fit = fitting(schema)
  const members = Object.keys(schema.properties ?? { any: {} })
  const spoilt = fc
    .tuple(fit, fc.constantFrom(...members), hostileValue)
    .map(([body, member, value]) => ({ ...(body as object), [member]: value }))
  // Too deep to be printed by recursion.
  const printed = (value: unknown) =>
    (JSON.stringify(value) ?? 'null')
      .replaceAll('"@deep array"', nested(5000, '[', ']'))
      .replaceAll('"@deep object"', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`)
  return fc.oneof(
    { weight: 6, arbitrary: fit.map(printed) },
    { weight: 4, arbitrary: spoilt.map(printed) },
    { weight: 1, arbitrary: hostileValue.map(printed) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        '',
        '{',
        'NaN',
        '{"a":1,}',
        '\ufeff{}',
        nested(100_000, '[', ']'),
        nested(100_000, '{"a":[', ']}'),
        '{"text":"\\ud800"}',
        `{"keys":["${'x'.repeat(2 ** 21)}"]}`,
      ),
    },
  )
}

const hostileHeaders = fc.record(
  {
    'if-match': fc.constantFrom('"1"', '*', 'W/"1"', '"99999999999999999999"', 'x'),
    'if-none-match': fc.constantFrom('*', '"1"', ''),
    'idempotency-key': fc.constantFrom('a', '', '""', 'x'.repeat(3000), '"', '%00'),
    'content-type': fc.constantFrom(
      'text/plain',
      'application/json; charset=utf-16',
      'application/problem+json',
      '',
    ),
    'last-event-id': fc.constantFrom('', 'c1', 'c2.x', 'x'.repeat(5000)),
    authorization: fc.constantFrom('Bearer x', 'Bearer', 'Basic Og==', ''),
  },
  { requiredKeys: [] },
)

const segment = (name: string) =>
  fc.oneof(
    { weight: 6, arbitrary: usualSegment(name) },
    { weight: 1, arbitrary: hostileText.map((text) => encodeSegment(text.toWellFormed())) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%ff', '%', '%E0%A4%A', '%2e%2e', '%2F%2F', ';', '?', '#', '%25', '~..'),
    },
  )

/** What parameters of paths are called in the store that is attacked. */
const usual = new Map<string, string>()

const usualSegment = (name: string) =>
  usual.has(name)
    ? fc.constant(usual.get(name)!)
    : name === 'collection'
      ? fc.constant('notes')
      : name === 'source'
        ? fc.constantFrom('doc', 'gone', 'never', 'empty')
        : name === 'key'
          ? fc.nat(20).map((i) => keys[i % keys.length]!)
          : fc.constant(name === 'consumer' ? 'c' : 's')

/** A lease that was taken before lapses when it is time, and its end stores what a filter passed over: not of a consumer's state. */
async function state(): Promise<string> {
  const consumers = await store.consumers().list()
  const kept = consumers.map(({ leasedUntil: _, cursor: __, ...rest }) => rest)
  return JSON.stringify([await store.collections(), kept])
}

/** Mostly what a route takes, as text. */
const queryOf = ({ properties = {} }: Schema): fc.Arbitrary<Record<string, string>> => {
  const values = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('1', '2', '0') },
    { weight: 1, arbitrary: fc.oneof(hostileText, fc.constantFrom('99999999999999999999', '1e3', '-1')) },
  )
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record(Object.fromEntries(Object.keys(properties).map((name) => [name, values])), {
        requiredKeys: [],
      }) as fc.Arbitrary<Record<string, string>>,
    },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.oneof(fc.constant('unknown'), hostileText), values, { maxKeys: 3 }),
    },
  )
}

/** A path that is attacked. */
export interface Target {
  readonly method: string
  /** Parameters in braces. */
  readonly path: string
  readonly query?: Schema
  readonly body?: Schema
  readonly stream?: boolean
  /** Whatever it answers, nothing changes. */
  readonly reads: boolean
  /** Answers of 500 and more that the protocol asks for. */
  readonly owed?: RegExp
}

/** Sends hostile requests to a route; answers the statuses it saw. */
export async function attack(route: Route, runs: number): Promise<ReadonlySet<number>> {
  await populate()
  const { method, path, stream } = route
  const reads = method === 'GET' || (route.access === 'read' && route.id !== 'openCollection')
  const [query, body] = [schemaOf(route.query), schemaOf(route.body)]
  return await attackTarget({ method, path, query, body, stream, reads }, runs)
}

/** The same for a path of Chroma's, in a collection with three records. */
export async function attackChroma(target: Target, runs: number): Promise<ReadonlySet<number>> {
  const post = async (path: string, body: unknown) => {
    const response = await server.fetch(
      new Request(`http://localhost/api/v2${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    const text = await response.text()
    expect(response.ok, text).toBe(true)
    return JSON.parse(text)
  }
  await post('/reset', {})
  const collections = '/tenants/default_tenant/databases/default_database/collections'
  const { id } = await post(collections, { name: 'records' })
  await post(`${collections}/${id}/add`, {
    ids: ['a', 'b', 'c'],
    embeddings: axes(3).map(({ vector }) => vector),
    documents: axes(3).map(({ text }) => text),
    metadatas: [{ a: 1 }, { b: 'x' }, null],
  })
  for (const [name, value] of Object.entries({
    tenant: 'default_tenant',
    database: 'default_database',
    id: String(id),
    name: 'records',
  }))
    usual.set(name, value)
  return await attackTarget(target, runs)
}

async function attackTarget(target: Target, runs: number): Promise<ReadonlySet<number>> {
  const { method, path: template, query = {}, body = {}, stream = false, reads, owed } = target
  const answers = new Set<number>()
  const request = fc.record({
    path: fc
      .tuple(...parametersOf(template).map(segment))
      .map((segments) => segments.reduce((path, one) => path.replace(/\{\w+\}/, () => one), template)),
    query: queryOf(query),
    body: method === 'GET' ? fc.constant(undefined) : bodyOf(body),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: hostileHeaders }),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ path, query, body, headers }) => {
      const before = await state()
      const search = new URLSearchParams(
        Object.entries(query).map(([k, v]): [string, string] => [k.toWellFormed(), v.toWellFormed()]),
      )
      const response = await server.fetch(
        new Request(`http://localhost${path}${search.size > 0 ? `?${search}` : ''}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body }),
        }),
      )
      // A stream is open by now, and goes on until it is let go.
      if (stream && response.ok) await response.body?.cancel()
      const text = response.bodyUsed ? '' : await response.text()
      answers.add(response.status)
      // 502 would be an embedder's failure, and there is none.
      if (owed?.test(text) !== true) expect(response.status, text).toBeLessThan(500)
      expect(response.status).not.toBe(408)
      if (response.headers.get('content-type') === 'application/problem+json')
        expect(JSON.parse(text).status).toBe(response.status)
      expect(response.headers.get('set-cookie')).toBeNull()
      if (reads || !response.ok) expect(await state()).toBe(before)
    }),
    { numRuns: runs },
  )
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  return answers
}
