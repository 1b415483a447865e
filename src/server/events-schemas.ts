import { z } from 'zod'
import { EVENT_TYPES } from '../core/event.ts'
import { Identifier } from './schemas.ts'

export const EventTypes = z.enum(EVENT_TYPES).meta({ id: 'EventType' })

const names = z.array(Identifier).min(1).max(10_000)

/** Exactly what `EventFilter` says; what is left out admits everything. */
export const EventFilter = z
  .strictObject({
    types: z.array(EventTypes).min(1).exactOptional(),
    collections: names.exactOptional().meta({ description: 'Names, of today or of before, or ids.' }),
    sources: names.exactOptional(),
    keys: names.exactOptional(),
  })
  .meta({
    id: 'EventFilter',
    description: 'Which events; all given parts must fit. What is left out admits everything.',
  })

export const Start = z.union([z.int().min(0), z.string().min(1)]).meta({
  id: 'Start',
  description: 'start, now, a position of the one collection named, or a cursor.',
})

const envelope = {
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: EventTypes,
  subject: z.string().exactOptional(),
  time: z.string(),
  sequence: z.string(),
  collection: z.string(),
  position: z.int(),
  data: z.looseObject({}),
}

export const Event = z.object(envelope).meta({
  id: 'Event',
  description: 'A CloudEvent 1.0 in JSON. It names keys and never holds text.',
})

export const Batch = z
  .object({
    holder: z.string(),
    lease: z.string(),
    batch: z.int(),
    events: z.array(
      z.object({
        ...envelope,
        attempt: z.int().meta({ description: '1, and one more for every failure.' }),
        redelivered: z.boolean(),
        cursor: z.string().meta({ description: 'Resumes after this event.' }),
      }),
    ),
    ended: z.literal(true).exactOptional(),
  })
  .meta({ id: 'EventBatch' })

export const Consumer = z
  .object({
    name: z.string(),
    filter: EventFilter,
    start: Start,
    createdAt: z.number(),
    cursor: z.string(),
    leasedUntil: z.number().exactOptional(),
    deadLetters: z.int(),
  })
  .meta({ id: 'Consumer' })

export const Lag = z
  .object({
    events: z.int(),
    age: z.number().meta({ description: 'Milliseconds since the oldest of them was written.' }),
    collections: z.array(
      z.object({
        collection: z.string(),
        position: z.int(),
        head: z.int(),
        events: z.int(),
        age: z.number(),
        failing: z
          .object({ attempts: z.int(), due: z.number(), error: z.string().exactOptional() })
          .exactOptional(),
        expired: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Lag' })

export const DeadLetter = z
  .object({
    collection: z.string(),
    position: z.int(),
    attempts: z.int(),
    error: z.string().exactOptional(),
    at: z.number(),
    replaying: z.boolean(),
    event: Event.exactOptional(),
  })
  .meta({ id: 'DeadLetter' })

/** A query's value, which may be there once or several times, as a list. */
export const listed = <T extends z.ZodType>(item: T) =>
  z
    .union([z.array(item).max(1000), item.transform((value) => [value])])
    .meta({ description: 'May be given several times.' })
