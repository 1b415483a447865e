import { SpanStoreError } from '../core/errors.ts'
import type { StoreEvent } from '../core/event.ts'
import type { Delivery, NackOptions } from '../subscription/index.ts'

/** What came over the wire of a delivery. */
export type Delivered = StoreEvent & { readonly attempt: number; readonly redelivered: boolean }

/** Where its answers go. */
export interface Answers {
  ack(event: Delivered): Promise<void>
  nack(event: Delivered, options: NackOptions): Promise<void>
  terminate(event: Delivered, options: Pick<NackOptions, 'error'>): Promise<void>
}

/** As data (spread, JSON) it is the event, `attempt` and `redelivered`, as the library's is. */
export function delivery(event: Delivered, cursor: () => string, answers: Answers): Delivery {
  return Object.defineProperties({ ...event } as Delivery, {
    cursor: { get: cursor },
    ack: { value: () => answers.ack(event) },
    nack: { value: (options: NackOptions = {}) => answers.nack(event, options) },
    terminate: { value: (options: Pick<NackOptions, 'error'> = {}) => answers.terminate(event, options) },
  })
}

/** What a subscription ends with when its client is closed. */
export const closedMeanwhile = () =>
  new SpanStoreError('STORE_CLOSED', 'this client was closed while a subscription was open', {})

/** The id of the collection an event is of, which outlives its names. */
export const collectionOf = ({ source }: StoreEvent): string => source.slice(source.lastIndexOf('/') + 1)
