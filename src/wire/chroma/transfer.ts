import { isIdentifier } from '../../core/given.ts'
import type { Collection, Store } from '../../index.ts'
import type { RecordInput } from '../../store/records.ts'
import type { Parsed, ParsedObject } from './body.ts'
import { ChromaCollections, type Place } from './collections.ts'
import { configurationOf, plain } from './configuration.ts'
import { fieldsOf, metadataPatch, metadataText, patched, uriOf } from './metadata.ts'
import { vectorOf } from './records.ts'
import { DEFAULT_DATABASE, DEFAULT_TENANT, type Entry } from './registry.ts'
import type { RemoteChroma, RemoteCollection } from './remote.ts'

export interface TransferOptions {
  /** Names; missing: all. */
  readonly collections?: readonly string[]
  /** Records at once. Default 500. */
  readonly batch?: number
  readonly place?: Place
  readonly onProgress?: (collection: string, done: number, total: number) => void
  readonly signal?: AbortSignal
}

export interface Transferred {
  readonly collection: string
  /** Records on the other side when that was last asked. */
  readonly records: number
  /** How many of them were found where they were brought, after the last was. */
  readonly verified: number
  /** Records an earlier run, cut short, had brought already. */
  readonly resumedAt: number
  /** Ids of this run that no source can have, and which were left where they are: none, or too many, characters. */
  readonly refused: readonly string[]
}

const PLACE: Place = { tenant: DEFAULT_TENANT, database: DEFAULT_DATABASE }

const stopped = ({ signal }: TransferOptions) => signal?.aborted === true

/**
 * Brings collections of a Chroma server into the store. A run that was cut short goes on where it was; one that is
 * repeated brings what changed. Records that are in the store alone stay.
 */
export async function importChroma(
  store: Store,
  remote: RemoteChroma,
  options: TransferOptions = {},
): Promise<readonly Transferred[]> {
  const local = new ChromaCollections(store)
  const done: Transferred[] = []
  for (const from of chosen(await remote.collections(), options)) {
    if (stopped(options)) break
    const entry = await local.create(options.place ?? PLACE, {
      name: from.name,
      getOrCreate: true,
      configuration: creatable(from.configuration_json),
      metadata: from.metadata,
    })
    done.push(await importOne(local, entry, remote, from, options))
  }
  return done
}

function chosen<T extends { readonly name: string }>(
  all: readonly T[],
  { collections }: TransferOptions,
): readonly T[] {
  if (collections === undefined) return all
  return collections.map((name) => {
    const found = all.find((one) => one.name === name)
    if (found !== undefined) return found
    const others = all.map((one) => one.name).join(', ')
    throw new Error(
      `there is no collection ${JSON.stringify(name)}; there are ${others === '' ? 'none' : others}`,
    )
  })
}

/** A configuration as it is shown, as it may be given. */
function creatable(configuration: Parsed): Parsed {
  const { hnsw, spann, embedding_function } = configuration as ParsedObject
  return {
    ...(hnsw == null ? {} : { hnsw }),
    ...(hnsw == null && spann != null ? { spann } : {}),
    ...(embedding_function == null ? {} : { embedding_function }),
  }
}

async function importOne(
  local: ChromaCollections,
  entry: Entry,
  remote: RemoteChroma,
  from: RemoteCollection,
  options: TransferOptions,
): Promise<Transferred> {
  const { batch = 500, onProgress } = options
  const collection = await local.open(entry)
  const mark = `import/${from.id}/${entry.id}`
  const resumedAt = await local.registry.progress(mark)
  let total = await remote.count(from.id)
  let offset = resumedAt
  const refused: string[] = []
  const include = ['documents', 'embeddings', 'metadatas', 'uris']
  for (;;) {
    onProgress?.(from.name, offset, total)
    if (stopped(options)) return { collection: from.name, records: total, verified: 0, resumedAt, refused }
    const page = await remote.get(from.id, { limit: batch, offset, include })
    const ids = page.ids as readonly string[]
    if (ids.length === 0) break
    refused.push(...ids.filter((id) => !isIdentifier(id)))
    const { inputs, fields } = recordsOf(page)
    await collection.records().write(inputs)
    await local.noteFields(entry.id, fields)
    offset += ids.length
    await local.registry.setProgress(mark, offset)
    if (ids.length < batch) break
  }
  total = await remote.count(from.id)
  const verified = await verify(async (at) => {
    const { ids } = await remote.get(from.id, { limit: 5_000, offset: at, include: [] })
    return ids as readonly string[]
  }, collection)
  await local.registry.setProgress(mark, undefined)
  onProgress?.(from.name, total, total)
  return { collection: from.name, records: total, verified, resumedAt, refused }
}

/** Of the ids on one side, how many are live on the other. */
async function verify(
  idsAt: (offset: number) => Promise<readonly string[]>,
  collection: Collection,
): Promise<number> {
  let found = 0
  for (let offset = 0; ; ) {
    const ids = await idsAt(offset)
    if (ids.length === 0) return found
    const { slots } = await collection.records().read(ids.filter(isIdentifier))
    found += slots.filter(({ status }) => status === 'ok').length
    offset += ids.length
  }
}

/** A page as records that become exactly what they are there. */
function recordsOf(page: { readonly [column: string]: Parsed }) {
  const column = (name: string) => page[name] as readonly Parsed[]
  const fields: (readonly [string, ReturnType<typeof fieldsOf>[number][1]])[] = []
  const inputs = (page.ids as readonly string[]).flatMap((id, i): RecordInput[] => {
    if (!isIdentifier(id)) return []
    const metadata = column('metadatas')[i] ?? null
    const patch =
      metadata === null
        ? undefined
        : metadataPatch(metadata, 'metadata', { nulls: false, field: 'metadatas', index: i })
    if (patch !== undefined) fields.push(...fieldsOf(patch))
    const uri = column('uris')[i] as string | null
    return [
      {
        id,
        verb: 'put',
        text: column('documents')[i] as string | null,
        vector: vectorOf(column('embeddings')[i]!),
        metadata: () => patched(undefined, patch, uri),
      },
    ]
  })
  return { inputs, fields }
}

/**
 * Brings collections of the store to a Chroma server, where they are opened or made. A run that was cut short goes on
 * where it was.
 */
export async function exportChroma(
  store: Store,
  remote: RemoteChroma,
  options: TransferOptions = {},
): Promise<readonly Transferred[]> {
  const local = new ChromaCollections(store)
  const { tenant, database } = options.place ?? PLACE
  const done: Transferred[] = []
  for (const name of options.collections ?? []) {
    const known = (await local.registry.entries(tenant, database)).some((entry) => entry.name === name)
    // One that was made without Chroma's interface is opened through it.
    if (!known && (await store.collections()).some((one) => one.name === name))
      await local.create({ tenant, database }, { name, getOrCreate: true })
  }
  for (const entry of chosen(await local.registry.entries(tenant, database), options)) {
    if (stopped(options)) break
    done.push(await exportOne(local, entry, remote, options))
  }
  return done
}

async function exportOne(
  local: ChromaCollections,
  entry: Entry,
  remote: RemoteChroma,
  options: TransferOptions,
): Promise<Transferred> {
  const { onProgress } = options
  const batch = Math.min(options.batch ?? 500, await remote.maxBatch())
  const collection = await local.open(entry)
  const configuration = creatable(configurationOf(plain(entry.schema as Parsed) as never) as Parsed)
  const to = await remote.open(
    `{"name":${JSON.stringify(entry.name)},"get_or_create":true,"configuration":${JSON.stringify(configuration)},"metadata":${entry.metadata ?? 'null'}}`,
  )
  const mark = `export/${to.id}/${entry.id}`
  const resumedAt = await local.registry.progress(mark)
  const records = collection.records()
  let offset = resumedAt
  for (;;) {
    const total = await records.count()
    onProgress?.(entry.name, offset, total)
    if (stopped(options))
      return { collection: entry.name, records: total, verified: 0, resumedAt, refused: [] }
    const rows = await records.list({ offset, limit: batch, vectors: true })
    if (rows.length === 0) break
    const bare = rows.find(({ vector }) => vector === undefined)
    if (bare !== undefined)
      throw new Error(
        `record ${JSON.stringify(bare.source)} of ${entry.name} has no vector, and Chroma has no records without one`,
      )
    await remote.upsert(
      to.id,
      `{"ids":${JSON.stringify(rows.map(({ source }) => source))},"embeddings":[${rows
        .map(({ vector }) => `"${base64Of(vector!)}"`)
        .join(
          ',',
        )}],"documents":${JSON.stringify(rows.map(({ text }) => text ?? null))},"uris":${JSON.stringify(
        rows.map(({ metadata }) => uriOf(metadata)),
      )},"metadatas":[${rows.map(({ metadata }) => metadataText(metadata)).join(',')}]}`,
    )
    offset += rows.length
    await local.registry.setProgress(mark, offset)
  }
  // Asked of the other side: every id of the store has to be there.
  let verified = 0
  const sources = (await records.list()).map(({ source }) => source)
  for (let i = 0; i < sources.length; i += 1_000) {
    const { ids } = await remote.get(to.id, { ids: sources.slice(i, i + 1_000), include: [] })
    verified += (ids as readonly string[]).length
  }
  await local.registry.setProgress(mark, undefined)
  onProgress?.(entry.name, sources.length, sources.length)
  return { collection: entry.name, records: sources.length, verified, resumedAt, refused: [] }
}

const base64Of = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
