import type { Filter } from '../../core/filter.ts'
import { Pace } from '../../core/pace.ts'
import type { Candidates } from '../../ports/attributes.ts'
import { nextTurn } from '../../threads/turn.ts'
import { EVENT } from './codes.ts'
import { requireCollection } from './collections.ts'
import { filterSql } from './filter-sql.ts'
import { CURRENT_METADATA } from './heads.ts'
import type { Connection, Value } from './statements.ts'

/** Milliseconds for which metadata are looked at at a stretch, and the spans it begins with and takes at most. */
const STEP = 5
const FIRST = 500
const MOST = 5_000

/** Events that are looked at in one go. */
const WINDOW = 2_000

export interface Matching {
  readonly where?: Filter
  readonly sources?: readonly string[]
}

export interface MatchingHost {
  snapshot<T>(work: (connection: Connection) => T): T
  candidates(collection: number, where: Filter): Candidates | undefined
}

/** A condition on `span s`: live, of the collection, passing the filter, of one of the sources. */
function condition(collection: number, { where, sources }: Matching): { sql: string; values: Value[] } {
  let sql = `s.collection = ? AND s.kind = 0 AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)`
  const values: Value[] = [collection]
  if (sources !== undefined) {
    sql += ` AND s.source IN (
      SELECT o.id FROM json_each(?) j CROSS JOIN source o ON o.collection = ? AND o.name = j.value)`
    values.push(JSON.stringify(sources), collection)
  }
  if (where !== undefined) {
    const filter = filterSql(where, CURRENT_METADATA)
    sql += ` AND ${filter.sql}`
    values.push(...filter.params)
  }
  return { sql, values }
}

/** Spans that came, went or changed. */
const CHANGES = [EVENT['span.added'], EVENT['span.updated'], EVENT['span.retired'], EVENT['span.erased']]
export const TOUCHED = `SELECT DISTINCT node FROM event WHERE collection = ? AND position > ? AND position <= ?
  AND type IN (${CHANGES.join(', ')}) AND node IS NOT NULL`

/** After so many turns what is committed meanwhile is read in one go: writers may be faster than turns are. */
const TURNS = 5

/** Finds the live spans that match, by id, in steps; each is a snapshot of its own. */
class Search {
  readonly #collection: number
  readonly #condition: { readonly sql: string; readonly values: readonly Value[] }
  readonly #candidates: Candidates | undefined
  #found: number[] = []
  /** What the log says after this position is not in `found`. */
  #position: number | undefined
  /** Spans up to this id were looked at, and so many candidates. */
  #reached = 0
  #taken = 0
  #turns = 0
  readonly #pace = new Pace(FIRST, STEP, MOST)

  constructor(collection: number, matching: Matching, candidates: Candidates | undefined) {
    this.#collection = collection
    this.#condition = condition(collection, matching)
    this.#candidates = candidates
    this.#position = candidates?.position
  }

  /**
   * One step, inside a snapshot. Answers the first `needed` once they are as this snapshot has them; 'again' where the
   * log does not reach back far enough.
   */
  step(connection: Connection, needed: number): readonly number[] | 'again' | undefined {
    const [head, floor] = connection.row<[number, number]>(
      'SELECT position, floor FROM collection_head WHERE collection = ?',
      this.#collection,
    )!
    this.#position ??= head
    if (this.#position < floor) return 'again'
    // A small collection is read in one go.
    for (let until = performance.now() + STEP; this.#lacks(needed) && performance.now() < until; )
      this.#pace.step((size) => this.#look(connection, needed, size))
    if (this.#lacks(needed) || !this.#follow(connection, head) || this.#lacks(needed)) return undefined
    return this.#found.length <= needed ? this.#found : this.#found.slice(0, needed)
  }

  #lacks(needed: number): boolean {
    return this.#reached < Number.MAX_SAFE_INTEGER && this.#found.length < needed
  }

  #look(connection: Connection, needed: number, limit: number): void {
    if (this.#candidates !== undefined) {
      const { ids } = this.#candidates
      const part = ids.slice(this.#taken, this.#taken + limit)
      this.#found.push(...this.#among(connection, part))
      this.#taken += part.length
      this.#reached = this.#taken < ids.length ? part.at(-1)! : Number.MAX_SAFE_INTEGER
      return
    }
    const [last, spans] = connection.row<[number | null, number]>(
      `SELECT max(id), count(*) FROM (
         SELECT id FROM span INDEXED BY span_collection WHERE collection = ? AND id > ? ORDER BY id LIMIT ?)`,
      this.#collection,
      this.#reached,
      limit,
    )!
    const wanted = Math.min(needed - this.#found.length, limit)
    const rows = connection.once<[number]>(
      `SELECT s.id FROM span s INDEXED BY span_collection
       WHERE ${this.#condition.sql} AND s.id > ? AND s.id <= ? ORDER BY s.id LIMIT ?`,
      ...this.#condition.values,
      this.#reached,
      last ?? 0,
      wanted,
    )
    for (const [id] of rows) this.#found.push(id)
    if (rows.length === wanted) this.#reached = rows.at(-1)![0]
    else this.#reached = spans === limit ? last! : Number.MAX_SAFE_INTEGER
  }

  #among(connection: Connection, ids: readonly number[]): number[] {
    return connection
      .once<[number]>(
        `SELECT s.id FROM json_each(?) j CROSS JOIN span s ON s.id = j.value WHERE ${this.#condition.sql}`,
        JSON.stringify(ids),
        ...this.#condition.values,
      )
      .map(([id]) => id)
  }

  /** Looks again at what was committed since. True: nothing is left. */
  #follow(connection: Connection, head: number): boolean {
    const position = this.#position!
    const through = this.#turns++ < TURNS ? Math.min(head, position + WINDOW) : head
    this.#position = through
    if (through === position) return true
    const touched = connection
      .rows<[number]>(TOUCHED, this.#collection, position, through)
      .map(([id]) => id)
      .filter((id) => id <= this.#reached)
    if (touched.length > 0) {
      const gone = new Set(touched)
      const others = this.#found.filter((id) => !gone.has(id))
      this.#found = [...others, ...this.#among(connection, touched)].sort((a, b) => a - b)
    }
    return through === head
  }
}

/**
 * Works with the live spans that match, by id: the first `needed` of them, or all. Finding them may take several turns
 * of the event loop; what is committed meanwhile is looked at again, so that they are those of the snapshot in which
 * `work` runs.
 */
export async function withMatching<T>(
  host: MatchingHost,
  collection: number,
  matching: Matching,
  options: { readonly needed?: number; readonly pause?: () => Promise<void> },
  work: (connection: Connection, ids: readonly number[]) => T,
): Promise<T> {
  const { needed = Number.MAX_SAFE_INTEGER, pause = nextTurn } = options
  const { where } = matching
  // Candidates before the first snapshot: what they lack is in the log by then.
  const begin = () => new Search(collection, matching, where && host.candidates(collection, where))
  for (let search = begin(); ; await pause()) {
    const done = host.snapshot((connection) => {
      requireCollection(connection, collection)
      const ids = search.step(connection, needed)
      return ids === undefined || ids === 'again' ? ids : { result: work(connection, ids) }
    })
    if (done === 'again') search = begin()
    else if (done !== undefined) return done.result
  }
}
