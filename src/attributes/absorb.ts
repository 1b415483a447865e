import { EVENT } from '../ledger/sqlite/codes.ts'
import { CURRENT_METADATA } from '../ledger/sqlite/heads.ts'
import type { Connection } from '../ledger/sqlite/statements.ts'
import type { VectorMark } from '../ports.ts'
import { drop, type Place, postingsOf, takeOut, walk, writePostings } from './postings.ts'

/** Spans and events of one step: a few milliseconds. */
const SPANS = 1_000
const EVENTS = 2_000

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

function keep(index: Connection, collection: number, state: AttributeState): void {
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
 * One step towards the present, in a transaction of the index. Answers about how much is left; 0: nothing. It stops
 * before events that erased spans which were not taken out yet.
 */
export function absorb({ ledger, index }: Both, collection: number, takenOut: ReadonlySet<number>): number {
  const head = headOf(ledger, collection)
  const state = stateOf(index, collection)
  if (head === undefined || head.dropped) return forget(index, collection) ? 0 : 1
  if (state === undefined) {
    // What was there before goes first.
    if (!drop(index, collection)) return head.live
    keep(index, collection, { position: head.position, scan: 0, spans: 0, mark: null })
    return head.live + 1
  }
  if (!goesOn(ledger, collection, state, head) || state.spans > 2 * head.live + SURPLUS) {
    forget(index, collection)
    return head.live + 1
  }
  if (state.scan === null) {
    const ready = erasedNext({ ledger, index }, collection).every((id) => takenOut.has(id))
    const left = head.position - state.position
    return ready ? follow({ ledger, index }, collection, state, head) : left
  }
  return copy({ ledger, index }, collection, state, state.scan, head)
}

const LIVE = 'NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)'

type Row = [id: number, metadata: string]

const described = (rows: readonly [number, string | null][]): Row[] =>
  rows.filter((row): row is Row => row[1] !== null && row[1] !== '{}')

function copy(
  { ledger, index }: Both,
  collection: number,
  state: AttributeState,
  scan: number,
  head: LedgerHead,
): number {
  const last = ledger.value<number | null>(
    `SELECT max(id) FROM (
       SELECT id FROM span INDEXED BY span_collection WHERE collection = ? AND id > ? ORDER BY id LIMIT ?)`,
    collection,
    scan,
    SPANS,
  )!
  if (last === null) {
    keep(index, collection, { ...state, scan: null, mark: markAt(ledger, collection, state.position) })
    return head.position - state.position
  }
  const rows = described(
    ledger.rows(
      `SELECT s.id, ${CURRENT_METADATA} FROM span s INDEXED BY span_collection
       WHERE s.collection = ? AND s.id > ? AND s.id <= ? AND s.kind = 0 AND ${LIVE} ORDER BY s.id`,
      collection,
      scan,
      last,
    ),
  )
  writePostings(index, collection, postingsOf(rows))
  keep(index, collection, { ...state, scan: last, spans: state.spans + rows.length })
  return Math.max(1, head.live - state.spans - rows.length)
}

/** Spans whose metadata the events between two positions gave or changed. */
export const TOUCHED = `SELECT DISTINCT e.node FROM event e WHERE e.collection = ? AND e.position > ? AND e.position <= ?
  AND (e.type = ${EVENT['span.added']} OR (e.type = ${EVENT['span.updated']} AND e.number & 1)) AND e.node IS NOT NULL`

function follow(
  { ledger, index }: Both,
  collection: number,
  state: AttributeState,
  head: LedgerHead,
): number {
  if (state.position === head.position) return 0
  const end = Math.min(head.position, state.position + EVENTS)
  const rows = described(
    ledger.rows(
      `SELECT s.id, ${CURRENT_METADATA} FROM (${TOUCHED}) n CROSS JOIN span s ON s.id = n.node
       WHERE s.kind = 0 AND ${LIVE} ORDER BY s.id`,
      collection,
      state.position,
      end,
    ),
  )
  writePostings(index, collection, postingsOf(rows))
  keep(index, collection, {
    ...state,
    position: end,
    spans: state.spans + rows.length,
    mark: markAt(ledger, collection, end),
  })
  return head.position - end
}

/** Spans erased by the events that the next step takes in: their values go first. */
export function erasedNext({ ledger, index }: Both, collection: number): readonly number[] {
  const state = stateOf(index, collection)
  if (state === undefined || state.scan !== null) return []
  return ledger
    .rows<[number]>(
      `SELECT DISTINCT node FROM event WHERE collection = ? AND position > ? AND position <= ?
       AND type = ${EVENT['span.erased']} AND node IS NOT NULL`,
      collection,
      state.position,
      state.position + EVENTS,
    )
    .map(([id]) => id)
}

/** Takes spans out of one part of a collection's postings. Answers where to go on; undefined: it was the last. */
export function erasePart(
  index: Connection,
  collection: number,
  gone: ReadonlySet<number>,
  after: Place | undefined,
): Place | undefined {
  const { rows, last } = walk(index, collection, after)
  takeOut(index, rows, gone)
  return last
}
