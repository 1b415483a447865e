import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { type Chunker, foreign, markdown, paragraphs, turns, whole } from '../../src/chunking/index.ts'
import { type Collection, openStore } from '../../src/index.ts'
import { gappy, lines, pairs } from './chunkers.ts'
import { random, temporary } from './helpers.ts'

const memory = async () => {
  const store = await openStore(':memory:')
  return { store, notes: await store.collection('notes') }
}

/** A store whose tables can be counted from beside it. */
async function counted() {
  const directory = temporary()
  const store = await openStore(directory)
  const db = new Database(join(directory, 'ledger.db'), { readonly: true })
  const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
  const bytes = () => db.prepare('SELECT coalesce(sum(length(body)), 0) FROM page').pluck().get() as number
  return {
    notes: await store.collection('notes'),
    count,
    bytes,
    close: async () => {
      db.close()
      await store.close()
    },
  }
}

/** Reads every revision back and compares it with what was put. */
async function readsBack(notes: Collection, source: string, texts: readonly string[]): Promise<void> {
  for (const [i, text] of texts.entries()) {
    const read = await notes.read(source, { revision: i + 1 })
    if (read.text !== text) expect(read.text).toBe(text)
    for (const { start, end, key } of read.places) {
      const result = await notes.fetch(key, { asOf: read.position })
      const expected = text.slice(start, end)
      if (result.status === 'ok' || result.status === 'empty') {
        if (result.span.text !== expected) expect(result.span.text).toBe(expected)
      } else expect(result.status).toBe('ok')
    }
  }
}

const turn = (i: number) => `Turn ${i}: the speaker makes point number ${i} and gives a reason for it.`

describe('a revision is given back byte for byte', () => {
  it('5 000 turns, appended one by one: each revision is the one before plus a turn', async () => {
    const { store, notes } = await memory()
    const texts: string[] = []
    for (let i = 0; i < 5000; i++) {
      await notes.append({ source: 's', spans: [{ text: turn(i) }] })
      texts.push(turn(i))
    }
    for (const revision of [1, 2, 63, 64, 65, 66, 128, 129, 4096, 4097, 4160, 4161, 4162, 4999, 5000]) {
      const read = await notes.read('s', { revision })
      expect(read.places).toHaveLength(revision)
      expect(read.text).toBe(texts.slice(0, revision).join('\n'))
    }
    expect(await notes.count()).toBe(5000)
    await store.close()
  })

  it('appends of any size after puts and edits of any size', async () => {
    const next = random(7)
    const { store, notes } = await memory()
    let now: string[] = []
    const expected: string[] = []
    let id = 0
    for (let step = 0; step < 60; step++) {
      const count = Math.floor(next() ** 3 * 300)
      const fresh = Array.from({ length: count + 1 }, () => turn(id++))
      if (next() < 0.5) {
        now = [...now, ...fresh]
        await notes.append({ source: 's', spans: fresh.map((text) => ({ text })) })
      } else {
        now = now.slice()
        now.splice(Math.floor(next() * (now.length + 1)), Math.floor(next() * 40), ...fresh.slice(0, 30))
        await notes.put({ source: 's', spans: now.map((text) => ({ text })) })
      }
      expected.push(now.join('\n'))
    }
    for (const [i, text] of expected.entries())
      expect((await notes.read('s', { revision: i + 1 })).text === text).toBe(true)
    await store.close()
  })

  const document = (next: () => number, n: number, ending: string) =>
    Array.from({ length: n }, (_, i) =>
      next() < 0.1
        ? '   '
        : next() < 0.2
          ? 'Yes.'
          : `Line ${Math.floor(next() * n * 2)} of ${i % 5}, 🦀 with words that make it long enough to tell.`,
    ).join(ending)

  const chunkers: [string, Chunker][] = [
    ['lines', lines],
    ['chunks that overlap', pairs],
    ['chunks that leave text out', gappy],
    ['paragraphs', paragraphs({ max: 200 })],
    ['markdown', markdown()],
    ['turns', turns()],
    ['whole', whole()],
    [
      'a foreign splitter with overlap and gaps',
      foreign('every-17', (text) => {
        const chunks: { text: string; start: number }[] = []
        for (let start = 0; start < text.length; start += 17) {
          let from = start
          let to = Math.min(text.length, start + (start % 2 === 0 ? 23 : 11))
          if (/[\udc00-\udfff]/.test(text[from]!)) from++
          if (to < text.length && /[\udc00-\udfff]/.test(text[to]!)) to++
          if (from < to) chunks.push({ text: text.slice(from, to), start: from })
        }
        return chunks
      }),
    ],
  ]
  it.each(chunkers)('random edits of a document cut by %s, with LF, CRLF and CR', async (_, chunker) => {
    for (const ending of ['\n', '\r\n', '\r', '\n\n']) {
      const next = random(ending.charCodeAt(0) + ending.length)
      const { store, notes } = await memory()
      let text = document(next, 40, ending)
      const texts: string[] = []
      for (let step = 0; step < 14; step++) {
        const { outcome } = await notes.put({ source: 's', text, chunker })
        if (outcome !== 'unchanged') texts.push(text)
        const at = Math.floor(next() * text.length)
        const to = at + Math.floor(next() * 80)
        const insert = next() < 0.5 ? document(next, 3, ending) : next() < 0.5 ? ending : ''
        text = (text.slice(0, at) + insert + text.slice(to) + (next() < 0.3 ? ' \n\t' : '')).toWellFormed()
      }
      await readsBack(notes, 's', texts)
      await store.close()
    }
  })

  it('texts at the edge: empty, blank, only line ends, one character, NUL, astral, a byte order mark', async () => {
    const { store, notes } = await memory()
    const texts = [
      '',
      ' ',
      '\n\n',
      '\r\n',
      'x',
      'x\n',
      '\nx',
      '\u0000',
      'a\u0000b',
      '🦀',
      '\ufeffx',
      '\u2028',
      'x\r\n\r\ny\r\n',
    ]
    for (const [i, text] of texts.entries())
      for (const chunker of [paragraphs(), lines, whole(), markdown()]) {
        const source = `${i} ${chunker.id}`
        await notes.put({ source, text, chunker })
        expect((await notes.read(source)).text).toBe(text)
        expect((await notes.put({ source, text, chunker })).outcome).toBe('unchanged')
      }
    await store.close()
  })

  it('spans without text have a place and no text', async () => {
    const { store, notes } = await memory()
    await notes.put({ source: 's', spans: [{ text: null }, { text: 'a' }, { text: null }, { text: 'b' }] })
    await notes.append({ source: 's', spans: [{ text: null }, { text: 'c' }] })
    const { places, text } = await notes.read('s')
    expect(places.map(({ start, end }) => text.slice(start, end))).toEqual(['', 'a', '', 'b', '', 'c'])
    const same = [null, 'a', null, 'b', null, 'c'].map((one) => ({ text: one }))
    expect((await notes.put({ source: 's', spans: same })).outcome).toBe('unchanged')
    await store.close()
  })

  it('an append after a text keeps what stood at its end, and the next put is judged by it', async () => {
    const { store, notes } = await memory()
    await notes.put({ source: 's', text: 'One.\nTwo.\n\n', chunker: lines })
    await notes.append({ source: 's', spans: [{ text: 'Three.' }, { text: 'Four.' }] })
    const { text } = await notes.read('s')
    expect(text).toBe('One.\nTwo.\n\nThree.\nFour.')
    expect((await notes.put({ source: 's', text, chunker: lines })).outcome).toBe('unchanged')
    await store.close()
  })

  it('a removed source reads as nothing, and what it held before stays readable', async () => {
    const { store, notes } = await memory()
    await notes.put({ source: 's', text: 'One.\nTwo.', chunker: lines })
    await notes.remove({ source: 's' })
    expect((await notes.read('s')).text).toBe('')
    expect((await notes.read('s', { revision: 1 })).text).toBe('One.\nTwo.')
    expect((await notes.put({ source: 's', text: 'Three.', chunker: lines })).outcome).toBe('created')
    expect((await notes.history('s')).map(({ removed }) => removed)).toEqual([false, true, false])
    await store.close()
  })
})

describe('cost follows the change', () => {
  it('one edited line writes as many manifest pages in 3 000 spans as in 300', async () => {
    const cost = async (n: number) => {
      const { notes, count, bytes, close } = await counted()
      const texts = Array.from({ length: n }, (_, i) => turn(i))
      const put = () => notes.put({ source: 's', text: texts.join('\n\n'), chunker: lines })
      await put()
      const costs: number[] = []
      const sizes: number[] = []
      const next = random(n)
      for (let i = 0; i < 12; i++) {
        texts[Math.floor(next() * n)] = `${turn(n + i)} Edited.`
        const [pages, before] = [count('page'), bytes()]
        await put()
        costs.push(count('page') - pages)
        sizes.push(bytes() - before)
      }
      await close()
      return { pages: Math.max(...costs), bytes: Math.max(...sizes) }
    }
    const small = await cost(300)
    const large = await cost(3000)
    expect(small.pages).toBeLessThanOrEqual(4)
    expect(large.pages).toBeLessThanOrEqual(4)
    expect(large.bytes).toBeLessThan(small.bytes * 2 + 1000)
  })

  it('an append to 5 000 turns writes what an append to 50 does', async () => {
    const { notes, count, close } = await counted()
    await notes.put({ source: 's', spans: Array.from({ length: 5000 }, (_, i) => ({ text: turn(i) })) })
    let most = 0
    const before = count('page')
    for (let i = 0; i < 130; i++) {
      const [pages, gaps] = [count('page'), count('gap')]
      await notes.append({ source: 's', spans: [{ text: turn(5000 + i) }] })
      most = Math.max(most, count('page') - pages)
      expect(count('gap')).toBe(gaps)
    }
    // A leaf every 64 turns, and the inner pages above it.
    expect(most).toBeLessThanOrEqual(3)
    expect(count('page') - before).toBeLessThanOrEqual(9)
    await close()
  })

  it('many small edits do not leave many small pages', async () => {
    const { notes, count, close } = await counted()
    const texts = Array.from({ length: 600 }, (_, i) => turn(i))
    const next = random(3)
    for (let i = 0; i < 60; i++) {
      texts.splice(Math.floor(next() * texts.length), 1, `${turn(1000 + i)} Edited.`)
      await notes.put({ source: 's', text: texts.join('\n'), chunker: lines })
    }
    const { places } = await notes.read('s')
    expect(places).toHaveLength(600)
    expect(count('page') / 60).toBeLessThan(5)
    await close()
  })

  it('a text that is put again unchanged writes nothing, also after an append or an update', async () => {
    const { notes, count, close } = await counted()
    const vector = (i: number) => [i, 1]
    const input = [0, 1, 2].map((i) => ({ text: turn(i), vector: vector(i) }))
    const { added } = await notes.put({ source: 's', spans: input.slice(0, 2) })
    await notes.append({ source: 's', spans: [input[2]!] })
    await notes.update({ keys: [added[0]!], metadata: { seen: true } })
    const before = ['event', 'revision', 'page', 'gap', 'supplied', 'span'].map(count)
    const result = await notes.put({ source: 's', spans: input })
    expect(result).toMatchObject({ outcome: 'unchanged', revision: 2 })
    expect(['event', 'revision', 'page', 'gap', 'supplied', 'span'].map(count)).toEqual(before)
    const changed = await notes.put({
      source: 's',
      spans: [...input.slice(0, 2), { ...input[2]!, vector: [9, 9] }],
    })
    expect(changed).toMatchObject({ outcome: 'revised', kept: 3, added: [], retired: [] })
    await close()
  })
})

describe('diff', () => {
  it('between any two revisions: kept, added, removed and moved are what the manifests say', async () => {
    const next = random(11)
    const { store, notes } = await memory()
    let now = Array.from({ length: 40 }, (_, i) => turn(i))
    for (let step = 0; step < 12; step++) {
      await notes.put({ source: 's', spans: now.map((text) => ({ text })) })
      now = now.slice()
      const piece = now.splice(Math.floor(next() * now.length), 1 + Math.floor(next() * 4))
      if (next() < 0.6) now.splice(Math.floor(next() * now.length), 0, ...piece)
      if (next() < 0.6) now.splice(Math.floor(next() * now.length), 0, turn(100 + step))
    }
    const { length } = await notes.history('s')
    for (let from = 1; from <= length; from += 2)
      for (let to = 1; to <= length; to++) {
        const diff = await notes.diff('s', from, to)
        const old = (await notes.read('s', { revision: from })).places.map(({ key }) => key)
        const now = (await notes.read('s', { revision: to })).places.map(({ key }) => key)
        expect([...diff.kept].sort()).toEqual(now.filter((key) => old.includes(key)).sort())
        expect([...diff.added].sort()).toEqual(now.filter((key) => !old.includes(key)).sort())
        expect(diff.removed.map(({ key }) => key).sort()).toEqual(
          old.filter((key) => !now.includes(key)).sort(),
        )
        const still = diff.kept.filter((key) => !diff.moved.includes(key))
        expect(still).toEqual(old.filter((key) => still.includes(key)))
        if (from === to) expect(diff.moved).toEqual([])
      }
    await store.close()
  })
})
