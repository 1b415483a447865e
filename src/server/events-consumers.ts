import { z } from 'zod'
import type { ConsumerInfo } from '../index.ts'
import { requireAccess } from '../wire/principal.ts'
import { requireReach, requireVisible, withinReach } from './events-confine.ts'
import { Holders } from './events-holders.ts'
import { Batch, Consumer, DeadLetter, EventFilter, Lag, Start } from './events-schemas.ts'
import { Answer, type Call, type Route, route, type Services } from './route.ts'
import { Identifier } from './schemas.ts'

const tag = 'Consumers'
const path = '/v1/consumers/{consumer}'

const which = z
  .union([z.literal('all'), z.strictObject({ collection: Identifier, position: z.int().min(1) })])
  .meta({ description: "'all', or one by its collection and position." })

const lease = z
  .string()
  .max(100)
  .exactOptional()
  .meta({ description: 'As `next` gave it: refused with LEASE_LOST and `resumable` under another.' })

const holders = new WeakMap<Services, Holders>()

/** Holders live as long as the server they came to. */
function holdersOf({ server, visit }: Pick<Call, 'server' | 'visit'>): Holders {
  let found = holders.get(server)
  if (found === undefined) {
    found = new Holders(server.store, visit.stopping)
    holders.set(server, found)
  }
  return found
}

type ConsumerCall = Pick<Call<'consumer'>, 'params' | 'server' | 'visit'>

/** A consumer whose events are all within the caller's reach. @throws CONSUMER_UNKNOWN; Problem FORBIDDEN */
async function consumerOf({ params, server, visit }: ConsumerCall): Promise<ConsumerInfo> {
  const info = await server.store.consumers().info(params.consumer)
  requireReach(visit.principal, info.filter)
  return info
}

const UNKNOWN = { 404: { description: 'There is no consumer of this name.' } }

const LEASED = {
  409: { description: '`CONSUMER_LEASED`, `CONSUMER_MISMATCH`, `LEASE_LOST` or `ACK_OUT_OF_ORDER`.' },
}

/** Durable consumers: who they are, how far they are, and what failed. */
export const CONSUMER_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/consumers',
    id: 'listConsumers',
    tag,
    summary: 'List the durable consumers',
    access: 'read',
    anywhere: true,
    answers: { 200: { description: 'By name.', schema: z.object({ consumers: z.array(Consumer) }) } },
    async handle({ server, visit }) {
      const consumers = await server.store.consumers().list()
      return { consumers: consumers.filter(({ filter }) => withinReach(visit.principal, filter)) }
    },
  }),
  route({
    method: 'PUT',
    path,
    id: 'openConsumer',
    tag,
    summary: 'Make a durable consumer',
    description:
      'From now on events wait for it. One that exists is left as it is; with another filter it is refused.',
    access: 'write',
    anywhere: true,
    body: z.strictObject({ filter: EventFilter.exactOptional(), start: Start.exactOptional() }),
    answers: { 200: { description: 'The consumer.', schema: Consumer }, ...LEASED },
    async handle({ params, body, server, visit }) {
      const filter = body.filter ?? {}
      requireReach(visit.principal, filter)
      return await server.store.consumers().open(params.consumer, {
        filter,
        ...(body.start !== undefined && { start: body.start }),
      })
    },
  }),
  route({
    method: 'GET',
    path,
    id: 'getConsumer',
    tag,
    summary: 'Read a consumer',
    access: 'read',
    anywhere: true,
    answers: { 200: { description: 'The consumer.', schema: Consumer }, ...UNKNOWN },
    handle: (call) => consumerOf(call),
  }),
  route({
    method: 'DELETE',
    path,
    id: 'deleteConsumer',
    tag,
    summary: 'Forget a consumer, its cursors and its dead letters',
    access: 'write',
    anywhere: true,
    answers: { 204: { description: 'Forgotten.' }, ...UNKNOWN },
    async handle(call) {
      const { name } = await consumerOf(call)
      await call.server.store.consumers().delete(name)
      return new Answer(204, undefined)
    },
  }),
  route({
    method: 'GET',
    path: `${path}/lag`,
    id: 'consumerLag',
    tag,
    summary: 'How far a consumer is behind',
    access: 'read',
    anywhere: true,
    answers: { 200: { description: 'In events and in age.', schema: Lag }, ...UNKNOWN },
    async handle(call) {
      const { name } = await consumerOf(call)
      return await call.server.store.consumers().lag(name)
    },
  }),
  route({
    method: 'POST',
    path: `${path}/reset`,
    id: 'resetConsumer',
    tag,
    summary: 'Start over from somewhere',
    description: 'Its present holder loses it. The only way past CURSOR_EXPIRED.',
    access: 'write',
    anywhere: true,
    body: z.strictObject({ start: Start, collection: Identifier.exactOptional() }),
    answers: { 200: { description: 'The consumer.', schema: Consumer }, ...UNKNOWN },
    async handle(call) {
      const { name } = await consumerOf(call)
      const { start, collection } = call.body
      const consumers = call.server.store.consumers()
      await consumers.reset(name, start, collection === undefined ? {} : { collection })
      return await consumers.info(name)
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/filter`,
    id: 'setConsumerFilter',
    tag,
    summary: 'Change what a consumer reads from where it is',
    description: 'Its present holder loses it.',
    access: 'write',
    anywhere: true,
    body: EventFilter,
    answers: { 200: { description: 'The consumer.', schema: Consumer }, ...UNKNOWN },
    async handle(call) {
      const { name } = await consumerOf(call)
      const filter = call.body
      requireReach(call.visit.principal, filter)
      const consumers = call.server.store.consumers()
      await consumers.setFilter(name, filter)
      return await consumers.info(name)
    },
  }),
  route({
    method: 'GET',
    path: `${path}/dead-letters`,
    id: 'listDeadLetters',
    tag,
    summary: 'Events that failed as often as the consumer allows',
    access: 'read',
    anywhere: true,
    answers: {
      200: { description: 'In order.', schema: z.object({ deadLetters: z.array(DeadLetter) }) },
      ...UNKNOWN,
    },
    async handle(call) {
      const { name } = await consumerOf(call)
      return { deadLetters: await call.server.store.consumers().deadLetters(name) }
    },
  }),
  route({
    method: 'POST',
    path: `${path}/dead-letters/replay`,
    id: 'replayDeadLetters',
    tag,
    summary: 'Have dead letters delivered again, before anything else',
    access: 'write',
    anywhere: true,
    body: z.strictObject({ which }),
    answers: { 200: { description: 'How many.', schema: z.object({ replayed: z.int() }) }, ...UNKNOWN },
    async handle(call) {
      const { name } = await consumerOf(call)
      return await call.server.store.consumers().replay(name, call.body.which)
    },
  }),
  route({
    method: 'POST',
    path: `${path}/dead-letters/discard`,
    id: 'discardDeadLetters',
    tag,
    summary: 'Give dead letters up',
    access: 'write',
    anywhere: true,
    body: z.strictObject({ which }),
    answers: { 200: { description: 'How many.', schema: z.object({ discarded: z.int() }) }, ...UNKNOWN },
    async handle(call) {
      const { name } = await consumerOf(call)
      return await call.server.store.consumers().discard(name, call.body.which)
    },
  }),
  route({
    method: 'POST',
    path: '/v1/events/prune',
    id: 'pruneEvents',
    tag: 'Events',
    summary: "Delete a collection's events before a position",
    description: 'Refused while a consumer has not acknowledged them, unless `force`.',
    access: 'admin',
    anywhere: true,
    body: z.strictObject({
      collection: Identifier,
      before: z.int().min(0),
      force: z.boolean().exactOptional(),
    }),
    answers: { 200: { description: 'How many.', schema: z.object({ pruned: z.int() }) } },
    async handle({ body, server, visit }) {
      const { collection, before, force } = body
      requireAccess(visit.principal, 'admin', { collection })
      return await server.store.consumers().pruneEvents(collection, { before, force: force === true })
    },
  }),
]

/** Reading as a durable consumer, by long-poll. */
export const PULL_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: `${path}/next`,
    id: 'nextEvents',
    tag,
    summary: 'Take the next events, and wait for them',
    description: `Takes the consumer for \`holder\` (without one, the answer names one; send it from then on) and keeps it
while the holder is heard of within \`duration\`. Events come in order within a collection, each until it has an answer:
what was delivered and not answered comes first in the next batch, so that nothing is lost with a connection. To take
more while earlier events are worked on, send \`lease\` and, as \`after\`, the \`batch\` of the last answer that arrived.
A consumer that does not exist is made when a \`filter\` is sent ({} admits everything).`,
    access: 'write',
    anywhere: true,
    stream: true,
    body: z.strictObject({
      holder: Identifier.exactOptional(),
      lease: z.string().max(100).exactOptional(),
      after: z.int().min(0).exactOptional(),
      batch: z
        .int()
        .min(1)
        .max(1000)
        .exactOptional()
        .meta({ description: 'At most so many events; default 100.' }),
      wait: z
        .int()
        .min(0)
        .max(60_000)
        .exactOptional()
        .meta({ description: 'Milliseconds to wait for the first; default 20 000.' }),
      duration: z
        .int()
        .min(100)
        .max(3_600_000)
        .exactOptional()
        .meta({ description: 'Of the lease; default 30 000 ms.' }),
      filter: EventFilter.exactOptional(),
      from: Start.exactOptional().meta({ description: 'Where a consumer that is made now begins.' }),
      follow: z.boolean().exactOptional(),
      maxUnacked: z.int().min(1).max(1000).exactOptional(),
      maxAttempts: z.int().min(1).exactOptional(),
    }),
    answers: {
      200: { description: 'Deliveries, none when the wait was over.', schema: Batch },
      ...UNKNOWN,
      ...LEASED,
    },
    async handle(call) {
      const { params, body, visit } = call
      const filter = body.filter === undefined ? (await consumerOf(call)).filter : body.filter
      requireReach(visit.principal, filter)
      const taken = await holdersOf(call).next(
        params.consumer,
        {
          holder: body.holder,
          filter,
          from: body.from,
          follow: body.follow !== false,
          duration: body.duration ?? 30_000,
          maxUnacked: body.maxUnacked,
          maxAttempts: body.maxAttempts,
          batch: body.batch ?? 100,
          wait: body.wait ?? 20_000,
          ...(body.lease !== undefined && { lease: body.lease }),
          ...(body.after !== undefined && { after: body.after }),
        },
        [visit.signal, visit.stopping],
      )
      // It may have waited long; what is not given comes again.
      visit.recheck()
      for (const event of taken.events) requireVisible(visit.principal, event)
      return { ...taken, events: taken.events.map((event) => ({ ...event, cursor: event.cursor })) }
    },
  }),
  route({
    method: 'POST',
    path: `${path}/ack`,
    id: 'ackEvents',
    tag,
    summary: 'Acknowledge events, in order',
    description: 'By their ids. Durable when it is answered. Those acknowledged already are passed over.',
    access: 'write',
    anywhere: true,
    body: z.strictObject({ holder: Identifier, lease, ids: z.array(Identifier).min(1).max(10_000) }),
    answers: {
      200: { description: 'How many.', schema: z.object({ answered: z.int() }) },
      ...UNKNOWN,
      ...LEASED,
    },
    async handle(call) {
      const { name } = await consumerOf(call)
      return await holdersOf(call).ack(name, call.body, call.body.ids)
    },
  }),
  route({
    method: 'POST',
    path: `${path}/nack`,
    id: 'nackEvent',
    tag,
    summary: 'Give an event back',
    description:
      'Its collection is held back until `delay` milliseconds are over (without one: 1 s, doubling up to 5 min) and goes on with this event.',
    access: 'write',
    anywhere: true,
    body: z.strictObject({
      holder: Identifier,
      lease,
      id: Identifier,
      delay: z.int().min(0).exactOptional(),
      error: z.string().max(10_000).exactOptional(),
    }),
    answers: {
      200: {
        description: 'What of its collection came after it, up to this batch, comes again.',
        schema: z.object({ batch: z.int() }),
      },
      ...UNKNOWN,
      ...LEASED,
    },
    async handle(call) {
      const { name } = await consumerOf(call)
      const { id, delay, error } = call.body
      return await holdersOf(call).fail(name, call.body, id, (event) =>
        event.nack({ ...(delay !== undefined && { delay }), ...(error !== undefined && { error }) }),
      )
    },
  }),
  route({
    method: 'POST',
    path: `${path}/terminate`,
    id: 'terminateEvent',
    tag,
    summary: 'Give an event up: it becomes a dead letter at once',
    access: 'write',
    anywhere: true,
    body: z.strictObject({
      holder: Identifier,
      lease,
      id: Identifier,
      error: z.string().max(10_000).exactOptional(),
    }),
    answers: {
      200: {
        description: 'What of its collection came after it, up to this batch, comes again.',
        schema: z.object({ batch: z.int() }),
      },
      ...UNKNOWN,
      ...LEASED,
    },
    async handle(call) {
      const { name } = await consumerOf(call)
      const { id, error } = call.body
      return await holdersOf(call).fail(name, call.body, id, (event) =>
        event.terminate(error === undefined ? {} : { error }),
      )
    },
  }),
  route({
    method: 'POST',
    path: `${path}/release`,
    id: 'releaseConsumer',
    tag,
    summary: 'Let a consumer go, for the next holder',
    access: 'write',
    anywhere: true,
    body: z.strictObject({ holder: Identifier }),
    answers: { 204: { description: 'Nobody holds it by this name.' }, ...UNKNOWN },
    async handle(call) {
      const { name } = await consumerOf(call)
      await holdersOf(call).release(name, call.body.holder)
      return new Answer(204, undefined)
    },
  }),
]
