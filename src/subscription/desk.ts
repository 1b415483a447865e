import { failureText, notAConsumer } from '../core/consumer.ts'
import { SpanStoreError } from '../core/errors.ts'
import type { Delivered, NackOptions } from './delivery.ts'
import type { Intake } from './intake.ts'
import type { Lane } from './lane.ts'
import type { Plan } from './options.ts'
import type { Settler } from './settler.ts'

/**
 * Takes the answers to deliveries: whether they come in order, what they commit, and how a lane goes on. What an
 * answer changes in memory it changes at once, so that the next one is judged by it, and takes back when its
 * commit fails.
 */
export class Desk {
  /** When a delivery or an answer happened last. */
  activeAt = 0
  readonly #plan: Plan
  readonly #intake: Intake
  readonly #settler: Settler
  readonly #clock: () => number
  readonly #stir: () => void

  /** `stir`: something may be deliverable that was not. */
  constructor(plan: Plan, intake: Intake, settler: Settler, clock: () => number, stir: () => void) {
    this.#plan = plan
    this.#intake = intake
    this.#settler = settler
    this.#clock = clock
    this.#stir = stir
  }

  ack(delivered: Delivered): Promise<void> {
    if (this.#plan.consumer === undefined) return Promise.resolve()
    if (delivered.acked !== undefined) return delivered.acked
    const lane = this.#intake.lanes.get(delivered.ref)
    const refusal = this.#refuse(delivered, lane)
    if (refusal !== undefined) return Promise.reject(refusal)
    delivered.state = 'acked'
    this.activeAt = this.#clock()
    delivered.acked = delivered.replay ? this.#ackReplay(delivered) : this.#ackNext(delivered, lane!)
    return delivered.acked
  }

  #ackReplay(delivered: Delivered): Promise<void> {
    const { ref, position } = delivered
    return this.#settler.add({
      replayed: { ref, position },
      done: () => this.#intake.replayed(ref, position),
      undo: () => reopen(delivered),
    })
  }

  #ackNext(delivered: Delivered, lane: Lane): Promise<void> {
    lane.pending.shift()
    if (this.#intake.parked.has(lane)) {
      this.#intake.unpark(lane)
      this.#stir()
    }
    return this.#settler.add({
      advances: [lane.head.ref],
      undo: () => {
        reopen(delivered)
        lane.pending.unshift(delivered)
      },
    })
  }

  nack(delivered: Delivered, options: NackOptions): Promise<void> {
    const { maxAttempts, backoff } = this.#plan
    const { attempt } = delivered
    return this.#giveBack(
      delivered,
      options.error,
      attempt < maxAttempts ? this.#clock() + (options.delay ?? backoff(attempt)) : undefined,
    )
  }

  terminate(delivered: Delivered, options: Pick<NackOptions, 'error'>): Promise<void> {
    return this.#giveBack(delivered, options.error, undefined)
  }

  /** `due`: when to deliver it again; undefined: it becomes a dead letter. */
  #giveBack(delivered: Delivered, error: unknown, due: number | undefined): Promise<void> {
    if (this.#plan.consumer === undefined) return Promise.reject(notAConsumer())
    const lane = this.#intake.lanes.get(delivered.ref)
    const refusal = this.#refuse(delivered, lane)
    if (refusal !== undefined) return Promise.reject(refusal)
    delivered.state = 'nacked'
    this.activeAt = this.#clock()
    return delivered.replay
      ? this.#nackReplay(delivered, error)
      : this.#nackNext(delivered, lane!, error, due)
  }

  #nackReplay(delivered: Delivered, error: unknown): Promise<void> {
    const { ref, position, attempt: attempts } = delivered
    return this.#settler.add({
      failure: { ref, position, attempts, error: failureText(error), due: undefined },
      done: () => this.#intake.replayed(ref, position),
      undo: () => reopen(delivered),
    })
  }

  #nackNext(delivered: Delivered, lane: Lane, error: unknown, due: number | undefined): Promise<void> {
    const { ref, position, attempt: attempts } = delivered
    this.#intake.goBack(lane, position - 1)
    lane.undecided = true
    return this.#settler.add({
      failure: { ref, position, attempts, error: failureText(error), due },
      done: () => {
        lane.undecided = false
        lane.heldUntil = due ?? 0
        if (due === undefined) lane.goBackTo(position)
        else lane.failing = { position, attempts }
        lane.stored = lane.through
        this.#stir()
      },
      undo: () => {
        lane.undecided = false
        lane.goBackTo(position)
        reopen(delivered)
        lane.pending.push(delivered)
        this.#stir()
      },
    })
  }

  /** A replayed event stands outside the order, and its collection may no longer be one the filter admits. */
  #refuse(delivered: Delivered, lane: Lane | undefined): SpanStoreError | undefined {
    const { state, id } = delivered
    const first = lane?.pending[0]
    if (state === 'open' && (delivered.replay || first === delivered)) return undefined
    const consumer = this.#plan.consumer!
    const why = {
      open: `an earlier event of its collection (${first?.id}) has no answer yet`,
      void: 'an earlier event of its collection failed, and this one is delivered again after it',
      nacked: 'it was given back already',
      acked: 'it was acknowledged already',
    }[state]
    return new SpanStoreError(
      'ACK_OUT_OF_ORDER',
      `event ${id} cannot be answered by consumer ${JSON.stringify(consumer)} now: ${why}`,
      { consumer, id },
    )
  }
}

function reopen(delivered: Delivered): void {
  delivered.state = 'open'
  delivered.acked = undefined
}
