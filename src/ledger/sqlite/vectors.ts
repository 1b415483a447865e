import type { Filter } from '../../core/filter.ts'
import type { Key } from '../../core/key.ts'
import type { Metric, Span } from '../../core/model.ts'
import type { Admits } from '../../core/record.ts'
import type { Computed } from '../../ports/planned.ts'
import type {
  VectorArrivals,
  VectorHead,
  VectorMark,
  VectorRecords,
  VectorRow,
  VectorSpace,
} from '../../ports/vectors.ts'
import { EVENT } from './codes.ts'
import { requireCollection } from './collections.ts'
import { Commit } from './commit.ts'
import { filterSql } from './filter-sql.ts'
import { CURRENT_METADATA } from './heads.ts'
import { type MatchingHost, TOUCHED, withMatching } from './matching.ts'
import { checkPosition, NODE_BY_ID, type NodeRow, spanOf } from './read.ts'
import { admitted } from './records.ts'
import type { Connection, Value } from './statements.ts'
import { embedderId, floatsOf, type Gathered, gathered, rowsOf, writeComputed } from './vector-rows.ts'

/** Ids looked at by one statement. */
const WINDOW = 1_000

const LIVE = 'NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)'

/** What JavaScript's `trim` takes away; SQLite's own takes spaces only. */
const BLANKS =
  'char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)'

const HAS_WORDS = `s.text IS NOT NULL AND trim(s.text, ${BLANKS}) <> ''`

/** Spans whose vector or life changed; the condition on an event's row. */
const TOUCHES = `(e.type IN (${EVENT['span.added']}, ${EVENT['span.retired']}, ${EVENT['span.erased']})
  OR (e.type = ${EVENT['span.updated']} AND e.number & 2)) AND e.node IS NOT NULL`

interface Host extends MatchingHost {
  readonly connection: Connection
  transact<T>(work: (connection: Connection, now: number) => T): Promise<T>
  expire(): Promise<unknown>
}

/** The vectors of an SQLite ledger. */
export class SqliteVectors implements VectorRecords {
  readonly #host: Host

  constructor(host: Host) {
    this.#host = host
  }

  /** One row: a single statement is a snapshot of its own. */
  #glance<R extends Value[]>(sql: string, ...values: Value[]): R | undefined {
    try {
      return this.#host.connection.row<R>(sql, ...values)
    } catch (error) {
      // Where snapshots are taken it is known what an error means.
      return this.#host.snapshot(() => {
        throw error
      })
    }
  }

  settle(): Promise<unknown> {
    return this.#host.expire()
  }

  large(least: number): number[] {
    return this.#host.snapshot((connection) =>
      connection
        .rows<[number]>(
          'SELECT collection FROM collection_head WHERE dropped IS NULL AND live >= ? ORDER BY collection',
          least,
        )
        .map(([collection]) => collection),
    )
  }

  collectionsOf(ids: readonly number[]): number[] {
    return this.#host.snapshot((connection) =>
      connection
        .rows<[number]>(
          'SELECT DISTINCT collection FROM span WHERE id IN (SELECT value FROM json_each(?))',
          JSON.stringify(ids),
        )
        .map(([collection]) => collection),
    )
  }

  head(collection: number): VectorHead {
    const row = this.#glance<
      [
        Key,
        string,
        Metric,
        number,
        number,
        number,
        string | null,
        number | null,
        number | null,
        number | null,
      ]
    >(
      `SELECT c.key, h.name, c.metric, h.position, h.floor, h.live, a.name, a.dimensions, u.dimensions, h.dropped
         FROM collection c CROSS JOIN collection_head h ON h.collection = c.id
         LEFT JOIN embedder a ON a.id = h.embedder
         LEFT JOIN embedder u ON u.collection = c.id AND u.name = '' WHERE c.id = ?`,
      collection,
    )
    if (row === undefined || row[9] !== null)
      this.#host.snapshot((connection) => requireCollection(connection, collection))
    const [id, name, metric, position, floor, live, embedder, dimensions, supplied] = row!
    const size = dimensions ?? supplied
    return {
      id,
      name,
      position,
      floor,
      live,
      space:
        size === null
          ? undefined
          : { metric, dimensions: size, embedder: embedder ?? '', supplied: supplied === size },
    }
  }

  position(collection: number): number {
    const row = this.#glance<[number, number | null]>(
      'SELECT position, dropped FROM collection_head WHERE collection = ?',
      collection,
    )
    if (row === undefined || row[1] !== null)
      this.#host.snapshot((connection) => requireCollection(connection, collection))
    return row![0]
  }

  copy(collection: number, space: VectorSpace, after: number, limit: number) {
    return this.#host.snapshot((connection) => {
      const { end, last } = nextOf(connection, collection, after, limit)
      if (end === undefined) return { rows: [], last }
      const vector = vectorSql(space)
      const gather = gathered(
        `SELECT s.id, ${vector.sql} AS vector, iif(${HAS_WORDS}, s.hash, NULL) AS hash
         FROM span s INDEXED BY span_collection
         WHERE s.collection = ? AND s.id > ? AND s.id <= ? AND s.kind = 0 AND ${LIVE}`,
      )
      const row = connection.row<Gathered>(
        gather,
        4 * space.dimensions,
        ...vector.values,
        collection,
        after,
        end,
      )
      return { rows: rowsOf(row, space), last }
    })
  }

  follow(collection: number, space: VectorSpace, after: number, limit: number) {
    return this.#host.snapshot((connection) => {
      const head = connection.value<number>(
        'SELECT position FROM collection_head WHERE collection = ?',
        collection,
      )!
      const through = Math.min(head, after + limit)
      const vector = vectorSql(space)
      const erased =
        through > after &&
        connection.value(
          `SELECT 1 FROM event WHERE collection = ? AND position > ? AND position <= ? AND type = ${EVENT['span.erased']} LIMIT 1`,
          collection,
          after,
          through,
        ) !== undefined
      const gather = gathered(
        `SELECT s.id, CASE WHEN ${LIVE} THEN ${vector.sql} END AS vector, iif(${LIVE} AND ${HAS_WORDS}, s.hash, NULL) AS hash
         FROM (SELECT DISTINCT e.node FROM event e
               WHERE e.collection = ? AND e.position > ? AND e.position <= ? AND ${TOUCHES}) n
         CROSS JOIN span s ON s.id = n.node WHERE s.kind = 0`,
      )
      const row = connection.row<Gathered>(
        gather,
        4 * space.dimensions,
        ...vector.values,
        collection,
        after,
        through,
      )
      return { rows: rowsOf(row, space), through, position: head, erased }
    })
  }

  erasedAfter(collection: number, after: number): boolean {
    return (
      this.#glance(
        `SELECT 1 FROM event WHERE collection = ? AND position > ? AND type = ${EVENT['span.erased']} LIMIT 1`,
        collection,
        after,
      ) !== undefined
    )
  }

  arrived(embedder: string, since: VectorArrivals | undefined) {
    return this.#host.snapshot((connection) => {
      const hashAt = (row: number) =>
        connection.value<string>('SELECT hash FROM embedding WHERE rowid = ?', row) ?? ''
      if (since === undefined) {
        const row = connection.value<number | null>('SELECT max(rowid) FROM embedding')! ?? 0
        return { hashes: [], through: { row, hash: hashAt(row) } }
      }
      // Rows are numbered anew by VACUUM, and a number is used again when the last row was erased: read all then.
      const from = hashAt(since.row) === since.hash ? since.row : 0
      const rows = connection.rows<[number, string, string]>(
        'SELECT rowid, hash, name FROM embedding WHERE rowid > ? ORDER BY rowid LIMIT ?',
        from,
        WINDOW,
      )
      const last = rows.at(-1)
      return {
        hashes: rows.filter(([, , name]) => name === embedder).map(([, hash]) => hash),
        through: last === undefined ? { row: from, hash: hashAt(from) } : { row: last[0], hash: last[1] },
      }
    })
  }

  rows(collection: number, space: VectorSpace, ids: readonly number[]): VectorRow[] {
    return this.#host.snapshot((connection) => {
      const vector = vectorSql(space)
      const gather = gathered(
        `SELECT s.id, CASE WHEN ${LIVE} THEN ${vector.sql} END AS vector, iif(${LIVE} AND ${HAS_WORDS}, s.hash, NULL) AS hash
         FROM json_each(?) j CROSS JOIN span s ON s.id = j.value WHERE s.collection = ? AND s.kind = 0`,
      )
      const rows: VectorRow[] = []
      for (let i = 0; i < ids.length; i += WINDOW) {
        const asked = JSON.stringify(ids.slice(i, i + WINDOW))
        const values = [4 * space.dimensions, ...vector.values, asked, collection]
        rows.push(...rowsOf(connection.row<Gathered>(gather, ...values), space))
      }
      return rows
    })
  }

  vectors(collection: number, space: VectorSpace, ids: readonly number[]): VectorRow[] {
    return this.#host.snapshot((connection) => {
      const vector = vectorSql(space)
      const row = connection.row<Gathered>(
        // Without the text, which `rows` looks at.
        gathered(
          `SELECT s.id, ${vector.sql} AS vector, NULL AS hash FROM json_each(?) j CROSS JOIN span s ON s.id = j.value
           WHERE s.collection = ? AND s.kind = 0 AND ${LIVE}`,
        ),
        4 * space.dimensions,
        ...vector.values,
        JSON.stringify(ids),
        collection,
      )
      return rowsOf(row, space)
    })
  }

  possible(collection: number, where: Filter): readonly number[] | undefined {
    const known = this.#host.candidates(collection, where)
    if (known === undefined) return undefined
    return this.#host.snapshot((connection) => {
      const [head, floor] = connection.row<[number, number]>(
        'SELECT position, floor FROM collection_head WHERE collection = ?',
        collection,
      )!
      if (known.position < floor) return undefined
      if (known.position === head) return known.ids
      const since = connection.rows<[number]>(TOUCHED, collection, known.position, head)
      return [...new Set([...known.ids, ...since.map(([id]) => id)])]
    })
  }

  async matching(collection: number, where: Filter, pause: () => Promise<void>): Promise<readonly number[]> {
    return await withMatching(this.#host, collection, { where }, { pause }, (_, ids) => ids)
  }

  passing(collection: number, ids: readonly number[], where: Filter | undefined, admits?: Admits) {
    return this.#host.snapshot((connection) => {
      requireCollection(connection, collection)
      const position = connection.value<number>(
        'SELECT position FROM collection_head WHERE collection = ?',
        collection,
      )!
      const asked = JSON.stringify(ids)
      const from = `SELECT s.id FROM json_each(?) j CROSS JOIN span s ON s.id = j.value
        WHERE s.collection = ? AND ${LIVE}`
      const filter = where && filterSql(where, CURRENT_METADATA)
      const found =
        filter === undefined
          ? connection.rows<[number]>(from, asked, collection)
          : connection.once<[number]>(`${from} AND ${filter.sql}`, asked, collection, ...filter.params)
      const live = new Set(found.map(([id]) => id))
      const passing = ids.filter((id) => live.has(id))
      return { ids: admits === undefined ? passing : admitted(connection, passing, admits), position }
    })
  }

  spans(ids: readonly number[], asOf?: number): Span[] {
    return this.#host.snapshot((connection) =>
      ids.map((id) => {
        const row = connection.row<NodeRow>(NODE_BY_ID, id)!
        if (asOf === undefined) return spanOf(row, row[3])
        const then: NodeRow = [...row]
        then[4] = connection.once<[string | null]>(
          `SELECT ${metadataAt(asOf)} FROM span s WHERE s.id = ?`,
          id,
        )[0]![0]
        then[14] = null
        return spanOf(then, then[3])
      }),
    )
  }

  past(
    collection: number,
    space: VectorSpace,
    position: number,
    where: Filter | undefined,
    after: number,
    limit: number,
  ) {
    return this.#host.snapshot((connection) => {
      requireCollection(connection, collection)
      checkPosition(connection, collection, position)
      const { end, last } = nextOf(connection, collection, after, limit)
      if (end === undefined) return { rows: [], last }
      const vector = vectorSql(space, position)
      const filter = where && filterSql(where, metadataAt(position))
      const gather = gathered(
        `SELECT s.id, ${vector.sql} AS vector, iif(${HAS_WORDS}, s.hash, NULL) AS hash
         FROM span s INDEXED BY span_collection
         WHERE s.collection = ? AND s.id > ? AND s.id <= ? AND s.kind = 0 AND s.born <= ?
           AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id AND t.position <= ?)
           AND NOT EXISTS (SELECT 1 FROM erasure g WHERE g.span = s.id)
           AND NOT EXISTS (SELECT 1 FROM pruning g WHERE g.span = s.id) AND ${filter?.sql ?? '1'}`,
      )
      const [row] = connection.once<Gathered>(
        gather,
        4 * space.dimensions,
        ...vector.values,
        collection,
        after,
        end,
        position,
        position,
        ...(filter?.params ?? []),
      )
      return { rows: rowsOf(row, space), last }
    })
  }

  waiting(collection: number, embedder: string, after: number, limit: number) {
    return this.#host.snapshot((connection) => {
      const { end } = nextOf(connection, collection, after, WINDOW)
      if (end === undefined) return { texts: new Map<string, string>(), last: undefined }
      const rows = connection.rows<[number, string, string]>(
        `SELECT s.id, s.hash, s.text FROM span s INDEXED BY span_collection
         WHERE s.collection = ? AND s.id > ? AND s.id <= ? AND ${LACKS_VECTOR} ORDER BY s.id LIMIT ?`,
        collection,
        after,
        end,
        embedder,
        limit,
      )
      const last = rows.length < limit ? end : rows.at(-1)![0]
      return { texts: new Map(rows.map(([, hash, text]) => [hash, text])), last }
    })
  }

  async keep(
    collection: number,
    computed: Computed,
    { after, through, beside = false }: Parameters<VectorRecords['keep']>[2],
  ): Promise<void> {
    await this.#host.transact((connection) => {
      requireCollection(connection, collection)
      // A text may have been erased while it was embedded; its vector must not outlive it.
      const live = new Set(
        connection
          .rows<[string]>(
            `SELECT s.hash FROM span s INDEXED BY span_collection
             WHERE s.collection = ? AND s.id > ? AND s.id <= ? AND s.kind = 0 AND ${LIVE}
               AND s.hash IN (SELECT value FROM json_each(?))`,
            collection,
            after,
            through,
            JSON.stringify([...computed.vectors.keys()]),
          )
          .map(([hash]) => hash),
      )
      const vectors = new Map([...computed.vectors].filter(([hash]) => live.has(hash)))
      writeComputed(connection, collection, { ...computed, vectors }, beside)
    })
  }

  async switchTo(collection: number, embedder: string, dimensions: number, after: number) {
    return await this.#host.transact((connection, now) => {
      requireCollection(connection, collection)
      const missing = connection.value(
        `SELECT 1 FROM span s INDEXED BY span_collection WHERE s.collection = ? AND s.id > ? AND ${LACKS_VECTOR} LIMIT 1`,
        collection,
        after,
        embedder,
      )
      if (missing !== undefined) return undefined
      const commit = new Commit(connection, now, () => {
        throw new Error('a switch mints no keys')
      })
      connection.run(
        'UPDATE collection_head SET embedder = ? WHERE collection = ?',
        embedderId(connection, collection, embedder, dimensions),
        collection,
      )
      const position = commit.event(collection, 'index.rebuilt', { data: JSON.stringify({ embedder }) })
      commit.finish()
      return position
    })
  }

  sample(collection: number, space: VectorSpace, count: number) {
    return this.#host.snapshot((connection) => {
      const [first, last] = connection.row<[number | null, number | null]>(
        'SELECT min(id), max(id) FROM span INDEXED BY span_collection WHERE collection = ?',
        collection,
      )!
      const chosen = new Map<number, { key: Key; text: string; vector: Float32Array }>()
      if (first === null || last === null) return []
      // The next one after a place chosen by chance; many places may have the same next one.
      for (let i = 0; i < 8 * count && chosen.size < count; i++) {
        const from = first + Math.floor(Math.random() * (last - first + 1))
        const row = connection.row<[number, Key, string, Buffer]>(
          `SELECT s.id, s.key, s.text, m.vector FROM span s INDEXED BY span_collection
           CROSS JOIN embedding m ON m.hash = s.hash AND m.name = ?
           WHERE s.collection = ? AND s.id >= ? AND s.id <= ? AND s.kind = 0 AND ${LIVE}
             AND NOT EXISTS (SELECT 1 FROM supplied u WHERE u.span = s.id) ORDER BY s.id LIMIT 1`,
          space.embedder,
          collection,
          from,
          from + WINDOW,
        )
        if (row !== undefined) chosen.set(row[0], { key: row[1], text: row[2], vector: floatsOf(row[3]) })
      }
      return [...chosen.values()]
    })
  }

  find(collection: number, space: VectorSpace, key: string): VectorRow | undefined {
    const id = this.#host.snapshot((connection) =>
      connection.value<number>('SELECT id FROM span WHERE key = ? AND collection = ?', key, collection),
    )
    return id === undefined ? undefined : this.rows(collection, space, [id])[0]
  }

  letGo(): void {
    this.#host.connection.letGo()
  }

  mark(collection: number, position: number): VectorMark | undefined {
    return this.#host.snapshot((connection) => {
      const row = connection.row<[number, number, Key]>(
        `SELECT e.position, e.at, s.key FROM event e CROSS JOIN span s ON s.id = e.node
         WHERE e.collection = ? AND e.position <= ? ORDER BY e.position DESC LIMIT 1`,
        collection,
        position,
      )
      return row && { position: row[0], at: row[1], key: row[2] }
    })
  }
}

/** Live, with words, without a supplied vector (one of another length, as old stores may have, is none) and without an embedding by `?`. */
const LACKS_VECTOR = `s.kind = 0 AND ${LIVE} AND ${HAS_WORDS}
  AND NOT EXISTS (SELECT 1 FROM supplied u WHERE u.span = s.id AND length(u.vector) = coalesce(
    (SELECT 4 * b.dimensions FROM collection_head h CROSS JOIN embedder b ON b.id = h.embedder
     WHERE h.collection = s.collection), length(u.vector)))
  AND NOT EXISTS (SELECT 1 FROM embedding m WHERE m.hash = s.hash AND m.name = ?)`

/**
 * The last id of the next `limit` spans and summaries of a collection. `last` is undefined when these were all there
 * are now: whoever reads on while others write would never come to an end.
 */
function nextOf(connection: Connection, collection: number, after: number, limit: number) {
  const [end, count] = connection.row<[number | null, number]>(
    `SELECT max(id), count(*) FROM (
       SELECT id FROM span INDEXED BY span_collection WHERE collection = ? AND id > ? ORDER BY id LIMIT ?)`,
    collection,
    after,
    limit,
  )!
  return { end: end ?? undefined, last: end !== null && count === limit ? end : undefined }
}

/** The vector of `span s`, now or at a position. Embeddings have no time: a text's vector is always the same. */
function vectorSql(space: VectorSpace, position?: number): { sql: string; values: Value[] } {
  const until = position === undefined ? '' : 'AND u.position <= ?'
  const supplied = `(SELECT u.vector FROM supplied u WHERE u.span = s.id ${until} ORDER BY u.position DESC LIMIT 1)`
  const embedded = '(SELECT m.vector FROM embedding m WHERE m.hash = s.hash AND m.name = ?)'
  const values = position === undefined ? [] : [position]
  if (space.embedder === '') return { sql: supplied, values }
  if (!space.supplied) return { sql: embedded, values: [space.embedder] }
  return { sql: `coalesce(${supplied}, ${embedded})`, values: [...values, space.embedder] }
}

const metadataAt = (position: number): string =>
  `coalesce((SELECT a.metadata FROM amendment a WHERE a.span = s.id AND a.position <= ${position}
    ORDER BY a.position DESC LIMIT 1), s.metadata)`
