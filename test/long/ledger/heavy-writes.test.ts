import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, test } from 'vitest'
import { openSqliteLedger } from '../../../src/ledger/sqlite/ledger.ts'
import { ledgerConformance } from '../../../src/testing/ledger.ts'

const directories: string[] = []

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

describe('a ledger that does every write in its thread', () => {
  const open = async () => {
    const directory = mkdtempSync(join(tmpdir(), 'spanstore-heavy-'))
    directories.push(directory)
    return openSqliteLedger(join(directory, 'ledger.db'), { heavy: 0 })
  }
  for (const { name, run } of ledgerConformance(open)) test(name, run)
})
