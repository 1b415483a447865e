import type { Key } from '../core/key.ts'
import { CURRENT_METADATA } from '../ledger/sqlite/heads.ts'
import { NODE_BY_ID, type NodeRow, parseMetadata, spanOf } from '../ledger/sqlite/read.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { Candidates } from '../ports/attributes.ts'
import type { TextHit, TextQuery } from '../ports/text.ts'
import { STANDING, STANDING_COLUMNS, type Standing, type StandingRow, standingOf, tableOf } from './absorb.ts'
import { type Condition, liveIn } from './condition.ts'
import {
  type Asked,
  type Expression,
  everyWord,
  express,
  type Frequency,
  quoted,
  wordOf,
} from './expression.ts'
import { FEW, type Ranked, rankFew } from './few.ts'
import { highlight } from './highlights.ts'

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
  index: {
    /** Of the collection. */
    readonly name: string
    readonly rows: number
    readonly frequency: Frequency
    readonly exact: boolean
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
    const expression = express(asked, index.rows, index.frequency, 'none')
    const passing = liveIn(collection, query.where, undefined)
    const ranked = rankFew(connection, collection, { asked, expression, passing, candidates }, index)
    const page = ranked.slice(query.offset, query.offset + query.limit)
    return done({ hits: page.flatMap((one) => hitOf(connection, one) ?? []), expression })
  }
  const hitsFor = (match: string | undefined): TextHit[] => {
    if (match === undefined) return []
    if (index.exact && query.where === undefined) {
      const hits = bestLive(connection, table, match, index.name, query)
      if (hits !== undefined) return hits
    }
    return bestWhere(connection, table, match, condition, query).flatMap(
      (one) => hitOf(connection, one) ?? [],
    )
  }
  const findsEnough = (match: string) => query.quick || hasEnough(connection, table, match, condition)
  return done(pruning(asked, index, hitsFor, findsEnough))
}

/** What the rarer words find of a query is ranked alone when it is at least so much: more than anybody looks through. */
const ENOUGH = 100

/** Whether that many spans match and meet the condition. */
export function hasEnough(
  connection: Connection,
  table: string,
  match: string,
  { sql, values }: Condition,
): boolean {
  const [[found]] = connection.once<[number]>(
    `SELECT count(*) FROM (SELECT 1 FROM ${table} CROSS JOIN span s ON s.id = ${table}.rowid
     WHERE ${table} MATCH ? AND ${sql} LIMIT ?)`,
    match,
    ...values,
    ENOUGH,
  ) as [[number]]
  return found >= ENOUGH
}

/**
 * Looks for the words worth their price first. When these find too little, also for the dear ones that tell spans apart,
 * and when that finds nothing, for all. It is the query alone that decides, so that its pages are parts of one ranking.
 */
export function pruning<H>(
  asked: Asked,
  { rows, frequency }: { readonly rows: number; readonly frequency: Frequency },
  hitsFor: (match: string | undefined) => readonly H[],
  findsEnough: (match: string) => boolean,
): { hits: readonly H[]; expression: Expression } {
  // How frequent a word is takes as long to find out as what has it, and says nothing where it is alone.
  const [unit, ...others] = [...asked.required, ...asked.optional]
  if (unit !== undefined && others.length === 0) {
    const expression = express(asked, rows, () => 1, 'none')
    const hits = hitsFor(expression.match)
    // Looking again would find the same; a word that is nowhere is not said to have been looked for.
    const isThere = hits.length > 0 || unit.prefix || unit.tokens.length > 1
    return { hits, expression: isThere ? expression : express(asked, rows, frequency, 'dear') }
  }
  let expression = express(asked, rows, frequency, 'dear')
  if (expression.pruned.length > 0 && expression.match !== undefined && asked.required.length === 0) {
    const wide = express(asked, rows, frequency, 'idle')
    if (wide.pruned.length < expression.pruned.length && !findsEnough(expression.match)) expression = wide
  }
  const hits = hitsFor(expression.match)
  if (hits.length > 0 || expression.pruned.length === 0) return { hits, expression }
  const full = express(asked, rows, frequency, 'none')
  return { hits: hitsFor(full.match), expression: full }
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
  { limit, offset }: TextQuery,
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
  { required, optional, excluded }: Asked,
  { limit, offset }: TextQuery,
  bounded: boolean,
): (Found & { readonly standing: Standing }) | undefined {
  const [unit, ...others] = [...required, ...optional]
  if (unit === undefined || others.length > 0 || excluded.length > 0) return undefined
  if (bounded && (unit.prefix || unit.tokens.length > 1)) return undefined
  const match = quoted(unit)
  const table = tableOf(collection)
  const asked = bounded
    ? `iif((SELECT count(*) FROM (SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ${QUICK})) < ${QUICK}, ?, '')`
    : '?'
  const rows = connection.rows<[...StandingRow, ...LiveRow]>(
    `SELECT ${STANDING.columns}, ${HIT} FROM ${STANDING.from}
       JOIN (${rankedBest(table, asked)}) f JOIN span s ON s.id = f.id JOIN source o ON o.id = s.source
       LEFT JOIN source_head h ON h.source = s.source LEFT JOIN tombstone t ON t.span = s.id
     WHERE c.collection = ?`,
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
  return hits && { hits, standing, expression: { match, used: [wordOf(unit)], pruned: [] } }
}

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
