import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { liveSummaries } from '../../src/ledger/sqlite/live-summaries.ts'
import { Connection } from '../../src/ledger/sqlite/statements.ts'
import { random } from '../store/random.ts'
import { cite, talk } from './sessions.ts'

test('what is remembered of live summaries is what a walk over all of them finds, whatever happened between looks', async () => {
  const { notes, turns, directory } = await talk()
  const reader = new Connection(new Database(join(directory, 'ledger.db'), { readonly: true }))
  onTestFinished(() => void reader.db.close())
  const names = ['one', 'other']
  const walk = (session: number) =>
    reader
      .rows<[number]>(
        `SELECT m.span FROM summary m WHERE m.session = ?
         AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span) ORDER BY m.span`,
        session,
      )
      .map(([span]) => span)
  const chance = random(19)
  let largest = 0
  for (let step = 0; step < 120; step++) {
    const session = notes.session(names[Math.floor(chance() * 2)]!)
    const live = await session.summaries()
    const old = live[Math.floor(chance() * live.length)]
    const text = `Step ${step}: ${cite(turns[step % turns.length]!)}`
    const what = chance()
    if (what < 0.35 || old === undefined) await session.register({ text })
    else if (what < 0.8) await session.register({ text, replaces: old.key })
    else if (what < 0.9) await notes.retire([old.key])
    else await session.discardEpoch()
    // Some looks see one change, some several, some none.
    if (chance() < 0.6)
      for (const [id] of reader.rows<[number]>('SELECT id FROM session')) {
        expect(liveSummaries(reader, id)).toEqual(walk(id))
        largest = Math.max(largest, walk(id).length)
      }
  }
  expect(largest).toBeGreaterThan(5)
})
