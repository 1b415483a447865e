import type { Filter } from '../core/filter.ts'
import { EVENT } from '../ledger/sqlite/codes.ts'
import { filterSql } from '../ledger/sqlite/filter-sql.ts'
import { CURRENT_METADATA } from '../ledger/sqlite/heads.ts'
import { NODE_BY_ID, type NodeRow, spanOf } from '../ledger/sqlite/read.ts'
import type { Connection, Value } from '../ledger/sqlite/statements.ts'
import type { Candidates, TextHit, TextQuery } from '../ports.ts'
import { tableOf } from './absorb.ts'
import { type Asked, type Expression, everyWord, express, type Frequency } from './expression.ts'
import { highlight } from './highlights.ts'

/** A row of the index and its rank, where lower is better. */
export type Ranked = [id: number, rank: number]

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
function liveIn(
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

export interface Found {
  readonly hits: readonly TextHit[]
  readonly expression: Expression
}

/**
 * The best live spans for a query, of the snapshot the connection is in. `exact`: the index shows just what is live,
 * so that the ledger needs to be asked about the hits only.
 */
export function find(
  connection: Connection,
  collection: number,
  query: TextQuery,
  asked: Asked,
  index: { readonly rows: number; readonly frequency: Frequency; readonly exact: boolean },
  candidates: Candidates | undefined,
): Found {
  const condition = liveIn(collection, query.where, candidates)
  const table = tableOf(collection)
  const hitsFor = (match: string | undefined): TextHit[] => {
    if (match === undefined) return []
    if (index.exact && query.where === undefined) {
      const hits = best(connection, table, match, query.limit, query.offset).map((one) =>
        hitOf(connection, one),
      )
      if (hits.every((hit) => hit !== undefined)) return hits
    }
    return bestWhere(connection, table, match, condition, query).flatMap(
      (one) => hitOf(connection, one) ?? [],
    )
  }
  const { hits, expression } = pruning(asked, index.rows, index.frequency, hitsFor)
  return { hits: query.highlight ? withHighlights(connection, asked, hits) : hits, expression }
}

/**
 * Looks for the words worth their price first, and for all of them when that finds nothing: leaving a common word
 * out may change an answer's order or length, but never makes it empty.
 */
export function pruning<H>(
  asked: Asked,
  rows: number,
  frequency: Frequency,
  hitsFor: (match: string | undefined) => readonly H[],
): { hits: readonly H[]; expression: Expression } {
  const frugal = express(asked, rows, frequency, true)
  const hits = hitsFor(frugal.match)
  if (hits.length > 0 || frugal.pruned.length === 0) return { hits, expression: frugal }
  const full = express(asked, rows, frequency, false)
  return { hits: hitsFor(full.match), expression: full }
}

/** Ordering by `bm25()` keeps the best few while it reads; the hidden `rank` column would sort everything first. */
const best = (
  connection: Connection,
  table: string,
  match: string,
  limit: number,
  offset: number,
): Ranked[] =>
  connection.rows<Ranked>(
    `SELECT rowid, bm25(${table}) AS rank_ FROM ${table} WHERE ${table} MATCH ? ORDER BY rank_, rowid LIMIT ? OFFSET ?`,
    match,
    limit,
    offset,
  )

/** The best rows that meet a condition of the ledger. */
export function bestWhere(
  connection: Connection,
  table: string,
  match: string,
  condition: Condition,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Ranked[] {
  // Most filters pass some of the best: asking about these alone is quicker than asking about every match.
  const wanted = offset + limit
  const first = best(connection, table, match, 4 * wanted + 64, 0)
  const passing = new Set(
    connection
      .once<[number]>(
        `SELECT s.id FROM json_each(?) j CROSS JOIN span s ON s.id = j.value WHERE ${condition.sql}`,
        JSON.stringify(first.map(([id]) => id)),
        ...condition.values,
      )
      .map(([id]) => id),
  )
  const passed = first.filter(([id]) => passing.has(id))
  if (passed.length >= wanted || first.length < 4 * wanted + 64) return passed.slice(offset, wanted)
  return connection.once<Ranked>(
    `SELECT s.id, bm25(${table}) AS rank_ FROM ${table} CROSS JOIN span s ON s.id = ${table}.rowid
     WHERE ${table} MATCH ? AND ${condition.sql} ORDER BY rank_, s.id LIMIT ? OFFSET ?`,
    match,
    ...condition.values,
    limit,
    offset,
  )
}

/** The hit as the ledger has it now, or undefined for a span that is not live. */
function hitOf(connection: Connection, [id, rank]: Ranked): TextHit | undefined {
  const row = connection.row<NodeRow>(NODE_BY_ID, id)
  if (row === undefined || row[9] !== null || row[11] !== null) return undefined
  return { id, span: spanOf(row, row[3]), score: -rank }
}

export function withHighlights(connection: Connection, asked: Asked, hits: readonly TextHit[]): TextHit[] {
  if (hits.length === 0) return []
  const ranges = highlight(
    connection,
    everyWord(asked),
    hits.map(({ span }) => span.text),
  )
  return hits.map((hit, i) => ({ ...hit, highlights: ranges[i]! }))
}
