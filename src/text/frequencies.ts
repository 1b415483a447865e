import { type TextState, tableOf } from './absorb.ts'
import type { TextDatabase } from './database.ts'
import type { Frequency } from './expression.ts'

/** Counting a word takes as long as it is frequent, from about here on too long to do again for every search. */
const FREQUENT = 1_000

/** How many spans hold a word. Those of frequent words are remembered until the collection has changed by a tenth. */
export class Frequencies {
  readonly #collections = new Map<number, { readonly rows: number; readonly known: Map<string, number> }>()

  of({ connection, schema }: TextDatabase, collection: number, { rows }: TextState): Frequency {
    const table = tableOf(collection)
    let remembered = this.#collections.get(collection)
    if (remembered === undefined)
      connection.db.exec(
        `CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_terms USING fts5vocab(${schema}, ${table}, row)`,
      )
    if (remembered === undefined || Math.abs(remembered.rows - rows) * 10 > remembered.rows) {
      remembered = { rows, known: new Map() }
      this.#collections.set(collection, remembered)
    }
    const { known } = remembered
    return (token) => {
      let count = known.get(token)
      if (count === undefined) {
        count = connection.value<number>(`SELECT doc FROM ${table}_terms WHERE term = ?`, token) ?? 0
        if (count >= FREQUENT) known.set(token, count)
      }
      return count
    }
  }
}
