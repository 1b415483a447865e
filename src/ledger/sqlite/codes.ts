import { EVENT_TYPES, type EventType } from '../../core/event.ts'
import type { Reason, SummaryState } from '../../core/model.ts'

/** Small integers that stand for words in the tables. Append to these lists, never reorder them. */
export const REASONS = [
  'edited',
  'rechunked',
  'deleted',
  'evicted',
  'expired',
  'superseded',
  'discarded',
] as const satisfies readonly Reason[]

export const STATES = ['current', 'suspect', 'stale'] as const satisfies readonly SummaryState[]

const index = <T extends string>(words: readonly T[]) =>
  Object.fromEntries(words.map((word, i) => [word, i])) as Record<T, number>

export const REASON: Record<Reason, number> = index(REASONS)
export const STATE: Record<SummaryState, number> = index(STATES)
export const EVENT: Record<EventType, number> = index(EVENT_TYPES)
