import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { code, markdown, paragraphs, turns } from '../../src/chunking/index.ts'
import { expectPromises, nastyText, prose } from './promises.ts'

describe('every chunker', () => {
  const chunkers = { paragraphs, markdown, turns, code }
  for (const [name, make] of Object.entries(chunkers)) {
    it(`${name}: exact offsets, all ink, no grapheme cut, no blank edges, whatever the text`, () => {
      fc.assert(
        fc.property(nastyText, fc.constantFrom(1, 2, 7, 20, 60, 1200), (text, max) => {
          expectPromises(make({ max }), text, max)
        }),
        { numRuns: 400 },
      )
    })

    it(`${name}: refuses a max that is no size`, () => {
      for (const max of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(() => make({ max })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
      }
    })

    it(`${name}: names its parameters in its id`, () => {
      expect(make().id).toBe(`${name}/1?max=1200`)
      expect(make({ max: 50 }).id).toBe(`${name}/1?max=50`)
    })

    it(`${name}: blank text has no chunks`, () => {
      for (const text of ['', ' ', '\n\n', '\r\n \t\r\n', '\ufeff', '\u3000\n'])
        expect(make().chunk(text)).toEqual([])
    })
  }
})

describe('paragraphs', () => {
  it('packs paragraphs up to max and leaves the blank lines between chunks out', () => {
    const text = 'one one\n\ntwo two\n \nthree\r\n\r\nfour  \n'
    expect(paragraphs({ max: 16 }).chunk(text)).toEqual([
      { start: 0, end: 16, text: 'one one\n\ntwo two' },
      { start: 19, end: 32, text: 'three\r\n\r\nfour' },
    ])
  })

  it('starts a chunk at a heading, and takes # in the middle of a paragraph for no heading', () => {
    const text = 'a\n\n# B\nb\n\nc\n# c\n\nD\n==\n\nd\n\n#e'
    expect(
      paragraphs()
        .chunk(text)
        .map((c) => c.text),
    ).toEqual(['a', '# B\nb\n\nc\n# c', 'D\n==\n\nd\n\n#e'])
  })

  it('goes on across a heading while the chunk is shorter than min', () => {
    const text = '# A\n\n# B\n\nsome text that is long enough\n\n# C'
    const chunker = paragraphs({ min: 20 })
    expect(chunker.id).toBe('paragraphs/1?max=1200&min=20')
    expect(chunker.chunk(text).map((c) => c.text)).toEqual([
      '# A\n\n# B\n\nsome text that is long enough',
      '# C',
    ])
  })

  it('cuts a paragraph that is too long at sentences, not behind abbreviations', () => {
    const text = 'We met Dr. Smith in the morning of Jan. 5 near the river. '.repeat(40).trim()
    const chunks = expectPromises(paragraphs({ max: 200 }), text, 200)
    for (const chunk of chunks) expect(chunk.text).toMatch(/^We met .* near the river\.$/s)
  })

  it('does not take the line ends of wrapped text for ends of sentences', () => {
    const text = prose(4000).replace(/(.{60,72}) /g, '$1\n')
    for (const { text: chunk } of paragraphs({ max: 600 }).chunk(text).slice(0, -1))
      expect(chunk).toMatch(/\.$/)
  })

  it('keeps a heading with the start of a paragraph that has to be cut', () => {
    const chunks = paragraphs({ max: 300 }).chunk(`# Title\n\n${prose(900)}`)
    expect(chunks[0]!.text.length).toBeGreaterThan(100)
  })

  it('leaves no scrap at the end of a paragraph that was cut', () => {
    for (let length = 1201; length < 2600; length += 37) {
      const last = paragraphs().chunk(prose(length)).at(-1)!
      expect(last.text.length).toBeGreaterThan(100)
    }
  })
})

describe('locality', () => {
  const section = (i: number) =>
    `## Section ${i}\n\n${[0, 1, 2, 3].map((p) => prose(500 + 300 * p, i * 7 + p + 1)).join('\n\n')}`
  const sections = Array.from({ length: 12 }, (_, i) => section(i))

  for (const make of [paragraphs, markdown]) {
    it(`${make().id}: an edit in one section leaves the chunks of all others as they were`, () => {
      fc.assert(
        fc.property(fc.nat(11), fc.nat(2000), fc.string({ maxLength: 300 }), (i, at, insert) => {
          fc.pre(!/^ {0,3}[#`~=-]/m.test(insert))
          const edited = sections.with(
            i,
            sections[i]!.slice(0, at + 14) + insert + sections[i]!.slice(at + 14),
          )
          const texts = (all: string[]) =>
            make()
              .chunk(all.join('\n\n'))
              .map((c) => c.text)
          const alone = (all: string[]) =>
            all.flatMap((one) =>
              make()
                .chunk(one)
                .map((c) => c.text),
            )
          expect(texts(edited)).toEqual(alone(edited))
        }),
        { numRuns: 60 },
      )
    })
  }

  it('an insert at the start of a long text without paragraphs or headings changes few chunks', () => {
    const kinds = {
      sentences: prose(200_000),
      'no spaces': prose(200_000, 3, '').replaceAll(' ', ''),
      'no sentences': prose(200_000, 5).replaceAll('.', ''),
    }
    for (const [kind, text] of Object.entries(kinds)) {
      const before = paragraphs().chunk(text)
      const after = new Set(
        paragraphs()
          .chunk(`Something new in front of it. ${text}`)
          .map((c) => c.text),
      )
      const kept = before.filter((c) => after.has(c.text)).length
      expect(kept / before.length, kind).toBeGreaterThan(0.9)
    }
  })
})
