import { type Decision, type Freeze, frozenError } from '../../core/compaction.ts'
import type { SessionMark } from '../../ports/sessions.ts'
import type { Commit } from './commit.ts'
import { type Connection, insertInto } from './statements.ts'

/*
 * Freezes are rows of an append-only table, not a flag: what is in force follows from the last of them. Nothing but
 * `writeReconciled` writes the row that ends one.
 */

export const INTERVENTION = { frozen: 0, frozenForRollback: 1, discarded: 2, reconciled: 3 } as const

const INSERT_INTERVENTION = insertInto('intervention', [
  'session',
  'kind',
  'epoch',
  'position',
  'at',
  'reason',
])

export const findSession = (connection: Connection, collection: number, name: string): number | undefined =>
  connection.value<number>('SELECT id FROM session WHERE collection = ? AND name = ?', collection, name)

export function sessionId(connection: Connection, collection: number, name: string): number {
  return (
    findSession(connection, collection, name) ??
    Number(
      connection.prepare(insertInto('session', ['collection', 'name'])).run(collection, name).lastInsertRowid,
    )
  )
}

export const lastEpoch = (connection: Connection, session: number): number =>
  connection.value<number>('SELECT coalesce(max(number), 0) FROM epoch WHERE session = ?', session)!

export function markOf(connection: Connection, session: number | undefined): SessionMark {
  if (session === undefined) return { epoch: 0, interventions: 0 }
  return {
    epoch: lastEpoch(connection, session),
    interventions: connection.value<number>('SELECT count(*) FROM intervention WHERE session = ?', session)!,
  }
}

/** The epoch of the last reconcile pass or discarded epoch: what lies before it is settled. */
export const checkpointOf = (connection: Connection, session: number): number =>
  connection.value<number>(
    `SELECT epoch FROM intervention WHERE session = ? AND kind IN (${INTERVENTION.discarded}, ${INTERVENTION.reconciled})
     ORDER BY id DESC LIMIT 1`,
    session,
  ) ?? 0

type Row = [kind: number, epoch: number, position: number, at: number, reason: string | null]

/** The freeze in force, if any: the first since the last reconcile pass, or the graver one that followed. */
export function freezeOf(connection: Connection, session: number): Freeze | undefined {
  const rows = connection.rows<Row>(
    `SELECT kind, epoch, position, at, reason FROM intervention WHERE session = ?1 AND id >
       coalesce((SELECT max(id) FROM intervention WHERE session = ?1 AND kind = ${INTERVENTION.reconciled}), 0)
     ORDER BY id`,
    session,
  )
  let freeze: Freeze | undefined
  for (const [kind, epoch, position, at, reason] of rows) {
    if (kind === INTERVENTION.discarded) {
      if (freeze !== undefined) freeze = { ...freeze, discarded: true }
    } else if (freeze === undefined || kind === INTERVENTION.frozenForRollback)
      freeze = {
        decision: kind === INTERVENTION.frozen ? 'freeze' : 'freeze_and_rollback',
        reason: reason ?? '',
        epoch,
        position,
        at,
        discarded: false,
      }
  }
  return freeze
}

export function refuseFrozen(connection: Connection, session: number, name: string): void {
  const freeze = freezeOf(connection, session)
  if (freeze !== undefined) throw frozenError(name, freeze)
}

/** Answers the freeze now in force. A freeze that says no more than the one in force is no new row. */
export function writeFreeze(
  commit: Commit,
  collection: number,
  session: number,
  name: string,
  decision: Exclude<Decision, 'proceed'>,
  reason: string,
): Freeze {
  const { connection } = commit
  const before = freezeOf(connection, session)
  const graver = decision === 'freeze_and_rollback' && before?.decision === 'freeze'
  if (before !== undefined && !graver) return before
  const position = commit.event(collection, 'session.frozen', {
    data: JSON.stringify({ session: name, reason }),
  })
  const kind = decision === 'freeze' ? INTERVENTION.frozen : INTERVENTION.frozenForRollback
  writeIntervention(commit, session, kind, position, reason)
  return freezeOf(connection, session)!
}

export function writeIntervention(
  commit: Commit,
  session: number,
  kind: number,
  position: number,
  reason: string | null = null,
  epoch: number = lastEpoch(commit.connection, session),
): void {
  commit.connection.prepare(INSERT_INTERVENTION).run(session, kind, epoch, position, commit.at, reason)
}
