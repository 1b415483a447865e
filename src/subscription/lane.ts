import type { CollectionHead, ConsumerCursor, EventBatch } from '../core/consumer.ts'
import type { StoreEvent } from '../core/event.ts'
import type { Delivered } from './delivery.ts'

/** One collection as one subscription reads it. */
export class Lane {
  head: CollectionHead
  /** Delivered and not yet answered, in order. */
  pending: Delivered[] = []
  /** The event that failed last, until it is acknowledged. */
  failing: { readonly position: number; readonly attempts: number } | undefined
  /** Nothing is delivered before this time. */
  heldUntil: number
  /** An answer is on its way that decides where the lane goes on. */
  undecided = false
  /** Changes when the lane goes back, so that a batch asked for before is not taken for what comes next. */
  turn = 0
  /** The last position ever delivered. */
  delivered = 0
  /** What the ledger has as the consumer's cursor. */
  stored: number
  #buffer: readonly StoreEvent[] = []
  #next = 0
  #through: number

  constructor(head: CollectionHead, cursor: ConsumerCursor) {
    this.head = head
    this.#through = this.stored = cursor.position
    this.heldUntil = cursor.attempts > 0 ? cursor.due : 0
    if (cursor.attempts > 0) this.failing = { position: cursor.position + 1, attempts: cursor.attempts }
  }

  /** Everything up to here was read from the log. */
  get through(): number {
    return this.#through
  }

  get buffered(): boolean {
    return this.#next < this.#buffer.length
  }

  /** Everything up to here was delivered, or passed over by the filter. */
  get passed(): number {
    return this.buffered ? this.#buffer[this.#next]!.position - 1 : this.#through
  }

  /** There is more in the log than was read, and it may be read. */
  wants(now: number): boolean {
    return !this.buffered && !this.undecided && this.#through < this.head.position && this.heldUntil <= now
  }

  fill(batch: EventBatch): void {
    this.#buffer = batch.events
    this.#next = 0
    this.#through = batch.through
  }

  take(): StoreEvent {
    return this.#buffer[this.#next++]!
  }

  /** Up to here nothing waits for an answer: acknowledged, skipped by the filter, or a dead letter. */
  settled(): number {
    const open = this.pending[0] ?? this.#buffer[this.#next]
    return open === undefined ? this.#through : open.position - 1
  }

  /** Forgets what was read after `position` and voids what was delivered after it. */
  goBackTo(position: number): void {
    for (const delivered of this.pending) if (delivered.state === 'open') delivered.state = 'void'
    this.pending = []
    this.#buffer = []
    this.#next = 0
    this.#through = position
    this.turn++
  }
}
