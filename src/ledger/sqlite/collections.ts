import { SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { Metric, WriteResult } from '../../core/model.ts'
import type { CollectionInfo } from '../../ports/ledger.ts'
import type { Commit } from './commit.ts'
import { propagate } from './propagate.ts'
import { type Connection, insertInto } from './statements.ts'

const INFO = `
  SELECT c.id, c.key, h.name, c.metric, h.position, h.live, e.name
  FROM collection_head h CROSS JOIN collection c ON c.id = h.collection
  LEFT JOIN embedder e ON e.id = h.embedder WHERE h.dropped IS NULL`

type InfoRow = [number, Key, string, Metric, number, number, string | null]

const toInfo = ([ref, id, name, metric, position, live, embedder]: InfoRow): CollectionInfo => ({
  ref,
  id,
  name,
  metric,
  position,
  live,
  ...(embedder === null ? {} : { embedder }),
})

export const listCollections = (connection: Connection): CollectionInfo[] =>
  connection.rows<InfoRow>(`${INFO} ORDER BY h.name`).map(toInfo)

export function findCollection(connection: Connection, name: string): CollectionInfo | undefined {
  const row = connection.row<InfoRow>(`${INFO} AND h.name = ?`, name)
  return row && toInfo(row)
}

/** Refuses work on a collection that another handle or process dropped meanwhile. */
export function requireCollection(connection: Connection, ref: number): void {
  const row = connection.row<[string, number | null]>(
    'SELECT name, dropped FROM collection_head WHERE collection = ?',
    ref,
  )
  if (row?.[1] === null) return
  throw new SpanStoreError(
    'COLLECTION_DROPPED',
    `collection ${JSON.stringify(row?.[0])} was dropped; open it anew with recreate: true`,
    { collection: row?.[0] ?? String(ref) },
  )
}

export function checkMetric(info: CollectionInfo, metric: Metric | undefined): CollectionInfo {
  if (metric === undefined || metric === info.metric) return info
  throw new SpanStoreError(
    'COLLECTION_MISMATCH',
    `collection ${JSON.stringify(info.name)} has the metric ${info.metric}, not ${metric}; open it with ${info.metric}, or use another name`,
    { collection: info.name, expected: info.metric, actual: metric },
  )
}

/** What became of a name no live collection has; throws unless it may be taken. */
function refuseUsedName(connection: Connection, name: string, recreate: boolean): void {
  if (recreate) return
  const before = connection.row<[string, number | null]>(
    `SELECT h.name, h.dropped FROM collection_name n CROSS JOIN collection_head h ON h.collection = n.collection
     WHERE n.name = ? ORDER BY n.collection DESC LIMIT 1`,
    name,
  )
  if (before === undefined) return
  if (before[1] !== null)
    throw new SpanStoreError(
      'COLLECTION_DROPPED',
      `collection ${JSON.stringify(name)} was dropped; pass recreate: true for a new one of that name`,
      { collection: name },
    )
  throw new SpanStoreError(
    'COLLECTION_RENAMED',
    `collection ${JSON.stringify(name)} is now called ${JSON.stringify(before[0])}; open that, or pass recreate: true for a new one`,
    { collection: name, now: before[0] },
  )
}

export function writeCollection(
  commit: Commit,
  name: string,
  metric: Metric,
  recreate: boolean,
  key: Key,
): CollectionInfo {
  const { connection } = commit
  const found = findCollection(connection, name)
  if (found !== undefined) return found
  refuseUsedName(connection, name, recreate)
  const id = Number(
    connection.prepare(insertInto('collection', ['key', 'metric', 'at'])).run(key, metric, commit.at)
      .lastInsertRowid,
  )
  connection
    .prepare(insertInto('collection_head', ['collection', 'name', 'position', 'floor', 'live']))
    .run(id, name, 0, 0, 0)
  connection.run(`${insertInto('collection_name', ['name', 'collection'])} ON CONFLICT DO NOTHING`, name, id)
  commit.event(id, 'collection.created', { data: JSON.stringify({ name, metric }) })
  return { ref: id, id: key, name, metric, position: 1, live: 0 }
}

/** @throws COLLECTION_UNKNOWN, COLLECTION_RENAMED, COLLECTION_DROPPED */
export function knownCollection(connection: Connection, name: string): CollectionInfo {
  const found = findCollection(connection, name)
  if (found !== undefined) return found
  refuseUsedName(connection, name, false)
  throw new SpanStoreError(
    'COLLECTION_UNKNOWN',
    `no collection is called ${JSON.stringify(name)}; store.collections() lists them`,
    { collection: name },
  )
}

export function writeRename(commit: Commit, name: string, to: string): void {
  const { connection } = commit
  const found = knownCollection(connection, name)
  if (name === to) return
  if (findCollection(connection, to) !== undefined)
    throw new SpanStoreError(
      'COLLECTION_EXISTS',
      `a collection is called ${JSON.stringify(to)} already; drop or rename it first`,
      { collection: to },
    )
  connection.run('UPDATE collection_head SET name = ? WHERE collection = ?', to, found.ref)
  connection.run(
    `${insertInto('collection_name', ['name', 'collection'])} ON CONFLICT DO NOTHING`,
    to,
    found.ref,
  )
  commit.event(found.ref, 'collection.renamed', { data: JSON.stringify({ from: name, to }) })
}

/** Touches no span: they answer `deleted` because their collection is gone. Dependents outside get their causes. */
export function writeDrop(commit: Commit, name: string): WriteResult {
  const { connection } = commit
  const found = knownCollection(connection, name)
  const position = commit.event(found.ref, 'collection.dropped', { data: JSON.stringify({ name }) })
  connection.run(
    'UPDATE collection_head SET dropped = ?, dropped_at = ? WHERE collection = ?',
    position,
    commit.at,
    found.ref,
  )
  commit.clearLive(found.ref)
  for (const [support] of connection.rows<[number]>(
    'SELECT DISTINCT support FROM dependency WHERE "foreign" = ?',
    found.ref,
  ))
    commit.unsettled.add(support)
  const stale = propagate(commit)
  return { position: commit.position(found.ref), stale }
}
