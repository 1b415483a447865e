import type { PutResult, WriteResult } from '../../core/model.ts'
import type { RecordChange } from '../../core/record.ts'
import type { GateRecord } from '../../ports/gates.ts'
import type { Erased, Retired } from '../../ports/ledger.ts'
import type { PlannedAppend, PlannedPut } from '../../ports/planned.ts'
import type { RecordsWritten } from '../../ports/records.ts'
import type {
  EpochDiscarded,
  ReconcileCommand,
  Reconciled,
  RegisterCommand,
  Registered,
} from '../../ports/sessions.ts'
import type { Commit } from './commit.ts'
import { writeEpochDiscarded } from './discard.ts'
import { type Carriers, type EraseTarget, writeErase } from './erase.ts'
import { writeGate } from './gates.ts'
import { writeAppend, writePut } from './put.ts'
import { writeReconciled } from './reconcile.ts'
import { movedSources, writeRecord } from './records.ts'
import { writeRemove, writeRetire, writeUpdate } from './retire.ts'
import { writeSummaries } from './summaries.ts'

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
  | { readonly verb: 'register'; readonly session: string; readonly summaries: readonly RegisterCommand[] }
  | { readonly verb: 'reconcile'; readonly session: string; readonly pass: ReconcileCommand }
  | { readonly verb: 'discardEpoch'; readonly session: string }
  | { readonly verb: 'gate'; readonly session: string; readonly gate: GateRecord }

export interface WriteResults {
  readonly put: readonly PutResult[]
  readonly append: PutResult
  readonly remove: Retired
  readonly retire: Retired
  readonly update: WriteResult & { readonly updated: Retired['retired'] }
  readonly erase: Omit<Erased, 'complete' | 'waitingFor'> & { readonly ids: readonly number[] }
  readonly records: RecordsWritten | { readonly moved: readonly string[] }
  readonly register: Registered
  readonly reconcile: Reconciled
  readonly discardEpoch: EpochDiscarded
  readonly gate: { readonly gate: number; readonly at: number }
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
    case 'register':
      return writeSummaries(commit, collection, command.session, command.summaries)
    case 'reconcile':
      return writeReconciled(commit, collection, command.session, command.pass)
    case 'discardEpoch':
      return writeEpochDiscarded(commit, collection, command.session)
    case 'gate':
      return writeGate(commit, collection, command.session, command.gate)
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
