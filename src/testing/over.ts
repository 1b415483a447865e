import type { Metric } from '../core/model.ts'
import type { Ledger } from '../ports/ledger.ts'
import { Collection } from '../store/collection.ts'
import { Observer } from '../store/observer.ts'

/** A collection over a ledger and nothing else: it writes and reads, and is not asked to search or to embed. */
export async function collectionOver(ledger: Ledger, name: string, metric?: Metric): Promise<Collection> {
  const info = await ledger.openCollection(name, metric, { recreate: false, create: true })
  const unused = undefined as never
  return new Collection(
    {
      ledger,
      text: unused,
      vectors: unused,
      deferred: unused,
      observer: new Observer(ledger.sessions),
      embedder: undefined,
      clock: Date.now,
    },
    info,
  )
}
