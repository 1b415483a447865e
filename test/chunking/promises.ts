import fc from 'fast-check'
import { expect } from 'vitest'
import { type Chunk, checkChunks, type SyncChunker } from '../../src/chunking/index.ts'

/** What every chunker of this package keeps, `whole` aside. The checks are slow and plain, on purpose. */
export function expectPromises(chunker: SyncChunker, text: string, max: number): readonly Chunk[] {
  const chunks = chunker.chunk(text)
  checkChunks(text, chunks, chunker.id)
  const borders = graphemeStarts(text)
  let end = 0
  for (const chunk of chunks) {
    expect(text.slice(chunk.start, chunk.end)).toBe(chunk.text)
    expect(text.slice(end, chunk.start).trim(), 'only blank text lies between chunks').toBe('')
    expect(chunk.start).toBeGreaterThanOrEqual(end)
    expect(borders.has(chunk.start) && borders.has(chunk.end), `cuts a grapheme: ${chunk.text}`).toBe(true)
    expect(chunk.text.trim()).not.toBe('')
    expect(lines(chunk.text).at(0)?.trim(), 'starts with a blank line').not.toBe('')
    expect(lines(chunk.text).at(-1)?.trim(), 'ends with a blank line').not.toBe('')
    if (chunk.text.length > max) expect(graphemeStarts(chunk.text).size, 'too long').toBe(2)
    end = chunk.end
  }
  expect(text.slice(end).trim()).toBe('')
  expect(chunker.chunk(text), 'the same again').toEqual(chunks)
  return chunks
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The starts of the graphemes, and the end of the text. */
export function graphemeStarts(text: string): Set<number> {
  const starts = new Set([text.length])
  // Line by line, since there is a boundary behind every LF and the segmenter is quadratic on Node 20.
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from) + 1 || text.length
    for (const { index } of graphemes.segment(text.slice(from, end))) starts.add(from + index)
    from = end
  }
  return starts
}

const lines = (text: string) => text.split('\n')

/** Texts of what goes wrong in chunkers: ends of lines, joined emoji, combined marks, scripts, structure. */
export const nastyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\n',
        '\n\n',
        '\r\n',
        '\r\n\r\n',
        '\r',
        ' ',
        '  ',
        '\t',
        '\u00a0',
        '\u3000',
        '\u2028',
        '\ufeff',
      ),
      fc.constantFrom('word', 'Sentence one.', 'Is it? Yes!', 'Dr. Who', 'e.g. this', 'x'.repeat(37)),
      fc.constantFrom('👨‍👩‍👧‍👦', '🇩🇪', '🇩', '👋🏽', '❤️', '1️⃣', '‼️\u200d🔥', '😀', '\u200d', '\ufe0f'),
      fc.constantFrom(
        'e\u0301',
        '\u0301',
        ' \u0301',
        'क्षि',
        '한',
        '\u1112\u1161\u11ab',
        '\u0600',
        '\u0600 ',
        '\u0e33',
      ),
      fc.constantFrom(
        '漢字。',
        'かな',
        'が',
        'か\u3099',
        'مرحبا بالعالم',
        'שָׁלוֹם',
        '\ud83d',
        '\ude00',
        '\u{11f02}',
      ),
      fc.constantFrom(
        '# Head',
        '\n# Head\n',
        '===',
        '---',
        '```',
        '~~~\n',
        '- item',
        '  - sub',
        '1. one',
        '| a | b |',
      ),
      fc.constantFrom(
        '|---|---|',
        'Anna: hi',
        '**User:**',
        '### Assistant',
        '{',
        '}',
        '    deep',
        '<div>',
        '> quote',
      ),
      fc.string({ maxLength: 5, unit: 'binary' }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

/** Prose that looks like prose, the same for the same seed. */
export function prose(length: number, seed = 1, between = ' '): string {
  const words = 'the quick brown fox jumps over a lazy dog while reading about stores and their keys'.split(
    ' ',
  )
  let state = seed
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >>> 8) % below
  }
  const parts: string[] = []
  for (let size = 0; size < length; ) {
    const sentence = `${Array.from({ length: 4 + random(14) }, () => words[random(words.length)]).join(' ')}.`
    parts.push(sentence[0]!.toUpperCase() + sentence.slice(1))
    size += sentence.length + 1
  }
  return parts.join(between).slice(0, length)
}
