import type { Worker } from 'node:worker_threads'
import { type ErrorCode, SpanStoreError } from '../core/errors.ts'
import { startThread } from '../embed/thread.ts'
import type { SqliteLedger } from '../ledger/sqlite/ledger.ts'
import type { Problem } from '../ports/problem.ts'
import type { TextAnswer, TextIndex, TextQuery } from '../ports/text.ts'
import { SqliteTextIndex, type TextIndexOptions } from './text-index.ts'
import type { Calls, FromThread, ThreadData, ToThread } from './thread.ts'

export interface ThreadedOptions extends TextIndexOptions {
  /** Live spans of a collection from which it is searched in a thread of its own. Default 25 000. */
  readonly large?: number
  /** What the thread runs, below this package's root and without extension; for tests. */
  readonly module?: string
}

interface Pending {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
  readonly onProgress?: (collection: number, pending: number) => void
}

/** The thread ended without an answer. */
class ThreadLost extends Error {}

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
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | undefined
  #lastId = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(ledger: SqliteLedger, ledgerPath: string, options: ThreadedOptions = {}) {
    this.#ledger = ledger
    this.#ledgerPath = ledgerPath
    this.#options = options
    this.#here = new SqliteTextIndex(ledger, ledgerPath, options)
    this.#large = options.large ?? 25_000
  }

  /** Whether this collection, or any, is large. A ledger in memory is seen by its own connection alone. */
  #isLarge(collection?: number): boolean {
    if (this.#closed || this.#ledgerPath === ':memory:') return false
    return (
      this.#ledger.connection.value(
        'SELECT 1 FROM collection_head WHERE dropped IS NULL AND live >= ?1 AND collection = coalesce(?2, collection) LIMIT 1',
        this.#large,
        collection ?? null,
      ) !== undefined
    )
  }

  async search(collection: number, query: TextQuery): Promise<TextAnswer> {
    if (!this.#isLarge(collection)) return await this.#here.search(collection, query)
    await this.#ledger.expire()
    const { signal, ...plain } = query
    const { where } = query
    const candidates = where === undefined ? undefined : this.#options.candidates?.(collection, where)
    return (await this.#ask('search', [collection, plain, candidates], { signal }, () =>
      this.#here.search(collection, query),
    )) as TextAnswer
  }

  watermark(collection: number): number {
    return this.#here.watermark(collection)
  }

  async catchUp(options: Parameters<TextIndex['catchUp']>[0] = {}): Promise<void> {
    const { collection, signal, onProgress } = options
    if (!this.#isLarge(collection)) return await this.#here.catchUp(options)
    await this.#ask(
      'catchUp',
      [collection],
      { signal, ...(onProgress === undefined ? {} : { onProgress }) },
      () => this.#here.catchUp(options),
    )
  }

  async verify(repair: boolean): Promise<readonly Problem[]> {
    if (!this.#isLarge()) return await this.#here.verify(repair)
    return (await this.#ask('verify', [repair], {}, () => this.#here.verify(repair))) as readonly Problem[]
  }

  async erase(ids: readonly number[]): Promise<readonly string[]> {
    if (!this.#isLarge()) return await this.#here.erase(ids)
    return (await this.#ask('erase', [ids], {}, () => this.#here.erase(ids))) as readonly string[]
  }

  /** Whoever catches up in the background is chosen when nothing was committed for a moment. */
  wake(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (!this.#isLarge()) return this.#here.wake()
      this.#thread().postMessage('wake' satisfies ToThread)
    }, WAKING).unref()
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const data: ThreadData = { store: this.#ledger.id, ledgerPath: this.#ledgerPath }
    const worker = startThread(this.#options.module ?? 'text/thread', {
      name: 'spanstore-text',
      workerData: data,
    })
    worker.unref()
    worker.on('message', (message: FromThread) => this.#hear(message))
    const lost = (why: unknown) => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      for (const id of [...this.#pending.keys()]) this.#settle(id)!.reject(new ThreadLost(String(why)))
    }
    worker.on('error', lost)
    worker.on('exit', lost)
    this.#worker = worker
    return worker
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#worker?.unref()
    return pending
  }

  #hear(message: FromThread): void {
    if ('progress' in message) this.#pending.get(message.id)?.onProgress?.(...message.progress)
    else if ('answer' in message) this.#settle(message.id)?.resolve(message.answer)
    else this.#settle(message.id)?.reject(errorOf(message.error))
  }

  /** `here`: does it in this thread, should the other not be there. */
  async #ask<N extends keyof Calls>(
    call: N,
    given: Calls[N],
    options: { readonly signal?: AbortSignal | undefined } & Pick<Pending, 'onProgress'>,
    here: () => Promise<unknown>,
  ): Promise<unknown> {
    const { signal, onProgress } = options
    const aborted = () =>
      new SpanStoreError('ABORTED', 'the search was aborted by its signal', {}, { cause: signal?.reason })
    if (signal?.aborted) throw aborted()
    const id = ++this.#lastId
    let onAbort: (() => void) | undefined
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject, ...(onProgress === undefined ? {} : { onProgress }) })
        onAbort = () => {
          this.#settle(id)?.reject(aborted())
          this.#worker?.postMessage({ cancel: id } satisfies ToThread)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        const worker = this.#thread()
        worker.postMessage({ id, call, given } as ToThread)
        // Whoever awaits an answer must not see the process end first.
        worker.ref()
      })
    } catch (error) {
      if (error instanceof ThreadLost && !this.#closed) return await here()
      if (error instanceof ThreadLost) throw closed()
      throw error
    } finally {
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const worker = this.#worker
    if (worker !== undefined) {
      worker.ref()
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.postMessage('close' satisfies ToThread)
      await ended
    }
    await this.#here.close()
  }
}

/** How long commits are gathered before the thread hears of them, in milliseconds. */
const WAKING = 1_000

const closed = () => new SpanStoreError('STORE_CLOSED', 'the store is closed; open it again', {})

function errorOf({
  code,
  message,
  detail,
}: Extract<FromThread, { readonly error: unknown }>['error']): Error {
  return code === undefined
    ? new Error(message)
    : new SpanStoreError(code as ErrorCode, message, detail as never)
}
