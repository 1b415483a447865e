import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { LanceTable } from '../../../src/vector/table.ts'
import { cleanUp, fill, indexed, newDirectory, open, vectors } from '../../vector/stores.ts'

afterAll(cleanUp)

const DIMENSIONS = 64

/** Bytes of a directory's files. */
function size(directory: string): number {
  let bytes = 0
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  return bytes
}

test('fifty thousand commits of one row leave a table of three times its data at most, in few parts', async () => {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes')
  const rows = vectors(12_000, DIMENSIONS)
  for (let i = 0; i < rows.length; i += 1_000) await fill(notes, i, rows.slice(i, i + 1_000))
  const { index, search, close } = await indexed(directory, { large: 10_000 })
  await index.catchUp()
  const more = vectors(50_000, DIMENSIONS, 2)
  const allowed = (count: number) => 3 * Math.max(count * 4 * DIMENSIONS, 4 * 2 ** 20)
  for (const [i, vector] of more.entries()) {
    await notes.append({ source: 'log', spans: [{ text: `turn ${i}`, vector }] })
    // As the background does it: a thousand at a time.
    if (i % 1_000 !== 999) continue
    await index.catchUp()
    expect(size(join(directory, 'index'))).toBeLessThan(allowed(rows.length + i))
  }
  const answer = await search(more[49_999]!, { limit: 1, accuracy: 0.98 })
  expect(answer.hits[0]!.span.text).toBe('turn 49999')
  expect(answer.path.path).toBe('index')
  expect(await index.verify(false)).toEqual([])
  await close()
  // What a query has to go through beside the index itself, which is what would make it slow.
  const name = readdirSync(join(directory, 'index')).find((file) => file.endsWith('.lance'))!
  const shape = { metric: 'cosine', dimensions: DIMENSIONS } as const
  const table = await LanceTable.open(join(directory, 'index'), name.slice(0, -'.lance'.length), shape)
  // The last few hundred are in memory alone for a while.
  expect(await table.rows()).toBeGreaterThan(rows.length + more.length - 2_000)
  const { parts, rest } = (await table.indexed())!
  table.close()
  expect(parts).toBeLessThanOrEqual(9)
  expect(rest).toBeLessThanOrEqual(4_000)
})
