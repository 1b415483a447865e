import type { Entry, Lead } from '../../core/changeset.ts'
import { HASH_LENGTH, NO_HASH, type Outline, type Window } from '../../ports/planned.ts'
import { type Places, readPlaces, type Tree } from './manifest.ts'
import type { Connection } from './statements.ts'

/** A source's head and last revision, in the ledger's own ids. */
export interface SourceRow {
  readonly id: number
  readonly version: number
  readonly revision: number
  readonly live: number
  readonly described: boolean
  readonly fingerprint: string | null
  readonly expires: number | null
  readonly last: RevisionRow
}

export interface RevisionRow {
  readonly number: number
  readonly position: number
  readonly at: number
  readonly removed: boolean
  readonly chunker: string | null
  readonly metadata: string | null
  readonly tree: Tree
  readonly trailing: number | null
  readonly spans: number
}

const REVISION =
  'r.number, r.position, r.at, r.removed, r.chunker, r.metadata, r.root, r.tail, r.trailing, r.spans'

type RevisionColumns = [
  number: number,
  position: number,
  at: number,
  removed: number,
  chunker: string | null,
  metadata: string | null,
  root: number | null,
  tail: Buffer,
  trailing: number | null,
  spans: number,
]

const revisionRow = (c: RevisionColumns): RevisionRow => ({
  number: c[0],
  position: c[1],
  at: c[2],
  removed: c[3] === 1,
  chunker: c[4],
  // Metadata of an erased source is blanks.
  metadata: c[5] === null || c[5].trim() === '' ? null : c[5],
  tree: { root: c[6], tail: c[7] },
  trailing: c[8],
  spans: c[9],
})

export function readSource(connection: Connection, collection: number, name: string): SourceRow | undefined {
  const row = connection.row<
    [number, number, number, number, number, string | null, number | null, ...RevisionColumns]
  >(
    `SELECT o.id, h.version, h.revision, h.live, h.described, h.fingerprint, h.expires, ${REVISION}
     FROM source o CROSS JOIN source_head h ON h.source = o.id
     CROSS JOIN revision r ON r.source = o.id AND r.number = h.revision
     WHERE o.collection = ? AND o.name = ?`,
    collection,
    name,
  )
  if (row === undefined) return undefined
  const [id, version, revision, live, described, fingerprint, expires, ...last] = row
  return {
    id,
    version,
    revision,
    live,
    described: described === 1,
    fingerprint,
    expires,
    last: revisionRow(last),
  }
}

/** Revisions of a source, oldest first. */
export function readRevisions(connection: Connection, source: number): RevisionRow[] {
  return connection
    .rows<RevisionColumns>(`SELECT ${REVISION} FROM revision r WHERE r.source = ? ORDER BY r.number`, source)
    .map(revisionRow)
}

export function readRevision(
  connection: Connection,
  source: number,
  number: number,
): RevisionRow | undefined {
  const row = connection.row<RevisionColumns>(
    `SELECT ${REVISION} FROM revision r WHERE r.source = ? AND r.number = ?`,
    source,
    number,
  )
  return row && revisionRow(row)
}

/** Calls `visit` with every maximal run of consecutive ids, so that rows written together are read together. */
export function eachRun(ids: readonly number[], visit: (first: number, last: number) => void): void {
  for (let i = 0; i < ids.length; ) {
    let j = i + 1
    while (j < ids.length && ids[j] === ids[j - 1]! + 1) j++
    visit(ids[i]!, ids[j - 1]!)
    i = j
  }
}

const NO_LEAD: Lead = { gap: '', overlap: 0 }

export class Gaps {
  readonly #connection: Connection
  readonly #texts = new Map<number, string>()
  readonly #leads = new Map<number, Lead>([[0, NO_LEAD]])

  constructor(connection: Connection) {
    this.#connection = connection
  }

  text(id: number): string {
    let text = this.#texts.get(id)
    if (text === undefined) {
      text = this.#connection.value<string>('SELECT text FROM gap WHERE id = ?', id)!
      this.#texts.set(id, text)
    }
    return text
  }

  /** What an encoded lead stands for; equal codes give the same object. */
  lead(code: number): Lead {
    let lead = this.#leads.get(code)
    if (lead === undefined) {
      lead = code % 2 === 0 ? { gap: this.text(code / 2), overlap: 0 } : { gap: '', overlap: (code + 1) / 2 }
      this.#leads.set(code, lead)
    }
    return lead
  }

  /** True for text between spans that was erased: a gap of a source's own is never blank otherwise. */
  erased(id: number): boolean {
    return (
      this.text(id).trim() === '' &&
      this.#connection.value('SELECT source FROM gap WHERE id = ?', id) !== null
    )
  }
}

/** Places shown to `plan` on either side of what changed, so that it sees the neighbours of repeated texts. */
const MARGIN = 16

/** The part of the last manifest in which a draft may differ, as `plan` wants it. */
export function readWindow(connection: Connection, source: SourceRow, outline: Outline): Window {
  const places = readPlaces(connection, source.last.tree)
  const hashes = recalledHashes(connection, source.id, places.ids)
  const comparable = outline.plain && !source.described && source.live === places.ids.length
  const gaps = new Gaps(connection)
  const { before, after } = comparable
    ? unchangedEnds(hashes, outline, (i) => gaps.lead(places.leads[i]!))
    : { before: 0, after: 0 }
  const to = places.ids.length - after
  return {
    before,
    after,
    entries: readEntries(connection, source, gaps, {
      ids: places.ids.slice(before, to),
      leads: places.leads.slice(before, to),
      hashes: hashes.slice(before * HASH_LENGTH, to * HASH_LENGTH),
    }),
  }
}

/** How many places at the start and at the end have the same text and the same lead. */
function unchangedEnds(
  old: string,
  outline: Outline,
  oldLead: (i: number) => Lead,
): { before: number; after: number } {
  const size = HASH_LENGTH
  const draft = outline.hashes
  const [n, m] = [old.length / size, draft.length / size]
  const most = Math.min(n, m)
  const sameLead = (i: number, j: number) => {
    const a = oldLead(i)
    const b = outline.leads[j]!
    return a.gap === b.gap && a.overlap === b.overlap
  }
  // Halving, with the engine's own comparison of strings, is far quicker than a loop over ten thousand hashes.
  let before = largest(most, (k) => old.slice(0, k * size) === draft.slice(0, k * size))
  for (let i = 0; i < before; i++) if (!sameLead(i, i)) before = i
  let after = largest(most - before, (k) => old.slice((n - k) * size) === draft.slice((m - k) * size))
  for (let k = 1; k <= after; k++) if (!sameLead(n - k, m - k)) after = k - 1

  // A text that occurs again in what changed has to be decided by its neighbours: show it, and some more.
  const middle = new Set<string>()
  for (let i = before; i < n - after; i++) middle.add(old.slice(i * size, (i + 1) * size))
  for (let j = before; j < m - after; j++) middle.add(draft.slice(j * size, (j + 1) * size))
  while (before > 0 && middle.has(old.slice((before - 1) * size, before * size))) before--
  while (after > 0 && middle.has(old.slice((n - after) * size, (n - after + 1) * size))) after--
  return { before: Math.max(0, before - MARGIN), after: Math.max(0, after - MARGIN) }
}

/** The largest k up to `most` for which `holds`, given that it holds for all smaller ones. */
function largest(most: number, holds: (k: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

function readEntries(
  connection: Connection,
  source: SourceRow,
  gaps: Gaps,
  places: Places & { readonly hashes: string },
): Entry[] {
  const { ids, leads } = places
  const lengths = readLengths(connection, ids)
  const metadata = source.described ? readMetadata(connection, ids) : undefined
  const dead = source.live < source.last.spans ? readDead(connection, ids) : undefined
  return ids.map((id, i) => {
    const hash = places.hashes.slice(i * HASH_LENGTH, (i + 1) * HASH_LENGTH)
    return {
      id,
      live: !dead?.has(id),
      hash: hash.startsWith(' ') ? undefined : hash,
      length: lengths[i]!,
      metadata: metadata?.[i],
      lead: gaps.lead(leads[i]!),
    }
  })
}

/**
 * Hashes of many spans, in one string. Crossing from SQLite to JavaScript once for each of ten thousand spans costs
 * more than splitting and hashing their document did.
 */
function readHashes(connection: Connection, ids: readonly number[]): string {
  const parts: string[] = []
  eachRun(ids, (first, last) => {
    parts.push(
      connection.value<string>(
        `SELECT group_concat(coalesce(hash, '${NO_HASH}'), '')
         FROM (SELECT hash FROM span WHERE id BETWEEN ? AND ? ORDER BY id)`,
        first,
        last,
      )!,
    )
  })
  return parts.join('')
}

interface Recalled {
  readonly ids: readonly number[]
  readonly hashes: string
}

/** How many documents' hashes are kept in memory for their next edit, and how long each may be. */
const RECALLED = { sources: 32, characters: 500_000 }

const recalled = new WeakMap<Connection, { version: number; sources: Map<number, Recalled> }>()

/**
 * Hashes of a manifest, read only for the places that were not in it at the last edit. Kept while no other
 * connection has written: another process may have erased one of the texts.
 */
function recalledHashes(connection: Connection, source: number, ids: readonly number[]): string {
  const version = connection.value<number>('PRAGMA data_version')!
  let memory = recalled.get(connection)
  if (memory === undefined || memory.version !== version) {
    memory = { version, sources: new Map() }
    recalled.set(connection, memory)
  }
  const known = memory.sources.get(source) ?? { ids: [], hashes: '' }
  const most = Math.min(ids.length, known.ids.length)
  let before = 0
  while (before < most && ids[before] === known.ids[before]) before++
  let after = 0
  while (after < most - before && ids[ids.length - 1 - after] === known.ids[known.ids.length - 1 - after])
    after++
  const hashes =
    known.hashes.slice(0, before * HASH_LENGTH) +
    readHashes(connection, ids.slice(before, ids.length - after)) +
    known.hashes.slice((known.ids.length - after) * HASH_LENGTH)
  memory.sources.delete(source)
  if (hashes.length <= RECALLED.characters) memory.sources.set(source, { ids, hashes })
  if (memory.sources.size > RECALLED.sources) memory.sources.delete(memory.sources.keys().next().value!)
  return hashes
}

/** After an erasure nothing of it may be remembered. */
export const forgetHashes = (connection: Connection): boolean => recalled.delete(connection)

function readLengths(connection: Connection, ids: readonly number[]): number[] {
  const lengths: number[] = []
  eachRun(ids, (first, last) => {
    const joined = connection.value<string>(
      'SELECT group_concat(length) FROM (SELECT length FROM span WHERE id BETWEEN ? AND ? ORDER BY id)',
      first,
      last,
    )!
    for (const length of joined.split(',')) lengths.push(Number(length))
  })
  return lengths
}

export const CURRENT_METADATA =
  'coalesce((SELECT a.metadata FROM amendment a WHERE a.span = s.id ORDER BY a.position DESC LIMIT 1), s.metadata)'

function readMetadata(connection: Connection, ids: readonly number[]): (string | undefined)[] {
  const metadata: (string | undefined)[] = []
  eachRun(ids, (first, last) => {
    for (const [value] of connection.rows<[string | null]>(
      `SELECT ${CURRENT_METADATA} FROM span s WHERE s.id BETWEEN ? AND ? ORDER BY s.id`,
      first,
      last,
    ))
      metadata.push(value === null || value === '{}' ? undefined : value)
  })
  return metadata
}

function readDead(connection: Connection, ids: readonly number[]): Set<number> {
  const dead = new Set<number>()
  eachRun(ids, (first, last) => {
    for (const [span] of connection.rows<[number]>(
      'SELECT span FROM tombstone WHERE span BETWEEN ? AND ?',
      first,
      last,
    ))
      dead.add(span)
  })
  return dead
}
