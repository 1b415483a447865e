import { SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { Erased } from '../../ports/ledger.ts'
import type { Commit } from './commit.ts'
import { forgetHashes, readRevisions, readSource } from './heads.ts'
import { settleIdentical, watchedTombstones } from './identical.ts'
import { readPlaces } from './manifest.ts'
import { propagate } from './propagate.ts'
import { keyOf } from './read.ts'
import { rememberErased } from './refusals.ts'
import { discardSummary, findNodes } from './retire.ts'
import { touchSource } from './source-rows.ts'
import { type Connection, insertInto } from './statements.ts'

/*
 * Erasing overwrites a payload with blanks of the same number of bytes. SQLite then rewrites the cell where it is:
 * no page is split, merged or moved, so no stale copy of a text is left in the unused part of one. What remains of
 * the old bytes is in the write-ahead log, which the ledger truncates before it reports `complete`.
 */

/** Two texts share bytes worth erasing when one holds the other, or they have this many UTF-16 units in a row in common. */
const SHARED_RUN = 24

interface Target {
  readonly id: number
  readonly key: Key
  readonly kind: number
  readonly source: number | null
  readonly text: string | null
  readonly hash: string | null
  readonly dead: boolean
  readonly erased: boolean
}

function readTarget(connection: Connection, id: number): Target {
  const row = connection.row<[Key, number, number | null, string | null, string | null, number, number]>(
    `SELECT s.key, s.kind, s.source, s.text, s.hash, EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id),
       EXISTS (SELECT 1 FROM erasure e WHERE e.span = s.id)
     FROM span s WHERE s.id = ?`,
    id,
  )!
  const [key, kind, source, text, hash, dead, erased] = row
  return { id, key, kind, source, text, hash, dead: dead === 1, erased: erased === 1 }
}

export type EraseTarget = { readonly keys: readonly string[] } | { readonly source: string }

export function writeErase(
  commit: Commit,
  collection: number,
  target: EraseTarget,
  cascade: boolean,
  known?: Carriers,
): Omit<Erased, 'complete' | 'waitingFor'> & { readonly ids: readonly number[] } {
  const { connection } = commit
  forgetHashes(connection)
  const { asked, absent, whole } = find(connection, collection, target)
  const related = relatives(connection, asked)
  const livingRelatives = related.filter((span) => !span.dead)
  if (livingRelatives.length > 0 && !cascade)
    throw new SpanStoreError(
      'CASCADE_REQUIRED',
      `live spans hold the same text: ${livingRelatives.map(({ key }) => key).join(', ')}; erase them too with cascade: true`,
      { keys: livingRelatives.map(({ key }) => key) },
    )
  const all = [...asked, ...related].filter((span) => !span.erased)
  const carriers = alsoIn(connection, all, known)

  for (const span of all.filter((span) => !span.dead)) retire(commit, collection, span)
  const hashes = new Map<number, Set<string>>()
  for (const { source, hash } of all) {
    if (source === null || hash === null) continue
    if (!hashes.has(source)) hashes.set(source, new Set())
    hashes.get(source)!.add(hash)
  }
  for (const span of all) {
    if (span.source !== null && span.text !== null && span.text.trim() !== '')
      rememberErased(connection, span.source, span.text)
    blank(commit, collection, span)
  }
  for (const source of new Set([...hashes.keys(), ...(whole === undefined ? [] : [whole])])) {
    blankGaps(connection, source, whole === source ? undefined : all)
    connection.run(
      'UPDATE source_head SET version = version + 1, fingerprint = NULL WHERE source = ?',
      source,
    )
  }
  if (whole !== undefined)
    for (const [number, metadata] of connection.rows<[number, string]>(
      'SELECT number, metadata FROM revision WHERE source = ? AND metadata IS NOT NULL',
      whole,
    ))
      connection.run(
        'UPDATE revision SET metadata = ? WHERE source = ? AND number = ?',
        blanks(metadata),
        whole,
        number,
      )
  for (const [source, texts] of hashes) settleIdentical(commit, watchedTombstones(connection, source, texts))
  const gone = new Set(all.map(({ id }) => id))
  for (const id of gone) {
    connection.run('DELETE FROM watched WHERE span = ?', id)
    const pointing = connection
      .rows<[number]>('SELECT span FROM identical WHERE target = ?', id)
      .map(([span]) => span)
    settleIdentical(commit, [...pointing, id])
  }
  for (const { hash } of all)
    if (hash !== null && !carriers.hashes.has(hash))
      connection.run('DELETE FROM embedding WHERE hash = ?', hash)
  const stale = propagate(commit)
  return {
    ids: [...asked, ...related].map(({ id }) => id),
    position: commit.position(collection),
    stale,
    retired: all.filter((span) => !span.dead).map(({ key }) => key),
    already: asked.filter((span) => span.erased).map(({ key }) => key),
    absent,
    erased: all.map(({ key }) => key),
    alsoIn: carriers.list,
  }
}

function find(connection: Connection, collection: number, target: EraseTarget) {
  if ('keys' in target) {
    const { found, absent } = findNodes(connection, collection, target.keys)
    return { asked: found.map(({ id }) => readTarget(connection, id)), absent, whole: undefined }
  }
  const head = readSource(connection, collection, target.source)
  if (head === undefined) return { asked: [], absent: [target.source], whole: undefined }
  const ids = new Set<number>()
  for (const revision of readRevisions(connection, head.id))
    for (const id of readPlaces(connection, revision.tree).ids) ids.add(id)
  return { asked: [...ids].map((id) => readTarget(connection, id)), absent: [], whole: head.id }
}

function retire(commit: Commit, collection: number, span: Target): void {
  if (span.kind === 1) discardSummary(commit, collection, span.id)
  else {
    commit.retireSpan(span.id, collection, span.source!, 'deleted')
    touchSource(commit.connection, span.source!, 1)
  }
}

const blanks = (text: string): string => ' '.repeat(Buffer.byteLength(text))

function blank(commit: Commit, collection: number, span: Target): void {
  const { connection } = commit
  connection.run(insertInto('erasure', ['span', 'at']), span.id, commit.at)
  commit.event(collection, 'span.erased', {
    node: span.id,
    ...(span.source === null ? {} : { source: span.source }),
  })
  const metadata = connection.value<string | null>('SELECT metadata FROM span WHERE id = ?', span.id)!
  connection.run(
    'UPDATE span SET text = ?, hash = ?, metadata = ? WHERE id = ?',
    span.text === null ? null : blanks(span.text),
    span.hash === null ? null : blanks(span.hash),
    metadata === null ? null : blanks(metadata),
    span.id,
  )
  for (const [position, value] of connection.rows<[number, string]>(
    'SELECT position, metadata FROM amendment WHERE span = ?',
    span.id,
  ))
    connection.run(
      'UPDATE amendment SET metadata = ? WHERE span = ? AND position = ?',
      blanks(value),
      span.id,
      position,
    )
  connection.run('UPDATE supplied SET vector = zeroblob(length(vector)) WHERE span = ?', span.id)
  if (span.kind === 1)
    for (const [ordinal, text] of connection.rows<[number, string]>(
      'SELECT ordinal, text FROM claim WHERE summary = ?',
      span.id,
    ))
      connection.run(
        'UPDATE claim SET text = ? WHERE summary = ? AND ordinal = ?',
        blanks(text),
        span.id,
        ordinal,
      )
}

/** Text between: all of the source's, or what touches the erased spans in any revision. */
function blankGaps(connection: Connection, source: number, beside: readonly Target[] | undefined): void {
  const own = new Map(connection.rows<[number, string]>('SELECT id, text FROM gap WHERE source = ?', source))
  if (own.size === 0) return
  const chosen = beside === undefined ? new Set(own.keys()) : new Set<number>()
  if (beside !== undefined) {
    const ids = new Set(beside.map(({ id }) => id))
    for (const revision of readRevisions(connection, source)) {
      const places = readPlaces(connection, revision.tree)
      const after = [...places.leads.slice(1), revision.trailing === null ? 0 : 2 * revision.trailing]
      places.ids.forEach((id, i) => {
        if (!ids.has(id)) return
        for (const lead of [places.leads[i]!, after[i]!]) if (lead > 0 && lead % 2 === 0) chosen.add(lead / 2)
      })
    }
  }
  for (const id of chosen) {
    const text = own.get(id)
    if (text !== undefined) connection.run('UPDATE gap SET text = ? WHERE id = ?', blanks(text), id)
  }
}

// ── who holds the same bytes ────────────────────────────────────────────────────────────────────────────────

/** Spans that hold bytes of the given ones by lineage, by overlap in a manifest, or by being the same text. */
function relatives(connection: Connection, asked: readonly Target[]): Target[] {
  const seen = new Set(asked.map(({ id }) => id))
  const found: Target[] = []
  const overlaps = overlapsRead(connection)
  const queue = asked.filter((span) => !span.erased && span.text !== null && span.text.trim() !== '')
  for (let span = queue.pop(); span !== undefined; span = queue.pop()) {
    for (const id of neighbours(connection, span, overlaps)) {
      if (seen.has(id)) continue
      const other = readTarget(connection, id)
      if (other.erased || other.kind !== span.kind || !shareBytes(span.text!, other.text)) continue
      seen.add(id)
      found.push(other)
      queue.push(other)
    }
  }
  return found
}

function neighbours(connection: Connection, span: Target, overlapsOf: OverlapsOf): Set<number> {
  const ids = new Set<number>()
  for (const [id] of connection.rows<[number]>(
    'SELECT new FROM lineage WHERE old = ?1 UNION SELECT old FROM lineage WHERE new = ?1',
    span.id,
  ))
    ids.add(id)
  if (span.source === null) return ids
  for (const [id] of connection.rows<[number]>(
    'SELECT id FROM span WHERE source = ? AND hash = ? AND length >= 32 AND kind = 0',
    span.source,
    span.hash,
  ))
    ids.add(id)
  for (const run of overlapsOf(span.source).get(span.id) ?? []) for (const id of run) ids.add(id)
  return ids
}

/** Runs of spans that overlap one another, by each of their spans. */
type OverlapsOf = (source: number) => ReadonlyMap<number, readonly (readonly number[])[]>

/** What overlaps in any revision of a source, read once: a long source may be erased span by span. */
function overlapsRead(connection: Connection): OverlapsOf {
  const known = new Map<number, Map<number, number[][]>>()
  return (source) => {
    let runs = known.get(source)
    if (runs !== undefined) return runs
    runs = new Map()
    known.set(source, runs)
    for (const revision of readRevisions(connection, source)) {
      const { ids, leads } = readPlaces(connection, revision.tree)
      for (let i = 1; i < ids.length; i++) {
        if (leads[i]! % 2 !== 1) continue
        // An overlap reaches back over the spans before; how far does not matter, the bytes are compared anyway.
        const first = i - 1
        while (i + 1 < ids.length && leads[i + 1]! % 2 === 1) i++
        const run = ids.slice(first, i + 1)
        for (const id of run) {
          const others = runs.get(id)
          if (others === undefined) runs.set(id, [run])
          else others.push(run)
        }
      }
    }
    return runs
  }
}

function shareBytes(a: string, b: string | null): boolean {
  if (b === null || b.trim() === '') return false
  if (a.includes(b.trim()) || b.includes(a.trim())) return true
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  for (let i = 0; i + SHARED_RUN <= short.length; i++)
    if (long.includes(short.slice(i, i + SHARED_RUN))) return true
  return false
}

/** Who held some hashes when spans had been read up to an id. A span's hash never changes until it is erased. */
export interface Carriers {
  readonly hashes: readonly string[]
  readonly spans: readonly (readonly [id: number, hash: string])[]
  readonly through: number
}

const hashesOf = (spans: readonly Target[]): string[] => [
  ...new Set(spans.flatMap(({ hash, text }) => (hash === null || text?.trim() === '' ? [] : [hash]))),
]

const NOT_ERASED = 'NOT EXISTS (SELECT 1 FROM erasure e WHERE e.span = s.id)'

/** The one scan of the store that erasing needs, before anything is written: spans are not indexed by their bytes. */
export function carriersOf(connection: Connection, collection: number, target: EraseTarget): Carriers {
  const { asked } = find(connection, collection, target)
  const hashes = hashesOf([...asked, ...relatives(connection, asked)].filter((span) => !span.erased))
  const through = connection.value<number | null>('SELECT max(id) FROM span') ?? 0
  return { hashes, spans: carrying(connection, hashes, 0), through }
}

const carrying = (connection: Connection, hashes: readonly string[], after: number) =>
  connection.rows<[number, string]>(
    `SELECT s.id, s.hash FROM span s WHERE s.id > ? AND s.hash IN (SELECT value FROM json_each(?)) AND ${NOT_ERASED}`,
    after,
    JSON.stringify(hashes),
  )

/** Those that hold the hashes now: found before where that is known, and what came since. */
function carryingNow(connection: Connection, hashes: readonly string[], known: Carriers | undefined) {
  if (hashes.length === 0) return []
  const asked = new Set(known?.hashes)
  if (known === undefined || !hashes.every((hash) => asked.has(hash))) return carrying(connection, hashes, 0)
  const wanted = new Set(hashes)
  const still = known.spans.filter(
    ([id, hash]) =>
      wanted.has(hash) && connection.value('SELECT 1 FROM erasure WHERE span = ?', id) === undefined,
  )
  return [...still, ...carrying(connection, hashes, known.through)]
}

/** Spans elsewhere with the same bytes, and summaries that stand on the erased ones: for the caller to judge. */
function alsoIn(connection: Connection, erased: readonly Target[], known: Carriers | undefined) {
  const gone = new Set(erased.map(({ id }) => id))
  const hashes = new Set<string>()
  const ids = new Set<number>()
  for (const [id, hash] of carryingNow(connection, hashesOf(erased), known))
    if (!gone.has(id)) {
      ids.add(id)
      hashes.add(hash)
    }
  for (const id of gone)
    for (const [dependent] of connection.rows<[number]>(
      'SELECT dependent FROM dependency WHERE support = ?',
      id,
    ))
      if (!gone.has(dependent)) ids.add(dependent)
  const list = [...ids].map((id) => {
    const [collection, source, session] = connection.row<[string, string | null, string | null]>(
      `SELECT h.name, o.name, n.name FROM span s CROSS JOIN collection_head h ON h.collection = s.collection
       LEFT JOIN source o ON o.id = s.source LEFT JOIN summary m ON m.span = s.id LEFT JOIN session n ON n.id = m.session
       WHERE s.id = ?`,
      id,
    )!
    return {
      key: keyOf(connection, id),
      collection,
      ...(source === null ? {} : { source }),
      ...(session === null ? {} : { session }),
    }
  })
  return { list, hashes }
}
