import { workerData } from 'node:worker_threads'
import type { LedgerStats } from '../../ports/ledger.ts'
import type { Problem } from '../../ports/problem.ts'
import { answerCalls } from '../../threads/answer.ts'
import { type Carriers, carriersOf, type EraseTarget } from './erase.ts'
import { openDatabase, storageError } from './open.ts'
import { reclaim, truncateLog } from './room.ts'
import { Connection } from './statements.ts'
import { ledgerStats } from './stats.ts'
import { verifyLedger } from './verify.ts'

/** What the thread is given at its start. */
export interface LedgerThreadData {
  readonly path: string
  /** Milliseconds to wait for other writers. */
  readonly wait: number
}

export type LedgerCalls = {
  readonly stats: () => LedgerStats
  readonly verify: (repair: boolean) => readonly Problem[]
  readonly carriers: (collection: number, target: EraseTarget) => Carriers
  /** False: somebody else is reading an older state. */
  readonly checkpoint: () => boolean
  /** Gives the room of what is gone back to the disk. */
  readonly reclaim: () => boolean
}

/*
 * The whole of a thread for what reads, or writes, a large ledger from end to end: SQLite does that in one piece. Each
 * call has a connection of its own, so that nothing of an older state is held between two.
 */

const { path, wait } = workerData as LedgerThreadData

/** How long emptying the log waits for those who read an older state, in milliseconds. */
const READERS = 500

function connected<T>(work: (connection: Connection) => T, patience = wait): T {
  const db = openDatabase(path, { clock: Date.now, wait })
  try {
    db.pragma(`busy_timeout = ${patience}`)
    return work(new Connection(db))
  } catch (error) {
    throw storageError(error, path)
  } finally {
    db.close()
  }
}

/** All or nothing. */
function repaired(connection: Connection): readonly Problem[] {
  connection.run('BEGIN IMMEDIATE')
  try {
    const problems = verifyLedger(connection, true)
    connection.run('COMMIT')
    return problems
  } finally {
    if (connection.db.inTransaction) connection.run('ROLLBACK')
  }
}

/** Of one state, which others may leave meanwhile. */
const seen = <T>(work: (connection: Connection) => T): T =>
  connected((connection) => connection.snapshot(() => work(connection)))

answerCalls<LedgerCalls>(
  {
    stats: () => seen(ledgerStats),
    verify: (_, repair) =>
      repair ? connected(repaired) : seen((connection) => verifyLedger(connection, false)),
    carriers: (_, collection, target) => seen((connection) => carriersOf(connection, collection, target)),
    checkpoint: () => connected(truncateLog, READERS),
    reclaim: () => connected(reclaim),
  },
  () => {},
)
