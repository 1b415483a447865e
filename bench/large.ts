import { join } from 'node:path'
import { openStore } from '../src/index.ts'
import { openSqliteLedger } from '../src/ledger/sqlite/ledger.ts'
import { newSpans } from '../src/store/draft.ts'
import { random } from '../test/store/random.ts'
import { zipf } from './words.ts'

const DIMENSIONS = 384

/** Spans of one source of a large store. */
const SOURCE = 1_000

/** Clusters of very different sizes, as embeddings of texts have them; endless, the same for the same seed. */
export function* vectors(seed: number): Generator<Float32Array, never> {
  const next = random(seed)
  const shared = random(1)
  const centres = Array.from({ length: 200 }, () =>
    Float32Array.from({ length: DIMENSIONS }, () => shared() - 0.5),
  )
  for (;;) {
    const centre = centres[Math.floor(next() ** 2 * centres.length)]!
    yield centre.map((value) => value + (next() - 0.5) * 1.2)
  }
}

/** Fills an empty directory with a store of one collection, `notes`. Its indexes are made by whoever opens it. */
export async function makeLarge(
  directory: string,
  count: number,
  onProgress: (done: number) => void = () => {},
): Promise<void> {
  const store = await openStore(directory)
  await store.collection('notes')
  await store.close()
  // Written to the ledger alone: what would index meanwhile would take turns with it.
  const ledger = openSqliteLedger(join(directory, 'ledger.db'))
  const { ref } = (await ledger.collections())[0]!
  const vector = vectors(2)
  const text = zipf(4)
  for (let i = 0; i < count; i += SOURCE) {
    const spans = Array.from({ length: Math.min(SOURCE, count - i) }, (_, j) => ({
      text: `Note ${i + j}: ${text(30)}.`,
      vector: vector.next().value,
      metadata: { tenth: (i + j) % 10, thousandth: (i + j) % 1_000, rare: (i + j) % 10_000 },
    }))
    await ledger.append(
      ref,
      {
        source: `part ${i / SOURCE}`,
        spans: newSpans(spans, 'spans'),
        metadata: undefined,
        expiresAt: undefined,
        readmit: false,
      },
      {},
    )
    onProgress(i + spans.length)
  }
  await ledger.close()
}
