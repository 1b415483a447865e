import type { Key } from '../../core/key.ts'
import type { Dependent, Lineage, LineageNode } from '../../core/model.ts'
import { REASONS, STATES } from './codes.ts'
import { identicalOf } from './identical.ts'
import { keyOf } from './read.ts'
import type { Connection } from './statements.ts'

/** The whole history a key belongs to: where its text came from and what became of it, oldest first. In steps. */
export function* readingLineage(connection: Connection, key: Key): Generator<void, Lineage> {
  const start = connection.value<number>('SELECT id FROM span WHERE key = ?', key)
  if (start === undefined) return { key, nodes: [], edges: [] }
  const seen = new Set<number>()
  // Ancestors and descendants of the key, but not the other descendants of its ancestors.
  function* walk(column: 'old' | 'new', other: 'old' | 'new', from: number): Generator<void> {
    const queue = [from]
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      yield
      for (const [next] of connection.rows<[number]>(
        `SELECT "${other}" FROM lineage WHERE "${column}" = ?`,
        node,
      ))
        if (!seen.has(next)) {
          seen.add(next)
          queue.push(next)
        }
    }
  }
  yield* walk('new', 'old', start)
  yield* walk('old', 'new', start)
  seen.add(start)
  const ids = [...seen].sort((a, b) => a - b)
  const edges: Lineage['edges'][number][] = []
  const nodes: LineageNode[] = []
  for (const id of ids) {
    nodes.push(lineageNode(connection, id))
    for (const [next, kind] of connection.rows<[number, number]>(
      'SELECT new, kind FROM lineage WHERE old = ? ORDER BY ordinal',
      id,
    ))
      if (seen.has(next))
        edges.push({
          from: keyOf(connection, id),
          to: keyOf(connection, next),
          kind: kind === 0 ? 'successor' : 'restored',
        })
    yield
  }
  return { key, nodes, edges }
}

function lineageNode(connection: Connection, id: number): LineageNode {
  const [key, position, text, reason, retired, dropped, erased] = connection.row<
    [Key, number, string | null, number | null, number | null, number | null, number]
  >(
    `SELECT s.key, s.born, s.text, t.reason, t.position, h.dropped, EXISTS (SELECT 1 FROM erasure e WHERE e.span = s.id)
     FROM span s CROSS JOIN collection_head h ON h.collection = s.collection
     LEFT JOIN tombstone t ON t.span = s.id WHERE s.id = ?`,
    id,
  )!
  if (reason === null && dropped === null)
    return { key, status: text === null || text.trim() === '' ? 'empty' : 'ok', position }
  const identical = dropped === null ? identicalOf(connection, id) : undefined
  return {
    key,
    status: 'tombstone',
    position,
    reason:
      reason === null || (erased === 1 && reason < 5)
        ? 'deleted'
        : erased === 1
          ? 'discarded'
          : REASONS[reason]!,
    retiredAt: retired ?? dropped!,
    ...(identical === undefined ? {} : { identical: keyOf(connection, identical) }),
  }
}

/** Dependents of one key that are read at a stretch. */
const DEPENDENTS = 1_000

/** Everything that stands on a key, at any depth; summaries that reach it through `identical` included. In steps. */
export function* readingDependents(connection: Connection, key: Key): Generator<void, Dependent[]> {
  const start = connection.value<number>('SELECT id FROM span WHERE key = ?', key)
  if (start === undefined) return []
  const found = new Map<number, { depth: number; on: Set<number> }>()
  let wave = [start]
  for (let depth = 1; wave.length > 0; depth++) {
    const next: number[] = []
    for (const support of wave)
      for (const on of [
        support,
        ...connection.rows<[number]>('SELECT span FROM identical WHERE target = ?', support).flat(),
      ])
        for (let after = -1, rows: [number][] = []; ; after = rows.at(-1)![0]) {
          yield
          rows = connection.rows<[number]>(
            `SELECT dependent FROM dependency WHERE support = ? AND dependent > ? ORDER BY dependent LIMIT ${DEPENDENTS}`,
            on,
            after,
          )
          for (const [dependent] of rows) {
            const known = found.get(dependent)
            if (known !== undefined) known.on.add(on)
            else {
              found.set(dependent, { depth, on: new Set([on]) })
              next.push(dependent)
            }
          }
          if (rows.length < DEPENDENTS) break
        }
    wave = next
  }
  const all: Dependent[] = []
  for (const [id, { depth, on }] of found) {
    yield
    const [own, collection, session, reason, dropped, state] = connection.row<
      [Key, string, string, number | null, number | null, number]
    >(
      `SELECT s.key, h.name, n.name, t.reason, h.dropped,
         (SELECT coalesce(max(hard) + 1, 0) FROM cause c WHERE c.dependent = s.id)
       FROM span s CROSS JOIN collection_head h ON h.collection = s.collection
       CROSS JOIN summary m ON m.span = s.id CROSS JOIN session n ON n.id = m.session
       LEFT JOIN tombstone t ON t.span = s.id WHERE s.id = ?`,
      id,
    )!
    const dead = reason !== null || dropped !== null
    all.push({
      key: own,
      collection,
      session,
      depth,
      on: [...on].map((support) => keyOf(connection, support)),
      status: dead ? 'tombstone' : 'ok',
      state: !dead ? STATES[state]! : reason === 5 ? 'superseded' : 'discarded',
      causes: dead
        ? []
        : connection
            .rows<[Key]>(
              'SELECT s.key FROM cause c CROSS JOIN span s ON s.id = c.support WHERE c.dependent = ?',
              id,
            )
            .map(([cause]) => cause),
    })
  }
  return all
}
