import { type Chunker, code, markdown, paragraphs, turns, whole } from '../chunking/index.ts'
import { invalid } from './input.ts'

const BUILT_IN: Readonly<Record<string, (options: Record<string, number | boolean>) => Chunker>> = {
  paragraphs,
  markdown,
  turns,
  code,
  whole: () => whole(),
}

/** Makes a chunker again from the id it was stored under, so that a later put may leave it out. */
export function rebuildChunker(id: string): Chunker {
  const [name = '', query = ''] = id.split('?')
  const make = BUILT_IN[name.split('/')[0]!]
  const options = Object.fromEntries(
    [...new URLSearchParams(query)].map(([key, value]) => [
      key,
      value === 'true' ? true : value === 'false' ? false : Number(value),
    ]),
  )
  const made = make?.(options)
  if (made?.id === id) return made
  throw invalid(
    'chunker',
    undefined,
    `the source was last cut by ${JSON.stringify(id)}, which this process cannot rebuild: pass that chunker, or another to re-chunk`,
  )
}
