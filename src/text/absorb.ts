import { isMainThread } from 'node:worker_threads'
import { EVENT } from '../ledger/sqlite/codes.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { TextDatabase } from './database.ts'
import { TOKENIZER } from './tokens.ts'
import { setTotals, tokensOfRows } from './totals.ts'

/** Work of one step: large enough for FTS5 to write well, small enough to leave the process responsive. */
const SPANS = 2_000
const EVENTS = 2 * SPANS

/** Characters that cost what one costs by itself, and of those taken at a stretch where others wait: some milliseconds. */
const ROW = 15
const CHARACTERS = isMainThread ? 40_000 : Number.POSITIVE_INFINITY

/** What the index knows of a collection. */
export interface TextState {
  readonly position: number
  /** Set while the spans are copied as they stand; the log is followed after that. */
  readonly scan: number | null
  readonly rows: number
  readonly deleted: number
  /** 0: nothing. 1: a merge, because some of the deleted were erased. 2: the log must be cut after the merge. */
  readonly owed: number
}

interface Head {
  readonly position: number
  readonly floor: number
  readonly dropped: boolean
}

export const tableOf = (collection: number): string => `text_${collection}`

export function readHead(connection: Connection, collection: number): Head | undefined {
  const row = connection.row<[number, number, number | null]>(
    'SELECT position, floor, dropped FROM collection_head WHERE collection = ?',
    collection,
  )
  return row && { position: row[0], floor: row[1], dropped: row[2] !== null }
}

export function readState(connection: Connection, collection: number): TextState | undefined {
  const row = connection.row<[number, number | null, number, number, number]>(
    'SELECT position, scan, rows, deleted, owed FROM text_state WHERE collection = ?',
    collection,
  )
  return row && { position: row[0], scan: row[1], rows: row[2], deleted: row[3], owed: row[4] }
}

/** A collection as the ledger and the index have it. */
export interface Standing {
  readonly name: string
  readonly live: number
  readonly head: Head
  readonly state: TextState | undefined
  /** When the next thing of the store expires. */
  readonly due: number | null
}

export type StandingRow = [
  name: string,
  live: number,
  due: number | null,
  position: number,
  floor: number,
  dropped: number | null,
  reached: number | null,
  scan: number | null,
  rows: number,
  deleted: number,
  owed: number,
]

/** In one statement: every search asks. */
export const STANDING = {
  columns: `c.name, c.live, (SELECT min(d.expires) FROM source_head d WHERE d.expires IS NOT NULL),
    c.position, c.floor, c.dropped, i.position, i.scan, i.rows, i.deleted, i.owed`,
  from: 'collection_head c LEFT JOIN text_state i ON i.collection = c.collection',
}

export const STANDING_COLUMNS = 11

export function readStanding(connection: Connection, collection: number): Standing | undefined {
  const row = connection.row<StandingRow>(
    `SELECT ${STANDING.columns} FROM ${STANDING.from} WHERE c.collection = ?`,
    collection,
  )
  return row && standingOf(row)
}

export function standingOf(row: StandingRow): Standing {
  const [name, live, due, position, floor, dropped, reached, scan, rows, deleted, owed] = row
  return {
    name,
    live,
    due,
    head: { position, floor, dropped: dropped !== null },
    state: reached === null ? undefined : { position: reached, scan, rows, deleted, owed },
  }
}

/** How far the index reaches. While spans are copied it reaches nowhere. */
export const reach = (state: TextState | undefined): number =>
  state === undefined || state.scan !== null ? 0 : state.position

/** Runs a transaction that writes to the index but holds no lock of the ledger, so that ledger writes never wait. */
export function write<T>({ connection }: TextDatabase, work: () => T): T {
  // Not BEGIN IMMEDIATE: that would lock every attached database. The first statement takes the index's lock alone.
  connection.run('BEGIN')
  try {
    connection.run('UPDATE text_store SET format = format')
    const result = work()
    connection.run('COMMIT')
    return result
  } catch (error) {
    if (connection.db.inTransaction) connection.run('ROLLBACK')
    throw error
  }
}

/**
 * One step towards the present, inside `write`. Answers how much of the log is still to be absorbed, roughly; 0 means
 * that the index shows the collection exactly as this transaction sees it in the ledger.
 */
export function absorb(database: TextDatabase, collection: number): number {
  const { connection } = database
  const head = readHead(connection, collection)
  let state = readState(connection, collection)
  if (head === undefined || head.dropped) {
    if (state !== undefined) forget(database, collection)
    return 0
  }
  if (state === undefined || !follows(connection, collection, state, head))
    state = begin(database, collection, head)
  return state.scan === null
    ? follow(connection, collection, state, head)
    : copy(connection, collection, state, state.scan, head)
}

/** Drops a collection's words. */
function forget({ connection, schema }: TextDatabase, collection: number): void {
  connection.db.exec(`DROP TABLE IF EXISTS ${schema}.${tableOf(collection)}`)
  connection.run('DELETE FROM text_state WHERE collection = ?', collection)
}

/** An empty index, which is to copy what is live now. */
export function begin(database: TextDatabase, collection: number, head: Head): TextState {
  forget(database, collection)
  // Contentless: the ledger has the texts. FTS5's own 'secure-delete' would do nothing here, because the deletion of
  // a row whose text is unknown only marks it; erasure merges instead (see erase.ts). No prefix index: it doubles
  // the file and halves the rate, and prefixes are answered from the term index well enough.
  database.connection.db.exec(
    `CREATE VIRTUAL TABLE ${database.schema}.${tableOf(collection)}
     USING fts5(text, content='', contentless_delete=1, tokenize="${TOKENIZER}")`,
  )
  database.connection.run(
    'INSERT INTO text_state (collection, position, scan, rows, deleted, owed) VALUES (?, ?, 0, 0, 0, 0)',
    collection,
    head.position,
  )
  return { position: head.position, scan: 0, rows: 0, deleted: 0, owed: 0 }
}

/** Whether the ledger's log goes on from where the index stands. It does not after a restored backup. */
export function follows(connection: Connection, collection: number, state: TextState, head: Head): boolean {
  if (state.position > head.position || state.position < head.floor) return false
  const seen = connection.row<[number | null, number, number, string]>(
    'SELECT seen, seen_at, seen_node, seen_key FROM text_state WHERE collection = ?',
    collection,
  )!
  if (seen[0] === null) return true
  if (connection.value('SELECT 1 FROM span WHERE id = ? AND key = ?', seen[2], seen[3]) === undefined)
    return false
  return (
    seen[0] <= head.floor ||
    connection.value(
      'SELECT 1 FROM event WHERE collection = ? AND position = ? AND at = ? AND node = ?',
      collection,
      seen[0],
      seen[1],
      seen[2],
    ) !== undefined
  )
}

// Texts that are pure ASCII have no characters to set apart, and are told by their size without being looked at.
/** The text of `span s` as it is indexed. */
export const TOKENS = 'iif(octet_length(s.text) = s.length, s.text, spanstore_tokens(s.text))'
const LIVE = 'NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)'

/** Spans that left a collection after one position, up to another. */
export const GONE = `SELECT e.node FROM event e WHERE e.collection = ? AND e.position > ? AND e.position <= ?
  AND e.type IN (${EVENT['span.retired']}, ${EVENT['span.erased']}) AND e.node IS NOT NULL`

/** The last of the next spans that are put into an index at a stretch; null: there are no more. */
export function lastOf(connection: Connection, collection: number, after: number): number | null {
  return upTo(
    connection.each<[number, number]>(
      'SELECT id, length FROM span INDEXED BY span_collection WHERE collection = ? AND id > ? ORDER BY id LIMIT ?',
      collection,
      after,
      SPANS,
    ),
  )
}

/** The last one before there are too many characters; the first in any case. */
export function upTo(rows: Iterable<readonly [number, number]>): number | null {
  let last: number | null = null
  let characters = 0
  for (const [one, length] of rows) {
    characters += length + ROW
    if (last !== null && characters > CHARACTERS) break
    last = one
  }
  return last
}

/** Copies live spans in the order of their ids, up to the position the copy began at. */
function copy(
  connection: Connection,
  collection: number,
  state: TextState,
  scan: number,
  head: Head,
): number {
  const last = lastOf(connection, collection, scan)
  if (last === null) {
    settle(connection, collection, state.position, 0, 0, false)
    return head.position - state.position
  }
  const added = connection.run(
    `INSERT INTO ${tableOf(collection)} (rowid, text)
     SELECT s.id, ${TOKENS} FROM span s INDEXED BY span_collection
     WHERE s.collection = ? AND s.id > ? AND s.id <= ? AND s.kind = 0 AND s.born <= ? AND s.text IS NOT NULL AND ${LIVE}`,
    collection,
    scan,
    last,
    state.position,
  )
  connection.run(
    'UPDATE text_state SET scan = ?, rows = rows + ? WHERE collection = ?',
    last,
    added,
    collection,
  )
  return Math.max(1, head.position - state.rows - added)
}

/** Absorbs the next events of the log. */
function follow(connection: Connection, collection: number, state: TextState, head: Head): number {
  if (state.position === head.position) return 0
  const end =
    upTo(
      connection.each<[number, number]>(
        `SELECT e.position, coalesce(s.length, 0) FROM event e LEFT JOIN span s ON s.id = e.node AND e.type = ${EVENT['span.added']}
         WHERE e.collection = ? AND e.position > ? ORDER BY e.position LIMIT ?`,
        collection,
        state.position,
        EVENTS,
      ),
    ) ?? head.position
  const leaving = tokensOfRows(
    connection,
    tableOf(collection),
    `d.id IN (${GONE})`,
    collection,
    state.position,
    end,
  )
  setTotals(connection, tableOf(collection), state.rows, leaving)
  const added = connection.run(
    `INSERT INTO ${tableOf(collection)} (rowid, text)
     SELECT s.id, ${TOKENS} FROM event e CROSS JOIN span s ON s.id = e.node
     WHERE e.collection = ? AND e.position > ? AND e.position <= ? AND e.type = ${EVENT['span.added']}
       AND s.text IS NOT NULL AND ${LIVE}`,
    collection,
    state.position,
    end,
  )
  const deleted = connection.run(
    `DELETE FROM ${tableOf(collection)} WHERE rowid IN (${GONE})`,
    collection,
    state.position,
    end,
  )
  const erased =
    state.deleted + deleted > 0 &&
    connection.value(
      `SELECT 1 FROM event WHERE collection = ? AND position > ? AND position <= ? AND type = ${EVENT['span.erased']} LIMIT 1`,
      collection,
      state.position,
      end,
    ) !== undefined
  settle(connection, collection, end, added, deleted, erased)
  return head.position - end
}

function settle(
  connection: Connection,
  collection: number,
  position: number,
  added: number,
  deleted: number,
  erased: boolean,
): void {
  const seen = connection.row<[number, number, number, string]>(
    `SELECT e.position, e.at, e.node, s.key FROM event e CROSS JOIN span s ON s.id = e.node
     WHERE e.collection = ? AND e.position <= ? ORDER BY e.position DESC LIMIT 1`,
    collection,
    position,
  )
  connection.run(
    `UPDATE text_state SET position = ?, scan = NULL, rows = rows + ?, deleted = deleted + ?, owed = iif(?, 1, owed),
       seen = ?, seen_at = ?, seen_node = ?, seen_key = ? WHERE collection = ?`,
    position,
    added - deleted,
    deleted,
    erased ? 1 : 0,
    ...(seen ?? [null, null, null, null]),
    collection,
  )
}
