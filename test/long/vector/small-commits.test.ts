import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { interleaved } from '../../../bench/harness.ts'
import { LanceTable } from '../../../src/vector/table.ts'
import { LedgerVectorIndex } from '../../../src/vector/vector-index.ts'
import { cleanUp, fill, type Indexed, indexed, newDirectory, open, vectors } from '../../vector/stores.ts'

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

/** As many rows are in the table when something is told of it as makes a difference: between two joinings, and after one. */
const TOLD_AT = [2_000, 13_000, 24_000, 35_000, 46_000, 50_000]

test('fifty thousand commits of one row leave a table as quick as a fresh one, of three times its data at most', async () => {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes')
  const rows = vectors(12_000, DIMENSIONS)
  for (let i = 0; i < rows.length; i += 1_000) await fill(notes, i, rows.slice(i, i + 1_000))
  const used = await indexed(directory, { large: 10_000 })
  await used.index.catchUp()
  const more = vectors(50_000, DIMENSIONS, 2)
  const allowed = (count: number) => 3 * Math.max(count * 4 * DIMENSIONS, 4 * 2 ** 20)
  for (const [i, vector] of more.entries()) {
    await notes.append({ source: 'log', spans: [{ text: `turn ${i}`, vector }] })
    // A commit of the table for each of the first, then as the background does it: a thousand at a time.
    if (i >= 2_000 && i % 1_000 !== 999) continue
    await used.index.catchUp()
    if (i % 1_000 !== 999) continue
    const count = i + 1
    expect(size(join(directory, 'index'))).toBeLessThan(allowed(rows.length + count))
    if (!TOLD_AT.includes(count)) continue
    const { fresh, table } = await beside(used)
    const slower = await timesSlower(
      (n) => used.search(more[n]!, { limit: 10, accuracy: 0.98 }),
      (n) => fresh.search(used.collection, { vector: more[n]!, limit: 10, offset: 0, accuracy: 0.98 }),
    )
    const parts = await partsOf(join(directory, 'index'))
    expect(slower, `times a fresh table's time, after ${count} commits`).toBeLessThan(2)
    // What a query has to go through beside the index itself, which is what would make it slow.
    expect(parts.rows).toBeGreaterThan(rows.length + count - 2_000)
    expect(parts.parts).toBeLessThanOrEqual(9)
    expect(parts.rest).toBeLessThanOrEqual(4_000)
    await fresh.close()
    rmSync(table, { recursive: true })
  }
  const answer = await used.search(more[49_999]!, { limit: 1, accuracy: 0.98 })
  expect(answer.hits[0]!.span.text).toBe('turn 49999')
  expect(answer.path.path).toBe('index')
  expect(await used.index.verify(false)).toEqual([])
  await used.close()
}, 1_800_000)

/** The same collection in a table that was made at once and indexed afterwards. */
async function beside({ ledger, collection }: Indexed) {
  const table = newDirectory()
  const fresh = new LedgerVectorIndex(ledger.vectors, { directory: table, large: 10_000 })
  await fresh.catchUp({ collection })
  return { fresh, table }
}

/**
 * How many times as long the first takes, by medians of queries that take turns. Whatever else the machine does can only
 * be in the way of either, so the best of a few tries says it: what is slow by itself is slow every time.
 */
async function timesSlower(one: (n: number) => unknown, other: (n: number) => unknown): Promise<number> {
  const ratios: number[] = []
  for (let attempt = 0; attempt < 4; attempt++) {
    const { ours, raw } = await interleaved(60, other, one)
    ratios.push(ours / raw)
    if (ours / raw < 1.5) break
  }
  return Math.min(...ratios)
}

async function partsOf(directory: string) {
  const name = readdirSync(directory).find((file) => file.endsWith('.lance'))!
  const shape = { metric: 'cosine', dimensions: DIMENSIONS } as const
  const table = await LanceTable.open(directory, name.slice(0, -'.lance'.length), shape)
  const { parts, rest } = (await table.indexed())!
  // The last few hundred are in memory alone for a while.
  const rows = await table.rows()
  table.close()
  return { parts, rest, rows }
}
