import { rmSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { LedgerStats } from '../../ports/ledger.ts'
import type { Problem } from '../../ports/problem.ts'
import { answerCalls } from '../../threads/answer.ts'
import { InParts, type Part } from '../../threads/in-parts.ts'
import { type Carriers, carriersOf, type EraseTarget } from './erase.ts'
import { openDatabase, storageError } from './open.ts'
import { prepareTemporaryTables } from './propagate.ts'
import { writePruned } from './prune.ts'
import { moveLog, reclaim, truncateLog } from './room.ts'
import { metadataBefore, received, type Sent, type Sought } from './sent-write.ts'
import { Connection } from './statements.ts'
import { ledgerStats } from './stats.ts'
import { type Minted, Transactions } from './transactions.ts'
import { verifyLedger } from './verify.ts'
import { carryOut, OUTDATED } from './write-command.ts'

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
  /** Moves of the log into the file what nobody reads an older state of. */
  readonly move: () => void
  /** Gives the room of what is gone back to the disk. */
  readonly reclaim: () => boolean
  /** The texts of the next tombstones. */
  readonly prune: (
    which: { readonly before: number; readonly after: number },
    now: number,
  ) => ReturnType<typeof writePruned>
  /** Copies one state of the ledger; progress in pages. True once it is done. */
  readonly backup: (target: string) => Promise<boolean>
  /** What the metadata are now that a write will change. */
  readonly before: (collection: number, sought: Sought) => readonly (string | undefined)[]
  /** The next part of a large write. */
  readonly take: (ticket: number, part: Part) => void
  /** Carries out the write whose parts were taken. 'outdated': nothing was written, it has to be made anew. */
  readonly write: (
    collection: number,
    write: LargeWrite,
  ) => Promise<'outdated' | { readonly result: unknown; readonly minted: Minted }>
}

export interface LargeWrite {
  readonly ticket: number
  readonly parts: number
  readonly minted: Minted
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Is set to 1 when all is written but the commit. */
  readonly ending: Int32Array
}

/*
 * The whole of a thread for what reads, or writes, a large ledger from end to end, and for writes of many rows: SQLite
 * does that in one piece. What reads has a connection of its own each time, so that nothing of an older state is held
 * between two.
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
function inTransaction<T>(connection: Connection, work: () => T): T {
  connection.run('BEGIN IMMEDIATE')
  try {
    const done = work()
    connection.run('COMMIT')
    return done
  } finally {
    if (connection.db.inTransaction) connection.run('ROLLBACK')
  }
}

const repaired = (connection: Connection): readonly Problem[] =>
  inTransaction(connection, () => verifyLedger(connection, true))

/** Of one state, which others may leave meanwhile. */
const seen = <T>(work: (connection: Connection) => T): T =>
  connected((connection) => connection.snapshot(() => work(connection)))

/** Pages copied before progress is told. */
const PAGES = 2_000

/** A reader keeps its state however much is written meanwhile, so that the copy never has to begin anew. */
async function copied(target: string, onProgress: (done: number, total: number) => void): Promise<boolean> {
  const db = openDatabase(path, { clock: Date.now, wait })
  try {
    rmSync(target, { force: true })
    db.exec('BEGIN')
    db.prepare('SELECT 1 FROM store').get()
    await db.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages)
        return PAGES
      },
    })
    return true
  } catch (error) {
    throw storageError(error, path)
  } finally {
    db.close()
  }
}

/** Writes on their way here. */
const coming = new Map<number, InParts>()

function take(ticket: number, part: Part): void {
  const parts = coming.get(ticket) ?? new InParts()
  coming.set(ticket, parts)
  parts.add(part)
}

let writing: Connection | undefined

/** Pages: few and large moves from the log to the file are quicker than many. */
const LONG_LOG = 4_000

/** Kept from one large write to the next: opening one takes some milliseconds. It reads nothing in between. */
function writingConnection(): Connection {
  if (writing === undefined) {
    writing = new Connection(openDatabase(path, { clock: Date.now, wait, log: LONG_LOG }))
    prepareTemporaryTables(writing)
  }
  return writing
}

async function write(collection: number, { ticket, parts, minted, now, ending }: LargeWrite) {
  const taken = coming.get(ticket)
  coming.delete(ticket)
  // The first of them went to a thread that was lost.
  if (taken?.parts !== parts) return 'outdated'
  const { command, options } = taken.value as Sent
  try {
    const told = { clock: () => now, wait, onCommit: () => {} }
    const transactions = new Transactions(writingConnection(), path, told, minted)
    const result = await transactions.writeIn(collection, options, (commit) => {
      const written = carryOut(commit, collection, received(command))
      Atomics.store(ending, 0, 1)
      return written
    })
    return { result, minted }
  } catch (error) {
    if (error === OUTDATED) return 'outdated'
    throw error
  }
}

answerCalls<LedgerCalls>(
  {
    stats: () => seen(ledgerStats),
    verify: (_, repair) =>
      repair ? connected(repaired) : seen((connection) => verifyLedger(connection, false)),
    carriers: (_, collection, target) => seen((connection) => carriersOf(connection, collection, target)),
    checkpoint: () => connected(truncateLog, READERS),
    move: () => connected(moveLog),
    reclaim: () => connected(reclaim),
    prune: (_, which, now) =>
      connected((connection) => inTransaction(connection, () => writePruned(connection, which, now))),
    backup: ({ progress }, target) => copied(target, progress),
    before: (_, collection, sought) => {
      const connection = writingConnection()
      return connection.snapshot(() => metadataBefore(connection, collection, sought))
    },
    take: (_, ticket, part) => take(ticket, part),
    write: (_, collection, large) => write(collection, large),
  },
  () => {
    writing?.db.close()
  },
)
