import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'
import { inodeOf } from '../ledger/sqlite/derived-file.ts'
import { Connection } from '../ledger/sqlite/statements.ts'
import { spaced, TOKENIZER } from './tokens.ts'

const require = createRequire(import.meta.url)

/** Where the index of a ledger is; undefined in memory. */
export const textPath = (ledgerPath: string): string | undefined =>
  ledgerPath === ':memory:' ? undefined : join(dirname(ledgerPath), 'text.db')

/** Raise it when the tables, the tokenizer or `spaced` change: an index of another format is made anew. */
const FORMAT = 1

/** How long SQLite itself may block the event loop for a lock; longer waits are asynchronous. */
const BLOCKING_WAIT = 10

/**
 * A connection that sees the index and the ledger at once, so that texts go from one to the other inside SQLite and
 * hits are checked in the same snapshot. Tables of the ledger keep their names; those of the index begin with
 * `text_`. The ledger is only ever read through it.
 */
export interface TextDatabase {
  readonly connection: Connection
  /** The schema of the index's tables. */
  readonly schema: 'main' | 'words'
  /** Undefined in memory. */
  readonly path: string | undefined
  /** Which file it was when it was opened. */
  readonly inode: number | undefined
}

/** What the index needs of its ledger. */
export interface TextLedger {
  readonly id: string
  /** Of a ledger in memory, which no other connection can see. */
  readonly connection?: Connection
  /** Commits what has expired. */
  expire(): Promise<unknown>
}

/** Opens the index of a ledger, creating it if need be. One that belongs to another store is made anew. */
export function openTextDatabase(ledger: TextLedger, ledgerPath: string): TextDatabase {
  const path = textPath(ledgerPath)
  const database =
    path === undefined
      ? inMemory(ledger)
      : { connection: openFile(path, ledgerPath), schema: 'main' as const, path, inode: inodeOf(path) }
  try {
    prepare(database, ledger.id)
    return database
  } catch (error) {
    if (path !== undefined) database.connection.db.close()
    throw error
  }
}

/** An attached database in memory can only be seen by the connection that attached it: the ledger's own. */
function inMemory({ connection }: TextLedger): TextDatabase {
  if (connection === undefined) throw new Error('a ledger in memory is searched through its own connection')
  connection.db.exec(`ATTACH ':memory:' AS words`)
  return { connection, schema: 'words', path: undefined, inode: undefined }
}

function openFile(path: string, ledgerPath: string): Connection {
  const Database = require('better-sqlite3') as typeof BetterSqlite3
  const db = new Database(path, { timeout: 5_000 })
  try {
    db.pragma('journal_mode = WAL')
    // What a power cut takes away is made again from the ledger.
    db.pragma('synchronous = NORMAL')
    db.pragma('secure_delete = ON')
    db.pragma('temp_store = MEMORY')
    db.pragma('cache_size = -16384')
    db.pragma('journal_size_limit = 67108864')
    db.prepare('ATTACH ? AS ledger').run(ledgerPath)
    db.pragma('ledger.mmap_size = 268435456')
    return new Connection(db)
  } catch (error) {
    db.close()
    throw error
  }
}

function prepare({ connection, schema, path }: TextDatabase, store: string): void {
  const { db } = connection
  db.function('spanstore_tokens', { deterministic: true }, (text) => spaced(text as string, ' '))
  db.exec(`
    CREATE VIRTUAL TABLE temp.text_asked USING fts5(text, content='', tokenize="${TOKENIZER}");
    CREATE VIRTUAL TABLE temp.text_asked_tokens USING fts5vocab(temp, text_asked, instance);
    CREATE VIRTUAL TABLE temp.text_shown USING fts5(text, tokenize="${TOKENIZER}")`)
  const known = () =>
    db.prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE name = 'text_store'`).get() !== undefined &&
    db.prepare('SELECT 1 FROM text_store WHERE store = ? AND format = ?').get(store, FORMAT) !== undefined
  if (!known())
    db.transaction(() => {
      if (known()) return
      const tables = db
        .prepare(
          `SELECT name FROM ${schema}.sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'
           UNION ALL SELECT name FROM ${schema}.sqlite_schema WHERE name IN ('text_store', 'text_state')`,
        )
        .pluck()
        .all() as string[]
      for (const table of tables) db.exec(`DROP TABLE ${schema}."${table}"`)
      db.exec(`
        CREATE TABLE ${schema}.text_store (store TEXT NOT NULL, format INTEGER NOT NULL) STRICT;
        CREATE TABLE ${schema}.text_state (
          collection INTEGER PRIMARY KEY,
          -- What the index holds: the collection as of this position, once the scan is over.
          position INTEGER NOT NULL,
          -- The last span id read while spans are copied as they stand; null: the log is followed.
          scan INTEGER,
          rows INTEGER NOT NULL,
          -- Rows deleted since the last complete merge; their words are still in the file.
          deleted INTEGER NOT NULL,
          -- 1: some of those were erased, so a merge is owed; 2: merged, the log still has their words.
          owed INTEGER NOT NULL,
          -- An event that was absorbed, to recognise a ledger that went back in time.
          seen INTEGER, seen_at INTEGER, seen_node INTEGER, seen_key TEXT
        ) STRICT`)
      db.prepare('INSERT INTO text_store (store, format) VALUES (?, ?)').run(store, FORMAT)
    }).immediate()
  if (path !== undefined) db.pragma(`busy_timeout = ${BLOCKING_WAIT}`)
}

/** The connection of a ledger in memory is the ledger's own. */
export function closeTextDatabase({ connection, path }: TextDatabase): void {
  if (path !== undefined) connection.db.close()
}

const DAMAGE = /no such table: .*text_|vtable constructor failed|malformed|fts5: /

/** Whether an error says that the index's own files are unusable. */
export function isDamage(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code !== 'string') return false
  return (
    code === 'SQLITE_NOTADB' ||
    code.startsWith('SQLITE_CORRUPT') ||
    // A row is there already that its own state says is not.
    code.startsWith('SQLITE_CONSTRAINT') ||
    (code === 'SQLITE_ERROR' && DAMAGE.test(String(message)))
  )
}
