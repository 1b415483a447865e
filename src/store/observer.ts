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
/** Reads that are written without waiting. */
const ENOUGH = 60_000

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

/** What one session observed and is not written yet. */
export class SessionNotes {
  readonly collection: number
  readonly session: string
  readonly #observer: Observer
  /** By status, hit, citation, query and purpose, in one number. */
  #reads: string[][] = []
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
    this.add(result, codeOf(how), result.key)
  }

  /**
   * `read`, with the way of reading worked out before: the path of every fetch. `asked` is the key as the caller has
   * it, who often has it again: what is kept is then no second string that has to be hashed.
   */
  add(result: FetchResult, how: number, asked: string): void {
    const code = how | (result.status === 'ok' ? FOUND : answerOf(result))
    const key = result.key === asked ? asked : result.key
    const keys = this.#reads[code]
    if (keys === undefined) this.#reads[code] = [key]
    else keys.push(key)
    this.#noted()
  }

  #noted(): void {
    if (!this.#waiting) {
      this.#waiting = true
      this.#observer.wait(this)
    }
    this.#observer.count()
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
  }

  take(): Observed {
    const rehydrations = this.#reads.flatMap(
      (keys, code): Rehydrations => ({
        status: STATUSES[code & 3]!,
        hit: (code & HIT) !== 0,
        cited: (code & 8) !== 0 ? 'self' : 'external',
        queried: (code & 16) !== 0,
        purpose: PURPOSES[code >> 5]!,
        keys,
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
  #count = 0
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

  /** Called for each thing that is noted. */
  count(): void {
    if (++this.#count >= ENOUGH) this.#inBackground()
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
    this.#count = 0
    for (const notes of this.#waiting) this.#batches.push({ notes, observed: notes.take() })
    this.#waiting = new Set()
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
