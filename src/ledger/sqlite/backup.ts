import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type BetterSqlite3 from 'better-sqlite3'
import { SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { Backup } from '../../ports.ts'

export const LEDGER_FILE = 'ledger.db'
const MANIFEST = 'backup.json'

/** Pages copied before the event loop gets a turn. */
const STEP = 2000

/**
 * Copies a live database, consistently, while it is written to. Only the ledger is copied: text and vector indexes
 * are derived from it. Writes of other processes make SQLite start the copy anew; after a few times it is made in
 * one step, which holds this process's event loop but cannot be overtaken.
 */
export async function backupLedger(
  db: BetterSqlite3.Database,
  store: Key,
  directory: string,
  at: number,
  onProgress?: (done: number, total: number) => void,
): Promise<Backup> {
  await mkdir(directory, { recursive: true })
  if ((await readdir(directory)).length > 0)
    throw new SpanStoreError(
      'BACKUP_INVALID',
      `${directory} is not empty; give a directory of its own to each backup`,
      { path: directory },
    )
  const target = join(directory, LEDGER_FILE)
  let restarts = 0
  let remaining = Number.POSITIVE_INFINITY
  await db.backup(target, {
    progress: ({ totalPages, remainingPages }) => {
      if (remainingPages > remaining) restarts++
      remaining = remainingPages
      onProgress?.(totalPages - remainingPages, totalPages)
      return restarts > 3 ? totalPages + 1 : STEP
    },
  })
  const file = await open(target, 'r+')
  const bytes = (await file.stat()).size
  await file.sync()
  await file.close()
  const backup: Backup = { store, at, files: [{ name: LEDGER_FILE, bytes, sha256: await checksum(target) }] }
  await writeFile(join(directory, MANIFEST), `${JSON.stringify(backup, null, 2)}\n`)
  return backup
}

async function checksum(path: string): Promise<string> {
  const sum = createHash('sha256')
  await pipeline(createReadStream(path), sum)
  return sum.digest('hex')
}

/** Checks a backup's files against its manifest. @throws BACKUP_INVALID */
async function checkBackup(directory: string): Promise<Backup> {
  const bad = (why: string, file: string) =>
    new SpanStoreError('BACKUP_INVALID', `${join(directory, file)} ${why}; use another backup`, {
      path: directory,
      file,
    })
  let backup: Backup
  try {
    backup = JSON.parse(await readFile(join(directory, MANIFEST), 'utf8')) as Backup
  } catch (error) {
    throw new SpanStoreError(
      'BACKUP_INVALID',
      `${directory} holds no backup: its ${MANIFEST} cannot be read`,
      { path: directory, file: MANIFEST },
      { cause: error },
    )
  }
  for (const { name, sha256 } of backup.files) {
    if (!existsSync(join(directory, name))) throw bad('is missing', name)
    if ((await checksum(join(directory, name))) !== sha256)
      throw bad('does not have the recorded checksum', name)
  }
  return backup
}

/** Checks a backup and copies it to an empty directory, which then is a store. @throws BACKUP_INVALID */
export async function restoreBackup(directory: string, target: string): Promise<Backup> {
  const backup = await checkBackup(directory)
  await mkdir(target, { recursive: true })
  if ((await readdir(target)).length > 0)
    throw new SpanStoreError('BACKUP_INVALID', `${target} is not empty; restore to a new directory`, {
      path: target,
    })
  for (const { name } of backup.files) await copyFile(join(directory, name), join(target, name))
  return backup
}
