import { z } from 'zod'
import { Problem } from '../../wire/problem.ts'
import { DOCS_PAGE, DOCS_POLICY } from '../docs-page.ts'
import { openapiOf } from '../openapi.ts'
import { type Route, route } from '../route.ts'

const tag = 'Service'

const Said = z.object({ status: z.literal('ok') })

/** What looks after a server asks of it. */
export const serviceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/healthz',
    id: 'healthz',
    tag,
    summary: 'Whether the process answers',
    access: 'public',
    answers: { 200: { description: 'It does', schema: Said } },
    handle: () => ({ status: 'ok' }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    id: 'readyz',
    tag,
    summary: 'Whether the store answers',
    access: 'public',
    answers: {
      200: { description: 'It does', schema: Said },
      503: { description: 'It does not; or the server is stopping' },
    },
    async handle({ server }) {
      try {
        await server.store.collections()
      } catch (cause) {
        throw new Problem(503, 'STORE_CLOSED', 'the store does not answer', { cause })
      }
      return { status: 'ok' }
    },
  }),
  route({
    method: 'GET',
    path: '/metrics',
    id: 'metrics',
    tag,
    summary: 'What happens, in the text format of Prometheus',
    access: 'read',
    answers: { 200: { description: 'Metrics', schema: z.string(), type: 'text/plain' } },
    async handle({ server }) {
      const { text, type } = await server.metrics.text()
      return new Response(text, { headers: { 'Content-Type': type } })
    },
  }),
  route({
    method: 'GET',
    path: '/openapi.json',
    id: 'openapi',
    tag,
    summary: 'This interface, described in OpenAPI 3.1',
    access: 'public',
    answers: { 200: { description: 'The document', schema: z.looseObject({ openapi: z.string() }) } },
    handle: ({ server }) => openapiOf(server.routes),
  }),
  route({
    method: 'GET',
    path: '/docs',
    id: 'docs',
    tag,
    summary: 'This interface, to browse and to try',
    access: 'public',
    answers: { 200: { description: 'A page', schema: z.string(), type: 'text/html' } },
    handle: () =>
      new Response(DOCS_PAGE, {
        headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': DOCS_POLICY },
      }),
  }),
]
