import type { LedgerStats } from '../../ports/ledger.ts'
import { freezeOf } from './interventions.ts'
import type { Connection } from './statements.ts'

export function ledgerStats(connection: Connection): LedgerStats {
  const collections = connection
    .rows<[number, string, number, number]>(
      'SELECT collection, name, position, live FROM collection_head WHERE dropped IS NULL ORDER BY name',
    )
    .map(([id, name, position, live]) => {
      const count = (sql: string) => connection.value<number>(sql, id)!
      const summaries = { current: 0, suspect: 0, stale: 0 }
      for (const [state, n] of connection.rows<[number, number]>(
        `SELECT (SELECT coalesce(max(c.hard) + 1, 0) FROM cause c WHERE c.dependent = s.id) AS state, count(*)
         FROM span s WHERE s.collection = ? AND s.kind = 1
           AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id) GROUP BY state`,
        id,
      ))
        summaries[state === 0 ? 'current' : state === 1 ? 'suspect' : 'stale'] = n
      return {
        name,
        position,
        live,
        sources: count('SELECT count(*) FROM source WHERE collection = ?'),
        tombstones: count(
          'SELECT count(*) FROM tombstone t CROSS JOIN span s ON s.id = t.span WHERE s.collection = ?',
        ),
        summaries,
        ...sessionStats(connection, id),
      }
    })
  return {
    collections,
    events: connection.value<number>('SELECT count(*) FROM event')!,
    bytes: connection.value<number>('PRAGMA page_count')! * connection.value<number>('PRAGMA page_size')!,
  }
}

function sessionStats(connection: Connection, collection: number) {
  const [anchored, anchoredOk, queried, queriedOk] = connection.row<[number, number, number, number]>(
    `SELECT coalesce(sum(c.anchored_total), 0), coalesce(sum(c.anchored_hits), 0), coalesce(sum(c.queried_total), 0),
       coalesce(sum(c.queried_hits), 0)
     FROM session n CROSS JOIN session_cycle c ON c.session = n.id WHERE n.collection = ?`,
    collection,
  )!
  const sessions = connection.rows<[number]>(
    'SELECT DISTINCT i.session FROM intervention i CROSS JOIN session n ON n.id = i.session WHERE n.collection = ?',
    collection,
  )
  return {
    rehydrations: {
      anchored: { asked: anchored, ok: anchoredOk },
      queried: { asked: queried, ok: queriedOk },
    },
    frozen: sessions.filter(([session]) => freezeOf(connection, session) !== undefined).length,
  }
}
