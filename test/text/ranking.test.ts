import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Collection } from '../../src/index.ts'
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { SqliteTextIndex } from '../../src/text/text-index.ts'
import { TOKENIZER } from '../../src/text/tokens.ts'
import { random } from '../store/random.ts'
import { cleanUp, newDirectory, open } from './stores.ts'

/** Texts of words of which the n-th takes a share of 1/n; `every` is in nearly all of them. */
function zipf(seed: number): () => string {
  const next = random(seed)
  return () => {
    const length = 3 + Math.floor(next() * 12)
    const words = Array.from({ length }, () => `w${Math.floor(400 ** next())}`)
    return `${next() < 0.9 ? 'every ' : ''}${next() < 0.7 ? 'most most ' : ''}${words.join(' ')}`
  }
}

/** FTS5 itself over the same texts, in their order: every hit with its score. */
function beside(texts: readonly string[]) {
  const db = new Database(':memory:')
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(text, tokenize="${TOKENIZER}")`)
  const insert = db.prepare('INSERT INTO t (rowid, text) VALUES (?, ?)')
  db.transaction(() => texts.forEach((text, i) => insert.run(i + 1, text)))()
  const best = db
    .prepare('SELECT text, -bm25(t) AS score FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid')
    .raw()
  return (match: string) => best.all(match) as [text: string, score: number][]
}

const anyOf = (query: string) =>
  query
    .split(' ')
    .map((word) => `"${word}"`)
    .join(' OR ')

/** What FTS5 gives a word of more than half of the spans, several times over: nothing. */
const NOTHING = 1e-4

const all = async (notes: Collection, text: string, limit: number) => {
  const hits = []
  for (let offset = 0; hits.length < limit; offset += 1000) {
    const page = await notes.search({ text, k: Math.min(1000, limit - hits.length), offset, mode: 'text' })
    expect(page.complete).toBe(true)
    hits.push(...page.hits)
    if (page.hits.length < 1000) break
  }
  return hits
}

describe('the best of a large collection', () => {
  let notes: Collection
  let raw: ReturnType<typeof beside>
  let texts: string[]
  beforeAll(async () => {
    const text = zipf(1)
    texts = Array.from({ length: 6_000 }, (_, i) => `${text()} n${i}`)
    raw = beside(texts)
    notes = await (await open()).collection('notes')
    for (let i = 0; i < texts.length; i += 2_000)
      await notes.append({ source: 'a', spans: texts.slice(i, i + 2_000).map((text) => ({ text })) })
    return cleanUp
  })

  test.each([
    'every',
    'every most',
    'every nowhere',
    'n17 every',
    'n17 n18 every most',
    'n17 w1',
    'w300 w1 w2',
    'w300 w200 w1 w2 w3',
    'w1 w2 w3 w4 w5 w6 w7 w8 every',
    'w390 every most',
  ])('is what FTS5 finds best, and never less, of %s', async (query) => {
    const expected = raw(anyOf(query))
    for (const k of [1, 10, 1000]) {
      const hits = await all(notes, query, k)
      expect(hits).toHaveLength(Math.min(k, expected.length))
      hits.forEach(({ score }, i) => {
        expect(Math.abs(score - expected[i]![1])).toBeLessThan(NOTHING)
      })
    }
    // Every page is a part of the one ranking.
    const deep = await all(notes, query, 40)
    for (const offset of [0, 1, 7, 20, 33]) {
      const page = await notes.search({ text: query, k: 7, offset, mode: 'text' })
      expect(page.hits.map(({ key }) => key)).toEqual(deep.slice(offset, offset + 7).map(({ key }) => key))
    }
  })

  test('is found by the rarer words alone where that is certain', async () => {
    const { explain, complete } = await notes.search({
      text: 'w300 every w1',
      k: 3,
      mode: 'text',
      explain: true,
    })
    expect(explain).toMatchObject({ words: ['w300'], pruned: ['w1', 'every'] })
    expect(complete).toBe(true)
  })

  test('is the same as of the latest position, which is ranked in another way', async () => {
    for (const query of ['n17 every', 'w300 w1 w2', 'every most', '+w300 every', 'w1 -w2', 'w30*']) {
      const now = await notes.search({ text: query, k: 200 })
      const then = await notes.search({ text: query, k: 200, asOf: now.position })
      expect(then.hits.map(({ key }) => key)).toEqual(now.hits.map(({ key }) => key))
    }
  })

  test('to the end is everything that has any of the words', async () => {
    const expected = raw(anyOf('n17 every'))
    expect(await all(notes, 'n17 every', 6_000)).toHaveLength(expected.length)
    const past = await notes.search({ text: 'n17 every', offset: expected.length - 1, mode: 'text' })
    expect(past.hits).toHaveLength(1)
    expect(
      (await notes.search({ text: 'n17 every', offset: expected.length + 5, mode: 'text' })).hits,
    ).toEqual([])
  })

  test('of more words than are looked for says that some may be missing', async () => {
    const words = Array.from({ length: 1_100 }, (_, i) => `n${i}`)
    const many = await notes.search({ text: words.join(' '), k: 1000, mode: 'text' })
    expect(many).toMatchObject({ complete: false, reasons: ['WORDS_LEFT_OUT'] })
    const some = await notes.search({ text: words.slice(0, 900).join(' '), k: 1000, mode: 'text' })
    expect(some.reasons).toEqual(['WORDS_LEFT_OUT'])
    const few = await notes.search({ text: words.slice(0, 256).join(' '), k: 1000, mode: 'text' })
    expect(few).toMatchObject({ complete: true, reasons: [] })
    expect(few.hits).toHaveLength(256)
  })

  test('does not depend on what is dead', async () => {
    const others = await (await open()).collection('notes')
    const text = zipf(9)
    for (let round = 0; round < 3; round++)
      await others.put({ source: 'b', spans: Array.from({ length: 2_000 }, () => ({ text: text() })) })
    await others.search({ text: 'every' })
    await others.put({ source: 'b', spans: texts.slice(0, 3_000).map((text) => ({ text })) })
    const expected = beside(texts.slice(0, 3_000))
    for (const query of ['every', 'w1 w2', 'w300 most']) {
      const hits = await all(others, query, 1000)
      const best = expected(anyOf(query))
      hits.forEach(({ score }, i) => {
        expect(Math.abs(score - best[i]![1])).toBeLessThan(NOTHING)
      })
    }
  })
})

describe('an earlier position', () => {
  afterEach(cleanUp)

  const QUERIES = [
    'every',
    'w1',
    'w300 w1',
    'w2 most every',
    '+w1 w2',
    'w1 -w2',
    '"most most"',
    'w3*',
    'nowhere',
    '"most w1" w2',
  ]

  test('is searched as it would have been then', async () => {
    const next = random(5)
    const text = zipf(6)
    const store = await open(':memory:')
    const notes = await store.collection('notes')
    const then: { position: number; live: { text: string; metadata: { n: number } }[] }[] = []
    const sources = new Map<string, { text: string; metadata: { n: number } }[]>()
    for (let step = 0; step < 20; step++) {
      const source = `s${Math.floor(next() * 5)}`
      const spans = Array.from({ length: Math.floor(next() * 50) }, () => ({
        text: text(),
        metadata: { n: Math.floor(next() * 4) },
      }))
      // Half of what was there stays.
      const stays = (sources.get(source) ?? []).filter(() => next() < 0.5)
      sources.set(source, [...stays, ...spans])
      const { position } = await notes.put({ source, spans: [...stays, ...spans] })
      if (step % 3 === 0) await notes.search({ text: 'every' })
      then.push({ position, live: [...sources.values()].flat() })
    }
    for (const { position, live } of then.filter((_, i) => i % 4 === 0)) {
      const copy = await (await open(':memory:')).collection('copy')
      await copy.put({ source: 'a', spans: live })
      for (const query of QUERIES)
        for (const where of [undefined, { n: 2 }]) {
          const only = where === undefined ? {} : { where }
          const was = await copy.search({ text: query, k: 1000, ...only })
          const past = await notes.search({ text: query, k: 1000, asOf: position, ...only })
          expect(past).toMatchObject({ complete: true, position })
          const scores = (hits: typeof was.hits) => hits.map(({ score }) => score.toFixed(9))
          // Of required words and filters the order is the same, too: FTS5 scores them here, what was read from it there.
          expect(scores(past.hits)).toEqual(scores(was.hits))
          expect(past.hits.map(({ span }) => span.text).sort()).toEqual(
            was.hits.map(({ span }) => span.text).sort(),
          )
          const page = await notes.search({ text: query, k: 5, offset: 3, asOf: position, ...only })
          expect(page.hits).toEqual(past.hits.slice(3, 8))
        }
    }
  })

  test('is searched alike when the log of that time is gone, and while others write', async () => {
    const directory = newDirectory()
    const store = await open(directory)
    const notes = await store.collection('notes')
    const text = zipf(7)
    const spans = (count: number) => Array.from({ length: count }, () => ({ text: text() }))
    const { position } = await notes.put({ source: 'a', spans: spans(800) })
    const ledger = openSqliteLedger(join(directory, 'ledger.db'))
    const index = new SqliteTextIndex(ledger, join(directory, 'ledger.db'))
    const { ref } = (await ledger.collections())[0]!
    const ask = (asOf: number) =>
      index.search(ref, { text: 'w1 w2 every', limit: 50, offset: 0, highlight: false, asOf })
    const before = await ask(position)
    await notes.put({ source: 'a', spans: spans(500) })
    let writing = true
    const writer = (async () => {
      while (writing) {
        await notes.append({ source: 'b', spans: spans(20) })
        await notes.remove({ source: 'b' })
        // Whoever searches takes it in.
        await index.catchUp({ collection: ref })
      }
    })()
    for (let i = 0; i < 3; i++) expect((await ask(position)).hits).toEqual(before.hits)
    writing = false
    await writer
    const { position: latest } = await notes.search({ text: 'every' })
    await store.consumers().pruneEvents('notes', { before: latest, force: true })
    expect((await ask(position)).hits).toEqual(before.hits)
    await index.close()
    await ledger.close()
  })
})
