import { describe, expect, it } from 'vitest'
import { paragraphs } from '../../src/chunking/index.ts'
import { graphemeStarts, prose } from './promises.ts'

/** Milliseconds this process has worked: what others do on the machine does not count. */
const processorTime = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

describe('large texts', () => {
  const MB5 = 5_000_000
  const repeated = (part: string) => part.repeat(Math.ceil(MB5 / part.length))

  it('5 MB of ordinary paragraphs take well under a second', () => {
    const text = repeated(`${prose(700, 2)}\n\n${prose(400, 3)}\n\n## Heading\n\n`)
    const began = processorTime()
    const chunks = paragraphs().chunk(text)
    expect(processorTime() - began).toBeLessThan(1000)
    expect(chunks.length).toBeGreaterThan(4000)
  })

  const kinds = {
    'one letter': 'a',
    'one sentence after the other': `${prose(9973)} `,
    'no space': 'lorem',
    ideographs: '漢字仮名交じり文。',
    flags: '🇩🇪',
    families: '👨‍👩‍👧',
    'combined marks': 'e\u0301\u0302',
    Devanagari: 'क्षि',
    spaces: ' x'.padStart(1_000_000),
  }
  for (const [kind, part] of Object.entries(kinds)) {
    it(`5 MB without a line end take seconds at most, and are exact: ${kind}`, { timeout: 120_000 }, () => {
      const text = repeated(part)
      const began = processorTime()
      const chunks = paragraphs().chunk(text)
      expect(processorTime() - began).toBeLessThan(10_000)
      let end = 0
      for (const chunk of chunks) {
        if (chunk.start < end || chunk.text.length > 1200)
          throw new Error(`wrong: ${chunk.start}–${chunk.end}`)
        if (text.slice(end, chunk.start).trim() !== '' || text.slice(chunk.start, chunk.end) !== chunk.text) {
          throw new Error(`not exact: ${chunk.start}–${chunk.end}`)
        }
        if (/\p{Cs}/u.test(chunk.text)) throw new Error('cut inside a surrogate pair')
        end = chunk.end
      }
      const near = text.slice(0, 6000)
      const starts = graphemeStarts(near)
      for (const { start } of chunks)
        if (start < 5900 && !starts.has(start)) throw new Error(`cut at ${start}`)
    })
  }

  it('never cuts inside a grapheme, even one longer than max', () => {
    const giant = `a${'\u0301'.repeat(5000)}`
    expect(
      paragraphs({ max: 100 })
        .chunk(`${giant}${giant} b`)
        .map((c) => c.text),
    ).toEqual([giant, giant, 'b'])
  })
})
