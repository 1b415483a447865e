import type { Connection } from './statements.ts'

/** Tombstones looked at in one transaction, so that nobody is held up. */
const BATCH = 500

/** What `String.prototype.trim` takes away: SQLite on its own knows the space only. */
const BLANKS =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** A live summary stands on it, of a session that keeps such texts longer. */
const RETAINED = `EXISTS (SELECT 1 FROM session_knob) AND EXISTS (
  SELECT 1 FROM dependency d CROSS JOIN summary m ON m.span = d.dependent
  CROSS JOIN session_knob k ON k.session = m.session
  WHERE d.support = t.span AND t.at > ? - k.retention
    AND NOT EXISTS (SELECT 1 FROM tombstone o WHERE o.span = m.span))`

/**
 * Drops the texts of spans that were retired before a time, of the next tombstones, oldest span first; the tombstones,
 * hashes and lineage stay. Blank texts are left: there is nothing to gain, and whether a text was blank decides what
 * may stand on it. `last`: go on from there; undefined: these were the last.
 */
export function writePruned(
  connection: Connection,
  { before, after }: { readonly before: number; readonly after: number },
  now: number,
): { readonly pruned: number; readonly last: number | undefined } {
  const [last, looked] = connection.row<[number | null, number]>(
    `SELECT max(span), count(*) FROM (SELECT span FROM tombstone WHERE span > ? ORDER BY span LIMIT ${BATCH})`,
    after,
  )!
  if (last === null) return { pruned: 0, last: undefined }
  const ids = connection.rows<[number]>(
    `SELECT t.span FROM tombstone t CROSS JOIN span s ON s.id = t.span
     WHERE t.span > ? AND t.span <= ? AND t.at < ? AND s.kind = 0 AND s.length > 0 AND trim(s.text, ?) <> ''
       AND NOT EXISTS (SELECT 1 FROM erasure e WHERE e.span = t.span)
       AND NOT EXISTS (SELECT 1 FROM pruning p WHERE p.span = t.span)
       AND NOT (${RETAINED})`,
    after,
    last,
    before,
    BLANKS,
    now,
  )
  for (const [id] of ids) {
    connection.run('INSERT INTO pruning (span, at) VALUES (?, ?)', id, now)
    connection.run("UPDATE span SET text = '' WHERE id = ?", id)
  }
  return { pruned: ids.length, last: looked < BATCH ? undefined : last }
}
