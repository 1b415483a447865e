import { filterSql } from '../ledger/sqlite/filter-sql.ts'
import { NODE_BY_ID, type NodeRow, spanOf } from '../ledger/sqlite/read.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { TextHit, TextQuery } from '../ports/text.ts'
import { lastOf } from './absorb.ts'
import type { Condition } from './condition.ts'
import type { Asked } from './expression.ts'
import { bestWhere, type Found, hasEnough, pruning, withHighlights } from './find.ts'
import { TOKENIZER } from './tokens.ts'

/*
 * The past is not indexed: it is read. The spans that were live at a position are put into an index in memory, which
 * lives for one search. That costs about ten microseconds per span of the collection.
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

let made = 0

/** Searches a collection as it stood at `position`. Reads in steps; each is a snapshot of texts that cannot change. */
export async function findInPast(
  connection: Connection,
  collection: number,
  query: TextQuery & { readonly asOf: number },
  asked: Asked,
  pause: () => Promise<void>,
): Promise<Found> {
  const table = `text_past_${++made}`
  const lived = livedAt(collection, query.asOf)
  const { db } = connection
  db.exec(`
    CREATE VIRTUAL TABLE temp.${table} USING fts5(text, content='', contentless_delete=1, tokenize="${TOKENIZER}");
    CREATE VIRTUAL TABLE temp.${table}_terms USING fts5vocab(temp, ${table}, row)`)
  try {
    let rows = 0
    for (let scan = 0; ; ) {
      const last = lastOf(connection, collection, scan)
      if (last === null) break
      rows += db
        .prepare(
          `INSERT INTO ${table} (rowid, text)
           SELECT s.id, iif(octet_length(s.text) = s.length, s.text, spanstore_tokens(s.text))
           FROM span s INDEXED BY span_collection WHERE ${lived.sql} AND s.id > ? AND s.id <= ?`,
        )
        .run(...lived.values, scan, last).changes
      scan = last
      await pause()
    }
    const frequent = db.prepare(`SELECT doc FROM ${table}_terms WHERE term = ?`).pluck()
    const filter = query.where && filterSql(query.where, metadataAt(query.asOf))
    // Asked again for the hits: a text may have been erased while the others were read.
    const condition: Condition = {
      sql: `${lived.sql} AND ${filter?.sql ?? '1'}`,
      values: [...lived.values, ...(filter?.params ?? [])],
    }
    const { hits, expression } = pruning(
      asked,
      { rows, frequency: (token) => (frequent.get(token) as number | undefined) ?? 0 },
      (match) =>
        match === undefined
          ? []
          : bestWhere(connection, table, match, condition, query).map((one) =>
              hitAt(connection, one, query.asOf),
            ),
      (match) => query.quick || hasEnough(connection, table, match, condition),
    )
    return { hits: query.highlight ? withHighlights(connection, asked, hits) : hits, expression }
  } finally {
    if (db.open) db.exec(`DROP TABLE temp.${table}_terms; DROP TABLE temp.${table}`)
  }
}

function hitAt(connection: Connection, [id, rank]: [number, number], position: number): TextHit {
  const row: NodeRow = [...connection.row<NodeRow>(NODE_BY_ID, id)!]
  row[4] = connection.once<[string | null]>(
    `SELECT ${metadataAt(position)} FROM span s WHERE s.id = ?`,
    id,
  )[0]![0]
  row[14] = null
  return { id, span: spanOf(row, row[3]), score: -rank }
}
