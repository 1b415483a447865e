import { SpanStoreError, storeClosed } from '../../core/errors.ts'
import type { WriteOptions } from '../../ports/planned.ts'
import { type AskedThread, ThreadLost } from '../../threads/ask.ts'
import { partsOf } from '../../threads/in-parts.ts'
import { type Sent, withAnswers } from './sent-write.ts'
import type { LedgerCalls } from './thread.ts'
import type { Transactions } from './transactions.ts'
import { carryOut, OUTDATED, type WriteCommand, type WriteResults } from './write-command.ts'
import { costOf } from './write-cost.ts'

export interface HeavyWriteOptions {
  /** Undefined: a ledger in memory, which no other connection sees. */
  readonly path: string | undefined
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Microseconds that a write may take here. */
  readonly heavy: number
  /** Called after a commit made elsewhere. */
  readonly onCommit: (quiet: boolean) => void
}

/** How often a write is made anew because another process changed what it was made from. */
const ATTEMPTS = 3

/** It has to be done here. */
const HERE = Symbol('here')

/**
 * Carries writes out: small ones here, large ones in the thread, on a connection of its own. There it is one
 * transaction as it would be here, which SQLite shows to nobody before its commit; what else this process wants to
 * write waits for it, in order, and reading goes on.
 */
export class HeavyWrites {
  readonly #transactions: Transactions
  readonly #thread: AskedThread<LedgerCalls>
  readonly #options: HeavyWriteOptions
  readonly #running = new Set<Promise<unknown>>()
  #closed = false
  #tickets = 0

  constructor(transactions: Transactions, thread: AskedThread<LedgerCalls>, options: HeavyWriteOptions) {
    this.#transactions = transactions
    this.#thread = thread
    this.#options = options
  }

  /** @throws OUTDATED, of a put; what `Transactions.writeIn` throws; STORAGE_FAILED */
  async write<C extends WriteCommand>(
    collection: number,
    command: C,
    options: WriteOptions,
  ): Promise<WriteResults[C['verb']]> {
    const transactions = this.#transactions
    transactions.checkOpen()
    if (this.#isHeavy(collection, command)) {
      if (this.#closed) throw storeClosed()
      const writing = transactions.elsewhere(() => this.#there(collection, command, options))
      this.#running.add(writing)
      try {
        const done = await writing
        if (done !== HERE) return done as WriteResults[C['verb']]
      } finally {
        this.#running.delete(writing)
      }
    }
    return (await transactions.writeIn(collection, options, (commit) =>
      carryOut(commit, collection, command),
    )) as WriteResults[C['verb']]
  }

  #isHeavy(collection: number, command: WriteCommand): boolean {
    const { path, heavy } = this.#options
    return path !== undefined && costOf(this.#transactions.connection, collection, command, heavy) >= heavy
  }

  async #there(collection: number, command: WriteCommand, options: WriteOptions): Promise<unknown> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      /** Not 0: its transaction was about to end. */
      const ending = new Int32Array(new SharedArrayBuffer(4))
      try {
        const sent = await withAnswers(command, (sought) => this.#thread.ask('before', [collection, sought]))
        if (sent === undefined) return HERE
        const ticket = ++this.#tickets
        let parts = 0
        for (const part of partsOf({ command: sent, options: owned(options) } satisfies Sent)) {
          await this.#thread.ask('take', [ticket, part])
          parts++
        }
        const { minted } = this.#transactions
        const answer = await this.#thread.ask('write', [
          collection,
          { ticket, parts, minted: { ...minted }, now: this.#options.clock(), ending },
        ])
        if (answer === 'outdated') {
          if (command.verb === 'put') throw OUTDATED
          continue
        }
        Object.assign(minted, answer.minted)
        this.#options.onCommit(false)
        return answer.result
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error
        this.#transactions.checkOpen()
        if (ending[0] === 0) return HERE
        throw new SpanStoreError(
          'STORAGE_FAILED',
          `the thread that carried out this ${command.verb} ended at its commit, so that it is not known whether it was written: read before you try again, or give writes a commandId`,
          { reason: error.message },
          { cause: error },
        )
      }
    }
    return HERE
  }

  /** Writes that are under way elsewhere end first; none begins any more. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }
}

/** An array that is part of a larger one would be sent with all of it. */
function owned(options: WriteOptions): WriteOptions {
  const { computed } = options
  if (computed === undefined) return options
  const vectors = new Map<string, Float32Array>()
  for (const [hash, vector] of computed.vectors)
    vectors.set(hash, vector.byteLength === vector.buffer.byteLength ? vector : vector.slice())
  return { ...options, computed: { ...computed, vectors } }
}
