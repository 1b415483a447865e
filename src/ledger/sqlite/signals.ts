import { ADVICE, DECISIONS, REGIMES, type Reading } from '../../core/compaction.ts'
import type { Key } from '../../core/key.ts'
import type { FetchResult } from '../../core/model.ts'
import type { SignalRows } from '../../ports/sessions.ts'
import { checkpointOf, freezeOf, INTERVENTION, markOf } from './interventions.ts'
import { liveSummaries } from './live-summaries.ts'
import { KIND, keysIn, lastSnapshot, type Trail } from './observations.ts'
import { fetchNow, NODE_BY_ID, type NodeRow, stateOf, summaryOf } from './read.ts'
import { RECOMPACTED } from './session-cycles.ts'
import { type Connection, insertInto } from './statements.ts'

/*
 * The signals of a session, from what is kept up to date with it: counters of a few cycles, the causes of its live
 * summaries, the last snapshot of its context. What lies before the last reconcile pass is settled and does not count.
 */

/**
 * Cited is what a text prints: what a summary stands on beside that makes it stale, and due. Hard causes are
 * dependencies that are no live text and have no `identical`.
 */
const UNRESOLVABLE = `
  SELECT DISTINCT s.key FROM json_each(?) l CROSS JOIN cause c ON c.dependent = l.value AND c.hard = 1
  CROSS JOIN dependency d ON d.support = c.support AND d.dependent = c.dependent AND d.printed = 1
  CROSS JOIN span s ON s.id = c.support`

const CITED_BIRTHS = `
  SELECT s.born FROM json_each(?) l CROSS JOIN dependency d ON d.dependent = l.value AND d.printed = 1
  CROSS JOIN span s ON s.id = d.support WHERE s.collection = ? AND s.kind = 0`

export function readSignals(
  connection: Connection,
  collection: number,
  session: number,
  trail: Trail,
  window: number,
): SignalRows {
  const mark = markOf(connection, session)
  const checkpoint = checkpointOf(connection, session)
  const freeze = freezeOf(connection, session)
  const from = Math.max(checkpoint, mark.epoch - window + 1)
  const [selfHits, self, externalHits, external, reported, lagging] = connection.row<
    [number, number, number, number, number, number]
  >(
    `SELECT coalesce(sum(self_hits), 0), coalesce(sum(self_total), 0), coalesce(sum(external_hits), 0),
       coalesce(sum(external_total), 0), coalesce(sum(reported), 0), coalesce(sum(lagging), 0)
     FROM session_cycle WHERE session = ? AND cycle >= ?`,
    session,
    from,
  )!
  const snapshot = lastSnapshot(connection, session, from)
  const through = lastThrough(connection, session, from)
  const summaries = liveSummaries(connection, session)
  const live = JSON.stringify(summaries)
  return {
    mark,
    ...(freeze === undefined ? {} : { freeze }),
    checkpoint,
    unresolvable: connection.rows<[Key]>(UNRESOLVABLE, live).map(([key]) => key),
    unresolvableForeign: (snapshot?.cites ?? []).filter((key) => !resolves(connection, key)),
    behind: citedBehind(connection, collection, session, live, through, from, lagging > 0),
    self: { asked: self, ok: selfHits },
    external: { asked: external, ok: externalHits },
    reported,
    lagging,
    beside: through !== undefined,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...recompactions(connection, session, checkpoint),
    rehydratedAges: rehydratedAges(connection, session, from, mark.epoch),
    rehydratedBefore: rehydratedAges(connection, session, Math.max(checkpoint, from - window), from - 1),
    citedAges: citedAges(connection, collection, live, trail, mark.epoch),
    earlier: readReadings(connection, session, Math.max(checkpoint, from - window), 1000),
    due: dueOf(connection, summaries),
  }
}

function dueOf(connection: Connection, summaries: readonly number[]): SignalRows['due'] {
  return summaries
    .filter((id) => connection.rowOf('SELECT 1 FROM cause WHERE dependent = ? LIMIT 1', id) !== undefined)
    .map((id) => summaryOf(connection, connection.row<NodeRow>(NODE_BY_ID, id)!, stateOf(connection, id)))
}

function lastThrough(connection: Connection, session: number, from: number): number | undefined {
  return connection.value<number>(
    `SELECT through FROM observation WHERE session = ? AND cycle >= ? AND kind = ${KIND.through} ORDER BY id DESC LIMIT 1`,
    session,
    from,
  )
}

function resolves(connection: Connection, key: Key): boolean {
  const result = fetchNow(connection, key, undefined, Number.NEGATIVE_INFINITY) as FetchResult
  return result.status === 'ok' || (result.status === 'tombstone' && result.tombstone.identical !== undefined)
}

/** Cited and live, but not yet in the index that the agent reads from: younger than it has read, or missed by it. */
function citedBehind(
  connection: Connection,
  collection: number,
  session: number,
  live: string,
  through: number | undefined,
  from: number,
  lagging: boolean,
): Key[] {
  const behind = new Set<Key>()
  if (through !== undefined)
    for (const [key] of connection.rows<[Key]>(
      `SELECT DISTINCT s.key FROM json_each(?) l CROSS JOIN dependency d ON d.dependent = l.value AND d.printed = 1
       CROSS JOIN span s ON s.id = d.support WHERE s.collection = ? AND s.kind = 0 AND s.born > ?`,
      live,
      collection,
      through,
    ))
      behind.add(key)
  if (lagging)
    for (const [joined] of connection.rows<[string]>(
      `SELECT keys FROM observation WHERE session = ?1 AND cycle >= ?2 AND reported = 2 AND cited = 0
       AND cycle = (SELECT max(cycle) FROM observation WHERE session = ?1 AND reported > 0)`,
      session,
      from,
    ))
      for (const key of keysIn(joined)) behind.add(key)
  return [...behind]
}

function recompactions(
  connection: Connection,
  session: number,
  checkpoint: number,
): Pick<SignalRows, 'recompacted' | 'inflated'> {
  const discarded = `SELECT i.epoch FROM intervention i WHERE i.session = ?1 AND i.kind = ${INTERVENTION.discarded}`
  const [recompacted, inflated] = connection.row<[number, number]>(
    `SELECT coalesce(sum(recompacted), 0), coalesce(sum(inflated), 0) FROM session_cycle
     WHERE session = ?1 AND cycle > ?2 AND cycle NOT IN (${discarded})`,
    session,
    checkpoint,
  )!
  if (inflated === 0) return { recompacted, inflated: [] }
  const rows = connection.rows<[Key, number, number]>(
    `SELECT s.key, r.before, r.after FROM (${RECOMPACTED} AND n.session = ?1 AND n.epoch > ?2) r
     CROSS JOIN span s ON s.id = r.span WHERE r.after > r.before AND r.epoch NOT IN (${discarded})`,
    session,
    checkpoint,
  )
  return { recompacted, inflated: rows.map(([key, before, after]) => ({ key, before, after })) }
}

function rehydratedAges(
  connection: Connection,
  session: number,
  from: number,
  to: number,
): Map<number, number> {
  return new Map(
    connection.rows<[number, number]>(
      `SELECT cycle - born AS age, sum(count) FROM session_age WHERE session = ? AND cycle BETWEEN ? AND ? GROUP BY age`,
      session,
      from,
      to,
    ),
  )
}

function citedAges(
  connection: Connection,
  collection: number,
  live: string,
  trail: Trail,
  cycle: number,
): Map<number, number> {
  const ages = new Map<number, number>()
  for (const [born] of connection.rows<[number]>(CITED_BIRTHS, live, collection)) {
    const age = cycle - trail.cycleOf(born)
    ages.set(age, (ages.get(age) ?? 0) + 1)
  }
  return ages
}

// ── readings ────────────────────────────────────────────────────────────────────────────────────────────────

const READING_COLUMNS = [
  'session',
  'cycle',
  'at',
  'regime',
  'decision',
  'advice',
  'elevated',
  'overhang',
  'self_rate',
  'external_rate',
  'density',
  'inflated',
  'rehydrated_age',
  'cited_age',
] as const

const INSERT_READING = insertInto('reading', READING_COLUMNS)

export function writeReading(connection: Connection, session: number, reading: Reading): void {
  connection.prepare(INSERT_READING).run(
    session,
    reading.cycle,
    reading.at,
    REGIMES.indexOf(reading.regime),
    DECISIONS.indexOf(reading.decision),
    ADVICE.indexOf(reading.advice),
    reading.elevated.reduce((bits, signal) => bits | (1 << (signal - 1)), 0),
    reading.overhang ?? null,
    reading.selfCitedHitRate ?? null,
    reading.externalCitedHitRate ?? null,
    reading.duplicateDensity ?? null,
    reading.inflated ?? null,
    reading.rehydratedAge ?? null,
    reading.citedAge ?? null,
  )
}

type ReadingRow = [
  cycle: number,
  at: number,
  regime: number,
  decision: number,
  advice: number,
  elevated: number,
  ...numbers: (number | null)[],
]

const NUMBERS = [
  'overhang',
  'selfCitedHitRate',
  'externalCitedHitRate',
  'duplicateDensity',
  'inflated',
  'rehydratedAge',
  'citedAge',
] as const satisfies readonly (keyof Reading)[]

/** The last `limit` readings of cycles from `since` on, oldest first. */
export function readReadings(
  connection: Connection,
  session: number,
  since: number,
  limit: number,
): Reading[] {
  return connection
    .rows<ReadingRow>(
      `SELECT ${READING_COLUMNS.slice(1).join(', ')} FROM reading WHERE session = ? AND cycle >= ? ORDER BY id DESC LIMIT ?`,
      session,
      since,
      limit,
    )
    .reverse()
    .map(([cycle, at, regime, decision, advice, elevated, ...numbers]) => ({
      cycle,
      at,
      regime: REGIMES[regime]!,
      decision: DECISIONS[decision]!,
      advice: ADVICE[advice]!,
      elevated: [1, 2, 3, 4, 5].filter((signal) => elevated & (1 << (signal - 1))),
      ...Object.fromEntries(NUMBERS.flatMap((name, i) => (numbers[i] == null ? [] : [[name, numbers[i]]]))),
    }))
}
