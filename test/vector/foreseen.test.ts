import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { VectorIndexOptions } from '../../src/vector/vector-index.ts'
import { cleanUp, fill, indexed, newDirectory, open, vectors } from './stores.ts'

afterEach(cleanUp)

const DIMENSIONS = 8
const [query] = vectors(1, DIMENSIONS, 77) as [Float32Array]

/** A process that keeps the table of a collection, and how often it read all of it. */
async function keeping(options: VectorIndexOptions) {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes', { metric: 'l2' })
  await fill(notes, 0, vectors(120, DIMENSIONS))
  const there = await indexed(directory, { gather: 1, patience: 1, rest: 1, ...options })
  const copy = vi.spyOn(there.ledger.vectors, 'copy')
  there.index.wake()
  while (there.index.watermark(there.collection) === undefined) await turn()
  /** When a copy that began after `calls` others is over. */
  const copied = async (calls = 0) => {
    while (copy.mock.calls.length === calls || copy.mock.results.at(-1)!.value.last !== undefined)
      await turn()
    for (let i = 0; i < 10; i++) await turn()
  }
  return { notes, copy, copied, ...there }
}

test('who wrote a table has its vectors in memory before anybody searches them', async () => {
  const { search, copied } = await keeping({ whole: 2 ** 20 })
  // Its table is made from one reading, memory from another.
  await copied()
  await copied(1)
  expect((await search(query)).path.path).toBe('resident')
})

test('collections that do not fit are left to their tables', async () => {
  const { index, search, collection, ledger, copy } = await keeping({ whole: 120 * DIMENSIONS * 4 - 1 })
  const wait = () => new Promise((done) => setTimeout(done, 2))
  while (index.watermark(collection) !== ledger.vectors.position(collection)) await wait()
  for (let i = 0; i < 20; i++) await wait()
  expect(copy.mock.calls.length).toBe(1)
  expect((await search(query)).path.path).toBe('index')
})
