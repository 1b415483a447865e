import { workerData } from 'node:worker_threads'
import type { Candidates } from '../ports/attributes.ts'
import type { Problem } from '../ports/problem.ts'
import type { TextAnswer, TextQuery } from '../ports/text.ts'
import { answerCalls } from '../threads/answer.ts'
import { SqliteTextIndex } from './text-index.ts'

/** What the thread is given at its start. */
export interface TextThreadData {
  readonly store: string
  readonly ledgerPath: string
}

export type TextCalls = {
  readonly search: (
    collection: number,
    query: Omit<TextQuery, 'signal'>,
    candidates: Candidates | undefined,
  ) => TextAnswer
  /** Its progress: a collection, and how much is pending there. */
  readonly catchUp: (collection: number | undefined) => void
  readonly verify: (repair: boolean) => readonly Problem[]
  readonly erase: (ids: readonly number[]) => readonly string[]
  readonly wake: () => void
}

/*
 * The whole of a thread that searches words: FTS5 answers in one piece, and in a large collection that takes longer
 * than anybody else should have to wait.
 */

const { store, ledgerPath } = workerData as TextThreadData
// What has expired is committed by whoever asks.
const index = new SqliteTextIndex({ id: store, expire: async () => undefined }, ledgerPath)

answerCalls<TextCalls>(
  {
    search: ({ signal }, collection, query, candidates) =>
      index.search(collection, { ...query, signal }, candidates),
    catchUp: ({ signal, progress }, collection) =>
      index.catchUp({ ...(collection === undefined ? {} : { collection }), signal, onProgress: progress }),
    verify: (_, repair) => index.verify(repair),
    erase: (_, ids) => index.erase(ids),
    wake: () => index.wake(),
  },
  () => index.close(),
)
