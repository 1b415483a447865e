import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SqliteAttributeIndex } from './attributes/attribute-index.ts'
import { SpanStoreError } from './core/errors.ts'
import { Indexer } from './indexer.ts'
import { SqliteConsumers } from './ledger/sqlite/consumers.ts'
import { Doorbell } from './ledger/sqlite/doorbell.ts'
import { SqliteEventLog } from './ledger/sqlite/event-log.ts'
import { openSqliteLedger } from './ledger/sqlite/ledger.ts'
import { LEDGER_FILE } from './ledger/sqlite/restore.ts'
import type { Connection } from './ledger/sqlite/statements.ts'
import type { AttributeIndex } from './ports/attributes.ts'
import type { DerivedIndex } from './ports/derived.ts'
import type { Embedder } from './ports/embedder.ts'
import { embedderOf } from './store/computed.ts'
import { flag, invalid, object, wholeNumber } from './store/input.ts'
import { Store } from './store/store.ts'
import { Subscriptions } from './subscription/index.ts'
import { ThreadedTextIndex } from './text/threaded.ts'
import { LedgerVectorIndex } from './vector/vector-index.ts'

export { restoreBackup } from './ledger/sqlite/restore.ts'

/** Bytes of vectors up to which a collection is searched in memory: 130 000 of 384 dimensions. */
const WHOLE = 192 * 2 ** 20

export interface StoreOptions {
  /** Computes vectors for new texts. Without one, texts are stored and found by words. */
  readonly embedder?: Embedder
  /** Default true. `false`: refuse with STORE_NOT_FOUND instead of making a new store. */
  readonly create?: boolean
  /** How long a write waits for other writers before it fails with STORE_BUSY, in milliseconds. Default 10 000. */
  readonly wait?: number
  /** Milliseconds since the epoch; for tests. */
  readonly clock?: () => number
}

/**
 * Opens the store in a directory, creating both if need be. `:memory:` keeps everything in memory.
 * @throws STORE_NOT_FOUND (with `create: false`), STORE_TOO_NEW, MIGRATION_CHANGED, STORE_CORRUPT, STORAGE_FAILED
 */
export async function openStore(directory: string, options: StoreOptions = {}): Promise<Store> {
  if (typeof directory !== 'string' || directory === '')
    throw invalid('directory', directory, "give a path, or ':memory:'")
  object('options', options, ['embedder', 'create', 'wait', 'clock'])
  if (options.wait !== undefined) wholeNumber('options.wait', options.wait, 0)
  if (options.embedder !== undefined) embedderOf('options.embedder', options.embedder)
  if (options.clock !== undefined && typeof options.clock !== 'function')
    throw invalid('options.clock', options.clock, 'give a function that tells the time')
  const create = flag('options.create', options.create ?? true)
  const clock = options.clock ?? Date.now
  const inMemory = directory === ':memory:'
  const path = inMemory ? directory : join(directory, LEDGER_FILE)
  if (!inMemory && !create && !existsSync(path))
    throw new SpanStoreError(
      'STORE_NOT_FOUND',
      `${directory} holds no store; check the path, or leave create: false out to make one`,
      { path: directory },
    )
  if (!inMemory) makeDirectory(directory)

  let commits = 0
  const derived: DerivedIndex[] = []
  const candidates: AttributeIndex['candidates'] = (...asked) => attributes.candidates(...asked)
  const ledger = openSqliteLedger(path, {
    clock,
    derived,
    candidates,
    onCommit: (quiet) => {
      commits++
      if (quiet) return
      bell.ring()
      text.wake()
      vectors.wake()
      attributes.wake()
    },
    ...(options.wait === undefined ? {} : { wait: options.wait }),
  })
  const { connection } = ledger
  const bell = new Doorbell({ connection, ...(inMemory ? {} : { directory }) })
  const text = new ThreadedTextIndex(ledger, path, { candidates, clock })
  const attributes = new SqliteAttributeIndex(ledger, path)
  const vectors = new LedgerVectorIndex(
    ledger.vectors,
    inMemory
      ? {}
      : {
          directory: join(directory, 'index'),
          whole: WHOLE,
          follow: (listener) => bell.follow(listener),
        },
  )
  derived.push(text, vectors, attributes)
  const host = {
    connection,
    clock,
    write: <T>(work: (connection: Connection, now: number) => T) => ledger.transact(work),
    settle: <T>(work: (connection: Connection, now: number) => T) => ledger.transact(work, true),
  }
  return new Store({
    ledger,
    text,
    vectors,
    attributes,
    commits: () => commits,
    clock,
    bell,
    consumers: new SqliteConsumers(host),
    subscriptions: new Subscriptions({
      log: new SqliteEventLog(host),
      bell,
      clock,
      onIdle: () => ledger.expire(),
    }),
    deferred: new Indexer(ledger.vectors, options.embedder, { tables: vectors }),
    ...(options.embedder === undefined ? {} : { embedder: options.embedder }),
  })
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    const reason = (error as Error).message
    throw new SpanStoreError(
      'STORAGE_FAILED',
      `${path} cannot be a store's directory (${reason}); give a directory, or a path where one can be made`,
      { reason },
      { cause: error },
    )
  }
}
