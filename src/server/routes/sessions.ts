import { z } from 'zod'
import { parseAnchors } from '../../core/anchors.ts'
import type { FetchResult, Session, SummaryInput } from '../../index.ts'
import { type Principal, requireAccess } from '../../wire/principal.ts'
import { FETCH_ANSWERS, fetchAnswer } from '../results.ts'
import { counted, route, type Services } from '../route.ts'
import { CommandId, Identifier, Keys, Position, Summary } from '../schemas.ts'
import { within } from './keys.ts'
import { commanded } from './sources.ts'

const tag = 'Sessions'
export const SESSION = '/v1/collections/{collection}/sessions/{session}'

export async function sessionOf(
  server: Services,
  params: { readonly collection: string; readonly session: string },
): Promise<Session> {
  return (await server.collection(params.collection)).session(params.session)
}

/**
 * Keys of any collection may stand in a summary. A caller confined to collections may only bring in what it reaches:
 * what it registered today would be read back to it tomorrow.
 * @throws Problem FORBIDDEN (403)
 */
export async function requireReach(
  server: Services,
  principal: Principal,
  keys: readonly string[],
): Promise<void> {
  if (principal.collections === undefined) return
  for (const result of await server.store.fetchMany(keys))
    if (result.status !== 'absent' && within(principal, result).status === 'absent')
      requireAccess(principal, 'read', { collection: collectionNamed(result) })
}

const collectionNamed = (result: Exclude<FetchResult, { status: 'absent' }>): string =>
  result.status === 'tombstone' ? result.tombstone.collection : result.span.collection

const keysIn = ({ text, claims = [], dependsOn = [], covers = [] }: SummaryInput): string[] => [
  ...parseAnchors([text, ...claims].join('\n')).keys,
  ...dependsOn,
  ...covers,
]

const SummaryBody = z
  .strictObject({
    text: z.string().meta({ description: 'Anchors in it, [[KEY]], are its dependencies.' }),
    claims: z.array(z.string()).exactOptional().meta({ description: 'Its sentences, unless given.' }),
    dependsOn: Keys.exactOptional(),
    covers: Keys.exactOptional().meta({ description: 'Keys of the spans it stands for.' }),
    replaces: z.union([z.string(), Keys]).exactOptional(),
    basedOn: z
      .union([Position, z.string()])
      .exactOptional()
      .meta({ description: 'What the summarizer had read: a position of this collection, or a cursor.' }),
    completeness: z.number().min(0).max(1).exactOptional().meta({
      description:
        'How complete the summarizer calls it, from 0 to 1. Kept to be held against it, never believed.',
    }),
  })
  .meta({ id: 'SummaryInput' })

const Registration = z
  .object({ key: z.string(), epoch: z.int(), position: Position, stale: z.array(z.string()) })
  .meta({ id: 'Registration' })

const Summaries = z.object({ summaries: z.array(Summary) })

export const sessionRoutes = [
  route({
    method: 'POST',
    path: `${SESSION}/summaries`,
    id: 'register',
    tag,
    summary: 'Store summaries, as one epoch, with what they depend on',
    description:
      'Nothing is born stale: a dependency that is absent, empty, retired or itself not current is refused.',
    access: 'write',
    command: true,
    body: z.strictObject({
      summaries: z.array(SummaryBody).min(1).max(1000),
      commandId: CommandId.exactOptional(),
    }),
    answers: {
      200: { description: 'Done', schema: z.object({ registrations: z.array(Registration) }) },
    },
    async handle({ params, body, command, server, visit }) {
      const { summaries, ...options } = commanded({ body, command })
      await requireReach(server, visit.principal, summaries.flatMap(keysIn))
      const session = await sessionOf(server, params)
      return { registrations: await session.register(summaries, options) }
    },
  }),
  route({
    method: 'GET',
    path: `${SESSION}/summaries`,
    id: 'summaries',
    tag,
    summary: "The session's live summaries, oldest first, with state and causes",
    access: 'read',
    answers: { 200: { description: 'All of them', schema: Summaries } },
    handle: async ({ params, server }) => ({
      summaries: await (await sessionOf(server, params)).summaries(),
    }),
  }),
  route({
    method: 'GET',
    path: `${SESSION}/stale`,
    id: 'stale',
    tag,
    summary: 'The live summaries that are not current, with what they lack',
    access: 'read',
    answers: { 200: { description: 'All of them', schema: Summaries } },
    handle: async ({ params, server }) => ({
      summaries: await (await sessionOf(server, params)).stale(),
    }),
  }),
  route({
    method: 'GET',
    path: `${SESSION}/authoritative/{key}`,
    id: 'authoritative',
    tag,
    summary: 'The one representation of a key that counts in this session',
    description:
      'The latest current summary of the session that covers it, else the original, as fetch answers it.',
    access: 'read',
    answers: FETCH_ANSWERS,
    async handle({ params, server, visit }) {
      const result = await (await sessionOf(server, params)).authoritative(params.key)
      return fetchAnswer(counted(server, within(visit.principal, result)), '/v1/keys')
    },
  }),
  route({
    method: 'POST',
    path: `${SESSION}/context`,
    id: 'context',
    tag,
    summary: 'What to read now, in the place of the spans of the session',
    description:
      'Tokens are estimated at four characters each: a counter of your own is for the library. When maxTokens does not hold everything, the oldest go.',
    access: 'read',
    body: z.strictObject({ maxTokens: z.int().min(1), source: Identifier.exactOptional() }),
    answers: {
      200: {
        description: 'Oldest first',
        schema: z.object({
          entries: z.array(
            z.object({
              key: z.string(),
              kind: z.enum(['span', 'summary']),
              text: z.string(),
              tokens: z.int(),
              covers: z.array(z.string()),
            }),
          ),
          tokens: z.int(),
          omitted: z.array(z.string()),
        }),
      },
    },
    async handle({ params, body, server, visit }) {
      const context = await (await sessionOf(server, params)).context(body)
      await requireReach(
        server,
        visit.principal,
        context.entries.map(({ key }) => key),
      )
      return context
    },
  }),
]
