import type { Problem } from '../../ports/problem.ts'
import { agesOf, KIND, keysIn, Trail } from './observations.ts'
import { COUNTERS, type Counter, RECOMPACTED } from './session-cycles.ts'
import type { Connection } from './statements.ts'

/** Says what is wrong, and how it is mended. */
export type Report = (code: Problem['code'], what: string, mend?: () => void) => void

/** `session_cycle`, counted from the observations and summaries themselves. */
const COUNTED = `
  SELECT o.session AS session, o.cycle AS cycle,
    sum(CASE WHEN purpose = 0 AND cited = 0 AND hit = 1 THEN count ELSE 0 END) AS self_hits,
    sum(CASE WHEN purpose = 0 AND cited = 0 THEN count ELSE 0 END) AS self_total,
    sum(CASE WHEN purpose = 0 AND cited = 1 AND hit = 1 THEN count ELSE 0 END) AS external_hits,
    sum(CASE WHEN purpose = 0 AND cited = 1 THEN count ELSE 0 END) AS external_total,
    sum(CASE WHEN via = 0 AND hit = 1 THEN count ELSE 0 END) AS anchored_hits,
    sum(CASE WHEN via = 0 THEN count ELSE 0 END) AS anchored_total,
    sum(CASE WHEN via = 1 AND hit = 1 THEN count ELSE 0 END) AS queried_hits,
    sum(CASE WHEN via = 1 THEN count ELSE 0 END) AS queried_total,
    sum(CASE WHEN reported > 0 THEN count ELSE 0 END) AS reported,
    sum(CASE WHEN reported = 2 THEN count ELSE 0 END) AS lagging,
    0 AS recompacted, 0 AS inflated
  FROM observation o WHERE o.kind = ${KIND.rehydration} GROUP BY o.session, o.cycle
  UNION ALL
  SELECT session, epoch, ${'0, '.repeat(10)} count(*), sum(after > before) FROM (${RECOMPACTED}) GROUP BY session, epoch`

type Counts = Record<Counter, number>

export function verifySessionCounts(connection: Connection, report: Report): void {
  const right = new Map<string, Counts>()
  const read = (sql: string) =>
    connection.rows<[number, number, ...number[]]>(
      `SELECT session, cycle, ${COUNTERS.map((c) => `sum(${c})`).join(', ')} FROM (${sql}) GROUP BY session, cycle`,
    )
  for (const [session, cycle, ...counts] of read(COUNTED))
    right.set(
      `${session} ${cycle}`,
      Object.fromEntries(COUNTERS.map((counter, i) => [counter, counts[i]!])) as Counts,
    )
  const stored = new Map(
    read('SELECT * FROM session_cycle').map(([session, cycle, ...counts]) => [
      `${session} ${cycle}`,
      counts.join(' '),
    ]),
  )
  for (const id of new Set([...right.keys(), ...stored.keys()])) {
    const counts = COUNTERS.map((counter) => right.get(id)?.[counter] ?? 0)
    const now = stored.get(id) ?? COUNTERS.map(() => 0).join(' ')
    if (counts.join(' ') === now) continue
    const [session, cycle] = id.split(' ').map(Number) as [number, number]
    report(
      'WRONG_SESSION_COUNT',
      `session ${session}, cycle ${cycle}: counts are not those of its log`,
      () => {
        connection.run('DELETE FROM session_cycle WHERE session = ? AND cycle = ?', session, cycle)
        connection.run(
          `INSERT INTO session_cycle (session, cycle, ${COUNTERS.join(', ')}) VALUES (?, ?, ${COUNTERS.map(() => '?').join(', ')})`,
          session,
          cycle,
          ...counts,
        )
      },
    )
  }
  verifyAges(connection, report)
}

function verifyAges(connection: Connection, report: Report): void {
  const right = new Map<string, number>()
  const trails = new Map<number, Trail>()
  for (const [session, collection, cycle, keys] of connection.rows<[number, number, number, string]>(
    `SELECT o.session, n.collection, o.cycle, o.keys FROM observation o CROSS JOIN session n ON n.id = o.session
     WHERE o.kind = ${KIND.rehydration} AND o.purpose = 0 AND o.hit = 1`,
  )) {
    let trail = trails.get(session)
    if (trail === undefined) {
      trail = new Trail()
      trail.refresh(connection, session)
      trails.set(session, trail)
    }
    for (const [born, number] of agesOf(connection, collection, trail, keysIn(keys))) {
      const id = `${session} ${cycle} ${born}`
      right.set(id, (right.get(id) ?? 0) + number)
    }
  }
  const stored = new Map(
    connection
      .rows<[number, number, number, number]>('SELECT session, cycle, born, count FROM session_age')
      .map(([session, cycle, born, number]) => [`${session} ${cycle} ${born}`, number]),
  )
  for (const id of new Set([...right.keys(), ...stored.keys()])) {
    const number = right.get(id)
    if (number === stored.get(id)) continue
    const [session, cycle, born] = id.split(' ').map(Number) as [number, number, number]
    report('WRONG_SESSION_COUNT', `session ${session}, cycle ${cycle}: ages are not those of its log`, () => {
      connection.run(
        'DELETE FROM session_age WHERE session = ? AND cycle = ? AND born = ?',
        session,
        cycle,
        born,
      )
      if (number !== undefined)
        connection.run(
          'INSERT INTO session_age (session, cycle, born, count) VALUES (?, ?, ?, ?)',
          session,
          cycle,
          born,
          number,
        )
    })
  }
}
