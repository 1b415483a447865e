import type { Metadata } from '../../core/json.ts'
import type { LiveRecord } from '../../core/record.ts'
import type { Collection } from '../../index.ts'
import type { RecordInput } from '../../store/records.ts'
import type { ChromaCollections } from './collections.ts'
import type { Entry } from './registry.ts'

/** Records copied in one commit. */
const BATCH = 500

/** What is written meanwhile is copied again so often; then the copy is as of a moment just before. */
const ROUNDS = 10

/**
 * A copy of a collection under another name: new keys, the same texts, metadata and vectors, nothing embedded again.
 * Nobody sees it before all of it is there.
 */
export async function forkCollection(
  collections: ChromaCollections,
  from: Entry,
  name: string,
): Promise<Entry> {
  const source = await collections.open(from)
  const entry = await collections.begin(from, name)
  const target = await collections.open(entry)
  let position = source.records().position()
  let ids = await copyAll(source, target)
  for (let round = 0; round < ROUNDS && source.records().position() !== position; round++) {
    const since = position
    position = source.records().position()
    const now = (await source.records().list()).map((record) => record.source)
    const changed = await source.records().moved(since, [...new Set([...ids, ...now])])
    await copyThese(source, target, changed)
    ids = now
  }
  return await collections.finish(entry)
}

async function copyAll(source: Collection, target: Collection): Promise<readonly string[]> {
  const refs = (await source.records().list()).map(({ id }) => id)
  const ids: string[] = []
  for (let i = 0; i < refs.length; i += BATCH) {
    const rows = await source.records().rows(refs.slice(i, i + BATCH), { vectors: true })
    await target.records().write(rows.map(copyOf))
    for (const row of rows) ids.push(row.source)
  }
  return ids
}

async function copyThese(source: Collection, target: Collection, ids: readonly string[]): Promise<void> {
  for (let i = 0; i < ids.length; i += BATCH) {
    const { slots } = await source.records().read(ids.slice(i, i + BATCH), { vectors: true })
    await target
      .records()
      .write(
        slots.map((slot) =>
          slot.status === 'ok' ? copyOf(slot.record) : { id: slot.source, verb: 'remove' as const },
        ),
      )
  }
}

function copyOf({ source, text, metadata, vector }: LiveRecord): RecordInput {
  return {
    id: source,
    verb: 'put',
    text: text ?? null,
    ...(vector === undefined ? {} : { vector }),
    metadata: () => (metadata === undefined ? undefined : (JSON.parse(metadata) as Metadata)),
  }
}
