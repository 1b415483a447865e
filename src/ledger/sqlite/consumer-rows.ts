import type { CollectionHead, EventFilter, Start } from '../../core/consumer.ts'
import { decodeCursor, invalidCursor } from '../../core/cursor.ts'
import { SpanStoreError } from '../../core/errors.ts'
import { invalid, show } from '../../core/given.ts'
import type { Key } from '../../core/key.ts'
import { requireKept } from './events.ts'
import { type Connection, insertInto } from './statements.ts'

/** Runs one write transaction: `BEGIN IMMEDIATE`, waiting for other writers, `COMMIT`, and the doorbell. */
export type Write = <T>(work: (connection: Connection, now: number) => T) => Promise<T>

export interface ConsumerHost {
  readonly connection: Connection
  readonly write: Write
  readonly clock: () => number
}

export interface ConsumerRow {
  readonly id: number
  readonly name: string
  /** Canonical JSON of an `EventFilter`. */
  readonly filter: string
  readonly start: string
  readonly created: number
  readonly holder: string | null
  readonly fence: number
  /** 0: released. */
  readonly until: number
}

type ConsumerColumns = [number, string, string, string, number, string | null, number, number]

function findConsumer(connection: Connection, name: string): ConsumerRow | undefined {
  const row = connection.row<ConsumerColumns>(
    'SELECT id, name, filter, start, created, holder, fence, until FROM consumer WHERE name = ?',
    name,
  )
  if (row === undefined) return undefined
  const [id, , filter, start, created, holder, fence, until] = row
  return { id, name, filter, start, created, holder, fence, until }
}

/** @throws CONSUMER_UNKNOWN, INVALID_ARGUMENT */
export function requireConsumer(connection: Connection, name: string): ConsumerRow {
  if (typeof name !== 'string') throw invalid('consumer', name, 'give the name of a consumer')
  const found = findConsumer(connection, name)
  if (found !== undefined) return found
  throw new SpanStoreError(
    'CONSUMER_UNKNOWN',
    `no consumer is called ${show(name)}; consumers().list() names them, subscribing makes one`,
    { consumer: name },
  )
}

// ── collections ─────────────────────────────────────────────────────────────────────────────────────────────

export interface LogHead extends CollectionHead {
  readonly floor: number
}

const HEADS = `
  SELECT c.id, c.key, coalesce(h.name, ''), h.position, h.floor
  FROM collection c CROSS JOIN collection_head h ON h.collection = c.id`
const ADMITTED = `
  WHERE c.key IN (SELECT value FROM json_each(?1))
    OR c.id IN (SELECT n.collection FROM json_each(?1) j CROSS JOIN collection_name n ON n.name = j.value)`

/** The collections a filter admits, dropped ones included: their logs remain, and end with `collection.dropped`. */
export function admittedHeads(connection: Connection, filter: EventFilter): LogHead[] {
  const { collections } = filter
  const rows =
    collections === undefined
      ? connection.rows<[number, Key, string, number, number]>(`${HEADS} ORDER BY c.id`)
      : connection.rows<[number, Key, string, number, number]>(
          `${HEADS} ${ADMITTED} ORDER BY c.id`,
          JSON.stringify(collections),
        )
  return rows.map(([ref, id, name, position, floor]) => ({ ref, id, name, position, floor }))
}

/**
 * The collection an id or a name stands for now, live ones before dropped ones, the newest first.
 * @throws COLLECTION_UNKNOWN
 */
export function resolveCollection(connection: Connection, nameOrId: string): number {
  const ref = connection.value<number>(
    `SELECT c.id FROM collection c CROSS JOIN collection_head h ON h.collection = c.id
     WHERE c.key = ?1 OR h.name = ?1 ORDER BY c.key = ?1 DESC, h.dropped IS NULL DESC, c.id DESC LIMIT 1`,
    nameOrId,
  )
  if (ref !== undefined) return ref
  throw unknownCollection(nameOrId)
}

export const unknownCollection = (nameOrId: string): SpanStoreError =>
  new SpanStoreError(
    'COLLECTION_UNKNOWN',
    `no collection is called ${show(nameOrId)}; store.collections() lists them`,
    { collection: nameOrId },
  )

// ── where reading begins ────────────────────────────────────────────────────────────────────────────────────

/** @throws INVALID_ARGUMENT, CURSOR_INVALID, CURSOR_EXPIRED, POSITION_UNKNOWN */
export function startPositions(
  connection: Connection,
  filter: EventFilter,
  start: Start,
): Map<number, number> {
  const heads = admittedHeads(connection, filter)
  if (start === 'now') return new Map(heads.map(({ ref, position }) => [ref, position]))
  if (start === 'start') return new Map(heads.map(({ ref, floor }) => [ref, floor]))
  if (typeof start === 'number') return atPosition(connection, filter, heads, start)
  return atCursor(connection, heads, start)
}

function atPosition(
  connection: Connection,
  filter: EventFilter,
  heads: readonly LogHead[],
  position: number,
): Map<number, number> {
  const name = filter.collections?.length === 1 ? filter.collections[0] : undefined
  if (name === undefined || !Number.isSafeInteger(position) || position < 0)
    throw new SpanStoreError(
      'INVALID_ARGUMENT',
      `from: ${position} is a position only of one collection; name it in collections, or pass a cursor`,
      { path: 'from', value: position },
    )
  const ref = resolveCollection(connection, name)
  return new Map(
    heads.map((head) => {
      // Others that bore the name before are read from their start.
      if (head.ref !== ref) return [head.ref, head.floor]
      if (position > head.position)
        throw new SpanStoreError(
          'POSITION_UNKNOWN',
          `${JSON.stringify(name)} has no position ${position} yet; its latest is ${head.position}`,
          { position, latest: head.position },
        )
      requireKept(connection, head.ref, head.name, position)
      return [ref, position]
    }),
  )
}

function atCursor(connection: Connection, heads: readonly LogHead[], token: string): Map<number, number> {
  const cursor = decodeCursor(token)
  for (const [id, position] of cursor) {
    const head = connection.value<number>(
      `SELECT h.position FROM collection c CROSS JOIN collection_head h ON h.collection = c.id WHERE c.key = ?`,
      id,
    )
    if (head === undefined)
      throw invalidCursor(token, `it names collection ${id}, which is not of this store`)
    if (position > head)
      throw invalidCursor(token, `it is at position ${position} of collection ${id}, whose last is ${head}`)
  }
  return new Map(
    heads.map(({ ref, id, name }) => {
      const position = cursor.get(id) ?? 0
      requireKept(connection, ref, name, position)
      return [ref, position]
    }),
  )
}

// ── cursors ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Sets a consumer's cursor wherever it was, and forgets failures of the event after it. */
export function setCursor(
  connection: Connection,
  consumer: number,
  collection: number,
  position: number,
): void {
  connection
    .prepare(
      `${insertInto('consumer_cursor', ['consumer', 'collection', 'position', 'attempts', 'due', 'error'])}
       ON CONFLICT DO UPDATE SET position = excluded.position, attempts = 0, due = 0, error = NULL`,
    )
    .run(consumer, collection, position, 0, 0, null)
}

/** Creates the consumer, or opens the one of that name. @throws CONSUMER_MISMATCH */
export function openConsumer(
  connection: Connection,
  now: number,
  name: string,
  filter: EventFilter,
  start: Start,
): ConsumerRow {
  const wanted = JSON.stringify(filter)
  const found = findConsumer(connection, name)
  if (found !== undefined) {
    if (found.filter === wanted) return found
    throw new SpanStoreError(
      'CONSUMER_MISMATCH',
      `consumer ${JSON.stringify(name)} reads ${found.filter}, not ${wanted}; subscribe with its filter, use another name, or change it with consumers().setFilter`,
      { consumer: name },
    )
  }
  const positions = startPositions(connection, filter, start)
  const id = Number(
    connection
      .prepare(insertInto('consumer', ['name', 'filter', 'start', 'created', 'fence', 'until']))
      .run(name, wanted, JSON.stringify(start), now, 0, 0).lastInsertRowid,
  )
  for (const [collection, position] of positions) setCursor(connection, id, collection, position)
  return requireConsumer(connection, name)
}
