import { frozenError } from '../../core/compaction.ts'
import { SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { FetchResult } from '../../core/model.ts'
import type {
  Reconcilable,
  ReconcileCommand,
  Reconciled,
  Reconciliation,
  RegisterCommand,
} from '../../ports/sessions.ts'
import { atOnce } from '../../threads/turn.ts'
import type { Commit } from './commit.ts'
import {
  checkpointOf,
  freezeOf,
  INTERVENTION,
  markOf,
  sessionId,
  writeIntervention,
} from './interventions.ts'
import { KIND, keysIn } from './observations.ts'
import { fetchNow } from './read.ts'
import { discardSummary } from './retire.ts'
import type { Connection } from './statements.ts'
import { listingSummaries, listSummaries, liveIds, refuseMoved, writeEpoch } from './summaries.ts'

const present = (connection: Connection, key: Key): FetchResult =>
  fetchNow(connection, key, undefined, Number.NEGATIVE_INFINITY) as FetchResult

/** Everything a reconcile pass is decided on, as one snapshot. */
export function* readReconciliation(
  connection: Connection,
  collection: number,
  name: string,
  session: number,
): Generator<void, Reconciliation> {
  const freeze = freezeOf(connection, session)
  const live = yield* listingSummaries(connection, collection, name, 'live')
  const broken = live.filter(({ state }) => state !== 'current')
  const summaries: Reconcilable[] = []
  for (const summary of broken) {
    yield
    const lacking = new Set(summary.causes.map(({ key }) => key))
    const printed = printedIn(connection, summary.key)
    const standings: Reconcilable['standings'][number][] = []
    for (const key of summary.dependsOn) {
      standings.push({
        key,
        printed: printed.has(key),
        result: present(connection, key),
        satisfied: !lacking.has(key),
        live: liveEnds(connection, key),
      })
      yield
    }
    const covers = new Set<Key>()
    for (const key of summary.covers) {
      for (const end of liveEnds(connection, key)) covers.add(end.key)
      yield
    }
    summaries.push({ summary, standings, covers: [...covers] })
  }
  const fingerprint = yield* fingerprintOf(connection, session)
  const citations = yield* unresolvedCitations(connection, session)
  return {
    mark: markOf(connection, session),
    ...(freeze === undefined ? {} : { freeze }),
    basedOn: new Map(
      connection.rows<[string, number]>(
        'SELECT c.key, h.position FROM collection c CROSS JOIN collection_head h ON h.collection = c.id',
      ),
    ),
    fingerprint,
    summaries,
    cited: [...new Set(live.flatMap(({ dependsOn }) => dependsOn))],
    citations,
  }
}

const printedIn = (connection: Connection, summary: Key): ReadonlySet<Key> =>
  new Set(
    connection
      .rows<[Key]>(
        `SELECT s.key FROM span m CROSS JOIN dependency d ON d.dependent = m.id AND d.printed = 1
         CROSS JOIN span s ON s.id = d.support WHERE m.key = ?`,
        summary,
      )
      .map(([key]) => key),
  )

/** The live texts that stand for a key now: itself, its `identical`, or the live ends of its successors. */
function liveEnds(connection: Connection, key: Key): FetchResult[] {
  const ends = new Map<Key, FetchResult>()
  const seen = new Set<Key>()
  const visit = (at: Key) => {
    if (seen.has(at)) return
    seen.add(at)
    const result = present(connection, at)
    if (result.status === 'ok') ends.set(at, result)
    if (result.status !== 'tombstone') return
    const { identical, successors } = result.tombstone
    for (const next of identical === undefined ? successors : [identical]) visit(next)
  }
  visit(key)
  return [...ends.values()]
}

/** The live summaries of a session and all they lack, in one string; in steps. */
function* fingerprintOf(connection: Connection, session: number): Generator<void, string> {
  const parts: string[] = []
  for (const id of yield* liveIds(connection, session, '')) {
    const causes = connection.value<string | null>(
      "SELECT group_concat(c.support || '.' || c.hard) FROM (SELECT support, hard FROM cause WHERE dependent = ? ORDER BY support) c",
      id,
    )
    parts.push(`${id}${causes ?? ''}`)
    yield
  }
  return parts.join(';')
}

/** What the agent cited in its own words since the last pass and could not be read now; in steps. */
function* unresolvedCitations(connection: Connection, session: number): Generator<void, FetchResult[]> {
  const keys = new Set<Key>()
  for (const [joined] of connection.rows<[string]>(
    `SELECT keys FROM observation WHERE session = ? AND kind = ${KIND.citation} AND cycle >= ?`,
    session,
    checkpointOf(connection, session),
  ))
    for (const key of keysIn(joined)) keys.add(key)
  const unresolved: FetchResult[] = []
  for (const key of keys) {
    const result = present(connection, key)
    if (
      result.status !== 'ok' &&
      !(result.status === 'tombstone' && result.tombstone.identical !== undefined)
    )
      unresolved.push(result)
    yield
  }
  return unresolved
}

/**
 * Writes a reconcile pass: one epoch, and the end of the freeze where there was one. Refused whole where anything it
 * was decided on has changed, and where a live summary of the session would not be current afterwards.
 */
export function writeReconciled(
  commit: Commit,
  collection: number,
  name: string,
  command: ReconcileCommand,
): Reconciled {
  const { connection } = commit
  const session = sessionId(connection, collection, name)
  const mark = markOf(connection, session)
  const freeze = freezeOf(connection, session)
  if (freeze?.decision === 'freeze_and_rollback' && !freeze.discarded) throw frozenError(name, freeze)
  if (
    mark.epoch !== command.mark.epoch ||
    mark.interventions !== command.mark.interventions ||
    atOnce(fingerprintOf(connection, session)) !== command.fingerprint
  )
    throw new SpanStoreError(
      'INPUTS_MOVED',
      `the summaries of session ${JSON.stringify(name)}, or what they stand on, changed while they were reconciled; nothing was written, reconcile again`,
      { keys: command.rewrites.map(({ key }) => key) },
    )
  for (const { summary } of command.rewrites)
    refuseMoved(connection, { ...summary, basedOn: command.basedOn })
  for (const key of command.withdrawn) {
    const id = connection.value<number>(
      `SELECT m.span FROM summary m CROSS JOIN span s ON s.id = m.span WHERE s.key = ? AND m.session = ?
       AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span)`,
      key,
      session,
    )
    if (id === undefined)
      throw new SpanStoreError(
        'KEY_NOT_LIVE',
        `withdrawn: ${key} is no live summary of session ${JSON.stringify(name)}`,
        { keys: [{ key, status: 'absent' }] },
      )
    discardSummary(commit, collection, id)
  }
  const renamed = new Map<Key, Key>()
  const registered = writeEpoch(commit, collection, session, function* (written) {
    for (const [i, { key, summary }] of command.rewrites.entries()) {
      yield renameAnchors(summary, renamed, key)
      renamed.set(key, written[i]!)
    }
  })
  refuseUnreconciled(connection, collection, name)
  if (freeze !== undefined)
    commit.event(collection, 'session.resumed', { data: JSON.stringify({ session: name }) })
  const position = commit.position(collection)
  writeIntervention(commit, session, INTERVENTION.reconciled, position)
  return { ...registered, position, resumed: freeze !== undefined }
}

/** What cites a summary that was rewritten just before cites the new one. */
function renameAnchors(
  summary: RegisterCommand,
  renamed: ReadonlyMap<Key, Key>,
  replaces: Key,
): RegisterCommand {
  const now = (key: Key) => renamed.get(key) ?? key
  const inText = (text: string) =>
    text.replace(/\[\[([^[\]]*)\]\]/g, (whole, key: Key) => (renamed.has(key) ? `[[${now(key)}]]` : whole))
  return {
    ...summary,
    text: inText(summary.text),
    claims: summary.claims.map((claim) => ({ ...claim, text: inText(claim.text) })),
    dependsOn: [...new Map(summary.dependsOn.map((d) => [now(d.key), { ...d, key: now(d.key) }])).values()],
    covers: [...new Set(summary.covers.map(now))],
    replaces: [replaces],
    basedOn: undefined,
  }
}

function refuseUnreconciled(connection: Connection, collection: number, name: string): void {
  const broken = listSummaries(connection, collection, name, 'notCurrent')
  if (broken.length === 0) return
  throw new SpanStoreError(
    'DEPENDENCY_UNSATISFIED',
    `session ${JSON.stringify(name)} is not reconciled: ${broken.map(({ key }) => key).join(', ')} would still stand on what does not resolve; rewrite or withdraw them in the same pass`,
    {
      dependencies: broken.flatMap(({ causes }) =>
        causes.map(({ key, status, successors }) => ({
          key,
          status,
          ...(successors === undefined ? {} : { successors }),
        })),
      ),
    },
  )
}
