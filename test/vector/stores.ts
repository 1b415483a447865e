import { join } from 'node:path'
import type { Collection, Embedder } from '../../src/index.ts'
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import type { VectorAnswer, VectorQuery } from '../../src/ports/vectors.ts'
import { LedgerVectorIndex, type VectorIndexOptions } from '../../src/vector/vector-index.ts'
import { random } from '../store/helpers.ts'

import { cleanUp as cleanUpStores } from '../text/stores.ts'

/** The definition of each metric. */
export { distance } from '../../src/testing/vector-index.ts'
export { elsewhere, newDirectory, open, texts } from '../text/stores.ts'

/** Vectors of a few clusters, the same for the same seed. */
export function vectors(count: number, dimensions: number, seed = 1): Float32Array[] {
  const next = random(seed)
  const centres = Array.from({ length: 20 }, () =>
    Float32Array.from({ length: dimensions }, () => next() - 0.5),
  )
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(next() * centres.length)]!
    return centre.map((value) => value + (next() - 0.5) * 0.6)
  })
}

/** Counts letters: texts with the same letters have the same vector. Remembers what it was asked. */
export class LetterEmbedder implements Embedder {
  readonly id: string
  readonly dimensions = 26
  readonly asked: string[] = []

  constructor(id = 'letters') {
    this.id = id
  }

  async embedDocuments(texts: readonly string[]) {
    this.asked.push(...texts)
    return texts.map(lettersOf)
  }

  async embedQuery(text: string) {
    return lettersOf(text)
  }
}

function lettersOf(text: string): Float32Array {
  const counts = new Float32Array(26)
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) - 97
    if (at >= 0 && at < 26) counts[at]!++
  }
  return counts
}

/** An index with tables from 50 spans on, over a connection of its own, as another process would have. */
export interface Indexed {
  readonly index: LedgerVectorIndex
  readonly ledger: SqliteLedger
  readonly collection: number
  search(vector: Float32Array, options?: Partial<VectorQuery>): Promise<VectorAnswer>
  close(): Promise<void>
}

const left = new Set<Indexed>()

/** Closes what a test left open, and removes its files. */
export async function cleanUp(): Promise<void> {
  for (const one of [...left]) await one.close()
  await cleanUpStores()
}

export async function indexed(directory: string, options: VectorIndexOptions = {}): Promise<Indexed> {
  const ledger = openSqliteLedger(join(directory, 'ledger.db'))
  const index = new LedgerVectorIndex(ledger.vectors, {
    directory: join(directory, 'index'),
    large: 50,
    ...options,
  })
  const collection = (await ledger.collections())[0]!.ref
  const there: Indexed = {
    index,
    ledger,
    collection,
    search: (vector, more = {}) =>
      index.search(collection, { vector, limit: 10, offset: 0, accuracy: 1, ...more }),
    async close() {
      left.delete(there)
      await index.close()
      await ledger.close()
    },
  }
  left.add(there)
  return there
}

/** One record per vector, named after its number. */
export async function fill(
  collection: Collection,
  from: number,
  rows: readonly Float32Array[],
): Promise<void> {
  await collection.putMany(
    rows.map((vector, i) => ({
      source: `r${from + i}`,
      spans: [{ text: `record ${from + i}`, vector, metadata: { group: (from + i) % 7, number: from + i } }],
    })),
  )
}

export const sources = (answer: VectorAnswer): string[] => answer.hits.map(({ span }) => span.source)
