import type { Key } from '../../core/key.ts'
import type { FetchResult } from '../../core/model.ts'
import type { EpochDiscarded } from '../../ports/sessions.ts'
import type { Commit } from './commit.ts'
import { INTERVENTION, sessionId, writeIntervention } from './interventions.ts'
import { propagate } from './propagate.ts'
import { fetchNow, keyOf } from './read.ts'
import { discardSummary } from './retire.ts'
import { type Connection, insertInto } from './statements.ts'
import { settleClass, whyUnsatisfied } from './summaries.ts'

/**
 * Withdraws the summaries of the session's last epoch that was not discarded before, and brings back what they had
 * taken the place of, under new keys that carry the epoch of the old. A summary that lacks a dependency by now stays a
 * tombstone: nothing is born stale, here as elsewhere.
 */
export function writeEpochDiscarded(commit: Commit, collection: number, name: string): EpochDiscarded {
  const { connection } = commit
  const session = sessionId(connection, collection, name)
  const epoch = discardable(connection, session)
  const nothing = { epoch: 0, discarded: [], restored: [], lost: [], stale: [] }
  if (epoch === 0) return { ...nothing, position: commit.position(collection) }
  const position = commit.event(collection, 'epoch.discarded', {
    data: JSON.stringify({ session: name, epoch }),
  })
  const living = connection.rows<[number]>(
    `SELECT m.span FROM summary m WHERE m.session = ? AND m.epoch = ?
     AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span) ORDER BY m.span`,
    session,
    epoch,
  )
  for (const [summary] of living) discardSummary(commit, collection, summary)
  const stale = new Set(propagate(commit))
  const restored: { from: Key; to: Key }[] = []
  const lost: { key: Key; missing: Key[] }[] = []
  for (const old of replacedBy(connection, session, epoch)) {
    const key = keyOf(connection, old.id)
    const missing = lacking(commit, old.id)
    if (old.erased || missing.length > 0) {
      lost.push({ key, missing: old.erased ? [] : missing })
      continue
    }
    const to = bringBack(commit, collection, old)
    for (const one of propagate(commit)) stale.add(one)
    restored.push({ from: key, to })
  }
  writeIntervention(commit, session, INTERVENTION.discarded, position, null, epoch)
  return {
    epoch,
    discarded: living.map(([summary]) => keyOf(connection, summary)),
    restored,
    lost,
    // A summary that lost its support and found it again under another key never stopped being current.
    stale: [...stale].filter((key) => !isCurrent(connection, key)),
    position: commit.position(collection),
  }
}

export const discardable = (connection: Connection, session: number): number =>
  connection.value<number>(
    `SELECT coalesce(max(e.number), 0) FROM epoch e WHERE e.session = ?1 AND e.number NOT IN
       (SELECT i.epoch FROM intervention i WHERE i.session = ?1 AND i.kind = ${INTERVENTION.discarded})`,
    session,
  )!

interface Old {
  readonly id: number
  readonly class: number
  readonly chain: number
  readonly epoch: number
  /** What had taken its place. */
  readonly by: number
  readonly erased: boolean
}

/** What summaries of the epoch had replaced, oldest first. Whatever replaced those since was discarded before them. */
function replacedBy(connection: Connection, session: number, epoch: number): Old[] {
  return connection
    .rows<[number, number, number, number, number, number]>(
      // Of a summary that was itself brought back, the copy is what had taken the place.
      `SELECT o.span, o.class, o.chain, o.epoch,
         max((SELECT max(x.span) FROM summary x WHERE x.class = n.class AND x.session = n.session AND x.epoch = n.epoch)),
         EXISTS (SELECT 1 FROM erasure e WHERE e.span = o.span)
       FROM summary n CROSS JOIN lineage l ON l.new = n.span AND l.kind = 0
       CROSS JOIN summary o ON o.span = l.old AND o.epoch < n.epoch
       WHERE n.session = ? AND n.epoch = ? GROUP BY o.span ORDER BY o.span`,
      session,
      epoch,
    )
    .map(([id, cls, chain, own, by, erased]) => ({
      id,
      class: cls,
      chain,
      epoch: own,
      by,
      erased: erased === 1,
    }))
}

/** Keys a summary stands on that are not satisfied now. */
function lacking(commit: Commit, summary: number): Key[] {
  const { connection } = commit
  return connection
    .rows<[Key]>(
      'SELECT s.key FROM dependency d CROSS JOIN span s ON s.id = d.support WHERE d.dependent = ? ORDER BY s.id',
      summary,
    )
    .map(([key]) => key)
    .filter((key) => {
      const result = fetchNow(connection, key, undefined, Number.NEGATIVE_INFINITY) as FetchResult
      return whyUnsatisfied(connection, commit, result) !== undefined
    })
}

/** The same text, claims, dependencies and covers under a new key, `identical` to the old. */
function bringBack(commit: Commit, collection: number, old: Old): Key {
  const { connection } = commit
  const [text, hash] = connection.row<[string, string]>('SELECT text, hash FROM span WHERE id = ?', old.id)!
  const { id, key } = commit.addSummary(collection, { text, hash, epoch: old.epoch, replaces: old.by })
  connection.run(
    `${insertInto('summary', ['span', 'session', 'epoch', 'chain', 'class', 'completeness']).replace(/VALUES.*/, '')}
     SELECT ?, session, epoch, chain, class, completeness FROM summary WHERE span = ?`,
    id,
    old.id,
  )
  connection.run(
    `INSERT INTO claim (summary, ordinal, text, derivable, unverified)
     SELECT ?, ordinal, text, derivable, unverified FROM claim WHERE summary = ?`,
    id,
    old.id,
  )
  connection.run(
    `INSERT INTO dependency (support, dependent, printed, "foreign")
     SELECT support, ?, printed, "foreign" FROM dependency WHERE dependent = ?`,
    id,
    old.id,
  )
  connection.run('INSERT INTO cover (span, summary) SELECT span, ? FROM cover WHERE summary = ?', id, old.id)
  // The chain goes on: what had replaced the old summary leads to the new one.
  commit.link(old.by, id, 0, successors(connection, old.by))
  commit.link(old.id, id, 1, successors(connection, old.id))
  settleClass(commit, old.class, id)
  return key
}

const successors = (connection: Connection, tombstone: number): number =>
  connection.value<number>('SELECT count(*) FROM lineage WHERE old = ?', tombstone)!

const isCurrent = (connection: Connection, key: Key): boolean =>
  connection.value(
    `SELECT 1 FROM span s WHERE s.key = ? AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)
     AND NOT EXISTS (SELECT 1 FROM cause c WHERE c.dependent = s.id)`,
    key,
  ) !== undefined
