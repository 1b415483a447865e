import { realpath } from 'node:fs/promises'
import { type Collection, SpanStoreError } from '../index.ts'
import { Comparison } from './comparison.ts'
import { aborted, Folder } from './folder.ts'
import type { FileChange, SyncOptions, SyncReport, Write } from './sync-report.ts'
import { walk } from './walk.ts'
import { Writing } from './writing.ts'

/**
 * Brings a collection up to date with a folder: puts what changed, tombstones what is gone, and lets a renamed file
 * go on as the source it was, so that its keys survive.
 *
 * A source's id is the path of its file when it was first seen; where the file is now is in its metadata, `path`,
 * beside `kind` and `root`. A file that still holds most of what the source at its path holds is that source.
 * What is left over, files that have no source or not theirs any more, and sources whose file is gone, is paired by
 * content: identical texts, or at least 60 % of the longer one in common, line by line; a tie pairs nobody. So moves,
 * chains of moves, swaps, and a new file in an old place all come out right, whatever happened between two runs.
 *
 * Files are written in batches of one transaction each, removals last. A run that is killed leaves a store on which
 * the next run does what is missing.
 */
export async function syncFolder(
  collection: Collection,
  path: string,
  options: SyncOptions = {},
): Promise<SyncReport> {
  const root = await rootOf(path, options)
  const folder = new Folder(path, options)
  const { dryRun = false } = options
  const files = await list(folder, options)
  const comparison = new Comparison(collection, folder, root, options)
  const { mine, ids } = await comparison.stored()
  if (files.length === 0 && mine.length > 0 && options.allowEmpty !== true)
    throw new SpanStoreError(
      'INVALID_ARGUMENT',
      `${path} holds no files, and ${mine.length} sources came from it; if they are really gone, say so with allowEmpty (--allow-empty)`,
      { path: 'folder', value: path },
    )
  const { writes, removals } = await comparison.compare(files, mine, ids)
  const writing = new Writing(collection, folder, root)
  if (!dryRun) await writing.write(writes, removals)
  const left = new Set([...writing.refused, ...folder.skipped].map((one) => one.path))
  const skipped = new Set(folder.skipped.map((one) => one.path))
  const of = (kind: Write['kind']): FileChange[] =>
    writes
      .filter((write) => write.kind === kind && !left.has(write.path))
      .map(({ path, source, stored }) => ({
        path,
        source,
        ...(kind === 'renamed' ? { from: stored!.path } : {}),
      }))
  return {
    root,
    dryRun,
    files: files.filter((file) => !skipped.has(file.path)).length,
    unchanged: comparison.unchanged,
    added: of('added'),
    changed: of('changed'),
    renamed: of('renamed'),
    removed: removals.map(({ path, source }) => ({ path, source })),
    skipped: folder.skipped,
    refused: writing.refused,
    spans: writing.spans,
    stale: [...writing.stale],
  }
}

async function rootOf(folder: string, options: SyncOptions): Promise<string> {
  try {
    const real = await realpath(folder)
    return options.root ?? real
  } catch (error) {
    throw new SpanStoreError(
      'INVALID_ARGUMENT',
      `${folder} cannot be read (${(error as { code?: string }).code}); nothing was changed. Give a folder that exists`,
      { path: 'folder', value: folder },
      { cause: error },
    )
  }
}

/** The files of the folder; what cannot be looked at is noted as skipped. */
async function list(folder: Folder, { exclude, signal }: SyncOptions) {
  let walked: Awaited<ReturnType<typeof walk>>
  try {
    walked = await walk(folder.path, { ...(exclude === undefined ? {} : { exclude }), signal })
  } catch (error) {
    if (signal?.aborted) throw aborted(error)
    throw new SpanStoreError(
      'INVALID_ARGUMENT',
      `${folder.path} cannot be listed (${(error as { code?: string }).code ?? error}); nothing was changed. Give a folder`,
      { path: 'folder', value: folder.path },
      { cause: error },
    )
  }
  for (const path of walked.symlinks) folder.skip(path, 'symlink', 'symbolic links are not followed')
  for (const { path, why } of walked.unreadable) folder.skip(path, 'unreadable', why)
  return walked.files
}
