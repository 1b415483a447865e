import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openStore } from '../../src/index.ts'
import { temporary } from './helpers.ts'

const migrations = new URL('../../migrations/', import.meta.url)

/** A store's rows under the first version's schema, as that version would have left them. */
function asFirstVersion(from: string, to: string): void {
  mkdirSync(to)
  const db = new Database(join(to, 'ledger.db'))
  db.pragma('foreign_keys = OFF')
  db.exec(
    'CREATE TABLE migration (id INTEGER PRIMARY KEY, tag TEXT NOT NULL, hash TEXT NOT NULL, at INTEGER NOT NULL) STRICT',
  )
  const sql = ['0000_ledger', '0001_append_only'].map((tag) => {
    const text = readFileSync(new URL(`${tag}.sql`, migrations), 'utf8')
    return { tag, text, hash: createHash('sha256').update(text).digest('hex') }
  })
  for (const { text } of sql.slice(0, 1))
    for (const statement of text.split('--> statement-breakpoint')) db.exec(statement)
  db.prepare('ATTACH ? AS newer').run(join(from, 'ledger.db'))
  const tables = db
    .prepare(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> 'migration' AND name NOT LIKE 'sqlite_%'",
    )
    .pluck()
    .all() as string[]
  for (const table of tables) {
    const columns = (
      db.prepare(`SELECT name FROM pragma_table_info('${table}', 'main')`).pluck().all() as string[]
    )
      .map((name) => `"${name}"`)
      .join(', ')
    db.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table}`)
  }
  db.exec('DETACH newer')
  for (const { text } of sql.slice(1))
    for (const statement of text.split('--> statement-breakpoint')) db.exec(statement)
  for (const { tag, hash } of sql)
    db.prepare('INSERT INTO migration (tag, hash, at) VALUES (?, ?, 1)').run(tag, hash)
  db.close()
}

test('a store of the first version opens, with its sessions counted, and goes on', async () => {
  const newer = temporary()
  const older = join(temporary(), 'older')
  const first = await openStore(newer)
  const notes = await first.collection('notes')
  const { added } = await notes.put({ source: 's', spans: [{ text: 'One.' }, { text: 'Two.' }] })
  const cite = (count: number) =>
    added
      .slice(0, count)
      .map((key) => `Said [[${key}]].`)
      .join(' ')
  const session = notes.session('a')
  const one = await session.register({ text: cite(1), covers: added })
  await session.register({ text: cite(2), covers: added, replaces: one.key })
  await first.close()

  asFirstVersion(newer, older)
  await using store = await openStore(older)
  expect(await store.verify()).toEqual([])
  const again = (await store.collection('notes')).session('a')
  expect((await again.summaries()).map(({ text }) => text)).toEqual([cite(2)])
  expect(await again.boundary()).toMatchObject({ decision: 'freeze_and_rollback' })
  await again.discardEpoch()
  await again.reconcile({ summarize: () => undefined })
  expect((await again.summaries()).map(({ text }) => text)).toEqual([cite(1)])
  expect(await store.verify()).toEqual([])
})
