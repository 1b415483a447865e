import { nextTurn } from '../threads/turn.ts'
import { readState, tableOf, write } from './absorb.ts'
import type { TextDatabase } from './database.ts'

/** Pages of the index one step of a merge writes: about as long as one step of absorbing. */
const PAGES = 500

/**
 * Deletes rows and rewrites the collection's index without them. Deleting a row of a contentless index marks it and
 * leaves its words in the file; a complete merge writes what is left anew, and freed pages are zeroed.
 */
export async function mergeAway(
  database: TextDatabase,
  collection: number,
  ids: readonly number[],
): Promise<void> {
  const { connection } = database
  const table = tableOf(collection)
  const owed = write(database, () => {
    const state = readState(connection, collection)
    if (state === undefined) return false
    const deleted = connection.run(
      `DELETE FROM ${table} WHERE rowid IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    )
    connection.run(
      'UPDATE text_state SET rows = rows - ?, deleted = deleted + ? WHERE collection = ?',
      deleted,
      deleted,
      collection,
    )
    if (state.owed !== 1 && state.deleted + deleted === 0) return false
    connection.run('UPDATE text_state SET owed = 1 WHERE collection = ?', collection)
    return true
  })
  if (!owed) return
  for (;;) {
    const done = write(database, () => {
      const state = readState(connection, collection)
      // Another process finished it, or dropped the table.
      if (state?.owed !== 1) return true
      const changes = () => connection.value<number>('SELECT total_changes()')!
      const before = changes()
      // A negative number of pages: begin, or go on with, a merge of everything into one.
      connection.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, -PAGES)
      if (changes() - before >= 2) return false
      connection.run('UPDATE text_state SET owed = 2, deleted = 0 WHERE collection = ?', collection)
      return true
    })
    if (done) return
    await nextTurn()
  }
}

/** Moves the log into the file and cuts it to nothing. False while another process still reads old pages. */
export const isLogEmptied = ({ connection, schema }: TextDatabase): boolean =>
  connection.value<number>(`PRAGMA ${schema}.wal_checkpoint(TRUNCATE)`) === 0
