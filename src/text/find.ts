import type { Key } from '../core/key.ts'
import { CURRENT_METADATA } from '../ledger/sqlite/heads.ts'
import { NODE_BY_ID, type NodeRow, parseMetadata, spanOf } from '../ledger/sqlite/read.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { Candidates } from '../ports/attributes.ts'
import type { TextHit, TextQuery } from '../ports/text.ts'
import { STANDING, STANDING_COLUMNS, type Standing, type StandingRow, standingOf, tableOf } from './absorb.ts'
import { type Condition, liveIn } from './condition.ts'
import { type Asked, everyWord, quoted, wordOf } from './expression.ts'
import { FEW, rankFew } from './few.ts'
import type { Statistics } from './frequencies.ts'
import { highlight } from './highlights.ts'
import type { Ranked } from './postings.ts'
import { type Page, type Ranker, rankBest, type Understood } from './ranking.ts'

export interface Found {
  readonly hits: readonly TextHit[]
  readonly understood: Understood
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
  index: {
    /** Of the collection. */
    readonly name: string
    readonly statistics: () => Statistics
    readonly exact: boolean
    /** Few spans have any of the words. */
    readonly isRare: boolean
    /** Events that the candidates lack. */
    readonly behind: number
  },
  candidates: Candidates | undefined,
): Found {
  const condition = liveIn(collection, query.where, candidates)
  const table = tableOf(collection)
  const done = (found: Found): Found =>
    query.highlight ? { ...found, hits: withHighlights(connection, asked, found.hits) } : found
  if (candidates !== undefined && candidates.ids.length + index.behind <= FEW) {
    const passing = liveIn(collection, query.where, undefined)
    const { ranked, understood } = rankFew(
      connection,
      collection,
      { asked, passing, candidates },
      index.statistics(),
    )
    const page = ranked.slice(query.offset, query.offset + query.limit)
    return done({ hits: page.flatMap((one) => hitOf(connection, one) ?? []), understood })
  }
  const isPlain = index.exact && query.where === undefined
  const ranker: Ranker<TextHit> = {
    best: (match, page) => {
      const hits = isPlain ? bestLive(connection, table, match, index.name, page) : undefined
      if (hits !== undefined) return hits
      return bestWhere(connection, table, match, condition, page).flatMap(
        (one) => hitOf(connection, one) ?? [],
      )
    },
    count: (match) =>
      isPlain
        ? connection.value<number>(`SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`, match)!
        : connection.once<[number]>(
            `SELECT count(*) FROM ${table} CROSS JOIN span s ON s.id = ${table}.rowid
             WHERE ${table} MATCH ? AND ${condition.sql}`,
            match,
            ...condition.values,
          )[0]![0],
  }
  const { hits, understood } = rankBest(asked, index.statistics, query, ranker, index.isRare)
  return done({ hits, understood })
}

/** Ordering by `bm25()` keeps the best few while it reads; the hidden `rank` column would sort everything first. */
const rankedBest = (table: string, asked = '?'): string =>
  `SELECT rowid AS id, bm25(${table}) AS rank_ FROM ${table} WHERE ${table} MATCH ${asked} ORDER BY rank_, rowid LIMIT ? OFFSET ?`

const best = (
  connection: Connection,
  table: string,
  match: string,
  limit: number,
  offset: number,
): Ranked[] => connection.rows<Ranked>(rankedBest(table), match, limit, offset)

/** What a hit says of `span s`, found as `f`. */
const HIT = `f.id, f.rank_, s.key, s.text, ${CURRENT_METADATA}, s.born, o.name, h.expires, t.span`

/**
 * The best rows with all that a hit says, in one statement, where the index shows just what is live. Undefined when it
 * does not after all.
 */
function bestLive(
  connection: Connection,
  table: string,
  match: string,
  collection: string,
  { limit, offset }: Page,
): TextHit[] | undefined {
  const rows = connection.rows<LiveRow>(
    `SELECT ${HIT}
     FROM (${rankedBest(table)}) f CROSS JOIN span s ON s.id = f.id JOIN source o ON o.id = s.source
       LEFT JOIN source_head h ON h.source = s.source LEFT JOIN tombstone t ON t.span = s.id
     ORDER BY f.rank_, f.id`,
    match,
    limit,
    offset,
  )
  return liveHits(rows, collection)
}

const better = ([a, rankA]: LiveRow, [b, rankB]: LiveRow): number => rankA - rankB || a - b

function liveHits(rows: readonly LiveRow[], collection: string): TextHit[] | undefined {
  const hits: TextHit[] = []
  for (const [id, rank, key, text, metadata, position, source, expires, dead] of rows) {
    if (dead !== null) return undefined
    const span = { key, collection, source, text: text ?? '', metadata: parseMetadata(metadata), position }
    hits.push({ id, span: expires === null ? span : { ...span, expiresAt: expires }, score: -rank })
  }
  return hits
}

/**
 * What one word finds, and how index and ledger stand, in one statement, which is a snapshot of its own: beginning and
 * ending one costs as much as finding a rare word. Undefined where that is not the way to find out, or it finds nothing.
 * `bounded`: only where few spans have the word, so that it cannot take long. The table has to be there.
 */
export function findAtOnce(
  connection: Connection,
  collection: number,
  { required, optional, excluded, cut }: Asked,
  { limit, offset }: Page,
  bounded: boolean,
): (Found & { readonly standing: Standing }) | undefined {
  const [unit, ...others] = [...required, ...optional]
  if (unit === undefined || others.length > 0 || excluded.length > 0) return undefined
  if (bounded && (unit.prefix || unit.tokens.length > 1)) return undefined
  const match = quoted(unit)
  const rows = connection.rows<[...StandingRow, ...LiveRow]>(
    (bounded ? boundedAtOnce : atOnce)(collection),
    ...(bounded ? [match] : []),
    match,
    limit,
    offset,
    collection,
  )
  const [first] = rows
  if (first === undefined) return undefined
  const standing = standingOf(first.slice(0, STANDING_COLUMNS) as StandingRow)
  // SQLite would sort them again, texts and all.
  const found = rows.map((row) => row.slice(STANDING_COLUMNS) as LiveRow).sort(better)
  const hits = liveHits(found, standing.name)
  return hits && { hits, standing, understood: { used: [wordOf(unit)], pruned: [], cut } }
}

/** Putting a statement together, and finding it by its text, takes a tenth of what a rare word does. */
function written(write: (table: string) => string): (collection: number) => string {
  const known = new Map<number, string>()
  return (collection) => {
    const sql = known.get(collection) ?? write(tableOf(collection))
    known.set(collection, sql)
    return sql
  }
}

const standingAndBest = (best: string): string =>
  `SELECT ${STANDING.columns}, ${HIT} FROM ${STANDING.from}
     JOIN (${best}) f JOIN span s ON s.id = f.id JOIN source o ON o.id = s.source
     LEFT JOIN source_head h ON h.source = s.source LEFT JOIN tombstone t ON t.span = s.id
   WHERE c.collection = ?`

const atOnce = written((table) => standingAndBest(rankedBest(table)))

const boundedAtOnce = written((table) =>
  standingAndBest(
    rankedBest(
      table,
      `iif((SELECT count(*) FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ${QUICK})) < ${QUICK}, ?, '')`,
    ),
  ),
)

type LiveRow = [
  id: number,
  rank: number,
  key: Key,
  text: string | null,
  metadata: string | null,
  position: number,
  source: string,
  expires: number | null,
  dead: number | null,
]

/** Words are quickly ranked when no more spans than this have any of them. */
const QUICK = 500

/** Whether few spans have any of the words; false where finding that out could itself take long. */
export function findsFew(
  connection: Connection,
  collection: number,
  { required, optional, excluded }: Asked,
): boolean {
  const units = [...required, ...optional]
  if (excluded.length > 0 || units.some(({ tokens, prefix }) => prefix || tokens.length > 1)) return false
  if (units.length === 0) return true
  const table = tableOf(collection)
  const found = connection.value<number>(
    `SELECT count(*) FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ${QUICK})`,
    units.map(quoted).join(' OR '),
  )!
  return found < QUICK
}

/** The best rows that meet a condition of the ledger. */
function bestWhere(
  connection: Connection,
  table: string,
  match: string,
  condition: Condition,
  { limit, offset }: Page,
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
