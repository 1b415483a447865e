import type { Key } from '../../core/key.ts'
import { EVENT, STATE } from './codes.ts'
import type { Commit } from './commit.ts'
import type { Connection } from './statements.ts'

/*
 * Keeps the invariant: a summary is current if and only if it has no row in `cause`, and `cause` holds exactly the
 * direct dependencies that are not satisfied.
 *
 * A commit names the nodes whose satisfaction may have changed. Two monotone walks follow: one writes causes and
 * goes on only from summaries that turn from current to not current; the other removes causes and goes on only
 * from summaries that become current. Dependencies form a DAG, so the order of the two walks does not change
 * where they end, and a summary that flips twice gets no event. Work is proportional to the edges crossed; it is
 * done by SQL over temporary tables, because moving each edge to JavaScript costs several times as much.
 */

export function prepareTemporaryTables(connection: Connection): void {
  connection.db.exec(`
    CREATE TEMP TABLE wave (node INTEGER PRIMARY KEY, verdict INTEGER NOT NULL) STRICT;
    CREATE TEMP TABLE next_wave (node INTEGER PRIMARY KEY) STRICT;
    CREATE TEMP TABLE touched (summary INTEGER PRIMARY KEY, was INTEGER NOT NULL, round INTEGER NOT NULL) STRICT;
  `)
}

const SATISFIED = 0

// 0: satisfied; 1: not, but only because a live summary is not current; 2: not.
const VERDICT = `
  CASE
    WHEN EXISTS (SELECT 1 FROM collection_head h WHERE h.collection = s.collection AND h.dropped IS NOT NULL) THEN 2
    WHEN NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)
      THEN s.kind = 1 AND EXISTS (SELECT 1 FROM cause c WHERE c.dependent = s.id)
    ELSE coalesce(
      (SELECT EXISTS (SELECT 1 FROM cause c WHERE c.dependent = i.target) FROM identical i WHERE i.span = s.id), 2)
  END`

// A summary of a dropped collection is a tombstone without a row of its own: neither walk goes through it.
const LIVE = (summary: string) => `NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = ${summary})
  AND NOT EXISTS (SELECT 1 FROM span n CROSS JOIN collection_head h ON h.collection = n.collection
    WHERE n.id = ${summary} AND h.dropped IS NOT NULL)`
const LIVE_DEPENDENT = LIVE('d.dependent')
const STATE_OF = (summary: string) =>
  `coalesce((SELECT max(c.hard) + 1 FROM cause c WHERE c.dependent = ${summary}), 0)`

/** Settles `commit.unsettled`, emits one event per summary whose state changed, and answers those that left `current`. */
export function propagate(commit: Commit): Key[] {
  const { connection } = commit
  const seeds = [...commit.unsettled].filter(
    (node) => connection.value('SELECT 1 FROM dependency WHERE support = ? LIMIT 1', node) !== undefined,
  )
  commit.unsettled.clear()
  if (seeds.length === 0) return []
  connection.run('DELETE FROM wave')
  connection.run('DELETE FROM touched')
  for (const seed of seeds)
    connection.run(`INSERT INTO wave SELECT s.id, ${VERDICT} FROM span s WHERE s.id = ?`, seed)
  const satisfied = connection
    .rows<[number]>('SELECT node FROM wave WHERE verdict = ?', SATISFIED)
    .map(([node]) => node)
  connection.run('DELETE FROM wave WHERE verdict = ?', SATISFIED)
  const round = invalidate(connection)
  // Judged again: the first walk may have reached the summary that satisfied a tombstone.
  for (const node of satisfied)
    connection.run(`INSERT INTO wave SELECT s.id, ${VERDICT} FROM span s WHERE s.id = ?`, node)
  connection.run('DELETE FROM wave WHERE verdict <> ?', SATISFIED)
  clear(connection, round)
  return announce(commit)
}

function invalidate(connection: Connection): number {
  let round = 0
  while (connection.value('SELECT 1 FROM wave LIMIT 1') !== undefined) {
    round++
    // Who is touched for the first time, and in what state: the walk goes on from the current ones.
    connection.run(
      `INSERT OR IGNORE INTO touched (summary, was, round)
       SELECT d.dependent, ${STATE_OF('d.dependent')}, ?
       FROM wave w CROSS JOIN dependency d ON d.support = w.node WHERE ${LIVE_DEPENDENT}`,
      round,
    )
    connection.run(
      `INSERT INTO cause (dependent, support, hard)
       SELECT d.dependent, w.node, w.verdict - 1
       FROM wave w CROSS JOIN dependency d ON d.support = w.node WHERE ${LIVE_DEPENDENT}
       ON CONFLICT (dependent, support) DO UPDATE SET hard = excluded.hard WHERE hard <> excluded.hard`,
    )
    connection.run('DELETE FROM wave')
    connection.run('INSERT INTO wave SELECT summary, 1 FROM touched WHERE round = ? AND was = 0', round)
    connection.run(
      'INSERT OR IGNORE INTO wave SELECT i.span, 1 FROM wave w CROSS JOIN identical i ON i.target = w.node',
    )
  }
  return round
}

function clear(connection: Connection, rounds: number): void {
  let round = rounds
  while (connection.value('SELECT 1 FROM wave LIMIT 1') !== undefined) {
    round++
    connection.run('DELETE FROM next_wave')
    connection.run(
      `INSERT OR IGNORE INTO next_wave
       SELECT c.dependent FROM wave w CROSS JOIN cause c ON c.support = w.node WHERE ${LIVE('c.dependent')}`,
    )
    connection.run(
      `INSERT OR IGNORE INTO touched (summary, was, round) SELECT n.node, ${STATE_OF('n.node')}, ? FROM next_wave n`,
      round,
    )
    connection.run('DELETE FROM cause WHERE support IN (SELECT node FROM wave)')
    connection.run('DELETE FROM wave')
    connection.run(
      `INSERT INTO wave SELECT n.node, 0 FROM next_wave n
       WHERE NOT EXISTS (SELECT 1 FROM cause c WHERE c.dependent = n.node)`,
    )
    connection.run(
      'INSERT OR IGNORE INTO wave SELECT i.span, 0 FROM wave w CROSS JOIN identical i ON i.target = w.node',
    )
  }
}

/** Twice the largest cause, plus hard: one seek answers both the state and a cause worth naming. */
const WORST = '(SELECT max(c.hard * 4503599627370496 + c.support) FROM cause c WHERE c.dependent = t.summary)'

function announce(commit: Commit): Key[] {
  const { connection } = commit
  const collections = connection.rows<[number, number]>(
    `SELECT s.collection, count(*) FROM touched t CROSS JOIN span s ON s.id = t.summary
     WHERE t.was <> ${STATE_OF('t.summary')}
     GROUP BY s.collection`,
  )
  for (const [collection, count] of collections) {
    const before = commit.reserve(collection, count)
    connection.run(
      `INSERT INTO event (collection, position, type, at, node, source, other, number, data)
       SELECT ?1, ?2 + row_number() OVER (ORDER BY summary),
         CASE WHEN worst IS NULL THEN ${EVENT['summary.current']} ELSE ${EVENT['summary.stale']} END, ?3, summary, NULL,
         worst % 4503599627370496,
         CASE WHEN worst IS NULL THEN ${STATE.current} WHEN worst >= 4503599627370496 THEN ${STATE.stale} ELSE ${STATE.suspect} END,
         NULL
       FROM (SELECT t.summary, t.was, ${WORST} AS worst FROM touched t CROSS JOIN span s ON s.id = t.summary
             WHERE s.collection = ?1)
       WHERE was <> CASE WHEN worst IS NULL THEN 0 WHEN worst >= 4503599627370496 THEN 2 ELSE 1 END`,
      collection,
      before,
      commit.at,
    )
  }
  if (collections.length === 0) return []
  return connection
    .rows<[Key]>(
      `SELECT s.key FROM touched t CROSS JOIN span s ON s.id = t.summary
       WHERE t.was = 0 AND EXISTS (SELECT 1 FROM cause c WHERE c.dependent = t.summary)`,
    )
    .map(([key]) => key)
}
