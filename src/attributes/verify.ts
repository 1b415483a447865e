import type { Metadata } from '../core/json.ts'
import { Pace } from '../core/pace.ts'
import { CURRENT_METADATA } from '../ledger/sqlite/heads.ts'
import { type Both, stateOf, TOUCHED } from './absorb.ts'
import { type Entry, entriesOf } from './entries.ts'
import { unpackIds } from './ids.ts'
import { type Place, walk } from './postings.ts'

/** Ids of one pass through the index. */
const RANGE = 2 ** 17

/** Spans looked at in one go, and milliseconds for which postings are. */
const SPANS = 500
const STEP = 6

/**
 * How many live spans the index would not find by something they have. Others may be in it: those are asked about
 * when they are found.
 */
export async function missing(both: Both, collection: number, pause: () => Promise<void>): Promise<number> {
  const { ledger, index } = both
  const state = stateOf(index, collection)
  if (state === undefined || state.scan !== null) return 0
  const last = ledger.value<number | null>('SELECT max(id) FROM span WHERE collection = ?', collection)! ?? 0
  let count = 0
  for (let from = 0; from <= last; from += RANGE) {
    const known = await entriesIn(both, collection, from, pause)
    for (let after = from - 1; after < Math.min(last, from + RANGE - 1); after += SPANS) {
      const rows = ledger.rows<[number, string]>(
        `SELECT s.id, ${CURRENT_METADATA} AS metadata FROM span s INDEXED BY span_collection
         WHERE s.collection = ? AND s.id > ? AND s.id <= ? AND s.kind = 0 AND metadata IS NOT NULL AND metadata <> '{}'
           AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = s.id)`,
        collection,
        after,
        Math.min(after + SPANS, from + RANGE - 1),
      )
      const lost = rows.filter(([id, metadata]) =>
        entriesOf(JSON.parse(metadata) as Metadata).some((entry) => !known.has(hashOf(entry), id - from)),
      )
      if (lost.length > 0) {
        // Written while this was reading.
        const position = stateOf(index, collection)?.position ?? 0
        const later = new Set(
          ledger
            .rows<[number]>(TOUCHED, collection, Math.min(position, state.position), Number.MAX_SAFE_INTEGER)
            .map(([id]) => id),
        )
        count += lost.filter(([id]) => !later.has(id)).length
      }
      await pause()
    }
  }
  return count
}

async function entriesIn(
  { index }: Both,
  collection: number,
  from: number,
  pause: () => Promise<void>,
): Promise<Places> {
  const paths = new Map(
    index.rows<[number, string]>('SELECT id, path FROM attribute_field WHERE collection = ?', collection),
  )
  const known = new Places()
  const pace = new Pace(1_000, STEP, 50_000)
  const look = (after: Place | undefined): Place | undefined =>
    pace.step((size) => {
      const { rows, last } = walk(index, collection, after, size)
      for (const [field, kind, value, start, packed] of rows) {
        if (start >= from + RANGE) continue
        const hash = hashOf({ path: paths.get(field)!, kind, value })
        for (const id of packed === null ? [start] : unpackIds(packed))
          if (id >= from && id < from + RANGE) known.add(hash, id - from)
      }
      return last
    })
  for (let at = look(undefined); at !== undefined; at = look(at)) await pause()
  return known
}

/** Spans whose entries are in one set. A set of all would be copied for tens of milliseconds when it grows. */
const TOGETHER = 64

/** Which spans have which entries. Two entries of spans together are taken for one once in a hundred millions. */
class Places {
  readonly #sets: Set<number>[] = []

  add(hash: number, offset: number): void {
    const at = Math.floor(offset / TOGETHER)
    this.#sets[at] ??= new Set()
    this.#sets[at].add(place(hash, offset))
  }

  has(hash: number, offset: number): boolean {
    return this.#sets[Math.floor(offset / TOGETHER)]?.has(place(hash, offset)) ?? false
  }
}

/** A small number: larger ones would be objects of their own. */
const place = (hash: number, offset: number): number => hash ^ Math.imul(offset, 0x9e3779b1)

function hashOf({ path, kind, value }: Entry): number {
  let hash = 0x811c9dc5
  const name = `${kind} ${path} ${value}`
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return hash
}
