import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { cleanUp, fill, type Indexed, indexed, newDirectory, open, sources, vectors } from './stores.ts'

afterEach(cleanUp)

const DIMENSIONS = 8
const [query] = vectors(1, DIMENSIONS, 77) as [Float32Array]

async function begin(whole: number) {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes', { metric: 'l2' })
  await fill(notes, 0, vectors(120, DIMENSIONS))
  const there = await indexed(directory, { whole })
  await there.index.catchUp()
  return { notes, ...there }
}

/** Searches until memory answers; a table does meanwhile, and says the same. */
async function untilResident({ search }: Indexed, expected: readonly string[]): Promise<number> {
  for (let asked = 1; ; asked++) {
    const answer = await search(query)
    expect(sources(answer)).toEqual(expected)
    if (answer.path.path === 'resident') return asked
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

test('a collection that fits is copied beside its table: the table answers first, then memory', async () => {
  const there = await begin(2 ** 20)
  const first = await there.search(query)
  expect(first.path.path).toBe('index')
  await untilResident(there, sources(first))
  // From then on memory follows the log by itself.
  await there.notes.put({ source: 'new', spans: [{ text: 'new', vector: query }] })
  const second = await there.search(query)
  expect([second.path.path, sources(second)[0]]).toEqual(['resident', 'new'])
  await there.notes.remove({ source: 'new' })
  expect(sources(await there.search(query))).toEqual(sources(first))
})

test('one that does not fit stays with its table', async () => {
  const there = await begin(120 * DIMENSIONS * 4 - 1)
  for (let i = 0; i < 20; i++) {
    expect((await there.search(query)).path.path).toBe('index')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
})

test('one that grows beyond goes back to its table', async () => {
  const there = await begin(125 * DIMENSIONS * 4)
  await untilResident(there, sources(await there.search(query)))
  await fill(there.notes, 120, vectors(20, DIMENSIONS, 5))
  expect((await there.search(query)).path.path).toBe('index')
})

test('closing does not wait for a copy to be whole', async () => {
  const there = await begin(2 ** 20)
  await there.search(query)
  await there.close()
  await expect(there.search(query)).rejects.toMatchObject({ code: 'STORE_CLOSED' })
})

test.skipIf(process.platform !== 'linux')(
  'once it is copied, the pages of the ledger that were read for it are no memory of this process any more',
  async () => {
    const there = await begin(2 ** 20)
    const mapped = () => {
      const maps = readFileSync('/proc/self/maps', 'utf8').split('\n')
      return maps.filter((line) => line.endsWith(there.ledger.connection.db.name)).length
    }
    // From the log to the file, which is what is mapped.
    there.ledger.connection.db.pragma('wal_checkpoint(TRUNCATE)')
    const { live } = there.ledger.vectors.head(there.collection)
    const before = mapped()
    there.ledger.vectors.letGo()
    expect(mapped()).toBeLessThan(before)
    expect(there.ledger.vectors.head(there.collection).live).toBe(live)
    expect(mapped()).toBe(before)
  },
)
