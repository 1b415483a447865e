import type { TextState } from './absorb.ts'
import { tableOf } from './absorb.ts'
import type { Totals } from './bm25.ts'
import type { TextDatabase } from './database.ts'
import { quoted, type Unit } from './expression.ts'
import { readTotals } from './totals.ts'

/** How many spans have a unit. */
export interface Frequency {
  /** About so many: the collection may have changed a little since they were counted. */
  readonly count: number
  /** So many at least. */
  readonly least: number
}

/** What rankings are worked out from. */
export interface Statistics extends Totals {
  readonly frequency: (unit: Unit) => Frequency
}

/** Counting takes as long as what is counted is frequent, from about here on too long to do again for every search. */
const FREQUENT = 1_000

/** Counts kept of a collection. */
const KEPT = 5_000

interface Remembered {
  readonly position: number
  readonly known: Map<string, { readonly count: number; readonly position: number }>
}

/** Counts of units that take long to count are remembered until a tenth of the collection may have changed. */
export class Frequencies {
  readonly #collections = new Map<number, Remembered>()

  of({ connection, schema }: TextDatabase, collection: number, state: TextState): Statistics {
    const table = tableOf(collection)
    let remembered = this.#collections.get(collection)
    if (remembered === undefined)
      connection.db.exec(
        `CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_terms USING fts5vocab(${schema}, ${table}, row);
         CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_tokens USING fts5vocab(${schema}, ${table}, instance)`,
      )
    const { position, rows } = state
    if (remembered === undefined || Math.abs(position - remembered.position) * 10 > rows) {
      remembered = { position, known: new Map() }
      this.#collections.set(collection, remembered)
    }
    const { known } = remembered
    // What FTS5 itself counts with.
    const totals = readTotals(connection, table) ?? { rows, tokens: 0 }
    const frequency = (unit: Unit): Frequency => {
      const isWord = unit.tokens.length === 1 && !unit.prefix
      const name = quoted(unit)
      const before = known.get(name)
      // Every change of a span is an event.
      if (before !== undefined)
        return { count: before.count, least: before.count - Math.abs(position - before.position) }
      const count = isWord
        ? (connection.value<number>(`SELECT doc FROM ${table}_terms WHERE term = ?`, unit.tokens[0]!) ?? 0)
        : connection.value<number>(`SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`, name)!
      if (count >= FREQUENT || !isWord) {
        if (known.size >= KEPT) known.clear()
        known.set(name, { count, position })
      }
      return { count, least: count }
    }
    return { ...totals, frequency }
  }
}
