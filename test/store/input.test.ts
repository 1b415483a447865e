import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Chunker, foreign, whole } from '../../src/chunking/index.ts'
import {
  type Collection,
  isSpanStoreError,
  type Key,
  openStore,
  type Session,
  type Store,
} from '../../src/index.ts'
import { dump, temporary } from './helpers.ts'

/*
 * Whatever is handed in, a refused call says which value was refused and leaves every row of every table as it was.
 */

const ABSENT = '01ARZ3NDEKTSV4RRFFQ69G5FAV' as Key
const LONE = 'half a \ud83e pair'

let store: Store
let notes: Collection
let other: Collection
let session: Session
let db: Database.Database
let live: Key
let dead: Key
let foreignKey: Key
let blank: Key
let summary: Key

beforeEach(async () => {
  const directory = temporary()
  store = await openStore(directory)
  notes = await store.collection('notes')
  other = await store.collection('other', { metric: 'l2' })
  const { added } = await notes.put({
    source: 's',
    spans: [{ text: 'One.' }, { text: 'Two.' }, { text: ' ' }],
    metadata: { year: 2000 },
  })
  live = added[0]!
  dead = added[1]!
  blank = added[2]!
  await notes.retire([dead], { reason: 'evicted' })
  await notes.put({ source: 'v', spans: [{ text: 'With a vector.', vector: [1, 2, 3] }] })
  foreignKey = (await other.put({ source: 's', text: 'Elsewhere.' })).added[0]!
  session = notes.session('a')
  summary = (await session.register({ text: 'Sum.', dependsOn: [live] })).key
  db = new Database(join(directory, 'ledger.db'), { readonly: true })
})
afterEach(async () => {
  db.close()
  await store.close()
})

/** The call is refused with a code, and writes nothing. Answers the error. */
async function refused(call: () => unknown, code?: string | RegExp, naming?: string | RegExp): Promise<void> {
  const before = dump(db)
  let error: unknown
  try {
    await call()
  } catch (thrown) {
    error = thrown
  }
  expect(error, 'the call should be refused').toBeDefined()
  if (!isSpanStoreError(error)) throw new Error(`not a SpanStoreError: ${error}`, { cause: error })
  if (code !== undefined) expect(error.code).toMatch(code)
  if (naming !== undefined) expect(error.message).toMatch(naming)
  expect(dump(db)).toEqual(before)
}

// Values of every wrong type, for parameters that are typed otherwise.
const any = (value: unknown) => value as never
const NOTHING = [
  undefined,
  null,
  0,
  1.5,
  Number.NaN,
  10n,
  true,
  'text',
  Symbol('s'),
  () => 0,
  [],
  {},
  new Date(0),
  new Map(),
]
const except = (...fine: unknown[]) =>
  NOTHING.filter(
    (value) => !fine.some((type) => (typeof type === 'function' ? type(value) : Object.is(type, value))),
  )
const isString = (value: unknown) => typeof value === 'string'
const isArray = Array.isArray
const isObject = (value: unknown) => typeof value === 'object' && value !== null

describe('a value of the wrong type is refused by every verb, and nothing is written', () => {
  const cases: [string, readonly unknown[], (value: unknown) => unknown][] = [
    ['put', except(), (v) => notes.put(any(v))],
    ['put.source', except(isString), (v) => notes.put({ source: any(v), text: 'x' })],
    ['put.text', except(isString, null), (v) => notes.put({ source: 'x', text: any(v) })],
    ['put.spans', except(isArray), (v) => notes.put({ source: 'x', spans: any(v) })],
    ['put.spans[0]', NOTHING, (v) => notes.put({ source: 'x', spans: [any(v)] })],
    [
      'put.spans[0].text',
      except(isString, null),
      (v) => notes.put({ source: 'x', spans: [{ text: any(v) }] }),
    ],
    [
      'put.metadata',
      except(undefined, (v: unknown) => isObject(v) && Object.getPrototypeOf(v) === Object.prototype),
      (v) => notes.put({ source: 'x', text: 'x', metadata: any(v) }),
    ],
    [
      'put.metadata.a',
      [
        Number.NaN,
        Number.POSITIVE_INFINITY,
        10n,
        Symbol('s'),
        () => 0,
        new Date(0),
        new Map(),
        new Uint8Array(2),
      ],
      (v) => notes.put({ source: 'x', text: 'x', metadata: { a: any(v) } }),
    ],
    [
      'put.vector',
      except(undefined),
      (v) => notes.put({ source: 'x', spans: [{ text: 'x' }], vector: any(v) }),
    ],
    [
      'put.vector[0]',
      [...except(0, 1.5), undefined, [1], Number.POSITIVE_INFINITY, 1e39],
      (v) => notes.put({ source: 'x', spans: [{ text: 'x', vector: [any(v), 1, 1] }] }),
    ],
    ['put.chunker', except(undefined), (v) => notes.put({ source: 'x', text: 'x', chunker: any(v) })],
    [
      'put.chunker.chunk(text)',
      NOTHING.filter((v) => !isArray(v)),
      (v) => notes.put({ source: 'x', text: 'x', chunker: { id: 'x', chunk: () => any(v) } }),
    ],
    [
      'put.chunker.chunk(text)[0]',
      NOTHING,
      (v) => notes.put({ source: 'x', text: 'x', chunker: { id: 'x', chunk: () => [any(v)] } }),
    ],
    [
      'put.expectedRevision',
      [...except(undefined, 0), -1, 2 ** 53],
      (v) => notes.put({ source: 'x', text: 'x', expectedRevision: any(v) }),
    ],
    [
      'put.expiresAt',
      [...except(undefined, null, 0), -1],
      (v) => notes.put({ source: 'x', text: 'x', expiresAt: any(v) }),
    ],
    ['put.defer', except(undefined, true), (v) => notes.put({ source: 'x', text: 'x', defer: any(v) })],
    ['put.readmit', except(undefined, true), (v) => notes.put({ source: 'x', text: 'x', readmit: any(v) })],
    [
      'put.commandId',
      except(undefined, isString),
      (v) => notes.put({ source: 'x', text: 'x', commandId: any(v) }),
    ],
    ['putMany', except(isArray), (v) => notes.putMany(any(v))],
    ['putMany[0]', NOTHING, (v) => notes.putMany([any(v)])],
    ['putMany options', except(undefined, isObject), (v) => notes.putMany([], any(v))],
    ['append', NOTHING, (v) => notes.append(any(v))],
    ['append.source', except(isString), (v) => notes.append({ source: any(v), spans: [] })],
    ['append.spans', except(isArray), (v) => notes.append({ source: 'x', spans: any(v) })],
    ['append.spans[0]', NOTHING, (v) => notes.append({ source: 'x', spans: [any(v)] })],
    ['append.defer', except(undefined, true), (v) => notes.append({ source: 'x', spans: [], defer: any(v) })],
    ['remove', NOTHING, (v) => notes.remove(any(v))],
    ['remove.source', except(isString), (v) => notes.remove({ source: any(v) })],
    ['retire', except(isArray), (v) => notes.retire(any(v))],
    ['retire[0]', except(isString), (v) => notes.retire([any(v)])],
    ['retire.where', NOTHING.filter((v) => !isObject(v)), (v) => notes.retire({ where: any(v) })],
    ['retire options', except(undefined, isObject), (v) => notes.retire([], any(v))],
    ['retire reason', except(undefined), (v) => notes.retire([], { reason: any(v) })],
    ['update', NOTHING, (v) => notes.update(any(v))],
    ['update.keys', except(isArray), (v) => notes.update({ keys: any(v) })],
    ['update.keys[0]', NOTHING, (v) => notes.update({ keys: [any(v)] })],
    ['update.unset', except(undefined, null, isArray), (v) => notes.update({ keys: [live], unset: any(v) })],
    ['update.unset[0]', except(isString), (v) => notes.update({ keys: [live], unset: [any(v)] })],
    ['update.replace', except(undefined, true), (v) => notes.update({ keys: [live], replace: any(v) })],
    ['erase', NOTHING, (v) => notes.erase(any(v))],
    ['erase.keys', except(isArray), (v) => notes.erase({ keys: any(v) })],
    ['erase.keys[0]', except(isString), (v) => notes.erase({ keys: [any(v)] })],
    ['erase.source', except(isString), (v) => notes.erase({ source: any(v) })],
    ['erase options', except(undefined, isObject), (v) => notes.erase({ keys: [] }, any(v))],
    ['erase cascade', except(undefined, true), (v) => notes.erase({ keys: [] }, { cascade: any(v) })],
    ['fetch', except(isString), (v) => notes.fetch(any(v))],
    ['fetch asOf', [...except(undefined, 0), -1, 9e9], (v) => notes.fetch(live, { asOf: any(v) })],
    ['store.fetch', except(isString), (v) => store.fetch(any(v))],
    ['store.fetchMany', except(isArray), (v) => store.fetchMany(any(v))],
    ['store.fetchMany[0]', except(isString), (v) => store.fetchMany([any(v)])],
    ['fetchMany', except(isArray), (v) => notes.fetchMany(any(v))],
    ['fetchMany[0]', except(isString), (v) => notes.fetchMany([any(v)])],
    ['find', except(undefined, (v: unknown) => isObject(v)), (v) => notes.find(any(v))],
    [
      'find.where',
      NOTHING.filter((v) => v !== undefined && !isObject(v)),
      (v) => notes.find({ where: any(v) }),
    ],
    ['find.limit', [...except(undefined, null, 0), -1, 10_001], (v) => notes.find({ limit: any(v) })],
    ['find.offset', [...except(undefined, null, 0), -1], (v) => notes.find({ offset: any(v) })],
    ['find.sources', except(undefined, isArray), (v) => notes.find({ sources: any(v) })],
    ['count', except(undefined, isObject), (v) => notes.count(any(v))],
    ['source', except(isString), (v) => notes.source(any(v))],
    ['source asOf', [...except(undefined, 0), -1, 9e9], (v) => notes.source('s', { asOf: any(v) })],
    ['read', except(isString), (v) => notes.read(any(v))],
    ['read.revision', [...except(undefined), 0, -1, 99], (v) => notes.read('s', { revision: any(v) })],
    ['history', except(isString), (v) => notes.history(any(v))],
    ['diff', [...NOTHING, 0, -1, 99], (v) => notes.diff('s', 1, any(v))],
    ['lineage', NOTHING, (v) => notes.lineage(any(v))],
    ['dependents', NOTHING, (v) => notes.dependents(any(v))],
    ['session', except(isString), (v) => notes.session(any(v))],
    ['register', NOTHING, (v) => session.register(any(v))],
    ['register.text', except(isString), (v) => session.register({ text: any(v), dependsOn: [live] })],
    ['register.claims', except(undefined, isArray), (v) => session.register({ text: 'x', claims: any(v) })],
    ['register.claims[0]', except(isString), (v) => session.register({ text: 'x', claims: [any(v)] })],
    [
      'register.dependsOn',
      except(undefined, isArray),
      (v) => session.register({ text: 'x', dependsOn: any(v) }),
    ],
    ['register.dependsOn[0]', NOTHING, (v) => session.register({ text: 'x', dependsOn: [any(v)] })],
    ['register.covers[0]', NOTHING, (v) => session.register({ text: 'x', covers: [any(v)] })],
    [
      'register.replaces',
      except(undefined, isArray),
      (v) => session.register({ text: 'x', replaces: any(v) }),
    ],
    ['register.replaces[0]', NOTHING, (v) => session.register({ text: 'x', replaces: [any(v)] })],
    [
      'register.basedOn',
      [...except(undefined, 0), -1],
      (v) => session.register({ text: 'x', basedOn: any(v) }),
    ],
    ['register options', except(undefined, isObject), (v) => session.register({ text: 'x' }, any(v))],
    ['authoritative', NOTHING, (v) => session.authoritative(any(v))],
    ['context', NOTHING, (v) => session.context(any(v))],
    ['context.maxTokens', [...NOTHING, 0, -1], (v) => session.context({ maxTokens: any(v) })],
    [
      'context.countTokens',
      NOTHING.filter((v) => v != null && typeof v !== 'function'),
      (v) => session.context({ maxTokens: 9, countTokens: any(v) }),
    ],
    ['collection', except(isString), (v) => store.collection(any(v))],
    ['collection options', except(undefined, isObject), (v) => store.collection('x', any(v))],
    ['collection metric', except(undefined), (v) => store.collection('x', { metric: any(v) })],
    ['renameCollection', except(isString), (v) => store.renameCollection(any(v), 'x')],
    ['renameCollection to', except(isString), (v) => store.renameCollection('notes', any(v))],
    ['dropCollection', except(isString), (v) => store.dropCollection(any(v))],
    ['openStore', except(isString), (v) => openStore(any(v))],
  ]
  it.each(cases)('%s', async (_, values, call) => {
    for (const value of values) await refused(() => call(value))
  })
})

describe('text that could not be given back as it came', () => {
  it('half a surrogate pair is refused wherever text or a name is taken, with its place', async () => {
    await refused(() => notes.put({ source: 'x', text: LONE }), 'ILL_FORMED_TEXT', 'put.text')
    await refused(() => notes.put({ source: LONE, text: 'x' }), 'ILL_FORMED_TEXT', 'put.source')
    await refused(
      () => notes.put({ source: 'x', spans: [{ text: LONE }] }),
      'ILL_FORMED_TEXT',
      /spans\[0\]\.text/,
    )
    await refused(() => notes.putMany([{ source: 'x', text: LONE }]), 'ILL_FORMED_TEXT', /putMany\[0\]/)
    await refused(() => notes.append({ source: 'x', spans: [{ text: LONE }] }), 'ILL_FORMED_TEXT')
    await refused(() => notes.put({ source: 'x', text: 'x', commandId: LONE }), 'ILL_FORMED_TEXT')
    await refused(() => session.register({ text: LONE, dependsOn: [live] }), 'ILL_FORMED_TEXT')
    await refused(() => session.register({ text: 'x', claims: [LONE] }), 'ILL_FORMED_TEXT')
    await refused(() => store.collection(LONE), 'ILL_FORMED_TEXT')
    expect(() => notes.session(LONE)).toThrow(expect.objectContaining({ code: 'ILL_FORMED_TEXT' }))
  })

  it('a chunker that cuts a character in two is refused, with the chunk it did it in', async () => {
    const text = 'ab🦀cd🦀ef'
    const every3: Chunker = {
      id: 'every-3',
      chunk: (t) => [0, 3, 6].map((start) => ({ start, end: start + 3, text: t.slice(start, start + 3) })),
    }
    await refused(() => notes.put({ source: 'x', text, chunker: every3 }), 'INVALID_CHUNKS', /[Cc]hunk 0/)
    const splitter = foreign('every-3', (t) => [t.slice(0, 3), t.slice(3)])
    await refused(() => notes.put({ source: 'x', text, chunker: splitter }), 'INVALID_CHUNKS')
  })

  it('NUL, controls, and a megabyte are text like any other', async () => {
    const texts = ['\u0000', 'a\u0000b', '\u0001\u001f\u007f', 'x'.repeat(1_000_000), '🦀'.repeat(1000)]
    for (const text of texts) {
      const { added } = await notes.put({ source: 'x', text, chunker: whole() })
      expect(await notes.fetch(added[0]!)).toMatchObject({ status: 'ok', span: { text } })
      expect((await notes.read('x')).text).toBe(text)
    }
    const { added } = await notes.put({
      source: 'a\u0000b',
      text: 'x',
      metadata: { 'a\u0000': 'b\u0000', c: '\ud800' },
    })
    expect(await notes.source('a')).toMatchObject({ status: 'absent' })
    expect(await notes.source('a\u0000b')).toMatchObject({ status: 'ok' })
    expect(await notes.fetch(added[0]!)).toMatchObject({
      span: { metadata: { 'a\u0000': 'b\u0000', c: '\ud800' } },
    })
    expect(await notes.find({ sources: ['a\u0000b'] })).toHaveLength(1)
  })

  it('names are 1 to 1024 characters', async () => {
    for (const name of ['', 'x'.repeat(1025)]) {
      await refused(() => notes.put({ source: name, text: 'x' }), 'INVALID_ARGUMENT', 'put.source')
      await refused(() => store.collection(name), 'INVALID_ARGUMENT')
      await refused(() => notes.put({ source: 'x', text: 'x', commandId: name }), 'INVALID_ARGUMENT')
    }
    await notes.put({ source: 'x'.repeat(1024), text: 'x' })
  })
})

describe('fields nobody knows', () => {
  it('are refused by name, so that a misspelt option is never silently left out', async () => {
    const extra = { expectedRevison: 3 }
    const naming = /expectedRevison/
    await refused(() => notes.put({ source: 's', text: 'x', ...extra }), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.putMany([{ source: 's', text: 'x', ...extra }]), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.putMany([], any(extra)), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.append({ source: 's', spans: [], ...extra }), 'INVALID_ARGUMENT', naming)
    await refused(
      () => notes.put({ source: 's', spans: [{ text: 'x', ...extra }] }),
      'INVALID_ARGUMENT',
      naming,
    )
    await refused(() => notes.remove({ source: 's', ...extra }), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.retire([live], any(extra)), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.update({ keys: [live], ...extra }), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.erase({ keys: [live], ...extra }), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.find(any(extra)), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.fetch(live, any(extra)), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.read('s', any(extra)), 'INVALID_ARGUMENT', naming)
    await refused(() => notes.count(any(extra)), 'INVALID_ARGUMENT', naming)
    await refused(() => session.register({ text: 'x', ...extra }), 'INVALID_ARGUMENT', naming)
    await refused(
      () => session.register({ text: 'x', dependsOn: [live] }, any(extra)),
      'INVALID_ARGUMENT',
      naming,
    )
    await refused(() => store.collection('x', any(extra)), 'INVALID_ARGUMENT', naming)
  })

  it('text and spans together, or neither, are refused', async () => {
    await refused(() => notes.put({ source: 'x' }), 'INVALID_ARGUMENT')
    await refused(() => notes.put({ source: 'x', text: 'x', spans: [] }), 'INVALID_ARGUMENT')
    await refused(() => notes.erase(any({ keys: [live], source: 's' })), 'INVALID_ARGUMENT')
  })
})

describe('vectors', () => {
  it('of another length than the first, or not finite in 32 bits, are refused', async () => {
    const put = (vector: readonly number[] | Float32Array) =>
      notes.put({ source: 'x', spans: [{ text: 'x', vector }] })
    await refused(() => put([1, 2]), 'INVALID_VECTOR')
    await refused(() => put([1, 2, 3, 4]), 'INVALID_VECTOR')
    await refused(() => put([]), 'INVALID_VECTOR')
    await refused(() => put([Number.NaN, 1, 1]), 'INVALID_VECTOR')
    await refused(() => put([1, 1, -Number.MAX_VALUE]), 'INVALID_VECTOR')
    await refused(() => put(new Float32Array([1, Number.NaN, 1])), 'INVALID_VECTOR')
    await refused(() => notes.append({ source: 'v', spans: [{ text: 'x', vector: [1] }] }), 'INVALID_VECTOR')
    await refused(
      () =>
        notes.putMany([
          { source: 'x', text: 'fine' },
          { source: 'y', spans: [{ text: 'y', vector: [1] }] },
        ]),
      'INVALID_VECTOR',
    )
    await refused(
      () => notes.put({ source: 'x', spans: [], vector: [1, 2, 3] }),
      'INVALID_ARGUMENT',
      'vector',
    )
    await refused(() => notes.put({ source: 'x', text: 'A.\n\nB.', vector: [1, 2, 3], chunker: twoChunks }))
    await put(new Float32Array([1, 2, 3]))
  })
})
const twoChunks: Chunker = {
  id: 'halves',
  chunk: (text) => [
    { start: 0, end: 2, text: text.slice(0, 2) },
    { start: 2, end: text.length, text: text.slice(2) },
  ],
}

describe('metadata', () => {
  it('keys that mean something to JavaScript are keys like any other', async () => {
    const metadata = JSON.parse(
      '{"__proto__": {"polluted": 1}, "constructor": 2, "toString": "x", "hasOwnProperty": []}',
    )
    const { added } = await notes.put({
      source: 'x',
      spans: [{ text: 'x', metadata }],
      metadata: { year: 1 },
    })
    const found = await notes.fetch(added[0]!)
    if (found.status !== 'ok' || found.kind !== 'span') throw new Error('should be ok')
    expect(JSON.stringify(found.span.metadata)).toBe(
      '{"__proto__":{"polluted":1},"constructor":2,"hasOwnProperty":[],"toString":"x","year":1}',
    )
    expect(Object.hasOwn(found.span.metadata, '__proto__')).toBe(true)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    await notes.update({ keys: added, metadata: JSON.parse('{"__proto__": null}'), unset: ['constructor'] })
    const after = await notes.fetch(added[0]!)
    if (after.status !== 'ok' || after.kind !== 'span') throw new Error('should be ok')
    expect(JSON.stringify(after.span.metadata)).toBe(
      '{"__proto__":null,"hasOwnProperty":[],"toString":"x","year":1}',
    )
    expect(await notes.find({ where: { constructor: { $exists: true } } as never })).toHaveLength(0)
  })

  it('that has no end, or throws when it is read, is refused', async () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    await refused(
      () => notes.put({ source: 'x', text: 'x', metadata: any(circle) }),
      'INVALID_ARGUMENT',
      /self/,
    )
    await refused(() => notes.update({ keys: [live], metadata: any(circle) }), 'INVALID_ARGUMENT')
    let deep: unknown = 1
    for (let i = 0; i < 200; i++) deep = [deep]
    await refused(() => notes.put({ source: 'x', text: 'x', metadata: any({ deep }) }), 'INVALID_ARGUMENT')
    class Point {
      x = 1
    }
    await refused(
      () => notes.put({ source: 'x', text: 'x', metadata: any({ at: new Point() }) }),
      'INVALID_ARGUMENT',
      /at/,
    )
  })

  it('equal up to the order of its keys is equal', async () => {
    await notes.put({ source: 'x', text: 'x', metadata: { a: 1, b: { c: [1, null], d: 'e' } } })
    const again = await notes.put({ source: 'x', text: 'x', metadata: { b: { d: 'e', c: [1, null] }, a: 1 } })
    expect(again.outcome).toBe('unchanged')
  })
})

describe('keys', () => {
  it('that are not there, or belong elsewhere, answer absent and change nothing', async () => {
    const before = dump(db)
    for (const key of [
      '',
      'x',
      ABSENT,
      live.toLowerCase(),
      `${live} `,
      LONE,
      '\u0000',
      foreignKey,
      'x'.repeat(100_000),
    ])
      expect(await notes.fetch(key)).toEqual({ status: 'absent', key })
    expect(await notes.fetchMany([live, foreignKey, live])).toMatchObject([
      { status: 'ok' },
      { status: 'absent' },
      { status: 'ok' },
    ])
    expect(await notes.retire([foreignKey, ABSENT, 'x'])).toMatchObject({
      retired: [],
      already: [],
      absent: [foreignKey, ABSENT, 'x'],
    })
    expect(await notes.retire([dead])).toMatchObject({ retired: [], already: [dead] })
    expect(await store.fetch(foreignKey)).toMatchObject({ status: 'ok' })
    expect(dump(db)).toEqual(before)
  })

  it('an update of what is not a live span here is refused as a whole', async () => {
    for (const key of [dead, ABSENT, foreignKey, summary])
      await refused(() => notes.update({ keys: [live, key], metadata: { a: 1 } }), 'KEY_NOT_LIVE', key)
  })

  it('a summary is registered on nothing that is absent, empty or retired', async () => {
    for (const key of [dead, ABSENT, blank]) {
      await refused(
        () => session.register({ text: 'x', dependsOn: [live, key] }),
        'DEPENDENCY_UNSATISFIED',
        key,
      )
      await refused(() => session.register({ text: `x [[${key}]]` }), 'DEPENDENCY_UNSATISFIED', key)
      await refused(
        () => session.register({ text: 'x', dependsOn: [live], covers: [key] }),
        'DEPENDENCY_UNSATISFIED',
        key,
      )
      await refused(
        () =>
          session.register([
            { text: 'x', dependsOn: [live] },
            { text: 'y', dependsOn: [key] },
          ]),
        'DEPENDENCY_UNSATISFIED',
        key,
      )
    }
    await refused(() => session.register({ text: ' \n', dependsOn: [live] }), 'INVALID_ARGUMENT')
    await refused(() => session.register([]), 'INVALID_ARGUMENT')
  })

  it('only a live summary of the same session is replaced, and never by one that stands on it', async () => {
    for (const replaces of [live, ABSENT, foreignKey])
      await refused(
        () => session.register({ text: 'x', dependsOn: [live], replaces }),
        'KEY_NOT_LIVE',
        replaces,
      )
    await refused(
      () => notes.session('b').register({ text: 'x', dependsOn: [live], replaces: summary }),
      'KEY_NOT_LIVE',
    )
    await refused(() => session.register({ text: 'x', dependsOn: [summary], replaces: summary }), 'CYCLE')
    const { key } = await session.register({ text: 'Above.', dependsOn: [summary] })
    await refused(() => session.register({ text: 'x', dependsOn: [key], replaces: summary }), 'CYCLE')
  })

  it('an input that moved after it was read is refused, unless the same text came back', async () => {
    const { position } = await notes.put({ source: 'in', spans: [{ text: 'A' }, { text: 'B' }] })
    const [a] = (await notes.read('in')).places.map(({ key }) => key)
    await notes.retire([a!], { reason: 'evicted' })
    await refused(
      () => session.register({ text: 'x', dependsOn: [a!], basedOn: position }),
      'INPUTS_MOVED',
      a,
    )
    const { added } = await notes.put({ source: 'in', spans: [{ text: 'A' }, { text: 'B' }] })
    await refused(() => session.register({ text: 'x', dependsOn: added, basedOn: position }), 'INPUTS_MOVED')
    await session.register({ text: `x [[${a}]]`, basedOn: position })
  })
})

describe('revisions and commands', () => {
  it('a put that expected another revision is refused, naming both', async () => {
    await refused(
      () => notes.put({ source: 's', text: 'late', expectedRevision: 0 }),
      'REVISION_CONFLICT',
      /revision 1, not 0/,
    )
    await refused(() => notes.put({ source: 's', text: 'late', expectedRevision: 2 }), 'REVISION_CONFLICT')
    await refused(() => notes.put({ source: 'new', text: 'x', expectedRevision: 1 }), 'REVISION_CONFLICT')
    await refused(
      () =>
        notes.putMany([
          { source: 'new', text: 'x' },
          { source: 's', text: 'late', expectedRevision: 0 },
        ]),
      'REVISION_CONFLICT',
    )
    await notes.put({ source: 's', text: 'in time', expectedRevision: 1 })
    await notes.put({ source: 'new', text: 'x', expectedRevision: 0 })
  })

  it('a source named twice in one putMany is refused', async () => {
    await refused(
      () =>
        notes.putMany([
          { source: 'x', text: 'a' },
          { source: 'y', text: 'b' },
          { source: 'x', text: 'c' },
        ]),
      'DUPLICATE_SOURCE',
      'x',
    )
  })

  it('a write sent again with its commandId answers what it answered first, and writes nothing', async () => {
    const writes: [string, (commandId: string) => Promise<unknown>][] = [
      ['put', (commandId) => notes.put({ source: 'c', text: 'First.', commandId })],
      [
        'a put that changes nothing',
        (commandId) => notes.put({ source: 'v', spans: [{ text: 'With a vector.' }], commandId }),
      ],
      [
        'a put that changes nothing, with vectors',
        (commandId) =>
          notes.put({ source: 'v', spans: [{ text: 'With a vector.', vector: [1, 2, 3] }], commandId }),
      ],
      [
        'putMany, partly unchanged',
        (commandId) =>
          notes.putMany(
            [
              { source: 'v', spans: [{ text: 'With a vector.' }] },
              { source: 'd', text: 'D.' },
            ],
            { commandId },
          ),
      ],
      ['append', (commandId) => notes.append({ source: 'c', spans: [{ text: 'Second.' }], commandId })],
      ['update', (commandId) => notes.update({ keys: [live], metadata: { a: 1 }, commandId })],
      ['register', (commandId) => session.register({ text: 'Sum of it.', dependsOn: [live] }, { commandId })],
      ['retire', (commandId) => notes.retire([live], { commandId })],
      ['remove', (commandId) => notes.remove({ source: 'c', commandId })],
    ]
    for (const [i, [name, write]] of writes.entries()) {
      const first = await write(`command ${i}`)
      const before = dump(db)
      expect(await write(`command ${i}`), name).toEqual(first)
      expect(await write(`command ${i}`), name).toEqual(first)
      expect(dump(db), name).toEqual(before)
      expect(first, name).toBeDefined()
    }
  })

  it('the same commandId for another verb, collection or session is another command', async () => {
    const commandId = 'one'
    expect(await notes.put({ source: 'c', text: 'C.', commandId })).toMatchObject({ outcome: 'created' })
    expect(await other.put({ source: 'c', text: 'C.', commandId })).toMatchObject({ outcome: 'created' })
    expect(await notes.append({ source: 'c', spans: [{ text: 'D.' }], commandId })).toMatchObject({
      revision: 2,
    })
    const [sent] = await notes.putMany([{ source: 'c', text: 'E.' }], { commandId })
    expect(sent).toMatchObject({ revision: 3 })
    const first = await session.register({ text: 'S.', dependsOn: [live] }, { commandId })
    const second = await notes.session('b').register({ text: 'S.', dependsOn: [live] }, { commandId })
    expect(second.key).not.toBe(first.key)
    expect(await notes.remove({ source: 'c', commandId })).toMatchObject({ absent: [] })
  })

  it('an append of nothing to what is there changes nothing', async () => {
    const before = dump(db)
    expect(await notes.append({ source: 's', spans: [] })).toMatchObject({
      outcome: 'unchanged',
      revision: 1,
      added: [],
    })
    expect(dump(db)).toEqual(before)
  })

  it('a command that was refused may be sent again and succeed', async () => {
    await refused(
      () => notes.put({ source: 's', text: 'x', expectedRevision: 7, commandId: 'again' }),
      'REVISION_CONFLICT',
    )
    expect(
      await notes.put({ source: 's', text: 'x', expectedRevision: 1, commandId: 'again' }),
    ).toMatchObject({ revision: 2 })
  })

  it('an expiry in the past is a tombstone at once, and never an answer', async () => {
    const { added } = await notes.put({ source: 'x', text: 'Short-lived.', expiresAt: 1 })
    expect(await notes.fetch(added[0]!)).toMatchObject({
      status: 'tombstone',
      tombstone: { reason: 'expired' },
    })
  })

  it('two texts are never taken for one, however their pieces are arranged', async () => {
    // What stands between and after spans may look like anything, also like the store's own bookkeeping.
    const { hashOf } = await import('../../src/store/draft.ts')
    const cut = (ends: [number, number][]): Chunker => ({
      id: 'cut',
      chunk: (text) => ends.map(([start, end]) => ({ start, end, text: text.slice(start, end) })),
    })
    for (const separator of ['\u0000', ' ', ',']) {
      const long = `A${'|'}B`
      await notes.put({
        source: separator,
        text: long,
        chunker: cut([
          [0, 1],
          [2, 3],
        ]),
      })
      const fake = `A${['', hashOf('B'), '|', '', ''].join(separator)}`
      const result = await notes.put({ source: separator, text: fake, chunker: cut([[0, 1]]) })
      expect(result.outcome).toBe('revised')
      expect((await notes.read(separator)).text).toBe(fake)
    }
  })
})

describe('erased text', () => {
  it('is refused chunk by chunk when it is brought back, and only then', async () => {
    const turns = ['Shall we deploy?', 'Yes.', 'Shall we tell them?', 'Yes.', 'The password is swordfish.']
    const put = (texts: string[], readmit = false) =>
      notes.put({ source: 'e', spans: texts.map((text) => ({ text })), readmit })
    const { added } = await put(turns)
    await notes.erase({ keys: [added[1]!, added[4]!] })
    // The other "Yes." is live: an edit beside it brings nothing back.
    const edited = [turns[0]!, 'And who will tell them?', 'Yes.']
    expect(await put(edited)).toMatchObject({ kept: 2, outcome: 'revised' })
    await refused(() => put([...edited, turns[4]!]), 'ERASED_TEXT', /chunk 3/)
    await refused(() => put(['Yes.', ...edited]), 'ERASED_TEXT', /chunk 0/)
    await refused(() => notes.append({ source: 'e', spans: [{ text: turns[4]! }] }), 'ERASED_TEXT', /chunk 0/)
    // Once taken back it is text like any other.
    expect(await put([...edited, turns[4]!], true)).toMatchObject({ kept: 3 })
    expect(await put([...edited, turns[4]!, 'More.'])).toMatchObject({ kept: 4 })
    await notes.put({ source: 'elsewhere', text: turns[4]! })
  })
})

describe('a store or collection that is gone', () => {
  it('after close every verb says STORE_CLOSED', async () => {
    await store.close()
    await store.close()
    for (const call of [
      () => notes.put({ source: 's', text: 'x' }),
      () => notes.append({ source: 's', spans: [{ text: 'x' }] }),
      () => notes.retire([live]),
      () => notes.fetch(live),
      () => notes.fetchMany([live]),
      () => notes.find(),
      () => notes.count(),
      () => notes.read('s'),
      () => session.summaries(),
      () => store.collections(),
      () => store.collection('x'),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'STORE_CLOSED' })
  })

  it('a dropped collection takes no write and has nothing live', async () => {
    await store.dropCollection('notes')
    for (const call of [
      () => notes.put({ source: 's', text: 'x' }),
      () => notes.append({ source: 's', spans: [{ text: 'x' }] }),
      () => notes.retire([live]),
      () => notes.remove({ source: 's' }),
      () => notes.update({ keys: [live], metadata: { a: 1 } }),
      () => session.register({ text: 'x', dependsOn: [foreignKey] }),
      () => store.dropCollection('notes'),
      () => store.collection('notes'),
    ])
      await refused(call, 'COLLECTION_DROPPED')
    expect(await store.fetch(live)).toMatchObject({ status: 'tombstone', tombstone: { reason: 'deleted' } })
    expect(await store.fetch(summary)).toMatchObject({
      status: 'tombstone',
      tombstone: { reason: 'discarded' },
    })
    expect(await store.fetch(dead)).toMatchObject({ status: 'tombstone', tombstone: { reason: 'evicted' } })
  })

  // Known: src/ledger/sqlite/ledger.ts does not ask whether the collection is there before it reads.
  it('a handle of it finds nothing live, counts nothing, and calls nothing unchanged', async () => {
    await store.dropCollection('notes')
    for (const call of [
      () => notes.find(),
      () => notes.count({ where: { year: 2000 } }),
      () => notes.put({ source: 'v', spans: [{ text: 'With a vector.' }] }),
    ])
      await refused(call, 'COLLECTION_DROPPED')
  })

  it('an expiry after the drop changes no tombstone and no log', async () => {
    let now = 1000
    const timed = await openStore(':memory:', { clock: () => now })
    const brief = await timed.collection('brief')
    const { added } = await brief.put({ source: 's', text: 'Soon gone.', expiresAt: 2000 })
    await timed.dropCollection('brief')
    const before = await timed.fetch(added[0]!)
    now = 3000
    expect(await timed.fetch(added[0]!)).toEqual(before)
    expect(await timed.fetchMany([added[0]!])).toEqual([before])
    await timed.close()
  })
})
