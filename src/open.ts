import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { LEDGER_FILE } from './ledger/sqlite/backup.ts'
import { openSqliteLedger } from './ledger/sqlite/ledger.ts'
import type { Embedder, TextIndex } from './ports.ts'
import { invalid } from './store/input.ts'
import { Store } from './store/store.ts'
import { SqliteTextIndex } from './text/text-index.ts'

export { restoreBackup } from './ledger/sqlite/backup.ts'

export interface StoreOptions {
  /** Computes vectors for new texts. Without one, texts are stored and found by words. */
  readonly embedder?: Embedder
  /** How long a write waits for other writers before it fails with STORE_BUSY, in milliseconds. Default 10 000. */
  readonly wait?: number
  /** Milliseconds since the epoch; for tests. */
  readonly clock?: () => number
}

/** Opens the store in a directory, creating both if need be. `:memory:` keeps everything in memory. */
export async function openStore(directory: string, options: StoreOptions = {}): Promise<Store> {
  if (typeof directory !== 'string' || directory === '')
    throw invalid('directory', directory, "give a path, or ':memory:'")
  const clock = options.clock ?? Date.now
  if (directory !== ':memory:') mkdirSync(directory, { recursive: true })
  const path = directory === ':memory:' ? directory : join(directory, LEDGER_FILE)
  const derived: TextIndex[] = []
  const ledger = openSqliteLedger(path, {
    clock,
    onCommit: () => text.wake(),
    derived,
    ...(options.wait === undefined ? {} : { wait: options.wait }),
  })
  const text = new SqliteTextIndex(ledger, path)
  derived.push(text)
  return new Store(ledger, text, {
    clock,
    ...(options.embedder === undefined ? {} : { embedder: options.embedder }),
  })
}
