import { afterEach, describe, expect, test } from 'vitest'
import type { Hit } from '../../src/index.ts'
import { cleanUp, LetterEmbedder, open, texts } from '../vector/stores.ts'

afterEach(cleanUp)

async function begin(count = 40) {
  const notes = await (await open(':memory:', { embedder: new LetterEmbedder() })).collection('notes')
  await notes.put({
    source: 'a',
    spans: Array.from({ length: count }, (_, i) => ({ text: `owl number ${i}` })),
  })
  return notes
}

const numberOf = (hit: Hit) => Number(/\d+$/.exec(hit.span.text)![0])

describe('a reranker', () => {
  test('orders the best hits anew, and its scores are theirs', async () => {
    const notes = await begin()
    const seen: { text: string; hits: number }[] = []
    const rerank = async (text: string, hits: readonly Hit[]) => {
      seen.push({ text, hits: hits.length })
      return hits.map(numberOf)
    }
    const { hits, explain, complete } = await notes.search({ text: 'owl', k: 3, rerank, explain: true })
    expect(hits.map(({ span, score }) => [span.text, score])).toEqual([
      ['owl number 39', 39],
      ['owl number 38', 38],
      ['owl number 37', 37],
    ])
    expect(complete).toBe(true)
    expect(seen).toEqual([{ text: 'owl', hits: 40 }])
    expect(explain?.reranked).toMatchObject({ hits: 40, took: expect.any(Number) })
    const second = await notes.search({ text: 'owl', k: 3, offset: 3, rerank })
    expect(second.hits.map(numberOf)).toEqual([36, 35, 34])
    expect((await notes.search({ text: 'owl', mode: 'text', rerank, minScore: 38 })).hits).toHaveLength(2)
  })

  test('works before hits are grouped and spread', async () => {
    const notes = await begin(10)
    await notes.put({ source: 'b', spans: [{ text: 'owl number 5' }] })
    const rerank = (_: string, hits: readonly Hit[]) => hits.map(numberOf)
    const grouped = await notes.search({ text: 'owl', rerank, perSource: 1 })
    expect(grouped.hits.map((hit) => [hit.source, numberOf(hit)])).toEqual([
      ['a', 9],
      ['b', 5],
    ])
    expect((await notes.search({ text: 'owl', rerank, diversity: 0.5, k: 1 })).hits.map(numberOf)).toEqual([
      9,
    ])
  })

  test('that fails, or answers something else, fails the search and says so', async () => {
    const notes = await begin(5)
    for (const rerank of [
      () => Promise.reject(new Error('no such model')),
      () => [1, 2],
      () => [1, 2, 3, 4, Number.NaN],
      () => 'none' as never,
    ])
      await expect(notes.search({ text: 'owl', rerank })).rejects.toMatchObject({
        code: 'RERANKER_FAILED',
        detail: { hits: 5 },
      })
    await expect(notes.search({ vector: [1], rerank: () => [] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await expect(notes.search({ text: 'owl', rerank: 3 as never })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    const stop = new AbortController()
    const rerank = async () => {
      stop.abort()
      throw new Error('stopped')
    }
    await expect(notes.search({ text: 'owl', rerank, signal: stop.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    })
  })

  test('is not asked where nothing was found', async () => {
    const notes = await begin(3)
    const rerank = () => {
      throw new Error('asked')
    }
    expect(texts(await notes.search({ text: 'heron', mode: 'text', rerank }))).toEqual([])
  })
})
