import { createHmac } from 'node:crypto'
import { SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { PutResult, SpanReason } from '../../core/model.ts'
import type { Computed, NewSpan, PlannedAppend, PlannedPut, Retired } from '../../ports.ts'
import type { Commit } from './commit.ts'
import { CURRENT_METADATA, readSource, type SourceRow } from './heads.ts'
import { settleIdentical, watchedTombstones } from './identical.ts'
import { appendPlaces, EMPTY, type Places, readPlaces, type Tree, writePlaces } from './manifest.ts'
import { propagate } from './propagate.ts'
import { type Connection, insertInto } from './statements.ts'

const INSERT_REVISION = insertInto('revision', [
  'source',
  'number',
  'position',
  'at',
  'removed',
  'chunker',
  'metadata',
  'root',
  'tail',
  'trailing',
  'spans',
])
const INSERT_AMENDMENT = insertInto('amendment', ['span', 'position', 'metadata'])
const INSERT_SUPPLIED = insertInto('supplied', ['span', 'position', 'vector'])
const INSERT_REFUSAL = `${insertInto('refusal', ['source', 'code'])} ON CONFLICT DO NOTHING`

// ── sources ─────────────────────────────────────────────────────────────────────────────────────────────────

function sourceId(connection: Connection, collection: number, name: string): number {
  return (
    connection.value<number>('SELECT id FROM source WHERE collection = ? AND name = ?', collection, name) ??
    Number(
      connection.prepare(insertInto('source', ['collection', 'name'])).run(collection, name).lastInsertRowid,
    )
  )
}

interface HeadUpdate {
  revision: number
  live: number
  described: boolean
  fingerprint: string | null
  expires: number | null
}

function writeHead(connection: Connection, source: number, head: HeadUpdate): void {
  connection.run(
    `INSERT INTO source_head (source, version, revision, live, described, fingerprint, expires)
     VALUES (?, 1, ?, ?, ?, ?, ?)
     ON CONFLICT (source) DO UPDATE SET version = version + 1, revision = excluded.revision, live = excluded.live,
       described = excluded.described, fingerprint = excluded.fingerprint, expires = excluded.expires`,
    source,
    head.revision,
    head.live,
    head.described ? 1 : 0,
    head.fingerprint,
    head.expires,
  )
}

/** Something of the source changed outside its revisions: plans made before are refused, `unchanged` is worked out anew. */
export function touchSource(connection: Connection, source: number, retired: number): void {
  connection.run(
    'UPDATE source_head SET version = version + 1, live = live - ?, fingerprint = NULL WHERE source = ?',
    retired,
    source,
  )
}

function writeRevision(
  commit: Commit,
  collection: number,
  source: number,
  revision: {
    number: number
    chunker: string | null
    metadata: string | null
    tree: Tree
    trailing: number | null
    spans: number
    counts: { kept: number; added: number; retired: number }
  },
): number {
  const position = commit.event(collection, 'source.revised', {
    source,
    number: revision.number,
    data: JSON.stringify(revision.counts),
  })
  commit.connection
    .prepare(INSERT_REVISION)
    .run(
      source,
      revision.number,
      position,
      commit.at,
      0,
      revision.chunker,
      revision.metadata,
      revision.tree.root,
      revision.tree.tail,
      revision.trailing,
      revision.spans,
    )
  return position
}

/** The id of a text between spans; blank ones are shared by all sources. */
function gapId(connection: Connection, source: number, text: string): number {
  if (text.trim() === '') {
    return (
      connection.value<number>('SELECT id FROM gap WHERE source IS NULL AND text = ?', text) ??
      Number(connection.prepare(insertInto('gap', ['source', 'text'])).run(null, text).lastInsertRowid)
    )
  }
  return Number(connection.prepare(insertInto('gap', ['source', 'text'])).run(source, text).lastInsertRowid)
}

// ── erased texts and vectors ────────────────────────────────────────────────────────────────────────────────

function refusalCode(connection: Connection, text: string): string {
  const secret = connection.value<string>('SELECT secret FROM store')!
  return createHmac('sha256', secret).update(text).digest('base64url')
}

export function rememberErased(connection: Connection, source: number, text: string): void {
  connection.run(INSERT_REFUSAL, source, refusalCode(connection, text))
}

function refuseErased(
  connection: Connection,
  source: number,
  name: string,
  spans: readonly (NewSpan | undefined)[],
  readmit: boolean,
) {
  if (readmit || connection.value('SELECT 1 FROM refusal WHERE source = ? LIMIT 1', source) === undefined)
    return
  const ordinals = spans.flatMap((span, i) =>
    span?.text !== undefined &&
    connection.value(
      'SELECT 1 FROM refusal WHERE source = ? AND code = ?',
      source,
      refusalCode(connection, span.text),
    ) !== undefined
      ? [i]
      : [],
  )
  if (ordinals.length === 0) return
  throw new SpanStoreError(
    'ERASED_TEXT',
    `source ${JSON.stringify(name)}: ${ordinals.length === 1 ? `chunk ${ordinals[0]} was` : `chunks ${ordinals.join(', ')} were`} erased from it; leave the text out, or take it back with readmit: true`,
    { source: name, ordinals },
  )
}

/** Finds or makes the (collection, embedder) pair, whose first vector fixes the dimensions. */
function embedderId(connection: Connection, collection: number, name: string, dimensions: number): number {
  const row = connection.row<[number, number]>(
    'SELECT id, dimensions FROM embedder WHERE collection = ? AND name = ?',
    collection,
    name,
  )
  if (row === undefined)
    return Number(
      connection
        .prepare(insertInto('embedder', ['collection', 'name', 'dimensions']))
        .run(collection, name, dimensions).lastInsertRowid,
    )
  if (row[1] !== dimensions)
    throw new SpanStoreError(
      'INVALID_VECTOR',
      `a vector of ${dimensions} dimensions; ${name === '' ? 'vectors supplied to this collection' : `embedder ${name}`} has ${row[1]}`,
      { path: 'vector', expected: row[1], actual: dimensions },
    )
  return row[0]
}

const bytes = (vector: Float32Array) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)

function writeSupplied(
  connection: Connection,
  collection: number,
  span: number,
  position: number,
  vector: Float32Array,
) {
  embedderId(connection, collection, '', vector.length)
  connection.prepare(INSERT_SUPPLIED).run(span, position, bytes(vector))
}

function lastSupplied(connection: Connection, span: number): Buffer | undefined {
  return connection.value<Buffer>(
    'SELECT vector FROM supplied WHERE span = ? ORDER BY position DESC LIMIT 1',
    span,
  )
}

export function writeComputed(
  connection: Connection,
  collection: number,
  computed: Computed | undefined,
): void {
  if (computed === undefined || computed.vectors.size === 0) return
  const embedder = embedderId(connection, collection, computed.embedder, computed.dimensions)
  const active = connection.value<number | null>(
    'SELECT embedder FROM collection_head WHERE collection = ?',
    collection,
  )
  if (active === null)
    connection.run('UPDATE collection_head SET embedder = ? WHERE collection = ?', embedder, collection)
  else if (active !== embedder) {
    // Another process was first: the handle that embedded did not know yet.
    const [name, expected] = connection.row<[string, string]>(
      'SELECT h.name, e.name FROM collection_head h CROSS JOIN embedder e ON e.id = h.embedder WHERE h.collection = ?',
      collection,
    )!
    throw new SpanStoreError(
      'EMBEDDER_MISMATCH',
      `collection ${JSON.stringify(name)} uses the embedder ${expected}, this process holds ${computed.embedder}; open the store with the former, or switch the collection`,
      { collection: name, expected, actual: computed.embedder },
    )
  }
  for (const [hash, vector] of computed.vectors)
    connection.run(
      `${insertInto('embedding', ['hash', 'name', 'vector'])} ON CONFLICT DO NOTHING`,
      hash,
      computed.embedder,
      bytes(vector),
    )
}

const NO_PLACES: Places = { ids: [], leads: [] }

// ── put and append ──────────────────────────────────────────────────────────────────────────────────────────

function mint(
  commit: Commit,
  collection: number,
  source: number,
  revision: number,
  spans: readonly NewSpan[],
) {
  const added = commit.addSpans(collection, source, revision, spans)
  spans.forEach(({ vector }, i) => {
    if (vector !== undefined)
      writeSupplied(commit.connection, collection, added[i]!.id, added[i]!.position, vector)
  })
  return added
}

/** `undefined`: the source moved since the put was planned. */
export function writePut(commit: Commit, collection: number, put: PlannedPut): PutResult | undefined {
  const { connection } = commit
  const head = readSource(connection, collection, put.source)
  if ((head?.version ?? 0) !== put.version) return undefined
  const { changeset, chunks, window } = put
  const { entries } = window
  if (put.unchanged !== undefined && !bringsVectors(connection, put)) return put.unchanged
  const source = head?.id ?? sourceId(connection, collection, put.source)
  // What is kept is there already: readmitted, or another span of the same few words.
  const brought = changeset.slots.map((slot) => ('keep' in slot ? undefined : chunks[slot.mint]!))
  refuseErased(connection, source, put.source, brought, put.readmit)

  const number = (head?.revision ?? 0) + 1
  const minted = changeset.slots.flatMap((slot) => ('keep' in slot ? [] : [chunks[slot.mint]!]))
  const nodes = mint(commit, collection, source, number, minted)
  const added = nodes.map(({ key }) => key)
  let next = 0
  const ids = changeset.slots.map((slot) => ('keep' in slot ? entries[slot.keep]!.id : nodes[next++]!.id))
  const hashes = new Set<string>()
  for (const { hash } of minted) if (hash !== undefined) hashes.add(hash)

  const retired: number[] = []
  for (const { entry, reason, successors } of changeset.retired) {
    const { id, hash } = entries[entry]!
    commit.retireSpan(
      id,
      collection,
      source,
      reason,
      successors.map((chunk) => ids[chunk]!),
    )
    retired.push(id)
    if (hash !== undefined) hashes.add(hash)
    // A successor that was there before is now reached by older tombstones, too.
    for (const chunk of successors) if (chunks[chunk]!.hash !== undefined) hashes.add(chunks[chunk]!.hash)
  }
  for (const [entry, chunk] of changeset.restored) commit.link(entries[entry]!.id, ids[chunk]!, 1, 0)
  for (const entry of changeset.moved)
    commit.event(collection, 'span.moved', { node: entries[entry]!.id, source, number })
  amendKept(commit, collection, source, put)

  const total = window.before + chunks.length + window.after
  const old = head === undefined ? NO_PLACES : readPlaces(connection, head.last.tree)
  const from = old.ids.length - window.after
  const leads = leadsOf(connection, source, put, old)
  const position = writeRevision(commit, collection, source, {
    number,
    chunker: put.chunker ?? null,
    metadata: put.metadata ?? null,
    tree: writePlaces(connection, head?.last.tree ?? EMPTY, {
      ids: [...old.ids.slice(0, window.before), ...ids, ...old.ids.slice(from)],
      leads: [...old.leads.slice(0, window.before), ...leads, ...old.leads.slice(from)],
    }),
    trailing: trailingOf(connection, source, put.trailing, head),
    spans: total,
    counts: { kept: total - added.length, added: added.length, retired: retired.length },
  })
  writeHead(connection, source, {
    revision: number,
    live: total,
    described: (head?.described ?? false) || chunks.some((chunk) => chunk.metadata !== undefined),
    fingerprint: put.fingerprint,
    expires: put.expiresAt ?? null,
  })
  settleIdentical(commit, watchedTombstones(connection, source, hashes))
  const stale = propagate(commit)
  return {
    source: put.source,
    revision: number,
    position,
    outcome: head === undefined || head.last.removed ? 'created' : 'revised',
    kept: total - added.length,
    added,
    retired: keysOf(connection, retired),
    stale,
  }
}

/** Whether a put that is otherwise what is live supplies a vector that is not. */
const bringsVectors = (connection: Connection, { changeset, window, chunks }: PlannedPut): boolean =>
  changeset.slots.some((slot, i) => {
    const { vector } = chunks[i]!
    return (
      vector !== undefined &&
      !('keep' in slot && lastSupplied(connection, window.entries[slot.keep]!.id)?.equals(bytes(vector)))
    )
  })

/** Metadata and supplied vectors of kept spans, where they changed. */
function amendKept(commit: Commit, collection: number, source: number, put: PlannedPut): void {
  const { connection } = commit
  const updated = new Set(put.changeset.updated)
  const withVectors = put.chunks.some((chunk) => chunk.vector !== undefined)
  if (updated.size === 0 && !withVectors) return
  for (const slot of put.changeset.slots) {
    if (!('keep' in slot)) continue
    const { id } = put.window.entries[slot.keep]!
    const { metadata, vector } = put.chunks[slot.chunk]!
    const newVector = vector !== undefined && !lastSupplied(connection, id)?.equals(bytes(vector))
    const fields = (updated.has(slot.keep) ? 1 : 0) + (newVector ? 2 : 0)
    if (fields === 0) continue
    const position = commit.event(collection, 'span.updated', { node: id, source, number: fields })
    if (updated.has(slot.keep)) connection.prepare(INSERT_AMENDMENT).run(id, position, metadata ?? '{}')
    if (newVector) writeSupplied(connection, collection, id, position, vector)
  }
}

/** Encoded leads of the new manifest. A kept span's own gap keeps its row when the text between is the same. */
function leadsOf(connection: Connection, source: number, put: PlannedPut, old: Places): number[] {
  const blanks = new Map<string, number>()
  return put.changeset.slots.map((slot, i) => {
    const { gap, overlap } = put.chunks[i]!.lead
    if (overlap > 0) return 2 * overlap - 1
    if (gap === '') return 0
    if (gap.trim() === '') {
      let id = blanks.get(gap)
      if (id === undefined) {
        id = gapId(connection, source, gap)
        blanks.set(gap, id)
      }
      return 2 * id
    }
    if ('keep' in slot) {
      const entry = put.window.entries[slot.keep]!
      if (entry.lead.gap === gap) return old.leads[put.window.before + slot.keep]!
    }
    return 2 * gapId(connection, source, gap)
  })
}

function trailingOf(
  connection: Connection,
  source: number,
  text: string,
  head: SourceRow | undefined,
): number | null {
  if (text === '') return null
  const last = head?.last.trailing
  if (last != null && connection.value<string>('SELECT text FROM gap WHERE id = ?', last) === text)
    return last
  return gapId(connection, source, text)
}

export function writeAppend(commit: Commit, collection: number, append: PlannedAppend): PutResult {
  const { connection } = commit
  const head = readSource(connection, collection, append.source)
  if (append.spans.length === 0 && head !== undefined && !head.last.removed)
    return {
      source: append.source,
      revision: head.revision,
      position: head.last.position,
      outcome: 'unchanged',
      kept: head.live,
      added: [],
      retired: [],
      stale: [],
    }
  const source = head?.id ?? sourceId(connection, collection, append.source)
  refuseErased(connection, source, append.source, append.spans, append.readmit)
  const number = (head?.revision ?? 0) + 1
  const started = head !== undefined && head.last.spans > 0
  // Text after the last span stands between it and the first appended one.
  const separator = 2 * (head?.last.trailing ?? 0)
  const plain = 2 * gapId(connection, source, '\n')
  const places: Places = { ids: [], leads: [] }
  const hashes = new Set<string>()
  const nodes = mint(commit, collection, source, number, append.spans)
  const added = nodes.map(({ key }) => key)
  append.spans.forEach((span, i) => {
    // As in a put: nothing stands before the first span, or before one without text.
    const first = places.ids.length === 0
    if (first && head?.last.trailing != null) places.leads.push(separator)
    else places.leads.push((first && !started) || span.text === undefined ? 0 : plain)
    places.ids.push(nodes[i]!.id)
    if (span.hash !== undefined) hashes.add(span.hash)
  })
  const spans = (head?.last.spans ?? 0) + places.ids.length
  const position = writeRevision(commit, collection, source, {
    number,
    chunker: head?.last.chunker ?? null,
    metadata: head?.last.metadata ?? null,
    tree: appendPlaces(connection, head?.last.tree ?? EMPTY, places),
    trailing: null,
    spans,
    counts: { kept: head?.live ?? 0, added: added.length, retired: 0 },
  })
  writeHead(connection, source, {
    revision: number,
    live: (head?.live ?? 0) + added.length,
    described: (head?.described ?? false) || append.spans.some((span) => span.metadata !== undefined),
    fingerprint: null,
    expires: append.expiresAt ?? head?.expires ?? null,
  })
  settleIdentical(commit, watchedTombstones(connection, source, hashes))
  return {
    source: append.source,
    revision: number,
    position,
    outcome: head === undefined || head.last.removed ? 'created' : 'revised',
    kept: head?.live ?? 0,
    added,
    retired: [],
    stale: propagate(commit),
  }
}

// ── remove, retire, expire, update ──────────────────────────────────────────────────────────────────────────

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

export function writeRemove(commit: Commit, collection: number, name: string): Retired {
  const { connection } = commit
  const head = readSource(connection, collection, name)
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
  return {
    position,
    retired: keysOf(
      connection,
      spans.map((span) => span.id),
    ),
    already: [],
    absent: [],
    stale: propagate(commit),
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
  return {
    position: commit.position(collection),
    retired: live.map((node) => node.key),
    already: found.filter((node) => node.dead).map((node) => node.key),
    absent,
    stale: propagate(commit),
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

function keysOf(connection: Connection, ids: readonly number[]): Key[] {
  return ids.map((id) => connection.value<Key>('SELECT key FROM span WHERE id = ?', id)!)
}
