import { storeClosed } from '../core/errors.ts'
import type { SqliteLedger } from '../ledger/sqlite/ledger.ts'
import type { Problem } from '../ports/problem.ts'
import type { TextAnswer, TextIndex, TextQuery } from '../ports/text.ts'
import { AskedThread, type AskOptions, ThreadLost } from '../threads/ask.ts'
import { SqliteTextIndex, type TextIndexOptions } from './text-index.ts'
import type { TextCalls, TextThreadData } from './thread.ts'

export interface ThreadedOptions extends TextIndexOptions {
  /** Live spans of a collection from which it is searched in a thread of its own. Default 25 000. */
  readonly large?: number
  /** What the thread runs, below this package's root and without extension; for tests. */
  readonly module?: string
}

/**
 * Full text that never holds the process up for long: small collections are searched where the call is made, large
 * ones in a thread, which begins with the first of them. Without the thread, the answer is the same.
 */
export class ThreadedTextIndex implements TextIndex {
  readonly #ledger: SqliteLedger
  readonly #ledgerPath: string
  readonly #here: SqliteTextIndex
  readonly #options: ThreadedOptions
  readonly #large: number
  readonly #thread: AskedThread<TextCalls>
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(ledger: SqliteLedger, ledgerPath: string, options: ThreadedOptions = {}) {
    this.#ledger = ledger
    this.#ledgerPath = ledgerPath
    this.#options = options
    this.#here = new SqliteTextIndex(ledger, ledgerPath, options)
    this.#large = options.large ?? 25_000
    const data: TextThreadData = { store: ledger.id, ledgerPath }
    this.#thread = new AskedThread(options.module ?? 'text/thread', { name: 'spanstore-text', data })
  }

  /**
   * Whether this collection, or any, is large, or has changed much since a position. A ledger in memory is seen by its
   * own connection alone.
   */
  #isLarge(collection?: number, since?: number): boolean {
    if (this.#closed || this.#ledgerPath === ':memory:') return false
    return (
      this.#ledger.connection.value(
        `SELECT 1 FROM collection_head WHERE dropped IS NULL AND max(live, position - coalesce(?3, position)) >= ?1
           AND collection = coalesce(?2, collection) LIMIT 1`,
        this.#large,
        collection ?? null,
        since ?? null,
      ) !== undefined
    )
  }

  async search(collection: number, query: TextQuery): Promise<TextAnswer> {
    const { where, asOf } = query
    if (where === undefined && asOf === undefined && !this.#closed && this.#ledgerPath !== ':memory:') {
      // Rare words are found here before a thread has heard of them.
      const answer = await this.#here.searchUnlessLong(collection, query, this.#large)
      if (answer !== undefined) return answer
    } else if (!this.#isLarge(collection, asOf)) return await this.#here.search(collection, query)
    await this.#ledger.expire()
    const { signal, ...plain } = query
    const candidates = where === undefined ? undefined : this.#options.candidates?.(collection, where)
    return await this.#ask('search', [collection, plain, candidates], { signal }, () =>
      this.#here.search(collection, query),
    )
  }

  watermark(collection: number): number {
    return this.#here.watermark(collection)
  }

  async catchUp(options: Parameters<TextIndex['catchUp']>[0] = {}): Promise<void> {
    const { collection, signal, onProgress } = options
    if (!this.#isLarge(collection)) return await this.#here.catchUp(options)
    await this.#ask('catchUp', [collection], { signal, onProgress }, () => this.#here.catchUp(options))
  }

  async verify(repair: boolean): Promise<readonly Problem[]> {
    if (!this.#isLarge()) return await this.#here.verify(repair)
    return await this.#ask('verify', [repair], {}, () => this.#here.verify(repair))
  }

  async erase(ids: readonly number[]): Promise<readonly string[]> {
    if (!this.#isLarge()) return await this.#here.erase(ids)
    return await this.#ask('erase', [ids], {}, () => this.#here.erase(ids))
  }

  /** Whoever catches up in the background is chosen when nothing was committed for a moment. */
  wake(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (!this.#isLarge()) return this.#here.wake()
      // Nobody waits for this: the next search finds out.
      this.#thread.ask('wake', []).catch(() => {})
    }, WAKING).unref()
  }

  /** `here`: does it in this thread, should the other not be there. */
  async #ask<N extends keyof TextCalls>(
    call: N,
    given: Parameters<TextCalls[N]>,
    options: AskOptions,
    here: () => Promise<Awaited<ReturnType<TextCalls[N]>>>,
  ): Promise<Awaited<ReturnType<TextCalls[N]>>> {
    try {
      return await this.#thread.ask(call, given, options)
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error
      if (this.#closed) throw storeClosed()
      return await here()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#thread.close('orderly')
    await this.#here.close()
  }
}

/** How long commits are gathered before the thread hears of them, in milliseconds. */
const WAKING = 1_000
