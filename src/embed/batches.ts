import { setMaxListeners } from 'node:events'
import { aborted } from './failure.ts'

export interface BatchLimits {
  readonly texts: number
  readonly characters: number
}

/** Consecutive texts, as many as the limits allow; a text longer than `characters` goes alone. */
export function batchesOf(texts: readonly string[], limits: BatchLimits): string[][] {
  const batches: string[][] = []
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length > 0 && (batch.length >= limits.texts || characters + text.length > limits.characters)) {
      batches.push(batch)
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

/** How many requests may be under way at once, however many callers there are. First come, first served. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#take(signal)
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }

  #take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(aborted(signal))
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        reject(aborted(signal))
      }
      const begin = () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      this.#waiting.push(begin)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}

/**
 * Embeds batch by batch, and gives the vectors in the order of the texts. The first batch that fails stops the
 * others: their vectors would be of no use.
 */
export async function inBatches(
  batches: readonly string[][],
  embed: (batch: string[], signal: AbortSignal) => Promise<Float32Array[]>,
  slots: Slots,
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const stop = new AbortController()
  // Every batch that waits for its turn listens.
  setMaxListeners(0, stop.signal)
  const onAbort = () => stop.abort(signal!.reason)
  if (signal?.aborted) throw aborted(signal)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const vectors = await Promise.all(
      batches.map((batch) => slots.run(() => embed(batch, stop.signal), stop.signal)),
    )
    return vectors.flat()
  } finally {
    signal?.removeEventListener('abort', onAbort)
    stop.abort()
  }
}
