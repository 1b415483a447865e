import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach } from 'vitest'
import {
  type Collection,
  type Key,
  openStore,
  type Session,
  type Store,
  type StoreEvent,
  type StoreOptions,
} from '../../src/index.ts'
import { Connection } from '../../src/ledger/sqlite/statements.ts'
import { temporary } from '../store/helpers.ts'

const open = new Set<Store>()

async function closeStores(): Promise<void> {
  for (const store of open) await store.close()
  open.clear()
}

afterEach(closeStores)

export const TURNS = [
  'The migration runs on Saturday night between ten and midnight.',
  'Nobody may deploy while the migration runs, not even hotfixes.',
  'Priya holds the pager and decides whether to roll back.',
  'The read replica is detached before the first statement runs.',
  'If the row counts differ by more than ten the job is aborted.',
  'Customers were told that exports are unavailable until Sunday noon.',
]

export interface Talk {
  readonly store: Store
  readonly notes: Collection
  readonly session: Session
  readonly turns: readonly Key[]
  readonly directory: string
}

/** A conversation of six turns and a session over it, in a store of its own. */
export async function talk(options: StoreOptions = {}): Promise<Talk> {
  const directory = temporary()
  const store = await openStore(directory, options)
  open.add(store)
  const notes = await store.collection('notes')
  const { added } = await notes.put({ source: 'talk', spans: TURNS.map((text) => ({ text })) })
  return { store, notes, session: notes.session('agent'), turns: added, directory }
}

export async function reopened({ store, directory }: Talk, options: StoreOptions = {}): Promise<Talk> {
  await store.close()
  open.delete(store)
  return await another(directory, options)
}

/** A second opening of the same directory, as another process would have it. */
export async function another(directory: string, options: StoreOptions = {}): Promise<Talk> {
  const store = await openStore(directory, options)
  open.add(store)
  const notes = await store.collection('notes')
  return { store, notes, session: notes.session('agent'), turns: [], directory }
}

export const cite = (...keys: readonly Key[]): string =>
  keys.map((key, i) => `Point ${i + 1} stands [[${key}]].`).join(' ')

/** Reads the file beside the store. */
export function look<T>({ directory }: Talk, read: (connection: Connection) => T): T {
  const db = new Database(join(directory, 'ledger.db'), { readonly: true })
  try {
    return read(new Connection(db))
  } finally {
    db.close()
  }
}

export async function events(store: Store): Promise<StoreEvent[]> {
  const all: StoreEvent[] = []
  for await (const event of store.subscribe({ follow: false })) all.push(event)
  return all
}
