import { randomFillSync } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ulid } from 'ulid'
import { SpanStoreError, storeClosed } from '../../core/errors.ts'
import { type Key, keyAfter } from '../../core/key.ts'
import type { WriteOptions } from '../../ports/planned.ts'
import { requireCollection } from './collections.ts'
import { Commit } from './commit.ts'
import { requireExpected } from './expected.ts'
import { storageError } from './open.ts'
import { writeExpired } from './retire.ts'
import { type Connection, insertInto } from './statements.ts'
import { writeComputed } from './vector-rows.ts'

export interface TransactionOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** How long a write waits for other writers before it fails with STORE_BUSY, in milliseconds. */
  readonly wait: number
  /** Called after each commit; `quiet`: nobody has to be woken by it. */
  readonly onCommit: (quiet: boolean) => void
}

const RANDOM = Buffer.alloc(256)
let used = RANDOM.length

/** From 0 up to 1, for one of 32 letters. The library's own asks the system once a letter. */
function chance(): number {
  if (used === RANDOM.length) {
    randomFillSync(RANDOM)
    used = 0
  }
  return RANDOM[used++]! / 256
}

/**
 * Keys that rise, so that their index grows at its end, also when the clock stands still or goes back. The library's
 * own monotonic factory costs four times as much a key.
 */
function monotonicKeys(): (at: number) => Key {
  let time = Number.NEGATIVE_INFINITY
  let last: Key | undefined
  return (at) => {
    const next = last !== undefined && at <= time ? keyAfter(last) : undefined
    if (next === undefined) time = Math.max(at, time)
    last = next ?? (ulid(time, chance) as Key)
    return last
  }
}

/** Milliseconds of uninterrupted writing after which others get a turn. */
const TURN = 10

/** How a ledger reads and writes: one snapshot or one transaction at a time, and what is due before either. */
export class Transactions {
  readonly connection: Connection
  readonly mint = monotonicKeys()
  readonly #path: string
  readonly #options: TransactionOptions
  /** When the event loop last had a turn, as far as writes know. */
  #turn = performance.now()
  /** What else writes for this process. */
  #held: Promise<unknown> | undefined

  constructor(connection: Connection, path: string, options: TransactionOptions) {
    this.connection = connection
    this.#path = path
    this.#options = options
  }

  /** @throws STORE_CLOSED */
  checkOpen(): void {
    if (!this.connection.db.open) throw storeClosed()
  }

  /**
   * One write transaction. IMMEDIATE, so that a second writer waits here rather than failing at its commit. The wait
   * is asynchronous: other work of this process goes on.
   */
  async transact<T>(work: (connection: Connection, now: number) => T, quiet = false): Promise<T> {
    while (this.#held !== undefined) await this.#held
    const started = performance.now()
    // Everything here is synchronous: without this, a loop of writes would keep timers and sockets waiting for good.
    if (started - this.#turn > TURN) {
      await nextTurn()
      this.#turn = performance.now()
    }
    for (let attempt = 0; ; attempt++) {
      this.checkOpen()
      try {
        this.connection.run('BEGIN IMMEDIATE')
        break
      } catch (error) {
        const code = (error as { code?: string }).code ?? ''
        if (!code.startsWith('SQLITE_BUSY')) throw storageError(error, this.#path)
        const waited = Math.round(performance.now() - started)
        if (waited >= this.#options.wait)
          throw new SpanStoreError(
            'STORE_BUSY',
            `another writer held ${this.#path} for ${waited} ms; try again, or raise the wait option`,
            { waited },
            { cause: error },
          )
        await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(20, 1 + attempt)))
      }
    }
    try {
      const result = work(this.connection, this.#options.clock())
      this.connection.run('COMMIT')
      this.#options.onCommit(quiet)
      return result
    } catch (error) {
      if (this.connection.db.inTransaction) this.connection.run('ROLLBACK')
      throw storageError(error, this.#path)
    }
  }

  /** Somebody writes for this process elsewhere: writes that begin from now on wait for it, however long it takes. */
  hold(work: Promise<unknown>): void {
    const held: Promise<unknown> = Promise.allSettled([this.#held, work]).then(() => {
      if (this.#held === held) this.#held = undefined
    })
    this.#held = held
  }

  /** One write of the store: what is due first, then `work`, and a command is answered once. */
  async write<T>(options: WriteOptions, work: (commit: Commit) => T): Promise<T> {
    return await this.transact((connection, now) => {
      if (options.commandId !== undefined) {
        const before = connection.value<string>('SELECT result FROM command WHERE id = ?', options.commandId)
        if (before !== undefined) return JSON.parse(before) as T
      }
      const commit = new Commit(connection, now, this.mint)
      writeExpired(commit)
      const result = work(commit)
      commit.finish()
      if (options.commandId !== undefined)
        connection
          .prepare(insertInto('command', ['id', 'at', 'result']))
          .run(options.commandId, now, JSON.stringify(result))
      return result
    })
  }

  /** A write in a collection. @throws COLLECTION_DROPPED, REVISION_CONFLICT */
  writeIn<T>(collection: number, options: WriteOptions, work: (commit: Commit) => T): Promise<T> {
    return this.write(options, (commit) => {
      requireCollection(commit.connection, collection)
      if (options.expected !== undefined) requireExpected(commit.connection, collection, options.expected)
      writeComputed(commit.connection, collection, options.computed)
      return work(commit)
    })
  }

  /** Commits what is due. Answers when the next thing falls due, if anything does. */
  async expire(): Promise<number | undefined> {
    this.checkOpen()
    const next = () =>
      this.connection.value<number | null>(
        'SELECT min(expires) FROM source_head WHERE expires IS NOT NULL',
      ) ?? undefined
    let due = next()
    if (due !== undefined && due <= this.#options.clock()) {
      await this.write({}, () => undefined)
      due = next()
    }
    return due
  }

  /** Differs from an earlier one when anything was committed since, by whomever. */
  moment(): string {
    this.checkOpen()
    const { connection } = this
    return `${connection.value('PRAGMA data_version')} ${connection.value('SELECT total_changes()')}`
  }

  /** Reads one snapshot, after what is due was committed. */
  async read<T>(work: (connection: Connection) => T): Promise<T> {
    await this.expire()
    return this.snapshot(work)
  }

  /** Reads one snapshot, without a look at what is due. */
  snapshot<T>(work: (connection: Connection) => T): T {
    this.checkOpen()
    try {
      return this.connection.snapshot(() => work(this.connection))
    } catch (error) {
      throw storageError(error, this.#path)
    }
  }
}
