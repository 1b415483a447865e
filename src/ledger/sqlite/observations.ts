import type { Probes, Purpose } from '../../core/compaction.ts'
import { isKey, type Key } from '../../core/key.ts'
import type { FetchResult, FetchStatus } from '../../core/model.ts'
import type { Observed, Rehydrations, Report, Snapshot } from '../../ports/sessions.ts'
import { atOnce } from '../../threads/turn.ts'
import { lastEpoch } from './interventions.ts'
import { fetchNow } from './read.ts'
import { count } from './session-cycles.ts'
import { type Connection, insertInto } from './statements.ts'

/*
 * The observation log. A batch of reads becomes one row for each way of reading, with its distinct keys in one string:
 * a row for each read would cost as much as the read.
 */

const STATUSES = ['ok', 'empty', 'tombstone', 'absent'] as const satisfies readonly FetchStatus[]
const PURPOSES = ['agent', 'gate', 'reconcile', 'compact'] as const satisfies readonly Purpose[]

export const KIND = { rehydration: 0, citation: 1, through: 2 } as const

/** How a read was answered elsewhere. 2: as a miss, though the key was live here. */
const REPORTED = { no: 0, yes: 1, lagging: 2 } as const

const KEY_LENGTH = 26

const INSERT_OBSERVATION = insertInto('observation', [
  'session',
  'cycle',
  'at',
  'kind',
  'status',
  'hit',
  'cited',
  'via',
  'purpose',
  'reported',
  'count',
  'through',
  'keys',
])
const INSERT_SNAPSHOT = insertInto('snapshot', [
  'session',
  'cycle',
  'at',
  'tokens',
  'duplicate',
  'foreign',
  'uncited',
  'keys',
])

export function keysIn(joined: string): Key[] {
  const keys: Key[] = []
  for (let at = 0; at < joined.length; at += KEY_LENGTH) keys.push(joined.slice(at, at + KEY_LENGTH) as Key)
  return keys
}

/** Keys of a summary that are read at a stretch. */
const PRINTED = 500

/** What a session prints in its summaries, and where its epochs lie: both only grow, so each is read on from its end. */
export class Trail {
  readonly #printed = new Set<string>()
  #summary = 0
  /** Positions of the epochs, from the first. */
  readonly #epochs: number[] = []

  refresh(connection: Connection, session: number): void {
    atOnce(this.refreshing(connection, session))
  }

  /** `refresh` in steps. Two at the same time learn the same: what both read is learnt once. */
  *refreshing(connection: Connection, session: number): Generator<void> {
    for (const [position] of connection.rows<[number]>(
      'SELECT position FROM epoch WHERE session = ? AND number > ? ORDER BY number',
      session,
      this.#epochs.length,
    ))
      this.#epochs.push(position)
    const last = this.#summary
    for (const [summary] of connection.rows<[number]>(
      `SELECT m.span FROM summary m WHERE ${last === 0 ? '' : '+'}m.session = ? AND m.span > ? ORDER BY m.span`,
      session,
      last,
    )) {
      yield
      for (let after = -1, rows: [number, string][] = []; ; after = rows.at(-1)![0]) {
        rows = connection.rows<[number, string]>(
          `SELECT d.support, s.key FROM dependency d CROSS JOIN span s ON s.id = d.support
           WHERE d.dependent = ? AND d.printed = 1 AND d.support > ? ORDER BY d.support LIMIT ${PRINTED}`,
          summary,
          after,
        )
        for (const [, key] of rows) this.#printed.add(key)
        if (rows.length < PRINTED) break
        yield
      }
      this.#summary = Math.max(this.#summary, summary)
    }
  }

  prints(key: string): boolean {
    return this.#printed.has(key)
  }

  /** The cycle in which a position of the collection lies: how many epochs ended before it. */
  cycleOf(position: number): number {
    let low = 0
    let high = this.#epochs.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#epochs[middle]! < position) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The position at which a cycle began. */
  beginning(cycle: number): number {
    return cycle <= 0 ? 0 : (this.#epochs[cycle - 1] ?? 0)
  }
}

export function writeObserved(
  connection: Connection,
  collection: number,
  session: number,
  trail: Trail,
  observed: Observed,
  at: number,
): void {
  const cycle = lastEpoch(connection, session)
  const write = (row: {
    kind: number
    status?: number
    hit?: boolean
    cited?: number
    via?: number
    purpose?: number
    reported?: number
    count: number
    through?: number
    keys: readonly string[]
  }) =>
    connection
      .prepare(INSERT_OBSERVATION)
      .run(
        session,
        cycle,
        at,
        row.kind,
        row.status ?? null,
        row.hit === undefined ? null : Number(row.hit),
        row.cited ?? null,
        row.via ?? null,
        row.purpose ?? null,
        row.reported ?? REPORTED.no,
        row.count,
        row.through ?? null,
        row.keys.join(''),
      )

  /** One way of reading; a key printed in a summary of the session was read by its anchor, whatever is said of it. */
  const rehydrated = (group: Rehydrations, reported: number) => {
    const anchored = { total: 0, distinct: [] as string[] }
    const queried = { total: 0, distinct: [] as string[] }
    group.keys.forEach((key, i) => {
      const by = !group.queried && trail.prints(key) ? anchored : queried
      by.total += group.times[i]!
      // What is no key is counted and not kept: it may be anything. What answers is one.
      if (by === anchored || group.status !== 'absent' || isKey(key)) by.distinct.push(key)
    })
    const byVia = [anchored, queried]
    byVia.forEach(({ total, distinct }, via) => {
      if (total === 0) return
      write({
        kind: KIND.rehydration,
        status: STATUSES.indexOf(group.status),
        hit: group.hit,
        cited: group.cited === 'self' ? 0 : 1,
        via,
        purpose: PURPOSES.indexOf(group.purpose),
        reported,
        count: total,
        keys: distinct,
      })
      const hits = group.hit ? total : 0
      const mine = group.purpose === 'agent'
      count(connection, session, cycle, {
        ...(via === 0
          ? { anchored_total: total, anchored_hits: hits }
          : { queried_total: total, queried_hits: hits }),
        ...(mine && group.cited === 'self' ? { self_total: total, self_hits: hits } : {}),
        ...(mine && group.cited === 'external' ? { external_total: total, external_hits: hits } : {}),
        ...(reported === REPORTED.no ? {} : { reported: total }),
        ...(reported === REPORTED.lagging ? { lagging: total } : {}),
      })
      if (mine && group.hit) countAges(connection, collection, session, cycle, trail, distinct)
    })
  }

  for (const group of observed.rehydrations) rehydrated(group, REPORTED.no)
  for (const [group, reported] of groupReports(connection, observed.reports)) rehydrated(group, reported)
  if (observed.citations.length > 0)
    write({
      kind: KIND.citation,
      count: observed.citations.length,
      keys: [...new Set(observed.citations.filter(isKey))],
    })
  for (const snapshot of observed.snapshots)
    connection
      .prepare(INSERT_SNAPSHOT)
      .run(
        session,
        cycle,
        at,
        snapshot.tokens,
        snapshot.duplicate,
        snapshot.foreign,
        snapshot.uncited,
        [...new Set(snapshot.cites)].join(''),
      )
  if (observed.through !== undefined)
    write({ kind: KIND.through, count: 1, through: observed.through, keys: [] })
}

/** What an agent was told elsewhere, beside what is so here. */
function groupReports(connection: Connection, reports: readonly Report[]): [Rehydrations, number][] {
  const groups = new Map<
    string,
    { group: Omit<Rehydrations, 'keys' | 'times'>; told: Map<string, number>; as: number }
  >()
  for (const { key, hit, cited } of reports) {
    const here = fetchNow(connection, key, undefined, Number.NEGATIVE_INFINITY) as FetchResult
    const lagging = !hit && here.status === 'ok'
    const id = `${hit} ${cited} ${here.status} ${lagging}`
    let found = groups.get(id)
    if (found === undefined) {
      const group = { status: here.status, hit, cited, purpose: 'agent', queried: false } as const
      found = { group, told: new Map(), as: lagging ? REPORTED.lagging : REPORTED.yes }
      groups.set(id, found)
    }
    found.told.set(key, (found.told.get(key) ?? 0) + 1)
  }
  return [...groups.values()].map(({ group, told, as }) => [
    { ...group, keys: [...told.keys()], times: [...told.values()] },
    as,
  ])
}

const COUNT_AGE = `${insertInto('session_age', ['session', 'cycle', 'born', 'count'])}
  ON CONFLICT (session, cycle, born) DO UPDATE SET count = count + excluded.count`

/** Spans of this collection alone: positions of another say nothing about the cycles of this session. */
function countAges(
  connection: Connection,
  collection: number,
  session: number,
  cycle: number,
  trail: Trail,
  keys: Iterable<string>,
): void {
  for (const [born, number] of agesOf(connection, collection, trail, keys))
    connection.prepare(COUNT_AGE).run(session, cycle, born, number)
}

/** A median needs no more of a batch, and looking keys up costs as much as reading them did. */
const SAMPLE = 256

/** How many of these spans, the first few of a batch, were written in which cycle. */
export function agesOf(
  connection: Connection,
  collection: number,
  trail: Trail,
  keys: Iterable<string>,
): Map<number, number> {
  const counts = new Map<number, number>()
  let left = SAMPLE
  for (const key of keys) {
    if (left-- === 0) break
    const position = connection.value<number>(
      'SELECT born FROM span WHERE key = ? AND collection = ? AND kind = 0',
      key,
      collection,
    )
    if (position === undefined) continue
    const born = trail.cycleOf(position)
    counts.set(born, (counts.get(born) ?? 0) + 1)
  }
  return counts
}

// ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Those of the keys that occur in the session's rows of this kind, with success where that is asked for. */
export function keysSeen(
  connection: Connection,
  session: number,
  kind: number,
  keys: readonly Key[],
  since = 0,
): Set<Key> {
  const seen = new Set<Key>()
  const wanted = new Set<Key>(keys)
  for (const [joined] of connection.rows<[string]>(
    `SELECT keys FROM observation WHERE session = ? AND kind = ? AND cycle >= ? AND coalesce(hit, 1) = 1`,
    session,
    kind,
    since,
  ))
    for (const key of keysIn(joined)) if (wanted.has(key)) seen.add(key)
  return seen
}

export function probesOf(connection: Connection, session: number): { anchored: Probes; queried: Probes } {
  const [anchored, anchoredOk, queried, queriedOk] = connection.row<[number, number, number, number]>(
    `SELECT coalesce(sum(anchored_total), 0), coalesce(sum(anchored_hits), 0), coalesce(sum(queried_total), 0),
       coalesce(sum(queried_hits), 0) FROM session_cycle WHERE session = ?`,
    session,
  )!
  return { anchored: { asked: anchored, ok: anchoredOk }, queried: { asked: queried, ok: queriedOk } }
}

export function lastSnapshot(connection: Connection, session: number, since: number): Snapshot | undefined {
  const row = connection.row<[number, number, number, number, number, string]>(
    'SELECT cycle, tokens, duplicate, "foreign", uncited, keys FROM snapshot WHERE session = ? ORDER BY id DESC LIMIT 1',
    session,
  )
  if (row === undefined || row[0] < since) return undefined
  const [, tokens, duplicate, foreign, uncited, keys] = row
  return { tokens, duplicate, foreign, uncited, cites: keysIn(keys) }
}
