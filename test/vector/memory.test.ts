import { afterEach, expect, test } from 'vitest'
import { cleanUp, indexed, newDirectory, open, vectors } from './stores.ts'

afterEach(cleanUp)

const DIMENSIONS = 16

/** Rows that are read for one commit to a table, and for the last step towards it. */
const BATCH = 2_000 + 1_000

test('what absorbing holds in memory does not grow with what it absorbs', async () => {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes')
  const add = async (source: string, rows: readonly Float32Array[]) => {
    await notes.append({ source, spans: rows.map((vector, i) => ({ text: `${source} ${i}`, vector })) })
  }
  const rows = vectors(9_000, DIMENSIONS)
  for (let i = 0; i < rows.length; i += 1_500) await add(`part ${i}`, rows.slice(i, i + 1_500))
  // Nothing is to be in memory as a whole.
  const { index, search } = await indexed(directory, { memory: BATCH * DIMENSIONS * 4 })
  const held: number[] = []
  await index.catchUp({ onProgress: () => held.push(index.held) })
  expect(held.length).toBeGreaterThan(3)
  expect(Math.min(...held)).toBeGreaterThan(0)
  expect(Math.max(...held)).toBeLessThanOrEqual(BATCH * DIMENSIONS * 4)
  expect(index.held).toBe(0)
  // What came since is in memory, until the table has it.
  await add('since', vectors(1_500, DIMENSIONS, 5))
  const { path } = await search(rows[0]!)
  expect(path).toMatchObject({ path: 'index', tail: 1_500 })
  const tail = index.held
  expect(tail).toBeGreaterThanOrEqual(1_500 * DIMENSIONS * 4)
  await index.catchUp()
  await search(rows[0]!)
  expect(index.held).toBeLessThan(tail / 10)
  // A tail that would be more than the budget is not kept: the ledger is read instead.
  await add('late', vectors(BATCH + 10, DIMENSIONS, 6))
  const late = await search(rows[0]!)
  expect(late.hits).toHaveLength(10)
  expect(late.path.path).toBe('ledger')
  expect(index.held).toBe(0)
}, 60_000)
