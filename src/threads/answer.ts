import { parentPort } from 'node:worker_threads'
import { isSpanStoreError } from '../core/errors.ts'
import type { Calls, FromThread, PlainError, ToThread } from './call.ts'

/** What a call is told besides what it was given. */
export interface Call {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  readonly progress: (...progress: readonly unknown[]) => void
}

export type Answers<C extends Calls> = {
  readonly [N in keyof C]: (
    call: Call,
    ...given: Parameters<C[N]>
  ) => ReturnType<C[N]> | Promise<ReturnType<C[N]>>
}

/** The whole of a thread: answers calls until it is told to close, and then ends by itself. */
export function answerCalls<C extends Calls>(answers: Answers<C>, close: () => void | Promise<void>): void {
  const port = parentPort!
  const running = new Map<number, AbortController>()
  const say = (message: FromThread) => port.postMessage(message)
  port.on('message', async (message: ToThread) => {
    if (message === 'close') {
      await close()
      port.close()
      return
    }
    if ('cancel' in message) return running.get(message.cancel)?.abort()
    const { id, call, given } = message
    const controller = new AbortController()
    running.set(id, controller)
    try {
      const progress = (...progress: readonly unknown[]) => say({ id, progress })
      const { signal } = controller
      const answer = await answers[call]!({ signal, progress }, ...(given as Parameters<C[string]>))
      say({ id, answer })
    } catch (error) {
      say({ id, error: plain(error) })
    } finally {
      running.delete(id)
    }
  })
}

function plain(error: unknown): PlainError {
  if (isSpanStoreError(error)) return { code: error.code, message: error.message, detail: error.detail }
  const { message, stack } = error as Error
  return { message: stack ?? message ?? String(error) }
}
