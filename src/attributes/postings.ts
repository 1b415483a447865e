import type { Metadata } from '../core/json.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { Lookup } from './cover.ts'
import { type Entry, entriesOf } from './entries.ts'
import { packIds, unpackIds } from './ids.ts'

const fieldOf = (connection: Connection, collection: number, path: string): number | undefined =>
  connection.value<number>(
    'SELECT id FROM attribute_field WHERE collection = ? AND path = ?',
    collection,
    path,
  )

/** The rows a lookup reads. */
function rowsOf(connection: Connection, collection: number, { path, kind, low, high }: Lookup) {
  const field = fieldOf(connection, collection, path)
  if (field === undefined) return undefined
  let sql = 'FROM attribute_posting WHERE field = ? AND kind = ?'
  const values: (number | string)[] = [field, kind]
  if (low !== undefined && low === high) {
    sql += ' AND value = ?'
    values.push(low)
  } else {
    if (low !== undefined) {
      sql += ' AND value >= ?'
      values.push(low)
    }
    if (high !== undefined) {
      sql += ' AND value <= ?'
      values.push(high)
    }
  }
  return { sql, values }
}

/** How many spans a lookup finds, or something above `most`. */
export function countOf(connection: Connection, collection: number, lookup: Lookup, most: number): number {
  const rows = rowsOf(connection, collection, lookup)
  if (rows === undefined) return 0
  const sql = `SELECT total(count) FROM (SELECT count ${rows.sql} LIMIT ?)`
  return connection.value<number>(sql, ...rows.values, Math.max(0, most) + 1)!
}

/** The spans a lookup finds. */
export function idsOf(connection: Connection, collection: number, lookup: Lookup, into: Set<number>): void {
  const rows = rowsOf(connection, collection, lookup)
  if (rows === undefined) return
  for (const [first, packed] of connection.rows<[number, Buffer | null]>(
    `SELECT first, ids ${rows.sql}`,
    ...rows.values,
  ))
    if (packed === null) into.add(first)
    else for (const id of unpackIds(packed)) into.add(id)
}

type Values = Map<number | string, number[]>

/** Which spans have which values of which kind, by path. */
export class Postings {
  readonly #paths = new Map<string, Map<number, Values>>()
  #last = ''
  #entries: readonly Entry[] = []

  /** Takes metadata apart. */
  add(id: number, metadata: string): void {
    // Spans of one source often have the same metadata.
    if (metadata !== this.#last) {
      this.#last = metadata
      this.#entries = entriesOf(JSON.parse(metadata) as Metadata)
    }
    for (const { path, kind, value } of this.#entries) {
      const kinds = at(this.#paths, path, () => new Map<number, Values>())
      const values = at(kinds, kind, (): Values => new Map())
      const ids = at(values, value, (): number[] => [])
      if (ids.at(-1) !== id) ids.push(id)
    }
  }

  /** Writes them in the order of the index, so that each page is touched once. Lets others run in between. */
  async write(connection: Connection, collection: number, pause: Pause): Promise<void> {
    for (const [path, kinds] of this.#paths) {
      let field = fieldOf(connection, collection, path)
      field ??= Number(
        connection
          .prepare('INSERT INTO attribute_field (collection, path) VALUES (?, ?)')
          .run(collection, path).lastInsertRowid,
      )
      for (const [kind, values] of kinds) {
        const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
        let started = performance.now()
        for (const [value, ids] of sorted) {
          ids.sort((a, b) => a - b)
          write(connection, [field, kind, value, ids[0]!], ids)
          if (performance.now() - started < TURN) continue
          await pause()
          started = performance.now()
        }
      }
    }
  }
}

export type Pause = () => Promise<void>

/** Milliseconds after which others get a turn. */
const TURN = 5

function at<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

const INSERT = `INSERT INTO attribute_posting (field, kind, value, first, count, ids) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`

function write(connection: Connection, place: Place, ids: readonly number[]): void {
  const packed = ids.length === 1 ? null : packIds(ids)
  if (connection.prepare(INSERT).run(...place, ids.length, packed).changes === 1) return
  // Another row begins with the same span: they become one.
  const where = 'field = ? AND kind = ? AND value = ? AND first = ?'
  const [old] = connection.row<[Buffer | null]>(`SELECT ids FROM attribute_posting WHERE ${where}`, ...place)!
  const all = [...new Set([...(old === null ? [] : unpackIds(old)), ...ids])].sort((a, b) => a - b)
  connection.run(
    `UPDATE attribute_posting SET count = ?, ids = ? WHERE ${where}`,
    all.length,
    all.length === 1 ? null : packIds(all),
    ...place,
  )
}

/** Rows of one step of dropping a collection. */
const ROWS = 2_000

/** Spans that take as long as a posting does by itself. */
const POSTING = 10

type Row = [field: number, kind: number, value: number | string, first: number, ids: Buffer | null]

/** Where a walk through all postings of a collection stands. */
export type Place = readonly [field: number, kind: number, value: number | string, first: number]

const START: Place = [0, -1, 0, 0]

/** The next postings of a collection, in the order of the index: about `limit` spans, one posting at least. */
export function walk(
  connection: Connection,
  collection: number,
  after: Place = START,
  limit: number,
): { readonly rows: readonly Row[]; readonly last: Place | undefined } {
  const field = connection.value<number>(
    'SELECT id FROM attribute_field WHERE collection = ? AND id >= ? ORDER BY id LIMIT 1',
    collection,
    after[0],
  )
  if (field === undefined) return { rows: [], last: undefined }
  const from: Place = field === after[0] ? after : [field, -1, 0, 0]
  const rows: Row[] = []
  let spans = 0
  for (const [count, ...row] of connection.each<[count: number, ...Row]>(
    `SELECT count, field, kind, value, first, ids FROM attribute_posting
     WHERE field = ? AND (kind, value, first) > (?, ?, ?) ORDER BY kind, value, first`,
    ...from,
  )) {
    rows.push(row)
    spans += count + POSTING
    if (spans >= limit) return { rows, last: [row[0], row[1], row[2], row[3]] }
  }
  return { rows, last: [field + 1, -1, 0, 0] }
}

/** Takes spans out of postings. */
export function takeOut(connection: Connection, rows: readonly Row[], gone: ReadonlySet<number>): void {
  for (const [field, kind, value, first, packed] of rows) {
    const ids = packed === null ? [first] : unpackIds(packed)
    const left = ids.filter((id) => !gone.has(id))
    if (left.length === ids.length) continue
    connection.run(
      'DELETE FROM attribute_posting WHERE field = ? AND kind = ? AND value = ? AND first = ?',
      field,
      kind,
      value,
      first,
    )
    if (left.length > 0) write(connection, [field, kind, value, left[0]!], left)
  }
}

/** Drops some postings of a collection, at last its fields. False: there are more. */
export function drop(connection: Connection, collection: number): boolean {
  const field = connection.value<number>(
    'SELECT id FROM attribute_field WHERE collection = ? ORDER BY id LIMIT 1',
    collection,
  )
  if (field === undefined) return true
  const dropped = connection.run(
    `DELETE FROM attribute_posting WHERE field = ?1 AND (kind, value, first) <= (
       SELECT kind, value, first FROM attribute_posting WHERE field = ?1 ORDER BY kind, value, first LIMIT 1 OFFSET ?2)`,
    field,
    ROWS,
  )
  if (dropped === 0) {
    connection.run('DELETE FROM attribute_posting WHERE field = ?', field)
    connection.run('DELETE FROM attribute_field WHERE id = ?', field)
  }
  return false
}
