import type { Entry, Lead } from '../../core/changeset.ts'
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

export class Gaps {
  readonly #connection: Connection
  readonly #texts = new Map<number, string>()

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

  /** True for text between spans that was erased: a gap of a source's own is never blank otherwise. */
  erased(id: number): boolean {
    return (
      this.text(id).trim() === '' &&
      this.#connection.value('SELECT source FROM gap WHERE id = ?', id) !== null
    )
  }
}

const NO_LEAD: Lead = { gap: '', overlap: 0 }

/** The last manifest, as `plan` wants it. */
export function readEntries(connection: Connection, source: SourceRow): { places: Places; entries: Entry[] } {
  const places = readPlaces(connection, source.last.tree)
  const { ids, leads } = places
  const { hashes, lengths } = readHashes(connection, ids)
  const metadata = source.described ? readMetadata(connection, ids) : undefined
  const dead = source.live < ids.length ? readDead(connection, ids) : undefined
  const gaps = new Gaps(connection)
  const known = new Map<number, Lead>([[0, NO_LEAD]])
  const entries: Entry[] = []
  for (let i = 0; i < ids.length; i++) {
    const code = leads[i]!
    let lead = known.get(code)
    if (lead === undefined) {
      lead = code % 2 === 0 ? { gap: gaps.text(code / 2), overlap: 0 } : { gap: '', overlap: (code + 1) / 2 }
      known.set(code, lead)
    }
    entries.push({
      id: ids[i]!,
      live: !dead?.has(ids[i]!),
      hash: hashes[i],
      length: lengths[i]!,
      metadata: metadata?.[i],
      lead,
    })
  }
  return { places, entries }
}

/** A hash is 22 characters; this stands for none. */
const NO_HASH = ' '.repeat(22)

/**
 * Hashes and lengths of many spans. One long string a run of ids instead of one row a span: crossing from SQLite to
 * JavaScript ten thousand times costs more than splitting and hashing the document did.
 */
function readHashes(connection: Connection, ids: readonly number[]) {
  const hashes: (string | undefined)[] = []
  const lengths: number[] = []
  eachRun(ids, (first, last) => {
    const [hashed, measured] = connection.row<[string, string]>(
      `SELECT group_concat(coalesce(hash, '${NO_HASH}'), ''), group_concat(length)
       FROM (SELECT hash, length FROM span WHERE id BETWEEN ? AND ? ORDER BY id)`,
      first,
      last,
    )!
    for (let at = 0; at < hashed.length; at += 22) {
      // An erased hash is blanks.
      hashes.push(hashed.charCodeAt(at) === 32 ? undefined : hashed.slice(at, at + 22))
    }
    for (const length of measured.split(',')) lengths.push(Number(length))
  })
  return { hashes, lengths }
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
