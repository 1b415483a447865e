import type { Filter } from '../../core/filter.ts'
import type { Admits } from '../../core/record.ts'
import type { RecordLedger } from '../../ports/records.ts'
import { nextTurn } from '../../threads/turn.ts'
import { requireCollection } from './collections.ts'
import type { HeavyWrites } from './heavy-writes.ts'
import { type MatchingHost, withMatching } from './matching.ts'
import { admitted, movedSources, readRecord, readRecordRows, recordOrder } from './records.ts'
import type { Connection } from './statements.ts'
import type { Transactions } from './transactions.ts'

/** Spans judged by a condition in JavaScript between two turns of the event loop. */
const JUDGED = 1_000

/** Records in SQLite, in transactions of the ledger. */
export class SqliteRecords implements RecordLedger {
  readonly #transactions: Transactions
  readonly #writes: HeavyWrites
  readonly #matching: MatchingHost

  constructor(transactions: Transactions, writes: HeavyWrites, matching: MatchingHost) {
    this.#transactions = transactions
    this.#writes = writes
    this.#matching = matching
  }

  write: RecordLedger['write'] = (collection, changes, { unless, ...options }) =>
    this.#writes.write(collection, { verb: 'records', changes, unless }, options)

  read: RecordLedger['read'] = (collection, sources, vectors) =>
    this.#transactions.read((connection) => ({
      slots: sources.map((source) => readRecord(connection, collection, source, vectors)),
      position: positionOf(connection, collection),
    }))

  rows: RecordLedger['rows'] = (collection, ids, vectors) =>
    this.#transactions.read((connection) => readRecordRows(connection, collection, ids, vectors))

  moved: RecordLedger['moved'] = (collection, after, sources) =>
    this.#transactions.read((connection) => movedSources(connection, collection, after, sources))

  async order(collection: number, where?: Filter, admits?: Admits) {
    await this.#transactions.expire()
    const ordered = (connection: Connection, ids: readonly number[] | undefined) => ({
      ids: recordOrder(connection, collection, ids),
      position: positionOf(connection, collection),
    })
    if (where === undefined && admits === undefined)
      return this.#transactions.snapshot((connection) => ordered(connection, undefined))
    const matching = where === undefined ? {} : { where }
    const found = await withMatching(this.#matching, collection, matching, {}, (connection, ids) =>
      admits === undefined ? ordered(connection, ids) : { ids, position: positionOf(connection, collection) },
    )
    if (admits === undefined) return found
    const passing: number[] = []
    for (let i = 0; i < found.ids.length; i += JUDGED) {
      if (i > 0) await nextTurn()
      const part = found.ids.slice(i, i + JUDGED)
      passing.push(...this.#transactions.snapshot((connection) => admitted(connection, part, admits)))
    }
    const unmoved = this.#transactions.snapshot((connection) =>
      positionOf(connection, collection) === found.position ? ordered(connection, passing) : undefined,
    )
    // Something was committed meanwhile: all of it again, in one go.
    return (
      unmoved ??
      (await withMatching(this.#matching, collection, matching, {}, (connection, ids) =>
        ordered(connection, admitted(connection, ids, admits)),
      ))
    )
  }
}

/** Where a collection stands. @throws COLLECTION_DROPPED */
function positionOf(connection: Connection, collection: number): number {
  requireCollection(connection, collection)
  return connection.value<number>('SELECT position FROM collection_head WHERE collection = ?', collection)!
}
