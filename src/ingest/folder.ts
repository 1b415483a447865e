import { join } from 'node:path'
import { SpanStoreError } from '../index.ts'
import { type Content, readContent, type Skipped } from './content.ts'
import type { SyncOptions, SyncProgress } from './sync-report.ts'

const DEFAULT_MAX_BYTES = 20 * 1024 * 1024

/** The files of one sync: read when they are needed, and what was left out of them. */
export class Folder {
  readonly path: string
  readonly skipped: { path: string; why: Skipped; detail: string }[] = []
  readonly #options: SyncOptions

  constructor(path: string, options: SyncOptions) {
    this.path = path
    this.#options = options
  }

  async read(path: string): Promise<Content | { readonly skipped: Skipped }> {
    const content = await readContent(
      join(this.path, path),
      path,
      this.#options.maxBytes ?? DEFAULT_MAX_BYTES,
    )
    if ('skipped' in content) this.skip(path, content.skipped, content.why)
    return content
  }

  skip(path: string, why: Skipped, detail: string): void {
    this.skipped.push({ path, why, detail })
  }

  /** Whether a path lies under a folder, or is a file, that could not be looked at. */
  isUnknown(path: string): boolean {
    return this.skipped.some(
      (skip) => skip.why === 'unreadable' && (path === skip.path || path.startsWith(`${skip.path}/`)),
    )
  }

  tick(phase: SyncProgress['phase'], done: number, total: number): void {
    if (this.#options.signal?.aborted) throw aborted(this.#options.signal.reason)
    this.#options.onProgress?.({ phase, done, total })
  }
}

export const aborted = (cause: unknown) =>
  new SpanStoreError(
    'ABORTED',
    'the sync was stopped; files already written stay, the next run does the rest',
    {},
    { cause },
  )
