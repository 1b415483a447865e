import type { EventBatch, EventFilter } from '../../core/consumer.ts'
import { SpanStoreError } from '../../core/errors.ts'
import { EVENT_TYPES, type EventData, type EventType, type StoreEvent } from '../../core/event.ts'
import type { Key } from '../../core/key.ts'
import { EVENT, REASONS } from './codes.ts'
import type { Connection, Value } from './statements.ts'

/*
 * Reads the log. What the columns of `event` mean:
 *
 *   node    the subject: span or summary
 *   source  the source concerned; where it is null and there is a node, the node is a summary
 *   number  span.added, span.moved, source.revised, source.removed: the revision; span.retired: the reason;
 *           span.updated: 1 metadata, 2 vector; summary.stale, summary.current: the state; summary.registered: the epoch
 *   other   summary.stale: a cause; summary.registered: the summary it replaces; summary.superseded: its successor
 *   data    JSON, for the types that have no columns of their own
 *
 * Successors of a retired span are read from `lineage`.
 */

/** position, type, at, subject, source, number, data. */
type EventRow = [number, number, number, Key | null, number | null, number | null, string | null]

const SELECT = `
  SELECT e.position, e.type, e.at, s.key, e.source, e.number, e.data
  FROM event e LEFT JOIN span s ON s.id = e.node`

/** Session of the subject, key of `other`, successors. */
type Extra = [position: number, session: string | null, other: Key | null, successors: string | null]

/** What only some types have, asked for only when a batch holds one of them: most events are spans added. */
const EXTRA = `
  SELECT e.position,
    CASE WHEN e.source IS NULL THEN (
      SELECT o.name FROM summary m CROSS JOIN session o ON o.id = m.session WHERE m.span = e.node) END,
    (SELECT o.key FROM span o WHERE o.id = e.other),
    CASE e.type WHEN ${EVENT['span.retired']} THEN (
      SELECT group_concat(n.key, '' ORDER BY l.ordinal) FROM lineage l CROSS JOIN span n ON n.id = l.new
      WHERE l.old = e.node AND l.kind = 0) END
  FROM event e
  WHERE e.collection = ? AND e.position BETWEEN ? AND ? AND (1 << e.type) & ? ORDER BY e.position`

const maskOf = (types: readonly EventType[]) => types.reduce((mask, type) => mask | (1 << EVENT[type]), 0)

const WITH_EXTRA = maskOf([
  'span.retired',
  'span.erased',
  'summary.registered',
  'summary.stale',
  'summary.current',
  'summary.superseded',
])

/** How much of a log one read may pass over: a filter that admits little must not block the process. */
const SCAN = 20_000

/** A condition on `event e`, the same text for filters of the same shape. Collections are not its business. */
export function filterCondition(collection: number, filter: EventFilter): { sql: string; values: Value[] } {
  let sql = ''
  const values: Value[] = []
  if (filter.types !== undefined) {
    sql += ' AND (1 << e.type) & ?'
    values.push(maskOf(filter.types))
  }
  if (filter.sources !== undefined) {
    sql += ` AND e.source IN (
      SELECT o.id FROM json_each(?) j CROSS JOIN source o ON o.collection = ? AND o.name = j.value)`
    values.push(JSON.stringify(filter.sources), collection)
  }
  if (filter.keys !== undefined) {
    sql += ' AND e.node IN (SELECT k.id FROM json_each(?) j CROSS JOIN span k ON k.key = j.value)'
    values.push(JSON.stringify(filter.keys))
  }
  return { sql, values }
}

/**
 * Events of one collection after a position, in order. `limit` bounds the events, not how far it looks: see
 * `through`. @throws CURSOR_EXPIRED when events after the position were pruned
 */
export function readEvents(
  connection: Connection,
  query: {
    readonly collection: number
    readonly after: number
    readonly limit: number
    readonly filter?: EventFilter
  },
): EventBatch {
  const { collection, after, limit, filter } = query
  const [id, name, head] = connection.row<[Key, string, number]>(
    `SELECT c.key, coalesce(h.name, ''), h.position
     FROM collection c CROSS JOIN collection_head h ON h.collection = c.id WHERE c.id = ?`,
    collection,
  )!
  const condition = filter === undefined ? undefined : filterCondition(collection, filter)
  const filtered = condition !== undefined && condition.sql !== ''
  const end = filtered ? Math.min(head, after + SCAN) : head
  const rows = connection.rows<EventRow>(
    `${SELECT} WHERE e.collection = ? AND e.position > ? AND e.position <= ?${condition?.sql ?? ''}
     ORDER BY e.position LIMIT ?`,
    collection,
    after,
    end,
    ...(condition?.values ?? []),
    limit,
  )
  // Asked last: whatever was pruned before or while the rows were read shows here.
  requireKept(connection, collection, name, after)
  const names = namesOf(connection)
  const prefix: Prefix = { id: `${id}:`, source: `spanstore:///${names.store}/${id}`, collection: name }
  const extras = readExtras(connection, collection, rows)
  let extra = 0
  const events = new Array<StoreEvent>(rows.length)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    events[i] = envelope(row, extras[extra]?.[0] === row[0] ? extras[extra++]! : NO_EXTRA, prefix, names)
  }
  return { events, through: rows.length < limit ? Math.max(after, end) : rows.at(-1)![0] }
}

const NO_EXTRA: Extra = [0, null, null, null]

/** Extras of the rows that have some, in the same order; possibly of rows the filter left out, which is why they carry positions. */
function readExtras(connection: Connection, collection: number, rows: readonly EventRow[]): readonly Extra[] {
  let types = 0
  for (const row of rows) types |= 1 << row[1]
  if ((types & WITH_EXTRA) === 0) return []
  return connection.rows<Extra>(EXTRA, collection, rows[0]![0], rows.at(-1)![0], types & WITH_EXTRA)
}

/** @throws CURSOR_EXPIRED */
export function requireKept(
  connection: Connection,
  collection: number,
  name: string,
  position: number,
): void {
  const floor = connection.value<number>(
    'SELECT floor FROM collection_head WHERE collection = ?',
    collection,
  )!
  if (position >= floor) return
  throw new SpanStoreError(
    'CURSOR_EXPIRED',
    `${JSON.stringify(name)}: the events after position ${position} were pruned, the oldest kept is ${floor + 1}; reset the consumer, or start anew, and read the present state first`,
    { collection: name, position, oldest: floor + 1 },
  )
}

// ── envelope ────────────────────────────────────────────────────────────────────────────────────────────────

/** Sixteen digits hold every safe integer. */
const ZEROS = Array.from({ length: 17 }, (_, n) => '0'.repeat(n))

let lastAt = Number.NaN
let lastTime = ''

/** Events of a commit share their time, so the last text is worth keeping. */
function timeOf(at: number): string {
  if (at !== lastAt) {
    lastTime = new Date(at).toISOString()
    lastAt = at
  }
  return lastTime
}

interface Prefix {
  readonly id: string
  readonly source: string
  readonly collection: string
}

function envelope(row: EventRow, extra: Extra, prefix: Prefix, names: Names): StoreEvent {
  const position = row[0]
  const digits = String(position)
  const type = EVENT_TYPES[row[1]]!
  const subject = row[3]
  const id = prefix.id + digits
  const sequence = ZEROS[16 - digits.length]! + digits
  const time = timeOf(row[2])
  const data = DATA[type](row, names, extra)
  const { source, collection } = prefix
  // Two literals, because a spread or a later assignment costs more than the rest of the envelope.
  const event =
    subject === null
      ? { specversion: '1.0', id, source, type, time, sequence, collection, position, data }
      : { specversion: '1.0', id, source, type, subject, time, sequence, collection, position, data }
  return event as StoreEvent
}

const FIELDS = [[], ['metadata'], ['vector'], ['metadata', 'vector']] as const

const revision = (row: EventRow, names: Names) => ({ source: names.source(row[4]!), revision: row[5]! })
const json = (row: EventRow) => JSON.parse(row[6]!)

/** Where the subject belongs: a span to its source, a summary to its session. */
function owner(row: EventRow, names: Names, extra: Extra): { source?: string; session?: string } {
  if (row[4] !== null) return { source: names.source(row[4]) }
  return extra[1] === null ? {} : { session: extra[1] }
}

const DATA: { [T in EventType]: (row: EventRow, names: Names, extra: Extra) => EventData[T] } = {
  'span.added': revision,
  'span.moved': revision,
  'span.updated': (row, names) => ({ source: names.source(row[4]!), fields: FIELDS[row[5]!]! }),
  'span.retired': (row, names, extra) => {
    const reason = REASONS[row[5]!]!
    const successors = splitKeys(extra[3])
    return row[4] === null
      ? { session: extra[1]!, reason, successors }
      : { source: names.source(row[4]), reason, successors }
  },
  'span.erased': owner,
  'source.revised': (row, names) => {
    const { kept, added, retired } = json(row)
    return { source: names.source(row[4]!), revision: row[5]!, kept, added, retired }
  },
  'source.removed': revision,
  'collection.created': json,
  'collection.renamed': json,
  'collection.dropped': json,
  'summary.registered': (row, _, [, session, replaces]) =>
    replaces === null
      ? { session: session!, epoch: row[5]! }
      : { session: session!, epoch: row[5]!, replaces },
  'summary.stale': (row, _, [, session, cause]) => ({
    session: session!,
    state: row[5] === 1 ? 'suspect' : 'stale',
    cause: cause!,
  }),
  'summary.current': (_row, _, [, session]) => ({ session: session! }),
  'summary.superseded': (_row, _, [, session, successor]) => ({ session: session!, successor: successor! }),
  'session.frozen': json,
  'session.resumed': json,
  'epoch.discarded': json,
  'index.rebuilt': json,
}

function splitKeys(text: string | null): Key[] {
  const keys: Key[] = []
  for (let at = 0; text !== null && at < text.length; at += 26) keys.push(text.slice(at, at + 26) as Key)
  return keys
}

// ── names ───────────────────────────────────────────────────────────────────────────────────────────────────

const REMEMBERED = 10_000

/** Names of sources never change, so each is asked for once. */
class Names {
  readonly store: Key
  readonly #connection: Connection
  readonly #sources = new Map<number, string>()

  constructor(connection: Connection) {
    this.#connection = connection
    this.store = connection.value<Key>('SELECT key FROM store')!
  }

  source(id: number): string {
    return this.#sources.get(id) ?? this.#ask(id)
  }

  #ask(id: number): string {
    const name = this.#connection.value<string>('SELECT name FROM source WHERE id = ?', id)!
    // Inside a write that may yet be rolled back, an id may still come to mean another name.
    if (this.#connection.db.inTransaction) return name
    if (this.#sources.size >= REMEMBERED) this.#sources.clear()
    this.#sources.set(id, name)
    return name
  }
}

const namesByConnection = new WeakMap<Connection, Names>()

function namesOf(connection: Connection): Names {
  let names = namesByConnection.get(connection)
  if (names === undefined) {
    names = new Names(connection)
    namesByConnection.set(connection, names)
  }
  return names
}
