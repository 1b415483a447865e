import { mkdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'

/**
 * A lock that dies with its process: an open transaction on a small SQLite file, which is to say a lock of the
 * operating system on it, made by code that knows the differences between systems.
 */
export class FileLock {
  readonly #path: string
  #held: { readonly db: BetterSqlite3.Database; readonly inode: number } | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Whether the lock is this process's, now. It is not any more when somebody deleted the file. */
  get held(): boolean {
    return (
      this.#held !== undefined && statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#held.inode
    )
  }

  /** Takes the lock if nobody has it; never waits. */
  take(): boolean {
    if (this.held) return true
    this.release()
    mkdirSync(dirname(this.#path), { recursive: true })
    const Database = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3
    let db: BetterSqlite3.Database | undefined
    try {
      db = new Database(this.#path, { timeout: 0 })
      db.pragma('journal_mode = DELETE')
      db.exec('BEGIN EXCLUSIVE')
      this.#held = { db, inode: statSync(this.#path).ino }
      return true
    } catch (error) {
      db?.close()
      const code = String((error as { code?: unknown }).code)
      if (/^(SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|READONLY)|ENOENT)/.test(code)) return false
      throw error
    }
  }

  release(): void {
    this.#held?.db.close()
    this.#held = undefined
  }
}
