import type { Key, SourceInfo } from '../index.ts'
import type { Skipped } from './content.ts'

export interface SyncOptions {
  /** Put before each path to make the source's id, such as `docs/`. */
  readonly prefix?: string
  /** What this folder is known by in the store; its absolute path unless given. A sync only touches its own sources. */
  readonly root?: string
  /** Larger files are skipped. Default 20 MB. */
  readonly maxBytes?: number
  /** Find out what would change, and write nothing. */
  readonly dryRun?: boolean
  /** Take an empty folder at its word, and remove every source of it. */
  readonly allowEmpty?: boolean
  /** Absolute paths left out, such as the store's own directory. */
  readonly exclude?: readonly string[]
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: SyncProgress) => void
}

export interface SyncProgress {
  readonly phase: 'comparing' | 'writing'
  readonly done: number
  readonly total: number
}

export interface FileChange {
  readonly path: string
  readonly source: string
  /** Where a renamed file was. */
  readonly from?: string
}

export interface SyncReport {
  readonly root: string
  readonly dryRun: boolean
  /** Files that belong in the store. */
  readonly files: number
  readonly unchanged: number
  readonly added: readonly FileChange[]
  readonly changed: readonly FileChange[]
  readonly renamed: readonly FileChange[]
  readonly removed: readonly FileChange[]
  readonly skipped: readonly { readonly path: string; readonly why: Skipped; readonly detail: string }[]
  /** Files the store would not take as they are; the rest was written. */
  readonly refused: readonly { readonly path: string; readonly code: string; readonly message: string }[]
  readonly spans: { readonly added: number; readonly retired: number }
  /** Summaries that are not current any more because of this sync. */
  readonly stale: readonly Key[]
}

/** A source of this folder, as the store has it. */
export interface Stored {
  readonly source: string
  readonly path: string
  readonly info: SourceInfo
}

/** A file to be written, and the source it goes on as. */
export interface Write {
  readonly kind: 'added' | 'changed' | 'renamed'
  readonly path: string
  readonly source: string
  readonly stored: Stored | undefined
}
