import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicFactory } from 'ulid'
import type { EventType } from '../../src/core/event.ts'
import type { Key } from '../../src/core/key.ts'
import { Commit } from '../../src/ledger/sqlite/commit.ts'
import { SqliteConsumers } from '../../src/ledger/sqlite/consumers.ts'
import { Doorbell } from '../../src/ledger/sqlite/doorbell.ts'
import { SqliteEventLog } from '../../src/ledger/sqlite/event-log.ts'
import { openDatabase } from '../../src/ledger/sqlite/open.ts'
import { prepareTemporaryTables } from '../../src/ledger/sqlite/propagate.ts'
import { writeAppend } from '../../src/ledger/sqlite/put.ts'
import { Connection } from '../../src/ledger/sqlite/statements.ts'
import { type Delivery, type SubscribeOptions, Subscriptions } from '../../src/subscription/index.ts'

/** A ledger by hand: a database file, the write every part shares, and a few ways to make events. */
export class TestLedger {
  readonly directory: string
  readonly connection: Connection
  readonly doorbell: Doorbell
  readonly log: SqliteEventLog
  readonly consumers: SqliteConsumers
  readonly subscriptions: Subscriptions
  /** The clock, when a test sets it. */
  now: number | undefined
  /** What `onIdle` answers, and how often it was asked. */
  due: () => number | undefined = () => undefined
  /** Commits of answers. */
  settled = 0
  readonly #mint = monotonicFactory()
  #stopped = false

  constructor(directory: string, options: { poll?: number | false } = {}) {
    this.directory = directory
    this.connection = new Connection(
      openDatabase(join(directory, 'ledger.db'), { clock: Date.now, wait: 10_000 }),
    )
    prepareTemporaryTables(this.connection)
    this.doorbell = new Doorbell({ connection: this.connection, directory, ...options })
    const { connection, write, settle, clock } = this
    const host = { connection, write, settle, clock }
    this.log = new SqliteEventLog(host)
    this.consumers = new SqliteConsumers(host)
    this.subscriptions = new Subscriptions({
      log: this.log,
      bell: this.doorbell,
      clock: this.clock,
      onIdle: () => this.due(),
    })
  }

  readonly clock = () => this.now ?? Date.now()

  readonly write = async <T>(fn: (connection: Connection, now: number) => T): Promise<T> => {
    for (;;) {
      try {
        this.connection.db.exec('BEGIN IMMEDIATE')
        break
      } catch (error) {
        if (!String((error as { code?: string }).code).startsWith('SQLITE_BUSY')) throw error
        await sleep(1)
      }
    }
    let result: T
    try {
      result = fn(this.connection, this.clock())
      this.connection.db.exec('COMMIT')
    } catch (error) {
      this.connection.db.exec('ROLLBACK')
      throw error
    }
    this.doorbell.ring()
    return result
  }

  readonly settle = <T>(fn: (connection: Connection, now: number) => T): Promise<T> => {
    this.settled++
    return this.write(fn)
  }

  commit<T>(fn: (commit: Commit) => T): Promise<T> {
    return this.write((connection, now) => {
      const commit = new Commit(connection, now, (at) => this.#mint(at) as Key)
      const result = fn(commit)
      commit.finish()
      return result
    })
  }

  /** Creates a collection; its first event is `collection.created`. */
  collection(name: string): Promise<number> {
    return this.commit((commit) => {
      const { connection } = commit
      const ref = Number(
        connection
          .prepare('INSERT INTO collection (key, metric, at) VALUES (?, ?, ?)')
          .run(this.#mint(commit.at), 'cosine', commit.at).lastInsertRowid,
      )
      connection.run('INSERT INTO collection_name (name, collection) VALUES (?, ?)', name, ref)
      connection.run(
        'INSERT INTO collection_head (collection, name, position, floor, live) VALUES (?, ?, 0, 0, 0)',
        ref,
        name,
      )
      commit.event(ref, 'collection.created', { data: JSON.stringify({ name, metric: 'cosine' }) })
      return ref
    })
  }

  /** Events that need nothing else in the ledger. */
  emit(
    collection: number,
    count: number,
    type: EventType = 'session.resumed',
    data: unknown = { session: 's' },
  ) {
    return this.commit((commit) => {
      for (let i = 0; i < count; i++) commit.event(collection, type, { data: JSON.stringify(data) })
    })
  }

  /** One span appended: `span.added` and `source.revised`. */
  append(collection: number, source: string, text = 'a turn'): Promise<Key> {
    return this.commit(
      (commit) =>
        writeAppend(commit, collection, {
          source,
          spans: [
            { text, hash: `hash of ${text}`, length: text.length, metadata: undefined, vector: undefined },
          ],
          metadata: undefined,
          expiresAt: undefined,
          readmit: false,
        }).added[0]!,
    )
  }

  subscribe(options: SubscribeOptions) {
    return this.subscriptions.subscribe(options)
  }

  /** Everything deliverable now, each event answered by `answer`. */
  async drain(
    options: SubscribeOptions,
    answer: (delivery: Delivery) => unknown = (delivery) => delivery.ack(),
  ): Promise<Delivery[]> {
    const all: Delivery[] = []
    for await (const delivery of this.subscribe({ follow: false, ...options })) {
      all.push(delivery)
      await answer(delivery)
    }
    return all
  }

  async close(): Promise<void> {
    if (this.#stopped) return
    this.#stopped = true
    await this.subscriptions.close()
    this.doorbell.close()
    this.connection.db.close()
  }
}

const opened: TestLedger[] = []
const directories: string[] = []

/** A new store in a directory of its own. */
export function newLedger(options: { poll?: number | false } = {}): TestLedger {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-events-'))
  directories.push(directory)
  return openLedger(directory, options)
}

/** Another handle on a store, as another process would have. */
export function openLedger(directory: string, options: { poll?: number | false } = {}): TestLedger {
  const ledger = new TestLedger(directory, options)
  opened.push(ledger)
  return ledger
}

export async function closeLedgers(): Promise<void> {
  for (const ledger of opened.splice(0)) await ledger.close()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
}

export const positions = (deliveries: readonly { position: number }[]) =>
  deliveries.map(({ position }) => position)
