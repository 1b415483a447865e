import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { VectorIndex } from '../../src/ports/vectors.ts'
import { type IndexedLedger, ledgerConformance, vectorIndexConformance } from '../../src/testing/index.ts'
import { LedgerVectorIndex, type VectorIndexOptions } from '../../src/vector/vector-index.ts'
import { temporary } from '../store/helpers.ts'

describe.each([
  ['in a file', () => join(temporary(), 'ledger.db')],
  ['in memory', () => ':memory:'],
])('the SQLite ledger, %s', (_, path) => {
  for (const { name, run } of ledgerConformance(async () => openSqliteLedger(path()))) test(name, run)
})

const indexed = (options: (directory: string) => VectorIndexOptions) => async (): Promise<IndexedLedger> => {
  const directory = temporary()
  const ledger = openSqliteLedger(join(directory, 'ledger.db'))
  const index = new LedgerVectorIndex(ledger.vectors, options(directory))
  return {
    ledger,
    index,
    async close() {
      await index.close()
      await ledger.close()
    },
  }
}

describe.each([
  ['in memory', () => ({})],
  ['in the ledger itself', () => ({ memory: 0 })],
  ['in LanceDB', (directory: string) => ({ directory: join(directory, 'index'), large: 50 })],
] as const)('vectors %s', (_, options) => {
  for (const { name, run } of vectorIndexConformance(indexed(options))) test(name, run)
})

describe('a suite', () => {
  test('finds a ledger that answers dead text as live', async () => {
    const broken = async (): Promise<Ledger> => {
      const ledger = openSqliteLedger(':memory:')
      const fetch = ledger.fetch.bind(ledger)
      ledger.fetch = async (keys, ...rest) => {
        const results = await fetch(keys, ...rest)
        return results.map((result) =>
          result.status === 'tombstone' ? { status: 'absent', key: result.key } : result,
        )
      }
      return ledger
    }
    const found = ledgerConformance(broken).find(({ name }) => name === 'four results are told apart')!
    await expect(found.run()).rejects.toMatchObject({ name: 'AssertionError' })
  })

  test('finds an index that forgets the last write', async () => {
    const broken = async (): Promise<IndexedLedger> => {
      const one = await indexed(() => ({}))()
      const index: VectorIndex = Object.create(one.index, {
        catchUp: { value: async () => {} },
        verify: { value: async () => [] },
        erase: { value: async () => [] },
        search: {
          value: async (collection: number, query: Parameters<VectorIndex['search']>[1]) => {
            const answer = await one.index.search(collection, query)
            return { ...answer, hits: answer.hits.filter(({ span }) => !span.text.startsWith('another')) }
          },
        },
      })
      return { ...one, index }
    }
    const suite = vectorIndexConformance(broken)
    const failed: string[] = []
    for (const { name, run } of suite) await run().catch(() => failed.push(name))
    expect(failed).toContain('shows every write at once, and nothing that was retired')
    expect(failed).not.toContain('filters exactly, few or many')
  })
})
