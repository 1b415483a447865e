import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type BetterSqlite3 from 'better-sqlite3'
import { ulid } from 'ulid'
import { SpanStoreError } from '../../core/errors.ts'

const require = createRequire(import.meta.url)

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)

/** How long SQLite itself may block the event loop for a lock; longer waits are asynchronous (see ledger.ts). */
const BLOCKING_WAIT = 10

export interface OpenOptions {
  readonly clock: () => number
  /** Milliseconds to wait for another process that migrates. */
  readonly wait: number
  /** Pages of a log from which a commit moves it into the file itself. */
  readonly log?: number
}

/** Opens a database file (or `:memory:`), brings it to this version's schema, and sets what each connection needs. */
export function openDatabase(path: string, options: OpenOptions): BetterSqlite3.Database {
  const Database = require('better-sqlite3') as typeof BetterSqlite3
  let db: BetterSqlite3.Database
  try {
    // The generous timeout is for opening only: journal_mode=WAL and a first migration need the file alone.
    db = new Database(path, { timeout: options.wait })
  } catch (error) {
    throw storageError(error, path)
  }
  try {
    refuseForeign(db)
    db.pragma('journal_mode = WAL')
    // This build of SQLite lowers FULL to NORMAL under WAL unless told; an acknowledged write must survive a power cut.
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    // Without it INSERT OR REPLACE deletes rows behind the append-only triggers.
    db.pragma('recursive_triggers = ON')
    // Freed bytes are zeroed: what is erased must not linger in free pages.
    db.pragma('secure_delete = ON')
    db.pragma('temp_store = MEMORY')
    db.pragma('mmap_size = 268435456')
    db.pragma('cache_size = -32768')
    // Moving pages from the log to the file takes a commit 5 to 20 ms for each megabyte, so a thread does it (whole.ts). This
    // is for when it cannot: 64 MB at most wait there.
    db.pragma(`wal_autocheckpoint = ${options.log ?? 16_000}`)
    db.pragma('journal_size_limit = 67108864')
    migrate(db, options)
    db.pragma(`busy_timeout = ${BLOCKING_WAIT}`)
    return db
  } catch (error) {
    db.close()
    throw storageError(error, path)
  }
}

/** Another program's database is refused before anything of it is changed, its journal mode included. */
function refuseForeign(db: BetterSqlite3.Database): void {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all()
  if (tables.length === 0 || tables.includes('migration')) return
  throw new SpanStoreError(
    'STORE_CORRUPT',
    `${db.name} is an SQLite database of something else; give a directory of its own to the store`,
    { path: db.name },
  )
}

interface Migration {
  readonly tag: string
  readonly sql: string
  readonly hash: string
}

function shippedMigrations(): Migration[] {
  const journal = JSON.parse(readFileSync(new URL('meta/_journal.json', MIGRATIONS), 'utf8')) as {
    entries: { tag: string }[]
  }
  return journal.entries.map(({ tag }) => {
    const sql = readFileSync(new URL(`${tag}.sql`, MIGRATIONS), 'utf8')
    return { tag, sql, hash: createHash('sha256').update(sql).digest('hex') }
  })
}

/**
 * Applies what is missing, inside one exclusive transaction, so that any number of processes may open a new store
 * at once. drizzle's own migrator reads its state before it takes the lock and never compares hashes, hence ours.
 */
function migrate(db: BetterSqlite3.Database, options: OpenOptions): void {
  const shipped = shippedMigrations()
  const applied = () => {
    const exists = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").get()
    if (exists === undefined) return []
    return db.prepare('SELECT tag, hash FROM migration ORDER BY id').all() as { tag: string; hash: string }[]
  }
  const check = (rows: readonly { tag: string; hash: string }[]) => {
    if (rows.length > shipped.length)
      throw new SpanStoreError(
        'STORE_TOO_NEW',
        `${db.name} has ${rows.length} migrations, this version knows ${shipped.length}: open it with the version that wrote it, or a newer one`,
        { applied: rows.length, known: shipped.length },
      )
    rows.forEach((row, i) => {
      if (row.hash !== shipped[i]!.hash || row.tag !== shipped[i]!.tag)
        throw new SpanStoreError(
          'MIGRATION_CHANGED',
          `migration ${row.tag} was applied to ${db.name} with other contents than the shipped ${shipped[i]!.tag}: reinstall the package, or open the store with the version that wrote it`,
          { migration: row.tag },
        )
    })
    return rows.length
  }
  if (check(applied()) === shipped.length) return
  db.transaction(() => {
    const done = check(applied())
    if (done === 0)
      db.exec(
        'CREATE TABLE migration (id INTEGER PRIMARY KEY, tag TEXT NOT NULL, hash TEXT NOT NULL, at INTEGER NOT NULL) STRICT',
      )
    for (const { tag, sql, hash } of shipped.slice(done)) {
      for (const statement of sql.split('--> statement-breakpoint')) db.exec(statement)
      db.prepare('INSERT INTO migration (tag, hash, at) VALUES (?, ?, ?)').run(tag, hash, options.clock())
    }
    if (done === 0)
      db.prepare('INSERT INTO store (id, key, secret, at) VALUES (1, ?, ?, ?)').run(
        ulid(options.clock()),
        randomBytes(32).toString('base64url'),
        options.clock(),
      )
  }).immediate()
}

/** Translates the driver's errors, once, at the boundary that knows them. Others pass through. */
export function storageError(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown }).code
  if (error instanceof SpanStoreError || typeof code !== 'string') return error
  const reason = `${code}: ${(error as Error).message}`
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new SpanStoreError(
      'STORE_BUSY',
      `${path} is held by another writer: ${reason}`,
      { waited: 0 },
      { cause: error },
    )
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return new SpanStoreError(
      'STORE_CORRUPT',
      `${path} is damaged or not a store (${reason}): restore the last backup`,
      { path },
      { cause: error },
    )
  if (/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM|AUTH|NOLFS|TOOBIG)/.test(code))
    return new SpanStoreError(
      'STORAGE_FAILED',
      `the disk refused ${path} (${reason})`,
      { reason },
      { cause: error },
    )
  return error
}
