import type { Filter } from '../core/filter.ts'
import { EVENT } from '../ledger/sqlite/codes.ts'
import { filterSql } from '../ledger/sqlite/filter-sql.ts'
import { CURRENT_METADATA } from '../ledger/sqlite/heads.ts'
import type { Value } from '../ledger/sqlite/statements.ts'
import type { Candidates } from '../ports/attributes.ts'

/** What a hit must be besides matching: a condition on `span s`. */
export interface Condition {
  readonly sql: string
  readonly values: readonly Value[]
}

/** One of those known to be possible, or newer than that knowledge. */
const POSSIBLE = `(s.id IN (SELECT value FROM json_each(?)) OR s.id IN (
  SELECT e.node FROM event e WHERE e.collection = ? AND e.position > ?
    AND e.type IN (${EVENT['span.added']}, ${EVENT['span.updated']})))`

/** Live, of the collection, and passing the filter. */
export function liveIn(
  collection: number,
  where: Filter | undefined,
  candidates: Candidates | undefined,
): Condition {
  const filter = where && filterSql(where, CURRENT_METADATA)
  // Whether a span is among few is found out much sooner than whether its metadata pass.
  return {
    sql: `${candidates === undefined ? '' : `${POSSIBLE} AND `}s.collection = ?
      AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id) AND ${filter?.sql ?? '1'}`,
    values: [
      ...(candidates === undefined ? [] : [JSON.stringify(candidates.ids), collection, candidates.position]),
      collection,
      ...(filter?.params ?? []),
    ],
  }
}
