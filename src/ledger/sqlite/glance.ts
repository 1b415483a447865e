import type { FetchResult } from '../../core/model.ts'
import { openDatabase } from './open.ts'
import { fetchNow } from './read.ts'
import { Connection } from './statements.ts'

/**
 * Fetches a few keys of a store that nobody has open in this process, and closes it again: what a command line does.
 * Loads a third of what a ledger loads. `undefined`: something is due to expire, which only a ledger can commit.
 */
export function glance(path: string, keys: readonly string[]): readonly FetchResult[] | undefined {
  const db = openDatabase(path, { clock: Date.now, wait: 10_000 })
  try {
    const connection = new Connection(db)
    const now = Date.now()
    return db.transaction(() => {
      const results: FetchResult[] = []
      for (const key of keys) {
        const result = fetchNow(connection, key, undefined, now)
        if (result === 'due') return undefined
        results.push(result)
      }
      return results
    })()
  } finally {
    db.close()
  }
}
