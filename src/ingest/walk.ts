import type { Dirent } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'

export interface FoundFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string
  readonly size: number
}

export interface Walked {
  /** By path. */
  readonly files: readonly FoundFile[]
  readonly symlinks: readonly string[]
  /** Files and folders that could not be looked at; nothing is known of what is in them. */
  readonly unreadable: readonly { readonly path: string; readonly why: string }[]
}

/** Never walked, whatever `.gitignore` says. */
const NEVER = new Set(['.git', '.hg', '.svn', '.jj', 'node_modules', '.spanstore'])

/** The `.gitignore` of one folder; paths are tested relative to that folder. */
interface Rules {
  readonly folder: string
  readonly rules: Ignore
}

/**
 * Lists the files under a folder as git would see them: `.gitignore` files in it, below it, and above it up to the
 * root of its repository. Symbolic links are not followed. `exclude`: absolute paths that are left out.
 */
export async function walk(
  folder: string,
  options: { readonly exclude?: readonly string[]; readonly signal?: AbortSignal | undefined } = {},
): Promise<Walked> {
  const top = await realpath(folder)
  const exclude = new Set(
    await Promise.all((options.exclude ?? []).map((path) => realpath(path).catch(() => path))),
  )
  const files: FoundFile[] = []
  const symlinks: string[] = []
  const unreadable: { path: string; why: string }[] = []

  const enter = async (directory: string, inherited: readonly Rules[]): Promise<void> => {
    options.signal?.throwIfAborted()
    let entries: Dirent[]
    try {
      entries = await readdir(directory, { withFileTypes: true })
    } catch (error) {
      if (directory === top) throw error
      unreadable.push({ path: slashed(top, directory), why: codeOf(error) })
      return
    }
    const here = entries.some((entry) => entry.name === '.gitignore' && entry.isFile())
      ? [...inherited, ...(await rulesIn(directory, '.gitignore'))]
      : inherited
    for (const entry of entries) {
      const full = join(directory, entry.name)
      if (NEVER.has(entry.name) || exclude.has(full)) continue
      const path = slashed(top, full)
      if (ignored(full, entry.isDirectory(), here)) continue
      if (entry.isSymbolicLink()) symlinks.push(path)
      else if (entry.isDirectory()) await enter(full, here)
      else if (entry.isFile())
        try {
          files.push({ path, size: (await stat(full)).size })
        } catch (error) {
          unreadable.push({ path, why: codeOf(error) })
        }
    }
  }
  await enter(top, await rulesAbove(top))
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), symlinks, unreadable }
}

export const codeOf = (error: unknown): string =>
  (error as { code?: string }).code ?? (error as Error).message ?? String(error)

const slashed = (top: string, full: string): string => relative(top, full).split(sep).join('/')

async function rulesIn(folder: string, file: string): Promise<Rules[]> {
  try {
    const text = await readFile(join(folder, file), 'utf8')
    return [{ folder, rules: ignore({ ignoreCase: false }).add(text) }]
  } catch {
    return []
  }
}

/** What the folders above say, when the folder lies in a repository, unless they ignore the folder itself. */
async function rulesAbove(top: string): Promise<Rules[]> {
  const above: string[] = []
  for (let at = top; ; at = dirname(at)) {
    above.unshift(at)
    if (await exists(join(at, '.git'))) break
    if (dirname(at) === at) return []
  }
  const rules = (
    await Promise.all([
      rulesIn(above[0]!, '.git/info/exclude'),
      // The folder's own file is read when the walk enters it.
      ...above.slice(0, -1).map((folder) => rulesIn(folder, '.gitignore')),
    ])
  ).flat()
  const named = above.slice(1).some((folder) => ignored(folder, true, rules))
  return named ? [] : rules
}

/** As in git, the rule nearest to the file decides. */
function ignored(full: string, isFolder: boolean, inherited: readonly Rules[]): boolean {
  for (const { folder, rules } of inherited.toReversed()) {
    const path = slashed(folder, full)
    if (path === '' || path.startsWith('../')) continue
    const verdict = rules.test(isFolder ? `${path}/` : path)
    if (verdict.ignored) return true
    if (verdict.unignored) return false
  }
  return false
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch {
    return false
  }
}
