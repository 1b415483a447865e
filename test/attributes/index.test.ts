import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SqliteAttributeIndex } from '../../src/attributes/attribute-index.ts'
import { parseFilter, type Where } from '../../src/core/filter.ts'
import { matches } from '../../src/core/filter-matches.ts'
import type { Metadata } from '../../src/core/json.ts'
import type { Collection } from '../../src/index.ts'
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import type { Candidates } from '../../src/ports/attributes.ts'
import { random } from '../store/helpers.ts'
import { cleanUp, newDirectory, open } from '../text/stores.ts'

interface Indexed {
  readonly directory: string
  readonly notes: Collection
  readonly ledger: SqliteLedger
  readonly index: SqliteAttributeIndex
  /** What the index answered to the ledger, in order. */
  readonly answers: (Candidates | undefined)[]
  readonly collection: number
}

const opened: Indexed[] = []

async function letGo(): Promise<void> {
  for (const { index, ledger } of opened.splice(0)) {
    await index.close()
    await ledger.close()
  }
}

afterEach(async () => {
  await letGo()
  await cleanUp()
})

/** A store, and beside it, as another process would have it, a ledger whose index takes every collection. */
async function begin(count: number, metadata: (i: number) => Metadata): Promise<Indexed> {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes')
  for (let from = 0; from < count; from += 500)
    await notes.putMany(
      Array.from({ length: Math.min(500, count - from) }, (_, i) => ({
        source: `s${from + i}`,
        spans: [{ text: `number ${from + i}`, metadata: metadata(from + i) }],
      })),
    )
  return await beside(directory, notes)
}

async function beside(directory: string, notes: Collection): Promise<Indexed> {
  const answers: (Candidates | undefined)[] = []
  const path = join(directory, 'ledger.db')
  const ledger = openSqliteLedger(path, {
    candidates: (...asked) => {
      const answer = index.candidates(...asked)
      answers.push(answer)
      return answer
    },
  })
  const index = new SqliteAttributeIndex(ledger, path, { large: 10 })
  const collection = (await ledger.collections())[0]!.ref
  const one = { directory, notes, ledger, index, answers, collection }
  opened.push(one)
  return one
}

const sourcesOf = async ({ ledger, collection }: Indexed, where: Where) =>
  (
    await ledger.find(collection, { where: parseFilter(where), limit: Number.MAX_SAFE_INTEGER, offset: 0 })
  ).map(({ source }) => source)

const filesOf = (directory: string) =>
  readdirSync(directory).filter((name) => name.startsWith('attributes.db'))

const bytesOf = (directory: string) =>
  filesOf(directory)
    .map((name) => readFileSync(join(directory, name), 'latin1'))
    .join('')

describe('a filter that few spans pass', () => {
  test('is answered by the index, with what the index has not seen yet', async () => {
    const one = await begin(400, (i) => ({ number: i, group: i % 3 }))
    await one.index.catchUp()
    expect(await sourcesOf(one, { number: 77 })).toEqual(['s77'])
    expect(one.answers.at(-1)?.ids).toHaveLength(1)
    await one.notes.put({ source: 'new', spans: [{ text: 'new', metadata: { number: 77 } }] })
    await one.notes.remove({ source: 's77' })
    const [{ key } = { key: '' }] = await one.notes.find({ where: { number: 78 } })
    await one.notes.update({ keys: [key], metadata: { number: 77 } })
    expect(await sourcesOf(one, { number: 77 })).toEqual(['s78', 'new'])
    expect(await sourcesOf(one, { number: 78 })).toEqual([])
    expect(await one.ledger.count(one.collection, parseFilter({ number: 77 }))).toBe(2)
    await one.index.catchUp()
    expect(await sourcesOf(one, { number: 77 })).toEqual(['s78', 'new'])
    // All that had the value once; the ledger knows who has it now.
    expect(one.answers.at(-1)?.ids).toHaveLength(3)
    expect(one.answers.at(-1)?.position).toBeGreaterThan(one.answers[0]!.position)
  })

  test('passes the same spans as asking about each of them, whatever is written between', async () => {
    const next = random(5)
    const pick = (most: number) => Math.floor(next() * most)
    const metadata = (): Metadata => ({
      number: pick(40),
      ...(next() < 0.5 ? { name: `n${pick(20)}` } : {}),
      ...(next() < 0.3 ? { at: { year: 1900 + pick(100) }, tags: [`t${pick(9)}`, pick(5)] } : {}),
    })
    const one = await begin(200, metadata)
    let used = 0
    for (let round = 0; round < 60; round++) {
      for (let i = 0; i < 4; i++) {
        const source = `s${pick(220)}`
        if (next() < 0.3) await one.notes.remove({ source })
        else if (next() < 0.5) {
          const [span] = await one.notes.find({ sources: [source] })
          if (span !== undefined)
            await one.notes.update({ keys: [span.key], metadata: metadata(), replace: true })
        } else await one.notes.put({ source, spans: [{ text: `again ${round}`, metadata: metadata() }] })
      }
      if (round % 7 === 0) await one.index.catchUp()
      if (round === 30) {
        await letGo()
        Object.assign(one, await beside(one.directory, one.notes))
      }
      const where = [
        { number: pick(40) },
        { number: { $gte: 35 }, name: { $exists: true } },
        { $or: [{ name: `n${pick(20)}` }, { 'at.year': { $lt: 1910 } }] },
        { tags: { $contains: `t${pick(9)}` } },
        { tags: { $contains: pick(5) }, number: { $ne: 3 } },
        { name: { $in: [`n${pick(20)}`, `n${pick(20)}`, null] } },
        { name: { $gt: 'n18' } },
      ][round % 7]! as Where
      const all = await one.notes.find({ limit: 10_000 })
      const expected = all.filter((span) => matches(parseFilter(where), span.metadata))
      expect(await sourcesOf(one, where)).toEqual(expected.map(({ source }) => source))
      expect(await one.ledger.count(one.collection, parseFilter(where))).toBe(expected.length)
      expect(await one.ledger.matching(one.collection, parseFilter(where))).toEqual(
        expected.map(({ key }) => key),
      )
      if (one.answers.at(-1) !== undefined) used++
    }
    expect(used).toBeGreaterThan(30)
  })

  test('pages through what passes, oldest first', async () => {
    const one = await begin(300, (i) => ({ group: i % 30 }))
    await one.index.catchUp()
    const page = async (offset: number, limit: number) =>
      (await one.ledger.find(one.collection, { where: parseFilter({ group: 4 }), limit, offset })).map(
        ({ source }) => source,
      )
    expect(await page(0, 3)).toEqual(['s4', 's34', 's64'])
    expect(await page(8, 5)).toEqual(['s244', 's274'])
    expect(await page(10, 5)).toEqual([])
    expect(await page(0, 0)).toEqual([])
  })
})

describe('the file', () => {
  test('is not made for small collections, and is made in the background for large ones', async () => {
    const one = await begin(200, (i) => ({ number: i }))
    expect(existsSync(join(one.directory, 'attributes.db'))).toBe(false)
    expect(one.index.candidates(one.collection, parseFilter({ number: 3 }))).toBeUndefined()
    await expect
      .poll(() => one.index.candidates(one.collection, parseFilter({ number: 3 }))?.ids.length, {
        timeout: 10_000,
      })
      .toBe(1)
  })

  test.each([
    ['deleted', undefined],
    ['nonsense', 'not a database at all'.repeat(500)],
    ['cut off', 'half'],
  ])('can be %s', async (_, damage) => {
    const one = await begin(200, (i) => ({ number: i }))
    await one.index.catchUp()
    await letGo()
    for (const name of filesOf(one.directory)) {
      const file = join(one.directory, name)
      if (damage === undefined || name !== 'attributes.db') rmSync(file)
      else writeFileSync(file, damage === 'half' ? readFileSync(file).subarray(0, 5000) : damage)
    }
    const again = await beside(one.directory, one.notes)
    expect(await sourcesOf(again, { number: 7 })).toEqual(['s7'])
    await again.index.catchUp()
    expect(await sourcesOf(again, { number: 7 })).toEqual(['s7'])
    expect(again.answers.at(-1)?.ids).toHaveLength(1)
  })

  test('that is damaged is told by verify, which makes it anew as every filter would', async () => {
    const one = await begin(200, (i) => ({ number: i, name: `n${i}` }))
    await one.index.catchUp()
    await letGo()
    const file = join(one.directory, 'attributes.db')
    writeFileSync(file, readFileSync(file).fill(7, 8_192))
    const again = await beside(one.directory, one.notes)
    expect(await again.index.verify(false)).toMatchObject([{ code: 'WRONG_ATTRIBUTE_INDEX', repaired: true }])
    expect(await again.index.verify(false)).toEqual([])
    expect(await sourcesOf(again, { number: 7 })).toEqual(['s7'])
  })

  test('that lost postings is found out by verify, and repaired', async () => {
    const one = await begin(200, (i) => ({ number: i, name: `n${i}` }))
    expect(await one.index.verify(false)).toEqual([])
    await letGo()
    const { default: Database } = await import('better-sqlite3')
    const db = new Database(join(one.directory, 'attributes.db'))
    db.prepare('DELETE FROM attribute_posting WHERE value = ?').run('n7')
    db.close()
    const again = await beside(one.directory, one.notes)
    expect(await sourcesOf(again, { name: 'n7' })).toEqual([])
    expect(await again.index.verify(false)).toMatchObject([
      { code: 'WRONG_ATTRIBUTE_INDEX', repaired: false },
    ])
    expect(await again.index.verify(true)).toMatchObject([{ code: 'WRONG_ATTRIBUTE_INDEX', repaired: true }])
    expect(await again.index.verify(false)).toEqual([])
    expect(await sourcesOf(again, { name: 'n7' })).toEqual(['s7'])
  })

  test('of a ledger that went back in time is made anew', async () => {
    const one = await begin(100, (i) => ({ number: i }))
    const store = await open(one.directory)
    const backup = join(one.directory, 'backup')
    await store.backup(backup)
    await one.notes.remove({ source: 's7' })
    await one.notes.put({ source: 'other', spans: [{ text: 'x', metadata: { number: 7 } }] })
    await one.index.catchUp()
    await letGo()
    const { restoreBackup } = await import('../../src/index.ts')
    const restored = join(newDirectory(), 'restored')
    await restoreBackup(backup, restored)
    writeFileSync(join(restored, 'attributes.db'), readFileSync(join(one.directory, 'attributes.db')))
    const notes = await (await open(restored)).collection('notes')
    await notes.put({ source: 'third', spans: [{ text: 'y', metadata: { number: 7 } }] })
    await notes.put({ source: 'fourth', spans: [{ text: 'z', metadata: { number: 8 } }] })
    const again = await beside(restored, notes)
    expect(await sourcesOf(again, { number: 7 })).toEqual(['s7', 'third'])
    await again.index.catchUp()
    expect(await sourcesOf(again, { number: 7 })).toEqual(['s7', 'third'])
    expect(again.answers.at(-1)?.ids).toHaveLength(2)
  })

  test('holds nothing of what was erased', async () => {
    const one = await begin(300, (i) => ({ secret: i === 7 ? 'rosebud' : `plain ${i}` }))
    await one.index.catchUp()
    expect(bytesOf(one.directory)).toContain('rosebud')
    const keys = (await one.notes.find({ where: { secret: 'rosebud' } })).map(({ key }) => key)
    const { complete } = await one.notes.erase({ keys })
    expect(complete).toBe(true)
    // That was another process, whose erasure this one's index learns from the log.
    const store = await open(one.directory)
    expect(await one.index.erase([])).toEqual([])
    expect(bytesOf(one.directory)).not.toContain('rosebud')
    expect((await store.verify()).length).toBe(0)
  })

  test('forgets a collection that was dropped', async () => {
    const one = await begin(100, (i) => ({ number: `value ${i}` }))
    await one.index.catchUp()
    const store = await open(one.directory)
    await store.dropCollection('notes')
    await one.index.catchUp()
    await one.index.erase([])
    expect(bytesOf(one.directory)).not.toContain('value 7')
  })
})

test('work that nobody asked for rests, but not while somebody waits: a process may have nothing else to go on for', async () => {
  const one = await begin(200, (i) => ({ number: i }))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const resting = async () => {
      one.index.wake()
      // It begins, and rests before its first step; no timer will ever end that.
      await vi.advanceTimersByTimeAsync(1_000)
    }
    await resting()
    await one.index.catchUp()
    await resting()
    await one.index.close()
    await expect(one.index.catchUp()).rejects.toThrow('closed')
  } finally {
    vi.useRealTimers()
  }
})

test('many spans are read in several goes, and are of one moment all the same', async () => {
  const one = await begin(2_500, (i) => ({ number: i }))
  const all = await one.notes.find({ limit: 10_000 })
  expect(all.map(({ source }) => source)).toEqual(Array.from({ length: 2_500 }, (_, i) => `s${i}`))
  // Somebody retires one of them meanwhile, again and again.
  let at = 0
  let reading = true
  const writer = (async () => {
    while (reading) await one.notes.remove({ source: `s${at++}` })
  })()
  const found = await one.ledger.find(one.collection, { limit: 10_000, offset: 0 })
  reading = false
  await writer
  const first = Number(found[0]!.source.slice(1))
  expect(found.map(({ source }) => source)).toEqual(
    Array.from({ length: 2_500 - first }, (_, i) => `s${first + i}`),
  )
})
