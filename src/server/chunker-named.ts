import { type Chunker, code, markdown, paragraphs, turns, whole } from '../chunking/index.ts'
import { rebuildChunker } from '../store/chunkers.ts'
import { Problem } from '../wire/problem.ts'

const BY_NAME = new Map<string, () => Chunker>(Object.entries({ paragraphs, markdown, turns, code, whole }))

/** A chunker by its name, with its default size, or by an id as `source` shows it. @throws Problem INVALID_ARGUMENT (400) */
export function chunkerNamed(name: string, path: string): Chunker {
  const make = BY_NAME.get(name)
  if (make !== undefined) return make()
  try {
    if (BY_NAME.has(/^[a-z]+/.exec(name)?.[0] ?? '')) return rebuildChunker(name)
  } catch {
    // Said below, in words that fit.
  }
  throw new Problem(
    400,
    'INVALID_ARGUMENT',
    `${path}: there is no chunker ${JSON.stringify(name.slice(0, 80))}; there are ${[...BY_NAME.keys()].join(', ')}, and ids as a source shows them`,
  )
}
