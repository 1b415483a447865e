import { existsSync, rmSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSpanStoreError, SpanStoreError, storeClosed } from '../../core/errors.ts'
import { storageError } from './open.ts'

/** How long emptying a log waits for readers of the old pages, in milliseconds. */
const READERS = 2_000

/** Another connection is in a transaction. */
export const isBusy = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_BUSY')

/** Which file stands at a path. */
export const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** What is open of a file. */
interface Opened {
  /** Which file it was when it was opened. */
  readonly inode: number | undefined
}

export interface DerivedFileOptions<D extends Opened> {
  /** As an error names it. */
  readonly what: string
  /** Undefined in memory. */
  readonly path: string | undefined
  readonly ledgerPath: string
  /** How long it waits for another process that writes to it, in milliseconds. */
  readonly wait: number
  open(): D
  close(database: D): void
  /** Whether an error says that the file itself is unusable. */
  isDamage(error: unknown): boolean
}

/**
 * An SQLite file beside the ledger that is made from it alone: opened when it is first used, shared with other
 * processes, and made anew when it is damaged or somebody deleted it.
 */
export class DerivedFile<D extends Opened> {
  readonly path: string | undefined
  readonly #options: DerivedFileOptions<D>
  readonly #closing = new AbortController()
  #database: D | undefined
  #damages = 0

  constructor(options: DerivedFileOptions<D>) {
    this.#options = options
    this.path = options.path
  }

  /** How often it was found damaged, and made anew, since it was opened here. */
  get damages(): number {
    return this.#damages
  }

  get closed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Whether there is anything to look at, or to erase from. */
  get there(): boolean {
    return this.#database !== undefined || (this.path !== undefined && existsSync(this.path))
  }

  /** @throws STORE_CLOSED */
  open(): D {
    if (this.closed) throw storeClosed()
    this.#database ??= this.#options.open()
    return this.#database
  }

  /** Lets go of a file that somebody deleted or replaced: what is done to it reaches nobody. */
  letGoOfReplaced(): void {
    if (
      this.#database !== undefined &&
      this.path !== undefined &&
      inodeOf(this.path) !== this.#database.inode
    )
      this.#letGo()
  }

  #letGo(): void {
    const database = this.#database
    this.#database = undefined
    if (database !== undefined) this.#options.close(database)
  }

  /** Nothing is lost: the next use makes it again. Who else has it open goes on with what it has. */
  discard(): void {
    this.#letGo()
    if (this.path === undefined) return
    for (const file of [this.path, `${this.path}-wal`, `${this.path}-shm`]) rmSync(file, { force: true })
  }

  /** @throws STORE_CLOSED, ABORTED */
  check(signal: AbortSignal | undefined): void {
    if (this.closed) throw storeClosed()
    if (signal?.aborted)
      throw new SpanStoreError('ABORTED', 'the work was aborted by its signal', {}, { cause: signal.reason })
  }

  /** Runs work on the file; when that turns out to be damaged, makes a new one and runs it again. */
  async healing<T>(work: () => T | Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (attempt > 0 || this.path === undefined || !this.#options.isDamage(error))
          throw storageError(error, this.#options.ledgerPath)
        this.#damages++
        this.discard()
      }
    }
  }

  /** Tries until no other process is in a transaction of the file. @throws STORE_BUSY, STORE_CLOSED */
  async patiently<T>(work: () => T | Promise<T>, pause: () => Promise<void> = async () => {}): Promise<T> {
    const started = performance.now()
    for (;;) {
      this.check(undefined)
      try {
        return await work()
      } catch (error) {
        if (!isBusy(error)) throw error
      }
      const waited = Math.round(performance.now() - started)
      if (waited > this.#options.wait) throw this.busy(waited)
      await sleep(5)
      await pause()
    }
  }

  busy(waited: number): SpanStoreError {
    return new SpanStoreError(
      'STORE_BUSY',
      `another process wrote to the ${this.#options.what} for ${waited} ms; try again`,
      { waited },
    )
  }

  /** An erasure: `work` answers what it waits for; so does the log of a file that others are at. */
  async erasing(work: () => Promise<readonly string[]>): Promise<readonly string[]> {
    this.letGoOfReplaced()
    if (!this.there) return []
    try {
      return await this.healing(work)
    } catch (error) {
      if (isBusy(error) || isSpanStoreError(error, 'STORE_BUSY')) return [`a writer of ${this.path}`]
      throw error
    }
  }

  /** Moves the log into the file and cuts it to nothing. Answers who still reads old pages, if anybody does. */
  async truncateLog(checkpoint: (database: D) => boolean): Promise<readonly string[]> {
    if (this.path === undefined) return []
    const started = performance.now()
    while (!checkpoint(this.open())) {
      if (performance.now() - started > READERS) return [`a reader of ${this.path}`]
      await sleep(20)
    }
    return []
  }

  /** What is under way notices at its next check; `ending` is when it has. */
  async close(ending: () => Promise<unknown>): Promise<void> {
    this.#closing.abort()
    await ending()
    this.#letGo()
  }
}

/** Does something some time after the last time it was woken. */
export class WhenQuiet {
  readonly #idle: number
  readonly #work: () => void
  #timer: NodeJS.Timeout | undefined
  #stirred = 0

  constructor(idle: number, work: () => void) {
    this.#idle = idle
    this.#work = work
  }

  wake(): void {
    this.#stirred = performance.now()
    if (this.#timer === undefined) this.#rest(this.#idle)
  }

  /** At the next turn, quiet or not. */
  now(): void {
    this.#stirred = 0
    this.#rest(0)
  }

  #rest(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const left = this.#stirred + this.#idle - performance.now()
      if (left > 1 && this.#stirred > 0) return this.#rest(left)
      this.#timer = undefined
      this.#work()
    }, milliseconds).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
