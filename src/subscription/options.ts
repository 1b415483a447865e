import {
  type EventFilter,
  filterIn,
  heldBackFor,
  parseConsumerName,
  parseEventFilter,
  type Start,
} from '../core/consumer.ts'
import { abortSignal, flag, identifier, invalid, object, wholeNumber } from '../core/given.ts'

export interface SubscribeOptions extends EventFilter {
  /** A durable consumer, made at first use. Without it the subscription remembers nothing and holds nothing. */
  readonly consumer?: string
  /** Where to begin, `'start'` unless given. Counts only when the consumer is made; later its cursor counts. */
  readonly from?: Start
  /** Wait for more at the end of the log (the default), or end there. An event held back is not waited for then. */
  readonly follow?: boolean
  /** Ends the subscription: what waits for its next event is rejected with ABORTED. */
  readonly signal?: AbortSignal
  /** Events read at a time, 500 unless given. */
  readonly batch?: number
  /** Milliseconds after which another may take the consumer from a holder that is silent, 30 000 unless given. */
  readonly lease?: number
  /** Wait while another holds the consumer, instead of CONSUMER_LEASED. */
  readonly wait?: boolean
  /**
   * Who holds the consumer: a name that is nobody else's. A holder of the same name takes the consumer over at once,
   * so that one who comes back after a crash need not wait for its own lease to end.
   */
  readonly holder?: string
  /** Deliveries of a collection that may wait for their acknowledgement, 100 unless given; then no more come. */
  readonly maxUnacked?: number
  /** Failures after which an event becomes a dead letter, 10 unless given. */
  readonly maxAttempts?: number
  /** Milliseconds to hold a collection back after its event failed for the nth time; 1 s doubling up to 5 min. */
  readonly backoff?: (failures: number) => number
}

export interface Plan {
  readonly consumer: string | undefined
  readonly filter: EventFilter
  readonly from: Start
  readonly follow: boolean
  readonly signal: AbortSignal | undefined
  readonly batch: number
  readonly lease: number
  readonly wait: boolean
  readonly holder: string | undefined
  readonly maxUnacked: number
  readonly maxAttempts: number
  readonly backoff: (failures: number) => number
}

const FIELDS = [
  'consumer',
  'from',
  'types',
  'collections',
  'sources',
  'keys',
  'follow',
  'signal',
  'batch',
  'lease',
  'wait',
  'holder',
  'maxUnacked',
  'maxAttempts',
  'backoff',
]

/** @throws INVALID_ARGUMENT, ILL_FORMED_TEXT */
export function parseOptions(options: SubscribeOptions): Plan {
  object('subscribe', options, FIELDS)
  const { from = 'start', backoff = heldBackFor } = options
  const count = (name: 'batch' | 'lease' | 'maxUnacked' | 'maxAttempts', otherwise: number) =>
    wholeNumber(name, options[name] ?? otherwise, 1)
  if (typeof from !== 'string' && typeof from !== 'number')
    throw invalid('from', from, "give 'now', 'start', a position or a cursor")
  if (typeof backoff !== 'function')
    throw invalid('backoff', backoff, 'give a function from a number of failures to milliseconds')
  return {
    consumer: options.consumer === undefined ? undefined : parseConsumerName(options.consumer),
    filter: parseEventFilter(filterIn(options)),
    from,
    follow: flag('follow', options.follow ?? true),
    signal: abortSignal('signal', options.signal),
    batch: count('batch', 500),
    lease: count('lease', 30_000),
    wait: flag('wait', options.wait),
    holder: options.holder === undefined ? undefined : identifier('holder', options.holder),
    maxUnacked: count('maxUnacked', 100),
    maxAttempts: count('maxAttempts', 10),
    backoff,
  }
}
