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

/** An error as a text that can be sent. */
export function describe(error: unknown): string | undefined {
  if (error === undefined) return undefined
  return (error instanceof Error ? error.message : String(error)).slice(0, 10_000)
}

/** The id of the collection an event is of, which outlives its names. */
export const collectionOf = ({ source }: StoreEvent): string => source.slice(source.lastIndexOf('/') + 1)
