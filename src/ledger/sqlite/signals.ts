import { ADVICE, DECISIONS, REGIMES, type Reading } from '../../core/compaction.ts'
import type { Key } from '../../core/key.ts'
import type { FetchResult } from '../../core/model.ts'
import type { SignalRows } from '../../ports/sessions.ts'
import { checkpointOf, freezeOf, INTERVENTION, markOf } from './interventions.ts'
import { liveSummaries } from './live-summaries.ts'
import { KIND, keysIn, lastSnapshot, type Trail } from './observations.ts'
import { fetchNow, NODE_BY_ID, type NodeRow, readingSummary, stateOf } from './read.ts'
import { RECOMPACTED } from './session-cycles.ts'
import { type Connection, insertInto } from './statements.ts'

/*
 * The signals of a session, from what is kept up to date with it: counters of a few cycles, the causes of its live
 * summaries, the last snapshot of its context. What lies before the last reconcile pass is settled and does not count.
 */

/** All there is to know, in steps. */
export function* readingSignals(
  connection: Connection,
  collection: number,
  session: number,
  trail: Trail,
  window: number,
): Generator<void, SignalRows> {
  yield* trail.refreshing(connection, session)
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
  yield
  const unresolvableForeign: Key[] = []
  for (const key of snapshot?.cites ?? []) {
    if (!resolves(connection, key)) unresolvableForeign.push(key)
    yield
  }
  const cited = yield* readingCited(connection, collection, summaries, trail, mark.epoch, through)
  const rehydratedSince = rehydratedAges(connection, session, from, mark.epoch)
  const rehydratedBefore = rehydratedAges(connection, session, Math.max(checkpoint, from - window), from - 1)
  yield
  return {
    mark,
    ...(freeze === undefined ? {} : { freeze }),
    checkpoint,
    unresolvable: cited.unresolvable,
    unresolvableForeign,
    behind: [...new Set([...cited.behind, ...(lagging > 0 ? missedBehind(connection, session, from) : [])])],
    self: { asked: self, ok: selfHits },
    external: { asked: external, ok: externalHits },
    reported,
    lagging,
    beside: through !== undefined,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...recompactions(connection, session, checkpoint),
    rehydratedAges: rehydratedSince,
    rehydratedBefore,
    citedAges: cited.ages,
    earlier: readReadings(connection, session, Math.max(checkpoint, from - window), 1000),
    due: yield* readingDue(connection, summaries),
  }
}

/** Keys of a summary that are looked at in one step. */
const CITED = 256

/**
 * What the live summaries print. Cited is what a text prints: what a summary stands on beside that makes it stale, and
 * due. Hard causes are dependencies that are no live text and have no `identical`. Behind is what is cited and live, but
 * not yet in the index that the agent reads from: younger than it has read.
 */
function* readingCited(
  connection: Connection,
  collection: number,
  summaries: readonly number[],
  trail: Trail,
  cycle: number,
  through: number | undefined,
) {
  const unresolvable = new Set<Key>()
  const behind = new Set<Key>()
  const ages = new Map<number, number>()
  for (const summary of summaries) {
    for (let after = -1; ; ) {
      yield
      const rows = connection.rows<[number, Key, number, number, number]>(
        `SELECT d.support, s.key, s.born, s.collection = ? AND s.kind = 0,
           EXISTS (SELECT 1 FROM cause c WHERE c.dependent = d.dependent AND c.support = d.support AND c.hard = 1)
         FROM dependency d CROSS JOIN span s ON s.id = d.support
         WHERE d.dependent = ? AND d.support > ? AND d.printed = 1 ORDER BY d.support LIMIT ${CITED}`,
        collection,
        summary,
        after,
      )
      for (const [, key, born, own, hard] of rows) {
        if (hard === 1) unresolvable.add(key)
        if (own === 0) continue
        const age = cycle - trail.cycleOf(born)
        ages.set(age, (ages.get(age) ?? 0) + 1)
        if (through !== undefined && born > through) behind.add(key)
      }
      if (rows.length < CITED) break
      after = rows.at(-1)![0]
    }
  }
  return { unresolvable: [...unresolvable], behind: [...behind], ages }
}

function* readingDue(
  connection: Connection,
  summaries: readonly number[],
): Generator<void, SignalRows['due']> {
  const due: SignalRows['due'][number][] = []
  for (const id of summaries) {
    yield
    if (connection.rowOf('SELECT 1 FROM cause WHERE dependent = ? LIMIT 1', id) === undefined) continue
    due.push(
      yield* readingSummary(connection, connection.row<NodeRow>(NODE_BY_ID, id)!, stateOf(connection, id)),
    )
  }
  return due
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

/** What the agent was told is missing in the last cycle in which it was told anything, though it is live. */
function missedBehind(connection: Connection, session: number, from: number): Key[] {
  return connection
    .rows<[string]>(
      `SELECT keys FROM observation WHERE session = ?1 AND cycle >= ?2 AND reported = 2 AND cited = 0
       AND cycle = (SELECT max(cycle) FROM observation WHERE session = ?1 AND reported > 0)`,
      session,
      from,
    )
    .flatMap(([joined]) => keysIn(joined))
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
