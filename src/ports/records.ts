import type { Filter } from '../core/filter.ts'
import type { WriteResult } from '../core/model.ts'
import type { Admits, LiveRecord, RecordChange, RecordOutcome, RecordResult } from '../core/record.ts'
import type { WriteOptions } from './planned.ts'

/** Records, as clients of vector databases know them (see `core/record.ts`). */
export interface RecordLedger {
  /**
   * One transaction; one outcome per change, in order. `unless`: nothing is written if one of these sources changed
   * after a position of this collection; the answer then names those that did.
   */
  write(
    collection: number,
    changes: readonly RecordChange[],
    options: WriteOptions & {
      readonly unless?: { readonly after: number; readonly sources: readonly string[] }
    },
  ): Promise<RecordsWritten | { readonly moved: readonly string[] }>
  /** One slot per id, in request order, all of one snapshot. */
  read(
    collection: number,
    sources: readonly string[],
    vectors: boolean,
  ): Promise<{ readonly slots: readonly RecordResult[]; readonly position: number }>
  /** Span ids of the live records that pass, in the order in which their sources came (or came back). */
  order(
    collection: number,
    where: Filter | undefined,
    admits: Admits | undefined,
  ): Promise<{ readonly ids: readonly number[]; readonly position: number }>
  /** Those of these spans that are live, in the given order. */
  rows(collection: number, ids: readonly number[], vectors: boolean): Promise<readonly LiveRecord[]>
  /** Those of these sources that changed after a position. */
  moved(collection: number, after: number, sources: readonly string[]): Promise<readonly string[]>
}

export interface RecordsWritten extends WriteResult {
  /** Where the collection stood before. */
  readonly before: number
  readonly outcomes: readonly RecordOutcome[]
}
