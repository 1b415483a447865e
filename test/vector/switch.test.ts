import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { Indexer } from '../../src/indexer.ts'
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { LedgerVectorIndex } from '../../src/vector/vector-index.ts'
import { cleanUp, LetterEmbedder, newDirectory, open, texts } from './stores.ts'

afterEach(cleanUp)

const spans = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ text: `owl ${'abcdefghij'[i % 10]!.repeat(i + 1)}` }))

describe('a collection that changes its embedder', () => {
  test('is searched by the former until every span has its new vector, and by the new one from then on', async () => {
    const directory = newDirectory()
    const store = await open(directory, { embedder: new LetterEmbedder('one') })
    const notes = await store.collection('notes')
    await notes.put({ source: 'a', spans: spans(100) })
    const two = new LetterEmbedder('two')
    const characters = 100 * 4 + (100 * 101) / 2
    expect(await notes.estimateSwitch(two)).toEqual({
      texts: 100,
      characters,
      tokens: Math.ceil(characters / 4),
    })
    const writer = await (await open(directory, { embedder: new LetterEmbedder('one') })).collection('notes')
    let during = 0
    const switched = notes.switchEmbedder(two, {
      batch: 40,
      onProgress: () => {
        if (during++ === 0) writing.push(writer.put({ source: 'b', text: 'a heron in between' }))
      },
    })
    const writing: Promise<unknown>[] = []
    const { embedded, position } = await switched
    await Promise.all(writing)
    expect(embedded).toBeGreaterThanOrEqual(100)
    const { hits, complete } = await notes.search({ text: 'heron in between', mode: 'vector', k: 1 })
    expect([hits[0]!.span.text, complete]).toEqual(['a heron in between', true])
    expect((await store.collections())[0]).toMatchObject({ embedder: 'two' })
    await notes.put({ source: 'c', text: 'a kingfisher' })
    expect(texts(await notes.search({ text: 'a kingfisher', mode: 'vector', k: 1 }))).toEqual([
      'a kingfisher',
    ])
    await expect(writer.search({ text: 'heron' })).rejects.toMatchObject({ code: 'EMBEDDER_MISMATCH' })
    await expect(writer.put({ source: 'd', text: 'a coot' })).rejects.toMatchObject({
      code: 'EMBEDDER_MISMATCH',
    })
    const types: string[] = []
    for await (const event of store.subscribe({ from: 'start', follow: false })) {
      if (event.position === position) types.push(event.type)
    }
    expect(types).toEqual(['index.rebuilt'])
    // Once more changes nothing.
    expect(await notes.switchEmbedder(two)).toMatchObject({ embedded: 0 })
  })

  test('goes on where it was stopped, and embeds nothing twice', async () => {
    const directory = newDirectory()
    const notes = await (await open(directory, { embedder: new LetterEmbedder('one') })).collection('notes')
    await notes.put({ source: 'a', spans: spans(100) })
    const two = new LetterEmbedder('two')
    const stop = new AbortController()
    await expect(
      notes.switchEmbedder(two, { batch: 30, signal: stop.signal, onProgress: () => stop.abort() }),
    ).rejects.toMatchObject({ code: 'ABORTED' })
    expect((await notes.search({ text: 'owl' })).complete).toBe(true)
    expect(await notes.estimateSwitch(two)).toMatchObject({ texts: 70 })
    expect(await notes.switchEmbedder(two, { batch: 30 })).toMatchObject({ embedded: 70 })
    expect(new Set(two.asked).size).toBe(two.asked.length)
  })

  test('embeds no more texts a minute than it may, and can be stopped while it waits', async () => {
    const notes = await (await open(':memory:', { embedder: new LetterEmbedder('one') })).collection('notes')
    await notes.put({ source: 'a', spans: spans(100) })
    const two = new LetterEmbedder('two')
    const stop = new AbortController()
    await expect(
      notes.switchEmbedder(two, {
        batch: 30,
        // The second batch would be due in half an hour.
        perMinute: 1,
        signal: stop.signal,
        onProgress: () => setImmediate(() => stop.abort()),
      }),
    ).rejects.toMatchObject({ code: 'ABORTED' })
    expect(two.asked).toHaveLength(30)
    for (const options of [{ batch: 0 }, { perMinute: 0 }, { pause: -1 }])
      await expect(notes.switchEmbedder(two, options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  test('has its new table before it is searched, and the former one goes', async () => {
    const directory = newDirectory()
    const store = await open(directory, { embedder: new LetterEmbedder('one') })
    await (await store.collection('notes')).put({ source: 'a', spans: spans(100) })
    const ledger = openSqliteLedger(join(directory, 'ledger.db'))
    const index = new LedgerVectorIndex(ledger.vectors, { directory: join(directory, 'index'), large: 50 })
    const collection = (await ledger.collections())[0]!.ref
    await index.catchUp()
    const tables = () => readdirSync(join(directory, 'index')).filter((name) => name.endsWith('.lance'))
    const before = tables()
    expect(before).toHaveLength(1)
    const two = new LetterEmbedder('two')
    const indexer = new Indexer(ledger.vectors, undefined, { tables: index })
    await indexer.switch(collection, two)
    const vector = await two.embedQuery('owl aaa')
    const ask = (embedder: string) =>
      index.search(collection, { vector, embedder, limit: 3, offset: 0, accuracy: 1 })
    expect((await ask('two')).path).toMatchObject({ path: 'index', tail: 0 })
    await expect(ask('one')).rejects.toMatchObject({ code: 'EMBEDDER_MISMATCH' })
    await index.catchUp()
    expect(tables()).toHaveLength(1)
    expect(tables()).not.toEqual(before)
    expect((await ask('two')).path).toMatchObject({ path: 'index' })
    await indexer.close()
    await index.close()
    await ledger.close()
  })

  test('is refused where callers supplied vectors', async () => {
    const notes = await (await open(':memory:')).collection('notes')
    await notes.put({ source: 'a', spans: [{ text: 'a', vector: [1, 2] }] })
    await expect(notes.switchEmbedder(new LetterEmbedder())).rejects.toMatchObject({
      code: 'COLLECTION_MISMATCH',
    })
  })
})

test('a text that another collection embedded is not embedded again, and is found all the same', async () => {
  const embedder = new LetterEmbedder()
  const store = await open(':memory:', { embedder })
  await (await store.collection('one')).put({ source: 'a', text: 'an owl' })
  const two = await store.collection('two')
  await two.put({ source: 'a', text: 'an owl' })
  expect(embedder.asked).toEqual(['an owl'])
  expect(texts(await two.search({ text: 'owl', mode: 'vector' }))).toEqual(['an owl'])
})
