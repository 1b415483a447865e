import type { EventBatch, EventFilter } from '../../core/consumer.ts'
import { SpanStoreError } from '../../core/errors.ts'
import { EVENT_TYPES, type EventData, type EventType, type StoreEvent } from '../../core/event.ts'
import type { Key } from '../../core/key.ts'
import { EVENT, REASONS, STATE } from './codes.ts'
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

/** Session of a summary, key of `other`. */
type SummaryRow = [position: number, session: string, other: Key | null]

/** What only summaries have, asked for only when a batch holds one: most events are of spans. */
const OF_SUMMARIES = `
  SELECT e.position, o.name, (SELECT k.key FROM span k WHERE k.id = e.other)
  FROM event e CROSS JOIN summary m ON m.span = e.node CROSS JOIN session o ON o.id = m.session
  WHERE e.collection = ? AND e.position BETWEEN ? AND ? AND e.source IS NULL ORDER BY e.position`

type SuccessorRow = [position: number, successor: Key]

const SUCCESSORS = `
  SELECT e.position, n.key
  FROM event e CROSS JOIN lineage l ON l.old = e.node AND l.kind = 0 CROSS JOIN span n ON n.id = l.new
  WHERE e.collection = ? AND e.position BETWEEN ? AND ? AND e.type = ${EVENT['span.retired']}
  ORDER BY e.position, l.ordinal`

/** How much of a log one read may pass over: a filter that admits little must not block the process. */
const SCAN = 20_000

/** A condition on `event e`, the same text for filters of the same shape. Collections are not its business. */
export function filterCondition(collection: number, filter: EventFilter): { sql: string; values: Value[] } {
  let sql = ''
  const values: Value[] = []
  if (filter.types !== undefined) {
    sql += ' AND (1 << e.type) & ?'
    values.push(filter.types.reduce((mask, type) => mask | (1 << EVENT[type]), 0))
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
  const besides = new Besides(connection, collection, rows)
  return {
    events: rows.map((row) => envelope(row, prefix, names, besides)),
    through: rows.length < limit ? Math.max(after, end) : rows.at(-1)![0],
  }
}

/** What a batch of rows needs besides them, walked along with the batch. Rows of events the filter left out may be among it. */
class Besides {
  readonly #summaries: readonly SummaryRow[]
  readonly #successors: readonly SuccessorRow[]
  #summary = 0
  #successor = 0

  constructor(connection: Connection, collection: number, rows: readonly EventRow[]) {
    const read = <R extends Value[]>(sql: string): R[] =>
      connection.rows<R>(sql, collection, rows[0]![0], rows.at(-1)![0])
    this.#summaries = rows.some((row) => row[4] === null && row[3] !== null) ? read(OF_SUMMARIES) : []
    this.#successors = rows.some((row) => row[1] === EVENT['span.retired']) ? read(SUCCESSORS) : []
  }

  summary(position: number): SummaryRow | undefined {
    const rows = this.#summaries
    while (this.#summary < rows.length && rows[this.#summary]![0] < position) this.#summary++
    const row = rows[this.#summary]
    return row?.[0] === position ? row : undefined
  }

  successors(position: number): Key[] {
    const rows = this.#successors
    const keys: Key[] = []
    for (; this.#successor < rows.length && rows[this.#successor]![0] <= position; this.#successor++)
      if (rows[this.#successor]![0] === position) keys.push(rows[this.#successor]![1])
    return keys
  }
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

const SECONDS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
const MILLISECONDS = Array.from({ length: 1000 }, (_, n) => `.${String(n).padStart(3, '0')}Z`)

let lastMinute = Number.NaN
let minuteText = ''

/** `toISOString`, with the part down to the minute kept from one event to the next. */
function timeOf(at: number): string {
  const minute = Math.floor(at / 60_000)
  if (minute !== lastMinute) {
    minuteText = new Date(at).toISOString().slice(0, -7)
    lastMinute = minute
  }
  const rest = at - minute * 60_000
  return minuteText + SECONDS[Math.floor(rest / 1000)]! + MILLISECONDS[rest % 1000]!
}

interface Prefix {
  readonly id: string
  readonly source: string
  readonly collection: string
}

function envelope(row: EventRow, prefix: Prefix, names: Names, besides: Besides): StoreEvent {
  const position = row[0]
  const digits = String(position)
  const type = EVENT_TYPES[row[1]]!
  const subject = row[3]
  const id = prefix.id + digits
  const sequence = ZEROS[16 - digits.length]! + digits
  const time = timeOf(row[2])
  const data = DATA[type](row, names, besides)
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

const DATA: { [T in EventType]: (row: EventRow, names: Names, besides: Besides) => EventData[T] } = {
  'span.added': revision,
  'span.moved': revision,
  'span.updated': (row, names) => ({ source: names.source(row[4]!), fields: FIELDS[row[5]!]! }),
  'span.retired': (row, names, besides) => {
    const reason = REASONS[row[5]!]!
    const successors = besides.successors(row[0])
    return row[4] === null
      ? { session: besides.summary(row[0])![1], reason, successors }
      : { source: names.source(row[4]), reason, successors }
  },
  'span.erased': (row, names, besides) => {
    if (row[4] !== null) return { source: names.source(row[4]) }
    const summary = besides.summary(row[0])
    return summary === undefined ? {} : { session: summary[1] }
  },
  'source.revised': (row, names) => {
    const { kept, added, retired } = json(row)
    return { source: names.source(row[4]!), revision: row[5]!, kept, added, retired }
  },
  'source.removed': revision,
  'collection.created': json,
  'collection.renamed': json,
  'collection.dropped': json,
  'summary.registered': (row, _, besides) => {
    const [, session, replaces] = besides.summary(row[0])!
    return replaces === null ? { session, epoch: row[5]! } : { session, epoch: row[5]!, replaces }
  },
  'summary.stale': (row, _, besides) => {
    const [, session, cause] = besides.summary(row[0])!
    return { session, state: row[5] === STATE.suspect ? 'suspect' : 'stale', cause: cause! }
  },
  'summary.current': (row, _, besides) => ({ session: besides.summary(row[0])![1] }),
  'summary.superseded': (row, _, besides) => {
    const [, session, successor] = besides.summary(row[0])!
    return { session, successor: successor! }
  },
  'session.frozen': json,
  'session.resumed': json,
  'epoch.discarded': json,
  'index.rebuilt': json,
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
