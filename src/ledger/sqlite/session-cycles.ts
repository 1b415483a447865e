import type { Connection } from './statements.ts'

/*
 * `session_cycle` and `session_age` count what the append-only tables hold, cycle by cycle, so that the signals of a
 * session are read without reading the session again. `verify` counts anew from the same tables by the same SQL.
 */

export const COUNTERS = [
  'self_hits',
  'self_total',
  'external_hits',
  'external_total',
  'anchored_hits',
  'anchored_total',
  'queried_hits',
  'queried_total',
  'reported',
  'lagging',
  'recompacted',
  'inflated',
] as const

export type Counter = (typeof COUNTERS)[number]

const COUNT = `
  INSERT INTO session_cycle (session, cycle, ${COUNTERS.join(', ')})
  VALUES (?, ?, ${COUNTERS.map(() => '?').join(', ')})
  ON CONFLICT (session, cycle) DO UPDATE SET ${COUNTERS.map((c) => `${c} = ${c} + excluded.${c}`).join(', ')}`

export function count(
  connection: Connection,
  session: number,
  cycle: number,
  counts: { readonly [C in Counter]?: number },
): void {
  connection.run(COUNT, session, cycle, ...COUNTERS.map((counter) => counts[counter] ?? 0))
}

/**
 * Summaries of epochs that took the place of another with the same covers: the same logical span, compacted again.
 * Those without covers do not say what they stand for, and a summary brought back by `discardEpoch` has an earlier
 * epoch than what it follows.
 */
const REFERENCES = (summary: string) =>
  `(SELECT count(*) FROM dependency d WHERE d.dependent = ${summary} AND d.printed = 1)`
const COVERS = (summary: string) => `SELECT v.span FROM cover v WHERE v.summary = ${summary}`

export const RECOMPACTED = `
  SELECT n.session AS session, n.epoch AS epoch, n.span AS span,
    ${REFERENCES('o.span')} AS before, ${REFERENCES('n.span')} AS after
  FROM summary n CROSS JOIN lineage l ON l.new = n.span AND l.kind = 0
  CROSS JOIN summary o ON o.span = l.old AND o.epoch < n.epoch
  WHERE EXISTS (${COVERS('n.span')})
    AND NOT EXISTS (${COVERS('n.span')} EXCEPT ${COVERS('o.span')})
    AND NOT EXISTS (${COVERS('o.span')} EXCEPT ${COVERS('n.span')})`

/** How often the new epoch cites more than what it took the place of. */
export function countRecompacted(connection: Connection, session: number, epoch: number): void {
  const [recompacted, inflated] = connection.row<[number, number]>(
    `SELECT count(*), coalesce(sum(after > before), 0) FROM (${RECOMPACTED} AND n.session = ? AND n.epoch = ?)`,
    session,
    epoch,
  )!
  if (recompacted > 0) count(connection, session, epoch, { recompacted, inflated })
}
