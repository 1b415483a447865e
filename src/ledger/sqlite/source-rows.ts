import type { Key } from '../../core/key.ts'
import type { Commit } from './commit.ts'
import type { Tree } from './manifest.ts'
import { type Connection, insertInto } from './statements.ts'

export const INSERT_AMENDMENT = insertInto('amendment', ['span', 'position', 'metadata'])
export const INSERT_REVISION = insertInto('revision', [
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

export function sourceId(connection: Connection, collection: number, name: string): number {
  return (
    connection.value<number>('SELECT id FROM source WHERE collection = ? AND name = ?', collection, name) ??
    Number(
      connection.prepare(insertInto('source', ['collection', 'name'])).run(collection, name).lastInsertRowid,
    )
  )
}

export interface HeadUpdate {
  revision: number
  live: number
  described: boolean
  fingerprint: string | null
  expires: number | null
}

export function writeHead(connection: Connection, source: number, head: HeadUpdate): void {
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

export function writeRevision(
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
export function gapId(connection: Connection, source: number, text: string): number {
  if (text.trim() === '') {
    return (
      connection.value<number>('SELECT id FROM gap WHERE source IS NULL AND text = ?', text) ??
      Number(connection.prepare(insertInto('gap', ['source', 'text'])).run(null, text).lastInsertRowid)
    )
  }
  return Number(connection.prepare(insertInto('gap', ['source', 'text'])).run(source, text).lastInsertRowid)
}

export function keysOf(connection: Connection, ids: readonly number[]): Key[] {
  return ids.map((id) => connection.value<Key>('SELECT key FROM span WHERE id = ?', id)!)
}
