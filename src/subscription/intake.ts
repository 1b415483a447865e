import type { ConsumerCursor, EventLog, Lease } from '../core/consumer.ts'
import type { StoreEvent } from '../core/event.ts'
import { Lane } from './lane.ts'
import type { Plan } from './options.ts'

/** Enough that a read is worth its statement, however many collections share a batch. */
const SMALLEST_READ = 16

export type Taken =
  | { readonly lane: Lane; readonly event: StoreEvent; readonly failures?: undefined }
  /** A dead letter to be delivered again. */
  | { readonly ref: number; readonly event: StoreEvent; readonly failures: number; readonly lane?: undefined }

/** Reads the log for a subscription: in order within a collection, one event of each in turn across collections. */
export class Intake {
  readonly lanes = new Map<number, Lane>()
  /** Lanes with events in hand that wait for the acknowledgement of earlier ones. */
  readonly parked = new Set<Lane>()
  readonly #log: EventLog
  readonly #plan: Plan
  readonly #start: (ref: number) => ConsumerCursor
  readonly #replaying = new Set<string>()
  #replays: (Taken & { readonly failures: number })[] = []
  #ready: Lane[] = []
  #lastRead = 0

  /** `start`: where a collection seen for the first time begins. */
  constructor(log: EventLog, plan: Plan, start: (ref: number) => ConsumerCursor) {
    this.#log = log
    this.#plan = plan
    this.#start = start
  }

  /**
   * Looks for what is new and reads up to a batch of it. @returns whether there is more to read at once
   * @throws LEASE_LOST, CURSOR_EXPIRED
   */
  async look(lease: Lease | undefined, now: number, joined: (lane: Lane) => void): Promise<boolean> {
    const { heads, replays } = await this.#log.look(this.#plan.filter, lease)
    for (const head of heads) {
      const lane = this.lanes.get(head.ref)
      if (lane !== undefined) {
        lane.head = head
        continue
      }
      const made = new Lane(head, this.#start(head.ref))
      this.lanes.set(head.ref, made)
      joined(made)
    }
    for (const { ref, position, attempts } of replays) {
      if (this.#replaying.has(`${ref}:${position}`)) continue
      const [event] = (await this.#log.read(ref, position - 1, 1, {})).events
      if (event === undefined) continue
      this.#replaying.add(`${ref}:${position}`)
      this.#replays.push({ ref, event, failures: attempts })
    }
    return this.#fill(now)
  }

  async #fill(now: number): Promise<boolean> {
    const wanting = [...this.lanes.values()].filter((lane) => lane.wants(now))
    // Whoever came last goes last: with more collections than a batch holds, all get their turn.
    const first = wanting.findIndex((lane) => lane.head.ref > this.#lastRead)
    const inTurn = first > 0 ? [...wanting.slice(first), ...wanting.slice(0, first)] : wanting
    const { batch, filter } = this.#plan
    const size = Math.min(batch, Math.max(SMALLEST_READ, Math.ceil(batch / wanting.length)))
    let read = 0
    let more = false
    for (const lane of inTurn) {
      if (read >= batch) return true
      const { turn } = lane
      const events = await this.#log.read(lane.head.ref, lane.through, size, filter)
      this.#lastRead = lane.head.ref
      if (lane.turn !== turn) continue
      lane.fill(events)
      read += events.events.length
      if (lane.buffered) this.#ready.push(lane)
      more ||= lane.wants(now)
    }
    return more
  }

  /** Whether `take` has something to give. */
  get ready(): boolean {
    return this.#replays.length > 0 || this.#ready.length > 0
  }

  /** The next event in hand that may be delivered. */
  take(): Taken | undefined {
    const replay = this.#replays.shift()
    if (replay !== undefined) return replay
    for (let lane = this.#ready.shift(); lane !== undefined; lane = this.#ready.shift()) {
      if (lane.pending.length >= this.#plan.maxUnacked) {
        this.parked.add(lane)
        continue
      }
      const event = lane.take()
      if (lane.buffered) this.#ready.push(lane)
      return { lane, event }
    }
    return undefined
  }

  /** An answer came: deliveries of the lane may go on. */
  unpark(lane: Lane): void {
    if (this.parked.delete(lane) && lane.buffered) this.#ready.push(lane)
  }

  /** The lane goes back: see `Lane.goBackTo`. */
  goBack(lane: Lane, position: number): void {
    lane.goBackTo(position)
    this.parked.delete(lane)
    this.#ready = this.#ready.filter((ready) => ready !== lane)
  }

  /** A replayed event was answered; it may be replayed again. */
  replayed(ref: number, position: number): void {
    this.#replaying.delete(`${ref}:${position}`)
  }

  /** Positions that can be stored although no acknowledgement carries them: the filter skipped what lies between. */
  unstored(): Map<number, number> {
    const positions = new Map<number, number>()
    for (const [ref, lane] of this.lanes) {
      const settled = lane.settled()
      if (!lane.undecided && settled > lane.stored) positions.set(ref, settled)
    }
    return positions
  }

  /** By collection id, up to where the log was delivered or passed over by the filter. */
  passed(): Map<string, number> {
    return new Map([...this.lanes.values()].map((lane) => [lane.head.id, lane.passed]))
  }

  /** When the next lane that is held back may go on. */
  heldUntil(): number {
    let next = Number.POSITIVE_INFINITY
    for (const lane of this.lanes.values())
      if (lane.through < lane.head.position && !lane.buffered && !lane.undecided)
        next = Math.min(next, lane.heldUntil)
    return next
  }

  /** Whether an answer on its way, or still to come, decides what is delivered next. */
  waitsForAnswers(): boolean {
    return this.parked.size > 0 || [...this.lanes.values()].some((lane) => lane.undecided)
  }
}
