import type { Ledger } from '../ports/ledger.ts'
import type { Observer } from './observer.ts'
import type { SearchOptions, SearchResult } from './search-options.ts'

/** What a session works with. */
export interface SessionContext {
  readonly ledger: Ledger
  readonly observer: Observer
  /** Of the session's collection. */
  readonly search: (options: SearchOptions) => Promise<SearchResult>
}
