import { z } from 'zod'
import type { PutInput, SourceResult as SourceResultValue } from '../../index.ts'
import { Problem } from '../../wire/problem.ts'
import { chunkerNamed } from '../chunker-named.ts'
import { etag, SOURCE_ANSWERS, sourceAnswer } from '../results.ts'
import { Answer, type Call, route } from '../route.ts'
import {
  AsOf,
  BATCH,
  CommandId,
  ExpectedRevision,
  numeral,
  PutBody,
  PutItem,
  PutResult,
  Retired,
  Revision,
  RevisionDiff,
  RevisionText,
  SourceResult,
  Spans,
} from '../schemas.ts'

const tag = 'Sources'
const HERE = '/v1/collections/{collection}/sources'

const written = { 200: { description: 'Done; ETag is the revision', schema: PutResult } }

/** Body and headers say the same things; said twice, they must agree. */
function agreed<T extends object, C extends object>(body: T, headers: C, header: string): T & C {
  for (const [name, value] of Object.entries(headers)) {
    const said = (body as Record<string, unknown>)[name]
    if (said !== undefined && said !== value)
      throw new Problem(400, 'INVALID_ARGUMENT', `${name}: the body says one thing and ${header} another`)
  }
  return { ...body, ...headers }
}

export const commanded = <T extends object>({
  body,
  command,
}: Pick<Call<string, unknown, T>, 'body' | 'command'>) => agreed(body, command, 'Idempotency-Key')

/** With the condition of a header, for routes that take one. */
export const asked = <T extends object>({
  body,
  command,
  expected,
}: Pick<Call<string, unknown, T>, 'body' | 'command' | 'expected'>) =>
  agreed(commanded({ body, command }), expected, 'If-Match')

const withChunker = <T extends { readonly chunker?: string }>({ chunker, ...rest }: T, path: string) => ({
  ...rest,
  ...(chunker === undefined ? {} : { chunker: chunkerNamed(chunker, `${path}.chunker`) }),
})

export const sourceRoutes = [
  route({
    method: 'GET',
    path: HERE,
    id: 'listSources',
    tag,
    summary: 'List the sources of a collection, by name',
    description: 'Removed ones too. A page ends with next, when there are more: ask for those after it.',
    access: 'read',
    query: z.strictObject({ after: z.string().exactOptional(), limit: numeral(1).exactOptional() }),
    answers: {
      200: {
        description: 'A page',
        schema: z.object({ sources: z.array(SourceResult), next: z.string().exactOptional() }),
      },
    },
    async handle({ params, query: { after, limit = 200 }, server }) {
      const most = Math.min(limit, 1000)
      const sources: SourceResultValue[] = []
      for await (const source of (await server.collection(params.collection)).sources(
        after === undefined ? {} : { after },
      )) {
        if (sources.length === most) return { sources, next: sources.at(-1)!.source }
        sources.push(source)
      }
      return { sources }
    },
  }),
  route({
    method: 'POST',
    path: HERE,
    id: 'putMany',
    tag,
    summary: 'Put several sources in one transaction: all or none',
    access: 'write',
    command: true,
    body: z.strictObject({ puts: z.array(PutItem).max(BATCH), commandId: CommandId.exactOptional() }),
    answers: { 200: { description: 'Done', schema: z.object({ results: z.array(PutResult) }) } },
    async handle({ params, body, command, server }) {
      const { puts, ...options } = commanded({ body, command })
      const collection = await server.collection(params.collection)
      const inputs = puts.map((put, i) => withChunker(put, `body.puts[${i}]`))
      return { results: await collection.putMany(inputs as PutInput[], options) }
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/{source}`,
    id: 'getSource',
    tag,
    summary: 'What a source is: one of four results',
    access: 'read',
    query: AsOf,
    answers: SOURCE_ANSWERS,
    async handle({ params, query, server }) {
      const collection = await server.collection(params.collection)
      return sourceAnswer(await collection.source(params.source, query))
    },
  }),
  route({
    method: 'PUT',
    path: `${HERE}/{source}`,
    id: 'put',
    tag,
    summary: 'Ingest, edit and re-chunk in one',
    description:
      'Takes text, or ready-made spans. What is still there keeps its keys; the rest becomes tombstones with successors, and summaries that stood on it are marked, in one transaction. A text that changes nothing writes nothing.',
    access: 'write',
    command: true,
    conditional: true,
    body: PutBody,
    answers: written,
    async handle({ params, body, command, expected, server }) {
      const collection = await server.collection(params.collection)
      const input = asked({ body, command, expected })
      const result = await collection.put({
        ...withChunker(input, 'body'),
        source: params.source,
      } as PutInput)
      return new Answer(200, result, { ETag: etag(result.revision) })
    },
  }),
  route({
    method: 'DELETE',
    path: `${HERE}/{source}`,
    id: 'remove',
    tag,
    summary: 'Take a whole source away',
    description: 'Its spans become tombstones, reason deleted. Removing what is not there is no error.',
    access: 'write',
    command: true,
    conditional: true,
    query: z.strictObject({
      commandId: CommandId.exactOptional(),
      expectedRevision: numeral(0).exactOptional(),
    }),
    answers: { 200: { description: 'Done', schema: Retired } },
    async handle({ params, query, command, expected, server }) {
      const collection = await server.collection(params.collection)
      return await collection.remove({ source: params.source, ...asked({ body: query, command, expected }) })
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/{source}/append`,
    id: 'append',
    tag,
    summary: 'Add spans to the end of a source',
    description: 'In time that does not depend on its length; the source is made if need be.',
    access: 'write',
    command: true,
    conditional: true,
    body: z.strictObject({
      spans: Spans,
      expectedRevision: ExpectedRevision.exactOptional(),
      commandId: CommandId.exactOptional(),
      readmit: z.boolean().exactOptional(),
      defer: z.boolean().exactOptional(),
    }),
    answers: written,
    async handle({ params, body, command, expected, server }) {
      const collection = await server.collection(params.collection)
      const result = await collection.append({ source: params.source, ...asked({ body, command, expected }) })
      return new Answer(200, result, { ETag: etag(result.revision) })
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/{source}/text`,
    id: 'read',
    tag,
    summary: "A revision's text, byte for byte, with the place of each span",
    access: 'read',
    query: z.strictObject({ revision: numeral(1).exactOptional() }),
    answers: { 200: { description: 'The last revision unless told', schema: RevisionText } },
    async handle({ params, query, server }) {
      return await (await server.collection(params.collection)).read(params.source, query)
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/{source}/history`,
    id: 'history',
    tag,
    summary: 'All revisions of a source, oldest first',
    access: 'read',
    answers: { 200: { description: 'All of them', schema: z.object({ revisions: z.array(Revision) }) } },
    async handle({ params, server }) {
      return { revisions: await (await server.collection(params.collection)).history(params.source) }
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/{source}/diff`,
    id: 'diff',
    tag,
    summary: 'What became of the spans between two revisions',
    access: 'read',
    query: z.strictObject({ from: numeral(1), to: numeral(1) }),
    answers: { 200: { description: 'The difference', schema: RevisionDiff } },
    async handle({ params, query, server }) {
      return await (await server.collection(params.collection)).diff(params.source, query.from, query.to)
    },
  }),
]
