import { SpanStoreError } from '../../core/errors.ts'
import { type Expected, requireRevision } from '../../core/expected.ts'
import type { Connection } from './statements.ts'

const SOURCES_OF_KEYS = `
  SELECT DISTINCT o.name FROM json_each(?) j CROSS JOIN span s ON s.key = j.value
  CROSS JOIN source o ON o.id = s.source WHERE o.collection = ? LIMIT 2`

const REVISION = `
  SELECT h.revision FROM source o CROSS JOIN source_head h ON h.source = o.id WHERE o.collection = ? AND o.name = ?`

/** Asked inside the write, so that nothing comes between. @throws REVISION_CONFLICT, INVALID_ARGUMENT */
export function requireExpected(connection: Connection, collection: number, expected: Expected): void {
  const { revision, of } = expected
  const source = 'source' in of ? of.source : sourceOf(connection, collection, of.keys)
  requireRevision(source, revision, connection.value<number>(REVISION, collection, source) ?? 0)
}

function sourceOf(connection: Connection, collection: number, keys: readonly string[]): string {
  const names = connection.rows<[string]>(SOURCES_OF_KEYS, JSON.stringify(keys), collection)
  if (names.length === 1) return names[0]![0]
  throw new SpanStoreError(
    'INVALID_ARGUMENT',
    `expectedRevision: the keys belong to ${names.length === 0 ? 'no source' : 'several sources'} of this collection, which has no one revision to expect; give keys of one source`,
    { path: 'expectedRevision', value: keys },
  )
}
