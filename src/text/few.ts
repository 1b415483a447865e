import { EVENT } from '../ledger/sqlite/codes.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { Candidates } from '../ports/attributes.ts'
import { TOKENS } from './absorb.ts'
import type { Condition } from './condition.ts'
import { type Asked, type Unit, wanted } from './expression.ts'
import type { Statistics } from './frequencies.ts'
import { lengthsOf, matching, type Ranked, rank, type Times, timesOf } from './postings.ts'
import type { Understood } from './ranking.ts'
import { TOKENIZER } from './tokens.ts'

/*
 * Where a filter lets few spans pass, their texts are read and put into an index in memory, which lives for one
 * search: ten microseconds each. Ranking everything that has a common word, to throw nearly all of it away, would take
 * a second in a large collection. What a word weighs is still counted over the whole collection.
 */

/** Up to so many spans. */
export const FEW = 500

/** Spans that may pass: those known, and those that came or changed since. */
const POSSIBLE = `SELECT value AS id FROM json_each(?) UNION SELECT e.node FROM event e
  WHERE e.collection = ? AND e.position > ? AND e.type IN (${EVENT['span.added']}, ${EVENT['span.updated']})
    AND e.node IS NOT NULL`

let made = 0

/** All that match and meet the condition, best first. */
export function rankFew(
  connection: Connection,
  collection: number,
  query: { readonly asked: Asked; readonly passing: Condition; readonly candidates: Candidates },
  statistics: Statistics,
): { readonly ranked: Ranked[]; readonly understood: Understood } {
  const { asked, passing, candidates } = query
  const { db } = connection
  const table = `text_few_${++made}`
  db.exec(`
    CREATE VIRTUAL TABLE temp.${table} USING fts5(text, content='', tokenize="${TOKENIZER}");
    CREATE VIRTUAL TABLE temp.${table}_tokens USING fts5vocab(temp, ${table}, instance)`)
  try {
    db.prepare(
      `INSERT INTO ${table} (rowid, text) SELECT s.id, ${TOKENS}
       FROM (${POSSIBLE}) p CROSS JOIN span s ON s.id = p.id
       WHERE s.kind = 0 AND s.text IS NOT NULL AND ${passing.sql}`,
    ).run(JSON.stringify(candidates.ids), collection, candidates.position, ...passing.values)
    const units = [...wanted(asked), ...asked.excluded]
    const times = new Map<Unit, Times>(units.map((unit) => [unit, timesOf(connection, table, unit)]))
    const ids = matching(asked, times)
    const lengths = new Map<number, number>()
    lengthsOf(connection, table, ids, lengths)
    return rank(asked, ids, { times, lengths, statistics })
  } finally {
    db.exec(`DROP TABLE temp.${table}_tokens; DROP TABLE temp.${table}`)
  }
}
