import type { Problem } from '../../ports/problem.ts'
import { identicalOf } from './identical.ts'
import { type Report, verifySessionCounts } from './session-counts.ts'
import type { Connection } from './statements.ts'

/**
 * Compares every derived row with what the append-only tables say. O(store): for checks and after accidents, not
 * for every day. With `repair` it sets derived rows right inside the caller's transaction.
 */
export function verifyLedger(connection: Connection, repair: boolean): Problem[] {
  const problems: Problem[] = []
  const report = (code: Problem['code'], what: string, mend?: () => void) => {
    if (repair) mend?.()
    problems.push({ code, what, repaired: repair && mend !== undefined })
  }
  for (const [line] of connection.rows<[string]>('PRAGMA quick_check'))
    if (line !== 'ok') report('DAMAGED_FILE', line)
  for (const [table, row, parent] of connection.rows<[string, number | null, string]>(
    'PRAGMA foreign_key_check',
  ))
    report('BROKEN_REFERENCE', `${table} row ${row ?? '?'} refers to a ${parent} that is not there`)
  verifyHeads(connection, report)
  verifyIdentical(connection, report)
  verifyCauses(connection, report)
  verifySessionCounts(connection, report)
  return problems
}

function verifyHeads(connection: Connection, report: Report): void {
  for (const [collection, name, position, floor, last, count] of connection.rows<
    [number, string, number, number, number, number]
  >(
    `SELECT h.collection, h.name, h.position, h.floor, coalesce(max(e.position), h.floor), count(e.position)
     FROM collection_head h LEFT JOIN event e ON e.collection = h.collection GROUP BY h.collection`,
  )) {
    if (last !== position)
      report('WRONG_HEAD', `collection ${name} stands at ${position}, its log ends at ${last}`, () =>
        connection.run('UPDATE collection_head SET position = ? WHERE collection = ?', last, collection),
      )
    if (count !== last - floor)
      report('POSITION_GAP', `collection ${name} has ${count} events from ${floor + 1} to ${last}`)
  }
  const live = `SELECT s.source, count(*) AS live FROM span s WHERE s.kind = 0
    AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id) GROUP BY s.source`
  for (const [source, name, stored, counted] of connection.rows<[number, string, number, number]>(
    `SELECT h.source, o.name, h.live, coalesce(l.live, 0) FROM source_head h CROSS JOIN source o ON o.id = h.source
     LEFT JOIN (${live}) l ON l.source = h.source WHERE h.live <> coalesce(l.live, 0)`,
  ))
    report('WRONG_COUNT', `source ${name} has ${counted} live spans, its head says ${stored}`, () =>
      connection.run('UPDATE source_head SET live = ?, fingerprint = NULL WHERE source = ?', counted, source),
    )
  for (const [collection, name, stored, counted] of connection.rows<[number, string, number, number]>(
    `SELECT h.collection, h.name, h.live, coalesce(l.live, 0) FROM collection_head h
     LEFT JOIN (SELECT s.collection, count(*) AS live FROM span s WHERE s.kind = 0
       AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id) GROUP BY s.collection) l
       ON l.collection = h.collection
     WHERE h.dropped IS NULL AND h.live <> coalesce(l.live, 0)`,
  ))
    report('WRONG_COUNT', `collection ${name} has ${counted} live spans, its head says ${stored}`, () =>
      connection.run('UPDATE collection_head SET live = ? WHERE collection = ?', counted, collection),
    )
}

function verifyIdentical(connection: Connection, report: Report): void {
  const watched = connection.rows<[number, string, number | null]>(
    `SELECT s.id, s.key, i.target FROM tombstone t CROSS JOIN span s ON s.id = t.span
     LEFT JOIN identical i ON i.span = s.id
     WHERE EXISTS (SELECT 1 FROM dependency d WHERE d.support = s.id)`,
  )
  for (const [id, key, stored] of watched) {
    const now = identicalOf(connection, id)
    if (now === (stored ?? undefined)) continue
    report('WRONG_IDENTICAL', `${key} has another identical than its lineage says`, () => {
      connection.run('DELETE FROM identical WHERE span = ?', id)
      if (now !== undefined) connection.run('INSERT INTO identical (span, target) VALUES (?, ?)', id, now)
    })
  }
}

/** A drop touches no summary of its collection: what causes they had then says nothing any more. */
const KEPT =
  'NOT EXISTS (SELECT 1 FROM collection_head h WHERE h.collection = s.collection AND h.dropped IS NOT NULL)'

/** Recomputes all cause sets, oldest summary first: a support is always older than what stands on it. */
function verifyCauses(connection: Connection, report: Report): void {
  const notCurrent = new Set<number>()
  const stored = new Map<number, Map<number, number>>()
  for (const [dependent, support, hard] of connection.rows<[number, number, number]>(
    `SELECT c.dependent, c.support, c.hard FROM cause c CROSS JOIN span s ON s.id = c.dependent WHERE ${KEPT}`,
  )) {
    if (!stored.has(dependent)) stored.set(dependent, new Map())
    stored.get(dependent)!.set(support, hard)
  }
  const summaries = connection.rows<[number, string]>(
    `SELECT m.span, s.key FROM summary m CROSS JOIN span s ON s.id = m.span
     WHERE NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span) AND ${KEPT} ORDER BY m.span`,
  )
  const living = new Set(summaries.map(([id]) => id))
  const verdict = (
    id: number,
    kind: number,
    dead: number,
    dropped: number,
    target: number | null,
  ): number => {
    if (dropped === 1) return 2
    if (dead === 0) return kind === 1 && notCurrent.has(id) ? 1 : 0
    return target === null ? 2 : notCurrent.has(target) ? 1 : 0
  }
  // A replacement is younger than what it replaces, so `identical` can point forward: repeat until nothing moves.
  const causes = new Map<number, Map<number, number>>()
  for (let changed = true; changed; ) {
    changed = false
    for (const [summary] of summaries) {
      const own = new Map<number, number>()
      for (const [support, kind, dead, dropped, target] of connection.rows<
        [number, number, number, number, number | null]
      >(
        `SELECT s.id, s.kind, EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id), h.dropped IS NOT NULL, i.target
         FROM dependency d CROSS JOIN span s ON s.id = d.support
         CROSS JOIN collection_head h ON h.collection = s.collection
         LEFT JOIN identical i ON i.span = s.id WHERE d.dependent = ?`,
        summary,
      )) {
        const unsatisfied = verdict(support, kind, dead, dropped, target)
        if (unsatisfied > 0) own.set(support, unsatisfied - 1)
      }
      causes.set(summary, own)
      if (own.size > 0 && !notCurrent.has(summary)) {
        notCurrent.add(summary)
        changed = true
      }
    }
  }
  for (const [summary, key] of summaries) {
    const own = causes.get(summary)!
    const had = stored.get(summary) ?? new Map<number, number>()
    for (const [support, hard] of own)
      if (had.get(support) !== hard)
        report(
          'MISSING_CAUSE',
          `summary ${key} does not know that one of its dependencies is not satisfied`,
          () =>
            connection.run(
              `INSERT INTO cause (dependent, support, hard) VALUES (?, ?, ?)
             ON CONFLICT (dependent, support) DO UPDATE SET hard = excluded.hard`,
              summary,
              support,
              hard,
            ),
        )
    for (const support of had.keys())
      if (!own.has(support))
        report('SURPLUS_CAUSE', `summary ${key} has a cause for a dependency that is satisfied`, () =>
          connection.run('DELETE FROM cause WHERE dependent = ? AND support = ?', summary, support),
        )
  }
  for (const dependent of stored.keys())
    if (!living.has(dependent))
      report('SURPLUS_CAUSE', `tombstone ${dependent} has causes`, () =>
        connection.run('DELETE FROM cause WHERE dependent = ?', dependent),
      )
}
