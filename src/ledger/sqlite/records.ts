import type { Metadata } from '../../core/json.ts'
import type { Key } from '../../core/key.ts'
import { plan, planOne } from '../../core/plan.ts'
import type { Admits, LiveRecord, RecordChange, RecordOutcome, RecordResult } from '../../core/record.ts'
import { nonBlank } from '../../core/tokens.ts'
import {
  HASH_LENGTH,
  type NewSpan,
  NO_HASH,
  type Outline,
  type PlannedPut,
  type Window,
} from '../../ports/planned.ts'
import { REASONS } from './codes.ts'
import type { Commit } from './commit.ts'
import { CURRENT_METADATA, readSource, readWindow, type SourceRow } from './heads.ts'
import { readPlaces } from './manifest.ts'
import { writePut } from './put.ts'
import { parseMetadata } from './read.ts'
import { writeRemove } from './retire.ts'
import type { Connection } from './statements.ts'
import { floatsOf, lastSupplied } from './vector-rows.ts'

/*
 * Records are written inside the transaction that reads what they were: there is nothing to plan outside, where a
 * source has one span, and a client's "merge this" or "unless it is there" means the record as it is at the commit.
 */

/**
 * Where a record stands in the order of its collection: the position of the revision that made it, or that brought it
 * back after it was removed. A span of a first revision lies beside that position itself.
 */
const CAME = `iif(s.revision = 1, s.born, (SELECT r.position FROM revision r WHERE r.source = s.source AND r.number =
  1 + coalesce((SELECT max(q.number) FROM revision q WHERE q.source = s.source AND q.removed = 1), 0)))`

type RecordRow = [
  id: number,
  key: Key,
  source: string,
  text: string | null,
  hash: string | null,
  metadata: string | null,
  vector: Buffer | null,
  came: number,
]

const LIVE = 'NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)'

/** `from`: which spans, as `s`, and which of them. */
const rowSql = (vectors: boolean, from = 'span s', which = 's.id = ?') => `
  SELECT s.id, s.key, o.name, s.text, s.hash, ${CURRENT_METADATA}, ${
    vectors
      ? `coalesce((SELECT u.vector FROM supplied u WHERE u.span = s.id ORDER BY u.position DESC LIMIT 1),
           (SELECT m.vector FROM embedding m WHERE m.hash = s.hash AND m.name = (SELECT e.name
             FROM collection_head h CROSS JOIN embedder e ON e.id = h.embedder WHERE h.collection = s.collection)))`
      : 'NULL'
  }, ${CAME}
  FROM ${from} CROSS JOIN source o ON o.id = s.source
  WHERE ${which} AND s.kind = 0 AND ${LIVE}`

const ROW = rowSql(false)
const ROW_WITH_VECTOR = rowSql(true)

/** In the order in which they are named. */
const NAMED = ['json_each(?) j CROSS JOIN span s ON s.id = j.value', 's.collection = ?'] as const
const ROWS = rowSql(false, ...NAMED)
const ROWS_WITH_VECTORS = rowSql(true, ...NAMED)

const toRecord = ([id, key, source, text, , metadata, vector, came]: RecordRow): LiveRecord => ({
  source,
  id,
  key,
  text: text ?? undefined,
  metadata: metadata === null || metadata === '{}' ? undefined : metadata,
  vector: vector === null ? undefined : floatsOf(vector),
  came,
})

/** The first live span of a source, if it has one. */
function currentRow(connection: Connection, head: SourceRow, vectors: boolean): RecordRow | undefined {
  if (head.live === 0) return undefined
  for (const id of readPlaces(connection, head.last.tree).ids) {
    const row = connection.row<RecordRow>(vectors ? ROW_WITH_VECTOR : ROW, id)
    if (row !== undefined) return row
  }
  return undefined
}

export function readRecord(
  connection: Connection,
  collection: number,
  source: string,
  vectors: boolean,
): RecordResult {
  const head = readSource(connection, collection, source)
  const row = head && currentRow(connection, head, vectors)
  if (row !== undefined) return { status: 'ok', record: toRecord(row) }
  const last = head && lastTombstone(connection, head)
  return last === undefined ? { status: 'absent', source } : { status: 'tombstone', source, ...last }
}

export function readRecordRows(
  connection: Connection,
  collection: number,
  ids: readonly number[],
  vectors: boolean,
): LiveRecord[] {
  return connection
    .rows<RecordRow>(vectors ? ROWS_WITH_VECTORS : ROWS, JSON.stringify(ids), collection)
    .map(toRecord)
}

/** The span that was retired last: in the last revision that had any. */
function lastTombstone(connection: Connection, head: SourceRow) {
  const root = head.last.removed
    ? connection.row<[number | null, Buffer]>(
        'SELECT root, tail FROM revision WHERE source = ? AND removed = 0 ORDER BY number DESC LIMIT 1',
        head.id,
      )
    : ([head.last.tree.root, head.last.tree.tail] as const)
  if (root === undefined) return undefined
  const ids = readPlaces(connection, { root: root[0], tail: root[1] }).ids
  const row = connection.row<[Key, number, number, number]>(
    `SELECT s.key, t.reason, t.at, t.position FROM json_each(?) j CROSS JOIN tombstone t ON t.span = j.value
     CROSS JOIN span s ON s.id = t.span ORDER BY t.position DESC LIMIT 1`,
    JSON.stringify(ids),
  )
  return row && { key: row[0], reason: REASONS[row[1]]!, at: row[2], position: row[3] }
}

/** Spans of records in the order in which these came; `ids` undefined: all that are live. One span a source. */
export function recordOrder(
  connection: Connection,
  collection: number,
  ids: readonly number[] | undefined,
): number[] {
  const rows =
    ids === undefined
      ? connection.rows<[id: number, source: number, came: number]>(
          `SELECT s.id, s.source, ${CAME} FROM span s INDEXED BY span_collection
           WHERE s.collection = ? AND s.kind = 0 AND ${LIVE}`,
          collection,
        )
      : connection.rows<[id: number, source: number, came: number]>(
          `SELECT s.id, s.source, ${CAME} FROM json_each(?) j CROSS JOIN span s ON s.id = j.value
           WHERE s.collection = ? AND s.kind = 0 AND ${LIVE}`,
          JSON.stringify(ids),
          collection,
        )
  rows.sort((a, b) => a[2] - b[2] || a[0] - b[0])
  const seen = new Set<number>()
  const ordered: number[] = []
  for (const [id, source] of rows) {
    if (seen.has(source)) continue
    seen.add(source)
    ordered.push(id)
  }
  return ordered
}

/** Those of these live spans that a condition in JavaScript lets pass. */
export function admitted(connection: Connection, ids: readonly number[], admits: Admits): number[] {
  return ids.filter((id) => {
    const row = connection.row<RecordRow>(ROW, id)
    return (
      row !== undefined &&
      admits({ source: row[2], text: row[3] ?? undefined, metadata: parseMetadata(row[5]) as Metadata })
    )
  })
}

/** Those of these sources that have an event after a position. */
export function movedSources(
  connection: Connection,
  collection: number,
  after: number,
  sources: readonly string[],
): string[] {
  return connection
    .rows<[string]>(
      `SELECT o.name FROM json_each(?) j CROSS JOIN source o ON o.collection = ? AND o.name = j.value
       WHERE o.id IN (SELECT e.source FROM event e WHERE e.collection = ? AND e.position > ?)`,
      JSON.stringify(sources),
      collection,
      collection,
      after,
    )
    .map(([name]) => name)
}

// ── writing ─────────────────────────────────────────────────────────────────────────────────────────────────

const NO_LEAD = { gap: '', overlap: 0 }
const NO_WINDOW = { before: 0, after: 0, entries: [] }

export function writeRecord(
  commit: Commit,
  collection: number,
  change: RecordChange,
): { readonly outcome: RecordOutcome; readonly stale: readonly Key[] } {
  const { connection } = commit
  const { source, verb } = change
  const head = readSource(connection, collection, source)
  const row = head && currentRow(connection, head, false)
  const answer = (outcome: RecordOutcome['outcome'], key?: Key, stale: readonly Key[] = []) => ({
    outcome: { source, outcome, ...(key === undefined ? {} : { key }) },
    stale,
  })
  if (row === undefined) {
    const last = head && lastTombstone(connection, head)
    if (verb === 'change' || verb === 'remove')
      return last === undefined ? answer('absent') : answer('tombstone', last.key)
  } else {
    if (verb === 'create') return answer('exists', row[1])
    if (verb === 'remove')
      return answer('removed', row[1], writeRemove(commit, collection, source, { head }).stale)
  }
  const before = row?.[5] === '{}' ? undefined : (row?.[5] ?? undefined)
  const metadata = change.metadata === undefined ? before : change.metadata(before)
  const text = change.text ?? { text: row?.[3] ?? undefined, hash: row?.[4] ?? undefined }
  // A new span of the record takes its vector over.
  const inherits = change.vector === undefined && row !== undefined && text.hash !== (row[4] ?? undefined)
  const vector = inherits ? suppliedTo(connection, row[0]) : change.vector
  const written = writePut(
    commit,
    collection,
    planRecord(connection, head, row, source, { ...text, length: text.text?.length ?? 0, metadata, vector }),
    { head },
  )!
  if (written.outcome === 'unchanged') return answer('unchanged', row?.[1])
  const key = written.added[0] ?? row?.[1]
  return answer(row === undefined ? 'created' : 'changed', key, written.stale)
}

function suppliedTo(connection: Connection, span: number): Float32Array | undefined {
  const bytes = lastSupplied(connection, span)
  return bytes && floatsOf(bytes)
}

/** What is to be planned with: a live record needs no more than its row. */
function windowOf(
  connection: Connection,
  head: SourceRow,
  row: RecordRow | undefined,
  outline: Outline,
): { readonly window: Window; readonly alone: boolean } {
  const { live, last } = head
  const { ids, leads } = readPlaces(connection, last.tree)
  const alone =
    row !== undefined && live === 1 && ids.length === 1 && leads[0] === 0 && last.trailing === null
  if (!alone) return { window: readWindow(connection, head, outline), alone }
  const [id, , , text, hash, metadata] = row
  const entry = {
    id,
    live: true,
    hash: hash ?? undefined,
    length: text?.length ?? 0,
    metadata: metadata === null || metadata === '{}' ? undefined : metadata,
    lead: NO_LEAD,
  }
  return { window: { before: 0, after: 0, entries: [entry] }, alone }
}

function planRecord(
  connection: Connection,
  head: SourceRow | undefined,
  row: RecordRow | undefined,
  source: string,
  span: NewSpan,
): PlannedPut {
  const chunk = { ...span, lead: NO_LEAD }
  const outline = { hashes: (span.hash ?? NO_HASH).padEnd(HASH_LENGTH), leads: [NO_LEAD], plain: false }
  const { window, alone } =
    head === undefined ? { window: NO_WINDOW, alone: false } : windowOf(connection, head, row, outline)
  const { entries } = window
  const changeset = alone
    ? planOne(entries[0]!, chunk, nonBlank(span.text ?? '') === 0)
    : plan(
        entries,
        '',
        { chunks: [chunk], trailing: '' },
        {
          old: (indices) => indices.map((i) => textOf(connection, entries[i]!.id)),
          chunk: () => span.text,
        },
      )
  const same =
    head !== undefined &&
    !head.last.removed &&
    head.live === 1 &&
    entries.length === 1 &&
    changeset.updated.length === 0 &&
    changeset.slots.every((slot) => 'keep' in slot)
  return {
    source,
    version: head?.version ?? 0,
    window,
    chunks: [chunk],
    trailing: '',
    changeset,
    // Not a whole put's: the next one that says the same finds out by comparing.
    fingerprint: '',
    chunker: undefined,
    metadata: undefined,
    expiresAt: head?.expires ?? undefined,
    readmit: false,
    unchanged: same
      ? {
          source,
          revision: head.revision,
          position: head.last.position,
          outcome: 'unchanged',
          kept: 1,
          added: [],
          retired: [],
          stale: [],
        }
      : undefined,
  }
}

/** Undefined where it was erased or pruned, or where there is none. */
function textOf(connection: Connection, id: number): string | undefined {
  const row = connection.row<[string | null, number]>(
    `SELECT text, EXISTS (SELECT 1 FROM erasure WHERE span = ?1) OR EXISTS (SELECT 1 FROM pruning WHERE span = ?1)
     FROM span WHERE id = ?1`,
    id,
  )
  return row === undefined || row[1] === 1 ? undefined : (row[0] ?? undefined)
}
