import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { afterEach } from 'vitest'
import type { Key, StoreEvent } from '../../src/index.ts'
import { readEvents } from '../../src/ledger/sqlite/events.ts'
import type { Connection } from '../../src/ledger/sqlite/statements.ts'

export { random } from './random.ts'

const directories: string[] = []

/** A directory that goes away after the test. */
export function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-test-'))
  directories.push(directory)
  return directory
}

function removeTemporary(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
}

afterEach(removeTemporary)

export function eventsOf(connection: Connection, collection: Key): readonly StoreEvent[] {
  const ref = connection.value<number>('SELECT id FROM collection WHERE key = ?', collection)!
  return readEvents(connection, { collection: ref, after: 0, limit: 1_000_000 }).events
}

/** Every row of every table, in order: equal dumps mean that nothing was written. */
export function dump(db: Database.Database): Record<string, unknown[]> {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all() as string[]
  return Object.fromEntries(
    tables.map((table) => [table, db.prepare(`SELECT * FROM "${table}"`).raw().all().map(show).sort()]),
  )
}

const show = (row: unknown): string =>
  JSON.stringify(row, (_, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('base64') : value,
  )
