import type {
  ConsumerCursor,
  EventFilter,
  EventLog,
  Failure,
  Lease,
  Replay,
  Settlement,
  Start,
} from '../../core/consumer.ts'
import { isSpanStoreError, SpanStoreError } from '../../core/errors.ts'
import {
  admittedHeads,
  type ConsumerHost,
  openConsumer,
  setCursor,
  startPositions,
  unknownCollection,
  type Write,
} from './consumer-rows.ts'
import { readEvents } from './events.ts'
import { SharedReads } from './shared-reads.ts'
import { type Connection, insertInto } from './statements.ts'

/** Dead letters handed out at a time. */
const REPLAYS = 100

interface EventLogHost extends ConsumerHost {
  /** A write without the doorbell: nobody waits for what a consumer acknowledged. */
  readonly settle: Write
}

/** What a subscription reads and, for a consumer, writes. Every write checks that the lease is still held. */
export class SqliteEventLog implements EventLog {
  readonly #host: EventLogHost
  readonly #reads: SharedReads
  #unsettled: Unsettled[] = []

  constructor(host: EventLogHost) {
    this.#host = host
    this.#reads = new SharedReads(host.connection)
  }

  async begin(filter: EventFilter, start: Start) {
    return startPositions(this.#host.connection, filter, start)
  }

  async requireCollections({ collections }: EventFilter) {
    for (const named of collections ?? [])
      if (admittedHeads(this.#host.connection, { collections: [named] }).length === 0)
        throw unknownCollection(named)
  }

  async look(filter: EventFilter, lease?: Lease) {
    const { connection } = this.#host
    if (lease !== undefined) requireLease(connection, lease)
    return {
      heads: this.#reads.get(keyOf('heads', filter.collections), () => admittedHeads(connection, filter)),
      replays: lease === undefined ? [] : readReplays(connection, lease.consumer),
    }
  }

  async read(ref: number, after: number, limit: number, filter: EventFilter) {
    const { types, sources, keys } = filter
    return this.#reads.get(keyOf(`events ${ref} ${after} ${limit}`, types, sources, keys), () =>
      readEvents(this.#host.connection, { collection: ref, after, limit, filter }),
    )
  }

  acquire(
    name: string,
    options: {
      readonly filter: EventFilter
      readonly start: Start
      readonly holder: string
      readonly duration: number
    },
  ) {
    const { filter, start, holder, duration } = options
    return this.#host.write((connection, now) => {
      const consumer = openConsumer(connection, now, name, filter, start)
      if (consumer.until > now && consumer.holder !== holder)
        throw new SpanStoreError(
          'CONSUMER_LEASED',
          `consumer ${JSON.stringify(name)} is held by another subscription until ${new Date(consumer.until).toISOString()}; end that one, or subscribe with wait: true`,
          { consumer: name, until: consumer.until },
        )
      const fence = consumer.fence + 1
      connection.run(
        'UPDATE consumer SET holder = ?, fence = ?, until = ? WHERE id = ?',
        holder,
        fence,
        now + duration,
        consumer.id,
      )
      const lease: Lease = { consumer: consumer.id, name, holder, fence, duration }
      return { lease, cursors: readCursors(connection, consumer.id) }
    })
  }

  /** Settlements of one turn, of any consumers, share a commit: each commit costs a sync of the disk. */
  settle(lease: Lease, settlement: Settlement): Promise<void> {
    const settled = new Promise<void>((resolve, reject) => {
      this.#unsettled.push({ lease, settlement, resolve, reject })
    })
    if (this.#unsettled.length === 1) setImmediate(() => void this.#settleAll())
    return settled
  }

  async #settleAll(): Promise<void> {
    const batch = this.#unsettled
    this.#unsettled = []
    const lost = new Map<Unsettled, unknown>()
    try {
      await this.#host.settle((connection, now) => {
        for (const one of batch) {
          try {
            settleOne(connection, now, one)
          } catch (error) {
            // Nothing of it was written; the others of this commit do not suffer for it.
            if (!isSpanStoreError(error, 'LEASE_LOST')) throw error
            lost.set(one, error)
          }
        }
      })
      for (const one of batch)
        if (lost.has(one)) one.reject(lost.get(one))
        else one.resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  release(lease: Lease, positions: ReadonlyMap<number, number>): Promise<void> {
    return this.#host.write((connection) => {
      if (!isHeld(connection, lease)) return
      advance(connection, lease, positions)
      // The holder's name stays: a consumer made anew under a reused id must not take its acknowledgements.
      connection.run('UPDATE consumer SET until = 0 WHERE id = ?', lease.consumer)
    })
  }
}

interface Unsettled {
  readonly lease: Lease
  readonly settlement: Settlement
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function settleOne(connection: Connection, now: number, { lease, settlement }: Unsettled): void {
  const until = requireLease(connection, lease)
  // A lease let go stays free; until another takes it, what was delivered under it can be acknowledged.
  if (until !== 0)
    connection.run('UPDATE consumer SET until = ? WHERE id = ?', now + lease.duration, lease.consumer)
  advance(connection, lease, settlement.advance)
  for (const failure of settlement.failures) fail(connection, lease, failure, now)
  for (const { ref, position } of settlement.replayed)
    connection.run(
      'DELETE FROM dead_letter WHERE consumer = ? AND collection = ? AND position = ?',
      lease.consumer,
      ref,
      position,
    )
}

/** Equal for equal questions. */
const keyOf = (what: string, ...filters: readonly (readonly string[] | undefined)[]): string =>
  filters.every((filter) => filter === undefined) ? what : `${what} ${JSON.stringify(filters)}`

function leaseUntil(connection: Connection, lease: Lease): number | undefined {
  return connection.value<number>(
    'SELECT until FROM consumer WHERE id = ? AND holder = ? AND fence = ?',
    lease.consumer,
    lease.holder,
    lease.fence,
  )
}

const isHeld = (connection: Connection, lease: Lease) => leaseUntil(connection, lease) !== undefined

/** An expired lease that nobody else took is still held: there is no other holder to be protected from. */
function requireLease(connection: Connection, lease: Lease): number {
  const until = leaseUntil(connection, lease)
  if (until !== undefined) return until
  throw new SpanStoreError(
    'LEASE_LOST',
    `this subscription no longer holds consumer ${JSON.stringify(lease.name)}: another took it, or it was reset or deleted; what was not acknowledged is delivered again to its next holder`,
    { consumer: lease.name },
  )
}

function readCursors(connection: Connection, consumer: number): Map<number, ConsumerCursor> {
  return new Map(
    connection
      .rows<[number, number, number, number]>(
        'SELECT collection, position, attempts, due FROM consumer_cursor WHERE consumer = ?',
        consumer,
      )
      .map(([ref, position, attempts, due]) => [ref, { position, attempts, due }]),
  )
}

function readReplays(connection: Connection, consumer: number): Replay[] {
  return connection
    .rows<[number, number, number]>(
      `SELECT collection, position, attempts FROM dead_letter WHERE consumer = ? AND replay = 1
       ORDER BY collection, position LIMIT ${REPLAYS}`,
      consumer,
    )
    .map(([ref, position, attempts]) => ({ ref, position, attempts }))
}

const ADVANCE = `
  ${insertInto('consumer_cursor', ['consumer', 'collection', 'position', 'attempts', 'due', 'error'])}
  ON CONFLICT DO UPDATE SET position = excluded.position, attempts = 0, due = 0, error = NULL
  WHERE position < excluded.position`

function advance(connection: Connection, lease: Lease, positions: ReadonlyMap<number, number>): void {
  for (const [collection, position] of positions)
    connection.prepare(ADVANCE).run(lease.consumer, collection, position, 0, 0, null)
}

const DEAD_LETTER = `
  ${insertInto('dead_letter', ['consumer', 'collection', 'position', 'attempts', 'error', 'at', 'replay'])}
  ON CONFLICT DO UPDATE SET attempts = excluded.attempts, error = excluded.error, at = excluded.at, replay = 0`

function fail(connection: Connection, lease: Lease, failure: Failure, now: number): void {
  const { ref, position, attempts, due } = failure
  const error = failure.error ?? null
  if (due === undefined) {
    connection.prepare(DEAD_LETTER).run(lease.consumer, ref, position, attempts, error, now, 0)
    advance(connection, lease, new Map([[ref, position]]))
    return
  }
  setCursor(connection, lease.consumer, ref, position - 1)
  connection.run(
    'UPDATE consumer_cursor SET attempts = ?, due = ?, error = ? WHERE consumer = ? AND collection = ?',
    attempts,
    due,
    error,
    lease.consumer,
    ref,
  )
}
