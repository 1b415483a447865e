import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Delivery, EventFilter, Start, Store } from '../index.ts'
import { type Batch, Holder, type NextOptions, unknownHolder } from './events-holder.ts'

export interface HoldOptions extends NextOptions {
  readonly holder: string | undefined
  readonly filter: EventFilter
  readonly from: Start | undefined
  /** Milliseconds of silence after which another may take the consumer. */
  readonly duration: number
  readonly maxUnacked: number | undefined
  readonly maxAttempts: number | undefined
}

/** Who answers, and under which lease, where that is said. */
interface By {
  readonly holder: string
  readonly lease?: string
}

/** Who holds which consumer through this server. */
export class Holders {
  readonly #store: Store
  readonly #held = new Map<string, Holder>()

  /** `stopping`: leases are let go, for who comes next. */
  constructor(store: Store, stopping: AbortSignal) {
    this.#store = store
    // Every long-poll listens to it, too.
    setMaxListeners(0, stopping)
    stopping.addEventListener('abort', () => {
      for (const held of [...this.#held.values()]) void held.close()
    })
  }

  /** The next deliveries; takes the consumer for the holder, if need be. @throws as `Store.subscribe` */
  next(name: string, options: HoldOptions, signals: readonly AbortSignal[]): Promise<Batch> {
    const holder = options.holder ?? randomUUID()
    const id = keyOf(name, holder)
    let held = this.#held.get(id)
    if (held === undefined || held.released) {
      const { filter, from, duration, maxUnacked, maxAttempts, batch } = options
      const events = this.#store.subscribe({
        consumer: name,
        holder,
        ...filter,
        ...(from !== undefined && { from }),
        ...(maxUnacked !== undefined && { maxUnacked }),
        ...(maxAttempts !== undefined && { maxAttempts }),
        lease: duration,
        batch,
      })
      const made = new Holder(this.#store.consumers(), { name, holder }, events, duration, () => {
        if (this.#held.get(id) === made) this.#held.delete(id)
      })
      this.#held.set(id, made)
      held = made
    }
    return held.next(options, signals)
  }

  /** Acknowledges deliveries, in order. @throws LEASE_LOST, ACK_OUT_OF_ORDER */
  ack(name: string, by: By, ids: readonly string[]): Promise<{ readonly answered: number }> {
    return this.#require(name, by).answer(ids)
  }

  /** Gives a delivery back, or up. @throws LEASE_LOST, ACK_OUT_OF_ORDER */
  fail(
    name: string,
    by: By,
    id: string,
    how: (delivery: Delivery) => Promise<void>,
  ): Promise<{ readonly batch: number }> {
    return this.#require(name, by).fail(id, how)
  }

  /** Lets the consumer go, if it is held. */
  async release(name: string, holder: string): Promise<void> {
    await this.#held.get(keyOf(name, holder))?.release()
  }

  #require(name: string, { holder, lease }: By): Holder {
    const held = this.#held.get(keyOf(name, holder))
    if (held === undefined || (lease !== undefined && lease !== held.lease)) throw unknownHolder(name, holder)
    return held
  }
}

const keyOf = (name: string, holder: string): string => JSON.stringify([name, holder])
