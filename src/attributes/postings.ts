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

/** Which spans have an entry, by everything there is to find in the metadata of some. */
export type Postings = ReadonlyMap<string, { readonly entry: Entry; readonly ids: readonly number[] }>

/** Takes metadata apart. Ids come in ascending order. */
export function postingsOf(rows: readonly (readonly [id: number, metadata: string])[]): Postings {
  const postings = new Map<string, { entry: Entry; ids: number[] }>()
  // Spans of one source often have the same metadata.
  let last = ''
  let entries: readonly Entry[] = []
  for (const [id, metadata] of rows) {
    if (metadata !== last) {
      last = metadata
      entries = entriesOf(JSON.parse(metadata) as Metadata)
    }
    for (const entry of entries) {
      const name = `${entry.kind} ${entry.path} ${entry.value}`
      const posting = postings.get(name)
      if (posting === undefined) postings.set(name, { entry, ids: [id] })
      else if (posting.ids.at(-1) !== id) posting.ids.push(id)
    }
  }
  return postings
}

const INSERT = `INSERT INTO attribute_posting (field, kind, value, first, count, ids) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`

export function writePostings(connection: Connection, collection: number, postings: Postings): void {
  const fields = new Map<string, number>()
  for (const { entry, ids } of postings.values()) {
    const { path, kind, value } = entry
    let field = fields.get(path) ?? fieldOf(connection, collection, path)
    field ??= Number(
      connection.prepare('INSERT INTO attribute_field (collection, path) VALUES (?, ?)').run(collection, path)
        .lastInsertRowid,
    )
    fields.set(path, field)
    write(connection, [field, kind, value, ids[0]!], ids)
  }
}

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

/** Rows looked at by one step of taking spans out, or of dropping a collection. */
const ROWS = 2_000

type Row = [field: number, kind: number, value: number | string, first: number, ids: Buffer | null]

/** Where a walk through all postings of a collection stands. */
export type Place = readonly [field: number, kind: number, value: number | string, first: number]

const START: Place = [0, -1, 0, 0]

/** The next postings of a collection, in the order of the index. */
export function walk(
  connection: Connection,
  collection: number,
  after: Place = START,
): { readonly rows: readonly Row[]; readonly last: Place | undefined } {
  const field = connection.value<number>(
    'SELECT id FROM attribute_field WHERE collection = ? AND id >= ? ORDER BY id LIMIT 1',
    collection,
    after[0],
  )
  if (field === undefined) return { rows: [], last: undefined }
  const from: Place = field === after[0] ? after : [field, -1, 0, 0]
  const rows = connection.rows<Row>(
    `SELECT field, kind, value, first, ids FROM attribute_posting
     WHERE field = ? AND (kind, value, first) > (?, ?, ?) ORDER BY kind, value, first LIMIT ?`,
    ...from,
    ROWS,
  )
  const end = rows.at(-1)
  const last: Place =
    rows.length < ROWS || end === undefined ? [field + 1, -1, 0, 0] : [end[0], end[1], end[2], end[3]]
  return { rows, last }
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
