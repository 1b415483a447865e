import { anchorSequence } from '../../core/anchors.ts'
import { encodeCursor, invalidCursor } from '../../core/cursor.ts'
import { type ErrorDetail, SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { FetchResult, Summary } from '../../core/model.ts'
import type { RegisterCommand, Registered } from '../../ports/sessions.ts'
import { atOnce } from '../../threads/turn.ts'
import type { Commit } from './commit.ts'
import { identicalOf, settleIdentical } from './identical.ts'
import { lastEpoch, refuseFrozen, sessionId } from './interventions.ts'
import { propagate } from './propagate.ts'
import { causesOf, fetchNow, NODE_BY_ID, type NodeRow, readingSummary, stateOf } from './read.ts'
import { countRecompacted } from './session-cycles.ts'
import { type Connection, insertInto } from './statements.ts'

const INSERT_SUMMARY = insertInto('summary', ['span', 'session', 'epoch', 'chain', 'class', 'completeness'])
const INSERT_CLAIM = insertInto('claim', ['summary', 'ordinal', 'text', 'derivable', 'unverified'])
const INSERT_DEPENDENCY = insertInto('dependency', ['support', 'dependent', 'printed', 'foreign'])
const INSERT_COVER = insertInto('cover', ['span', 'summary'])
const INSERT_WATCHED = `${insertInto('watched', ['source', 'hash', 'span'])} ON CONFLICT DO NOTHING`

interface Support {
  readonly id: number
  readonly collection: number
  readonly source: number | null
  readonly hash: string | null
  readonly dead: boolean
  readonly printed: boolean
}

/** One call is one epoch, however many summaries. @throws SESSION_FROZEN */
export function writeSummaries(
  commit: Commit,
  collection: number,
  sessionName: string,
  commands: readonly RegisterCommand[],
): Registered {
  const session = sessionId(commit.connection, collection, sessionName)
  refuseFrozen(commit.connection, session, sessionName)
  return writeEpoch(commit, collection, session, function* () {
    yield* commands
  })
}

/** The commands come one by one, so that a later one may cite the key an earlier one was given. */
export function writeEpoch(
  commit: Commit,
  collection: number,
  session: number,
  commands: (written: readonly Key[]) => Iterable<RegisterCommand>,
): Registered {
  const { connection } = commit
  const epoch = 1 + lastEpoch(connection, session)
  const keys: Key[] = []
  for (const command of commands(keys)) keys.push(writeSummary(commit, collection, session, epoch, command))
  connection
    .prepare(insertInto('epoch', ['session', 'number', 'position', 'at']))
    .run(session, epoch, commit.position(collection), commit.at)
  countRecompacted(connection, session, epoch)
  const stale = propagate(commit)
  refuseBornStale(connection, keys)
  return { epoch, keys, position: commit.position(collection), stale }
}

/** One summary of an epoch may retire what another stands on: seen only once all of them are written. */
function refuseBornStale(connection: Connection, keys: readonly Key[]): void {
  const lacking = new Map<Key, Unsatisfied>()
  for (const key of keys) {
    const id = connection.value<number>('SELECT id FROM span WHERE key = ?', key)!
    for (const cause of causesOf(connection, id))
      lacking.set(cause.key, {
        key: cause.key,
        status: cause.status,
        ...(cause.successors === undefined ? {} : { successors: cause.successors }),
      })
  }
  if (lacking.size > 0) throw unsatisfied([...lacking.values()])
}

function writeSummary(
  commit: Commit,
  collection: number,
  session: number,
  epoch: number,
  command: RegisterCommand,
): Key {
  const { connection } = commit
  refuseMoved(connection, command)
  const supports = command.dependsOn.map(({ key, printed }) => ({
    key,
    ...findSupport(connection, key),
    printed,
  }))
  refuseUnsatisfied(connection, commit, command)
  const covered = command.covers.map((key) => findSupport(connection, key).id)
  const replaced = command.replaces.map((key) => findReplaced(connection, session, key))
  for (const old of replaced) refuseCycle(connection, old, supports)

  const node = commit.addSummary(collection, {
    text: command.text,
    hash: command.skeleton,
    epoch,
    replaces: replaced[0]?.id ?? null,
  })
  const chain = replaced[0]?.chain ?? node.id
  const equal = lastEqual(connection, replaced, command)
  connection
    .prepare(INSERT_SUMMARY)
    .run(node.id, session, epoch, chain, equal ?? node.id, command.completeness ?? null)
  command.claims.forEach(({ text, derivable, unverified }, i) => {
    connection.prepare(INSERT_CLAIM).run(node.id, i, text, derivable ? 1 : 0, unverified ? 1 : 0)
  })
  for (const support of supports) {
    const foreign = support.collection === collection ? null : support.collection
    connection.prepare(INSERT_DEPENDENCY).run(support.id, node.id, support.printed ? 1 : 0, foreign)
    if (support.source !== null && support.hash !== null)
      connection.prepare(INSERT_WATCHED).run(support.source, support.hash, support.id)
    // It was satisfied a moment ago, so this only records through what.
    if (support.dead) settleIdentical(commit, [support.id])
  }
  for (const span of covered) connection.prepare(INSERT_COVER).run(span, node.id)
  for (const old of replaced) supersede(commit, collection, old.id, node.id)
  if (equal !== undefined) settleClass(commit, equal, node.id)
  return node.key
}

/** A new summary says the same as those of its class: they may be `identical` to it now. */
export function settleClass(commit: Commit, equal: number, newest: number): void {
  const sayTheSame = commit.connection.rows<[number]>(
    // One that an epoch gave back when it was discarded may still live beside it: that is no tombstone.
    `SELECT m.span FROM summary m WHERE m.class = ? AND m.span <> ?
     AND EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span)
     AND EXISTS (SELECT 1 FROM dependency d WHERE d.support = m.span)`,
    equal,
    newest,
  )
  settleIdentical(
    commit,
    sayTheSame.map(([span]) => span),
  )
}

function findSupport(connection: Connection, key: Key): Omit<Support, 'printed'> {
  const row = connection.row<[number, number, number | null, string | null, number]>(
    `SELECT s.id, s.collection, s.source, s.hash, EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)
     FROM span s WHERE s.key = ?`,
    key,
  )
  if (row === undefined) throw unsatisfied([{ key, status: 'absent' }])
  return { id: row[0], collection: row[1], source: row[2], hash: row[3], dead: row[4] === 1 }
}

export type Unsatisfied = ErrorDetail['DEPENDENCY_UNSATISFIED']['dependencies'][number]

const unsatisfied = (dependencies: readonly Unsatisfied[]) =>
  new SpanStoreError(
    'DEPENDENCY_UNSATISFIED',
    `a summary cannot be born stale: ${dependencies
      .map(
        ({ key, status, successors }) =>
          `${key} is ${status}${successors?.length ? ` (continue from ${successors.join(', ')})` : ''}`,
      )
      .join('; ')}. Rewrite it from keys that are live`,
    { dependencies },
  )

/** Absent, empty, retired without `identical`, or a summary that is not current: not to be depended on. */
function refuseUnsatisfied(connection: Connection, commit: Commit, command: RegisterCommand): void {
  const refused: Unsatisfied[] = []
  for (const key of new Set([...command.dependsOn.map((d) => d.key), ...command.covers])) {
    const result = fetchNow(connection, key, undefined, Number.NEGATIVE_INFINITY)
    const reason = result === 'due' ? undefined : whyUnsatisfied(connection, commit, result)
    if (reason !== undefined) refused.push(reason)
  }
  if (refused.length > 0) throw unsatisfied(refused)
}

export function whyUnsatisfied(
  connection: Connection,
  commit: Commit,
  result: FetchResult,
): Unsatisfied | undefined {
  const { key } = result
  switch (result.status) {
    case 'ok':
      return result.kind === 'summary' && result.span.state !== 'current'
        ? { key, status: 'stale' }
        : undefined
    case 'empty':
      return { key, status: 'empty' }
    case 'absent':
      return { key, status: 'absent' }
    case 'tombstone': {
      const { identical, successors } = result.tombstone
      if (identical === undefined) return { key, status: 'tombstone', successors }
      const target = fetchNow(connection, identical, undefined, Number.NEGATIVE_INFINITY)
      if (target === 'due') return undefined
      return whyUnsatisfied(connection, commit, target) === undefined
        ? undefined
        : { key, status: 'tombstone', successors }
    }
  }
}

/** An input that was retired, or of which a summary went stale, after the summarizer read it. */
export function refuseMoved(connection: Connection, command: RegisterCommand): void {
  if (command.basedOn === undefined) return
  requireReached(connection, command.basedOn)
  const moved: Key[] = []
  for (const key of new Set([...command.dependsOn.map((d) => d.key), ...command.covers])) {
    const row = connection.row<[number, string, number, number | null, number | null]>(
      `SELECT s.id, c.key, s.born, t.position, h.dropped FROM span s CROSS JOIN collection c ON c.id = s.collection
       CROSS JOIN collection_head h ON h.collection = c.id LEFT JOIN tombstone t ON t.span = s.id WHERE s.key = ?`,
      key,
    )
    if (row === undefined) continue
    const [id, collection, born, retired, dropped] = row
    const read = command.basedOn.get(collection)
    if (read === undefined) continue
    const left = retired ?? dropped
    const broughtBack = retired !== null && dropped === null && identicalOf(connection, id) !== undefined
    if (born > read || (left !== null && left > read && !broughtBack)) moved.push(key)
  }
  if (moved.length === 0) return
  throw new SpanStoreError(
    'INPUTS_MOVED',
    `inputs changed after they were read: ${moved.join(', ')}. Read them again and summarize anew`,
    { keys: moved },
  )
}

/** Nothing could ever have moved since a position that is yet to come, or since one of another store. */
function requireReached(connection: Connection, basedOn: ReadonlyMap<string, number>): void {
  for (const [id, position] of basedOn) {
    const latest = connection.value<number>(
      'SELECT h.position FROM collection c CROSS JOIN collection_head h ON h.collection = c.id WHERE c.key = ?',
      id,
    )
    if (latest === undefined)
      throw invalidCursor(encodeCursor(basedOn), `it names collection ${id}, which is not of this store`)
    if (position > latest)
      throw new SpanStoreError(
        'POSITION_UNKNOWN',
        `basedOn: collection ${id} has no position ${position} yet, its latest is ${latest}; give the one it had when the inputs were read`,
        { position, latest },
      )
  }
}

interface Replaced {
  readonly id: number
  readonly key: Key
  readonly chain: number
}

function findReplaced(connection: Connection, session: number, key: Key): Replaced {
  const row = connection.row<[number, number, number]>(
    `SELECT m.span, m.chain, EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span)
     FROM summary m CROSS JOIN span s ON s.id = m.span WHERE s.key = ? AND m.session = ?`,
    key,
    session,
  )
  if (row !== undefined && row[2] === 0) return { id: row[0], key, chain: row[1] }
  throw new SpanStoreError(
    'KEY_NOT_LIVE',
    `replaces: ${key} is ${row === undefined ? 'no summary of this session' : 'a tombstone already'}; name a live summary of the same session`,
    { keys: [{ key, status: row === undefined ? 'absent' : 'tombstone' }] },
  )
}

/** A replacement that stands, at any depth, on what it replaces would hold itself up. */
function refuseCycle(
  connection: Connection,
  replaced: Replaced,
  supports: readonly (Support & { key: Key })[],
): void {
  // Upwards from what is replaced, through dependents and through tombstones it stands in for.
  const above = new Set<number>([replaced.id])
  const queue = [replaced.id]
  for (let node = queue.pop(); node !== undefined; node = queue.pop())
    for (const [next] of connection.rows<[number]>(
      'SELECT dependent FROM dependency WHERE support = ?1 UNION SELECT span FROM identical WHERE target = ?1',
      node,
    ))
      if (!above.has(next)) {
        above.add(next)
        queue.push(next)
      }
  const through = supports.find(
    ({ id, dead }) => above.has(id) || (dead && above.has(identicalOf(connection, id) ?? -1)),
  )
  if (through === undefined) return
  throw new SpanStoreError(
    'CYCLE',
    `the replacement depends on ${through.key}, which stands on ${replaced.key}, which it replaces; summarize from below it`,
    { replaces: replaced.key, through: through.key },
  )
}

/** The class of the newest predecessor that says the same: equal skeleton and claims, related anchors. */
function lastEqual(
  connection: Connection,
  replaced: readonly Replaced[],
  command: RegisterCommand,
): number | undefined {
  if (replaced.length === 0) return undefined
  const candidates = connection.rows<[number, string]>(
    `WITH RECURSIVE before (id) AS (
       SELECT value FROM json_each(?1)
       UNION SELECT l.old FROM before b CROSS JOIN lineage l ON l.new = b.id)
     SELECT m.class, s.text FROM before b CROSS JOIN span s ON s.id = b.id CROSS JOIN summary m ON m.span = s.id
     WHERE s.hash = ?2 ORDER BY s.id DESC`,
    JSON.stringify(replaced.map(({ id }) => id)),
    command.skeleton,
  )
  const after = anchorSequence(command.text)
  return candidates.find(([, text]) => {
    const before = anchorSequence(text)
    return before.length === after.length && before.every((key, i) => sameAnchor(connection, key, after[i]!))
  })?.[0]
}

function sameAnchor(connection: Connection, before: Key, after: Key): boolean {
  if (before === after) return true
  const result = fetchNow(connection, before, undefined, Number.NEGATIVE_INFINITY)
  if (result !== 'due' && result.status === 'tombstone' && result.tombstone.identical === after) return true
  return (
    connection.value(
      `WITH RECURSIVE descendant (id) AS (
         SELECT l.new FROM lineage l JOIN span s ON s.id = l.old WHERE s.key = ?1
         UNION SELECT l.new FROM descendant d JOIN lineage l ON l.old = d.id)
       SELECT 1 FROM descendant d JOIN span s ON s.id = d.id WHERE s.key = ?2 LIMIT 1`,
      before,
      after,
    ) !== undefined
  )
}

function supersede(commit: Commit, collection: number, old: number, replacement: number): void {
  const { connection } = commit
  const position = commit.event(collection, 'summary.superseded', { node: old, other: replacement })
  commit.retireSummary(old, 'superseded', position)
  commit.link(old, replacement, 0, 0)
  const pointing = connection
    .rows<[number]>('SELECT span FROM identical WHERE target = ?', old)
    .map(([span]) => span)
  if (connection.value('SELECT 1 FROM dependency WHERE support = ? LIMIT 1', old) !== undefined)
    pointing.push(old)
  settleIdentical(commit, pointing)
}

// ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────

export const listSummaries = (
  connection: Connection,
  collection: number,
  session: string,
  which: 'live' | 'notCurrent',
): Summary[] => atOnce(listingSummaries(connection, collection, session, which))

/** `listSummaries` in steps. */
export function* listingSummaries(
  connection: Connection,
  collection: number,
  session: string,
  which: 'live' | 'notCurrent',
): Generator<void, Summary[]> {
  const known = connection.value<number>(
    `SELECT n.id FROM session n CROSS JOIN collection_head h ON h.collection = n.collection
     WHERE n.collection = ? AND n.name = ? AND h.dropped IS NULL`,
    collection,
    session,
  )
  const summaries: Summary[] = []
  if (known === undefined) return summaries
  const also = which === 'notCurrent' ? 'AND EXISTS (SELECT 1 FROM cause c WHERE c.dependent = m.span)' : ''
  for (const id of yield* liveIds(connection, known, also)) {
    const row = connection.row<NodeRow>(NODE_BY_ID, id)!
    summaries.push(yield* readingSummary(connection, row, stateOf(connection, id)))
    yield
  }
  return summaries
}

/**
 * The live summaries of a session, oldest first, in steps. Most of a long session's may have been replaced: so many are
 * looked at in one step, whatever is found.
 */
export function* liveIds(connection: Connection, session: number, also: string): Generator<void, number[]> {
  const ids: number[] = []
  for (let from: Place | undefined = [0, 0]; from !== undefined; ) {
    const to: Place | undefined = connection.row<Place>(
      `SELECT epoch, span FROM summary WHERE session = ? AND (epoch, span) > (?, ?)
       ORDER BY epoch, span LIMIT 1 OFFSET ${LOOKED_AT}`,
      session,
      ...from,
    )
    for (const [id] of connection.rows<[number]>(
      `SELECT m.span FROM summary m WHERE m.session = ? AND (m.epoch, m.span) > (?, ?) AND (m.epoch, m.span) <= (?, ?)
         AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span) ${also}`,
      session,
      ...from,
      ...(to ?? END),
    ))
      ids.push(id)
    yield
    from = to
  }
  return ids.sort((a, b) => a - b)
}

/** Summaries of a session, in the order of their index. */
type Place = [epoch: number, span: number]
const END: Place = [Number.MAX_SAFE_INTEGER, 0]

/** A fraction of a millisecond. */
const LOOKED_AT = 500

/** The newest live and current summary of the session that covers the span. */
export function representative(
  connection: Connection,
  collection: number,
  session: string,
  key: Key,
): Key | undefined {
  return connection.value<Key>(
    `SELECT s.key FROM span k CROSS JOIN cover v ON v.span = k.id CROSS JOIN summary m ON m.span = v.summary
     CROSS JOIN session n ON n.id = m.session CROSS JOIN span s ON s.id = m.span
     CROSS JOIN collection_head h ON h.collection = n.collection
     WHERE k.key = ? AND n.collection = ? AND n.name = ? AND h.dropped IS NULL
       AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span)
       AND NOT EXISTS (SELECT 1 FROM cause c WHERE c.dependent = m.span)
     ORDER BY m.span DESC LIMIT 1`,
    key,
    collection,
    session,
  )
}
