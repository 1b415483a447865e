import type { Commit } from './commit.ts'
import type { Connection } from './statements.ts'

/** A text this long is recognised by its bytes alone, wherever in its source it comes back. */
const TELLING = 32

/**
 * The live node that brought the same text back, if there is exactly one (DESIGN, "Writing").
 *
 * For a span: same source, not blank, minted by a later revision, and either reached through lineage (successors,
 * or the place it left), or, from 32 UTF-16 units on, the only live span of the source with these bytes.
 * For a summary: the live end of its replacement chain, when that says the same.
 */
export function identicalOf(connection: Connection, tombstone: number): number | undefined {
  const row = connection.row<
    [number, number | null, number | null, string | null, number, string | null, number, number]
  >(
    `SELECT s.kind, s.source, s.revision, s.hash, s.length,
       CASE WHEN s.length < ${TELLING} THEN s.text END,
       EXISTS (SELECT 1 FROM erasure e WHERE e.span = s.id), EXISTS (SELECT 1 FROM pruning p WHERE p.span = s.id)
     FROM span s WHERE s.id = ?`,
    tombstone,
  )!
  const [kind, source, revision, hash, length, short, erased, pruned] = row
  if (kind === 1) return liveEnd(connection, tombstone)
  if (erased === 1 || hash === null || length === 0) return undefined
  // Only texts that are not blank are ever pruned.
  if (pruned === 0 && (short !== null ? short.trim() === '' : isBlank(connection, tombstone)))
    return undefined

  const candidates = new Set<number>()
  const seen = new Set<number>([tombstone])
  const queue = [tombstone]
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const [next, live, nextHash, nextRevision] of connection.rows<
      [number, number, string | null, number]
    >(
      `SELECT s.id, NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id), s.hash, s.revision
       FROM lineage l CROSS JOIN span s ON s.id = l.new WHERE l.old = ?`,
      node,
    )) {
      if (seen.has(next)) continue
      seen.add(next)
      if (live === 0) queue.push(next)
      else if (nextHash === hash && nextRevision > revision!) candidates.add(next)
    }
  }
  if (length >= TELLING) {
    const living = connection.rows<[number, number]>(
      `SELECT s.id, s.revision FROM span s
       WHERE s.source = ? AND s.hash = ? AND s.length >= ${TELLING} AND s.kind = 0
         AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)
       ORDER BY s.id DESC LIMIT 2`,
      source,
      hash,
    )
    if (living.length === 1 && living[0]![1] > revision!) candidates.add(living[0]![0])
  }
  return candidates.size === 1 ? candidates.values().next().value : undefined
}

function isBlank(connection: Connection, span: number): boolean {
  return (connection.value<string>('SELECT text FROM span WHERE id = ?', span) ?? '').trim() === ''
}

function liveEnd(connection: Connection, summary: number): number | undefined {
  return connection.value<number>(
    `SELECT o.span FROM summary m CROSS JOIN summary o ON o.class = m.class AND o.span > m.span
     WHERE m.span = ? AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = o.span)
     ORDER BY o.span DESC LIMIT 1`,
    summary,
  )
}

/** Brings the stored `identical` of watched tombstones up to date, and marks those that changed as unsettled. */
export function settleIdentical(commit: Commit, tombstones: Iterable<number>): void {
  const { connection } = commit
  for (const tombstone of tombstones) {
    const stored = connection.value<number>('SELECT target FROM identical WHERE span = ?', tombstone)
    const now = identicalOf(connection, tombstone)
    if (stored === now) continue
    if (now === undefined) connection.run('DELETE FROM identical WHERE span = ?', tombstone)
    else
      connection.run(
        'INSERT INTO identical (span, target) VALUES (?, ?) ON CONFLICT (span) DO UPDATE SET target = excluded.target',
        tombstone,
        now,
      )
    commit.unsettled.add(tombstone)
  }
}

/** Watched tombstones of a source that hold one of these texts. */
export function watchedTombstones(
  connection: Connection,
  source: number,
  hashes: ReadonlySet<string>,
): number[] {
  if (connection.value('SELECT 1 FROM watched WHERE source = ? LIMIT 1', source) === undefined) return []
  const found: number[] = []
  for (const hash of hashes)
    for (const [span] of connection.rows<[number]>(
      `SELECT w.span FROM watched w WHERE w.source = ? AND w.hash = ?
       AND EXISTS (SELECT 1 FROM tombstone t WHERE t.span = w.span)`,
      source,
      hash,
    ))
      found.push(span)
  return found
}
