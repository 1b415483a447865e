import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { SpanStoreError } from '../../core/errors.ts'
import { identifier } from '../../core/given.ts'
import type { Backup } from '../../ports/ledger.ts'
import { Turns } from '../../threads/turn.ts'

/* Apart from backup.ts, because the package exports this: its types must not lead to the database driver's. */

export const LEDGER_FILE = 'ledger.db'
export const BACKUP_MANIFEST = 'backup.json'

export async function checksum(path: string): Promise<string> {
  const sum = createHash('sha256')
  const turns = new Turns()
  for await (const bytes of createReadStream(path)) {
    sum.update(bytes)
    await turns.step()
  }
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
    backup = JSON.parse(await readFile(join(directory, BACKUP_MANIFEST), 'utf8')) as Backup
    if (!Array.isArray(backup.files) || !backup.files.every(({ name }) => typeof name === 'string'))
      throw new TypeError('it lists no files')
  } catch (error) {
    throw new SpanStoreError(
      'BACKUP_INVALID',
      `${directory} holds no backup: its ${BACKUP_MANIFEST} cannot be read`,
      { path: directory, file: BACKUP_MANIFEST },
      { cause: error },
    )
  }
  for (const { name, sha256 } of backup.files) {
    if (name !== basename(name)) throw bad('is no file of the backup itself', name)
    if (!existsSync(join(directory, name))) throw bad('is missing', name)
    if ((await checksum(join(directory, name))) !== sha256)
      throw bad('does not have the recorded checksum', name)
  }
  return backup
}

/** Checks a backup and copies it to an empty directory, which then is a store. @throws BACKUP_INVALID, INVALID_ARGUMENT */
export async function restoreBackup(directory: string, target: string): Promise<Backup> {
  for (const [path, value] of Object.entries({ directory, target })) identifier(path, value)
  const backup = await checkBackup(directory)
  await mkdir(target, { recursive: true })
  if ((await readdir(target)).length > 0)
    throw new SpanStoreError('BACKUP_INVALID', `${target} is not empty; restore to a new directory`, {
      path: target,
    })
  for (const { name } of backup.files) await copyFile(join(directory, name), join(target, name))
  return backup
}
