import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test } from 'vitest'
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { pagesInLog } from '../../src/ledger/sqlite/room.ts'
import { newSpans } from '../../src/store/draft.ts'

const directories: string[] = []
const opened: SqliteLedger[] = []

afterEach(async () => {
  for (const ledger of opened.splice(0)) await ledger.close()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

const sentence = (i: number) => `Sentence number ${i}, long enough to be told from all the others.`

/** A ledger in a file, which takes itself for large from so many spans on. */
async function begin(large: number, more: { readonly onCommit?: () => void } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-whole-'))
  directories.push(directory)
  const path = join(directory, 'ledger.db')
  const open = (from: number) => {
    const ledger = openSqliteLedger(path, { large: from, ...more })
    opened.push(ledger)
    return ledger
  }
  const ledger = open(large)
  const { ref } = await ledger.openCollection('notes', undefined, { recreate: false, create: true })
  const append = (source: string, texts: readonly string[]) =>
    ledger.append(
      ref,
      {
        source,
        spans: newSpans(
          texts.map((text) => ({ text })),
          'spans',
        ),
        metadata: undefined,
        expiresAt: undefined,
        readmit: false,
      },
      {},
    )
  await append(
    'a',
    Array.from({ length: 50 }, (_, i) => sentence(i)),
  )
  return { path, ledger, open, ref, append }
}

/** How often others had a turn while something ran. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let running = true
  const turn = () => {
    turns++
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  running = false
  return turns
}

test('many keys are answered as of one moment, whoever writes while they are read', async () => {
  const { ledger, ref, append } = await begin(10_000)
  const { added } = await append(
    'many',
    Array.from({ length: 1_300 }, (_, i) => `many ${i}`),
  )
  // The first and the last are retired together, when some were read already.
  const both = [added[0]!, added[1_299]!]
  const reading = ledger.fetch(added, ref)
  await new Promise(setImmediate)
  await ledger.retire(ref, both, 'deleted', {})
  const results = await reading
  expect(results.map(({ key }) => key)).toEqual(added)
  expect(results[0]!.status).toBe(results[1_299]!.status)
  const after = await ledger.fetch(added, ref)
  expect([after[0]!.status, after[1]!.status, after[1_299]!.status]).toEqual(['tombstone', 'ok', 'tombstone'])
})

describe('a large ledger', () => {
  test('is counted and checked in a thread as it is without one, while others go on', async () => {
    const { ledger, open } = await begin(10)
    const small = open(1_000)
    expect(await ledger.stats()).toEqual(await small.stats())
    expect(await turnsDuring(() => ledger.verify(false))).toBeGreaterThan(5)
    expect(await ledger.verify(false)).toEqual([])
  })

  test('is repaired there, and who writes meanwhile waits for it', async () => {
    let commits = 0
    const { ledger, path, append } = await begin(10, { onCommit: () => commits++ })
    const db = new Database(path)
    db.exec('UPDATE collection_head SET live = live + 5')
    db.close()
    expect((await ledger.verify(false)).map(({ code, repaired }) => [code, repaired])).toEqual([
      ['WRONG_COUNT', false],
    ])
    const before = commits
    const order: string[] = []
    const repairing = ledger.verify(true).then((found) => {
      order.push('repaired')
      return found
    })
    await append('b', ['A sentence that was written while the ledger was repaired.'])
    order.push('written')
    expect((await repairing).map(({ code, repaired }) => [code, repaired])).toEqual([['WRONG_COUNT', true]])
    expect(order).toContain('written')
    // The repair is a commit that others must hear of, and so is the write.
    expect(commits).toBe(before + 2)
    expect(await ledger.verify(false)).toEqual([])
    expect((await ledger.collections())[0]!.live).toBe(51)
  })

  test('is erased from, and says who else holds the text, also who came while it was looked through', async () => {
    const { ledger, ref, append } = await begin(10)
    const text = sentence(7)
    await append('before', [text])
    const erasing = ledger.erase(ref, { source: 'a' }, false, {})
    // Committed before the erasure, after the store was looked through.
    await append('meanwhile', [text])
    const { alsoIn, complete, erased } = await erasing
    expect(complete).toBe(true)
    expect(erased).toHaveLength(50)
    expect(alsoIn.map(({ source }) => source).sort()).toEqual(['before', 'meanwhile'])
    expect(await ledger.verify(false)).toEqual([])
  })

  test('gives back the room of what was pruned', async () => {
    const { ledger, ref } = await begin(10)
    await ledger.remove(ref, 'a', {})
    expect(await ledger.prune(Date.now() + 1_000)).toEqual({ pruned: 50, reclaimed: true })
    expect(await ledger.verify(false)).toEqual([])
  })

  test('says what is wrong in the same words, and does not go on after it was closed', async () => {
    const { ledger, path } = await begin(10)
    const checking = ledger.verify(false)
    await ledger.close()
    await expect(checking).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    await expect(ledger.stats()).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    // Nothing holds the file any more.
    const db = new Database(path, { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE; COMMIT')
    db.close()
  })
})

test('what is committed leaves the log without a commit having to move it, and an erasure waits for that', async () => {
  const { path, ledger, append } = await begin(Number.POSITIVE_INFINITY)
  const large = (i: number) => Array.from({ length: 50 }, (_, j) => `${i} ${j} `.padEnd(40_000, 'x'))
  for (let i = 0; i < 8; i++) await append(`long ${i}`, large(i))
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(2_000 * 4_096)
  await expect.poll(() => pagesInLog(ledger.connection), { timeout: 20_000 }).toBeLessThan(2_000)
  for (let i = 8; i < 16; i++) await append(`long ${i}`, large(i))
  const erased = await ledger.erase(1, { source: 'long 3' }, false, {})
  expect(erased).toMatchObject({ complete: true, waitingFor: [] })
  expect(pagesInLog(ledger.connection)).toBe(0)
})
