import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { VectorHead, VectorMark, VectorRecords, VectorSpace } from '../ports/vectors.ts'
import { writeDurably } from './durable.ts'

/** Raise it when tables change: one of another format is made anew. */
const FORMAT = 2

/** What a table holds: the collection as of `position`, once the copy is over. Written after the table's files are synced. */
export interface TableState {
  readonly format: number
  readonly collection: string
  readonly embedder: string
  readonly dimensions: number
  readonly metric: string
  readonly position: number
  /** The last span id copied; null when the copy is over and the log is followed. */
  readonly scan: number | null
  /** No span with a higher id was ever in the table. */
  readonly lastId: number
  /** Live spans with words that had no vector. */
  readonly waiting: readonly number[]
  /** Live spans whose vector has no direction, under cosine. The table has its vectors as directions, and leaves them out. */
  readonly zeros: readonly number[]
  /** The table's own version when this was written: another one holds rows that this does not speak of. */
  readonly version: number
  /** Commits since the files were last joined. */
  readonly commits: number
  readonly mark: VectorMark | null
}

/** Names the table of a collection and an embedder, and the file beside it that says what it holds. */
export function tableName(head: VectorHead, space: VectorSpace): string {
  const hash = createHash('sha256').update(space.embedder).digest('hex').slice(0, 12)
  return `${head.id.toLowerCase()}_${space.dimensions}_${hash}`
}

const pathOf = (directory: string, name: string): string => join(directory, `${name}.json`)

export const newState = (head: VectorHead, space: VectorSpace, version: number): TableState => ({
  format: FORMAT,
  collection: head.id,
  embedder: space.embedder,
  dimensions: space.dimensions,
  metric: space.metric,
  position: head.position,
  scan: 0,
  lastId: 0,
  waiting: [],
  zeros: [],
  version,
  commits: 0,
  mark: null,
})

/** Whether the ledger goes on from where the table stands. It does not after a restored backup, or a pruned log. */
export function goesOn(
  records: VectorRecords,
  collection: number,
  state: TableState,
  head: VectorHead,
): boolean {
  if (state.position > head.position || state.position < head.floor) return false
  // While rows are copied there is none yet.
  if (state.mark === null) return true
  const mark = records.mark(collection, state.position)
  if (mark === undefined) return state.mark.position <= head.floor
  return mark.position === state.mark.position && mark.at === state.mark.at && mark.key === state.mark.key
}

/** Reads states, again only when their file changed. */
export class States {
  readonly directory: string
  readonly #read = new Map<string, { readonly stamp: string; readonly state: TableState | undefined }>()

  constructor(directory: string) {
    this.directory = directory
  }

  /** Undefined: there is none, or not one that can be used. */
  read(name: string, space: VectorSpace): TableState | undefined {
    const path = pathOf(this.directory, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) {
      this.#read.delete(name)
      return undefined
    }
    const stamp = `${stats.ino} ${stats.mtimeMs} ${stats.size}`
    let known = this.#read.get(name)
    if (known?.stamp !== stamp) {
      known = { stamp, state: parse(path) }
      this.#read.set(name, known)
    }
    const { state } = known
    return state?.embedder === space.embedder && state.dimensions === space.dimensions ? state : undefined
  }

  async write(name: string, state: TableState): Promise<void> {
    await writeDurably(pathOf(this.directory, name), JSON.stringify(state))
  }

  remove(name: string): void {
    rmSync(pathOf(this.directory, name), { force: true })
  }
}

function parse(path: string): TableState | undefined {
  try {
    const state = JSON.parse(readFileSync(path, 'utf8')) as TableState
    const whole =
      state.format === FORMAT &&
      Number.isSafeInteger(state.position) &&
      Number.isSafeInteger(state.lastId) &&
      Number.isSafeInteger(state.version) &&
      Array.isArray(state.waiting) &&
      Array.isArray(state.zeros)
    return whole ? state : undefined
  } catch {
    return undefined
  }
}
