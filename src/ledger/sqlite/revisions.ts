import { SpanStoreError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type {
  Place,
  Revision,
  RevisionDiff,
  RevisionText,
  SourceInfo,
  SourceResult,
} from '../../core/model.ts'
import {
  eachRun,
  Gaps,
  type RevisionRow,
  readRevision,
  readRevisions,
  readSource,
  type SourceRow,
} from './heads.ts'
import { readPlaces } from './manifest.ts'
import { checkPosition, parseMetadata, successorsOf } from './read.ts'
import type { Connection } from './statements.ts'

const unknownSource = (source: string) =>
  new SpanStoreError(
    'SOURCE_UNKNOWN',
    `source ${JSON.stringify(source)} was never seen in this collection; check its id, or put it first`,
    { source },
  )

function info(
  collection: string,
  source: string,
  revision: RevisionRow,
  live: number,
  expires: number | null,
): SourceInfo {
  return {
    source,
    collection,
    revision: revision.number,
    position: revision.position,
    at: revision.at,
    live,
    ...(revision.chunker === null ? {} : { chunker: revision.chunker }),
    metadata: parseMetadata(revision.metadata),
    ...(expires === null ? {} : { expiresAt: expires }),
  }
}

const collectionRow = (connection: Connection, collection: number) =>
  connection.row<[string, number | null]>(
    'SELECT name, dropped FROM collection_head WHERE collection = ?',
    collection,
  )!

export function sourceResult(
  connection: Connection,
  collection: number,
  source: string,
  asOf?: number,
): SourceResult {
  const [name, dropped] = collectionRow(connection, collection)
  const head = readSource(connection, collection, source)
  if (asOf !== undefined) {
    checkPosition(connection, collection, asOf)
    return sourceAsOf(connection, name, source, head, asOf, dropped !== null && dropped <= asOf)
  }
  if (head === undefined) return { status: 'absent', source }
  return {
    status: head.last.removed || dropped !== null ? 'tombstone' : head.live > 0 ? 'ok' : 'empty',
    source,
    info: info(name, source, head.last, head.live, head.expires),
  }
}

function sourceAsOf(
  connection: Connection,
  collection: string,
  source: string,
  head: SourceRow | undefined,
  asOf: number,
  dropped: boolean,
): SourceResult {
  const revision = head && readRevisions(connection, head.id).findLast((r) => r.position <= asOf)
  if (revision === undefined) return { status: 'absent', source }
  const live = readPlaces(connection, revision.tree).ids.filter((id) => {
    const retired = connection.value<number>('SELECT position FROM tombstone WHERE span = ?', id)
    return retired === undefined || retired > asOf
  }).length
  return {
    status: revision.removed || dropped ? 'tombstone' : live > 0 ? 'ok' : 'empty',
    source,
    info: info(collection, source, revision, live, null),
  }
}

export function listSources(
  connection: Connection,
  collection: number,
  after: string | undefined,
  limit: number,
): SourceResult[] {
  return connection
    .rows<[string]>(
      'SELECT name FROM source WHERE collection = ? AND name > ? ORDER BY name LIMIT ?',
      collection,
      after ?? '',
      limit,
    )
    .map(([name]) => sourceResult(connection, collection, name))
}

export function history(connection: Connection, collection: number, source: string): Revision[] {
  const head = readSource(connection, collection, source)
  if (head === undefined) throw unknownSource(source)
  return readRevisions(connection, head.id).map((r) => ({
    revision: r.number,
    position: r.position,
    at: r.at,
    removed: r.removed,
    ...(r.chunker === null ? {} : { chunker: r.chunker }),
    spans: r.spans,
  }))
}

function revisionOf(
  connection: Connection,
  collection: number,
  source: string,
  number: number | undefined,
): RevisionRow {
  const head = readSource(connection, collection, source)
  if (head === undefined) throw unknownSource(source)
  const revision = number === undefined ? head.last : readRevision(connection, head.id, number)
  if (revision !== undefined) return revision
  throw new SpanStoreError(
    'REVISION_UNKNOWN',
    `source ${JSON.stringify(source)} has revisions 1 to ${head.revision}, not ${number}`,
    { source, revision: number! },
  )
}

/** Spans of one step: a fraction of a millisecond. */
const SPANS = 128

/** A revision's text, byte for byte, with the place of each span in it. In steps. */
export function* readingRevisionText(
  connection: Connection,
  collection: number,
  source: string,
  number?: number,
): Generator<void, RevisionText> {
  const revision = revisionOf(connection, collection, source, number)
  const [, dropped] = collectionRow(connection, collection)
  const { ids, leads } = readPlaces(connection, revision.tree)
  const rows: [Key, number, string | null, number, number, number][] = []
  for (let i = 0; i < ids.length; i += SPANS) {
    yield
    eachRun(ids.slice(i, i + SPANS), (first, last) => {
      rows.push(
        ...connection.rows<[Key, number, string | null, number, number, number]>(
          `SELECT s.key, s.length, s.text, EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id),
             EXISTS (SELECT 1 FROM erasure e WHERE e.span = s.id), EXISTS (SELECT 1 FROM pruning p WHERE p.span = s.id)
           FROM span s WHERE s.id BETWEEN ? AND ? ORDER BY s.id`,
          first,
          last,
        ),
      )
    })
  }
  const gapTexts = new Gaps(connection)
  const parts: string[] = []
  const places: Place[] = []
  const gaps: { key?: Key; at: number; length: number; why: 'erased' | 'pruned' }[] = []
  // Offsets count the missing pieces too, so that places are those of the revision as it was put.
  let covered = 0
  let missing = 0
  const addGap = (id: number) => {
    const text = gapTexts.text(id)
    if (gapTexts.erased(id)) {
      gaps.push({ at: covered - missing, length: text.length, why: 'erased' })
      missing += text.length
    } else parts.push(text)
    covered += text.length
  }
  for (const [ordinal, [key, length, text, dead, erased, pruned]] of rows.entries()) {
    if (ordinal % SPANS === 0) yield
    const code = leads[ordinal]!
    if (code > 0 && code % 2 === 0) addGap(code / 2)
    const start = covered - (code % 2 === 1 ? (code + 1) / 2 : 0)
    const end = start + length
    const fresh = Math.max(0, end - covered)
    if (erased === 1 || pruned === 1) {
      if (fresh > 0)
        gaps.push({ key, at: covered - missing, length: fresh, why: erased === 1 ? 'erased' : 'pruned' })
      missing += fresh
    } else parts.push((text ?? '').slice(length - fresh))
    covered += fresh
    const blank = text === null || text.trim() === ''
    const status = dead === 1 || dropped !== null ? 'tombstone' : blank ? 'empty' : 'ok'
    places.push({ key, ordinal, start, end, status })
  }
  if (revision.trailing !== null) addGap(revision.trailing)
  return {
    source,
    revision: revision.number,
    position: revision.position,
    text: parts.join(''),
    places,
    gaps,
  }
}

/** What became of a source's spans from one revision to another, in steps. */
export function* comparingRevisions(
  connection: Connection,
  collection: number,
  source: string,
  from: number,
  to: number,
): Generator<void, RevisionDiff> {
  const before = readPlaces(connection, revisionOf(connection, collection, source, from).tree).ids
  yield
  const after = readPlaces(connection, revisionOf(connection, collection, source, to).tree).ids
  yield
  const was = new Map(before.map((id, i) => [id, i]))
  const is = new Set(after)
  yield
  const key = (id: number) => connection.value<Key>('SELECT key FROM span WHERE id = ?', id)!
  const keptIds = after.filter((id) => was.has(id))
  const inOrder = new Set(longestIncreasing(keptIds.map((id) => was.get(id)!)))
  const kept: Key[] = []
  const moved: Key[] = []
  const added: Key[] = []
  for (const [i, id] of after.entries()) {
    if (i % SPANS === 0) yield
    const own = key(id)
    const place = was.get(id)
    if (place === undefined) added.push(own)
    else {
      kept.push(own)
      if (!inOrder.has(place)) moved.push(own)
    }
  }
  const removed: RevisionDiff['removed'][number][] = []
  for (const id of before) {
    if (is.has(id)) continue
    removed.push({ key: key(id), successors: successorsOf(connection, id) })
    if (removed.length % SPANS === 0) yield
  }
  return { source, from, to, kept, moved, added, removed }
}

/** The values of a longest increasing subsequence (patience sorting). */
function longestIncreasing(values: readonly number[]): number[] {
  const tops: number[] = []
  const previous = new Array<number>(values.length)
  const indices: number[] = []
  values.forEach((value, i) => {
    let low = 0
    let high = tops.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (tops[middle]! < value) low = middle + 1
      else high = middle
    }
    tops[low] = value
    indices[low] = i
    previous[i] = low > 0 ? indices[low - 1]! : -1
  })
  const chain: number[] = []
  for (let i = indices[tops.length - 1] ?? -1; i >= 0; i = previous[i]!) chain.push(values[i]!)
  return chain.reverse()
}
