import type { SyncChunker } from './chunk.ts'

/** One chunk: the whole text, as it is. A source of length zero has none. */
export function whole(): SyncChunker {
  return {
    id: 'whole/1',
    chunk: (text) => (text.length > 0 ? [{ start: 0, end: text.length, text }] : []),
  }
}
