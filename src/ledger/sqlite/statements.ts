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

/** A connection with every statement prepared at its first use. Rows are arrays, in the order of the SELECT. */
export class Connection {
  readonly db: BetterSqlite3.Database
  readonly #statements = new Map<string, BetterSqlite3.Statement<Value[]>>()

  constructor(db: BetterSqlite3.Database) {
    this.db = db
  }

  prepare(sql: string): BetterSqlite3.Statement<Value[]> {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.db.prepare<Value[]>(sql)
      if (statement.reader) statement.raw(true)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  run(sql: string, ...values: Value[]): number {
    return this.prepare(sql).run(...bound(sql, values)).changes
  }

  row<R extends Row = Row>(sql: string, ...values: Value[]): R | undefined {
    return this.prepare(sql).get(...bound(sql, values)) as R | undefined
  }

  rows<R extends Row = Row>(sql: string, ...values: Value[]): R[] {
    return this.prepare(sql).all(...bound(sql, values)) as R[]
  }

  /** First column of the first row. */
  value<V extends Value = Value>(sql: string, ...values: Value[]): V | undefined {
    return (this.prepare(sql).get(...bound(sql, values)) as Row | undefined)?.[0] as V | undefined
  }

  /** Rows of a statement made up for one call, such as a filter: not kept, so that they cannot pile up. */
  once<R extends Row = Row>(sql: string, ...values: Value[]): R[] {
    return this.db
      .prepare<Value[]>(sql)
      .raw(true)
      .all(...values) as R[]
  }
}

/** better-sqlite3 takes numbered parameters (`?1`) as names. */
const bound = (sql: string, values: Value[]): Value[] =>
  values.length > 0 && sql.includes('?1')
    ? [Object.fromEntries(values.map((value, i) => [i + 1, value])) as unknown as Value]
    : values

/** `INSERT` with its columns checked against the schema. */
export const insertInto = <T extends TableName>(table: T, columns: readonly Column<T>[]): string =>
  `INSERT INTO ${table} (${columns.map((c) => `"${c}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
