import { stat } from 'node:fs/promises'
import { isSpanStoreError } from '../../core/errors.ts'
import type { LedgerStats } from '../../ports/ledger.ts'
import type { Problem } from '../../ports/problem.ts'
import { AskedThread, type AskOptions, ThreadLost } from '../../threads/ask.ts'
import type { Carriers, EraseTarget } from './erase.ts'
import { storageError } from './open.ts'
import { writePruned } from './prune.ts'
import { pagesInLog, reclaim, truncateLog } from './room.ts'
import { ledgerStats } from './stats.ts'
import type { LedgerCalls, LedgerThreadData } from './thread.ts'
import type { Transactions } from './transactions.ts'
import { verifyLedger } from './verify.ts'

/** Bytes of a log that take longer to move than others may be held up. */
const LONG_LOG = 2 ** 21

/** Pages in the log that the thread moves into the file, and how long after a commit they are counted, in milliseconds. */
const LOGGED = 2_000
const SOON = 100

/** How long a thread with nothing to do is kept, in milliseconds. */
const IDLE = 10_000

export interface WholeOptions {
  readonly wait: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Spans from which reading the ledger from end to end would hold the process up. */
  readonly large: number
  /** Called after a commit made elsewhere. */
  readonly onCommit: (quiet: boolean) => void
}

type Answer<N extends keyof LedgerCalls> = Awaited<ReturnType<LedgerCalls[N]>>

/**
 * Work that grows with the ledger, not with what is asked. SQLite does it in one piece; in a large ledger it is done
 * in a thread, on connections of its own, so that nobody has to wait for it but who asked. Without the thread the work
 * is done here.
 */
export class WholeLedger {
  readonly #transactions: Transactions
  readonly #path: string
  readonly #options: WholeOptions
  readonly thread: AskedThread<LedgerCalls>
  #counting: NodeJS.Timeout | undefined
  #moving: Promise<void> | undefined

  constructor(transactions: Transactions, path: string, options: WholeOptions) {
    this.#transactions = transactions
    this.#path = path
    this.#options = options
    const data: LedgerThreadData = { path, wait: options.wait }
    this.thread = new AskedThread('ledger/sqlite/thread', { name: 'spanstore-ledger', data, idle: IDLE })
  }

  /** A ledger in memory is seen by its own connection alone. */
  get #isLarge(): boolean {
    if (this.#path === ':memory:') return false
    this.#transactions.checkOpen()
    const spans = this.#transactions.connection.value<number | null>('SELECT max(id) FROM span') ?? 0
    return spans >= this.#options.large
  }

  /** `writes`: other writes of this process wait for it, however long it takes. */
  async #ask<N extends keyof LedgerCalls>(
    call: N,
    given: Parameters<LedgerCalls[N]>,
    here: () => Answer<N> | Promise<Answer<N>>,
    { writes = false, ...options }: { readonly writes?: boolean } & AskOptions = {},
  ): Promise<Answer<N>> {
    if (!this.#isLarge) return await here()
    const ask = () => this.thread.ask(call, given, options)
    try {
      return await (writes ? this.#transactions.elsewhere(ask) : ask())
    } catch (error) {
      this.#transactions.checkOpen()
      if (error instanceof ThreadLost) return await here()
      throw error
    }
  }

  /**
   * After each commit. Pages are moved from the log into the file by the thread, once there are many: SQLite would do it
   * inside a COMMIT, which waits for the disk meanwhile.
   */
  noteCommit(): void {
    if (this.#path === ':memory:' || this.#counting !== undefined || this.#moving !== undefined) return
    this.#counting = setTimeout(() => {
      this.#counting = undefined
      if (!this.#isLogLong()) return
      // Where it cannot, a later commit does.
      this.#moving = this.thread.ask('move', []).then(
        () => this.#moved(),
        () => this.#moved(),
      )
    }, SOON).unref()
  }

  /** Whatever is wrong with the file, whoever reads or writes it next is told. */
  #isLogLong(): boolean {
    const { connection } = this.#transactions
    try {
      return connection.db.open && pagesInLog(connection) >= LOGGED
    } catch {
      return false
    }
  }

  #moved(): void {
    this.#moving = undefined
  }

  async stats(): Promise<LedgerStats> {
    await this.#transactions.expire()
    return await this.#ask('stats', [], () => this.#transactions.read(ledgerStats))
  }

  async verify(repair: boolean): Promise<readonly Problem[]> {
    await this.#transactions.expire()
    if (!repair)
      return await this.#ask('verify', [false], () =>
        this.#transactions.read((connection) => verifyLedger(connection, false)),
      )
    const problems = await this.#ask(
      'verify',
      [true],
      () => this.#transactions.transact((connection) => verifyLedger(connection, true)),
      { writes: true },
    )
    if (problems.length > 0) this.#options.onCommit(false)
    return problems
  }

  /** Who else holds the bytes of what is to be erased, so far; undefined: finding out takes no time. */
  async carriers(collection: number, target: EraseTarget): Promise<Carriers | undefined> {
    if (!this.#isLarge) return undefined
    return await this.#ask('carriers', [collection, target], () => NOBODY)
  }

  /** Moves the write-ahead log into the file and empties it. False while another connection reads an older state. */
  async checkpoint(): Promise<boolean> {
    await this.#moving
    return await this.#ask('checkpoint', [], () => truncateLog(this.#transactions.connection))
  }

  /** Gives the room of what is gone back to the disk. False: others are at work, so that it stays free in the file. */
  async reclaim(): Promise<boolean> {
    try {
      await this.#moving
      return await this.#ask('reclaim', [], () => reclaim(this.#transactions.connection), { writes: true })
    } catch (error) {
      const told = storageError(error, this.#path)
      if (isSpanStoreError(told, 'STORE_BUSY')) return false
      throw told
    }
  }

  /** Drops the texts of the next tombstones: one transaction. */
  async prune(which: { readonly before: number; readonly after: number }) {
    const here = () => this.#transactions.transact((connection, now) => writePruned(connection, which, now))
    if (!this.#isLarge) return await here()
    const pruned = await this.#ask('prune', [which, this.#options.clock()], here, { writes: true })
    this.#options.onCommit(false)
    return pruned
  }

  /** Copies one state to a file, as pages. False: it is for this thread to do. */
  async copy(target: string, onProgress: (done: number, total: number) => void): Promise<boolean> {
    return await this.#ask('backup', [target], () => false, { onProgress })
  }

  /** Before a ledger is closed: whoever closes it last moves what is left of the log into the file. */
  async shorten(): Promise<void> {
    clearTimeout(this.#counting)
    await this.#moving
    if (!this.#transactions.connection.db.open || !this.#isLarge) return
    const log = await stat(`${this.#path}-wal`).catch(() => undefined)
    if (log === undefined || log.size < LONG_LOG) return
    // Whatever is wrong, closing does it itself, or says so.
    await this.thread.ask('checkpoint', []).catch(() => false)
  }

  async close(): Promise<void> {
    await this.thread.close('anywhere')
  }
}

/** Asks for the whole to be looked at within the transaction. */
const NOBODY: Carriers = { hashes: [], spans: [], through: 0 }
