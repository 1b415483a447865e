import { SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { SpanReason } from '../../core/model.ts'
import type { Retired } from '../../ports/ledger.ts'
import type { Commit } from './commit.ts'
import { CURRENT_METADATA, readSource, type SourceRow } from './heads.ts'
import { settleIdentical, watchedTombstones } from './identical.ts'
import { EMPTY, readPlaces } from './manifest.ts'
import { propagate } from './propagate.ts'
import { INSERT_AMENDMENT, INSERT_REVISION, keysOf, touchSource, writeHead } from './source-rows.ts'
import type { Connection } from './statements.ts'

interface LiveSpan {
  readonly id: number
  readonly hash: string | null
}

function liveSpans(connection: Connection, head: SourceRow): LiveSpan[] {
  return readPlaces(connection, head.last.tree).ids.flatMap((id) => {
    const row = connection.row<[string | null, number]>(
      'SELECT s.hash, EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id) FROM span s WHERE s.id = ?',
      id,
    )!
    return row[1] === 1 ? [] : [{ id, hash: row[0] }]
  })
}

function retireAll(
  commit: Commit,
  collection: number,
  source: number,
  spans: readonly LiveSpan[],
  reason: SpanReason,
) {
  const hashes = new Set<string>()
  for (const { id, hash } of spans) {
    commit.retireSpan(id, collection, source, reason)
    if (hash !== null) hashes.add(hash)
  }
  settleIdentical(commit, watchedTombstones(commit.connection, source, hashes))
}

/** `known`: its head, where this commit read it already. */
export function writeRemove(
  commit: Commit,
  collection: number,
  name: string,
  known?: { readonly head: SourceRow | undefined },
): Retired {
  const { connection } = commit
  const { head } = known ?? { head: readSource(connection, collection, name) }
  const nothing = { position: commit.position(collection), stale: [], retired: [] }
  if (head === undefined) return { ...nothing, already: [], absent: [name] }
  if (head.last.removed) return { ...nothing, already: [], absent: [] }
  const spans = liveSpans(connection, head)
  retireAll(commit, collection, head.id, spans, 'deleted')
  const number = head.revision + 1
  const position = commit.event(collection, 'source.removed', { source: head.id, number })
  connection
    .prepare(INSERT_REVISION)
    .run(
      head.id,
      number,
      position,
      commit.at,
      1,
      head.last.chunker,
      head.last.metadata,
      null,
      EMPTY.tail,
      null,
      0,
    )
  writeHead(connection, head.id, {
    revision: number,
    live: 0,
    described: head.described,
    fingerprint: null,
    expires: null,
  })
  const stale = propagate(commit)
  return {
    position: commit.position(collection),
    retired: keysOf(
      connection,
      spans.map((span) => span.id),
    ),
    already: [],
    absent: [],
    stale,
  }
}

export interface Found {
  readonly id: number
  readonly key: Key
  readonly kind: number
  readonly source: number | null
  readonly hash: string | null
  readonly dead: boolean
}

export function findNodes(connection: Connection, collection: number, keys: readonly string[]) {
  const found: Found[] = []
  const absent: string[] = []
  for (const key of new Set(keys)) {
    const row = connection.row<[number, Key, number, number | null, string | null, number]>(
      `SELECT s.id, s.key, s.kind, s.source, s.hash, EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)
       FROM span s WHERE s.key = ? AND s.collection = ?`,
      key,
      collection,
    )
    if (row === undefined) absent.push(key)
    else
      found.push({ id: row[0], key: row[1], kind: row[2], source: row[3], hash: row[4], dead: row[5] === 1 })
  }
  return { found, absent }
}

export function writeRetire(
  commit: Commit,
  collection: number,
  keys: readonly string[],
  reason: 'deleted' | 'evicted' | 'expired',
): Retired {
  const { connection } = commit
  const { found, absent } = findNodes(connection, collection, keys)
  const live = found.filter((node) => !node.dead)
  for (const [source, spans] of groupBySource(live)) {
    retireAll(commit, collection, source, spans, reason)
    touchSource(connection, source, spans.length)
  }
  for (const summary of live.filter((node) => node.kind === 1)) discardSummary(commit, collection, summary.id)
  const stale = propagate(commit)
  return {
    position: commit.position(collection),
    retired: live.map((node) => node.key),
    already: found.filter((node) => node.dead).map((node) => node.key),
    absent,
    stale,
  }
}

function groupBySource(nodes: readonly Found[]): Map<number, Found[]> {
  const groups = new Map<number, Found[]>()
  for (const node of nodes) {
    if (node.source === null) continue
    const group = groups.get(node.source)
    if (group === undefined) groups.set(node.source, [node])
    else group.push(node)
  }
  return groups
}

/** A summary is withdrawn without a replacement. */
export function discardSummary(commit: Commit, collection: number, summary: number): void {
  const { connection } = commit
  const position = commit.event(collection, 'span.retired', { node: summary, number: 6 })
  commit.retireSummary(summary, 'discarded', position)
  const stranded = connection.rows<[number]>('SELECT span FROM identical WHERE target = ?', summary)
  settleIdentical(
    commit,
    stranded.map(([span]) => span),
  )
}

/** Retires what is due. What has become a tombstone stays one, whatever the clock does later. */
export function writeExpired(commit: Commit): void {
  const { connection } = commit
  for (const [source, collection, name, collectionDropped] of connection.rows<
    [number, number, string, number | null]
  >(
    `SELECT o.id, o.collection, o.name, c.dropped FROM source_head h CROSS JOIN source o ON o.id = h.source
     CROSS JOIN collection_head c ON c.collection = o.collection WHERE h.expires <= ?`,
    commit.at,
  )) {
    // Spans of a dropped collection are tombstones already, and stay what they are.
    if (collectionDropped === null) {
      const spans = liveSpans(connection, readSource(connection, collection, name)!)
      retireAll(commit, collection, source, spans, 'expired')
      touchSource(connection, source, spans.length)
    }
    connection.run('UPDATE source_head SET expires = NULL WHERE source = ?', source)
  }
  propagate(commit)
}

export function writeUpdate(
  commit: Commit,
  collection: number,
  keys: readonly string[],
  patch: (metadata: string | undefined) => string | undefined,
) {
  const { connection } = commit
  const { found, absent } = findNodes(connection, collection, keys)
  const refused = [
    ...absent.map((key) => ({ key, status: 'absent' as const })),
    ...found
      .filter((node) => node.dead || node.source === null)
      .map(({ key, dead }) => ({ key, status: dead ? ('tombstone' as const) : ('absent' as const) })),
  ]
  if (refused.length > 0)
    throw new SpanStoreError(
      'KEY_NOT_LIVE',
      `metadata can be changed of live spans only; not live here: ${refused.map(({ key, status }) => `${key} (${status})`).join(', ')}`,
      { keys: refused },
    )
  const updated: Key[] = []
  for (const { id, key, source } of found) {
    const before = connection.value<string | null>(
      `SELECT ${CURRENT_METADATA} FROM span s WHERE s.id = ?`,
      id,
    )
    const after = patch(before === '{}' ? undefined : (before ?? undefined)) ?? '{}'
    if (after === (before ?? '{}')) continue
    const position = commit.event(collection, 'span.updated', { node: id, source: source!, number: 1 })
    connection.prepare(INSERT_AMENDMENT).run(id, position, after)
    connection.run(
      'UPDATE source_head SET version = version + 1, described = 1, fingerprint = NULL WHERE source = ?',
      source,
    )
    updated.push(key)
  }
  return { position: commit.position(collection), stale: [], updated }
}
