import { setTimeout as sleep } from 'node:timers/promises'
import { requireCollection } from '../ledger/sqlite/collections.ts'
import { DerivedFile, isBusy, WhenQuiet } from '../ledger/sqlite/derived-file.ts'
import { checkPosition } from '../ledger/sqlite/read.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { AttributeIndex, Candidates } from '../ports/attributes.ts'
import type { Problem } from '../ports/problem.ts'
import type { TextAnswer, TextIndex, TextQuery } from '../ports/text.ts'
import { atOnce, nextTurn, Turns } from '../threads/turn.ts'
import {
  absorb,
  follows,
  reach,
  readStanding,
  readState,
  type Standing,
  type TextState,
  write,
} from './absorb.ts'
import {
  closeTextDatabase,
  isDamage,
  openTextDatabase,
  type TextDatabase,
  type TextLedger,
  textPath,
} from './database.ts'
import { isLogEmptied, mergeAway } from './erase.ts'
import { type Asked, ask, hasWords } from './expression.ts'
import { find, findAtOnce, findsFew, withHighlights } from './find.ts'
import { Frequencies } from './frequencies.ts'
import { joinParts } from './join.ts'
import { findInPast, MOVED } from './past.ts'
import { verifyIndex } from './verify.ts'

export interface TextIndexOptions {
  /** How long a search may take to absorb what is missing before it answers without, in milliseconds. */
  readonly wait?: number
  /** How long nothing may have been committed before the index catches up by itself, in milliseconds. */
  readonly idle?: number
  /** Which spans a filter may let pass, where that is known without looking at each. */
  readonly candidates?: AttributeIndex['candidates']
  /** The ledger's: with it a search finds out by itself whether something has expired, which is quicker than asking. */
  readonly clock?: () => number
}

function requireStanding(connection: Connection, collection: number): Standing {
  const standing = readStanding(connection, collection)
  if (standing === undefined || standing.head.dropped) requireCollection(connection, collection)
  return standing!
}

/** Another process is writing to the index. */
const BUSY = Symbol('busy')

/** Something has expired; the ledger has to commit that first. */
const DUE = Symbol('due')

/** How often the past is read in steps before it is read at once. */
const TRIES = 3

/** Answering here could hold this thread up. */
const LONG = Symbol('long')

/**
 * Full text in an SQLite file beside the ledger. It is made from the ledger alone and can be deleted at any time;
 * one that is damaged, or belongs to a ledger that went back in time, is made anew when it is next used. Any number
 * of processes may use it at once.
 */
export class SqliteTextIndex implements TextIndex {
  readonly #ledger: TextLedger
  readonly #wait: number
  readonly #file: DerivedFile<TextDatabase>
  readonly #quiet: WhenQuiet
  readonly #candidates: AttributeIndex['candidates']
  readonly #clock: (() => number) | undefined
  #frequencies = new Frequencies()
  /** Positions of collections that were found to follow the ledger's log. */
  readonly #followed = new Map<number, number>()
  #background: Promise<void> = Promise.resolve()

  constructor(ledger: TextLedger, ledgerPath: string, options: TextIndexOptions = {}) {
    this.#ledger = ledger
    this.#wait = options.wait ?? 10_000
    this.#file = new DerivedFile({
      what: 'text index',
      path: textPath(ledgerPath),
      ledgerPath,
      wait: this.#wait,
      open: () => openTextDatabase(ledger, ledgerPath),
      close: (database) => {
        closeTextDatabase(database)
        this.#frequencies = new Frequencies()
        this.#followed.clear()
      },
      isDamage,
    })
    this.#quiet = new WhenQuiet(options.idle ?? 1_000, () => {
      this.#background = this.#tidy()
    })
    this.#candidates = options.candidates ?? (() => undefined)
    this.#clock = options.clock
  }

  // ── searching ─────────────────────────────────────────────────────────────────────────────────────────────

  /** `known`: the candidates, where somebody looked them up before. */
  search(collection: number, query: TextQuery, known?: Candidates): Promise<TextAnswer> {
    return this.#search(collection, query, known, Number.POSITIVE_INFINITY) as Promise<TextAnswer>
  }

  /**
   * The same without filter and of the present, unless it could hold this thread up: where `large` or more spans are
   * live, only words of which few spans have any, in an index that is up to date.
   */
  searchUnlessLong(collection: number, query: TextQuery, large: number): Promise<TextAnswer | undefined> {
    return this.#search(collection, query, undefined, large)
  }

  async #search(
    collection: number,
    query: TextQuery,
    known: Candidates | undefined,
    large: number,
  ): Promise<TextAnswer | undefined> {
    this.#file.check(query.signal)
    if (this.#clock === undefined || query.asOf !== undefined) await this.#ledger.expire()
    return await this.#file.healing(() => {
      const asked = ask(this.#file.open().connection, query.text)
      if (query.asOf !== undefined) return this.#searchPast(collection, { ...query, asOf: query.asOf }, asked)
      const glance = query.where === undefined && this.#glance(collection, query, asked, large)
      return glance || this.#searchPresent(collection, query, asked, known, large)
    })
  }

  async #searchPresent(
    collection: number,
    query: TextQuery,
    asked: Asked,
    known: Candidates | undefined,
    large: number,
  ): Promise<TextAnswer | undefined> {
    const { connection } = this.#file.open()
    const deadline = performance.now() + this.#wait
    // Before any snapshot: what they lack is in the log that it sees.
    const candidates = known ?? (query.where && this.#candidates(collection, query.where))
    const answerIfCurrent = () => this.#answerIfCurrent(collection, query, asked, candidates, large)
    for (;;) {
      const answer = this.#snapshot(answerIfCurrent)
      if (answer === LONG) return undefined
      if (answer === DUE) {
        await this.#ledger.expire()
        continue
      }
      if (answer !== undefined) return answer
      const step = this.#write((database) =>
        // In the same transaction, so that writers elsewhere cannot keep a search from ever being up to date.
        absorb(database, collection) === 0 ? answerIfCurrent() : undefined,
      )
      if (typeof step === 'object') return step
      this.#file.check(query.signal)
      if (performance.now() > deadline)
        return this.#snapshot(() =>
          this.#answer(collection, requireStanding(connection, collection), query, asked, candidates),
        )
      await (step === BUSY ? sleep(2) : nextTurn())
    }
  }

  /** The answer where one word is looked for and nothing has to be done before: most searches. */
  #glance(collection: number, query: TextQuery, asked: Asked, large: number): TextAnswer | undefined {
    const followed = this.#followed.get(collection)
    // Never searched before: there may be no table.
    if (followed === undefined) return undefined
    const { connection } = this.#file.open()
    const found = unlessBusy(() =>
      findAtOnce(connection, collection, asked, query, large !== Number.POSITIVE_INFINITY),
    )
    if (found === undefined || this.#isDue(found.standing)) return undefined
    const { state, head } = found.standing
    if (head.dropped || state?.position !== followed || reach(state) !== head.position) return undefined
    const { position } = head
    const { hits, understood } = found
    return {
      position,
      indexedThrough: position,
      rebuilding: false,
      hasWords: true,
      hits: query.highlight ? withHighlights(connection, asked, hits) : hits,
      words: understood.used,
      pruned: [],
      cut: understood.cut,
    }
  }

  #isDue({ due }: Standing): boolean {
    return due !== null && this.#clock !== undefined && due <= this.#clock()
  }

  #isCurrent(collection: number, { state, head }: Standing): boolean {
    if (state === undefined || reach(state) !== head.position) return false
    return this.#isFollowed(collection, state, head)
  }

  /** A log that was followed up to here once goes on from here for as long as this file is open. */
  #isFollowed(collection: number, state: TextState, head: Standing['head']): boolean {
    if (this.#followed.get(collection) === state.position) return true
    if (!follows(this.#file.open().connection, collection, state, head)) return false
    this.#followed.set(collection, state.position)
    return true
  }

  #answerIfCurrent(
    collection: number,
    query: TextQuery,
    asked: Asked,
    candidates: Candidates | undefined,
    large: number,
  ): TextAnswer | typeof DUE | typeof LONG | undefined {
    const { connection } = this.#file.open()
    const standing = requireStanding(connection, collection)
    if (this.#isDue(standing)) return DUE
    const current = this.#isCurrent(collection, standing)
    const isRare = current && findsFew(connection, collection, asked)
    if (standing.live >= large && !isRare) return LONG
    if (!current) return undefined
    return this.#answer(collection, standing, query, asked, candidates, isRare)
  }

  #answer(
    collection: number,
    { name, state, head }: Standing,
    query: TextQuery,
    asked: Asked,
    candidates: Candidates | undefined,
    isRare = false,
  ): TextAnswer {
    const { position, floor } = head
    const indexedThrough = reach(state)
    const common = {
      position,
      indexedThrough,
      rebuilding: state === undefined || state.scan !== null,
      hasWords: hasWords(asked),
    }
    if (state === undefined || !common.hasWords)
      return { ...common, hits: [], words: [], pruned: [], cut: asked.cut }
    const { connection } = this.#file.open()
    const index = {
      name,
      statistics: () => this.#frequencies.of(this.#file.open(), collection, state),
      exact: indexedThrough === position,
      isRare,
      behind: candidates === undefined ? 0 : position - candidates.position,
    }
    const possible = candidates !== undefined && candidates.position >= floor ? candidates : undefined
    const { hits, understood } = find(connection, collection, query, asked, index, possible)
    const { used: words, pruned, cut } = understood
    return { ...common, hits, words, pruned, cut }
  }

  async #searchPast(
    collection: number,
    query: TextQuery & { readonly asOf: number },
    asked: Asked,
  ): Promise<TextAnswer> {
    const { connection } = this.#file.open()
    requireCollection(connection, collection)
    checkPosition(connection, collection, query.asOf)
    const { asOf: position } = query
    const common = { position, indexedThrough: position, rebuilding: false, hasWords: hasWords(asked) }
    const empty = { hits: [], words: [], pruned: [], cut: asked.cut }
    if (!common.hasWords) return { ...common, ...empty }
    const deadline = performance.now() + this.#wait
    for (let tries = 1; ; ) {
      // Others write without pause: it is read at once in the end, while they wait.
      const isLast = tries > TRIES
      const found =
        !isLast && this.#reaches(collection, position)
          ? await this.#inTurns(findInPast(this.#file.open(), collection, query, asked), query.signal)
          : this.#write((database) => {
              if (!this.#reaches(collection, position)) absorb(database, collection)
              else if (isLast) return atOnce(findInPast(database, collection, query, asked))
              return undefined
            })
      if (typeof found === 'object') {
        const { used: words, pruned, cut } = found.understood
        return { ...common, hits: found.hits, words, pruned, cut }
      }
      if (found === MOVED) tries++
      this.#file.check(query.signal)
      if (performance.now() > deadline) {
        const state = readState(connection, collection)
        const rebuilding = state === undefined || state.scan !== null
        return { ...common, ...empty, indexedThrough: Math.min(position, reach(state)), rebuilding }
      }
      await (found === BUSY ? sleep(2) : nextTurn())
    }
  }

  /** Whether the index knows all that had been said at a position. */
  #reaches(collection: number, position: number): boolean {
    const { connection } = this.#file.open()
    const { state, head } = requireStanding(connection, collection)
    if (state === undefined || state.scan !== null || state.position < position) return false
    return this.#isFollowed(collection, state, head)
  }

  async #inTurns<T>(
    steps: Generator<unknown, T | typeof MOVED>,
    signal: AbortSignal | undefined,
  ): Promise<T | typeof MOVED> {
    const turns = new Turns()
    try {
      for (;;) {
        const { done, value } = steps.next()
        if (done) return value
        await turns.step()
        this.#file.check(signal)
      }
    } catch (error) {
      if (isMissing(error)) return MOVED
      throw error
    } finally {
      // Aborted: what it had made goes with it.
      steps.return(MOVED)
    }
  }

  // ── catching up ───────────────────────────────────────────────────────────────────────────────────────────

  watermark(collection: number): number {
    return reach(readState(this.#file.open().connection, collection))
  }

  async catchUp(
    options: {
      readonly collection?: number
      readonly signal?: AbortSignal
      readonly onProgress?: (collection: number, pending: number) => void
    } = {},
  ): Promise<void> {
    await this.#file.healing(async () => {
      const { connection } = this.#file.open()
      const collections =
        options.collection !== undefined
          ? [options.collection]
          : connection
              .rows<[number]>(
                `SELECT collection FROM collection_head WHERE dropped IS NULL
                 UNION SELECT collection FROM text_state ORDER BY 1`,
              )
              .map(([collection]) => collection)
      for (const collection of collections) {
        let held = performance.now()
        for (;;) {
          this.#file.check(options.signal)
          const pending = this.#write((database) => absorb(database, collection))
          if (pending === BUSY) {
            const waited = Math.round(performance.now() - held)
            if (waited > this.#wait) throw this.#file.busy(waited)
            await sleep(5)
            continue
          }
          held = performance.now()
          options.onProgress?.(collection, pending)
          if (pending === 0) break
          await nextTurn()
        }
      }
    })
  }

  wake(): void {
    this.#quiet.wake()
  }

  /** Nobody waits for this, so nobody is told when it fails: the next search meets the same trouble and reports it. */
  async #tidy(): Promise<void> {
    try {
      await this.catchUp()
      await this.erase([])
      const database = this.#file.open()
      const { connection, schema } = database
      for (const [collection] of connection.rows<[number]>('SELECT collection FROM text_state'))
        await joinParts(database, collection, () => this.#file.check(undefined))
      if (schema === 'main') connection.letGo('ledger')
    } catch {}
  }

  // ── erasing ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Also settles what an earlier erasure, of this process or of another, left undone. */
  async erase(ids: readonly number[]): Promise<readonly string[]> {
    return await this.#file.erasing(async () => {
      const { connection } = this.#file.open()
      const concerned = connection
        .rows<[number]>(
          'SELECT DISTINCT collection FROM span WHERE id IN (SELECT value FROM json_each(?))',
          JSON.stringify(ids),
        )
        .map(([collection]) => collection)
      const indexed = () => connection.rows<[number, number]>('SELECT collection, owed FROM text_state')
      // The erasures' own events first: they say what is owed, and would say so again when absorbed later.
      for (const [collection] of indexed()) await this.catchUp({ collection })
      const owing = indexed()
        .filter(([collection, owed]) => owed > 0 || concerned.includes(collection))
        .map(([collection]) => collection)
      if (owing.length === 0 && concerned.length === 0) return []
      for (const collection of owing)
        await this.#file.patiently(() => mergeAway(this.#file.open(), collection, ids))
      const readers = await this.#file.truncateLog(isLogEmptied)
      if (readers.length > 0) return readers
      for (const collection of owing)
        connection.run('UPDATE text_state SET owed = 0 WHERE collection = ? AND owed = 2', collection)
      return []
    })
  }

  async verify(repair: boolean): Promise<readonly Problem[]> {
    const { damages } = this.#file
    await this.catchUp()
    const found = await this.#file.healing(async () => {
      const problems: Problem[] = []
      for (const [collection] of this.#file
        .open()
        .connection.rows<[number]>('SELECT collection FROM text_state'))
        problems.push(
          ...(await this.#file.patiently(() => verifyIndex(this.#file.open(), collection, repair))),
        )
      if (repair && problems.length > 0) await this.catchUp()
      return problems
    })
    // Whoever uses a damaged file makes it anew; whoever looks for faults is told.
    if (this.#file.damages === damages) return found
    const what = 'text index: its file was damaged, and is made anew from the ledger'
    return [{ code: 'WRONG_TEXT_INDEX', what, repaired: true }, ...found]
  }

  async close(): Promise<void> {
    this.#quiet.stop()
    await this.#file.close(() => this.#background)
  }

  #snapshot<T>(work: () => T): T {
    return this.#file.open().connection.snapshot(work)
  }

  #write<T>(work: (database: TextDatabase) => T): T | typeof BUSY {
    const database = this.#file.open()
    try {
      return write(database, () => work(database))
    } catch (error) {
      if (isBusy(error)) return BUSY
      throw error
    }
  }
}

/** Undefined when the table is being made anew, or another process holds it: who asks step by step can wait. */
function unlessBusy<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (isBusy(error) || isMissing(error)) return undefined
    throw error
  }
}

/** A table that another process dropped. */
const isMissing = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'SQLITE_ERROR' && /no such table/.test((error as Error).message)
