import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'
import { inodeOf } from '../ledger/sqlite/derived-file.ts'
import { Connection } from '../ledger/sqlite/statements.ts'

const require = createRequire(import.meta.url)

/** Raise it when the tables or the entries change: an index of another format is made anew. */
const FORMAT = 1

/** Where the index of a ledger is; undefined in memory. */
export const attributesPath = (ledgerPath: string): string | undefined =>
  ledgerPath === ':memory:' ? undefined : join(dirname(ledgerPath), 'attributes.db')

export interface AttributeDatabase {
  readonly connection: Connection
  /** For transactions that take several turns of the event loop; in memory it is the same. */
  readonly writer: Connection
  readonly path: string | undefined
  readonly inode: number | undefined
}

/** Opens the index of a store's ledger, creating it if need be. One that belongs to another store is made anew. */
export function openAttributes(store: string, path: string | undefined): AttributeDatabase {
  const connection = connect(store, path)
  try {
    const writer = path === undefined ? connection : connect(store, path)
    return { connection, writer, path, inode: path === undefined ? undefined : inodeOf(path) }
  } catch (error) {
    connection.db.close()
    throw error
  }
}

function connect(store: string, path: string | undefined): Connection {
  const Database = require('better-sqlite3') as typeof BetterSqlite3
  const db = new Database(path ?? ':memory:', { timeout: 5_000 })
  try {
    db.pragma('journal_mode = WAL')
    // What a power cut takes away is made again from the ledger.
    db.pragma('synchronous = NORMAL')
    db.pragma('secure_delete = ON')
    db.pragma('temp_store = MEMORY')
    db.pragma('cache_size = -32768')
    db.pragma('journal_size_limit = 67108864')
    // Done by whoever writes, in a thread.
    db.pragma('wal_autocheckpoint = 0')
    prepare(db, store)
    // Whoever finds it locked tries again later.
    db.pragma('busy_timeout = 0')
    return new Connection(db)
  } catch (error) {
    db.close()
    throw error
  }
}

export function closeAttributes({ connection, writer }: AttributeDatabase): void {
  connection.db.close()
  writer.db.close()
}

function prepare(db: BetterSqlite3.Database, store: string): void {
  const known = () =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'attribute_store'").get() !== undefined &&
    db.prepare('SELECT 1 FROM attribute_store WHERE store = ? AND format = ?').get(store, FORMAT) !==
      undefined
  if (known()) return
  db.transaction(() => {
    if (known()) return
    db.exec(`
      DROP TABLE IF EXISTS attribute_store;
      DROP TABLE IF EXISTS attribute_state;
      DROP TABLE IF EXISTS attribute_field;
      DROP TABLE IF EXISTS attribute_posting;
      CREATE TABLE attribute_store (store TEXT NOT NULL, format INTEGER NOT NULL) STRICT;
      CREATE TABLE attribute_state (
        collection INTEGER PRIMARY KEY,
        -- What the index holds: at least the collection as of this position, once the scan is over.
        position INTEGER NOT NULL,
        -- The last span id read while spans are copied as they stand; null: the log is followed.
        scan INTEGER,
        -- Spans taken in since it was begun, those that are gone or changed again included.
        spans INTEGER NOT NULL,
        -- JSON: an event that was absorbed, to recognise a ledger that went back in time.
        mark TEXT
      ) STRICT;
      CREATE TABLE attribute_field (
        id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, path TEXT NOT NULL, UNIQUE (collection, path)
      ) STRICT;
      -- Which spans have a value. Spans that had it once stay: the ledger is asked about each.
      CREATE TABLE attribute_posting (
        field INTEGER NOT NULL, kind INTEGER NOT NULL, value ANY NOT NULL, first INTEGER NOT NULL,
        count INTEGER NOT NULL,
        -- All of them, the first included; null where it is the only one.
        ids BLOB,
        PRIMARY KEY (field, kind, value, first)
      ) STRICT, WITHOUT ROWID`)
    db.prepare('INSERT INTO attribute_store (store, format) VALUES (?, ?)').run(store, FORMAT)
  }).immediate()
}

/** Whether an error says that the index's own file is unusable. */
export function isDamage(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (code === 'SQLITE_NOTADB' || String(code).startsWith('SQLITE_CORRUPT')) return true
  return code === 'SQLITE_ERROR' && /no such table: attribute_/.test(String(message))
}
