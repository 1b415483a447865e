import { parentPort, workerData } from 'node:worker_threads'
import { isSpanStoreError } from '../core/errors.ts'
import type { Candidates } from '../ports/attributes.ts'
import type { TextQuery } from '../ports/text.ts'
import { SqliteTextIndex } from './text-index.ts'

/** What the thread is given at its start. */
export interface ThreadData {
  readonly store: string
  readonly ledgerPath: string
}

/** Calls, by the name of what is called. */
export interface Calls {
  readonly search: readonly [collection: number, query: TextQuery, candidates: Candidates | undefined]
  readonly catchUp: readonly [collection: number | undefined]
  readonly verify: readonly [repair: boolean]
  readonly erase: readonly [ids: readonly number[]]
}

export type ToThread =
  | {
      readonly [N in keyof Calls]: { readonly id: number; readonly call: N; readonly given: Calls[N] }
    }[keyof Calls]
  | { readonly cancel: number }
  | 'wake'
  | 'close'

export type FromThread =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly progress: readonly [collection: number, pending: number] }
  | {
      readonly id: number
      readonly error: { readonly code?: string; readonly message: string; readonly detail?: unknown }
    }

/*
 * The whole of a thread that searches words: FTS5 answers in one piece, and in a large collection that takes longer
 * than anybody else should have to wait.
 */

const { store, ledgerPath } = workerData as ThreadData
const port = parentPort!
// What has expired is committed by whoever asks.
const index = new SqliteTextIndex({ id: store, expire: async () => undefined }, ledgerPath)
const running = new Map<number, AbortController>()

port.on('message', async (message: ToThread) => {
  if (message === 'wake') return index.wake()
  if (message === 'close') {
    await index.close()
    port.close()
    return
  }
  if ('cancel' in message) return running.get(message.cancel)?.abort()
  const { id } = message
  const controller = new AbortController()
  running.set(id, controller)
  try {
    port.postMessage({ id, answer: await answer(message, controller.signal) } satisfies FromThread)
  } catch (error) {
    port.postMessage({ id, error: plain(error) } satisfies FromThread)
  } finally {
    running.delete(id)
  }
})

async function answer(
  message: Extract<ToThread, { readonly call: keyof Calls }>,
  signal: AbortSignal,
): Promise<unknown> {
  switch (message.call) {
    case 'search': {
      const [collection, query, candidates] = message.given
      return await index.search(collection, { ...query, signal }, candidates)
    }
    case 'catchUp': {
      const [collection] = message.given
      const onProgress = (...progress: [number, number]) =>
        port.postMessage({ id: message.id, progress } satisfies FromThread)
      return await index.catchUp({ ...(collection === undefined ? {} : { collection }), signal, onProgress })
    }
    case 'verify':
      return await index.verify(...message.given)
    case 'erase':
      return await index.erase(...message.given)
  }
}

/** A thrown error does not cross between threads as what it is. */
function plain(error: unknown) {
  if (isSpanStoreError(error)) return { code: error.code, message: error.message, detail: error.detail }
  const { message, stack } = error as Error
  return { message: stack ?? message ?? String(error) }
}
