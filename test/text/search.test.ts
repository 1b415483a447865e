import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Where } from '../../src/index.ts'
import { Connection } from '../../src/ledger/sqlite/statements.ts'
import { tokensOf } from '../../src/text/expression.ts'
import { TOKENIZER } from '../../src/text/tokens.ts'
import { cleanUp, open, texts } from './stores.ts'

afterEach(cleanUp)

const filled = async (...spans: readonly string[]) => {
  const store = await open(':memory:')
  const notes = await store.collection('notes')
  await notes.put({ source: 'one', spans: spans.map((text) => ({ text })) })
  return { store, notes }
}

describe('what is written', () => {
  test('is found by the next search, and what was retired is not', async () => {
    const notes = await (await open()).collection('notes')
    for (let i = 0; i < 20; i++) {
      await notes.append({ source: 'log', spans: [{ text: `entry ${i} heron` }] })
      const { hits, complete, position, indexedThrough, pending } = await notes.search({
        text: 'heron',
        k: 100,
      })
      expect(hits).toHaveLength(i + 1)
      expect(complete).toBe(true)
      expect(indexedThrough).toBe(position)
      expect(pending).toBe(0)
    }
    const [first] = (await notes.search({ text: '"entry 3"' })).hits
    await notes.retire([first!.key])
    expect(texts(await notes.search({ text: '"entry 3"' }))).toEqual([])
    await notes.put({ source: 'log', text: 'A kingfisher instead.' })
    expect(texts(await notes.search({ text: 'heron kingfisher', k: 100 }))).toEqual(['A kingfisher instead.'])
    await notes.remove({ source: 'log' })
    expect((await notes.search({ text: 'heron kingfisher' })).hits).toEqual([])
  })

  test('is gone from answers the moment it expires', async () => {
    let now = 1_000
    const store = await open(':memory:', { clock: () => now })
    const notes = await store.collection('notes')
    await notes.put({ source: 'a', text: 'a fleeting heron', expiresAt: 2_000 })
    await notes.put({ source: 'b', text: 'a lasting heron' })
    expect((await notes.search({ text: 'heron' })).hits).toHaveLength(2)
    now = 2_000
    expect(texts(await notes.search({ text: 'heron' }))).toEqual(['a lasting heron'])
  })

  test('stays in its collection', async () => {
    const { store, notes } = await filled('a heron')
    const other = await store.collection('other')
    await other.put({ source: 'one', text: 'another heron' })
    expect(texts(await notes.search({ text: 'heron' }))).toEqual(['a heron'])
    expect(texts(await other.search({ text: 'heron' }))).toEqual(['another heron'])
    await store.dropCollection('other')
    await expect(other.search({ text: 'heron' })).rejects.toMatchObject({ code: 'COLLECTION_DROPPED' })
    const again = await store.collection('other', { recreate: true })
    expect((await again.search({ text: 'heron' })).hits).toEqual([])
  })
})

describe('a query', () => {
  test('takes words as they come and ranks by how many and how rare they are', async () => {
    const { notes } = await filled(
      'the river is long',
      'the heron stands in the river',
      'the road is long',
      'a boat',
    )
    expect(texts(await notes.search({ text: 'Where does the heron stand, in a river?' }))[0]).toBe(
      'the heron stands in the river',
    )
  })

  test.each([
    ['"long road"', ['a long road home']],
    ['long road', ['a long road home', 'the road is long', 'a longer way', 'boats on the road'].slice(0, 3)],
    ['+road long', ['a long road home', 'the road is long', 'boats on the road']],
    ['road -long', ['boats on the road']],
    ['long*', ['a longer way', 'the road is long', 'a long road home']],
    ['+lon* +roa*', ['the road is long', 'a long road home']],
    ['-home', ['a long road home']],
    ['road -"the road"', ['a long road home']],
    ['absent', []],
    ['+absent road', []],
  ])('%s', async (text, expected) => {
    const { notes } = await filled(
      'the road is long',
      'a long road home',
      'boats on the road',
      'a longer way',
    )
    const found = texts(await notes.search({ text }))
    if (text === 'long road') expect(found).toHaveLength(3)
    else expect([...found].sort()).toEqual([...expected].sort())
  })

  test.each([
    ['cafe', 'un café noir'],
    ['CAFÉ', 'un cafe\u0301 noir'],
    ['タワー', '東京タワーはどこですか'],
    ['東京タワーの高さ', '東京タワーはどこですか'],
    ['ภาษา', 'ฉันเรียนภาษาไทย'],
    ['हिन्दी', 'मैं हिन्दी बोलता हूँ'],
    ['שלום', 'שלום עולם'],
    ['한국어', '한국어 배우기'],
    ['🦆', 'a duck🦆swims'],
    ['swims', 'a duck🧑‍🌾swims'],
    ['province', 'by state/province'],
    ['state/province', 'a province'],
    ["don't", "I don't know"],
    ['after', 'before\u0000after'],
    ['C', 'vitamin C'],
  ])('%s finds %s', async (text, span) => {
    const { notes } = await filled(span, 'something else entirely')
    expect(texts(await notes.search({ text }))).toEqual([span])
  })

  test('of any characters is answered, never refused', async () => {
    const { notes } = await filled('the road is long', 'AND OR NOT NEAR', '東京タワー', 'text: {a} ^b')
    const nasty = fc.array(
      fc.oneof(
        fc.constantFrom(
          '"',
          '+',
          '-',
          '*',
          '(',
          ')',
          ':',
          '^',
          'NEAR(',
          'AND',
          'OR',
          'NOT',
          '{',
          '}',
          "'",
          ';',
          '--',
        ),
        fc.constantFrom(
          ' ',
          '\n',
          '\u0000',
          '\uFEFF',
          'road',
          '東京',
          'é',
          '😀',
          'text:',
          '\\',
          '%',
          '""',
          '"a',
        ),
        fc.string({ unit: 'grapheme', maxLength: 5 }),
      ),
      { minLength: 1, maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(nasty, async (parts) => {
        const text = parts.join('')
        fc.pre(text.trim() !== '')
        const { complete, reasons, hits } = await notes.search({ text, highlight: true, explain: true })
        if (!complete) expect({ reasons, hits }).toEqual({ reasons: ['NO_WORDS'], hits: [] })
      }),
      { numRuns: 500 },
    )
  })

  test('may be a whole page', async () => {
    const { notes } = await filled('the road is long')
    const page = Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(' ')
    expect((await notes.search({ text: `road ${page}` })).hits).toHaveLength(1)
  })

  test('without a word says so instead of finding nothing', async () => {
    const { notes } = await filled('what?!')
    expect(await notes.search({ text: '?!' })).toMatchObject({
      hits: [],
      complete: false,
      reasons: ['NO_WORDS'],
    })
  })

  test.each([
    [{ text: '' }, 'INVALID_ARGUMENT'],
    [{ text: ' \n' }, 'INVALID_ARGUMENT'],
    [{}, 'INVALID_ARGUMENT'],
    [{ text: 'a', k: 0 }, 'INVALID_ARGUMENT'],
    [{ text: 'a', k: 1001 }, 'INVALID_ARGUMENT'],
    [{ text: 'a', words: 3 }, 'INVALID_ARGUMENT'],
    [{ text: '\ud800' }, 'ILL_FORMED_TEXT'],
    [{ text: 'a', where: { $or: [] } }, 'INVALID_FILTER'],
    [{ text: 'a', mode: 'hybrid' }, 'NO_VECTORS'],
    [{ vector: [1, 2] }, 'NO_VECTORS'],
    [{ text: 'a', asOf: 99 }, 'POSITION_UNKNOWN'],
  ])('%j is refused: %s', async (options, code) => {
    const { notes } = await filled('a road')
    await expect(notes.search(options as { text: string })).rejects.toMatchObject({ code })
  })

  test('that was aborted is not answered', async () => {
    const { notes } = await filled('a road')
    const search = notes.search({ text: 'road', signal: AbortSignal.abort() })
    await expect(search).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('pages with k and offset', async () => {
    const { notes } = await filled(...Array.from({ length: 30 }, (_, i) => `heron ${'x '.repeat(i % 7)}`))
    const all = (await notes.search({ text: 'heron', k: 30 })).hits.map(({ key }) => key)
    const pages = []
    for (let offset = 0; offset < 40; offset += 7)
      pages.push(...(await notes.search({ text: 'heron', k: 7, offset })).hits.map(({ key }) => key))
    expect(pages).toEqual(all)
    expect(new Set(all).size).toBe(30)
  })

  test('scores higher what comes first', async () => {
    const { notes } = await filled(
      'heron',
      'heron and many other words',
      'heron heron',
      'a',
      'b',
      'c',
      'd',
      'e',
    )
    const scores = (await notes.search({ text: 'heron' })).hits.map(({ score }) => score)
    expect(scores).toHaveLength(3)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(scores.at(-1)).toBeGreaterThan(0)
  })
})

describe('common words', () => {
  test('come behind rarer ones in a large collection, and fill up what these leave', async () => {
    const store = await open(':memory:')
    const notes = await store.collection('notes')
    for (let i = 0; i < 3; i++)
      await notes.put({
        source: `s${i}`,
        spans: Array.from({ length: 4_000 }, (_, j) => ({
          text: `the road number ${j}${j % 20 < 9 ? ' gravel' : j % 20 > 10 ? ' asphalt' : ''}`,
          metadata: { only: i === 2 && j === 9 },
        })),
      })
    await notes.put({ source: 'rare', text: 'the heron' })
    const mixed = await notes.search({ text: 'the heron on the road', explain: true })
    expect(texts(mixed)[0]).toBe('the heron')
    expect(texts(mixed).slice(1)).toHaveLength(9)
    expect(
      texts(mixed)
        .slice(1)
        .every((text) => text.startsWith('the road')),
    ).toBe(true)
    expect(mixed.explain).toMatchObject({ words: ['heron', 'road', 'the'], pruned: [] })
    expect(mixed.complete).toBe(true)
    // What nearly all spans have is looked for as well where nothing else is asked.
    for (const text of ['the', 'road', 'the road', 'the nowhere'])
      expect(await notes.search({ text, k: 5 })).toMatchObject({ hits: { length: 5 }, complete: true })
    // Found by the rarer word alone, there are as many as were asked for.
    const one = await notes.search({ text: 'the heron on the road', k: 1, explain: true })
    expect([texts(one), one.explain?.pruned.toSorted()]).toEqual([['the heron'], ['road', 'the']])
    // Common words still rank what rarer ones find.
    for (const text of ['a plover flies', 'a plover asphalt']) await notes.put({ source: text, text })
    const ranked = await notes.search({ text: 'the plover on gravel or asphalt', explain: true })
    expect(ranked.explain).toMatchObject({ words: ['plover', 'gravel', 'asphalt'], pruned: ['the'] })
    expect(texts(ranked)[0]).toBe('a plover asphalt')
    // What the rare word finds is not in the filter, what the common ones find is.
    const filtered = await notes.search({ text: 'the heron', where: { only: true }, explain: true })
    expect(texts(filtered)).toEqual(['the road number 9'])
    expect(filtered.explain?.pruned).toEqual([])
  })
})

describe('words that many spans have', () => {
  test('are looked for as well where the rarer ones find little, and every page is of that ranking', async () => {
    const notes = await (await open(':memory:')).collection('notes')
    const of = (j: number) => (j % 20 < 9 ? ' gravel' : j % 100 === 99 ? ' plover' : '')
    for (let i = 0; i < 23_000; i += 4_600)
      await notes.append({
        source: 'roads',
        spans: Array.from({ length: 4_600 }, (_, j) => ({ text: `the road ${i + j}${of(i + j)}` })),
      })
    await notes.put({ source: 'rare', text: 'the heron' })
    await notes.put({ source: 'rare too', text: 'the heron on gravel' })
    const found = await notes.search({ text: 'the heron on gravel', k: 20, explain: true })
    // What more than half of the spans have tells none of them apart.
    expect(found.explain).toMatchObject({ words: ['on', 'heron', 'gravel'], pruned: ['the'] })
    expect(texts(found).slice(0, 2)).toEqual(['the heron on gravel', 'the heron'])
    expect(
      texts(found)
        .slice(2)
        .every((text) => text.endsWith('gravel')),
    ).toBe(true)
    const page = async (offset: number) =>
      texts(await notes.search({ text: 'the heron on gravel', k: 5, offset }))
    expect([...(await page(0)), ...(await page(5)), ...(await page(10)), ...(await page(15))]).toEqual(
      texts(found),
    )
    expect(found.hits).toHaveLength(20)
    // The rarer one finds enough by itself.
    const many = await notes.search({ text: 'plover gravel', explain: true })
    expect(many.explain).toMatchObject({ words: ['plover'], pruned: ['gravel'] })
    expect(texts(many).every((text) => text.endsWith('plover'))).toBe(true)
    // As of an earlier position, too.
    const past = await notes.search({ text: 'the heron on gravel', k: 20, asOf: found.position })
    expect(texts(past)).toEqual(texts(found))
  })
})

describe('tokens', () => {
  test('of ASCII are what the index makes of it', async () => {
    const db = new Database(':memory:')
    db.exec(`
      CREATE VIRTUAL TABLE seen USING fts5(text, tokenize="${TOKENIZER}");
      CREATE VIRTUAL TABLE seen_tokens USING fts5vocab(seen, instance)`)
    const insert = db.prepare('INSERT INTO seen (rowid, text) VALUES (1, ?)')
    const tokens = db.prepare('SELECT term FROM seen_tokens ORDER BY offset').pluck()
    const connection = new Connection(db)
    const ascii = fc.string({
      unit: fc.nat({ max: 127 }).map((code) => String.fromCharCode(code)),
      maxLength: 40,
    })
    fc.assert(
      fc.property(ascii, (text) => {
        db.exec('DELETE FROM seen')
        insert.run(text)
        expect(tokensOf(connection, [text])).toEqual([tokens.all()])
      }),
      { numRuns: 1_000 },
    )
    db.close()
  })
})

describe('where', () => {
  test('gives exactly what a scan would, in the same order', async () => {
    const store = await open(':memory:')
    const notes = await store.collection('notes')
    const spans = Array.from({ length: 1_500 }, (_, i) => ({
      text: `${i % 2 ? 'heron' : 'gull'} ${'pad '.repeat(i % 5)}${i % 3 ? 'river' : 'lake'}`,
      metadata: { n: i, tag: `t${i % 10}`, deep: { odd: i % 2 === 1 } },
    }))
    await notes.put({ source: 'one', spans })
    await notes.put({ source: 'one', spans: spans.filter((_, i) => i % 11 !== 0) })
    const all = (await notes.search({ text: 'heron lake', k: 1000 })).hits
    const wheres: Where[] = [
      { tag: 't3' },
      { n: { $lt: 12 } },
      { n: { $gte: 1_400 } },
      { 'deep.odd': false },
      { $not: { tag: { $in: ['t1', 't2'] } } },
      { n: -1 },
      {},
    ]
    for (const where of wheres) {
      const live = await notes.find({ where, limit: 10_000 })
      const expected = new Set(live.filter(({ text }) => /heron|lake/.test(text)).map(({ key }) => key))
      const { hits } = await notes.search({ text: 'heron lake', k: 1000, where })
      expect(hits.length).toBe(Math.min(1000, expected.size))
      expect(hits.every(({ key }) => expected.has(key))).toBe(true)
      const ranked = all.map(({ key }) => key).filter((key) => expected.has(key))
      expect(hits.slice(0, ranked.length).map(({ key }) => key)).toEqual(ranked)
      const some = await notes.search({ text: 'heron lake', k: 3, offset: 2, where })
      expect(some.hits.map(({ key }) => key)).toEqual(hits.slice(2, 5).map(({ key }) => key))
    }
  })

  test('follows metadata that change', async () => {
    const { notes } = await filled('a heron')
    const [hit] = (await notes.search({ text: 'heron' })).hits
    await notes.update({ keys: [hit!.key], metadata: { seen: true } })
    const { hits } = await notes.search({ text: 'heron', where: { seen: true } })
    expect(hits[0]?.span.metadata).toEqual({ seen: true })
  })
})

describe('highlights', () => {
  test.each([
    ['cafe', 'Un café, deux cafe\u0301s? Un CAFÉ.', ['café', 'CAFÉ']],
    ['duck', '🦆🧑‍🌾 duck 🦆duck', ['duck', 'duck']],
    ['タワー', '東京タワーと京都タワー', ['タワー', 'タワー']],
    ['東京タワー', '昔の東京タワーの話', ['東京タワー']],
    ['line', 'first line\r\nsecond line\r\n\r\nlast line', ['line', 'line', 'line']],
    ['שלום', 'אמר שלום, שלום!', ['שלום', 'שלום']],
    ['"long road"', 'a long road, a road', ['long road']],
    ['lon*', 'long longer along', ['long', 'longer']],
    ['road -home', 'the road', ['road']],
    ['b', '\u0000a\u0001 b \uFDD0b\u0003 b', ['b', 'b']],
    ['x', '<b>x</b> \u0002x\u0001', ['x', 'x']],
    ['ไทย', 'ภาษาไทย', ['ไทย']],
    ['❤', 'I ❤️ it', ['❤']],
  ])('%s in %j', async (text, span, expected) => {
    const { notes } = await filled(span)
    const [hit] = (await notes.search({ text, highlight: true })).hits
    const shown = hit!.highlights!.map(({ start, end }) => hit!.span.text.slice(start, end))
    expect(shown).toEqual(expected)
  })

  test('are where the words are, whatever stands between them', async () => {
    const filler = fc.array(
      fc.constantFrom(
        ' ',
        ', ',
        '\r\n',
        ' 😀 ',
        ' 東京 ',
        ' é ',
        ' e\u0301 ',
        ' \u0001\u0003 ',
        ' \u0000',
        ' שלום ',
        '。',
      ),
      { minLength: 1, maxLength: 4 },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(filler, { minLength: 1, maxLength: 6 }), async (fillers) => {
        let span = ''
        const expected: { start: number; end: number }[] = []
        for (const between of fillers) {
          span += between.join('')
          expected.push({ start: span.length, end: span.length + 5 })
          span += 'heron'
        }
        const { store, notes } = await filled(span)
        const [hit] = (await notes.search({ text: 'heron', highlight: true })).hits
        expect(hit?.highlights).toEqual(expected)
        await store.close()
      }),
      { numRuns: 50 },
    )
  })

  test('are left out unless asked for', async () => {
    const { notes } = await filled('a heron')
    expect((await notes.search({ text: 'heron' })).hits[0]).not.toHaveProperty('highlights')
  })
})

describe('asOf', () => {
  test('searches the collection as it stood', async () => {
    const notes = await (await open()).collection('notes')
    const { position: first } = await notes.put({
      source: 's',
      text: 'the heron of 2023',
      metadata: { y: 2023 },
    })
    const { position: second } = await notes.put({ source: 's', text: 'the gull of 2024' })
    await notes.update({ keys: [(await notes.search({ text: 'gull' })).hits[0]!.key], metadata: { y: 1 } })
    const then = async (asOf: number, where?: Where) =>
      texts(await notes.search({ text: 'heron gull', asOf, highlight: true, ...(where && { where }) }))
    expect(await then(1)).toEqual([])
    expect(await then(first)).toEqual(['the heron of 2023'])
    expect(await then(second)).toEqual(['the gull of 2024'])
    expect(await then(second, { y: 2023 })).toEqual(['the gull of 2024'])
    expect(await then(second + 1, { y: 2023 })).toEqual([])
    const [hit] = (await notes.search({ text: 'gull', asOf: second })).hits
    expect(hit?.span.metadata).toEqual({ y: 2023 })
    const old = (await notes.search({ text: 'heron', asOf: first })).hits[0]!
    await notes.erase({ keys: [old.key] })
    expect(await then(first)).toEqual([])
  })
})
