import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterEach, describe, expect, test } from 'vitest'
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { SqliteTextIndex } from '../../src/text/text-index.ts'
import { ThreadedTextIndex } from '../../src/text/threaded.ts'
import { cleanUp, newDirectory, open } from './stores.ts'

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await cleanUp()
})

/** A store, and beside it a ledger whose words are searched in a thread from fifty spans on. */
async function begin(count = 120) {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes')
  await notes.put({
    source: 'a',
    spans: Array.from({ length: count }, (_, i) => ({ text: `owl number ${i}`, metadata: { number: i } })),
  })
  const path = join(directory, 'ledger.db')
  const ledger: SqliteLedger = openSqliteLedger(path)
  const threaded = new ThreadedTextIndex(ledger, path, { large: 50 })
  opened.push(threaded, ledger)
  const collection = (await ledger.collections())[0]!.ref
  const query = { text: 'owl', limit: 10, offset: 0, highlight: true }
  return { directory, path, notes, ledger, threaded, collection, query }
}

describe('words of a large collection', () => {
  test('are found in a thread, and rare ones before it, as they are found without one', async () => {
    const { path, notes, ledger, threaded, collection, query } = await begin(600)
    const here = new SqliteTextIndex(ledger, path)
    opened.unshift(here)
    const { parseFilter } = await import('../../src/core/filter.ts')
    for (const one of [
      query,
      { ...query, text: '599' },
      { ...query, text: '17 owl +18' },
      { ...query, text: '17 18 heron', offset: 1 },
      { ...query, text: 'heron' },
      { ...query, text: '"number 7"' },
      { ...query, text: 'num* -owl' },
      { ...query, where: parseFilter({ number: { $gte: 598 } }) },
      { ...query, text: '?!' },
    ])
      expect(await threaded.search(collection, one)).toEqual(await here.search(collection, one))
    await notes.put({ source: 'b', text: 'a heron' })
    expect((await threaded.search(collection, { ...query, text: 'heron' })).hits).toHaveLength(1)
    await notes.remove({ source: 'a' })
    // Small by now.
    expect((await threaded.search(collection, query)).hits).toEqual([])
    expect((await threaded.search(collection, { ...query, text: 'heron' })).hits).toHaveLength(1)
  })

  test('leave this thread free', async () => {
    const { threaded, collection, query } = await begin(6_000)
    await threaded.catchUp()
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    let turns = 0
    let searching = true
    const turn = () => {
      turns++
      if (searching) setImmediate(turn)
    }
    turn()
    await threaded.search(collection, { ...query, text: 'o* n*', limit: 1 })
    searching = false
    delay.disable()
    expect(turns).toBeGreaterThan(10)
  })

  test('say what is wrong with a call, in the same words', async () => {
    const { threaded, collection, query, notes } = await begin()
    await expect(threaded.search(collection, { ...query, asOf: 9_999 })).rejects.toMatchObject({
      code: 'POSITION_UNKNOWN',
      detail: { position: 9_999 },
    })
    const stop = new AbortController()
    const search = threaded.search(collection, { ...query, text: 'o*', signal: stop.signal })
    stop.abort()
    await expect(search).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await threaded.verify(false)).toEqual([])
    const [{ key } = { key: '' }] = await notes.find({ limit: 1 })
    await notes.erase({ keys: [key] })
    const progress: number[] = []
    await threaded.catchUp({ onProgress: (_, pending) => progress.push(pending) })
    expect(progress.at(-1)).toBe(0)
    expect(await threaded.erase([])).toEqual([])
  })

  test('are searched all the same when there is no thread, and not after the end', async () => {
    const { ledger, path, collection, query, threaded } = await begin()
    const lost = new ThreadedTextIndex(ledger, path, { large: 50, module: 'text/nowhere' })
    expect(await lost.search(collection, query)).toEqual(await threaded.search(collection, query))
    expect(await lost.verify(false)).toEqual([])
    await lost.close()
    await expect(lost.search(collection, query)).rejects.toMatchObject({ code: 'STORE_CLOSED' })
  })
})
