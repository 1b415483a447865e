import type { Filter } from '../core/filter.ts'
import type { Span } from '../core/model.ts'
import type { DerivedIndex } from './derived.ts'

/** UTF-16 offsets: `text.slice(start, end)`. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

export interface TextQuery {
  /** As the user typed it. */
  readonly text: string
  readonly limit: number
  readonly offset: number
  readonly where?: Filter
  /** Search what was live at this position. */
  readonly asOf?: number
  readonly highlight: boolean
  /** Say which words were looked for. */
  readonly explain?: boolean
  /** Dear words need not find anything by themselves, only rank what rarer ones find: for those who find the rest in another way. */
  readonly quick?: boolean
  readonly signal?: AbortSignal
}

export interface TextHit {
  readonly id: number
  readonly span: Span
  /** Higher is better; comparable within one answer. */
  readonly score: number
  /** Where the words are, in order, without overlaps. */
  readonly highlights?: readonly TextRange[]
}

/** Best first. Everything in it is of one snapshot of the ledger: the collection as it stood at `position`. */
export interface TextAnswer {
  readonly hits: readonly TextHit[]
  readonly position: number
  /** Position up to which the index had absorbed the log. Below `position` when that was not possible in time. */
  readonly indexedThrough: number
  /** True while the index is made anew, so that even old spans may be missing. */
  readonly rebuilding: boolean
  /** False when the query holds nothing that is a word to the index (`"?!"`). */
  readonly hasWords: boolean
  /** The words that were looked for, rarest first. Without `explain` they may be left out. */
  readonly words: readonly string[]
  /** Words that find nothing by themselves here, because what the others find comes before: they only rank that. */
  readonly pruned: readonly string[]
  /** The query has more words than are looked for, and spans that have none but these may be missing. */
  readonly cut: boolean
}

/** Full text. */
export interface TextIndex extends DerivedIndex {
  /** Position up to which the index has absorbed a collection's log. */
  watermark(collection: number): number
  /** Absorbs what is missing, then answers. @throws COLLECTION_DROPPED, POSITION_UNKNOWN, ABORTED */
  search(collection: number, query: TextQuery): Promise<TextAnswer>
}
