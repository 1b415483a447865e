import { z } from 'zod'
import { route } from '../route.ts'
import { FindBody, Found, SearchBody, SearchResult, SimilarBody, Where } from '../schemas.ts'

const tag = 'Searching'
const HERE = '/v1/collections/{collection}'

export const searchRoutes = [
  route({
    method: 'POST',
    path: `${HERE}/search`,
    id: 'search',
    tag,
    summary: 'The live spans that fit a query, best first',
    description:
      'By words, by vectors, or by both. A retired span can never be a hit, what was just written is found, and an answer that may be missing something says so.',
    access: 'read',
    body: SearchBody,
    answers: { 200: { description: 'Hits', schema: SearchResult } },
    async handle({ params, body, server, visit: { signal } }) {
      return await (await server.collection(params.collection)).search({ ...body, signal })
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/similar`,
    id: 'similar',
    tag,
    summary: 'The live spans whose vectors are nearest to that of a live span',
    access: 'read',
    body: SimilarBody,
    answers: { 200: { description: 'Hits', schema: SearchResult } },
    async handle({ params, body: { key, ...options }, server, visit: { signal } }) {
      return await (await server.collection(params.collection)).similar(key, { ...options, signal })
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/find`,
    id: 'find',
    tag,
    summary: 'Live spans whose metadata match, oldest first',
    access: 'read',
    body: FindBody.default({}),
    answers: { 200: { description: 'Spans', schema: Found } },
    async handle({ params, body, server }) {
      return { spans: await (await server.collection(params.collection)).find(body) }
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/count`,
    id: 'count',
    tag,
    summary: 'How many live spans there are, or how many match',
    access: 'read',
    body: z.strictObject({ where: Where.exactOptional() }).default({}),
    answers: { 200: { description: 'The number', schema: z.object({ count: z.int().min(0) }) } },
    async handle({ params, body, server }) {
      return { count: await (await server.collection(params.collection)).count(body) }
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/embed`,
    id: 'embed',
    tag,
    summary: 'Compute the vectors that deferred puts left out, now',
    description:
      'They are computed in the background as well. Needs an embedder in the server; changing a collection to another embedder is for the library and the command line.',
    patient: true,
    access: 'write',
    body: z.strictObject({ batch: z.int().min(1).max(10_000).exactOptional() }).default({}),
    answers: { 200: { description: 'How many', schema: z.object({ embedded: z.int().min(0) }) } },
    async handle({ params, body, server, visit: { signal } }) {
      return await (await server.collection(params.collection)).embed({ ...body, signal })
    },
  }),
]
