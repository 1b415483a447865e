import { z } from 'zod'
import type { FetchResult } from '../../index.ts'
import { type Principal, reaches } from '../../wire/principal.ts'
import { FETCH_ANSWERS, fetchAnswer } from '../results.ts'
import { counted, route, type Services } from '../route.ts'
import {
  AsOf,
  CommandId,
  Dependent,
  Erased,
  ExpectedRevision,
  FetchResult as FetchResultSchema,
  Identifier,
  Keys,
  Lineage,
  Metadata,
  Position,
  Retired,
  Updated,
  Where,
} from '../schemas.ts'
import { asked } from './sources.ts'

const tag = 'Keys'
const HERE = '/v1/collections/{collection}'

/** The collection of what a key names. */
const collectionOf = (result: FetchResult): string | undefined =>
  result.status === 'absent'
    ? undefined
    : result.status === 'tombstone'
      ? result.tombstone.collection
      : result.span.collection

/** To a caller confined to collections, keys of others are absent, as they are to `collection.fetch`. */
export function within(principal: Principal, result: FetchResult): FetchResult {
  const collection = collectionOf(result)
  return collection === undefined || reaches(principal, collection)
    ? result
    : { status: 'absent', key: result.key }
}

const fetched = z.object({ results: z.array(FetchResultSchema) })

/** Whether a key names something the caller does not reach. What is hidden is to be as what never was. */
async function hidden(server: Services, principal: Principal, key: string): Promise<boolean> {
  if (principal.collections === undefined) return false
  const result = await server.store.fetch(key)
  return result.status !== 'absent' && within(principal, result).status === 'absent'
}

export const keyRoutes = [
  route({
    method: 'GET',
    path: '/v1/keys/{key}',
    id: 'fetch',
    tag,
    summary: 'What a key stands for, in whatever collection: exactly one of four results',
    access: 'read',
    anywhere: true,
    answers: FETCH_ANSWERS,
    async handle({ params, server, visit }) {
      const result = within(visit.principal, await server.store.fetch(params.key))
      return fetchAnswer(counted(server, result), '/v1/keys')
    },
  }),
  route({
    method: 'POST',
    path: '/v1/fetch',
    id: 'fetchMany',
    tag,
    summary: 'What many keys stand for',
    description: 'One result per key, in the order asked, duplicates kept.',
    access: 'read',
    anywhere: true,
    body: z.strictObject({ keys: Keys }),
    answers: { 200: { description: 'One slot per key', schema: fetched } },
    async handle({ body, server, visit }) {
      const results = await server.store.fetchMany(body.keys)
      return { results: results.map((result) => counted(server, within(visit.principal, result))) }
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/keys/{key}`,
    id: 'fetchInCollection',
    tag,
    summary: 'What a key of this collection stands for; keys of others are absent',
    access: 'read',
    query: AsOf,
    answers: FETCH_ANSWERS,
    async handle({ params, query, server, request }) {
      const collection = await server.collection(params.collection)
      const result = counted(server, await collection.fetch(params.key, query))
      const { pathname } = new URL(request.url)
      return fetchAnswer(result, pathname.slice(0, pathname.lastIndexOf('/')))
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/fetch`,
    id: 'fetchManyInCollection',
    tag,
    summary: 'What many keys of this collection stand for',
    description:
      'One result per key, in the order asked, duplicates kept; with asOf, what they answered then.',
    access: 'read',
    body: z.strictObject({ keys: Keys, asOf: Position.exactOptional() }),
    answers: { 200: { description: 'One slot per key', schema: fetched } },
    async handle({ params, body: { keys, ...options }, server }) {
      const collection = await server.collection(params.collection)
      const results = await collection.fetchMany(keys, options)
      return { results: results.map((result) => counted(server, result)) }
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/keys/{key}/lineage`,
    id: 'lineage',
    tag,
    summary: "Where a key's text came from and what became of it",
    access: 'read',
    answers: { 200: { description: 'Nodes and edges; none for a key never seen', schema: Lineage } },
    async handle({ params, server, visit }) {
      const collection = await server.collection(params.collection)
      if (await hidden(server, visit.principal, params.key)) return { key: params.key, nodes: [], edges: [] }
      return await collection.lineage(params.key)
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/keys/{key}/dependents`,
    id: 'dependents',
    tag,
    summary: 'Every summary that stands on a key, at any depth, nearest first',
    description: 'In whatever collection, as far as the caller reaches.',
    access: 'read',
    answers: { 200: { description: 'All of them', schema: z.object({ dependents: z.array(Dependent) }) } },
    async handle({ params, server, visit: { principal } }) {
      const collection = await server.collection(params.collection)
      if (await hidden(server, principal, params.key)) return { dependents: [] }
      const dependents = await collection.dependents(params.key)
      return { dependents: dependents.filter((one) => reaches(principal, one.collection)) }
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/update`,
    id: 'update',
    tag,
    summary: 'Change metadata of live spans, and nothing else',
    description:
      'Given fields are set and others stay; unset removes fields; replace makes the given metadata all there is.',
    access: 'write',
    command: true,
    conditional: true,
    body: z.strictObject({
      keys: Keys,
      metadata: Metadata.exactOptional(),
      unset: z.array(Identifier).exactOptional(),
      replace: z.boolean().exactOptional(),
      expectedRevision: ExpectedRevision.exactOptional(),
      commandId: CommandId.exactOptional(),
    }),
    answers: { 200: { description: 'Done', schema: Updated } },
    async handle({ params, body, command, expected, server }) {
      return await (await server.collection(params.collection)).update(asked({ body, command, expected }))
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/retire`,
    id: 'retire',
    tag,
    summary: 'Retire live spans, by key or by filter',
    access: 'write',
    command: true,
    conditional: true,
    body: z
      .strictObject({
        keys: Keys.exactOptional(),
        where: Where.exactOptional(),
        reason: z.enum(['deleted', 'evicted']).exactOptional(),
        expectedRevision: ExpectedRevision.exactOptional(),
        commandId: CommandId.exactOptional(),
      })
      .refine(
        ({ keys, where }) => (keys === undefined) !== (where === undefined),
        'give either keys or where',
      ),
    answers: { 200: { description: 'Done', schema: Retired } },
    async handle({ params, body, command, expected, server }) {
      const { keys, where, ...options } = asked({ body, command, expected })
      const collection = await server.collection(params.collection)
      return await collection.retire(keys ?? { where: where! }, options)
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/erase`,
    id: 'erase',
    tag,
    summary: 'Remove text physically, from every file of the store',
    description:
      'Keys and lineage stay, as tombstones with erasedAt. complete is false, with waitingFor, until the last file is clean; asking again finishes it.',
    patient: true,
    access: 'admin',
    command: true,
    conditional: true,
    body: z
      .strictObject({
        keys: Keys.exactOptional(),
        source: Identifier.exactOptional(),
        cascade: z
          .boolean()
          .exactOptional()
          .meta({ description: 'Live spans that hold the same bytes too.' }),
        expectedRevision: ExpectedRevision.exactOptional(),
        commandId: CommandId.exactOptional(),
      })
      .refine(
        ({ keys, source }) => (keys === undefined) !== (source === undefined),
        'give either keys or source',
      ),
    answers: { 200: { description: 'Done', schema: Erased } },
    async handle({ params, body, command, expected, server }) {
      const { keys, source, ...options } = asked({ body, command, expected })
      const collection = await server.collection(params.collection)
      return await collection.erase(keys === undefined ? { source: source! } : { keys }, options)
    },
  }),
]
