import { z } from 'zod'
import { reaches, requireAccess } from '../../wire/principal.ts'
import { Answer, route, type Services } from '../route.ts'
import { CollectionInfo, Identifier, WriteResult } from '../schemas.ts'

const tag = 'Collections'

/** What the store's list says of one of its collections. */
async function infoOf({ store, collection }: Services, name: string) {
  const { id } = await collection(name)
  return toInfo((await store.collections()).find((info) => info.id === id)!)
}

/** Without the ledger's own number for it. */
const toInfo = <T extends { readonly ref: number }>({ ref: _, ...info }: T): Omit<T, 'ref'> => info

export const collectionRoutes = [
  route({
    method: 'GET',
    path: '/v1/collections',
    id: 'listCollections',
    tag,
    summary: 'List the collections the caller reaches, by name',
    access: 'read',
    anywhere: true,
    answers: {
      200: { description: 'All of them', schema: z.object({ collections: z.array(CollectionInfo) }) },
    },
    handle: async ({ server, visit }) => ({
      collections: (await server.store.collections())
        .filter(({ name }) => reaches(visit.principal, name))
        .map(toInfo),
    }),
  }),
  route({
    method: 'PUT',
    path: '/v1/collections/{collection}',
    id: 'openCollection',
    tag,
    summary: 'Open a collection, or create it',
    description:
      'A collection that is there is opened, whatever the access of the caller; making one needs write access. Nothing else makes a collection.',
    access: 'read',
    body: z
      .strictObject({
        metric: z.enum(['cosine', 'l2', 'ip']).exactOptional(),
        recreate: z.boolean().exactOptional().meta({
          description: 'Allow a name that belonged to a collection since renamed or dropped.',
        }),
      })
      .default({}),
    answers: {
      200: { description: 'It was there', schema: CollectionInfo },
      201: { description: 'It was made', schema: CollectionInfo },
    },
    async handle({ params: { collection: name }, body, server, visit }) {
      const before = (await server.store.collections()).some((info) => info.name === name)
      if (!before) requireAccess(visit.principal, 'write', { collection: name })
      await server.store.collection(name, body)
      return new Answer(before ? 200 : 201, await infoOf(server, name))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/collections/{collection}',
    id: 'getCollection',
    tag,
    summary: 'Where a collection stands',
    access: 'read',
    answers: { 200: { description: 'It is there', schema: CollectionInfo } },
    handle: ({ params, server }) => infoOf(server, params.collection),
  }),
  route({
    method: 'PATCH',
    path: '/v1/collections/{collection}',
    id: 'renameCollection',
    tag,
    summary: 'Rename a collection',
    description: 'Its id, its spans and its events stay. The caller must reach both names.',
    access: 'admin',
    body: z.strictObject({ name: Identifier }),
    answers: { 200: { description: 'Under its new name', schema: CollectionInfo } },
    async handle({ params, body, server, visit }) {
      requireAccess(visit.principal, 'admin', { collection: body.name })
      await server.store.renameCollection(params.collection, body.name)
      return await infoOf(server, body.name)
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/collections/{collection}',
    id: 'dropCollection',
    tag,
    summary: 'Drop a collection',
    description:
      'Its keys answer tombstone from now on; summaries elsewhere that stood on them get their causes.',
    access: 'admin',
    answers: { 200: { description: 'Dropped', schema: WriteResult } },
    handle: ({ params, server }) => server.store.dropCollection(params.collection),
  }),
]
