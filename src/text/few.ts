import { EVENT } from '../ledger/sqlite/codes.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { Candidates } from '../ports/attributes.ts'
import { TOKENS } from './absorb.ts'
import type { Condition } from './condition.ts'
import { type Asked, type Expression, type Frequency, type Unit, wanted } from './expression.ts'
import { TOKENIZER } from './tokens.ts'

/*
 * Where a filter lets few spans pass, their texts are read and put into an index in memory, which lives for one
 * search: ten microseconds each. Ranking everything that has a common word, to throw nearly all of it away, would take
 * a second in a large collection. What a word weighs is still counted over the whole collection.
 */

/** A row of the index and its rank, where lower is better. */
export type Ranked = [id: number, rank: number]

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
  query: {
    readonly asked: Asked
    readonly expression: Expression
    readonly passing: Condition
    readonly candidates: Candidates
  },
  index: { readonly rows: number; readonly frequency: Frequency },
): Ranked[] {
  const { asked, passing, candidates } = query
  const { match } = query.expression
  if (match === undefined) return []
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
    const lengths = new Map(
      connection.once<[number, number]>(
        `SELECT s.id, s.length FROM ${table} CROSS JOIN span s ON s.id = ${table}.rowid WHERE ${table} MATCH ?`,
        match,
      ),
    )
    return ranked(lengths, wanted(asked), index, tokensIn(connection, table, asked))
  } finally {
    db.exec(`DROP TABLE temp.${table}_tokens; DROP TABLE temp.${table}`)
  }
}

/** Where each token of the query is, in each text; a prefix stands for all that begin with it. */
function tokensIn(connection: Connection, table: string, asked: Asked) {
  const places = new Map<number, Map<string, Set<number>>>()
  const units = wanted(asked)
  const tokens = new Set(units.flatMap((unit) => unit.tokens))
  const prefixes = new Set(units.filter(({ prefix }) => prefix).map(({ tokens }) => tokens.at(-1)!))
  const add = (doc: number, token: string, offset: number) => {
    const terms = places.get(doc) ?? new Map<string, Set<number>>()
    places.set(doc, terms)
    const offsets = terms.get(token) ?? new Set<number>()
    terms.set(token, offsets.add(offset))
  }
  for (const token of tokens)
    for (const [doc, offset] of connection.once<[number, number]>(
      `SELECT doc, offset FROM ${table}_tokens WHERE term = ?`,
      token,
    ))
      add(doc, token, offset)
  for (const prefix of prefixes)
    for (const [doc, offset] of connection.once<[number, number]>(
      `SELECT doc, offset FROM ${table}_tokens WHERE term >= ? AND term < ?`,
      prefix,
      `${prefix}\u{10ffff}`,
    ))
      add(doc, `${prefix}*`, offset)
  return places
}

/** bm25 with the constants of FTS5. */
function ranked(
  lengths: ReadonlyMap<number, number>,
  units: readonly Unit[],
  { rows, frequency }: { readonly rows: number; readonly frequency: Frequency },
  places: ReadonlyMap<number, ReadonlyMap<string, ReadonlySet<number>>>,
): Ranked[] {
  const average = [...lengths.values()].reduce((sum, length) => sum + length, 0) / lengths.size || 1
  const weighed = units.map((unit) => {
    const known = unit.prefix ? unit.tokens.slice(0, -1) : unit.tokens
    const count = known.length === 0 ? 0 : Math.min(...known.map(frequency))
    return { unit, weight: Math.max(1e-6, Math.log((rows - count + 0.5) / (count + 0.5))) }
  })
  const rank = (id: number, length: number): number => {
    const terms = places.get(id)
    let score = 0
    for (const { unit, weight } of weighed) {
      const [first, ...rest] = unit.tokens.map((token, i) =>
        terms?.get(unit.prefix && i === unit.tokens.length - 1 ? `${token}*` : token),
      )
      if (first === undefined) continue
      let times = 0
      for (const at of first) if (rest.every((places, i) => places?.has(at + i + 1))) times++
      score += (weight * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * length) / average))
    }
    return -score
  }
  return [...lengths]
    .map(([id, length]): Ranked => [id, rank(id, length)])
    .sort(([a, rankA], [b, rankB]) => rankA - rankB || a - b)
}
