import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { isSpanStoreError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import type { Collection, Store } from '../../index.ts'
import { isObject, objectOf, type Parsed, type ParsedObject, stringOf } from './body.ts'
import { configurationOf, createdSchema, shownSchema, updatedSchema } from './configuration.ts'
import { exists, invalid, misshapen, notFound } from './failure.ts'
import { type FieldType, metadataPatch, metadataText, patched } from './metadata.ts'
import { DEFAULT_DATABASE, DEFAULT_TENANT, type Entry, Registry, storedName } from './registry.ts'

/** A database of a tenant. */
export interface Place {
  readonly tenant: string
  readonly database: string
}

export interface CreateRequest {
  readonly name: string
  readonly getOrCreate: boolean
  readonly configuration?: Parsed | undefined
  readonly schema?: Parsed | undefined
  readonly metadata?: Parsed | undefined
}

/** A collection as Chroma shows it. `metadata` are JSON, as they are printed. */
export interface CollectionInfo {
  readonly id: string
  readonly name: string
  readonly configuration_json: Json
  readonly schema: Json
  readonly metadata: string
  readonly dimension: number | null
  readonly tenant: string
  readonly database: string
}

/** Tenants, databases and collections of a store, as Chroma's clients know them. */
export class ChromaCollections {
  readonly registry: Registry
  readonly #store: Store
  /** What makes or takes away collections, one after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(store: Store) {
    this.#store = store
    this.registry = new Registry(store)
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return await done
  }

  // ── collections ───────────────────────────────────────────────────────────────────────────────────────────

  /** By UUID. @throws ChromaFailure 400, 404 */
  async byId(id: string): Promise<Entry> {
    if (!UUID.test(id)) throw invalid('Collection ID is not a valid UUIDv4')
    const entry = await this.registry.entry(id.toLowerCase())
    if (entry === undefined) throw notFound(`Collection [${id}] does not exist.`)
    return entry
  }

  async byName({ tenant, database }: Place, name: string): Promise<Entry> {
    const entries = await this.registry.entries(tenant, database)
    const entry = entries.find((one) => one.name === name)
    if (entry === undefined) throw notFound(`Collection [${name}] does not exist`)
    return entry
  }

  /** @throws ChromaFailure 404 where the collection was dropped by another hand */
  async open(entry: Entry): Promise<Collection> {
    try {
      return await this.registry.open(entry)
    } catch (error) {
      if (isSpanStoreError(error, 'COLLECTION_DROPPED') || isSpanStoreError(error, 'COLLECTION_UNKNOWN'))
        throw notFound(`Collection [${entry.id}] does not exist.`)
      throw error
    }
  }

  async info(entry: Entry): Promise<CollectionInfo> {
    const collection = await this.open(entry)
    return {
      id: entry.id,
      name: entry.name,
      configuration_json: configurationOf(entry.schema as { [name: string]: Json }),
      schema: shownSchema(entry.schema as { [name: string]: Json }, entry.fields),
      metadata: entry.metadata ?? 'null',
      dimension: collection.records().space()?.dimensions ?? null,
      tenant: entry.tenant,
      database: entry.database,
    }
  }

  /** In the order in which they were made; those that another hand dropped are left out. */
  async list(place: Place): Promise<readonly CollectionInfo[]> {
    const infos: CollectionInfo[] = []
    for (const entry of await this.registry.entries(place.tenant, place.database)) {
      try {
        infos.push(await this.info(entry))
      } catch (error) {
        if (!isGone(error)) throw error
      }
    }
    return infos
  }

  async create(place: Place, request: CreateRequest): Promise<Entry> {
    const { tenant, database } = place
    const { name, getOrCreate } = request
    checkName(name, 'name')
    const metadata = collectionMetadata(request.metadata, 'metadata')
    const described = request.metadata == null ? undefined : (request.metadata as ParsedObject)
    const { schema, space } = createdSchema(request.configuration, request.schema, described)
    const stated =
      request.configuration != null || request.schema != null || described?.['hnsw:space'] != null
    return await this.#alone(async () => {
      if ((await this.registry.database(tenant, database)) === undefined)
        throw invalid(`Database [${database}] does not exist`)
      const before = (await this.registry.all()).find(
        (one) => one.tenant === tenant && one.database === database && one.name === name,
      )
      if (before !== undefined && !before.unfinished && !(await this.#isGone(before))) {
        if (getOrCreate) return before
        throw exists(`Collection [${name}] already exists`)
      }
      if (before !== undefined) await this.#discard(before)
      const id = randomUUID()
      const stored = storedName(tenant, database, name)
      const known = (await this.#store.collections()).find((one) => one.name === stored)
      if (known !== undefined && known.live + known.position > 1 && !getOrCreate)
        throw exists(
          `Collection [${name}] already exists: it was made without this interface; get_or_create opens it here, too`,
        )
      if (known !== undefined && known.metric !== space && stated)
        throw exists(`Collection [${name}] already exists with the space ${known.metric}`)
      const metric = known?.metric ?? space
      await this.#store.collection(stored, { metric, recreate: true })
      const entry: Entry = {
        id,
        tenant,
        database,
        name,
        stored,
        schema:
          metric === space ? schema : createdSchema({ hnsw: { space: metric } }, undefined, undefined).schema,
        metadata,
        fields: {},
        adopted: known !== undefined && known.live + known.position > 1,
        root: id,
        unfinished: false,
      }
      await this.registry.put(entry)
      return entry
    })
  }

  async #isGone(entry: Entry): Promise<boolean> {
    try {
      await this.info(entry)
      return false
    } catch (error) {
      if (isGone(error)) return true
      throw error
    }
  }

  async update(id: string, change: Parsed): Promise<void> {
    const { new_name, new_metadata, new_configuration } = objectOf(change)
    const name = new_name == null ? undefined : stringOf(new_name, 'new_name')
    if (name !== undefined) checkName(name, 'new_name')
    const says = new_metadata != null
    const metadata = says ? collectionMetadata(new_metadata, 'new_metadata') : undefined
    await this.#alone(async () => {
      const entry = await this.byId(id)
      const { tenant, database } = entry
      const schema =
        new_configuration == null
          ? entry.schema
          : updatedSchema(entry.schema as { [name: string]: Json }, new_configuration).schema
      const stored =
        name === undefined || name === entry.name ? entry.stored : storedName(tenant, database, name)
      if (stored !== entry.stored) {
        const others = await this.registry.entries(tenant, database)
        if (others.some((other) => other.name === name)) throw exists(`Collection [${name}] already exists`)
        const collection = await this.open(entry)
        await this.#store.renameCollection(
          collection.name === entry.stored ? entry.stored : await this.#nameOf(collection),
          stored,
        )
      }
      await this.registry.put({
        ...entry,
        stored,
        schema,
        ...(name === undefined ? {} : { name }),
        ...(says ? { metadata } : {}),
      })
    })
  }

  /** Its name now, where another hand renamed it. */
  async #nameOf(collection: Collection): Promise<string> {
    return (await this.#store.collections()).find((one) => one.id === collection.id)?.name ?? collection.name
  }

  /** Lists fields in the schema that records were written with for the first time. */
  async noteFields(id: string, fields: readonly (readonly [name: string, type: FieldType])[]): Promise<void> {
    const lacks = ({ fields: known }: Entry) =>
      fields.some(([name, type]) => !(Object.hasOwn(known, name) && known[name]!.includes(type)))
    const entry = await this.registry.entry(id)
    if (entry === undefined || !lacks(entry)) return
    await this.#alone(async () => {
      const current = await this.registry.entry(id)
      if (current === undefined || !lacks(current)) return
      const known = new Map(Object.entries(current.fields))
      for (const [name, type] of fields) {
        const types = known.get(name) ?? []
        // A name that differs from record to record is no field.
        if (!types.includes(type) && (types.length > 0 || known.size < FIELDS))
          known.set(name, [...types, type])
      }
      await this.registry.put({ ...current, fields: Object.fromEntries(known) })
    })
  }

  async delete(place: Place, name: string): Promise<void> {
    await this.#alone(async () => await this.#discard(await this.byName(place, name)))
  }

  /** The store's collection first: what is left, if the process dies between, is an entry of something gone. */
  async #discard(...entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      if (entry.adopted) continue
      try {
        const collection = await this.registry.open(entry)
        await this.#store.dropCollection(await this.#nameOf(collection))
      } catch (error) {
        if (!isSpanStoreError(error, 'COLLECTION_DROPPED') && !isSpanStoreError(error, 'COLLECTION_UNKNOWN'))
          throw error
      }
    }
    await this.registry.remove(entries)
  }

  /** Takes everything away that was made through this interface. */
  async reset(): Promise<void> {
    await this.#alone(async () => {
      await this.#discard(...(await this.registry.all()))
      await this.registry.clear()
    })
  }

  /** A collection that is to be filled before anyone sees it; `finish` shows it. */
  async begin(from: Entry, name: string): Promise<Entry> {
    checkName(name, 'new_name')
    return await this.#alone(async () => {
      const { tenant, database } = from
      const same = (await this.registry.all()).find(
        (one) => one.tenant === tenant && one.database === database && one.name === name,
      )
      if (same !== undefined && !same.unfinished && !(await this.#isGone(same)))
        throw exists(`Collection [${name}] already exists`)
      if (same !== undefined) await this.#discard(same)
      const stored = storedName(tenant, database, name)
      if ((await this.#store.collections()).some((one) => one.name === stored))
        throw exists(`Collection [${name}] already exists: it was made without this interface`)
      const { metric } = await this.open(from)
      // The entry first: should the process die, it says that what is there is not whole.
      const entry: Entry = { ...from, id: randomUUID(), name, stored, adopted: false, unfinished: true }
      await this.registry.put(entry)
      await this.#store.collection(stored, { metric, recreate: true })
      return entry
    })
  }

  async finish(entry: Entry): Promise<Entry> {
    const finished = { ...entry, unfinished: false }
    await this.registry.put(finished)
    return finished
  }

  // ── tenants and databases ─────────────────────────────────────────────────────────────────────────────────

  async createTenant(name: string): Promise<void> {
    if ([...name].length < 3)
      throw invalid('Validation error: name: a tenant has a name of at least 3 characters')
    await this.#alone(async () => {
      if (await this.registry.hasTenant(name)) throw exists(`Tenant [${name}] already exists`)
      await this.registry.putTenant(name)
    })
  }

  async tenant(name: string): Promise<{ readonly name: string; readonly resource_name: string | null }> {
    if (!(await this.registry.hasTenant(name))) throw notFound(`Tenant [${name}] not found`)
    const resource = await this.registry.resourceName(name)
    return { name, resource_name: resource ?? null }
  }

  async nameTenant(name: string, resource: string): Promise<void> {
    await this.#alone(async () => await this.registry.putTenant(name, resource))
  }

  async createDatabase(tenant: string, name: string): Promise<void> {
    checkName(name, undefined)
    await this.#alone(async () => {
      if ((await this.registry.database(tenant, name)) !== undefined)
        throw exists(`Database [${name}] already exists`)
      await this.registry.addDatabase(tenant, name)
    })
  }

  async database(tenant: string, name: string) {
    const database = await this.registry.database(tenant, name)
    if (database === undefined) throw notFound(`Database [${name}] not found. Are you sure it exists?`)
    return database
  }

  async deleteDatabase(tenant: string, name: string): Promise<void> {
    await this.#alone(async () => {
      const database = await this.registry.database(tenant, name)
      const fixed = tenant === DEFAULT_TENANT && name === DEFAULT_DATABASE
      if (database === undefined) throw notFound(`Database [${name}] not found`)
      await this.#discard(...(await this.registry.entries(tenant, name)))
      if (!fixed) await this.registry.removeDatabase(database)
    })
  }
}

/** Fields a schema lists at most. */
const FIELDS = 1_000

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

const isGone = (error: unknown): boolean =>
  isSpanStoreError(error, 'COLLECTION_DROPPED') ||
  isSpanStoreError(error, 'COLLECTION_UNKNOWN') ||
  (error as { status?: unknown }).status === 404

function checkName(name: string, field: string | undefined): void {
  const at = field === undefined ? '' : `Validation error: ${field}: `
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]$/.test(name))
    throw invalid(
      `${at}Expected a name containing 3-512 characters from [a-zA-Z0-9._-], starting and ending with a character in [a-zA-Z0-9]. Got: ${name}`,
    )
  if (name.includes('..'))
    throw invalid(`${at}Expected a name that does not contains two consecutive periods (..). Got ${name}`)
  if (isIP(name) !== 0) throw invalid(`${at}Expected a name that is not a valid ip address. Got ${name}`)
}

/** Metadata of a whole collection, as they are printed. Undefined: none. */
function collectionMetadata(value: Parsed | undefined, field: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) throw misshapen(`${field}: invalid type, expected a map`)
  const names = Object.keys(value)
  if (names.length === 0) throw invalid(`Validation error: ${field}: Metadata cannot be empty`)
  if (names.includes('')) throw invalid(`Validation error: ${field}: Metadata key cannot be empty`)
  const patch = metadataPatch(value, field, { nulls: field === 'new_metadata', field, index: 0 })
  const metadata = patched(undefined, patch, undefined)
  return metadata === undefined ? undefined : metadataText(JSON.stringify(metadata), true)
}
