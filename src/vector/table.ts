import { renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as Lance from '@lancedb/lancedb'
import type * as Arrow from 'apache-arrow'
import type { Metric } from '../core/model.ts'
import { nextTurn } from '../threads/turn.ts'
import { bytesBelow, syncNewFiles } from './durable.ts'
import { loadInSteps } from './load-in-steps.ts'
import { writeUnit } from './metric.ts'
import type { Candidate } from './nearest.ts'

/*
 * Everything that is said to LanceDB. Its traps, all met: with its default threads it can stop for good on a machine
 * of few cores; an ES import of Arrow gives classes it takes for foreign; `cosine` costs several times `l2` over unit
 * vectors; it never syncs a file; a query that does not select `_distance` prints a warning; its quantizer wants
 * dimensions that are a multiple of eight.
 */

let loaded: Promise<typeof Lance> | undefined

/** Loaded at the first large collection: it takes a quarter of a second, in steps, and 75 MB. */
function load(): Promise<typeof Lance> {
  // Read once, when the library starts.
  process.env.LANCE_CPU_THREADS ??= '4'
  // How far it reads ahead when it joins files and builds an index. Otherwise 2 GiB: most of a table is in memory then.
  process.env.LANCE_DEFAULT_IO_BUFFER_SIZE ??= String(2 ** 25)
  // Otherwise it prints a warning.
  process.env.LANCE_INCLUDE_VECTOR_CENTROIDS ??= 'false'
  loaded ??= loadInSteps('@lancedb/lancedb') as Promise<typeof Lance>
  return loaded
}

let removed = 0

let arrowLoaded: typeof Arrow | undefined

function arrow(): typeof Arrow {
  arrowLoaded ??= createRequire(import.meta.url)('apache-arrow') as typeof Arrow
  return arrowLoaded
}

/** Bytes of a table that is not worth tidying up. */
const SMALL = 2 ** 22

/** How many times as many are read at once. */
const BATCHES = 4

/** Numbers that are looked at, and that are written, at once. */
const NUMBERS = 2 ** 16
const WRITTEN = 2 ** 18

/** Ids in one predicate. */
const IDS = 1_000

export interface TableShape {
  readonly metric: Metric
  readonly dimensions: number
}

export interface TableRow {
  readonly id: number
  readonly vector: Float32Array
}

/**
 * How hard to look, by the part of the true nearest that is to be found: how many parts of the index to go through, and
 * how many of what it names are compared in full. A bit per dimension says little about neighbours that are nearly
 * equally far: of 100 000 vectors in clusters, 120 compared for ten found 0.91 of these, 240 found 0.975, 480 all.
 */
export function effort(
  accuracy: number,
  limit: number,
): { readonly probes: number; readonly compared: number } {
  const [probes, least, each] =
    accuracy <= 0.9
      ? [10, 100, 8]
      : accuracy <= 0.98
        ? [24, 300, 16]
        : accuracy <= 0.995
          ? [64, 600, 24]
          : [160, 1_200, 32]
  return { probes, compared: least + each * limit }
}

/** So many rows are named by the parts of the index that are gone through anyway. */
const NAMED = 5_000

/**
 * A LanceDB table of span ids and vectors, in the form the metric needs. One process at a time may change it; any
 * number may search it, and see its latest version.
 */
export class LanceTable {
  readonly path: string
  readonly #shape: TableShape
  readonly #lance: typeof Lance
  readonly #connection: Lance.Connection
  readonly #table: Lance.Table
  readonly #known = new Set<string>()

  private constructor(
    path: string,
    shape: TableShape,
    lance: typeof Lance,
    connection: Lance.Connection,
    table: Lance.Table,
  ) {
    this.path = path
    this.#shape = shape
    this.#lance = lance
    this.#connection = connection
    this.#table = table
  }

  static pathOf(directory: string, name: string): string {
    return join(directory, `${name}.lance`)
  }

  /** Away at once, for whoever makes a new one; large files take their time to go. */
  static async remove(directory: string, name: string): Promise<void> {
    const gone = LanceTable.pathOf(directory, `gone-${process.pid}-${Date.now()}-${++removed}`)
    try {
      renameSync(LanceTable.pathOf(directory, name), gone)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    await rm(gone, { recursive: true, force: true })
  }

  /** Opens a table that is there. @throws what LanceDB throws when it is not, or is damaged */
  static async open(directory: string, name: string, shape: TableShape): Promise<LanceTable> {
    const lance = await load()
    // A handle sees what others commit only when told to look.
    const connection = await lance.connect(directory, { readConsistencyInterval: 0 })
    const table = await connection.openTable(name)
    return new LanceTable(LanceTable.pathOf(directory, name), shape, lance, connection, table)
  }

  /** Makes an empty table in place of whatever is there. */
  static async create(directory: string, name: string, shape: TableShape): Promise<LanceTable> {
    const path = LanceTable.pathOf(directory, name)
    await LanceTable.remove(directory, name)
    const lance = await load()
    const connection = await lance.connect(directory, { readConsistencyInterval: 0 })
    const table = await connection.createEmptyTable(name, schemaOf(shape))
    return new LanceTable(path, shape, lance, connection, table)
  }

  async add(rows: readonly TableRow[]): Promise<void> {
    if (rows.length > 0) await this.#table.add(await tableOf(this.#shape, rows))
  }

  /** Gives rows other vectors in one step: nobody sees the table without them. Rows that are not there are added. */
  async replace(rows: readonly TableRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.#table
      .mergeInsert('id')
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute(await tableOf(this.#shape, rows))
  }

  async delete(ids: readonly number[]): Promise<void> {
    for (let i = 0; i < ids.length; i += IDS)
      await this.#table.delete(`id IN (${ids.slice(i, i + IDS).join(',')})`)
  }

  async deleteAfter(id: number): Promise<void> {
    await this.#table.delete(`id > ${id}`)
  }

  /** Makes everything written so far survive a power cut. */
  sync(): Promise<void> {
    return syncNewFiles(this.path, this.#known)
  }

  version(): Promise<number> {
    return this.#table.version()
  }

  rows(): Promise<number> {
    return this.#table.countRows()
  }

  /** How many times over its files hold what its rows need. */
  async crowding(): Promise<number> {
    const needed = (await this.rows()) * (4 * width(this.#shape.dimensions) + 8)
    return (await bytesBelow(this.path)) / Math.max(needed, SMALL)
  }

  /**
   * The nearest `limit` rows by the metric's distance, in single precision. An id occurs once, whatever the table
   * holds. Fewer than `limit`: there are no more.
   */
  async nearest(
    vector: Float32Array,
    limit: number,
    accuracy: number,
  ): Promise<{ found: Candidate[]; all: boolean }> {
    const query = this.#query(vector, limit)
    if (accuracy >= 1) return await this.#answer(query.bypassVectorIndex(), limit)
    const { probes, compared } = effort(accuracy, limit)
    return await this.#answer(query.nprobes(probes).refineFactor(Math.ceil(compared / limit)), limit)
  }

  /**
   * About the nearest `limit` rows, as the index has them: distances are guesses where it keeps a bit a number. Costs a
   * fraction of `nearest` for as many. Fewer than `limit`: there are no more in the parts that were gone through.
   */
  async named(
    vector: Float32Array,
    limit: number,
    accuracy: number,
  ): Promise<{ found: Candidate[]; all: boolean }> {
    const { probes } = effort(accuracy, 1)
    const more = Math.ceil(probes * Math.sqrt(Math.max(1, limit / NAMED)))
    return await this.#answer(this.#query(vector, limit).nprobes(more), limit)
  }

  #query(vector: Float32Array, limit: number): Lance.VectorQuery {
    return this.#table
      .query()
      .nearestTo(this.kept(vector))
      .select(['id', '_distance'])
      .limit(limit)
      .distanceType(this.#shape.metric === 'ip' ? 'dot' : 'l2')
  }

  async #answer(query: Lance.VectorQuery, limit: number): Promise<{ found: Candidate[]; all: boolean }> {
    const { metric } = this.#shape
    const best = new Map<number, number>()
    let rows = 0
    for (const batch of (await query.toArrow()).batches) {
      // Typed arrays: asking Arrow for one number after the other takes several times as long.
      const ids = batch.getChild('id')!.toArray() as BigInt64Array
      const distances = batch.getChild('_distance')!.toArray() as Float32Array
      for (let i = 0; i < batch.numRows; i++) {
        const id = Number(ids[i])
        const distance = distances[i]!
        rows++
        if (!(best.get(id)! <= distance)) best.set(id, metric === 'cosine' ? distance / 2 : distance)
      }
    }
    return { found: [...best].map(([id, distance]) => ({ id, distance })), all: rows < limit }
  }

  /** Every row, in no order, a few at a time; vectors in the form the table keeps. */
  async *everything(): AsyncGenerator<readonly TableRow[]> {
    const size = width(this.#shape.dimensions)
    const most = Math.max(1, Math.ceil(NUMBERS / size))
    const query = this.#table.query().select(['id', 'vector'])
    // Batches of the usual size are copied for tens of milliseconds. Only to subclasses may it be told to make others.
    // biome-ignore lint/complexity/useLiteralKeys: the compiler lets it pass as an index alone.
    for await (const batch of query['execute']({ maxBatchLength: BATCHES * most })) {
      const ids = batch.getChild('id')!
      const lists = batch.getChild('vector')!
      // All vectors of a batch stand one after the other.
      const numbers = lists.getChildAt(0)!.toArray() as Float32Array
      for (let from = 0; from < batch.numRows; from += most)
        yield Array.from({ length: Math.min(most, batch.numRows - from) }, (_, i) => ({
          id: Number(ids.get(from + i)),
          vector: numbers.subarray((from + i) * size, (from + i + 1) * size),
        }))
    }
  }

  /** The form in which the table keeps a vector. */
  kept(vector: Float32Array): Float32Array {
    const { metric, dimensions } = this.#shape
    const kept = new Float32Array(width(dimensions))
    if (metric === 'cosine') writeUnit(vector, kept, 0)
    else kept.set(vector)
    return kept
  }

  // ── maintenance ───────────────────────────────────────────────────────────────────────────────────────────

  /** The approximate index: how many rows it covers, and of how many parts it is made. Undefined: there is none. */
  async indexed(): Promise<
    { readonly rows: number; readonly rest: number; readonly parts: number } | undefined
  > {
    const [index] = await this.#table.listIndices()
    const stats = index && (await this.#table.indexStats(index.name))
    return stats && { rows: stats.numIndexedRows, rest: stats.numUnindexedRows, parts: stats.numIndices ?? 1 }
  }

  /** Builds the approximate index anew; searches go on meanwhile. */
  async index(): Promise<void> {
    const { Index } = this.#lance
    const distanceType = this.#shape.metric === 'ip' ? 'dot' : 'l2'
    // A bit per dimension says too little of a short vector.
    const short = this.#shape.dimensions < 64
    await this.#table.createIndex('vector', {
      config: short ? Index.ivfFlat({ distanceType }) : Index.ivfRq({ distanceType }),
      replace: true,
    })
  }

  /** Joins small files, takes new rows into the index, and removes versions older than `grace` milliseconds. */
  async optimize(grace: number): Promise<void> {
    await this.#table.optimize({ cleanupOlderThan: new Date(Date.now() - grace) })
    this.#known.clear()
  }

  close(): void {
    this.#table.close()
    this.#connection.close()
  }
}

/** Zeros at the end change neither l2 nor the inner product. */
const width = (dimensions: number): number => Math.ceil(dimensions / 8) * 8

function schemaOf({ dimensions }: TableShape): Arrow.Schema {
  const { Field, FixedSizeList, Float32, Int64, Schema } = arrow()
  return new Schema([
    new Field('id', new Int64(), false),
    new Field('vector', new FixedSizeList(width(dimensions), new Field('item', new Float32(), true)), true),
  ])
}

/**
 * Built from typed arrays: rows as objects would be several times slower. In steps, and whoever hands it to LanceDB,
 * which copies it twice, has a turn for that alone.
 */
async function tableOf(shape: TableShape, rows: readonly TableRow[]): Promise<Arrow.Table> {
  const { makeData, RecordBatch, Struct, Table } = arrow()
  const { dimensions, metric } = shape
  const ids = new BigInt64Array(rows.length)
  const size = width(dimensions)
  const values = new Float32Array(rows.length * size)
  const together = Math.ceil(WRITTEN / size)
  for (const [i, { id, vector }] of rows.entries()) {
    ids[i] = BigInt(id)
    if (metric === 'cosine') writeUnit(vector, values, i * size)
    else values.set(vector, i * size)
    if (i % together === together - 1) await nextTurn()
  }
  await nextTurn()
  const schema = schemaOf(shape)
  const [idField, vectorField] = schema.fields
  const items = makeData({ type: new (arrow().Float32)(), data: values })
  const children = [
    makeData({ type: idField!.type as Arrow.Int64, data: ids }),
    makeData({
      type: vectorField!.type as Arrow.FixedSizeList<Arrow.Float32>,
      length: rows.length,
      nullCount: 0,
      child: items,
    }),
  ]
  const data = makeData({ type: new Struct(schema.fields), length: rows.length, nullCount: 0, children })
  return new Table(schema, [new RecordBatch(schema, data)])
}
