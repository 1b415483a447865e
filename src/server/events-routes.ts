import { z } from 'zod'
import type { EventFilter as Filter, Start as From } from '../index.ts'
import { Problem, problemOf, problemResponse, problemType } from '../wire/problem.ts'
import { requireReach, requireVisible } from './events-confine.ts'
import { Event, EventFilter, EventTypes, listed, Start } from './events-schemas.ts'
import { EventTexts, eventStream, isCursorGone } from './events-stream.ts'
import { type Call, type Described, type Route, route, type Services } from './route.ts'
import { Identifier, numeral } from './schemas.ts'

const query = z.strictObject({
  from: z
    .string()
    .min(1)
    .exactOptional()
    .meta({ description: 'start (the default), now, a position of the one collection named, or a cursor.' }),
  follow: z
    .enum(['true', 'false'])
    .exactOptional()
    .meta({ description: 'false: end at the end of the log.' }),
  heartbeat: numeral(100)
    .exactOptional()
    .meta({ description: 'Milliseconds of silence allowed, up to 60 000.' }),
  type: listed(EventTypes).exactOptional(),
  collection: listed(Identifier).exactOptional(),
  source: listed(Identifier).exactOptional(),
  key: listed(Identifier).exactOptional(),
})

const body = z.strictObject({
  from: Start.exactOptional(),
  follow: z.boolean().exactOptional(),
  heartbeat: z.int().min(100).max(60_000).exactOptional(),
  filter: EventFilter.exactOptional(),
})

const HEARTBEAT = 15_000
const LONGEST_HEARTBEAT = 60_000

/** Events that one subscription reads ahead of its socket. */
const BATCH = 100

const DESCRIPTION = `Server-Sent Events. Each has a CloudEvent as \`data\` and, as \`id\`, the cursor that resumes after it;
send it back as \`Last-Event-ID\` (browsers do) or \`from\`. A cursor that is unknown here, or whose events were pruned, is
answered 410 with the type \`${problemType('CURSOR_EXPIRED')}\`: read the present state, then start anew. Delivery is at
least once, in order within a collection. Comments are signs of life. Two events have names: \`problem\`, when the reading
failed, and \`end\`, with \`reason\` \`caught-up\` or \`shutdown\`.`

const answers: Readonly<Record<number, Described>> = {
  200: { description: 'Events as they come.', schema: Event, type: 'text/event-stream' },
  404: { description: 'With `follow` false: a collection that is named was never there.' },
  410: { description: 'The cursor is unknown, or its events were pruned: `cursor-expired`.' },
}

/** Reading events without remembering how far: the reader keeps the cursor. */
export const EVENT_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/events',
    id: 'subscribe',
    tag: 'Events',
    summary: 'Follow the events of the store',
    description: DESCRIPTION,
    access: 'read',
    anywhere: true,
    stream: true,
    query,
    answers,
    handle(call) {
      const { type, collection, source, key, from, follow, heartbeat } = call.query
      const filter = {
        ...(type && { types: type }),
        ...(collection && { collections: collection }),
        ...(source && { sources: source }),
        ...(key && { keys: key }),
      }
      const start = from !== undefined && /^\d+$/.test(from) ? Number(from) : from
      return follows(call, { filter, from: start, follow: follow !== 'false', heartbeat })
    },
  }),
  route({
    method: 'POST',
    path: '/v1/events',
    id: 'subscribeByBody',
    tag: 'Events',
    summary: 'Follow the events of the store, for filters and cursors too long for an address',
    description: DESCRIPTION,
    access: 'read',
    anywhere: true,
    stream: true,
    body,
    answers,
    handle(call) {
      const { filter, from, follow, heartbeat } = call.body
      return follows(call, { filter: filter ?? {}, from, follow: follow !== false, heartbeat })
    },
  }),
]

const texts = new WeakMap<Services, EventTexts>()

function textsOf(server: Services): EventTexts {
  let found = texts.get(server)
  if (found === undefined) {
    found = new EventTexts()
    texts.set(server, found)
  }
  return found
}

async function follows(
  call: Call,
  asked: {
    readonly filter: Filter
    readonly from: From | undefined
    readonly follow: boolean
    readonly heartbeat: number | undefined
  },
): Promise<Response> {
  const { visit, request, server } = call
  const { principal, stopping } = visit
  const { filter, follow } = asked
  const heartbeat = Math.min(asked.heartbeat ?? HEARTBEAT, LONGEST_HEARTBEAT)
  requireReach(principal, filter)
  const from = request.headers.get('last-event-id') || asked.from
  const subscription = server.store.subscribe({
    ...filter,
    ...(from !== undefined && { from }),
    follow,
    batch: BATCH,
  })
  try {
    await subscription.ready()
  } catch (error) {
    if (!isCursorGone(error)) throw error
    return problemResponse(cursorGone(error))
  }
  const stream = eventStream(subscription, {
    heartbeat,
    stopping,
    textOf: textsOf(server).of,
    admit: () => visit.recheck(),
    check: (event) => requireVisible(principal, event),
    problemOf: (error) => problemResponse(isCursorGone(error) ? cursorGone(error) : problemOf(error)).text(),
  })
  return new Response(stream, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      // Reverse proxies that hold answers back until they are complete are told not to.
      'X-Accel-Buffering': 'no',
    },
  })
}

/** An unknown cursor and a pruned one are the same to who wants to go on: 410. The code says which it was. */
function cursorGone(error: unknown): Problem {
  const { code, message, members } = problemOf(error)
  return new Problem(410, code, message, {
    members: { ...members, type: problemType('CURSOR_EXPIRED'), title: 'CURSOR_EXPIRED' },
  })
}
