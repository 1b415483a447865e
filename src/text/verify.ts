import type { Problem } from '../ports/problem.ts'
import { begin, readHead, tableOf, write } from './absorb.ts'
import { isDamage, type TextDatabase } from './database.ts'

/**
 * Compares the rows of a collection's index, which has caught up, with the live spans: O(collection). With `repair`
 * an index that differs is begun anew; the next catch-up fills it.
 */
export function verifyIndex(database: TextDatabase, collection: number, repair: boolean): Problem[] {
  const { connection } = database
  return write(database, () => {
    const head = readHead(connection, collection)
    if (head === undefined || head.dropped) return []
    const table = tableOf(collection)
    const live = `SELECT s.id FROM span s WHERE s.collection = ? AND s.kind = 0 AND s.text IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)`
    const indexed = `SELECT id FROM ${table}_docsize`
    const count = (sql: string) => connection.value<number>(`SELECT count(*) FROM (${sql})`, collection)!
    const missing = count(`${live} EXCEPT ${indexed}`)
    const surplus = count(`${indexed} EXCEPT ${live}`)
    const damaged = isDamaged(database, table)
    if (missing === 0 && surplus === 0 && !damaged) return []
    if (repair) begin(database, collection, head)
    const what = `text index of collection ${collection}: ${missing} live spans missing, ${surplus} others present${damaged ? ', its structure is damaged' : ''}`
    return [{ code: 'WRONG_TEXT_INDEX', what, repaired: repair }]
  })
}

function isDamaged({ connection }: TextDatabase, table: string): boolean {
  try {
    connection.run(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)
    return false
  } catch (error) {
    if (isDamage(error)) return true
    throw error
  }
}
