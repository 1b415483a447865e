import { isMainThread } from 'node:worker_threads'
import { EVENT } from '../ledger/sqlite/codes.ts'
import { filterSql } from '../ledger/sqlite/filter-sql.ts'
import { NODE_BY_ID, type NodeRow, spanOf } from '../ledger/sqlite/read.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { TextHit, TextQuery } from '../ports/text.ts'
import { GONE, lastOf, readHead, readState, type TextState, TOKENS, tableOf, upTo } from './absorb.ts'
import type { Totals } from './bm25.ts'
import type { Condition } from './condition.ts'
import type { TextDatabase } from './database.ts'
import { type Asked, type Unit, wanted } from './expression.ts'
import { type Found, withHighlights } from './find.ts'
import { lengthsOf, matching, type Ranked, rank, type Times, timesOf } from './postings.ts'
import { TOKENIZER } from './tokens.ts'
import { readTotals, tokensOfRows } from './totals.ts'

/*
 * What was live at a position is what the index has of it, which is what still lives, and what was retired since. The
 * latter is read, and put into an index in memory that lives for one search: ten microseconds each. The words asked for
 * are then read from both, and ranked as if they were one: as a search at that time would have ranked them. So a search
 * costs what it finds, and what was retired since.
 */

/** Was live at a position, and its text still exists. */
const livedAt = (collection: number, position: number): Condition => ({
  sql: `s.collection = ? AND s.kind = 0 AND s.born <= ? AND s.text IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id AND t.position <= ?)
    AND NOT EXISTS (SELECT 1 FROM erasure e WHERE e.span = s.id)
    AND NOT EXISTS (SELECT 1 FROM pruning p WHERE p.span = s.id)`,
  values: [collection, position, position],
})

/** The metadata a span had at a position, which is bound wherever the expression stands. */
const metadataAt = (position: number): string =>
  `coalesce((SELECT a.metadata FROM amendment a WHERE a.span = s.id AND a.position <= ${position}
    ORDER BY a.position DESC LIMIT 1), s.metadata)`

/** Events, or rows, that are looked at at a stretch, where others wait. */
const STEP = isMainThread ? 2_000 : 100_000

/** The index changed while it was read, so that what was read does not belong together. */
export const MOVED = Symbol('moved')

type Past = TextQuery & { readonly asOf: number }

let made = 0

/**
 * Searches a collection as it stood at `asOf`, in steps; between any two others may have their turn. The index has to be
 * up to date at the first of them, and answers MOVED when it has taken something in before the last.
 */
export function* findInPast(
  { connection, schema }: TextDatabase,
  collection: number,
  query: Past,
  asked: Asked,
): Generator<undefined, Found | typeof MOVED> {
  const began = readState(connection, collection)!
  const last = lastBorn(connection, collection, query.asOf)
  const present = tableOf(collection)
  const gone = `text_past_${++made}`
  const { db } = connection
  db.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.${present}_tokens USING fts5vocab(${schema}, ${present}, instance);
    CREATE VIRTUAL TABLE temp.${gone} USING fts5(text, content='', tokenize="${TOKENIZER}");
    CREATE VIRTUAL TABLE temp.${gone}_tokens USING fts5vocab(temp, ${gone}, instance)`)
  try {
    yield* readGone(connection, collection, { gone, asOf: query.asOf, last }, began)
    const times = new Map<Unit, Times>()
    for (const unit of [...wanted(asked), ...asked.excluded]) {
      const both = timesOf(connection, present, unit, last)
      yield
      for (const [id, count] of timesOf(connection, gone, unit)) both.set(id, count)
      times.set(unit, both)
      yield
    }
    const ids = matching(asked, times)
    const lengths = new Map<number, number>()
    for (let i = 0; i < ids.length; i += STEP) {
      const some = ids.slice(i, i + STEP)
      lengthsOf(connection, present, some, lengths)
      lengthsOf(connection, gone, some, lengths)
      yield
    }
    const statistics = {
      ...(yield* totalsOf(connection, { present, gone, last }, began)),
      frequency: (unit: Unit) => ({ count: times.get(unit)!.size, least: times.get(unit)!.size }),
    }
    const { ranked, understood } = rank(asked, ids, { times, lengths, statistics })
    yield
    if (!isAsBefore(began, readState(connection, collection))) return MOVED
    const hits = yield* passing(connection, collection, query, ranked)
    return { hits: query.highlight ? withHighlights(connection, asked, hits) : hits, understood }
  } finally {
    if (db.open) db.exec(`DROP TABLE temp.${gone}_tokens; DROP TABLE temp.${gone}`)
  }
}

const isAsBefore = (before: TextState, now: TextState | undefined): boolean =>
  now !== undefined && now.position === before.position && now.rows === before.rows && now.scan === null

/** The last id that a span of the collection got up to a position. Ids grow as positions do. */
function lastBorn(connection: Connection, collection: number, position: number): number {
  const next = (id: number) =>
    connection.row<[number, number]>(
      'SELECT id, born FROM span INDEXED BY span_collection WHERE collection = ? AND id >= ? ORDER BY id LIMIT 1',
      collection,
      id,
    )
  let [known, beyond] = [0, (connection.value<number>('SELECT max(id) FROM span') ?? 0) + 1]
  while (known + 1 < beyond) {
    const middle = Math.floor((known + beyond) / 2)
    const span = next(middle)
    if (span !== undefined && span[1] <= position) known = span[0]
    else beyond = middle
  }
  return known
}

/** Puts what was live then and is no longer into an index of its own. */
function* readGone(
  connection: Connection,
  collection: number,
  { gone, asOf, last }: { readonly gone: string; readonly asOf: number; readonly last: number },
  { position }: TextState,
): Generator<undefined, void> {
  const lived = livedAt(collection, asOf)
  const insert = (from: string, ...values: number[]) =>
    connection.db
      .prepare(
        `INSERT INTO ${gone} (rowid, text) SELECT s.id, ${TOKENS} FROM ${from}
         AND s.id <= ? AND ${lived.sql} AND EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id AND t.position <= ?)`,
      )
      .run(...values, last, ...lived.values, position)
  const floor = readHead(connection, collection)?.floor ?? 0
  // The log tells what was retired since, unless it was pruned; where it is longer than all that had been said then, that is read.
  if (asOf < floor || position - asOf > last) {
    for (let scan = 0; ; ) {
      const end = lastOf(connection, collection, scan)
      if (end === null || scan >= last) return
      insert(
        'span s INDEXED BY span_collection WHERE s.collection = ? AND s.id > ? AND s.id <= ?',
        collection,
        scan,
        end,
      )
      scan = end
      yield
    }
  }
  for (let at = asOf; at < position; ) {
    const end = lastGone(connection, collection, at, position)
    insert(
      `(SELECT DISTINCT node FROM (${GONE})) g CROSS JOIN span s ON s.id = g.node WHERE 1`,
      collection,
      at,
      end,
    )
    at = end
    yield
  }
}

/** Where the next step of reading what was retired ends. */
const lastGone = (connection: Connection, collection: number, after: number, position: number): number =>
  upTo(
    connection.each<[number, number]>(
      `SELECT e.position, s.length FROM event e CROSS JOIN span s ON s.id = e.node
       WHERE e.collection = ? AND e.position > ? AND e.position <= ? AND e.type IN (${EVENT['span.retired']}, ${EVENT['span.erased']})
       ORDER BY e.position LIMIT ?`,
      collection,
      after,
      position,
      STEP,
    ),
  ) ?? position

/** Spans that were live, and their tokens. */
function* totalsOf(
  connection: Connection,
  { present, gone, last }: { readonly present: string; readonly gone: string; readonly last: number },
  { rows }: TextState,
): Generator<undefined, Totals> {
  const retired = tokensOfRows(connection, gone, '1')
  const all = readTotals(connection, present)
  const isRight = all !== undefined && all.rows === rows
  const counted = tokensOfRows(connection, present, isRight ? 'd.id > ?' : 'd.id <= ?', last)
  yield
  const stayed = isRight ? { rows: rows - counted.rows, tokens: all.tokens - counted.tokens } : counted
  return { rows: stayed.rows + retired.rows, tokens: stayed.tokens + retired.tokens }
}

/** The page of what passes the filter. Asked here, because a text may have been erased while others were read. */
function* passing(
  connection: Connection,
  collection: number,
  { where, asOf, limit, offset }: Past,
  ranked: readonly Ranked[],
): Generator<undefined, TextHit[]> {
  const lived = livedAt(collection, asOf)
  const filter = where && filterSql(where, metadataAt(asOf))
  const hits: TextHit[] = []
  const size = Math.max(500, offset + limit)
  for (let [at, seen] = [0, 0]; at < ranked.length && seen < offset + limit; at += size) {
    const some = ranked.slice(at, at + size)
    const passed = new Set(
      connection
        .once<[number]>(
          `SELECT s.id FROM json_each(?) j CROSS JOIN span s ON s.id = j.value WHERE ${lived.sql} AND ${filter?.sql ?? '1'}`,
          JSON.stringify(some.map(([id]) => id)),
          ...lived.values,
          ...(filter?.params ?? []),
        )
        .map(([id]) => id),
    )
    for (const one of some) {
      if (!passed.has(one[0])) continue
      if (seen++ >= offset && hits.length < limit) hits.push(hitAt(connection, one, asOf))
    }
    yield
  }
  return hits
}

function hitAt(connection: Connection, [id, rank]: Ranked, position: number): TextHit {
  const row: NodeRow = [...connection.row<NodeRow>(NODE_BY_ID, id)!]
  row[4] = connection.once<[string | null]>(
    `SELECT ${metadataAt(position)} FROM span s WHERE s.id = ?`,
    id,
  )[0]![0]
  row[14] = null
  return { id, span: spanOf(row, row[3]), score: -rank }
}
