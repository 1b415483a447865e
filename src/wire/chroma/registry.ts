import { randomUUID } from 'node:crypto'
import { isSpanStoreError } from '../../core/errors.ts'
import type { Json, Metadata } from '../../core/json.ts'
import type { Collection, Store } from '../../index.ts'
import type { FieldType } from './metadata.ts'

/*
 * What Chroma knows of collections and the store does not: tenants, databases, ids in its own form, schemas, metadata
 * of whole collections. Kept as records without text in a collection of the store, so that it is as durable and as
 * versioned as everything else. The name of that collection is none that a Chroma client can give.
 */
const REGISTRY = 'chroma:registry'

export const DEFAULT_TENANT = 'default_tenant'
export const DEFAULT_DATABASE = 'default_database'
const DEFAULT_DATABASE_ID = '00000000-0000-0000-0000-000000000000'

export interface Database {
  readonly id: string
  readonly name: string
  readonly tenant: string
}

/** A collection as a Chroma client made it. */
export interface Entry {
  /** Its UUID. */
  readonly id: string
  readonly tenant: string
  readonly database: string
  readonly name: string
  /** The name of the store's collection. */
  readonly stored: string
  readonly schema: { readonly [name: string]: Json }
  /** In JSON, as it is printed. */
  readonly metadata: string | undefined
  /** Names of metadata that records were written with, and the types they had: the schema lists them. */
  readonly fields: { readonly [name: string]: readonly FieldType[] }
  /** Was there before a client of Chroma opened it, and stays when they drop it. */
  readonly adopted: boolean
  /** UUID of the collection whose forks it is counted among. */
  readonly root: string
  /** Not to be seen before all of it is there. */
  readonly unfinished: boolean
}

/** The collection of the store that stands behind a name. */
export const storedName = (tenant: string, database: string, name: string): string =>
  tenant === DEFAULT_TENANT && database === DEFAULT_DATABASE ? name : `${tenant}/${database}/${name}`

interface Contents {
  position: number
  readonly entries: Map<string, Entry>
  readonly tenants: Map<string, string | undefined>
  readonly databases: Map<string, Database>
  /** Transfers that are not over, and how many records they brought. */
  readonly transfers: Map<string, number>
}

export class Registry {
  readonly #store: Store
  #collection: Promise<Collection> | undefined
  #contents: Contents | undefined
  readonly #handles = new Map<string, Promise<Collection>>()

  constructor(store: Store) {
    this.#store = store
  }

  async #records() {
    this.#collection ??= this.#store.collection(REGISTRY, { metric: 'l2', recreate: true })
    try {
      return (await this.#collection).records()
    } catch (error) {
      this.#collection = undefined
      throw error
    }
  }

  /** Read again only when something changed, whoever changed it. */
  async #current(): Promise<Contents> {
    const records = await this.#records()
    if (this.#contents?.position === records.position()) return this.#contents
    const contents: Contents = {
      position: records.position(),
      entries: new Map(),
      tenants: new Map(),
      databases: new Map(),
      transfers: new Map(),
    }
    for (const { source, metadata } of await records.list()) keep(contents, source, metadata)
    this.#contents = contents
    return contents
  }

  /** One commit. `undefined` takes a record away. */
  async #write(changes: readonly (readonly [id: string, metadata: Metadata | undefined])[]): Promise<void> {
    if (changes.length === 0) return
    const records = await this.#records()
    const contents = await this.#current()
    const written = await records.write(
      changes.map(([id, metadata]) =>
        metadata === undefined ? { id, verb: 'remove' } : { id, verb: 'put', metadata: () => metadata },
      ),
    )
    if ('moved' in written) return
    // Nobody else wrote between: what is in memory is brought up to date without reading it all again.
    if (written.before !== contents.position) return
    for (const [id, metadata] of changes)
      keep(contents, id, metadata === undefined ? undefined : JSON.stringify(metadata))
    contents.position = written.position
  }

  // ── tenants and databases ─────────────────────────────────────────────────────────────────────────────────

  async hasTenant(name: string): Promise<boolean> {
    return name === DEFAULT_TENANT || (await this.#current()).tenants.has(name)
  }

  async resourceName(tenant: string): Promise<string | undefined> {
    return (await this.#current()).tenants.get(tenant)
  }

  async tenantOf(resource: string): Promise<string | undefined> {
    for (const [tenant, name] of (await this.#current()).tenants) if (name === resource) return tenant
    return undefined
  }

  async putTenant(name: string, resource?: string): Promise<void> {
    await this.#write([
      [`tenant/${name}`, { kind: 'tenant', name, ...(resource === undefined ? {} : { resource }) }],
    ])
  }

  /** By name. */
  async databases(tenant: string): Promise<readonly Database[]> {
    const made = [...(await this.#current()).databases.values()].filter((one) => one.tenant === tenant)
    const all =
      tenant === DEFAULT_TENANT
        ? [{ id: DEFAULT_DATABASE_ID, name: DEFAULT_DATABASE, tenant }, ...made]
        : made
    return all.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async database(tenant: string, name: string): Promise<Database | undefined> {
    return (await this.databases(tenant)).find((one) => one.name === name)
  }

  async addDatabase(tenant: string, name: string): Promise<void> {
    const id = randomUUID()
    await this.#write([[`database/${id}`, { kind: 'database', tenant, name }]])
  }

  async removeDatabase({ id }: Database): Promise<void> {
    await this.#write([[`database/${id}`, undefined]])
  }

  // ── transfers ─────────────────────────────────────────────────────────────────────────────────────────────

  /** How far a transfer was when it was cut short; 0: it was not. */
  async progress(mark: string): Promise<number> {
    return (await this.#current()).transfers.get(mark) ?? 0
  }

  /** `undefined`: it is over. */
  async setProgress(mark: string, done: number | undefined): Promise<void> {
    await this.#write([[`transfer/${mark}`, done === undefined ? undefined : { kind: 'transfer', done }]])
  }

  // ── collections ───────────────────────────────────────────────────────────────────────────────────────────

  /** Those that are there to see, in the order in which they were made. */
  async entries(tenant: string, database: string): Promise<readonly Entry[]> {
    const { entries } = await this.#current()
    return [...entries.values()].filter(
      (entry) => entry.tenant === tenant && entry.database === database && !entry.unfinished,
    )
  }

  async all(): Promise<readonly Entry[]> {
    return [...(await this.#current()).entries.values()]
  }

  async entry(id: string): Promise<Entry | undefined> {
    const entry = (await this.#current()).entries.get(id)
    return entry?.unfinished === true ? undefined : entry
  }

  async put(entry: Entry): Promise<void> {
    const { id, schema, metadata, fields, ...rest } = entry
    await this.#write([
      [
        `collection/${id}`,
        {
          kind: 'collection',
          ...rest,
          schema: JSON.stringify(schema),
          fields: JSON.stringify(fields),
          ...(metadata === undefined ? {} : { metadata }),
        },
      ],
    ])
  }

  async remove(entries: readonly Entry[]): Promise<void> {
    for (const { id } of entries) this.#handles.delete(id)
    await this.#write(entries.map(({ id }) => [`collection/${id}`, undefined]))
  }

  /** Takes everything away that clients made, in one commit. */
  async clear(): Promise<void> {
    this.#handles.clear()
    const { entries, tenants, databases, transfers } = await this.#current()
    await this.#write([
      ...[...entries.keys()].map((id) => [`collection/${id}`, undefined] as const),
      ...[...tenants.keys()].map((name) => [`tenant/${name}`, undefined] as const),
      ...[...databases.keys()].map((id) => [`database/${id}`, undefined] as const),
      ...[...transfers.keys()].map((mark) => [`transfer/${mark}`, undefined] as const),
    ])
  }

  /** The store's collection. @throws COLLECTION_DROPPED, COLLECTION_UNKNOWN where another hand took it away */
  open(entry: Entry): Promise<Collection> {
    let handle = this.#handles.get(entry.id)
    if (handle === undefined) {
      handle = this.#openStored(entry.stored)
      this.#handles.set(entry.id, handle)
      handle.catch(() => this.#handles.delete(entry.id))
    }
    return handle
  }

  async #openStored(name: string): Promise<Collection> {
    try {
      return await this.#store.collection(name, { create: false })
    } catch (error) {
      // Renamed by another hand: its id is what counts.
      if (isSpanStoreError(error, 'COLLECTION_RENAMED'))
        return await this.#store.collection(error.detail.now, { create: false })
      throw error
    }
  }
}

function keep(contents: Contents, source: string, json: string | undefined): void {
  const [kind, ...rest] = source.split('/')
  const id = rest.join('/')
  const { entries, tenants, databases, transfers } = contents
  const map = { collection: entries, tenant: tenants, database: databases, transfer: transfers }[kind!]
  if (json === undefined) {
    map?.delete(id)
    return
  }
  const value = JSON.parse(json) as Metadata
  if (kind === 'transfer') transfers.set(id, value.done as number)
  else if (kind === 'tenant') tenants.set(id, value.resource as string | undefined)
  else if (kind === 'database')
    databases.set(id, { id, name: value.name as string, tenant: value.tenant as string })
  else
    entries.set(id, {
      id,
      tenant: value.tenant as string,
      database: value.database as string,
      name: value.name as string,
      stored: value.stored as string,
      schema: JSON.parse(value.schema as string) as { readonly [name: string]: Json },
      metadata: value.metadata as string | undefined,
      fields: JSON.parse(value.fields as string) as Entry['fields'],
      adopted: value.adopted as boolean,
      root: value.root as string,
      unfinished: value.unfinished as boolean,
    })
}
