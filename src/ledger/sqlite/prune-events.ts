import type { EventFilter } from '../../core/consumer.ts'
import { SpanStoreError } from '../../core/errors.ts'
import { admittedHeads, type ConsumerHost, resolveCollection } from './consumer-rows.ts'
import type { Connection } from './statements.ts'

/** Deleted per transaction, so that other writers get their turn. */
const STRIDE = 20_000

/**
 * Drops the events of a collection before a position. From then on a cursor that has not read them is
 * CURSOR_EXPIRED. Refused while a consumer has one of them unacknowledged or among its dead letters, unless forced.
 * The rows go in several transactions after the one that decides; whatever a crash leaves is invisible, and the
 * next call removes it.
 *
 * @throws INVALID_ARGUMENT, COLLECTION_UNKNOWN, POSITION_UNKNOWN
 */
export async function pruneEvents(
  host: ConsumerHost,
  collection: string,
  options: { readonly before: number; readonly force?: boolean },
): Promise<{ readonly pruned: number }> {
  const { before, force = false } = options
  if (!Number.isSafeInteger(before) || before < 1)
    throw new SpanStoreError('INVALID_ARGUMENT', `before: ${before} is not a position`, {
      path: 'before',
      value: before,
    })
  const { ref, floor } = await host.write((connection) => {
    const ref = resolveCollection(connection, collection)
    const [head, floor] = connection.row<[number, number]>(
      'SELECT position, floor FROM collection_head WHERE collection = ?',
      ref,
    )!
    if (before > head + 1)
      throw new SpanStoreError(
        'POSITION_UNKNOWN',
        `${JSON.stringify(collection)} has no position ${before - 1} yet; its latest is ${head}`,
        { position: before - 1, latest: head },
      )
    const raised = Math.max(floor, before - 1)
    if (!force) refuseUnread(connection, ref, collection, raised)
    connection.run('UPDATE collection_head SET floor = ? WHERE collection = ?', raised, ref)
    connection.run('UPDATE dead_letter SET replay = 0 WHERE collection = ? AND position <= ?', ref, raised)
    return { ref, floor: raised }
  })
  let pruned = 0
  for (;;) {
    const gone = await host.write((connection) => {
      const first = connection.value<number | null>(
        'SELECT min(position) FROM event WHERE collection = ?',
        ref,
      )
      if (first == null) return 0
      return connection.run(
        'DELETE FROM event WHERE collection = ? AND position <= ?',
        ref,
        Math.min(floor, first + STRIDE),
      )
    })
    if (gone === 0) return { pruned }
    pruned += gone
  }
}

function refuseUnread(connection: Connection, ref: number, collection: string, floor: number): void {
  for (const [id, name, filter] of connection.rows<[number, string, string]>(
    'SELECT id, name, filter FROM consumer ORDER BY name',
  )) {
    const admitted = admittedHeads(connection, JSON.parse(filter) as EventFilter)
    if (!admitted.some((head) => head.ref === ref)) continue
    const cursor = connection.value<number>(
      'SELECT position FROM consumer_cursor WHERE consumer = ? AND collection = ?',
      id,
      ref,
    )
    const dead = connection.value<number | null>(
      'SELECT min(position) FROM dead_letter WHERE consumer = ? AND collection = ? AND position <= ?',
      id,
      ref,
      floor,
    )
    if ((cursor ?? 0) >= floor && dead == null) continue
    const why =
      dead == null ? `has acknowledged only up to ${cursor ?? 0}` : `has a dead letter at position ${dead}`
    throw new SpanStoreError(
      'INVALID_ARGUMENT',
      `before: consumer ${JSON.stringify(name)} ${why} of ${JSON.stringify(collection)}; let it finish, delete it, or pass force: true`,
      { path: 'before', value: floor + 1 },
    )
  }
}
