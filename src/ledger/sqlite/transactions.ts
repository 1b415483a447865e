import { randomFillSync } from 'node:crypto'
import { ulid } from 'ulid'
import { SpanStoreError, storeClosed } from '../../core/errors.ts'
import { type Key, keyAfter } from '../../core/key.ts'
import type { WriteOptions } from '../../ports/planned.ts'
import { atOnce, nextTurn } from '../../threads/turn.ts'
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

/** The last key that was made, and the time it tells. */
export interface Minted {
  time: number
  last: Key | undefined
}

/**
 * Keys that rise, so that their index grows at its end, also when the clock stands still or goes back. The library's
 * own monotonic factory costs four times as much a key.
 */
function monotonicKeys(minted: Minted): (at: number) => Key {
  return (at) => {
    const { last, time } = minted
    const next = last !== undefined && at <= time ? keyAfter(last) : undefined
    if (next === undefined) minted.time = Math.max(at, time)
    minted.last = next ?? (ulid(minted.time, chance) as Key)
    return minted.last
  }
}

/** Milliseconds of uninterrupted writing after which others get a turn. */
const TURN = 10

/** Milliseconds of one step of reading, and how often it is tried while others write. */
const STEP = 6
const ATTEMPTS = 3

const NEXT_DUE = 'SELECT min(expires) FROM source_head WHERE expires IS NOT NULL'

/** Something is due, and has to be committed before anything is read. */
const DUE = Symbol('due')

/** How a ledger reads and writes: one snapshot or one transaction at a time, and what is due before either. */
export class Transactions {
  readonly connection: Connection
  readonly minted: Minted
  readonly mint: (at: number) => Key
  readonly #path: string
  readonly #options: TransactionOptions
  /** When the first write began since the event loop had a turn; undefined: there was none. */
  #busy: number | undefined
  /** The last of those who wait for their turn to write, or write elsewhere. */
  #last: Promise<void> | undefined

  /** `minted`: where another thread's keys end. */
  constructor(connection: Connection, path: string, options: TransactionOptions, minted?: Minted) {
    this.connection = connection
    this.#path = path
    this.#options = options
    this.minted = minted ?? { time: Number.NEGATIVE_INFINITY, last: undefined }
    this.mint = monotonicKeys(this.minted)
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
    const due = this.#last !== undefined || this.#isLong()
    const leave = due ? await this.#inLine() : undefined
    try {
      // Everything here is synchronous: without this, a loop of writes would keep timers and sockets waiting for good.
      if (due && this.#isLong()) await nextTurn()
      if (this.#begins(0)) return this.#work(work, quiet)
      // Others may try before this succeeds: a foreign writer may take long.
      leave?.()
      return await this.#retry(work, quiet)
    } finally {
      leave?.()
    }
  }

  /** Whether others have waited long enough for the writes of this turn of the event loop. */
  #isLong(): boolean {
    const now = performance.now()
    if (this.#busy !== undefined) return now - this.#busy > TURN
    this.#busy = now
    setImmediate(() => {
      this.#busy = undefined
    }).unref()
    return false
  }

  /** False: somebody else writes. What follows must be done at once: every reader of this process sees what is open. */
  #begins(waited: number): boolean {
    this.checkOpen()
    try {
      this.connection.run('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      this.#checkBusy(error, waited)
      return false
    }
  }

  async #retry<T>(work: (connection: Connection, now: number) => T, quiet: boolean): Promise<T> {
    let started = performance.now()
    for (let attempt = 0; ; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(20, 1 + attempt)))
      if (this.#last !== undefined) {
        await this.#last
        started = performance.now()
      }
      if (this.#begins(Math.round(performance.now() - started))) return this.#work(work, quiet)
    }
  }

  #checkBusy(error: unknown, waited: number): void {
    const code = (error as { code?: string }).code ?? ''
    if (!code.startsWith('SQLITE_BUSY')) throw storageError(error, this.#path)
    if (waited < this.#options.wait) return
    throw new SpanStoreError(
      'STORE_BUSY',
      `another writer held ${this.#path} for ${waited} ms; try again, or raise the wait option`,
      { waited },
      { cause: error },
    )
  }

  #work<T>(work: (connection: Connection, now: number) => T, quiet: boolean): T {
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

  /** Until those who came before have written. Whoever comes later waits until `leave`, which is answered, is called. */
  async #inLine(): Promise<() => void> {
    const before = this.#last
    let end = () => {}
    const own = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#last = own
    await before
    return () => {
      if (this.#last === own) this.#last = undefined
      end()
    }
  }

  /**
   * Somebody writes for this process elsewhere, in its place in the line of those who write: nobody else of this
   * process does meanwhile, however long it takes.
   */
  async elsewhere<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.#inLine()
    try {
      return await work()
    } finally {
      leave()
    }
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
    const next = () => this.connection.value<number | null>(NEXT_DUE) ?? undefined
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
    const result = this.snapshot((connection) => {
      const next = connection.value<number | null>(NEXT_DUE)
      return typeof next === 'number' && next <= this.#options.clock() ? DUE : work(connection)
    })
    if (result !== DUE) return result
    await this.expire()
    return this.snapshot(work)
  }

  /**
   * Reads in steps, with turns for others after every few milliseconds: several snapshots that count as one where nothing
   * was committed meanwhile. Where something is each time, in one.
   */
  async readInSteps<T>(work: (connection: Connection) => Generator<void, T>): Promise<T> {
    await this.expire()
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = this.moment()
      const steps = work(this.connection)
      for (;;) {
        const until = performance.now() + STEP
        const done = this.snapshot(() => {
          for (;;) {
            const step = steps.next()
            if (step.done || performance.now() >= until) return step
          }
        })
        // Read in one, or as if it were.
        if (done.done && this.moment() === before) return done.value
        if (done.done) break
        await nextTurn()
      }
    }
    return this.snapshot((connection) => atOnce(work(connection)))
  }

  /** What a few milliseconds read is answered at once; all else is read in steps, from the beginning. */
  readAtOnceOrInSteps<T>(work: (connection: Connection) => Generator<void, T>): T | Promise<T> {
    // Asked by what decides about a write: it sees what that write sees.
    if (this.connection.db.inTransaction) return atOnce(work(this.connection))
    const steps = work(this.connection)
    const until = performance.now() + STEP
    const soon = this.snapshot(() => {
      for (;;) {
        const step = steps.next()
        if (step.done || performance.now() >= until) return step
      }
    })
    return soon.done ? soon.value : this.readInSteps(work)
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
