import { Pace } from '../core/pace.ts'
import { EVENT } from '../ledger/sqlite/codes.ts'
import { CURRENT_METADATA } from '../ledger/sqlite/heads.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { VectorMark } from '../ports/vectors.ts'
import { drop, type Pause, type Place, Postings, takeOut, walk } from './postings.ts'

/** Spans, or events, that are read at a stretch, and the milliseconds that may take. */
const WINDOW = 500
const STEP = 5

/** Postings of spans that are gone or changed stay, until there are so many that it is better begun anew. */
const SURPLUS = 20_000

export interface AttributeState {
  readonly position: number
  readonly scan: number | null
  readonly spans: number
  readonly mark: VectorMark | null
}

export interface LedgerHead {
  readonly position: number
  /** Events up to here were pruned. */
  readonly floor: number
  readonly live: number
  readonly dropped: boolean
}

/** The ledger, which is only read, and the index. */
export interface Both {
  readonly ledger: Connection
  readonly index: Connection
}

export function headOf(ledger: Connection, collection: number): LedgerHead | undefined {
  const row = ledger.row<[number, number, number, number | null]>(
    'SELECT position, floor, live, dropped FROM collection_head WHERE collection = ?',
    collection,
  )
  return row && { position: row[0], floor: row[1], live: row[2], dropped: row[3] !== null }
}

export function stateOf(index: Connection, collection: number): AttributeState | undefined {
  const row = index.row<[number, number | null, number, string | null]>(
    'SELECT position, scan, spans, mark FROM attribute_state WHERE collection = ?',
    collection,
  )
  return (
    row && {
      position: row[0],
      scan: row[1],
      spans: row[2],
      mark: row[3] === null ? null : (JSON.parse(row[3]) as VectorMark),
    }
  )
}

export function keep(index: Connection, collection: number, state: AttributeState): void {
  index.run(
    `INSERT INTO attribute_state (collection, position, scan, spans, mark) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (collection) DO UPDATE SET position = excluded.position, scan = excluded.scan,
       spans = excluded.spans, mark = excluded.mark`,
    collection,
    state.position,
    state.scan,
    state.spans,
    state.mark === null ? null : JSON.stringify(state.mark),
  )
}

const markAt = (ledger: Connection, collection: number, position: number): VectorMark | null => {
  const row = ledger.row<[number, number, VectorMark['key']]>(
    `SELECT e.position, e.at, s.key FROM event e CROSS JOIN span s ON s.id = e.node
     WHERE e.collection = ? AND e.position <= ? ORDER BY e.position DESC LIMIT 1`,
    collection,
    position,
  )
  return row === undefined ? null : { position: row[0], at: row[1], key: row[2] }
}

/** Whether the ledger's log goes on from where the index stands. It does not after a restored backup, or a pruned log. */
export function goesOn(
  ledger: Connection,
  collection: number,
  { position, mark }: AttributeState,
  head: LedgerHead,
): boolean {
  if (head.dropped || position > head.position || position < head.floor) return false
  if (mark === null) return true
  const now = markAt(ledger, collection, position)
  if (now === null) return mark.position <= head.floor
  return now.position === mark.position && now.at === mark.at && now.key === mark.key
}

/** Forgets a collection, which takes several steps. True: it is gone. */
export function forget(index: Connection, collection: number): boolean {
  index.run('DELETE FROM attribute_state WHERE collection = ?', collection)
  return drop(index, collection)
}

/**
 * What is to be done next for a collection: forget what is there, copy or follow from a state. Undefined: nothing.
 */
export function nextOf(
  { ledger, index }: Both,
  collection: number,
):
  | 'forget'
  | { readonly state: AttributeState; readonly head: LedgerHead; readonly fresh: boolean }
  | undefined {
  const head = headOf(ledger, collection)
  const state = stateOf(index, collection)
  const there = index.value('SELECT 1 FROM attribute_field WHERE collection = ? LIMIT 1', collection)
  if (head === undefined || head.dropped)
    return state === undefined && there === undefined ? undefined : 'forget'
  if (state === undefined)
    return there === undefined
      ? { state: { position: head.position, scan: 0, spans: 0, mark: null }, head, fresh: true }
      : 'forget'
  if (!goesOn(ledger, collection, state, head) || state.spans > 2 * head.live + SURPLUS) return 'forget'
  return state.scan === null && state.position === head.position ? undefined : { state, head, fresh: false }
}

/** What one commit to the index takes in, and the state after it. */
export interface Batch {
  readonly postings: Postings
  readonly next: AttributeState
  /** Spans that were erased, whose values are to be taken out first. */
  readonly erased: ReadonlySet<number>
}

/** Reads up to `most` spans, or events, in steps of a few milliseconds. */
export async function readBatch(
  ledger: Connection,
  collection: number,
  from: { readonly state: AttributeState; readonly head: LedgerHead },
  most: number,
  pause: Pause,
): Promise<Batch> {
  const postings = new Postings()
  const erased = new Set<number>()
  const { head } = from
  let { state } = from
  const add = (rows: readonly [number, string | null][]) => {
    let spans = 0
    for (const [id, metadata] of rows) {
      if (metadata === null || metadata === '{}') continue
      postings.add(id, metadata)
      spans++
    }
    state = { ...state, spans: state.spans + spans }
  }
  const isThere = state.scan === null ? () => state.position === head.position : () => state.scan === null
  const read = (window: number) => {
    if (state.scan !== null) {
      const last = lastOf(ledger, collection, state.scan, window)
      if (last !== null) add(copied(ledger, collection, state.scan, last))
      state = { ...state, scan: last }
    } else {
      const end = Math.min(head.position, state.position + window)
      for (const id of erasedIn(ledger, collection, state.position, end)) erased.add(id)
      add(followed(ledger, collection, state.position, end))
      state = { ...state, position: end }
    }
  }
  const pace = new Pace(WINDOW / 2, STEP, WINDOW)
  for (let taken = 0; taken < most && !isThere(); await pause()) {
    taken += pace.size
    pace.step(read)
  }
  const mark = state.scan === null ? markAt(ledger, collection, state.position) : null
  return { postings, next: { ...state, mark }, erased }
}

const LIVE = 'NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)'

const lastOf = (ledger: Connection, collection: number, after: number, window: number): number | null =>
  ledger.value<number | null>(
    `SELECT max(id) FROM (
       SELECT id FROM span INDEXED BY span_collection WHERE collection = ? AND id > ? ORDER BY id LIMIT ?)`,
    collection,
    after,
    window,
  )!

const copied = (ledger: Connection, collection: number, after: number, last: number) =>
  ledger.rows<[number, string | null]>(
    `SELECT s.id, ${CURRENT_METADATA} FROM span s INDEXED BY span_collection
     WHERE s.collection = ? AND s.id > ? AND s.id <= ? AND s.kind = 0 AND ${LIVE} ORDER BY s.id`,
    collection,
    after,
    last,
  )

/** Spans whose metadata the events between two positions gave or changed. */
export const TOUCHED = `SELECT DISTINCT e.node FROM event e WHERE e.collection = ? AND e.position > ? AND e.position <= ?
  AND (e.type = ${EVENT['span.added']} OR (e.type = ${EVENT['span.updated']} AND e.number & 1)) AND e.node IS NOT NULL`

const followed = (ledger: Connection, collection: number, after: number, end: number) =>
  ledger.rows<[number, string | null]>(
    `SELECT s.id, ${CURRENT_METADATA} FROM (${TOUCHED}) n CROSS JOIN span s ON s.id = n.node
     WHERE s.kind = 0 AND ${LIVE} ORDER BY s.id`,
    collection,
    after,
    end,
  )

const erasedIn = (ledger: Connection, collection: number, after: number, end: number): number[] =>
  ledger
    .rows<[number]>(
      `SELECT DISTINCT node FROM event WHERE collection = ? AND position > ? AND position <= ?
       AND type = ${EVENT['span.erased']} AND node IS NOT NULL`,
      collection,
      after,
      end,
    )
    .map(([id]) => id)

/** Takes spans out of one part of a collection's postings. Answers where to go on; undefined: it was the last. */
export function erasePart(
  index: Connection,
  collection: number,
  gone: ReadonlySet<number>,
  after: Place | undefined,
  limit: number,
): Place | undefined {
  const { rows, last } = walk(index, collection, after, limit)
  takeOut(index, rows, gone)
  return last
}
