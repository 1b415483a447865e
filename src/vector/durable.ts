import { type Dirent, renameSync, statSync } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Syncs every file below a directory that is not `known` yet, and the directories they are in. */
export async function syncNewFiles(directory: string, known: Set<string>): Promise<void> {
  const directories = new Set<string>()
  let entries: Dirent[]
  try {
    entries = await readdir(directory, { recursive: true, withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if (known.has(path)) continue
    // A file that LanceDB has put away since needs no sync.
    if (await syncPath(path)) directories.add(entry.parentPath)
    known.add(path)
  }
  for (const path of directories) await syncPath(path)
  if (directories.size > 0) await syncPath(directory)
}

/** How many bytes the files below a directory have. */
export async function bytesBelow(directory: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    // A file may go while this is counting.
    bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

/** False when it is gone. */
async function syncPath(path: string): Promise<boolean> {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  try {
    await handle.sync()
  } catch (error) {
    // Some systems cannot sync a directory.
    if (!['EISDIR', 'EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await handle.close()
  }
  return true
}

/** Replaces a file so that, whatever happens, it holds either the old text or the new. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const next = `${path}.next`
  const handle = await open(next, 'w')
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  renameSync(next, path)
  await syncPath(dirname(path))
}
