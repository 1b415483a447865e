import { SpanStoreError } from '../../core/errors.ts'
import type { Computed } from '../../ports/planned.ts'
import type { VectorRow, VectorSpace } from '../../ports/vectors.ts'
import { type Connection, insertInto } from './statements.ts'

const INSERT_SUPPLIED = insertInto('supplied', ['span', 'position', 'vector'])

/** Finds or makes the (collection, embedder) pair, whose first vector fixes the dimensions. */
export function embedderId(
  connection: Connection,
  collection: number,
  name: string,
  dimensions: number,
): number {
  const row = connection.row<[number, number]>(
    'SELECT id, dimensions FROM embedder WHERE collection = ? AND name = ?',
    collection,
    name,
  )
  if (row === undefined) {
    if (name === '') refuseOtherLength(connection, collection, dimensions)
    return Number(
      connection
        .prepare(insertInto('embedder', ['collection', 'name', 'dimensions']))
        .run(collection, name, dimensions).lastInsertRowid,
    )
  }
  if (row[1] !== dimensions)
    throw new SpanStoreError(
      'INVALID_VECTOR',
      `a vector of ${dimensions} dimensions; ${name === '' ? 'vectors supplied to this collection' : `embedder ${name}`} has ${row[1]}`,
      { path: 'vector', expected: row[1], actual: dimensions },
    )
  return row[0]
}

/** Vectors of a row, without copying where the bytes are aligned. */
export function floatsOf(bytes: Buffer): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes
  if (byteOffset % 4 === 0) return new Float32Array(buffer, byteOffset, byteLength / 4)
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
}

/** Ids of spans with a vector, these vectors one after the other, ids of those without, and the hashes these wait for. */
export type Gathered = [
  ids: string | null,
  vectors: Buffer | null,
  others: string | null,
  hashes: string | null,
]

/**
 * What `rows` (a SELECT of `id`, `vector`, `hash`) says, as one row. A buffer for each vector would keep the collector
 * of garbage busy, and cost as much as reading it. `group_concat` joins blobs byte for byte: SQLite casts between blob and
 * text without looking at them in a database of UTF-8, and texts may hold NULs. The first value to bind is the bytes of a
 * vector: one of another length, as old stores may have, is none. (The idle LIMITs keep SQLite from reading a vector again
 * at each mention.)
 */
export const gathered = (rows: string): string =>
  `SELECT group_concat(id) FILTER (WHERE vector IS NOT NULL), CAST(group_concat(vector, '') AS BLOB),
     group_concat(id) FILTER (WHERE vector IS NULL), group_concat(coalesce(hash, '')) FILTER (WHERE vector IS NULL)
   FROM (SELECT id, iif(octet_length(vector) = ?, vector, NULL) AS vector, hash FROM (${rows} LIMIT -1) LIMIT -1)`

/** Those with a vector first. Their vectors share their memory. */
export function rowsOf(row: Gathered | undefined, { dimensions }: VectorSpace): VectorRow[] {
  const [ids, vectors, others, hashes] = row!
  const rows: VectorRow[] = []
  if (ids !== null) {
    const all = floatsOf(vectors!)
    const known = ids.split(',')
    if (all.length !== known.length * dimensions)
      throw new Error(`${known.length} vectors of ${dimensions} dimensions came as ${all.length} numbers`)
    known.forEach((id, i) => {
      const vector = all.subarray(i * dimensions, (i + 1) * dimensions)
      rows.push({ id: Number(id), vector, waitsFor: undefined })
    })
  }
  if (others === null) return rows
  const waiting = hashes!.split(',')
  others.split(',').forEach((id, i) => {
    rows.push({ id: Number(id), vector: undefined, waitsFor: waiting[i] || undefined })
  })
  return rows
}

export const bytes = (vector: Float32Array) =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)

/** The first supplied vector of a collection whose embedder makes vectors of another length. */
function refuseOtherLength(connection: Connection, collection: number, dimensions: number): void {
  const active = connection.row<[string, number]>(
    `SELECT e.name, e.dimensions FROM collection_head h CROSS JOIN embedder e ON e.id = h.embedder
     WHERE h.collection = ?`,
    collection,
  )
  if (active === undefined || active[1] === dimensions) return
  throw new SpanStoreError(
    'INVALID_VECTOR',
    `a vector of ${dimensions} dimensions; the collection's embedder ${active[0]} makes vectors of ${active[1]}, and the two could never be compared. Leave the vector out, or use another collection`,
    { path: 'vector', expected: active[1], actual: dimensions },
  )
}

export function writeSupplied(
  connection: Connection,
  collection: number,
  span: number,
  position: number,
  vector: Float32Array,
) {
  embedderId(connection, collection, '', vector.length)
  connection.prepare(INSERT_SUPPLIED).run(span, position, bytes(vector))
}

export function lastSupplied(connection: Connection, span: number): Buffer | undefined {
  return connection.value<Buffer>(
    'SELECT vector FROM supplied WHERE span = ? ORDER BY position DESC LIMIT 1',
    span,
  )
}

/** Keeps vectors, and makes their embedder the collection's own if it has none. `beside`: only keeps them. */
export function writeComputed(
  connection: Connection,
  collection: number,
  computed: Computed | undefined,
  beside = false,
): void {
  if (computed === undefined) return
  if (!beside) activate(connection, collection, computed)
  for (const [hash, vector] of computed.vectors)
    connection.run(
      `${insertInto('embedding', ['hash', 'name', 'vector'])} ON CONFLICT DO NOTHING`,
      hash,
      computed.embedder,
      bytes(vector),
    )
}

/** The first computed vector of a collection whose callers supply vectors of another length. */
function refuseSupplied(connection: Connection, collection: number, computed: Computed): void {
  const supplied = connection.value<number>(
    "SELECT dimensions FROM embedder WHERE collection = ? AND name = ''",
    collection,
  )
  if (supplied === undefined || supplied === computed.dimensions) return
  throw new SpanStoreError(
    'INVALID_VECTOR',
    `embedder ${computed.embedder} makes vectors of ${computed.dimensions} dimensions; those supplied to this collection have ${supplied}, and the two could never be compared. Supply vectors with these spans too, or use another collection`,
    { path: 'embedder', expected: supplied, actual: computed.dimensions },
  )
}

function activate(connection: Connection, collection: number, computed: Computed): void {
  const embedder = embedderId(connection, collection, computed.embedder, computed.dimensions)
  const active = connection.value<number | null>(
    'SELECT embedder FROM collection_head WHERE collection = ?',
    collection,
  )
  if (active === null) {
    refuseSupplied(connection, collection, computed)
    connection.run('UPDATE collection_head SET embedder = ? WHERE collection = ?', embedder, collection)
  } else if (active !== embedder) {
    // Another process was first: the handle that embedded did not know yet.
    const [name, expected] = connection.row<[string, string]>(
      'SELECT h.name, e.name FROM collection_head h CROSS JOIN embedder e ON e.id = h.embedder WHERE h.collection = ?',
      collection,
    )!
    throw new SpanStoreError(
      'EMBEDDER_MISMATCH',
      `collection ${JSON.stringify(name)} uses the embedder ${expected}, this process holds ${computed.embedder}; open the store with the former, or switch the collection`,
      { collection: name, expected, actual: computed.embedder },
    )
  }
}
