import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, LetterEmbedder, newDirectory, open, texts } from './stores.ts'

afterEach(cleanUp)

describe('vectors of two lengths', () => {
  test('cannot be supplied where an embedder makes the others', async () => {
    const notes = await (await open(':memory:', { embedder: new LetterEmbedder() })).collection('notes')
    await notes.put({ source: 'a', text: 'an owl' })
    await expect(
      notes.put({ source: 'b', spans: [{ text: 'a heron', vector: [1, 2] }] }),
    ).rejects.toMatchObject({ code: 'INVALID_VECTOR', detail: { expected: 26, actual: 2 } })
    expect(await notes.count()).toBe(1)
    expect((await notes.search({ text: 'owl' })).complete).toBe(true)
    const vector = await new LetterEmbedder().embedQuery('grebe')
    await notes.put({ source: 'c', spans: [{ text: 'a coot', vector }] })
    expect(texts(await notes.search({ text: 'grebe', mode: 'vector', k: 1 }))).toEqual(['a coot'])
  })

  test('cannot be computed where callers supply the others', async () => {
    const notes = await (await open(':memory:', { embedder: new LetterEmbedder() })).collection('notes')
    await notes.put({ source: 'a', spans: [{ text: 'an owl', vector: [1, 2] }] })
    await expect(notes.put({ source: 'b', text: 'a heron' })).rejects.toMatchObject({
      code: 'INVALID_VECTOR',
      detail: { expected: 2, actual: 26 },
    })
    await notes.put({ source: 'b', spans: [{ text: 'a heron', vector: [0, 1] }] })
    const { complete, hits } = await notes.search({ vector: [0, 1] })
    expect([complete, hits[0]!.span.text]).toEqual([true, 'a heron'])
  })

  test('of a store from before are told apart: the embedder computes its own', async () => {
    const directory = newDirectory()
    const embedder = new LetterEmbedder()
    const store = await open(directory, { embedder })
    const notes = await store.collection('notes')
    await notes.put({ source: 'a', text: 'an owl' })
    await notes.put({ source: 'b', spans: [{ text: 'a heron', vector: new Float32Array(26).fill(1) }] })
    await store.close()
    const { default: Database } = await import('better-sqlite3')
    const db = new Database(`${directory}/ledger.db`)
    for (const name of db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).pluck().all())
      db.exec(`DROP TRIGGER "${name}"`)
    db.exec(`UPDATE supplied SET vector = zeroblob(8); UPDATE embedder SET dimensions = 2 WHERE name = ''`)
    db.close()
    const again = await (await open(directory, { embedder })).collection('notes')
    await again.embed()
    const { complete, hits } = await again.search({ text: 'heron', mode: 'vector' })
    expect([complete, hits[0]!.span.text]).toEqual([true, 'a heron'])
  })
})
