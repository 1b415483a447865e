import type { Chunk, Chunker } from '../../src/chunking/index.ts'

/** Every line that is not blank is a chunk. */
export const lines: Chunker = {
  id: 'test-lines',
  chunk: (text) => lineChunks(text),
}

/** Two lines to a chunk, each line in two chunks. */
export const pairs: Chunker = {
  id: 'test-pairs',
  chunk: (text) => {
    const single = lineChunks(text)
    if (single.length < 2) return single
    return single.slice(1).map((second, i) => {
      const { start } = single[i]!
      return { start, end: second.end, text: text.slice(start, second.end) }
    })
  },
}

/** Leaves every third line out: text between spans that is not blank. */
export const gappy: Chunker = {
  id: 'test-gappy',
  chunk: (text) => lineChunks(text).filter((_, i) => i % 3 !== 1),
}

function lineChunks(text: string): Chunk[] {
  return [...text.matchAll(/[^\r\n]+/g)]
    .filter(([line]) => line.trim() !== '')
    .map((match) => ({ start: match.index, end: match.index + match[0].length, text: match[0] }))
}
