import type { EventType } from '../../core/event.ts'
import type { Key } from '../../core/key.ts'
import type { Reason } from '../../core/model.ts'
import type { NewSpan } from '../../ports/planned.ts'
import { EVENT, REASON } from './codes.ts'
import { type Connection, insertInto } from './statements.ts'

const INSERT_EVENT = insertInto('event', [
  'collection',
  'position',
  'type',
  'at',
  'node',
  'source',
  'other',
  'number',
  'data',
])
const INSERT_SPAN = insertInto('span', [
  'id',
  'key',
  'kind',
  'collection',
  'source',
  'born',
  'revision',
  'length',
  'hash',
  'metadata',
  'text',
])
const ANNOUNCE_SPANS = `
  INSERT INTO event (collection, position, type, at, node, source, other, number, data)
  SELECT collection, born, ${EVENT['span.added']}, ?, id, source, NULL, revision, NULL
  FROM span WHERE id BETWEEN ? AND ?`
const INSERT_TOMBSTONE = insertInto('tombstone', ['span', 'reason', 'position', 'at'])
const INSERT_LINEAGE = insertInto('lineage', ['old', 'new', 'kind', 'ordinal'])

interface EventFields {
  node?: number
  source?: number
  other?: number
  number?: number
  data?: string
}

export interface AddedSpan {
  readonly id: number
  readonly key: Key
  readonly position: number
}

/** One write transaction: hands out ids and positions, and keeps what has to be settled before it ends. */
export class Commit {
  readonly connection: Connection
  readonly at: number
  readonly #mint: (at: number) => Key
  #lastId: number | undefined
  readonly #heads = new Map<number, { position: number; live: number }>()
  /** Nodes whose satisfaction may have changed, for `propagate`. */
  readonly unsettled = new Set<number>()

  constructor(connection: Connection, at: number, mint: (at: number) => Key) {
    this.connection = connection
    this.at = at
    this.#mint = mint
  }

  #head(collection: number) {
    let head = this.#heads.get(collection)
    if (head === undefined) {
      const [position, live] = this.connection.row<[number, number]>(
        'SELECT position, live FROM collection_head WHERE collection = ?',
        collection,
      )!
      head = { position, live }
      this.#heads.set(collection, head)
    }
    return head
  }

  position(collection: number): number {
    return this.#head(collection).position
  }

  /** A dropped collection has no live spans any more. */
  clearLive(collection: number): void {
    this.#head(collection).live = 0
  }

  /** Reserves `count` positions and answers the last one before them. */
  reserve(collection: number, count: number): number {
    const head = this.#head(collection)
    head.position += count
    return head.position - count
  }

  event(collection: number, type: EventType, fields: EventFields): number {
    const position = ++this.#head(collection).position
    this.connection
      .prepare(INSERT_EVENT)
      .run(
        collection,
        position,
        EVENT[type],
        this.at,
        fields.node ?? null,
        fields.source ?? null,
        fields.other ?? null,
        fields.number ?? null,
        fields.data ?? null,
      )
    return position
  }

  #nextId(): number {
    this.#lastId ??= this.connection.value<number>('SELECT coalesce(max(id), 0) FROM span')!
    return ++this.#lastId
  }

  /** Writes live spans and their birth events. Ids and positions are consecutive. */
  addSpans(collection: number, source: number, revision: number, spans: readonly NewSpan[]): AddedSpan[] {
    if (spans.length === 0) return []
    let position = this.reserve(collection, spans.length)
    const insert = this.connection.prepare(INSERT_SPAN)
    const added = spans.map(({ text, hash, length, metadata }) => {
      const id = this.#nextId()
      const key = this.#mint(this.at)
      insert.run(
        id,
        key,
        0,
        collection,
        source,
        ++position,
        revision,
        length,
        hash ?? null,
        metadata ?? null,
        text ?? null,
      )
      return { id, key, position }
    })
    // One statement for all events: crossing into SQLite once a row costs more than the row.
    if (added.length > 1) this.connection.run(ANNOUNCE_SPANS, this.at, added[0]!.id, added.at(-1)!.id)
    else
      this.connection
        .prepare(INSERT_EVENT)
        .run(collection, position, EVENT['span.added'], this.at, added[0]!.id, source, null, revision, null)
    this.#head(collection).live += spans.length
    return added
  }

  /** Writes a live summary and its birth event. */
  addSummary(
    collection: number,
    summary: {
      readonly text: string
      readonly hash: string
      readonly epoch: number
      readonly replaces: number | null
    },
  ): { id: number; key: Key } {
    const id = this.#nextId()
    const key = this.#mint(this.at)
    const position = this.event(collection, 'summary.registered', {
      node: id,
      number: summary.epoch,
      ...(summary.replaces === null ? {} : { other: summary.replaces }),
    })
    const { text, hash } = summary
    this.connection
      .prepare(INSERT_SPAN)
      .run(id, key, 1, collection, null, position, null, text.length, hash, null, text)
    return { id, key }
  }

  /** A live span becomes a tombstone. Its successors must exist. */
  retireSpan(
    span: number,
    collection: number,
    source: number,
    reason: Reason,
    successors: readonly number[] = [],
  ): void {
    const position = this.event(collection, 'span.retired', { node: span, source, number: REASON[reason] })
    this.connection.prepare(INSERT_TOMBSTONE).run(span, REASON[reason], position, this.at)
    successors.forEach((successor, i) => this.link(span, successor, 0, i))
    this.#head(collection).live--
    this.unsettled.add(span)
  }

  /** A live summary becomes a tombstone, under the position of an event already written. */
  retireSummary(summary: number, reason: 'superseded' | 'discarded', position: number): void {
    this.connection.prepare(INSERT_TOMBSTONE).run(summary, REASON[reason], position, this.at)
    this.connection.run('DELETE FROM cause WHERE dependent = ?', summary)
    this.unsettled.add(summary)
  }

  /** kind 0: successor; 1: brought back to the same place. */
  link(old: number, successor: number, kind: 0 | 1, ordinal: number): void {
    this.connection.prepare(INSERT_LINEAGE).run(old, successor, kind, ordinal)
  }

  /** Stores the positions handed out. Call once, last. */
  finish(): void {
    for (const [collection, { position, live }] of this.#heads)
      this.connection.run(
        'UPDATE collection_head SET position = ?, live = ? WHERE collection = ?',
        position,
        live,
        collection,
      )
  }
}
