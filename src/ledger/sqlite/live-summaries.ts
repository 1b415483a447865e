import type { Connection } from './statements.ts'

/*
 * Which summaries of a session are live. Most of a long session's have been replaced, and every look at it would walk
 * them all; but ids only grow and a tombstone is for ever, so what was live is asked again, what is new is read, and
 * the past is read once a process.
 */

interface Live {
  /** Every summary up to here was looked at. */
  seen: number
  readonly spans: Set<number>
}

/** Sessions that are remembered; others are read again from their beginning. */
const SESSIONS = 1000
const remembered = new WeakMap<Connection, Map<number, Live>>()

const ALIVE = 'NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span)'

/** In order of their birth. For readers: what a writer learns of rows that are then rolled back would stay. */
export function liveSummaries(connection: Connection, session: number): readonly number[] {
  let sessions = remembered.get(connection)
  if (sessions === undefined) {
    sessions = new Map()
    remembered.set(connection, sessions)
  }
  let live = sessions.get(session)
  if (live === undefined) {
    if (sessions.size >= SESSIONS) sessions.clear()
    live = { seen: 0, spans: new Set() }
    sessions.set(session, live)
  } else if (live.spans.size > 0)
    for (const [span] of connection.rows<[number]>(
      'SELECT l.value FROM json_each(?) l CROSS JOIN tombstone t ON t.span = l.value',
      JSON.stringify([...live.spans]),
    ))
      live.spans.delete(span)
  const last = connection.value<number>('SELECT coalesce(max(span), 0) FROM summary')!
  if (last > live.seen) {
    const added =
      live.seen === 0
        ? connection.rows<[number]>(
            `SELECT m.span FROM summary m WHERE m.session = ? AND ${ALIVE} ORDER BY m.span`,
            session,
          )
        : // The plus keeps the planner from walking the session's past instead of what is new.
          connection.rows<[number]>(
            `SELECT m.span FROM summary m WHERE m.span > ?2 AND +m.session = ?1 AND ${ALIVE} ORDER BY m.span`,
            session,
            live.seen,
          )
    for (const [span] of added) live.spans.add(span)
    live.seen = last
  }
  return [...live.spans]
}
