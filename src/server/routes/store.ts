import { z } from 'zod'
import { reaches } from '../../wire/principal.ts'
import { route } from '../route.ts'
import { Problems, Stats } from '../schemas.ts'

const tag = 'Store'

export const storeRoutes = [
  route({
    method: 'GET',
    path: '/v1/store',
    id: 'getStore',
    tag,
    summary: 'Which store this is',
    access: 'read',
    anywhere: true,
    answers: { 200: { description: 'Its id, which backups share', schema: z.object({ id: z.string() }) } },
    handle: ({ server }) => ({ id: server.store.id }),
  }),
  route({
    method: 'GET',
    path: '/v1/cursor',
    id: 'cursor',
    tag,
    summary: 'Where every collection stands now, as one token',
    description: 'For basedOn, for events, and to compare later. It names collections by their ids alone.',
    access: 'read',
    anywhere: true,
    answers: { 200: { description: 'The cursor', schema: z.object({ cursor: z.string() }) } },
    handle: async ({ server }) => ({ cursor: await server.store.cursor() }),
  }),
  route({
    method: 'GET',
    path: '/v1/stats',
    id: 'stats',
    tag,
    summary: 'Count what is in the store',
    description: 'Reads much of it; /metrics has what is cheap. A confined caller sees its collections.',
    access: 'read',
    anywhere: true,
    answers: { 200: { description: 'Counts', schema: Stats } },
    async handle({ server, visit: { principal } }) {
      const { collections, ...rest } = await server.store.stats()
      return { ...rest, collections: collections.filter(({ name }) => reaches(principal, name)) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/verify',
    id: 'verify',
    tag,
    summary: 'Compare everything derived with what it derives from',
    description: 'An empty list means all is well. repair sets right what can be derived.',
    patient: true,
    access: 'admin',
    body: z.strictObject({ repair: z.boolean().exactOptional() }).default({}),
    answers: { 200: { description: 'What is wrong', schema: Problems } },
    handle: async ({ body, server }) => ({ problems: await server.store.verify(body) }),
  }),
  route({
    method: 'POST',
    path: '/v1/prune',
    id: 'prune',
    tag,
    summary: 'Drop the texts of spans retired before a time',
    description: 'Tombstones, successors and lineage stay.',
    patient: true,
    access: 'admin',
    body: z.strictObject({
      before: z.int().min(0).meta({ description: 'Milliseconds since the epoch.' }),
    }),
    answers: {
      200: {
        description: 'Done',
        schema: z.object({ pruned: z.int().min(0), reclaimed: z.boolean() }),
      },
    },
    handle: ({ body, server, visit: { signal } }) => server.store.prune({ ...body, signal }),
  }),
]
