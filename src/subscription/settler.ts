import type { Failure, Settlement } from '../core/consumer.ts'

/** What one answer adds to the next settlement, and how it is taken back when that cannot be committed. */
export interface Answer {
  /** Collections whose cursor may move. */
  readonly advances?: readonly number[]
  readonly failure?: Failure
  readonly replayed?: { readonly ref: number; readonly position: number }
  readonly done?: () => void
  readonly undo: () => void
}

interface Queued {
  readonly answer: Answer
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Commits answers. Those given in one turn of the event loop, or while a commit is on its way, share the next
 * commit; commits follow each other. When one fails, so do the answers waiting behind it: to commit a later one
 * alone would acknowledge the earlier.
 */
export class Settler {
  readonly #commit: (settlement: Settlement) => Promise<void>
  readonly #settled: (ref: number) => number
  #queue: Queued[] = []
  #running: Promise<void> | undefined

  /** `settled`: up to where a collection is settled when asked. */
  constructor(commit: (settlement: Settlement) => Promise<void>, settled: (ref: number) => number) {
    this.#commit = commit
    this.#settled = settled
  }

  /** Resolves when the answer is durable. */
  add(answer: Answer): Promise<void> {
    const result = new Promise<void>((resolve, reject) => {
      this.#queue.push({ answer, resolve, reject })
    })
    this.#running ??= this.#run()
    return result
  }

  /** Resolves when nothing waits any more, whatever came of it. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      const batch = this.#queue
      this.#queue = []
      try {
        await this.#commit(this.#settlementOf(batch))
        for (const { answer, resolve } of batch) {
          answer.done?.()
          resolve()
        }
      } catch (error) {
        const failed = [...batch, ...this.#queue]
        this.#queue = []
        for (const { answer } of failed.toReversed()) answer.undo()
        for (const { reject } of failed) reject(error)
      }
    }
    this.#running = undefined
  }

  #settlementOf(batch: readonly Queued[]): Settlement {
    const advance = new Map<number, number>()
    const failures: Failure[] = []
    const replayed: { readonly ref: number; readonly position: number }[] = []
    for (const { answer } of batch) {
      for (const ref of answer.advances ?? []) advance.set(ref, this.#settled(ref))
      if (answer.failure !== undefined) failures.push(answer.failure)
      if (answer.replayed !== undefined) replayed.push(answer.replayed)
    }
    return { advance, failures, replayed }
  }
}
