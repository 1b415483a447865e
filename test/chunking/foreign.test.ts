import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignChunks } from '../../src/chunking/align.ts'
import { type ForeignChunk, type ForeignSplitter, foreign } from '../../src/chunking/index.ts'
import { prose } from './promises.ts'

const place = (text: string, ...chunks: string[]) =>
  alignChunks(
    text,
    chunks.map((chunk) => ({ text: chunk })),
  )
const unplaceable = (why: string, ordinal: number) =>
  expect.objectContaining({ code: 'CHUNK_UNPLACEABLE', detail: expect.objectContaining({ why, ordinal }) })

/** Every placement with strictly increasing starts, by trying all. */
function allPlacements(text: string, chunks: string[], from = 0): number[][] {
  const [first, ...rest] = chunks
  if (first === undefined) return [[]]
  const found: number[][] = []
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
    for (const others of allPlacements(text, rest, at + 1)) found.push([at, ...others])
  }
  return found
}

/** As LangChain splits: words joined up to a size, the last words repeated at the start of the next, trimmed. */
function wordsWithOverlap(text: string, size: number, overlap: number): { text: string; start: number }[] {
  const words = [...text.matchAll(/\S+/g)].map((m) => ({ start: m.index, end: m.index + m[0].length }))
  const chunks: { text: string; start: number }[] = []
  for (let first = 0; first < words.length; ) {
    let last = first
    while (last + 1 < words.length && words[last + 1]!.end - words[first]!.start <= size) last++
    chunks.push({ text: text.slice(words[first]!.start, words[last]!.end), start: words[first]!.start })
    if (last === words.length - 1) break
    let next = last + 1
    while (next - 1 > first && words[last]!.end - words[next - 1]!.start <= overlap) next--
    first = next
  }
  return chunks
}

describe('placing foreign chunks', () => {
  it('places repeated texts when their order leaves one way', () => {
    expect(place('Yes. No. Yes.', 'Yes.', 'No.', 'Yes.')).toEqual([0, 5, 9])
    expect(place('a a', 'a', 'a')).toEqual([0, 2])
  })

  it('places repeated texts when one way covers the text', () => {
    expect(place('ab ab ab ab', 'ab ab', 'ab ab')).toEqual([0, 6])
    expect(place('a cat a', 'a cat', 'a')).toEqual([0, 6])
    expect(place('a'.repeat(12), 'aaaa', 'aaaa', 'aaaa')).toEqual([0, 4, 8])
    expect(place('w -- x Yes. Yes. Yes. y', 'w', 'x', 'Yes. Yes.', 'Yes.', 'y')).toEqual([0, 5, 7, 17, 22])
  })

  it('rejects a chunk that could be in two places', () => {
    expect(() => place('Yes. No. Yes.', 'Yes.')).toThrow(unplaceable('ambiguous', 0))
    expect(() => place('a b x b c', 'a', 'b', 'c')).toThrow(unplaceable('ambiguous', 1))
    expect(() => place('a'.repeat(10), 'aaaa', 'aaaa', 'aaaa')).toThrow(unplaceable('ambiguous', 1))
  })

  it('tells text that is nowhere from text that is out of order', () => {
    expect(() => place('one two', 'one', 'two ')).toThrow(unplaceable('not-found', 1))
    expect(() => place('one two', 'two', 'one')).toThrow(unplaceable('out-of-order', 1))
    expect(() => place('one', 'one', 'one')).toThrow(unplaceable('out-of-order', 1))
    expect(() => place('x', 'y'.repeat(500))).toThrow(
      expect.objectContaining({ detail: expect.objectContaining({ chunk: `${'y'.repeat(79)}…` }) }),
    )
  })

  it('places what is placed in only one way, and never one of several that neither order nor cover decides', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 12 })
    const some = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 4 }), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(few, some, (text, chunks) => {
        const all = allPlacements(text, chunks)
        let placed: number[] | undefined
        try {
          placed = place(text, ...chunks)
        } catch {}
        if (all.length <= 1) expect(placed).toEqual(all[0])
        else if (placed !== undefined) expect(all).toContainEqual(placed)
      }),
      { numRuns: 3000 },
    )
  })

  it('a splitter without overlap is placed truly or not at all, whatever it leaves out', () => {
    const words = fc.array(fc.constantFrom('a', 'ab', 'b', ' ', '  ', '-', 'aab'), {
      minLength: 1,
      maxLength: 14,
    })
    fc.assert(
      fc.property(words, fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }), (parts, kept) => {
        const pieces = parts.map((part, i) => ({
          part,
          start: parts.slice(0, i).join('').length,
          keep: kept[i],
        }))
        const chosen = pieces.filter((piece) => piece.keep)
        let placed: number[]
        try {
          placed = place(parts.join(''), ...chosen.map((piece) => piece.part))
        } catch {
          return
        }
        expect(placed).toEqual(chosen.map((piece) => piece.start))
      }),
      { numRuns: 3000 },
    )
  })

  it('a splitter with overlap that leaves out only white space is placed truly or not at all', () => {
    const texts = fc.array(fc.constantFrom('yes', 'no', 'yes no', 'maybe', 'ye'), {
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(texts, fc.integer({ min: 6, max: 20 }), fc.nat(8), (words, size, overlap) => {
        const text = words.join('  ')
        const chunks = wordsWithOverlap(text, size, overlap)
        let placed: number[]
        try {
          placed = place(text, ...chunks.map((chunk) => chunk.text))
        } catch {
          return
        }
        expect(placed).toEqual(chunks.map((chunk) => chunk.start))
      }),
      { numRuns: 2000 },
    )
  })

  it('places all of ordinary prose, overlap and repeated paragraphs included', () => {
    const text = [prose(3000), prose(300, 2), prose(300, 2), prose(3000, 3), prose(300, 2)].join('\n\n')
    const chunks = wordsWithOverlap(text, 200, 50)
    expect(place(text, ...chunks.map((chunk) => chunk.text))).toEqual(chunks.map((chunk) => chunk.start))
  })

  it('places the chunks of a large repetitive source in reasonable time', () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => (i % 3 ? 'Yes.' : 'Well, I think so, too.'))
    expect(place(lines.join('\n'), ...lines)).toHaveLength(20_000)
  })
})

describe('foreign', () => {
  const text = 'First part.\r\n\r\nSecond 👨‍👩‍👧 part.'
  const parts = ['First part.', 'Second 👨‍👩‍👧 part.']
  const expected = [
    { start: 0, end: 11, text: parts[0] },
    { start: 15, end: 36, text: parts[1] },
  ]

  it('wraps functions, splitText and chunk, at once or promised, strings or objects', async () => {
    const offsets = [
      { start: 0, end: 11 },
      { start: 15, end: 36 },
    ]
    const splitters: ForeignSplitter[] = [
      () => parts,
      async () => parts,
      { splitText: async () => parts },
      { chunk: () => parts.map((part) => ({ text: part })) },
      () => parts.map((pageContent) => ({ pageContent, metadata: { loc: { lines: 1 } } })),
      () => parts.map((content) => ({ content })),
      () => parts.map((part, i) => ({ text: part, ...offsets[i]! })),
      () =>
        parts.map((part, i) => ({ text: part, startIndex: offsets[i]!.start, endIndex: offsets[i]!.end })),
      () => [parts[0]!, { text: parts[1]!, start: 15 }, ''],
    ]
    for (const splitter of splitters) {
      const chunker = foreign('mine/1', splitter)
      expect(chunker.id).toBe('mine/1')
      expect(await chunker.chunk(text)).toEqual(expected)
    }
  })

  it('keeps the receiver of a splitter that is an object', async () => {
    class Splitter {
      readonly #separator = '\r\n\r\n'
      splitText(source: string) {
        return source.split(this.#separator)
      }
    }
    expect(await foreign('mine/1', new Splitter()).chunk(text)).toEqual(expected)
  })

  it('verifies the offsets it is given', async () => {
    const wrong: ForeignChunk[][] = [
      [{ text: 'First', start: 1, end: 6 }],
      [{ text: 'First', start: 0, end: 6 }],
      [
        { text: 'part.', start: 6 },
        { text: 'First', start: 0 },
      ],
      [{ text: 'First', start: -1 }],
    ]
    for (const chunks of wrong) {
      await expect(foreign('mine/1', () => chunks).chunk(text)).rejects.toMatchObject({
        code: 'INVALID_CHUNKS',
      })
    }
  })

  it('a given offset decides between repeated texts', async () => {
    const chunks = await foreign('mine/1', () => ['b', { text: 'a', start: 4 }]).chunk('a b a')
    expect(chunks.map((chunk) => chunk.start)).toEqual([2, 4])
  })

  it('refuses what is no splitter, and what returns no chunks', async () => {
    const invalid = expect.objectContaining({ code: 'INVALID_ARGUMENT' })
    expect(() => foreign('', () => [])).toThrow(invalid)
    expect(() => foreign('mine/1', {} as never)).toThrow(invalid)
    await expect(foreign('mine/1', () => 'x' as never).chunk('x')).rejects.toEqual(invalid)
    await expect(foreign('mine/1', () => [{}]).chunk('x')).rejects.toEqual(invalid)
  })
})
