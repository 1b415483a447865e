import type { PutResult, WriteResult } from '../../core/model.ts'
import type { RecordChange } from '../../core/record.ts'
import type { Erased, Retired } from '../../ports/ledger.ts'
import type { PlannedAppend, PlannedPut } from '../../ports/planned.ts'
import type { RecordsWritten } from '../../ports/records.ts'
import type { Commit } from './commit.ts'
import { type Carriers, type EraseTarget, writeErase } from './erase.ts'
import { writeAppend, writePut } from './put.ts'
import { movedSources, writeRecord } from './records.ts'
import { writeRemove, writeRetire, writeUpdate } from './retire.ts'
import type { Connection } from './statements.ts'

/** Canonical JSON from canonical JSON; the same for the same. */
export type Patch = (metadata: string | undefined) => string | undefined

/** A write of any number of rows, of one transaction. */
export type WriteCommand =
  | { readonly verb: 'put'; readonly puts: readonly PlannedPut[] }
  | { readonly verb: 'append'; readonly append: PlannedAppend }
  | { readonly verb: 'remove'; readonly source: string }
  | { readonly verb: 'retire'; readonly keys: readonly string[]; readonly reason: 'deleted' | 'evicted' }
  | { readonly verb: 'update'; readonly keys: readonly string[]; readonly patch: Patch }
  | {
      readonly verb: 'erase'
      readonly target: EraseTarget
      readonly cascade: boolean
      readonly carriers: Carriers | undefined
    }
  | {
      readonly verb: 'records'
      readonly changes: readonly RecordChange[]
      readonly unless: { readonly after: number; readonly sources: readonly string[] } | undefined
    }

export interface WriteResults {
  readonly put: readonly PutResult[]
  readonly append: PutResult
  readonly remove: Retired
  readonly retire: Retired
  readonly update: WriteResult & { readonly updated: Retired['retired'] }
  readonly erase: Omit<Erased, 'complete' | 'waitingFor'> & { readonly ids: readonly number[] }
  readonly records: RecordsWritten | { readonly moved: readonly string[] }
}

/** Thrown inside a transaction: what the write was made from is not there any more, so that it has to be made anew. */
export const OUTDATED = Symbol('outdated')

/** @throws OUTDATED, and what each write says */
export function carryOut(
  commit: Commit,
  collection: number,
  command: WriteCommand,
): WriteResults[WriteCommand['verb']] {
  switch (command.verb) {
    case 'put':
      return command.puts.map((put) => {
        const result = writePut(commit, collection, put)
        if (result === undefined) throw OUTDATED
        return result
      })
    case 'append':
      return writeAppend(commit, collection, command.append)
    case 'remove':
      return writeRemove(commit, collection, command.source)
    case 'retire':
      return writeRetire(commit, collection, command.keys, command.reason)
    case 'update':
      return writeUpdate(commit, collection, command.keys, command.patch)
    case 'erase':
      return writeErase(commit, collection, command.target, command.cascade, command.carriers)
    case 'records':
      return writeRecords(commit, collection, command)
  }
}

function writeRecords(
  commit: Commit,
  collection: number,
  { changes, unless }: WriteCommand & { readonly verb: 'records' },
): WriteResults['records'] {
  const moved = unless && movedSources(commit.connection, collection, unless.after, unless.sources)
  if (moved !== undefined && moved.length > 0) return { moved }
  const before = commit.position(collection)
  const written = changes.map((change) => writeRecord(commit, collection, change))
  return {
    before,
    position: commit.position(collection),
    outcomes: written.map(({ outcome }) => outcome),
    stale: written.flatMap(({ stale }) => stale),
  }
}

/** Microseconds that writing takes, about: for each source, each new span, each number of a vector, each key. */
const COST = { source: 80, span: 8, number: 0.03, retired: 25, key: 35, erased: 130, record: 100 }

/** How long a write will take, in microseconds, as far as that can be told by looking at it. */
export function costOf(connection: Connection, collection: number, command: WriteCommand): number {
  const spansCost = (spans: readonly { readonly vector: Float32Array | undefined }[]) =>
    spans.reduce((sum, { vector }) => sum + COST.span + COST.number * (vector?.length ?? 0), 0)
  switch (command.verb) {
    case 'put':
      return command.puts.reduce(
        (sum, { chunks, changeset }) =>
          sum + COST.source + spansCost(chunks) + COST.retired * changeset.retired.length,
        0,
      )
    case 'append':
      return spansCost(command.append.spans)
    case 'remove':
      return COST.retired * spansOf(connection, collection, command.source)
    case 'retire':
    case 'update':
      return COST.key * command.keys.length
    case 'erase': {
      const { target } = command
      return (
        COST.erased * ('keys' in target ? target.keys.length : spansOf(connection, collection, target.source))
      )
    }
    case 'records':
      return command.changes.reduce(
        (sum, { vector }) => sum + COST.record + COST.number * (vector?.length ?? 0),
        0,
      )
  }
}

const spansOf = (connection: Connection, collection: number, source: string): number =>
  connection.value<number>(
    `SELECT max(h.live, r.spans) FROM source o CROSS JOIN source_head h ON h.source = o.id
     CROSS JOIN revision r ON r.source = o.id AND r.number = h.revision WHERE o.collection = ? AND o.name = ?`,
    collection,
    source,
  ) ?? 0
