import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/index.ts'
import { lines } from './chunkers.ts'
import { dump, temporary } from './helpers.ts'

const schema = readFileSync(new URL('../../src/ledger/sqlite/schema.ts', import.meta.url), 'utf8')

/** schema.ts says of each table what it is: by the heading above it, or by the first word of its own comment. */
function tablesOfKind(): { ledger: string[]; state: string[] } {
  const ledger: string[] = []
  const state: string[] = []
  let heading = ''
  let comment = ''
  for (const line of schema.split('\n')) {
    const section = /^\/\/ ── (LEDGER|STATE)/.exec(line)
    if (section !== null) heading = section[1]!
    const own = /^\/\*\* (LEDGER|STATE)\b/.exec(line)
    if (own !== null) comment = own[1]!
    const table = /^export const (\w+) = sqliteTable\(/.exec(line)
    if (table === null) continue
    const kind = comment === '' ? heading : comment
    ;(kind === 'LEDGER' ? ledger : state).push(table[1]!)
    comment = ''
  }
  return { ledger, state }
}

const { ledger: LEDGER, state: STATE } = tablesOfKind()

/** A store with a row in every ledger table. */
async function full(): Promise<string> {
  const directory = temporary()
  let now = 1000
  const store = await openStore(directory, { clock: () => now })
  const notes = await store.collection('notes')
  const turns = Array.from({ length: 130 }, (_, i) => ({ text: `Turn ${i} says something.` }))
  const { added } = await notes.put({ source: 's', spans: turns, metadata: { a: 1 }, commandId: 'first' })
  await notes.put({
    source: 'gaps',
    text: 'One.\nleft out\nThree.',
    chunker: { ...lines, id: 'odd', chunk: oddLines },
  })
  await notes.put({ source: 'v', spans: [{ text: 'With a vector.', vector: [1, 2] }] })
  await notes.put({ source: 's', spans: [{ text: 'Turn 0 says something else.' }, ...turns.slice(1)] })
  await notes.update({ keys: [added[2]!], metadata: { b: 2 } })
  const session = notes.session('a')
  await session.register({ text: 'Sum.', dependsOn: [added[1]!], covers: [added[1]!] })
  await session.gate([{ text: `Turn 1 says something. [[${added[1]}]]` }])
  await session.observe({ citations: [added[1]!], context: [{ key: added[1]!, tokens: 10 }] })
  await session.boundary()
  await session.reconcile({ summarize: () => undefined })
  await notes.retire([added[5]!, added[6]!])
  await notes.erase({ keys: [added[5]!] })
  now = 2000
  await store.prune({ before: 1500 })
  await store.close()
  return directory
}

const oddLines = (text: string) => (lines.chunk(text) as readonly never[]).filter((_, i) => i % 2 === 0)

const open = (directory: string) => {
  const db = new Database(join(directory, 'ledger.db'))
  db.pragma('foreign_keys = ON')
  db.pragma('recursive_triggers = ON')
  return db
}

interface Column {
  readonly name: string
  readonly pk: number
}

describe('the ledger is append-only by trigger', () => {
  it('every table of the file is a ledger table, a state table, or the list of migrations', async () => {
    const directory = await full()
    const db = open(directory)
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all() as string[]
    expect(tables.sort()).toEqual([...LEDGER, ...STATE, 'migration'].sort())
    expect(LEDGER.length).toBeGreaterThan(20)
    for (const table of tables)
      expect(
        db.prepare(`SELECT strict FROM pragma_table_list WHERE name = '${table}'`).pluck().get(),
        table,
      ).toBe(1)
    db.close()
  })

  it('no row of a ledger table can be updated in any column, deleted, or replaced', async () => {
    const directory = await full()
    const db = open(directory)
    const before = dump(db)
    const refused = (sql: string, ...values: unknown[]) => {
      expect(() => db.prepare(sql).run(...values), sql).toThrow(/append-only/)
    }
    for (const table of LEDGER) {
      const columns = db.pragma(`table_info(${table})`) as Column[]
      expect(
        db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
        `${table} has a row to try`,
      ).toBeGreaterThan(0)
      for (const { name } of columns) {
        const type = db
          .prepare(`SELECT type FROM pragma_table_info('${table}') WHERE name = ?`)
          .pluck()
          .get(name)
        const value =
          type === 'INTEGER'
            ? 7_777
            : type === 'REAL'
              ? 0.5
              : type === 'BLOB'
                ? Buffer.from('other')
                : 'other'
        refused(`UPDATE ${table} SET "${name}" = ?`, value)
      }
      refused(`DELETE FROM ${table}`)
      // The whole row again, but with another value where it is not the key: REPLACE deletes first.
      const names = columns.map(({ name }) => `"${name}"`).join(', ')
      refused(`INSERT OR REPLACE INTO ${table} (${names}) SELECT ${names} FROM ${table} LIMIT 1`)
      refused(`REPLACE INTO ${table} (${names}) SELECT ${names} FROM ${table} LIMIT 1`)
    }
    expect(dump(db)).toEqual(before)
    db.close()
  })

  it('a text that is live cannot be blanked, and a live span cannot be erased', async () => {
    const directory = await full()
    const db = open(directory)
    const before = dump(db)
    const live = db
      .prepare(
        'SELECT id FROM span WHERE text IS NOT NULL AND id NOT IN (SELECT span FROM tombstone) LIMIT 1',
      )
      .pluck()
      .get()
    expect(() => db.prepare("UPDATE span SET text = '   ', hash = ' ' WHERE id = ?").run(live)).toThrow(
      /append-only/,
    )
    expect(() => db.prepare('INSERT INTO erasure (span, at) VALUES (?, 1)').run(live)).toThrow(/FOREIGN KEY/)
    expect(() => db.prepare('INSERT INTO pruning (span, at) VALUES (?, 1)').run(live)).toThrow(/FOREIGN KEY/)
    // What was released may become blanks, and nothing else.
    const erased = db.prepare('SELECT span FROM erasure LIMIT 1').pluck().get()
    expect(() => db.prepare("UPDATE span SET text = 'back' WHERE id = ?").run(erased)).toThrow(/append-only/)
    expect(() => db.prepare('UPDATE span SET length = 1 WHERE id = ?').run(erased)).toThrow(/append-only/)
    expect(dump(db)).toEqual(before)
    db.close()
  })

  it('rows that cannot be are refused by the tables themselves', async () => {
    const directory = await full()
    const db = open(directory)
    const [span, dead] = db
      .prepare('SELECT (SELECT min(id) FROM span WHERE kind = 0), (SELECT min(span) FROM tombstone)')
      .raw()
      .get() as [number, number]
    const summary = db.prepare('SELECT span FROM summary LIMIT 1').pluck().get() as number
    for (const [sql, ...values] of [
      ['INSERT INTO tombstone (span, reason, position, at) VALUES (?, 5, 1, 1)', span + 1],
      ['INSERT INTO tombstone (span, reason, position, at) VALUES (?, 2, 1, 1)', summary],
      ['INSERT INTO tombstone (span, reason, position, at) VALUES (?, 2, 1, 1)', dead],
      ['INSERT INTO lineage (old, new, kind, ordinal) VALUES (?, ?, 0, 0)', dead, dead],
      ['INSERT INTO dependency (support, dependent, printed) VALUES (?, ?, 0)', summary, summary],
      ['INSERT INTO store (id, key, secret, at) VALUES (2, ?, ?, 1)', 'k', 's'],
    ] as [string, ...unknown[]][])
      expect(() => db.prepare(sql).run(...values), sql).toThrow(/constraint|append-only|kind/)
    db.close()
  })

  it('references hold, and the store finds nothing wrong with itself', async () => {
    const directory = await full()
    const db = open(directory)
    expect(db.pragma('foreign_key_check')).toEqual([])
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.close()
    const store = await openStore(directory)
    expect(await store.verify()).toEqual([])
    await store.close()
  })
})

describe('migrations', () => {
  const shipped = () => {
    const at = new URL('../../migrations/', import.meta.url)
    const { entries } = JSON.parse(readFileSync(new URL('meta/_journal.json', at), 'utf8')) as {
      entries: { tag: string }[]
    }
    return entries.map(({ tag }) => ({
      tag,
      hash: createHash('sha256')
        .update(readFileSync(new URL(`${tag}.sql`, at)))
        .digest('hex'),
    }))
  }

  it('are recorded with the hash of what was applied, once', async () => {
    const directory = temporary()
    for (let i = 0; i < 3; i++) await (await openStore(directory)).close()
    const db = open(directory)
    expect(db.prepare('SELECT tag, hash FROM migration ORDER BY id').all()).toEqual(shipped())
    expect(db.prepare('SELECT count(*) FROM store').pluck().get()).toBe(1)
    db.close()
  })

  it('a store with an unknown migration is refused as too new, and left alone', async () => {
    const directory = await full()
    const db = open(directory)
    db.prepare("INSERT INTO migration (tag, hash, at) VALUES ('9999_future', 'x', 1)").run()
    const before = dump(db)
    await expect(openStore(directory)).rejects.toMatchObject({
      code: 'STORE_TOO_NEW',
      detail: { applied: shipped().length + 1, known: shipped().length },
    })
    expect(dump(db)).toEqual(before)
    db.close()
  })

  it('a store whose migration was applied with other contents is refused', async () => {
    const directory = await full()
    const db = open(directory)
    db.prepare("UPDATE migration SET hash = 'other' WHERE id = 1").run()
    await expect(openStore(directory)).rejects.toMatchObject({
      code: 'MIGRATION_CHANGED',
      detail: { migration: shipped()[0]!.tag },
    })
    db.close()
  })
})

describe('a file that is no store', () => {
  it('another SQLite database is refused, and its tables stay as they are', async () => {
    const directory = temporary()
    const db = new Database(join(directory, 'ledger.db'))
    db.exec("CREATE TABLE theirs (a); INSERT INTO theirs VALUES ('precious')")
    const before = dump(db)
    await expect(openStore(directory)).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
    expect(dump(db)).toEqual(before)
    db.close()
  })

  it('a file of other bytes, and a store cut short, are refused as corrupt', async () => {
    const other = temporary()
    writeFileSync(join(other, 'ledger.db'), 'This is not a database, it only has its name.'.repeat(100))
    await expect(openStore(other)).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
    const cut = await full()
    const bytes = readFileSync(join(cut, 'ledger.db'))
    writeFileSync(join(cut, 'ledger.db'), bytes.subarray(0, 5000))
    await expect(openStore(cut)).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
  })

  it('a directory in its place is refused', async () => {
    const directory = temporary()
    mkdirSync(join(directory, 'ledger.db'))
    await expect(openStore(directory)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })
})
