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
    CREATE TEMP TABLE wave (node INTEGER PRIMARY KEY, verdict INTEGER NOT NULL, collection INTEGER NOT NULL) STRICT;
    CREATE TEMP TABLE next_wave (node INTEGER PRIMARY KEY, collection INTEGER NOT NULL) STRICT;
    CREATE TEMP TABLE touched (summary INTEGER PRIMARY KEY, was INTEGER NOT NULL, round INTEGER NOT NULL,
      collection INTEGER NOT NULL) STRICT;
    CREATE TEMP TABLE outgoing (seq INTEGER PRIMARY KEY, collection INTEGER NOT NULL, summary INTEGER NOT NULL,
      was INTEGER NOT NULL, worst INTEGER) STRICT;
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

/** A cause's hardness and its support in one number: the largest tells a summary's state and a cause worth naming. */
const HARD = 2 ** 52

const STATE_OF = (summary: string) =>
  `coalesce((SELECT max(c.hard) + 1 FROM cause c WHERE c.dependent = ${summary}), 0)`

const COLLECTION_OF_DEPENDENT =
  'CASE WHEN d."foreign" IS NULL THEN w.collection ELSE (SELECT n.collection FROM span n WHERE n.id = d.dependent) END'

/** Settles `commit.unsettled`, emits one event per summary whose state changed, and answers those that left `current`. */
export function propagate(commit: Commit): Key[] {
  const { connection } = commit
  const seeds = [...commit.unsettled].filter(
    (node) => connection.value('SELECT 1 FROM dependency WHERE support = ? LIMIT 1', node) !== undefined,
  )
  commit.unsettled.clear()
  if (seeds.length === 0) return []
  const live = liveDependent(connection)
  connection.run('DELETE FROM wave')
  connection.run('DELETE FROM touched')
  const judge = (node: number) =>
    connection.run(`INSERT INTO wave SELECT s.id, ${VERDICT}, s.collection FROM span s WHERE s.id = ?`, node)
  for (const seed of seeds) judge(seed)
  const satisfied = connection
    .rows<[number]>('SELECT node FROM wave WHERE verdict = ?', SATISFIED)
    .map(([node]) => node)
  connection.run('DELETE FROM wave WHERE verdict = ?', SATISFIED)
  const round = invalidate(connection, live)
  // Judged again: the first walk may have reached the summary that satisfied a tombstone.
  for (const node of satisfied) judge(node)
  connection.run('DELETE FROM wave WHERE verdict <> ?', SATISFIED)
  clear(connection, live, round)
  return announce(commit)
}

/** A summary of a dropped collection is a tombstone without a row of its own: neither walk goes through it. */
function liveDependent(connection: Connection): string {
  const live = 'NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = d.dependent)'
  // Most stores never drop a collection; the question costs as much as the rest of the walk.
  if (connection.value('SELECT 1 FROM collection_head WHERE dropped IS NOT NULL LIMIT 1') === undefined)
    return live
  return `${live} AND NOT EXISTS (SELECT 1 FROM span n CROSS JOIN collection_head h ON h.collection = n.collection
    WHERE n.id = d.dependent AND h.dropped IS NOT NULL)`
}

function invalidate(connection: Connection, live: string): number {
  let round = 0
  while (connection.value('SELECT 1 FROM wave LIMIT 1') !== undefined) {
    round++
    // Who is touched for the first time, and in what state: the walk goes on from the current ones.
    connection.run(
      `INSERT OR IGNORE INTO touched (summary, was, round, collection)
       SELECT d.dependent, ${STATE_OF('d.dependent')}, ?, ${COLLECTION_OF_DEPENDENT}
       FROM wave w CROSS JOIN dependency d ON d.support = w.node WHERE ${live}`,
      round,
    )
    connection.run(
      `INSERT INTO cause (dependent, support, hard)
       SELECT d.dependent, w.node, w.verdict - 1
       FROM wave w CROSS JOIN dependency d ON d.support = w.node CROSS JOIN touched t ON t.summary = d.dependent
       WHERE true
       ON CONFLICT (dependent, support) DO UPDATE SET hard = excluded.hard WHERE hard <> excluded.hard`,
    )
    connection.run('DELETE FROM wave')
    connection.run(
      `INSERT OR IGNORE INTO wave SELECT i.span, 1, t.collection
       FROM touched t CROSS JOIN identical i ON i.target = t.summary WHERE t.round = ? AND t.was = 0`,
      round,
    )
    // Most summaries are nobody's support: they end the walk here.
    connection.run(
      `INSERT OR IGNORE INTO wave SELECT t.summary, 1, t.collection FROM touched t
       WHERE t.round = ? AND t.was = 0 AND EXISTS (SELECT 1 FROM dependency d WHERE d.support = t.summary)`,
      round,
    )
  }
  return round
}

function clear(connection: Connection, live: string, rounds: number): void {
  let round = rounds
  while (connection.value('SELECT 1 FROM wave LIMIT 1') !== undefined) {
    round++
    connection.run('DELETE FROM next_wave')
    connection.run(
      `INSERT OR IGNORE INTO next_wave
       SELECT d.dependent, ${COLLECTION_OF_DEPENDENT} FROM wave w CROSS JOIN dependency d ON d.support = w.node
       CROSS JOIN cause c ON c.dependent = d.dependent AND c.support = d.support WHERE ${live}`,
    )
    connection.run(
      `INSERT OR IGNORE INTO touched (summary, was, round, collection)
       SELECT n.node, ${STATE_OF('n.node')}, ?, n.collection FROM next_wave n`,
      round,
    )
    connection.run(
      `DELETE FROM cause WHERE (dependent, support) IN
         (SELECT d.dependent, d.support FROM wave w CROSS JOIN dependency d ON d.support = w.node)`,
    )
    connection.run('DELETE FROM wave')
    connection.run(
      `INSERT INTO wave SELECT n.node, 0, n.collection FROM next_wave n
       WHERE NOT EXISTS (SELECT 1 FROM cause c WHERE c.dependent = n.node)`,
    )
    connection.run(
      'INSERT OR IGNORE INTO wave SELECT i.span, 0, w.collection FROM wave w CROSS JOIN identical i ON i.target = w.node',
    )
  }
}

const WORST = `(SELECT max(c.hard * ${HARD} + c.support) FROM cause c WHERE c.dependent = t.summary)`
const STATE_OF_WORST = `CASE WHEN worst IS NULL THEN ${STATE.current} WHEN worst >= ${HARD} THEN ${STATE.stale} ELSE ${STATE.suspect} END`

function announce(commit: Commit): Key[] {
  const { connection } = commit
  connection.run('DELETE FROM outgoing')
  const several = connection.value('SELECT min(collection) <> max(collection) FROM touched') === 1
  // The idle LIMIT keeps SQLite from working out `worst` again at each mention.
  connection.run(
    `INSERT INTO outgoing (collection, summary, was, worst)
     SELECT collection, summary, was, worst
     FROM (SELECT t.collection, t.summary, t.was, ${WORST} AS worst FROM touched t LIMIT -1)
     WHERE was <> ${STATE_OF_WORST} ${several ? 'ORDER BY collection, summary' : ''}`,
  )
  const groups = connection.rows<[number, number, number]>(
    several
      ? 'SELECT collection, min(seq), count(*) FROM outgoing GROUP BY collection'
      : 'SELECT collection, 1, (SELECT max(seq) FROM outgoing) FROM outgoing LIMIT 1',
  )
  for (const [collection, first, count] of groups)
    connection.run(
      `INSERT INTO event (collection, position, type, at, node, source, other, number, data)
       SELECT collection, ? + seq, CASE WHEN worst IS NULL THEN ${EVENT['summary.current']} ELSE ${EVENT['summary.stale']} END,
         ?, summary, NULL, worst % ${HARD}, ${STATE_OF_WORST}, NULL
       FROM outgoing WHERE seq BETWEEN ? AND ?`,
      commit.reserve(collection, count) - first + 1,
      commit.at,
      first,
      first + count - 1,
    )
  // In one string: a hundred thousand rows would cost more to hand over than to write.
  const joined = connection.value<string | null>(
    `SELECT group_concat(s.key, '') FROM outgoing o CROSS JOIN span s ON s.id = o.summary
     WHERE o.was = 0 AND o.worst IS NOT NULL`,
  )
  const keys: Key[] = []
  if (joined != null)
    for (let at = 0; at < joined.length; at += 26) keys.push(joined.slice(at, at + 26) as Key)
  return keys
}
