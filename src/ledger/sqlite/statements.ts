import type BetterSqlite3 from 'better-sqlite3'
import type { Table } from 'drizzle-orm'
import type * as schema from './schema.ts'

/*
 * Hot statements are plain SQL, prepared once per connection. The schema is imported as types only: column names
 * are checked by the compiler, and a command line that fetches one key does not load drizzle.
 */

type Tables = { [T in keyof typeof schema]: (typeof schema)[T] extends Table ? (typeof schema)[T] : never }
export type TableName = keyof Tables & string
export type Column<T extends TableName> = keyof Tables[T]['$inferSelect'] & string

export type Value = string | number | bigint | Buffer | null
export type Row = Value[]

interface Prepared {
  readonly statement: BetterSqlite3.Statement<Value[]>
  /** better-sqlite3 takes numbered parameters (`?1`) as names. */
  readonly numbered: boolean
}

/** Made-up statements that are kept: callers ask the same filter again and again. */
const MADE_UP = 32

/** A connection with every statement prepared at its first use. Rows are arrays, in the order of the SELECT. */
export class Connection {
  readonly db: BetterSqlite3.Database
  readonly #prepared = new Map<string, Prepared>()
  /** The one used last comes last. */
  readonly #madeUp = new Map<string, BetterSqlite3.Statement<Value[]>>()

  constructor(db: BetterSqlite3.Database) {
    this.db = db
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql)
    if (prepared === undefined) {
      const statement = this.db.prepare<Value[]>(compiledOnce(sql))
      if (statement.reader) statement.raw(true)
      prepared = { statement, numbered: sql.includes('?1') }
      this.#prepared.set(sql, prepared)
    }
    return prepared
  }

  prepare(sql: string): BetterSqlite3.Statement<Value[]> {
    return this.#prepare(sql).statement
  }

  run(sql: string, ...values: Value[]): number {
    const { statement, numbered } = this.#prepare(sql)
    return (numbered ? statement.run(named(values)) : statement.run(...values)).changes
  }

  row<R extends Row = Row>(sql: string, ...values: Value[]): R | undefined {
    const { statement, numbered } = this.#prepare(sql)
    return (numbered ? statement.get(named(values)) : statement.get(...values)) as R | undefined
  }

  /** `row` for one parameter, without gathering it into an array: the path of every fetch. */
  rowOf<R extends Row = Row>(sql: string, value: Value): R | undefined {
    return this.prepare(sql).get(value) as R | undefined
  }

  rows<R extends Row = Row>(sql: string, ...values: Value[]): R[] {
    const { statement, numbered } = this.#prepare(sql)
    return (numbered ? statement.all(named(values)) : statement.all(...values)) as R[]
  }

  /** Rows one after the other, for whoever knows only then how many to take. Nothing else may be asked meanwhile. */
  each<R extends Row = Row>(sql: string, ...values: Value[]): IterableIterator<R> {
    return this.prepare(sql).iterate(...values) as IterableIterator<R>
  }

  /** First column of the first row. */
  value<V extends Value = Value>(sql: string, ...values: Value[]): V | undefined {
    return this.row(sql, ...values)?.[0] as V | undefined
  }

  /** Several statements see one state, whatever other connections commit meanwhile. */
  snapshot<T>(work: () => T): T {
    this.run('BEGIN')
    try {
      return work()
    } finally {
      // A failure may have ended it already.
      if (this.db.inTransaction) this.run('COMMIT')
    }
  }

  /**
   * After much was read that is not soon read again. A file is read through a map of it, and every page that was looked
   * at counts as memory of this process until the map is made anew. Pages that were written are kept apart from it.
   */
  letGo(schema = 'main'): void {
    if (!this.db.open || this.db.inTransaction) return
    const size = this.db.pragma(`${schema}.mmap_size`, { simple: true })
    if (typeof size !== 'number' || size === 0) return
    this.db.pragma(`${schema}.mmap_size = 0`)
    this.db.pragma(`${schema}.mmap_size = ${size}`)
    this.db.pragma('shrink_memory')
  }

  /** Rows of a statement made up for one call, such as a filter. Only the last ones are kept: they would pile up. */
  once<R extends Row = Row>(sql: string, ...values: Value[]): R[] {
    const made = this.#madeUp
    const statement = made.get(sql) ?? this.db.prepare<Value[]>(compiledOnce(sql)).raw(true)
    made.delete(sql)
    made.set(sql, statement)
    if (made.size > MADE_UP) made.delete(made.keys().next().value!)
    return statement.all(...values) as R[]
  }
}

/**
 * SQLite plans by the value of a bare `LIMIT ?` and compiles the statement anew whenever one is bound, which takes longer
 * than most statements run. Of a sum it knows nothing.
 */
const compiledOnce = (sql: string): string => sql.replaceAll('LIMIT ?', 'LIMIT 0 + ?')

const named = (values: readonly Value[]): Value =>
  Object.fromEntries(values.map((value, i) => [i + 1, value])) as unknown as Value

/** `INSERT` with its columns checked against the schema. */
export const insertInto = <T extends TableName>(table: T, columns: readonly Column<T>[]): string =>
  `INSERT INTO ${table} (${columns.map((c) => `"${c}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
