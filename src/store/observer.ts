import type { Purpose } from '../core/compaction.ts'
import { isSpanStoreError } from '../core/errors.ts'
import type { FetchResult, FetchStatus } from '../core/model.ts'
import type { Observed, Rehydrations, Report, SessionRecords, Snapshot } from '../ports/sessions.ts'

/*
 * The observation log beside the read path: a read leaves its key in an array and is done. Batches are written after
 * a second, after many reads, and before anything is decided on them; a crash loses the last of them at most. What
 * was decided (freezes, verifications) never waits here.
 */

/** Milliseconds a read may wait to be written. */
const PATIENCE = 1000
/** Reads that are written without waiting, and keys that are held for them. */
const ENOUGH = { reads: 100_000, keys: 50_000 }
/** Keys that are gathered before they are told apart: few enough to stay near the processor. */
const TOGETHER = 500

const STATUSES = ['ok', 'empty', 'tombstone', 'absent'] as const satisfies readonly FetchStatus[]
const PURPOSES = ['agent', 'gate', 'reconcile', 'compact'] as const satisfies readonly Purpose[]

export interface ReadAs {
  readonly cited: 'self' | 'external'
  readonly purpose: Purpose
  /** Found by a search, not by a key the session had. */
  readonly queried?: boolean
}

/** Whether there is text to stand on, at the key or at its `identical`. */
const isHit = (result: FetchResult): boolean =>
  result.status === 'ok' || (result.status === 'tombstone' && result.tombstone.identical !== undefined)

const HIT = 4
/** Of a key that answers, which is most of them. */
const FOUND = STATUSES.indexOf('ok') | HIT

/** A way of reading as a number, to which the answer's is added. */
export const codeOf = ({ cited, purpose, queried }: ReadAs): number =>
  (cited === 'self' ? 8 : 0) | (queried === true ? 16 : 0) | (PURPOSES.indexOf(purpose) << 5)

const answerOf = (result: FetchResult): number => STATUSES.indexOf(result.status) | (isHit(result) ? HIT : 0)

/** Keys read in one way, each with the number of times. */
class Tally {
  readonly #observer: Observer
  readonly #latest: string[] = []
  #unsettled = 0
  readonly #places = new Map<string, number>()
  readonly #keys: string[] = []
  readonly #times: number[] = []

  constructor(observer: Observer) {
    this.#observer = observer
  }

  add(key: string): void {
    this.#latest[this.#unsettled++] = key
    if (this.#unsettled < TOGETHER) return
    const before = this.#keys.length
    this.#settle()
    this.#observer.count(TOGETHER, this.#keys.length - before)
  }

  #settle(): void {
    const reads = this.#unsettled
    for (let i = 0; i < reads; i++) {
      const key = this.#latest[i]!
      const place = this.#places.get(key)
      if (place === undefined) {
        this.#places.set(key, this.#keys.length)
        this.#keys.push(key)
        this.#times.push(1)
      } else this.#times[place]!++
    }
    this.#unsettled = 0
  }

  total(): { readonly keys: readonly string[]; readonly times: readonly number[] } {
    this.#settle()
    return { keys: this.#keys, times: this.#times }
  }
}

/** What one session observed and is not written yet. */
export class SessionNotes {
  readonly collection: number
  readonly session: string
  readonly #observer: Observer
  /** By status, hit, citation, query and purpose, in one number. */
  #reads: Tally[] = []
  #waiting = false
  #reports: Report[] = []
  #citations: string[] = []
  #snapshots: Snapshot[] = []
  #through: number | undefined

  constructor(observer: Observer, collection: number, session: string) {
    this.#observer = observer
    this.collection = collection
    this.session = session
  }

  read(result: FetchResult, how: ReadAs): void {
    this.add(result, codeOf(how))
  }

  /** `read`, with the way of reading worked out before: the path of every fetch. */
  add(result: FetchResult, how: number): void {
    const code = how | (result.status === 'ok' ? FOUND : answerOf(result))
    const tally = this.#reads[code] ?? this.#begin(code)
    tally.add(result.key)
  }

  #begin(code: number): Tally {
    this.#noted()
    const tally = new Tally(this.#observer)
    this.#reads[code] = tally
    return tally
  }

  #noted(): void {
    if (this.#waiting) return
    this.#waiting = true
    this.#observer.wait(this)
  }

  note(what: {
    readonly reports?: readonly Report[]
    readonly citations?: readonly string[]
    readonly snapshot?: Snapshot
    readonly through?: number
  }): void {
    this.#reports.push(...(what.reports ?? []))
    this.#citations.push(...(what.citations ?? []))
    if (what.snapshot !== undefined) this.#snapshots.push(what.snapshot)
    this.#through = what.through ?? this.#through
    this.#noted()
    this.#observer.count(1, 1)
  }

  take(): Observed {
    const rehydrations = this.#reads.flatMap(
      (tally, code): Rehydrations => ({
        status: STATUSES[code & 3]!,
        hit: (code & HIT) !== 0,
        cited: (code & 8) !== 0 ? 'self' : 'external',
        queried: (code & 16) !== 0,
        purpose: PURPOSES[code >> 5]!,
        ...tally.total(),
      }),
    )
    const observed: Observed = {
      rehydrations,
      reports: this.#reports,
      citations: this.#citations,
      snapshots: this.#snapshots,
      ...(this.#through === undefined ? {} : { through: this.#through }),
    }
    this.#waiting = false
    this.#reads = []
    this.#reports = []
    this.#citations = []
    this.#snapshots = []
    this.#through = undefined
    return observed
  }
}

const mayPass = (error: unknown): boolean =>
  isSpanStoreError(error, 'STORE_BUSY') || isSpanStoreError(error, 'STORAGE_FAILED')

export class Observer {
  readonly #records: SessionRecords
  readonly #notes = new Map<string, SessionNotes>()
  #waiting = new Set<SessionNotes>()
  #reads = 0
  #keys = 0
  #timer: NodeJS.Timeout | undefined
  /** Taken, and not written yet: a batch whose write failed is kept here for the next attempt. */
  #batches: { readonly notes: SessionNotes; readonly observed: Observed }[] = []
  #writing: Promise<void> = Promise.resolve()

  constructor(records: SessionRecords) {
    this.#records = records
  }

  /** Where what a session observes is noted; until the next flush the same for all who ask. */
  of(collection: number, session: string): SessionNotes {
    const id = `${collection} ${session}`
    let notes = this.#notes.get(id)
    if (notes === undefined) {
      notes = new SessionNotes(this, collection, session)
      this.#notes.set(id, notes)
    }
    return notes
  }

  rehydrated(collection: number, session: string, result: FetchResult, how: ReadAs): void {
    this.of(collection, session).read(result, how)
  }

  /** Called by notes that have something new, once before each flush. */
  wait(notes: SessionNotes): void {
    this.#waiting.add(notes)
    if (this.#timer === undefined) this.#wait()
  }

  /** Called for what is noted, many reads at a time. */
  count(reads: number, keys: number): void {
    this.#reads += reads
    this.#keys += keys
    if (this.#reads >= ENOUGH.reads || this.#keys >= ENOUGH.keys) this.#inBackground()
  }

  #wait(): void {
    this.#timer = setTimeout(() => this.#inBackground(), PATIENCE)
    this.#timer.unref()
  }

  /** A write that fails keeps its batch: the next flush tries again, and says so where it is awaited. */
  #inBackground(): void {
    this.flush().catch(() => {
      if (this.#timer === undefined) this.#wait()
    })
  }

  /** Resolves when everything noted before the call is written. @throws STORE_BUSY, STORAGE_FAILED */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = this.#waiting
    this.#waiting = new Set()
    for (const notes of waiting) this.#batches.push({ notes, observed: notes.take() })
    this.#reads = 0
    this.#keys = 0
    // Handles keep theirs; a process that serves many sessions does not keep one for each it ever saw.
    this.#notes.clear()
    const write = this.#writing.then(
      () => this.#write(),
      () => this.#write(),
    )
    this.#writing = write
    return write
  }

  /** The last flush. A store that is closed already has nothing left to write. */
  async close(): Promise<void> {
    try {
      await this.flush()
    } catch (error) {
      if (!isSpanStoreError(error, 'STORE_CLOSED')) throw error
    }
  }

  async #write(): Promise<void> {
    for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
      const { notes, observed } = batch
      try {
        await this.#records.observe(notes.collection, notes.session, observed)
      } catch (error) {
        // What could not be written may be written later; what cannot be, is told once and must not block the rest.
        if (!mayPass(error)) this.#batches.shift()
        // The sessions of a dropped collection are gone, and what they observed with them.
        if (!isSpanStoreError(error, 'COLLECTION_DROPPED')) throw error
        continue
      }
      this.#batches.shift()
    }
  }
}
