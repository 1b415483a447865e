import type { Connection } from '../ledger/sqlite/statements.ts'
import type { Totals } from './bm25.ts'

/*
 * FTS5 keeps the number of rows and of their tokens in a record of its own, which every score is worked out from. The
 * deletion of a row whose text is not there does not change it: in a collection that is edited all the time, dead spans
 * would go on counting, and the commonest words would begin to tell something. So what a deletion takes away is
 * subtracted here. The record is read by FTS5 at the first write of a transaction, so it has to be put right before.
 */

/** Of that record in the index's table of pages. */
const RECORD = 1

/** Undefined when the record is not what it was in all versions up to now: two numbers. */
export function readTotals(connection: Connection, table: string): Totals | undefined {
  const record = connection.value<Buffer>(`SELECT block FROM ${table}_data WHERE id = ${RECORD}`)
  const [rows, tokens, ...more] = record === undefined ? [] : numbersOf(record)
  return rows === undefined || tokens === undefined || more.length > 0 ? undefined : { rows, tokens }
}

/** Tokens of the rows that a condition on `d.id` selects. */
export function tokensOfRows(
  connection: Connection,
  table: string,
  condition: string,
  ...values: number[]
): Totals {
  let [rows, tokens] = [0, 0]
  for (const [length, count] of connection.once<[Buffer, number]>(
    `SELECT d.sz, count(*) FROM ${table}_docsize d WHERE ${condition} GROUP BY d.sz`,
    ...values,
  )) {
    rows += count
    tokens += count * (numbersOf(length)[0] ?? 0)
  }
  return { rows, tokens }
}

/** Before any other write of a transaction to the index: what it has, less what is about to be deleted. */
export function setTotals(
  connection: Connection,
  table: string,
  /** How many rows there really are. */
  rows: number,
  leaving: Totals,
): void {
  const known = readTotals(connection, table)
  if (known === undefined || (known.rows === rows && leaving.rows === 0)) return
  // It was not kept right before: counted once.
  const right = known.rows === rows ? known : tokensOfRows(connection, table, '1')
  const record = Buffer.concat([right.rows - leaving.rows, right.tokens - leaving.tokens].map(bytesOf))
  // Tables of FTS5 itself can only be written to while SQLite is told to allow it.
  connection.db.unsafeMode(true)
  try {
    connection.db.prepare(`UPDATE ${table}_data SET block = ? WHERE id = ${RECORD}`).run(record)
  } finally {
    connection.db.unsafeMode(false)
  }
}

/** SQLite's integers of variable length: seven bits a byte, the highest says that more follow. */
export function numbersOf(bytes: Buffer): number[] {
  const numbers: number[] = []
  let number = 0
  for (const byte of bytes) {
    number = number * 128 + (byte & 127)
    if (byte >= 128) continue
    numbers.push(number)
    number = 0
  }
  return numbers
}

function bytesOf(number: number): Buffer {
  const bytes = [number % 128]
  for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
    bytes.unshift((left % 128) + 128)
  return Buffer.from(bytes)
}
