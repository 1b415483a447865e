import type { Worker } from 'node:worker_threads'
import { type ErrorCode, SpanStoreError } from '../core/errors.ts'
import type { Calls, FromThread, PlainError, ToThread } from './call.ts'
import { startThread } from './start.ts'

/** The thread ended, or never began, without an answer. */
export class ThreadLost extends Error {}

export interface AskOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((...progress: never[]) => void) | undefined
}

interface Pending {
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
  readonly onProgress: AskOptions['onProgress']
}

/**
 * A thread that begins with the first call, keeps the process alive only while somebody waits for an answer, and ends
 * when it is closed or has had nothing to do for a while.
 */
export class AskedThread<C extends Calls> {
  readonly #module: string
  readonly #name: string
  readonly #data: unknown
  readonly #idle: number
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | undefined
  #timer: NodeJS.Timeout | undefined
  #lastId = 0
  #closing = false

  /** `module`: below this package's root, without its extension. `idle`: milliseconds; for good unless given. */
  constructor(
    module: string,
    options: { readonly name: string; readonly data: unknown; readonly idle?: number },
  ) {
    this.#module = module
    this.#name = options.name
    this.#data = options.data
    this.#idle = options.idle ?? Number.POSITIVE_INFINITY
  }

  /** @throws ThreadLost; what the call throws in the thread; ABORTED */
  async ask<N extends keyof C & string>(
    call: N,
    given: Parameters<C[N]>,
    { signal, onProgress }: AskOptions = {},
  ): Promise<Awaited<ReturnType<C[N]>>> {
    const aborted = () =>
      new SpanStoreError('ABORTED', `the ${call} was aborted by its signal`, {}, { cause: signal?.reason })
    if (signal?.aborted) throw aborted()
    const id = ++this.#lastId
    let onAbort: (() => void) | undefined
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject, onProgress })
        onAbort = () => {
          this.#settle(id)?.reject(aborted())
          this.#worker?.postMessage({ cancel: id } satisfies ToThread)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        const worker = this.#begun()
        worker.postMessage({ id, call, given } satisfies ToThread)
        // Whoever awaits an answer must not see the process end first.
        worker.ref()
      })
    } finally {
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort)
    }
  }

  #begun(): Worker {
    clearTimeout(this.#timer)
    if (this.#worker !== undefined) return this.#worker
    const worker = startThread(this.#module, { name: this.#name, workerData: this.#data })
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
    // Whoever closes waits for its end, also where it answers the last call on the way there.
    if (this.#pending.size > 0 || this.#closing) return pending
    this.#worker?.unref()
    clearTimeout(this.#timer)
    if (Number.isFinite(this.#idle)) this.#timer = setTimeout(() => this.#rest(), this.#idle).unref()
    return pending
  }

  /** Nobody waits for anything: whoever asks next begins another thread. */
  #rest(): void {
    const worker = this.#worker
    this.#worker = undefined
    worker?.postMessage('close' satisfies ToThread)
  }

  #hear(message: FromThread): void {
    if ('progress' in message) this.#pending.get(message.id)?.onProgress?.(...(message.progress as never[]))
    else if ('answer' in message) this.#settle(message.id)?.resolve(message.answer as never)
    else this.#settle(message.id)?.reject(errorOf(message.error))
  }

  /**
   * Ends the thread once it has put its things away, or wherever it is, if it is at work: at the next of its own steps
   * in JavaScript. Who still waits is told that it is lost.
   */
  async close(how: 'orderly' | 'anywhere'): Promise<void> {
    clearTimeout(this.#timer)
    const worker = this.#worker
    if (worker === undefined) return
    this.#closing = true
    worker.ref()
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    if (how === 'orderly' || this.#pending.size === 0) worker.postMessage('close' satisfies ToThread)
    else await worker.terminate()
    await ended
  }
}

const errorOf = ({ code, message, detail }: PlainError): Error =>
  code === undefined ? new Error(message) : new SpanStoreError(code as ErrorCode, message, detail as never)
