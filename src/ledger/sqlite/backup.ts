import { mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'
import { SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { Backup } from '../../ports/ledger.ts'
import { BACKUP_MANIFEST, checksum, LEDGER_FILE } from './restore.ts'

/** Pages copied before the event loop gets a turn. */
const STEP = 500

/**
 * Copies a live database, consistently, while it is written to. Only the ledger is copied: text and vector indexes
 * are derived from it.
 */
export async function backupLedger(
  db: BetterSqlite3.Database,
  store: Key,
  directory: string,
  at: number,
  {
    copy,
    onProgress = () => {},
  }: {
    /** Copies it elsewhere; false: it is to be done here. */
    readonly copy: (target: string, onProgress: (done: number, total: number) => void) => Promise<boolean>
    readonly onProgress?: ((done: number, total: number) => void) | undefined
  },
): Promise<Backup> {
  await mkdir(directory, { recursive: true })
  if ((await readdir(directory)).length > 0)
    throw new SpanStoreError(
      'BACKUP_INVALID',
      `${directory} is not empty; give a directory of its own to each backup`,
      { path: directory },
    )
  const target = join(directory, LEDGER_FILE)
  if (!(await copy(target, onProgress))) await copyHere(db, target, onProgress)
  const file = await open(target, 'r+')
  const bytes = (await file.stat()).size
  await file.sync()
  await file.close()
  const backup: Backup = { store, at, files: [{ name: LEDGER_FILE, bytes, sha256: await checksum(target) }] }
  await writeFile(join(directory, BACKUP_MANIFEST), `${JSON.stringify(backup, null, 2)}\n`)
  return backup
}

/**
 * Of a small ledger, or one in memory. Writes of other processes make SQLite start the copy anew; after a few times it
 * is made in one step, which holds this process's event loop but cannot be overtaken.
 */
async function copyHere(
  db: BetterSqlite3.Database,
  target: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  let restarts = 0
  let remaining = Number.POSITIVE_INFINITY
  await db.backup(target, {
    progress: ({ totalPages, remainingPages }) => {
      if (remainingPages > remaining) restarts++
      remaining = remainingPages
      onProgress(totalPages - remainingPages, totalPages)
      return restarts > 3 ? totalPages + 1 : STEP
    },
  })
}
