import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { foreign } from '../src/chunking/index.ts'
import { SpanstoreClient } from '../src/client/index.ts'
import {
  type Collection,
  type ErrorCode,
  isSpanStoreError,
  type Key,
  openStore,
  restoreBackup,
  type Store,
} from '../src/index.ts'
import { dump, temporary } from './store/helpers.ts'

/*
 * One provocation for each code. The compiler holds the list complete; the table in docs/errors.md must have the same
 * codes; and after each refusal every row of every table is what it was.
 */

const ABSENT = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const TELLING = 'A sentence that is long enough to be recognised by its bytes alone.'

let directory: string
let store: Store
let notes: Collection
let live: Key
let dead: Key

beforeEach(async () => {
  directory = temporary()
  store = await openStore(directory)
  notes = await store.collection('notes')
  const { added } = await notes.put({ source: 's', spans: [{ text: 'One.' }, { text: 'Two.' }] })
  live = added[0]!
  dead = added[1]!
  await notes.retire([dead])
})

afterEach(async () => {
  await store.close()
})

/** What makes the error, after what has to be there for it. */
type Provocation = () => Promise<() => unknown>

const embedder = {
  id: 'fake',
  dimensions: 2,
  embedDocuments: async (texts: readonly string[]) => texts.map(() => new Float32Array([1, 0])),
  embedQuery: async () => new Float32Array([1, 0]),
}

/** Consumes nothing, so that the iterator's first step does the work. */
const first = (options: Parameters<Store['subscribe']>[0]) =>
  store.subscribe(options)[Symbol.asyncIterator]().next()

const PROVOCATIONS: { readonly [C in ErrorCode]: Provocation } = {
  INVALID_ARGUMENT: async () => () => notes.put({ source: '', text: 'x' }),
  ILL_FORMED_TEXT: async () => () => notes.put({ source: 'x', text: 'half \ud83e' }),
  INVALID_FILTER: async () => () => notes.find({ where: { year: { $near: 2000 } } as never }),
  INVALID_CHUNKS: async () => () =>
    notes.put({
      source: 'x',
      text: 'text',
      chunker: { id: 'bad', chunk: () => [{ start: 0, end: 2, text: 'no' }] },
    }),
  CHUNK_UNPLACEABLE: async () => () =>
    notes.put({ source: 'x', text: 'text', chunker: foreign('bad', () => ['not in it']) }),
  INVALID_VECTOR: async () => {
    await notes.put({ source: 'v', spans: [{ text: 'v', vector: [1, 2] }] })
    return () => notes.put({ source: 'w', spans: [{ text: 'w', vector: [1, 2, 3] }] })
  },
  DUPLICATE_SOURCE: async () => () =>
    notes.putMany([
      { source: 'x', text: 'a' },
      { source: 'x', text: 'b' },
    ]),
  COLLECTION_MISMATCH: async () => () => store.collection('notes', { metric: 'l2' }),
  COLLECTION_UNKNOWN: async () => () => store.renameCollection('never', 'ever'),
  COLLECTION_EXISTS: async () => {
    await store.collection('other')
    return () => store.renameCollection('notes', 'other')
  },
  COLLECTION_RENAMED: async () => {
    await store.renameCollection('notes', 'journal')
    return () => store.collection('notes')
  },
  COLLECTION_DROPPED: async () => {
    await store.dropCollection('notes')
    return () => notes.put({ source: 'x', text: 'x' })
  },
  REVISION_CONFLICT: async () => () => notes.put({ source: 's', text: 'x', expectedRevision: 7 }),
  REVISION_UNKNOWN: async () => () => notes.read('s', { revision: 7 }),
  SOURCE_UNKNOWN: async () => () => notes.history('never'),
  KEY_NOT_LIVE: async () => () => notes.update({ keys: [dead, ABSENT], metadata: { a: 1 } }),
  POSITION_UNKNOWN: async () => () => notes.fetch(live, { asOf: 1_000_000 }),
  ERASED_TEXT: async () => {
    const { added } = await notes.put({ source: 'x', text: TELLING })
    await notes.erase({ keys: added })
    return () => notes.put({ source: 'x', text: TELLING })
  },
  CASCADE_REQUIRED: async () => {
    const before = await notes.put({ source: 'x', text: `${TELLING} And more.` })
    await notes.put({ source: 'x', text: `${TELLING} And other words.` })
    return () => notes.erase({ keys: before.added })
  },
  DEPENDENCY_UNSATISFIED: async () => () => notes.session('a').register({ text: `Said. [[${dead}]]` }),
  INPUTS_MOVED: async () => {
    const { position } = await notes.put({ source: 'x', text: TELLING })
    const { added } = await notes.put({ source: 'x', text: 'Something else altogether stands here by now.' })
    return () => notes.session('a').register({ text: 'Said.', dependsOn: added, basedOn: position })
  },
  CYCLE: async () => {
    const session = notes.session('a')
    const low = await session.register({ text: 'Low.', dependsOn: [live] })
    const high = await session.register({ text: `High. [[${low.key}]]` })
    return () => session.register({ text: `Low again. [[${high.key}]]`, replaces: low.key })
  },
  SESSION_FROZEN: async () => {
    const session = notes.session('a')
    await session.register({ text: `Said. [[${live}]]` })
    await notes.retire([live])
    await session.boundary()
    return () => session.register({ text: 'Said again.', dependsOn: [] })
  },
  REHYDRATION_BOUNDARY: async () => {
    const session = notes.session('a')
    await session.register({ text: 'Said.', dependsOn: [live] })
    return () => session.assertGate([{ text: 'It is said.' }], { action: 'act' })
  },
  RECALL_BROKEN: async () => {
    const session = notes.session('a')
    await session.register({ text: 'Said.', dependsOn: [live] })
    return () => session.compact({ source: 's', summarize: () => 'One. And so on.' })
  },
  CONSUMER_UNKNOWN: async () => () => store.consumers().lag('nobody'),
  CONSUMER_MISMATCH: async () => {
    await store.consumers().open('reader', { filter: { types: ['span.added'] } })
    return () => first({ consumer: 'reader', types: ['span.retired'], follow: false })
  },
  CONSUMER_LEASED: async () => {
    await first({ consumer: 'reader', follow: false })
    return () => first({ consumer: 'reader', follow: false })
  },
  LEASE_LOST: async () => {
    const { value: event } = await first({ consumer: 'reader', follow: false })
    await store.consumers().reset('reader', 'start')
    return () => event.ack()
  },
  CURSOR_EXPIRED: async () => {
    const { position } = await notes.put({ source: 'x', text: 'x' })
    await store.consumers().open('reader')
    await store.consumers().pruneEvents('notes', { before: position, force: true })
    return () => first({ consumer: 'reader', follow: false })
  },
  CURSOR_INVALID: async () => () => first({ from: 'c1.nonsense', follow: false }),
  ACK_OUT_OF_ORDER: async () => {
    const events = store.subscribe({ consumer: 'reader', follow: false })[Symbol.asyncIterator]()
    await events.next()
    const { value: second } = await events.next()
    return () => second.ack()
  },
  RERANKER_FAILED: async () => () => notes.search({ text: 'one', mode: 'text', rerank: async () => [] }),
  EMBEDDER_FAILED: async () => {
    await using broken = await openStore(directory, {
      embedder: { ...embedder, embedDocuments: () => Promise.reject(new Error('out of order')) },
    })
    const collection = await broken.collection('notes')
    const failure = await collection.put({ source: 'x', text: 'x' }).catch((error: unknown) => error)
    return () => Promise.reject(failure)
  },
  EMBEDDER_MISMATCH: async () => {
    await using one = await openStore(directory, { embedder })
    await (await one.collection('notes')).put({ source: 'e', text: 'e' })
    const another = await openStore(directory, { embedder: { ...embedder, id: 'another' } })
    const collection = await another.collection('notes')
    return async () => {
      try {
        await collection.put({ source: 'x', text: 'x' })
      } finally {
        await another.close()
      }
    }
  },
  NO_VECTORS: async () => () => notes.search({ vector: [1, 2] }),
  STORE_BUSY: async () => {
    const hurried = await openStore(directory, { wait: 50 })
    const collection = await hurried.collection('notes')
    return async () => {
      const other = new Database(join(directory, 'ledger.db'))
      other.exec('BEGIN IMMEDIATE')
      try {
        await collection.put({ source: 'x', text: 'x' })
      } finally {
        other.exec('ROLLBACK')
        other.close()
        await hurried.close()
      }
    }
  },
  STORE_TOO_NEW: async () => {
    const copy = await copyOfStore()
    const db = new Database(join(copy, 'ledger.db'))
    db.exec("INSERT INTO migration (tag, hash, at) VALUES ('9999_future', 'x', 0)")
    db.close()
    return () => openStore(copy)
  },
  MIGRATION_CHANGED: async () => {
    const copy = await copyOfStore()
    const db = new Database(join(copy, 'ledger.db'))
    db.exec("UPDATE migration SET hash = 'other' WHERE id = 1")
    db.close()
    return () => openStore(copy)
  },
  STORE_NOT_FOUND: async () => () => openStore(join(directory, 'nowhere'), { create: false }),
  STORE_CORRUPT: async () => {
    const other = join(directory, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'ledger.db'), 'This is no database, however long one looks at it. '.repeat(100))
    return () => openStore(other)
  },
  STORAGE_FAILED: async () => {
    const other = join(directory, 'blocked')
    mkdirSync(join(other, 'ledger.db'), { recursive: true })
    return () => openStore(other)
  },
  STORE_CLOSED: async () => {
    const other = await openStore(directory)
    const collection = await other.collection('notes')
    await other.close()
    return () => collection.fetch(live)
  },
  BACKUP_INVALID: async () => () => restoreBackup(directory, join(directory, 'restored')),
  SERVER_UNREACHABLE: async () => () => SpanstoreClient.connect('http://127.0.0.1:1', { retries: 0 }),
  SERVER_REFUSED: async () => () =>
    SpanstoreClient.connect('http://127.0.0.1:1', { fetch: async () => new Response('', { status: 403 }) }),
  ABORTED: async () => () => store.prune({ before: Date.now(), signal: AbortSignal.abort() }),
}

async function copyOfStore(): Promise<string> {
  const backup = join(directory, 'backup')
  await store.backup(backup)
  const copy = join(directory, 'copy')
  mkdirSync(copy)
  cpSync(join(backup, 'ledger.db'), join(copy, 'ledger.db'))
  return copy
}

describe('every error', () => {
  it.each(Object.entries(PROVOCATIONS))(
    '%s says what is wrong and leaves the store as it was',
    async (code, prepare) => {
      const provoke = await prepare()
      const db = new Database(join(directory, 'ledger.db'), { readonly: true })
      // A subscription's lease and a consumer's making are no part of what a refused call may not touch; that a gate
      // refused is written down, and what the monitor read before a compaction.
      const contents = () => {
        const { consumer, gating, verification, standing, observation, reading, ...rest } = dump(db)
        return rest
      }
      const before = contents()
      const error = await (async () => provoke())().then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(isSpanStoreError(error), String(error)).toBe(true)
      expect(error).toMatchObject({ code, detail: expect.anything() })
      expect((error as Error).message.length).toBeGreaterThan(20)
      expect(contents()).toEqual(before)
      db.close()
    },
  )

  it('is in the table of docs/errors.md, and nothing else is', () => {
    const table = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8')
    const documented = [...table.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
    expect(documented.sort()).toEqual(Object.keys(PROVOCATIONS).sort())
  })
})
