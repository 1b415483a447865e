import { randomUUID } from 'node:crypto'
import type { Bell, ConsumerCursor, EventLog, Lease, Settlement } from '../core/consumer.ts'
import { encodeCursor } from '../core/cursor.ts'
import { isSpanStoreError, SpanStoreError } from '../core/errors.ts'
import { nextTurn } from '../threads/turn.ts'
import { Delivered, type Delivery, deliver, type EventStream } from './delivery.ts'
import { Desk } from './desk.ts'
import { Intake } from './intake.ts'
import type { Lane } from './lane.ts'
import type { Plan } from './options.ts'
import { Settler } from './settler.ts'
import { Trail } from './trail.ts'

export interface SubscriptionHost {
  readonly log: EventLog
  readonly bell: Bell
  readonly clock: () => number
  /**
   * Asked before a subscription looks for more: commits what is due (an expiry) and answers when the next thing falls
   * due, in milliseconds since the epoch, so that a subscription that waits wakes then.
   */
  readonly onIdle?: () => number | undefined | Promise<number | undefined>
}

/** `log`: there is nothing more, or it is held back; `answers`: what comes next depends on those still to come. */
export type Rest = 'log' | 'answers'

/** The longest a timer can wait. */
const LONGEST = 2 ** 31 - 1

const START: ConsumerCursor = { position: 0, attempts: 0, due: 0 }

/** One iteration over the log. A call to `next` that waits keeps the process alive, as an open socket would. */
export class Subscription implements EventStream {
  readonly #host: SubscriptionHost
  readonly #plan: Plan
  readonly #intake: Intake
  readonly #settler: Settler
  readonly #desk: Desk
  readonly #trail = new Trail()
  readonly #ended: () => void
  /** Read at once, so that 'now' is when `subscribe` was called. */
  readonly #from: Promise<ReadonlyMap<number, number>> | undefined
  #start: (ref: number) => ConsumerCursor = () => START
  #opening: Promise<void> | undefined
  #lease: Lease | undefined
  #renewAt = Number.POSITIVE_INFINITY
  #unfollow: (() => void) | undefined
  #outcome: 'done' | SpanStoreError | undefined
  #ending: Promise<void> | undefined
  #wake: (() => void) | undefined
  /** Something happened since the log was looked at. */
  #rung = false
  #busy = false
  #looked = false
  #rest: Rest | undefined
  #calls = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(host: SubscriptionHost, plan: Plan, ended: (subscription: Subscription) => void) {
    this.#host = host
    this.#plan = plan
    this.#ended = () => ended(this)
    this.#intake = new Intake(host.log, plan, (ref) => this.#start(ref))
    this.#settler = new Settler(
      (settlement) => this.#settle(settlement),
      (ref) => this.#intake.lanes.get(ref)!.settled(),
    )
    this.#desk = new Desk(plan, this.#intake, this.#settler, host.clock, () => this.#stir())
    if (plan.consumer === undefined) {
      this.#from = host.log.begin(plan.filter, plan.from)
      this.#from.catch(() => undefined)
    }
    plan.signal?.addEventListener('abort', this.#abort)
    if (plan.signal?.aborted) this.#abort()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Delivery, undefined>> {
    if (this.#calls === 0 && this.#host.clock() < this.#renewAt) {
      const value = this.#take()
      if (value !== undefined) return Promise.resolve({ done: false, value })
    }
    // At once, so that 'now' of a new consumer is when its first event is asked for.
    this.#begin()
    this.#calls++
    const result = this.#last.then(() => this.#pull())
    this.#last = result.then(
      () => this.#calls--,
      () => this.#calls--,
    )
    return result
  }

  async ready(): Promise<void> {
    this.#begin()
    try {
      await this.#opening
    } catch (error) {
      if (this.#outcome === undefined) {
        await this.end('done')
        throw error
      }
    }
    if (this.#outcome instanceof SpanStoreError) throw this.#outcome
  }

  #begin(): void {
    if (this.#outcome !== undefined || this.#opening !== undefined) return
    this.#opening = this.#open()
    this.#opening.catch(() => undefined)
  }

  /** Why nothing is delivered, when nothing can be; undefined while there is, or while it is looked for. */
  get rest(): Rest | undefined {
    return this.#rest
  }

  /** Has the log looked at, whether or not a bell rang. */
  lookAgain(): void {
    this.#stir()
  }

  get cursor(): string | undefined {
    return this.#looked ? encodeCursor(this.#intake.passed()) : undefined
  }

  async return(): Promise<IteratorResult<Delivery, undefined>> {
    await this.end('done')
    return { done: true, value: undefined }
  }

  /** Lets the lease go at once. What waits for its next event gets the outcome; it stays possible to acknowledge. */
  end(outcome: 'done' | SpanStoreError): Promise<void> {
    this.#outcome ??= outcome
    this.#ending ??= this.#letGo()
    this.#stir()
    return this.#ending
  }

  readonly #abort = () => {
    // Nobody waits for it here: whoever calls `next` does.
    void this.end(new SpanStoreError('ABORTED', 'the subscription was aborted by its signal', {}))
  }

  async #letGo(): Promise<void> {
    this.#plan.signal?.removeEventListener('abort', this.#abort)
    this.#unfollow?.()
    this.#stir()
    await this.#opening?.catch(() => undefined)
    await this.#settler.idle()
    // When it cannot be let go it lapses, which is what leases are for.
    if (this.#lease !== undefined)
      await this.#host.log.release(this.#lease, this.#intake.unstored()).catch(() => undefined)
    this.#ended()
  }

  // ── reading ───────────────────────────────────────────────────────────────────────────────────────────────

  async #pull(): Promise<IteratorResult<Delivery, undefined>> {
    try {
      await this.#opening
      while (this.#outcome === undefined) {
        await this.#renew()
        const value = this.#take()
        if (value !== undefined) return { done: false, value }
        await this.#lookOrWait()
      }
    } catch (error) {
      // A read that fails because the subscription was ended meanwhile is that end.
      if (this.#outcome === undefined) {
        await this.end('done')
        throw error
      }
    }
    await this.#ending
    const outcome = this.#outcome
    this.#outcome = 'done'
    if (outcome instanceof SpanStoreError) throw outcome
    return { done: true, value: undefined }
  }

  async #open(): Promise<void> {
    const { log, bell } = this.#host
    const { consumer, filter, follow, from, lease, wait } = this.#plan
    this.#unfollow = bell.follow(() => this.#stir())
    if (consumer === undefined) {
      // Who follows may name one that is still to come. To the end of the log a misspelled one would look as if nothing
      // had happened there.
      if (!follow) await log.requireCollections(filter)
      const positions = await this.#from!
      this.#start = (ref) => ({ ...START, position: positions.get(ref) ?? 0 })
      await this.#look()
      return
    }
    const holder = this.#plan.holder ?? randomUUID()
    while (this.#outcome === undefined) {
      this.#rung = false
      try {
        const held = await log.acquire(consumer, { filter, start: from, holder, duration: lease })
        this.#lease = held.lease
        this.#start = (ref) => held.cursors.get(ref) ?? START
        this.#renewed()
        return
      } catch (error) {
        if (!wait || !isSpanStoreError(error, 'CONSUMER_LEASED')) throw error
        await this.#wait(error.detail.until)
      }
    }
  }

  async #lookOrWait(): Promise<void> {
    // A loop that never waits for anything else must not keep the process from its timers and sockets.
    if (this.#busy) await nextTurn()
    this.#rung = false
    const due = await this.#host.onIdle?.()
    await this.#look()
    if (this.#busy || this.#outcome !== undefined) return
    if (!this.#plan.follow && !this.#intake.waitsForAnswers()) {
      await this.end('done')
      return
    }
    const patience = this.#intake.parked.size > 0 ? this.#patience() : undefined
    if (!this.#rung) this.#rest = this.#intake.waitsForAnswers() ? 'answers' : 'log'
    await this.#wait(due, this.#renewAt, this.#intake.heldUntil(), patience)
  }

  async #look(): Promise<void> {
    const more = await this.#intake.look(this.#lease, this.#host.clock(), (lane) => this.#join(lane))
    this.#looked = true
    this.#busy = more || this.#intake.ready
  }

  #join(lane: Lane): void {
    this.#trail.step(lane.head.id, lane.through)
  }

  /** Until when a full window may wait for its first answer. @throws LEASE_LOST */
  #patience(): number {
    const { consumer, lease, maxUnacked } = this.#plan
    const until = this.#desk.activeAt + lease
    if (this.#host.clock() < until) return until
    throw new SpanStoreError(
      'LEASE_LOST',
      `${maxUnacked} deliveries of consumer ${JSON.stringify(consumer)} waited ${lease} ms and none was acknowledged, so it was let go: call ack() or nack() on each, or raise lease or maxUnacked`,
      { consumer: consumer! },
    )
  }

  #take(): Delivery | undefined {
    if (this.#outcome !== undefined) return undefined
    const taken = this.#intake.take()
    if (taken === undefined) return undefined
    const { event } = taken
    if (taken.lane === undefined) {
      const delivered = new Delivered(taken.ref, event, taken.failures + 1, true)
      return deliver(event, delivered, true, this.#trail.now(), this.#desk)
    }
    const { lane } = taken
    const attempt = lane.failing?.position === event.position ? lane.failing.attempts + 1 : 1
    const redelivered = attempt > 1 || event.position <= lane.delivered
    lane.delivered = Math.max(lane.delivered, event.position)
    const delivered = new Delivered(lane.head.ref, event, attempt, false)
    if (this.#lease !== undefined) {
      lane.pending.push(delivered)
      this.#desk.activeAt = this.#host.clock()
    }
    return deliver(event, delivered, redelivered, this.#trail.step(lane.head.id, event.position), this.#desk)
  }

  // ── waiting ───────────────────────────────────────────────────────────────────────────────────────────────

  #stir(): void {
    this.#rung = true
    this.#rest = undefined
    this.#wake?.()
  }

  /** Until something happens, or the first of these times. */
  #wait(...times: readonly (number | undefined)[]): Promise<void> {
    if (this.#rung || this.#outcome !== undefined) return Promise.resolve()
    const until = Math.min(...times.filter((time) => time !== undefined))
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#wake = undefined
        this.#rest = undefined
        resolve()
      }
      const timer = setTimeout(wake, Math.min(Math.max(until - this.#host.clock(), 1), LONGEST))
      this.#wake = wake
    })
  }

  #renewed(): void {
    this.#renewAt = this.#host.clock() + this.#plan.lease / 3
  }

  async #renew(): Promise<void> {
    if (this.#lease === undefined || this.#host.clock() < this.#renewAt) return
    await this.#settler.add({ advances: [...this.#intake.unstored().keys()], undo: () => undefined })
  }

  async #settle(settlement: Settlement): Promise<void> {
    await this.#host.log.settle(this.#lease!, settlement)
    for (const [ref, position] of settlement.advance) this.#intake.lanes.get(ref)!.stored = position
    this.#renewed()
  }
}
