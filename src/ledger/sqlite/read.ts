import { parseAnchors } from '../../core/anchors.ts'
import { derivableKeys } from '../../core/claims.ts'
import { SpanStoreError } from '../../core/errors.ts'
import type { Metadata } from '../../core/json.ts'
import type { Key } from '../../core/key.ts'
import type {
  Cause,
  Claim,
  FetchResult,
  Reason,
  Span,
  Summary,
  SummaryState,
  Tombstone,
} from '../../core/model.ts'
import { atOnce } from '../../threads/turn.ts'
import { EVENT, REASONS, STATES } from './codes.ts'
import { CURRENT_METADATA } from './heads.ts'
import { identicalOf } from './identical.ts'
import type { Connection, Row } from './statements.ts'

/** A node in full: what it is, where it belongs, and its tombstone. */
const NODE = `
  SELECT s.id, s.key, s.kind, s.text, ${CURRENT_METADATA}, s.born, s.source, o.name, c.name, c.dropped, c.dropped_at,
    t.reason, t.position, t.at, h.expires, s.collection
  FROM span s CROSS JOIN collection_head c ON c.collection = s.collection
  LEFT JOIN source o ON o.id = s.source LEFT JOIN source_head h ON h.source = s.source
  LEFT JOIN tombstone t ON t.span = s.id`

const NODE_BY_KEY = `${NODE} WHERE s.key = ?`
export const NODE_BY_ID = `${NODE} WHERE s.id = ?`

export type NodeRow = [
  id: number,
  key: Key,
  kind: number,
  text: string | null,
  metadata: string | null,
  born: number,
  source: number | null,
  sourceName: string | null,
  collectionName: string,
  dropped: number | null,
  droppedAt: number | null,
  reason: number | null,
  position: number | null,
  at: number | null,
  expires: number | null,
  collection: number,
]

const NO_METADATA: Metadata = Object.freeze({})

export const parseMetadata = (text: string | null): Metadata =>
  text === null || text === '{}' || text.startsWith(' ') ? NO_METADATA : (JSON.parse(text) as Metadata)

const absent = (key: string): FetchResult => ({ status: 'absent', key: key as Key })

/*
 * The usual answer, a live span, with as few columns as it needs: each costs about as much as a page of the index.
 * `rest` is 1 for everything else (tombstones, summaries), which is then read in full.
 */
const FIRST_DUE = '(SELECT min(d.expires) FROM source_head d WHERE d.expires IS NOT NULL)'
const LIVE_BY_KEY = `
  SELECT t.span IS NOT NULL OR c.dropped IS NOT NULL OR s.kind = 1,
    ${FIRST_DUE}, s.collection, c.name, o.name, s.text, ${CURRENT_METADATA}, s.born,
    CASE WHEN ${FIRST_DUE} IS NOT NULL THEN (SELECT h.expires FROM source_head h WHERE h.source = s.source) END
  FROM span s CROSS JOIN collection_head c ON c.collection = s.collection
  LEFT JOIN source o ON o.id = s.source
  LEFT JOIN tombstone t ON t.span = s.id
  WHERE s.key = ?`

type LiveRow = [
  rest: number,
  due: number | null,
  collection: number,
  collectionName: string,
  source: string,
  text: string | null,
  metadata: string | null,
  position: number,
  expires: number | null,
]

/** Any text may be asked for, and is absent where it is no key; what is no text is a mistake of the caller. */
function textOf(key: unknown): string {
  if (typeof key === 'string') return key
  throw new SpanStoreError(
    'INVALID_ARGUMENT',
    `key is a ${typeof key}; give a key as the store returned it`,
    {
      path: 'key',
      value: key,
    },
  )
}

/** `due`: something in the store has expired; the caller commits that first and asks again. */
export const fetchNow = (
  connection: Connection,
  key: string,
  collection: number | undefined,
  now: number,
): FetchResult | 'due' =>
  fetchLive(connection, key, collection, now) ??
  together(connection, () => atOnce(fetchingInFull(connection, key)))

/** `fetchNow` where it is one statement: undefined for a tombstone or a summary (`fetchingInFull`). */
export function fetchLive(
  connection: Connection,
  key: string,
  collection: number | undefined,
  now: number,
): FetchResult | 'due' | undefined {
  const row = connection.rowOf<LiveRow>(LIVE_BY_KEY, textOf(key))
  if (row === undefined) return absent(key)
  if (row[1] !== null && row[1] <= now) return 'due'
  if (collection !== undefined && row[2] !== collection) return absent(key)
  if (row[0] === 1) return undefined
  const text = row[5]
  const span = {
    key: key as Key,
    collection: row[3],
    source: row[4],
    text: text ?? '',
    metadata: parseMetadata(row[6]),
    position: row[7],
  }
  return spanResult(row[8] === null ? span : { ...span, expiresAt: row[8] }, text)
}

/** Several statements see one state: that of the transaction under way, if there is one. */
const together = <T>(connection: Connection, read: () => T): T =>
  connection.db.inTransaction ? read() : connection.snapshot(read)

/** What a key answers that `fetchLive` does not, in steps: a summary may make thousands of claims. */
export function* fetchingInFull(connection: Connection, asked: string): Generator<void, FetchResult> {
  const row = connection.row<NodeRow>(NODE_BY_KEY, asked)!
  const [id, key, kind, text] = row
  if (row[11] !== null || row[9] !== null)
    return {
      status: 'tombstone',
      key,
      kind: kind === 0 ? 'span' : 'summary',
      tombstone: tombstoneOf(connection, row),
    }
  if (kind === 1) {
    const span = yield* readingSummary(connection, row, stateOf(connection, id))
    return { status: 'ok', key, kind: 'summary', span }
  }
  return spanResult(spanOf(row, text), text)
}

function spanResult(span: Span, text: string | null): FetchResult {
  // A text that starts with a visible ASCII character is not blank; trimming every text would double its cost.
  if (text !== null && ((text.charCodeAt(0) - 33) >>> 0 < 94 || text.trim() !== ''))
    return { status: 'ok', key: span.key, kind: 'span', span }
  return { status: 'empty', key: span.key, kind: 'span', detail: text === null ? 'no-text' : 'blank', span }
}

export function spanOf(row: NodeRow, text: string | null): Span {
  const span = {
    key: row[1],
    collection: row[8],
    source: row[7]!,
    text: text ?? '',
    metadata: parseMetadata(row[4]),
    position: row[5],
  }
  return row[8] !== null && row[14] !== null ? { ...span, expiresAt: row[14] } : span
}

function tombstoneOf(connection: Connection, row: NodeRow): Tombstone {
  const [id, , kind] = row
  const place = {
    collection: row[8],
    ...(row[7] === null ? { session: sessionName(connection, id) } : { source: row[7] }),
  }
  const erasedAt = connection.value<number>('SELECT at FROM erasure WHERE span = ?', id)
  const prunedAt = connection.value<number>('SELECT at FROM pruning WHERE span = ?', id)
  const gone = {
    ...(erasedAt === undefined ? {} : { erasedAt }),
    ...(prunedAt === undefined ? {} : { prunedAt }),
  }
  const fallback: Reason = kind === 0 ? 'deleted' : 'discarded'
  if (row[11] === null || row[9] !== null) {
    const own = row[11] !== null
    return {
      ...place,
      reason: own && erasedAt === undefined ? REASONS[row[11]!]! : fallback,
      position: own ? row[12]! : row[9]!,
      at: own ? row[13]! : row[10]!,
      successors: own ? successorsOf(connection, id) : [],
      ...gone,
    }
  }
  const identical = identicalOf(connection, id)
  return {
    ...place,
    reason: erasedAt === undefined ? REASONS[row[11]]! : fallback,
    position: row[12]!,
    at: row[13]!,
    successors: successorsOf(connection, id),
    ...(identical === undefined ? {} : { identical: keyOf(connection, identical) }),
    ...gone,
  }
}

export const keyOf = (connection: Connection, id: number): Key =>
  connection.value<Key>('SELECT key FROM span WHERE id = ?', id)!

const sessionName = (connection: Connection, summary: number): string =>
  connection.value<string>(
    'SELECT n.name FROM summary m CROSS JOIN session n ON n.id = m.session WHERE m.span = ?',
    summary,
  )!

export const successorsOf = (connection: Connection, id: number): Key[] =>
  connection
    .rows<[Key]>(
      'SELECT s.key FROM lineage l CROSS JOIN span s ON s.id = l.new WHERE l.old = ? AND l.kind = 0 ORDER BY l.ordinal',
      id,
    )
    .map(([key]) => key)

// ── summaries ───────────────────────────────────────────────────────────────────────────────────────────────

export const stateOf = (connection: Connection, id: number): SummaryState =>
  STATES[connection.value<number>('SELECT coalesce(max(hard) + 1, 0) FROM cause WHERE dependent = ?', id)!]!

export const causesOf = (connection: Connection, summary: number): Cause[] =>
  atOnce(readingCauses(connection, summary))

/** Rows read at a stretch: a fraction of a millisecond. */
const ROWS = 256

/** Every row, page by page: each begins behind the number that the last row of the one before begins with. */
function* inPages<R extends [number, ...Row]>(page: (after: number) => R[]): Generator<void, R[]> {
  const all = page(-1)
  for (let last = all; last.length === ROWS; ) {
    yield
    last = page(last.at(-1)![0])
    for (const row of last) all.push(row)
  }
  return all
}

function* readingCauses(connection: Connection, summary: number): Generator<void, Cause[]> {
  const rows = yield* inPages((after) =>
    connection.rows<[number, Key, number | null, number | null]>(
      `SELECT s.id, s.key, t.reason, h.dropped FROM cause c CROSS JOIN span s ON s.id = c.support
       CROSS JOIN collection_head h ON h.collection = s.collection
       LEFT JOIN tombstone t ON t.span = s.id WHERE c.dependent = ? AND c.support > ? ORDER BY c.support LIMIT ${ROWS}`,
      summary,
      after,
    ),
  )
  const causes: Cause[] = []
  for (const [id, key, reason, dropped] of rows) {
    if (reason === null && dropped === null) {
      causes.push({ key, status: 'stale' })
      continue
    }
    const successors = successorsOf(connection, id)
    causes.push({
      key,
      status: 'tombstone',
      reason: reason === null ? 'deleted' : REASONS[reason]!,
      ...(successors.length === 0 ? {} : { successors }),
    })
    if (causes.length % ROWS === 0) yield
  }
  return causes
}

/** A summary of any size, in steps. */
export function* readingSummary(
  connection: Connection,
  row: NodeRow,
  state: SummaryState,
): Generator<void, Summary> {
  const id = row[0]
  const text = row[3]!
  const [session, epoch] = connection.row<[string, number]>(
    'SELECT n.name, m.epoch FROM summary m CROSS JOIN session n ON n.id = m.session WHERE m.span = ?',
    id,
  )!
  const keys = (sql: string) =>
    inPages((after) => connection.rows<[number, Key]>(`${sql} LIMIT ${ROWS}`, id, after))
  const claims: Claim[] = []
  for (const [, said, derivable, unverified] of yield* inPages((after) =>
    connection.rows<[number, string, number | null, number | null]>(
      `SELECT ordinal, text, derivable, unverified FROM claim WHERE summary = ? AND ordinal > ? ORDER BY ordinal LIMIT ${ROWS}`,
      id,
      after,
    ),
  )) {
    claims.push({
      text: said,
      anchors: parseAnchors(said).keys,
      // Null: registered before it was asked.
      derivable: derivable === null ? derivableKeys(said, text).length > 0 : derivable === 1,
      unverified: unverified === 1,
    })
    if (claims.length % ROWS === 0) yield
  }
  const dependsOn = yield* keys(
    `SELECT d.support, s.key FROM dependency d CROSS JOIN span s ON s.id = d.support
     WHERE d.dependent = ? AND d.support > ? ORDER BY d.support`,
  )
  const covers = yield* keys(
    `SELECT v.span, s.key FROM cover v CROSS JOIN span s ON s.id = v.span
     WHERE v.summary = ? AND v.span > ? ORDER BY v.span`,
  )
  return {
    key: row[1],
    collection: row[8],
    session,
    epoch,
    text,
    claims,
    dependsOn: dependsOn.map(([, key]) => key),
    covers: covers.map(([, key]) => key),
    position: row[5],
    state,
    causes: state === 'current' ? [] : yield* readingCauses(connection, id),
  }
}

// ── the past ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * What `key` answered when its collection stood at `asOf`. A key minted later is absent then. Text erased or pruned
 * since stays gone: the answer is its tombstone.
 */
export function* fetchingAsOf(
  connection: Connection,
  key: string,
  collection: number | undefined,
  asOf: number,
): Generator<void, FetchResult> {
  const row = connection.row<NodeRow>(NODE_BY_KEY, textOf(key))
  if (row === undefined || (collection !== undefined && row[15] !== collection)) return absent(key)
  checkPosition(connection, row[15], asOf)
  const [id, , kind, text, , born] = row
  if (born > asOf) return absent(key)
  const retired = row[12] ?? row[9]
  const gone =
    connection.value(
      'SELECT 1 FROM erasure WHERE span = ?1 UNION SELECT 1 FROM pruning WHERE span = ?1',
      id,
    ) !== undefined
  if (gone || (retired !== null && retired <= asOf)) {
    const tombstone = tombstoneOf(connection, row)
    return { status: 'tombstone', key: row[1], kind: kind === 0 ? 'span' : 'summary', tombstone }
  }
  const then: NodeRow = [...row]
  then[4] =
    connection.value<string>(
      'SELECT metadata FROM amendment WHERE span = ? AND position <= ? ORDER BY position DESC LIMIT 1',
      id,
      asOf,
    ) ?? connection.value<string | null>('SELECT metadata FROM span WHERE id = ?', id)!
  then[14] = null
  if (kind === 1) {
    const span = yield* readingSummary(connection, then, stateAsOf(connection, row, asOf))
    return { status: 'ok', key: row[1], kind: 'summary', span }
  }
  return spanResult(spanOf(then, text), text)
}

function stateAsOf(connection: Connection, row: NodeRow, asOf: number): SummaryState {
  const state = connection.value<number>(
    `SELECT number FROM event WHERE collection = ? AND position BETWEEN ? AND ? AND node = ?
       AND type IN (${EVENT['summary.stale']}, ${EVENT['summary.current']})
     ORDER BY position DESC LIMIT 1`,
    row[15],
    row[5],
    asOf,
    row[0],
  )
  return STATES[state ?? 0]!
}

export function checkPosition(connection: Connection, collection: number, position: number): void {
  const latest = connection.value<number>(
    'SELECT position FROM collection_head WHERE collection = ?',
    collection,
  )!
  if (Number.isSafeInteger(position) && position >= 0 && position <= latest) return
  throw new SpanStoreError(
    'POSITION_UNKNOWN',
    `asOf ${position} is no position of this collection: they are whole numbers from 0 to ${latest}`,
    { position, latest },
  )
}
