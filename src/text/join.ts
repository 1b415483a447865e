import { nextTurn } from '../threads/turn.ts'
import { readState, tableOf, write } from './absorb.ts'
import type { TextDatabase } from './database.ts'

/** Pages of the index that one step writes: a few milliseconds. */
const PAGES = 32

/** Parts are joined when those beside the largest have grown to this part of it. */
const SHARE = 1 / 4

/**
 * Every search looks into every part of an index, and FTS5 keeps up to four of each size. Joins them all when that is
 * worth its price, which follows what was written: a quarter has to be new. `check` throws when it is time to stop.
 */
export async function joinParts(
  database: TextDatabase,
  collection: number,
  check: () => void,
): Promise<void> {
  const { connection } = database
  const table = tableOf(collection)
  if (readState(connection, collection)?.scan !== null) return
  // The number of a part's last page.
  const pages = connection
    .rows<[number]>(`SELECT max(pgno) >> 1 FROM ${table}_idx GROUP BY segid`)
    .map(([last]) => last + 1)
  const all = pages.reduce((sum, size) => sum + size, 0)
  const largest = Math.max(...pages)
  if (pages.length < 2 || all - largest < largest * SHARE) return
  for (let written = true; written; ) {
    check()
    written = write(database, () => {
      const changes = () => connection.value<number>('SELECT total_changes()')!
      const before = changes()
      // A negative number of pages: begin, or go on with, a merge of everything into one.
      connection.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, -PAGES)
      return changes() - before >= 2
    })
    await nextTurn()
  }
}
