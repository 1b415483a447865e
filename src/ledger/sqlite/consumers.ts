import {
  type CollectionLag,
  type ConsumerInfo,
  type DeadLetter,
  type EventFilter,
  type Lag,
  parseConsumerName,
  parseEventFilter,
  type Start,
} from '../../core/consumer.ts'
import { encodeCursor } from '../../core/cursor.ts'
import { SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { Consumers, WhichDeadLetters } from '../../ports/consumers.ts'
import { nextTurn } from '../../threads/turn.ts'
import {
  admittedHeads,
  type ConsumerHost,
  type ConsumerRow,
  type LogHead,
  openConsumer,
  requireConsumer,
  resolveCollection,
  setCursor,
  startPositions,
} from './consumer-rows.ts'
import { filterCondition, readEvents } from './events.ts'
import { pruneEvents } from './prune-events.ts'
import type { Connection } from './statements.ts'

/** How much of a log is counted, or deleted, at a time. */
const STRIDE = 20_000

/**
 * The durable consumers of a store: who reads its events, how far, and what failed. Everything that changes a
 * consumer here takes it from its present holder, who learns so by LEASE_LOST.
 */
export class SqliteConsumers implements Consumers {
  readonly #host: ConsumerHost

  constructor(host: ConsumerHost) {
    this.#host = host
  }

  /**
   * Makes the consumer, so that events from now on wait for it; an existing one is left as it is. Subscribing does
   * the same. @throws CONSUMER_MISMATCH when it exists with another filter
   */
  async open(
    name: string,
    options: { readonly filter?: EventFilter; readonly start?: Start } = {},
  ): Promise<ConsumerInfo> {
    parseConsumerName(name)
    const filter = parseEventFilter(options.filter ?? {})
    return this.#host.write((connection, now) =>
      infoOf(connection, now, openConsumer(connection, now, name, filter, options.start ?? 'start')),
    )
  }

  async list(): Promise<ConsumerInfo[]> {
    const { connection, clock } = this.#host
    return connection
      .rows<[string]>('SELECT name FROM consumer ORDER BY name')
      .map(([name]) => infoOf(connection, clock(), requireConsumer(connection, name)))
  }

  async info(name: string): Promise<ConsumerInfo> {
    const { connection, clock } = this.#host
    return infoOf(connection, clock(), requireConsumer(connection, name))
  }

  /**
   * How far behind it is, in events its filter admits and in the age of the oldest of them. With a filter the
   * unread part of the log is scanned, in strides that leave the process responsive.
   */
  async lag(name: string): Promise<Lag> {
    const { connection } = this.#host
    const consumer = requireConsumer(connection, name)
    const filter = JSON.parse(consumer.filter) as EventFilter
    const collections: CollectionLag[] = []
    for (const head of admittedHeads(connection, filter))
      collections.push(await this.#collectionLag(consumer, filter, head))
    return {
      events: collections.reduce((sum, { events }) => sum + events, 0),
      age: collections.reduce((oldest, { age }) => Math.max(oldest, age), 0),
      collections,
    }
  }

  async #collectionLag(consumer: ConsumerRow, filter: EventFilter, head: LogHead): Promise<CollectionLag> {
    const { connection, clock } = this.#host
    const [position, attempts, due, error] = connection.row<[number, number, number, string | null]>(
      'SELECT position, attempts, due, error FROM consumer_cursor WHERE consumer = ? AND collection = ?',
      consumer.id,
      head.ref,
    ) ?? [0, 0, 0, null]
    const condition = filterCondition(head.ref, filter)
    let events = 0
    let oldest: number | undefined
    for (let after = position; after < head.position; after += STRIDE) {
      const [count, at] = connection.row<[number, number | null]>(
        `SELECT count(*), min(e.at) FROM event e
         WHERE e.collection = ? AND e.position > ? AND e.position <= ?${condition.sql}`,
        head.ref,
        after,
        Math.min(after + STRIDE, head.position),
        ...condition.values,
      )!
      events += count
      oldest ??= at ?? undefined
      if (after + STRIDE < head.position) await nextTurn()
    }
    return {
      collection: head.name,
      position,
      head: head.position,
      events,
      age: oldest === undefined ? 0 : Math.max(0, clock() - oldest),
      ...(attempts === 0 ? {} : { failing: { attempts, due, ...(error === null ? {} : { error }) } }),
      expired: position < head.floor,
    }
  }

  /**
   * Moves the cursor, of one collection when named, wherever `start` says; failures are forgotten, dead letters
   * kept. The only way past CURSOR_EXPIRED.
   */
  async reset(name: string, start: Start, options: { readonly collection?: string } = {}): Promise<void> {
    await this.#host.write((connection) => {
      const consumer = requireConsumer(connection, name)
      const filter = JSON.parse(consumer.filter) as EventFilter
      const narrowed =
        options.collection === undefined ? filter : { ...filter, collections: [options.collection] }
      const only =
        options.collection === undefined ? undefined : resolveCollection(connection, options.collection)
      for (const [ref, position] of startPositions(connection, narrowed, start))
        if (only === undefined || ref === only) setCursor(connection, consumer.id, ref, position)
      takeAway(connection, consumer)
    })
  }

  /**
   * Changes what the consumer reads from its cursors on; events skipped before are not looked at again. Collections
   * admitted anew begin where the consumer's own start says; those no longer admitted are forgotten.
   */
  async setFilter(name: string, filter: EventFilter): Promise<void> {
    const wanted = parseEventFilter(filter)
    await this.#host.write((connection) => {
      const consumer = requireConsumer(connection, name)
      const start = JSON.parse(consumer.start) as Start
      const begin = startPositions(connection, wanted, start === 'now' ? 'now' : 'start')
      const known = connection
        .rows<[number]>('SELECT collection FROM consumer_cursor WHERE consumer = ?', consumer.id)
        .map(([ref]) => ref)
      for (const ref of known)
        if (!begin.has(ref))
          connection.run(
            'DELETE FROM consumer_cursor WHERE consumer = ? AND collection = ?',
            consumer.id,
            ref,
          )
      for (const [ref, position] of begin)
        if (!known.includes(ref)) setCursor(connection, consumer.id, ref, position)
      connection.run('UPDATE consumer SET filter = ? WHERE id = ?', JSON.stringify(wanted), consumer.id)
      connection.run(
        'UPDATE consumer_cursor SET attempts = 0, due = 0, error = NULL WHERE consumer = ?',
        consumer.id,
      )
      takeAway(connection, consumer)
    })
  }

  /** Forgets the consumer, its cursors and its dead letters. */
  async delete(name: string): Promise<void> {
    await this.#host.write((connection) => {
      const { id } = requireConsumer(connection, name)
      connection.run('DELETE FROM dead_letter WHERE consumer = ?', id)
      connection.run('DELETE FROM consumer_cursor WHERE consumer = ?', id)
      connection.run('DELETE FROM consumer WHERE id = ?', id)
    })
  }

  /** In the order of collections and positions. */
  async deadLetters(name: string): Promise<DeadLetter[]> {
    const { connection } = this.#host
    const { id } = requireConsumer(connection, name)
    return connection
      .rows<[number, string, number, number, number, string | null, number, number]>(
        `SELECT d.collection, h.name, h.floor, d.position, d.attempts, d.error, d.at, d.replay
         FROM dead_letter d CROSS JOIN collection_head h ON h.collection = d.collection
         WHERE d.consumer = ? ORDER BY d.collection, d.position`,
        id,
      )
      .map(([ref, collection, floor, position, attempts, error, at, replay]) => ({
        collection,
        position,
        attempts,
        at,
        replaying: replay === 1,
        ...(error === null ? {} : { error }),
        ...(position <= floor ? {} : { event: eventAt(connection, ref, position) }),
      }))
  }

  /**
   * Has dead letters delivered once more, before anything else, marked `redelivered`. Acknowledged, they are gone;
   * failing again, they are dead letters again, at once. Those whose event was pruned cannot be replayed and stay:
   * asked for by name, they are CURSOR_EXPIRED.
   */
  async replay(name: string, which: WhichDeadLetters): Promise<{ readonly replayed: number }> {
    return this.#host.write((connection) => {
      const { id } = requireConsumer(connection, name)
      if (which !== 'all') {
        const ref = resolveCollection(connection, which.collection)
        const replayed = connection.run(
          `UPDATE dead_letter SET replay = 1 WHERE consumer = ? AND collection = ? AND position = ?
             AND position > (SELECT floor FROM collection_head h WHERE h.collection = dead_letter.collection)`,
          id,
          ref,
          which.position,
        )
        if (replayed === 0) throw notReplayable(connection, name, id, ref, which)
        return { replayed }
      }
      const replayed = connection.run(
        `UPDATE dead_letter SET replay = 1 WHERE consumer = ?
           AND position > (SELECT floor FROM collection_head h WHERE h.collection = dead_letter.collection)`,
        id,
      )
      return { replayed }
    })
  }

  pruneEvents(
    collection: string,
    options: { readonly before: number; readonly force?: boolean },
  ): Promise<{ readonly pruned: number }> {
    return pruneEvents(this.#host, collection, options)
  }

  /** Gives dead letters up. */
  async discard(name: string, which: WhichDeadLetters): Promise<{ readonly discarded: number }> {
    return this.#host.write((connection) => {
      const { id } = requireConsumer(connection, name)
      if (which === 'all')
        return { discarded: connection.run('DELETE FROM dead_letter WHERE consumer = ?', id) }
      const discarded = connection.run(
        'DELETE FROM dead_letter WHERE consumer = ? AND collection = ? AND position = ?',
        id,
        resolveCollection(connection, which.collection),
        which.position,
      )
      return { discarded }
    })
  }
}

/** Whoever holds the consumer no longer does. */
function takeAway(connection: Connection, consumer: ConsumerRow): void {
  connection.run('UPDATE consumer SET holder = NULL, fence = fence + 1, until = 0 WHERE id = ?', consumer.id)
}

const eventAt = (connection: Connection, collection: number, position: number) =>
  readEvents(connection, { collection, after: position - 1, limit: 1 }).events[0]!

function notReplayable(
  connection: Connection,
  name: string,
  consumer: number,
  collection: number,
  which: { readonly collection: string; readonly position: number },
): SpanStoreError {
  const { position } = which
  const floor = connection.value<number>(
    `SELECT h.floor FROM dead_letter d CROSS JOIN collection_head h ON h.collection = d.collection
     WHERE d.consumer = ? AND d.collection = ? AND d.position = ?`,
    consumer,
    collection,
    position,
  )
  if (floor !== undefined)
    return new SpanStoreError(
      'CURSOR_EXPIRED',
      `event ${position} of ${JSON.stringify(which.collection)} was pruned and cannot be replayed; discard it`,
      { collection: which.collection, position, oldest: floor + 1 },
    )
  return new SpanStoreError(
    'INVALID_ARGUMENT',
    `consumer ${JSON.stringify(name)} has no dead letter at position ${position} of ${JSON.stringify(which.collection)}; deadLetters lists them`,
    { path: 'position', value: position },
  )
}

function infoOf(connection: Connection, now: number, consumer: ConsumerRow): ConsumerInfo {
  const cursor = connection.rows<[Key, number]>(
    `SELECT c.key, k.position FROM consumer_cursor k CROSS JOIN collection c ON c.id = k.collection
     WHERE k.consumer = ?`,
    consumer.id,
  )
  return {
    name: consumer.name,
    filter: JSON.parse(consumer.filter) as EventFilter,
    start: JSON.parse(consumer.start) as Start,
    createdAt: consumer.created,
    cursor: encodeCursor(new Map(cursor)),
    deadLetters: connection.value<number>(
      'SELECT count(*) FROM dead_letter WHERE consumer = ?',
      consumer.id,
    )!,
    ...(consumer.until > now ? { leasedUntil: consumer.until } : {}),
  }
}
