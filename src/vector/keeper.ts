import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pace } from '../core/pace.ts'
import type { VectorHead, VectorRecords, VectorRow, VectorSpace } from '../ports/vectors.ts'
import { nextTurn } from '../threads/turn.ts'
import { FileLock } from './lock.ts'
import { hasNoDirection } from './metric.ts'
import { goesOn, newState, States, type TableState, tableName } from './state.ts'
import { LanceTable } from './table.ts'

export interface KeeperOptions {
  /** Live spans from which a collection gets a table, and an approximate index. */
  readonly large: number
  /** How long files of an older version are kept for other processes that may read them, in milliseconds. */
  readonly grace: number
}

/** Rows and events of one commit to a table, and numbers: vectors may be long. */
const ROWS = 2_000
const NUMBERS = 2 ** 19

/** Numbers after which what reading them left in memory is let go: pages of the ledger that are not read again. */
const LET_GO = 2 ** 24

/** Milliseconds for which they are read at a stretch. */
const STEP = 6

/** Spans without a vector that are asked about at once. */
const WAITING = 500

/** How long an erasure waits for the process that has the lock, in milliseconds. */
const PATIENCE = 2_000

/**
 * When small files are joined and new rows taken into the index: after so many commits, or rows, or this part of the
 * rows. LanceDB writes nearly the whole table anew then, so it must not be often; until then, new rows are compared one
 * by one, so it must not be seldom.
 */
const COMMITS = 50
const REST = 3_000
const PART = 1 / 50

/**
 * Where files of older versions take more than this many times the room of the present ones, they are kept only for
 * a moment. Who still reads one of them finds out, and reads the present version.
 */
const CROWDED = 1.5
const MOMENT = 2_000

/** Each joining adds a part to the index; beyond this many it is built anew. */
const PARTS = 8

interface Batch {
  readonly rows: readonly VectorRow[]
  readonly next: TableState | undefined
  readonly erased: boolean
  readonly left: number
}

/**
 * Keeps the tables of large collections up to the log: the first consumer of the events. Rows are added, their files
 * synced, and only then is it written down how far the table reaches, so that what a crash leaves behind is a table
 * with rows that nobody speaks of, which are removed before it goes on. Only the process that has the lock may do it.
 */
export class Keeper {
  readonly #records: VectorRecords
  readonly #options: KeeperOptions
  readonly #lock: FileLock
  readonly #tables = new Map<string, LanceTable>()
  /** Tables that no collection uses yet. */
  readonly #prepared = new Set<string>()
  readonly states: States
  #held = 0
  readonly #pace = new Pace(250, STEP, 1_000)

  constructor(records: VectorRecords, directory: string, options: KeeperOptions) {
    this.#records = records
    this.#options = options
    this.#lock = new FileLock(join(directory, 'lock.db'))
    this.states = new States(directory)
  }

  /** Bytes of the vectors that are on their way into a table. */
  get held(): number {
    return this.#held
  }

  /** Whether this process keeps the tables. */
  get holds(): boolean {
    return this.#lock.held
  }

  /** What is known of a collection's table where it can be searched now. */
  usable(collection: number, head: VectorHead, space: VectorSpace): TableState | undefined {
    const state = this.states.read(tableName(head, space), space)
    return state?.scan === null && goesOn(this.#records, collection, state, head) ? state : undefined
  }

  /** How far a collection's table reaches; 0 while it is made. */
  watermark(head: VectorHead, space: VectorSpace): number {
    const state = this.states.read(tableName(head, space), space)
    return state === undefined || state.scan !== null ? 0 : state.position
  }

  /** How many events a collection's table has not taken in; all of them when it is not there yet. */
  pending(collection: number): number {
    const head = this.#records.head(collection)
    if (head.space === undefined) return 0
    const state = this.states.read(tableName(head, head.space), head.space)
    if (state === undefined || state.scan !== null) return Number.POSITIVE_INFINITY
    const events = head.position - state.position
    if (events <= 0 || events > ROWS) return Math.abs(events)
    // An erasure does not wait.
    return this.#records.erasedAfter(collection, state.position) ? Number.POSITIVE_INFINITY : events
  }

  /** The table, opened once. @throws what LanceDB throws when it is missing or damaged */
  async open(head: VectorHead, space: VectorSpace): Promise<LanceTable> {
    const name = tableName(head, space)
    let table = this.#tables.get(name)
    if (table === undefined) {
      table = await LanceTable.open(this.states.directory, name, space)
      this.#tables.set(name, table)
    }
    return table
  }

  /** Opens the table anew next time. */
  forget(head: VectorHead, space: VectorSpace): void {
    const name = tableName(head, space)
    this.#tables.get(name)?.close()
    this.#tables.delete(name)
  }

  /** Something is wrong with a table: forget it, and its files if this process may. */
  async discard(head: VectorHead, space: VectorSpace): Promise<void> {
    const name = tableName(head, space)
    this.forget(head, space)
    if (!this.#lock.take()) return
    this.states.remove(name)
    await LanceTable.remove(this.states.directory, name)
  }

  /**
   * Brings a collection's table up to the log, and its index. False: another process is at it. `check` throws when
   * it is time to stop; the commit under way is finished first. `other`: the table of vectors not searched yet.
   */
  async tend(
    collection: number,
    check: () => void,
    onProgress?: (pending: number) => void,
    other?: VectorSpace,
  ): Promise<boolean> {
    const head = this.#records.head(collection)
    const space = other ?? head.space
    if (space === undefined) return true
    if (other !== undefined) this.#prepared.add(tableName(head, other))
    mkdirSync(this.states.directory, { recursive: true })
    if (!this.#lock.take()) return false
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#tend(collection, head, space, check, onProgress)
      } catch (error) {
        check()
        // Whatever is wrong with the files is set right by making them anew.
        if (attempt > 0 || !this.#lock.held) throw error
        await this.discard(head, space)
      }
    }
  }

  async #tend(
    collection: number,
    head: VectorHead,
    space: VectorSpace,
    check: () => void,
    onProgress?: (pending: number) => void,
  ): Promise<boolean> {
    const name = tableName(head, space)
    const known = this.states.read(name, space)
    let state: TableState
    let table: LanceTable
    if (known === undefined || !goesOn(this.#records, collection, known, head)) {
      await this.discard(head, space)
      table = await LanceTable.create(this.states.directory, name, space)
      this.#tables.set(name, table)
      state = newState(head, space, await table.version())
      await table.sync()
      await this.states.write(name, state)
    } else {
      state = known
      table = await this.open(head, space)
    }

    // Rows that the state does not speak of: a commit that was cut short.
    let taken = 0
    let surplus = (await table.version()) !== state.version
    if (surplus && state.scan !== null) await table.deleteAfter(state.scan)
    for (;;) {
      check()
      if (!this.#lock.held) return false
      // What is committed meanwhile is for the next time: others may never stop writing.
      const last = state.scan === null && state.position >= head.position
      const { rows, next, erased, left } = last
        ? await this.#arrived(collection, space, state)
        : await this.#read(collection, space, state)
      // Deleting a row leaves its vector in the file: after an erasure nothing but new files will do.
      if (erased) {
        await this.discard(head, space)
        return await this.#tend(collection, this.#records.head(collection), space, check, onProgress)
      }
      this.#held = rows.reduce((bytes, { vector }) => bytes + (vector?.byteLength ?? 0), 0)
      if (next !== undefined) {
        const { lastId } = state
        const there = rows.flatMap(({ id, vector }) =>
          vector === undefined || isZero(space, vector) ? [] : [{ id, vector }],
        )
        const kept = new Set(there.map(({ id }) => id))
        const dead = rows.filter(({ id }) => !kept.has(id) && id <= lastId)
        const dated = surplus ? rows : dead
        // Making rows of the table takes as long as a step of reading them.
        await nextTurn()
        await table.delete(dated.map(({ id }) => id))
        await table.replace(surplus ? [] : there.filter(({ id }) => id <= lastId))
        await table.add(surplus ? there : there.filter(({ id }) => id > lastId))
        await table.sync()
        surplus = false
        taken += rows.length * space.dimensions
        if (taken > LET_GO) {
          this.#records.letGo()
          taken = 0
        }
        state = { ...next, version: await table.version(), commits: state.commits + 1 }
        await this.states.write(name, state)
        onProgress?.(left)
        this.#held = 0
      }
      if (last) break
      await nextTurn()
    }
    await this.#maintain(name, table, state, check)
    return true
  }

  /** The next rows, read in steps, and the state once the table has them. */
  async #read(collection: number, space: VectorSpace, state: TableState): Promise<Batch> {
    const records = this.#records
    const most = Math.min(ROWS, Math.ceil(NUMBERS / space.dimensions))
    // What an event touched may be touched again by a later one: the last reading counts.
    const read = new Map<number, VectorRow>()
    const take = (rows: readonly VectorRow[]) => {
      for (const row of rows) read.set(row.id, row)
    }
    if (state.scan !== null) {
      let last: number | undefined = state.scan
      for (let taken = 0; taken < most && last !== undefined; ) {
        if (taken > 0) await nextTurn()
        const from: number = last
        const part = this.#pace.step((size) => {
          taken += size
          return records.copy(collection, space, from, size)
        })
        take(part.rows)
        last = part.last
      }
      const mark = last === undefined ? (records.mark(collection, state.position) ?? null) : null
      const rows = [...read.values()]
      await nextTurn()
      const next = { ...grown(state, rows, space), scan: last ?? null, mark }
      const { position } = records.head(collection)
      return { rows, next, erased: false, left: position - state.position + 1 }
    }
    let through = state.position
    let position = through
    let erased = false
    do {
      if (through > state.position) await nextTurn()
      const part = this.#pace.step((size) => records.follow(collection, space, through, size))
      take(part.rows)
      through = part.through
      position = part.position
      erased = part.erased
    } while (!erased && through < position && through - state.position < most)
    const mark = records.mark(collection, through) ?? null
    const rows = [...read.values()]
    await nextTurn()
    const next = { ...grown(state, rows, space), position: through, mark }
    return { rows, next, erased, left: position - through }
  }

  /** Those that waited for their vectors: these come without an event. */
  async #arrived(collection: number, space: VectorSpace, state: TableState): Promise<Batch> {
    const rows: VectorRow[] = []
    for (let i = 0; i < state.waiting.length && rows.length < ROWS; i += WAITING) {
      const asked = this.#records.rows(collection, space, state.waiting.slice(i, i + WAITING))
      rows.push(...asked.filter(({ vector }) => vector !== undefined))
      await nextTurn()
    }
    return { rows, next: rows.length === 0 ? undefined : grown(state, rows, space), erased: false, left: 0 }
  }

  /** Latency stays flat under many small commits only if their files are joined now and then. */
  async #maintain(name: string, table: LanceTable, state: TableState, check: () => void): Promise<void> {
    const index = await table.indexed()
    const rows = await table.rows()
    check()
    const optimize = async () => {
      const { grace } = this.#options
      await table.optimize((await table.crowding()) > CROWDED ? Math.min(grace, MOMENT) : grace)
    }
    if (index === undefined && rows >= this.#options.large) {
      // A search gathers the vectors it compares from all over the table: out of many files that takes twice as long.
      if (state.commits > 1) await optimize()
      await table.index()
      // The files that were joined are there twice.
      if ((await table.crowding()) > CROWDED) await optimize()
    } else if (index !== undefined && index.parts > PARTS) {
      await optimize()
      await table.index()
    } else if (state.commits >= COMMITS || (index?.rest ?? 0) > Math.max(REST, rows * PART)) await optimize()
    else return
    await table.sync()
    await this.states.write(name, { ...state, version: await table.version(), commits: 0 })
  }

  /**
   * Takes every trace of spans that were erased out of the tables of these collections, by making them anew. Answers
   * what that waits for.
   */
  async erase(collections: readonly number[], check: () => void): Promise<readonly string[]> {
    const { directory } = this.states
    if (!existsSync(directory)) return []
    const used = new Set(this.#records.large(0))
    const concerned = collections.filter((collection) => used.has(collection))
    if (!(await this.sweep())) return await this.#elsewhere(concerned, check)
    for (const collection of concerned) {
      const head = this.#records.head(collection)
      // The log says what was erased: reading it is what makes a table anew.
      if (head.space !== undefined && this.states.read(tableName(head, head.space), head.space) !== undefined)
        await this.tend(collection, check)
    }
    return []
  }

  /** Another process has the lock: it does it, if it is alive and well. */
  async #elsewhere(collections: readonly number[], check: () => void): Promise<readonly string[]> {
    const behind = () =>
      collections.filter((collection) => {
        const head = this.#records.head(collection)
        if (head.space === undefined) return false
        const state = this.states.read(tableName(head, head.space), head.space)
        return state !== undefined && (state.position < head.position || state.scan !== null)
      })
    for (let waited = 0; behind().length > 0; waited += 50) {
      if (waited > PATIENCE) return [`the writer of ${this.states.directory}`]
      await sleep(50)
      check()
    }
    return []
  }

  /**
   * Removes tables that no collection uses any more: of a former embedder, or of a dropped collection. False: another
   * process has the lock.
   */
  async sweep(): Promise<boolean> {
    const { directory } = this.states
    if (!existsSync(directory)) return true
    if (!this.#lock.take()) return false
    const used = new Set(
      this.#records.large(0).flatMap((collection) => {
        const head = this.#records.head(collection)
        return head.space === undefined ? [] : [tableName(head, head.space)]
      }),
    )
    for (const entry of readdirSync(directory)) {
      const name = /^(.*)\.(lance|json)$/.exec(entry)?.[1]
      if (name === undefined || used.has(name) || this.#prepared.has(name)) continue
      this.#tables.get(name)?.close()
      this.#tables.delete(name)
      await rm(join(directory, entry), { recursive: true, force: true })
    }
    return true
  }

  /** Lets the lock and the files go. */
  close(): void {
    for (const table of this.#tables.values()) table.close()
    this.#tables.clear()
    this.#lock.release()
  }
}

const isZero = (space: VectorSpace, vector: Float32Array): boolean =>
  space.metric === 'cosine' && hasNoDirection(vector)

/** What the table lacks, and how high ids go, once these rows are taken in. */
function grown(state: TableState, rows: readonly VectorRow[], space: VectorSpace): TableState {
  const waiting = new Set(state.waiting)
  const zeros = new Set(state.zeros)
  let { lastId } = state
  for (const { id, vector, waitsFor } of rows) {
    if (waitsFor === undefined) waiting.delete(id)
    else waiting.add(id)
    if (vector !== undefined && isZero(space, vector)) zeros.add(id)
    else zeros.delete(id)
    if (id > lastId) lastId = id
  }
  return { ...state, waiting: [...waiting], zeros: [...zeros], lastId }
}
