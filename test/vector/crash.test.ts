import { spawn } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { cleanUp, distance, fill, indexed, newDirectory, open, sources, vectors } from './stores.ts'

afterEach(cleanUp)

const SRC = new URL('../../src/', import.meta.url).href

/** A process that writes, retires and indexes until it is killed. */
const writer = (directory: string, round: number) => `
  import { openStore } from '${SRC}index.ts'
  import { openSqliteLedger } from '${SRC}ledger/sqlite/ledger.ts'
  import { LedgerVectorIndex } from '${SRC}vector/vector-index.ts'
  const directory = ${JSON.stringify(directory)}
  const store = await openStore(directory)
  const notes = await store.collection('notes')
  const ledger = openSqliteLedger(directory + '/ledger.db')
  const index = new LedgerVectorIndex(ledger.vectors, { directory: directory + '/index', large: 50 })
  await index.catchUp()
  process.stdout.write('ready')
  for (let i = 0; ; i++) {
    await notes.putMany([0, 1, 2, 3, 4].map((j) => ({
      source: 'w' + ((i * 5 + j) % 60),
      spans: [{ text: ['round', ${round}, i, j].join(' '), vector: Array.from({ length: 8 }, Math.random) }],
    })))
    await notes.remove({ source: 'w' + ((i * 7) % 60) })
    await index.catchUp()
  }`

test('processes that die while they index leave a table that agrees with the ledger', async () => {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes', { metric: 'l2' })
  await fill(notes, 0, vectors(80, 8))
  for (let round = 0; round < 4; round++) {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', writer(directory, round)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const gone = new Promise((resolve) => child.on('close', resolve))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    await new Promise((resolve) => setTimeout(resolve, 100 + 70 * round))
    child.kill('SIGKILL')
    await gone
    const after = await indexed(directory)
    const [query] = vectors(1, 8, 77)
    const found = sources(await after.search(query!, { limit: 200 }))
    await after.index.catchUp()
    expect(await after.index.verify(false)).toEqual([])
    const answer = await after.search(query!, { limit: 200 })
    expect(answer.path).toMatchObject({ path: 'index', tail: 0 })
    expect(sources(answer)).toEqual(found)
    // The ledger's own word.
    const { space } = after.ledger.vectors.head(after.collection)
    const { rows } = after.ledger.vectors.copy(after.collection, space!, 0, 100_000)
    const spans = after.ledger.vectors.spans(rows.map(({ id }) => id))
    const expected = rows
      .map(({ vector }, i) => ({ source: spans[i]!.source, distance: distance('l2', query!, vector!) }))
      .sort((a, b) => a.distance - b.distance)
    expect(found).toEqual(expected.map(({ source }) => source))
    await after.close()
  }
}, 60_000)
