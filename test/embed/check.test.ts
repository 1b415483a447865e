import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, LetterEmbedder, newDirectory, open } from '../vector/stores.ts'

afterEach(cleanUp)

const spans = Array.from({ length: 30 }, (_, i) => ({ text: `owl ${'abcdefghij'[i % 10]!.repeat(i + 1)}` }))

/** The same name, another model. */
class Changed extends LetterEmbedder {
  override async embedDocuments(texts: readonly string[]) {
    return (await super.embedDocuments(texts)).map((vector) =>
      vector.map((value, i) => value + (i === 25 ? 9 : 0)),
    )
  }
}

describe('a check of embeddings', () => {
  test('finds a model that is what it was', async () => {
    const embedder = new LetterEmbedder()
    const notes = await (await open(':memory:', { embedder })).collection('notes')
    await notes.put({ source: 'a', spans })
    embedder.asked.length = 0
    const check = await notes.checkEmbeddings(10)
    expect(check).toMatchObject({ embedder: 'letters', compared: 10 })
    expect(check.least).toBeCloseTo(1, 6)
    expect(new Set(embedder.asked).size).toBe(10)
    expect((await notes.checkEmbeddings(1_000)).compared).toBeGreaterThan(20)
  })

  test('finds one that changed under its name', async () => {
    const directory = newDirectory()
    const notes = await (await open(directory, { embedder: new LetterEmbedder() })).collection('notes')
    await notes.put({ source: 'a', spans })
    const changed = await (await open(directory, { embedder: new Changed() })).collection('notes')
    const { least, mean, furthest } = await changed.checkEmbeddings(20)
    expect(least).toBeLessThan(0.9)
    expect(mean).toBeGreaterThanOrEqual(least)
    expect(furthest).toHaveLength(10)
    expect(furthest[0]!.cosine).toBe(least)
    expect((await changed.fetch(furthest[0]!.key)).status).toBe('ok')
  })

  test('needs the embedder of the collection', async () => {
    const directory = newDirectory()
    const store = await open(directory, { embedder: new LetterEmbedder() })
    const notes = await store.collection('notes')
    expect(await notes.checkEmbeddings(5)).toMatchObject({ compared: 0, least: 1 })
    await notes.put({ source: 'a', spans })
    const without = await (await open(directory)).collection('notes')
    await expect(without.checkEmbeddings(5)).rejects.toMatchObject({ code: 'NO_VECTORS' })
    const other = await (await open(directory, { embedder: new LetterEmbedder('two') })).collection('notes')
    await expect(other.checkEmbeddings(5)).rejects.toMatchObject({ code: 'EMBEDDER_MISMATCH' })
    await expect(notes.checkEmbeddings(0)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
