import type { Problem } from './problem.ts'

export interface CatchUpOptions {
  /** This one alone. */
  readonly collection?: number
  readonly signal?: AbortSignal
  /** `pending`: about how many events, or spans, are still to be absorbed; 0 at the end. */
  readonly onProgress?: (collection: number, pending: number) => void
}

/** What is derived from the ledger: it may lag, may be deleted, and is made anew without an embedder. */
export interface DerivedIndex {
  /** Absorbs the log of one collection, or of all, in steps that leave the process responsive. @throws STORE_BUSY, ABORTED */
  catchUp(options?: CatchUpOptions): Promise<void>
  /** Call after a commit: the index catches up in the background. */
  wake(): void
  /** Compares the index with the live spans, and makes it anew where they differ when told to: O(store). */
  verify(repair: boolean): Promise<readonly Problem[]>
  /** Removes every trace of these spans, which are tombstones, from its files. Answers what that still waits for. */
  erase(ids: readonly number[]): Promise<readonly string[]>
  close(): Promise<void>
}
