import { z } from 'zod'
import { isSpanStoreError } from '../../core/errors.ts'
import { isKey, type Key } from '../../core/key.ts'
import type { Gated } from '../../index.ts'
import type { Principal } from '../../wire/principal.ts'
import { FETCH_ANSWERS, fetchAnswer } from '../results.ts'
import { counted, route, type Services } from '../route.ts'
import { CommandId, Keys, numeral, Position, SearchBody, SearchResult } from '../schemas.ts'
import { requireReach, SESSION, sessionOf } from './sessions.ts'
import { commanded } from './sources.ts'

/*
 * The gate before an action and the monitor of compactions. What needs a function of the caller's (`compact`,
 * `reconcile`, a second opinion, a counter of tokens) is for the library: a summarizer runs where its caller is.
 */

const tag = 'Guarantees'

const Reason = z
  .looseObject({ code: z.string(), message: z.string(), key: z.string().exactOptional() })
  .meta({ id: 'GateReason' })

const GatedAnswer = z
  .object({
    verdict: z.enum(['substantiated', 'refused']),
    action: z.string().exactOptional(),
    claims: z.array(
      z.looseObject({
        text: z.string(),
        verdict: z.enum(['substantiated', 'refused']),
        source: z.enum(['summary', 'retrieval']),
        code: z.string().exactOptional(),
        reasons: z.array(Reason),
        derivable: z.boolean(),
        rehydrated: z.array(z.looseObject({ key: z.string(), status: z.string(), printed: z.boolean() })),
      }),
    ),
    reasons: z.array(Reason),
    cursor: z.string(),
    gate: z.int(),
  })
  .meta({ id: 'Gated' })

const ClaimInput = z
  .strictObject({
    text: z.string(),
    selfSufficient: z.boolean().exactOptional(),
    dependencyKey: z.string().exactOptional(),
    dependencyKeys: Keys.exactOptional(),
    summary: z.string().exactOptional(),
  })
  .meta({ id: 'ClaimInput' })

const GateBody = z.strictObject({
  claims: z
    .union([z.string(), z.array(ClaimInput).max(1000)])
    .meta({ description: 'The claims the action stands on, or the key of a summary: its claims.' }),
  action: z.string().exactOptional().meta({ description: 'What is about to be done, for the log.' }),
  allowUnverified: z.boolean().exactOptional(),
  allowBesideKeys: z.boolean().exactOptional(),
  ranks: z.boolean().exactOptional(),
})

const Frozen = z
  .object({
    decision: z.enum(['freeze', 'freeze_and_rollback']),
    reason: z.string(),
    epoch: z.int(),
    position: Position,
    at: z.number(),
    discarded: z.boolean(),
  })
  .meta({ id: 'Freeze' })

const Knobs = z.object({
  retention: z.int().min(0).exactOptional(),
  recencyWindow: z.int().min(0).exactOptional(),
})

/** Every key that an answer names, however deep. */
function keysOf(value: unknown, found = new Set<Key>()): ReadonlySet<Key> {
  if (isKey(value)) found.add(value)
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) keysOf(part, found)
  return found
}

/** An answer that rests on what a confined caller does not reach is kept from it. @throws Problem FORBIDDEN (403) */
async function confined<T>(server: Services, principal: Principal, answer: T): Promise<T> {
  if (principal.collections !== undefined) await requireReach(server, principal, [...keysOf(answer)])
  return answer
}

/** Counts verdicts, those that were thrown too. */
async function gated(server: Services, work: Promise<Gated>): Promise<Gated> {
  try {
    const answer = await work
    server.metrics.gated(answer.verdict)
    return answer
  } catch (error) {
    if (isSpanStoreError(error, 'REHYDRATION_BOUNDARY')) server.metrics.gated('refused')
    throw error
  }
}

export const guaranteeRoutes = [
  route({
    method: 'POST',
    path: `${SESSION}/gate`,
    id: 'gate',
    tag,
    summary: 'Ask, before an irreversible action, whether what it stands on can be substantiated now',
    description:
      'Every key is read at this moment; a claim passes when all of its keys lead to a text, down to spans, and it says what is found there. The answer is 200 also where it refuses: look at verdict, or use assert-gate. It is written down.',
    access: 'write',
    body: GateBody,
    answers: { 200: { description: 'The verdict', schema: GatedAnswer } },
    async handle({ params, body: { claims, ...options }, server, visit: { principal } }) {
      const session = await sessionOf(server, params)
      return await confined(server, principal, await gated(server, session.gate(claims, options)))
    },
  }),
  route({
    method: 'POST',
    path: `${SESSION}/assert-gate`,
    id: 'assertGate',
    tag,
    summary: 'The gate, which answers 409 instead of refusing',
    description: 'REHYDRATION_BOUNDARY names every refused claim. No status but 200 lets an action pass.',
    access: 'write',
    body: GateBody,
    answers: { 200: { description: 'Every claim is substantiated', schema: GatedAnswer } },
    async handle({ params, body: { claims, ...options }, server, visit: { principal } }) {
      const session = await sessionOf(server, params)
      try {
        return await confined(server, principal, await gated(server, session.assertGate(claims, options)))
      } catch (error) {
        // A refusal names keys, too.
        if (isSpanStoreError(error)) await confined(server, principal, error.detail)
        throw error
      }
    },
  }),
  route({
    method: 'POST',
    path: `${SESSION}/recheck`,
    id: 'recheck',
    tag,
    summary: 'Right before the action: whether a gate of this session still holds',
    description:
      'One comparison when nothing moved. A cursor is of a gate of this session, of whatever process.',
    access: 'write',
    body: z.strictObject({ cursor: z.string() }),
    answers: {
      200: {
        description: 'Whether it holds',
        schema: z.object({
          verdict: z.enum(['holds', 'refused']),
          moved: z.array(z.string()),
          message: z.string(),
          cursor: z.string(),
        }),
      },
    },
    handle: async ({ params, body, server }) => await (await sessionOf(server, params)).recheck(body.cursor),
  }),
  route({
    method: 'GET',
    path: `${SESSION}/boundary-markers`,
    id: 'boundaryMarkers',
    tag,
    summary: 'Claims past the boundary: no key can be derived for them, and a span they may stand on is gone',
    access: 'read',
    answers: {
      200: {
        description: 'All of them',
        schema: z.object({
          claims: z.array(
            z.object({ summary: z.string(), claim: z.int(), text: z.string(), key: z.string() }),
          ),
        }),
      },
    },
    handle: async ({ params, server }) => ({
      claims: await (await sessionOf(server, params)).boundaryMarkers(),
    }),
  }),
  route({
    method: 'GET',
    path: `${SESSION}/unrehydrated`,
    id: 'unrehydrated',
    tag,
    summary: 'Summaries acted on or cited, none of whose spans was read since they were registered',
    access: 'read',
    answers: {
      200: {
        description: 'All of them',
        schema: z.object({
          summaries: z.array(
            z.object({
              summary: z.string(),
              action: z.string().exactOptional(),
              at: z.number(),
              keys: z.array(z.string()),
            }),
          ),
        }),
      },
    },
    handle: async ({ params, server }) => ({
      summaries: await (await sessionOf(server, params)).unrehydrated(),
    }),
  }),
  route({
    method: 'POST',
    path: `${SESSION}/fetch`,
    id: 'sessionFetch',
    tag,
    summary: 'Read a key, and note whose idea it was',
    description: 'self: the agent cited it, from a summary or in its own words; external: any other.',
    access: 'write',
    body: z.strictObject({ key: z.string(), cited: z.enum(['self', 'external']) }),
    answers: FETCH_ANSWERS,
    async handle({ params, body: { key, cited }, server, visit }) {
      const session = await sessionOf(server, params)
      await requireReach(server, visit.principal, [key])
      return fetchAnswer(counted(server, await session.fetch(key, { cited })), '/v1/keys')
    },
  }),
  route({
    method: 'POST',
    path: `${SESSION}/search`,
    id: 'sessionSearch',
    tag,
    summary: "Search the collection within the session's recency window, and note every hit as read",
    access: 'write',
    body: SearchBody,
    answers: { 200: { description: 'Hits', schema: SearchResult } },
    async handle({ params, body, server, visit: { signal } }) {
      return await (await sessionOf(server, params)).search({ ...body, signal })
    },
  }),
  route({
    method: 'POST',
    path: `${SESSION}/observe`,
    id: 'observe',
    tag,
    summary: "Note what the agent's context holds, what it cited, and what it read elsewhere",
    description: 'Kept without texts; written in batches, so that a crash may lose the last second of it.',
    access: 'write',
    body: z.strictObject({
      context: z
        .array(
          z.strictObject({
            key: z.string().exactOptional(),
            text: z.string().exactOptional(),
            covers: Keys.exactOptional(),
            tokens: z.number().min(0).exactOptional(),
            kind: z.enum(['span', 'summary']).exactOptional(),
          }),
        )
        .max(10_000)
        .exactOptional(),
      citations: Keys.exactOptional(),
      retrievals: z
        .array(z.strictObject({ key: z.string(), hit: z.boolean(), cited: z.enum(['self', 'external']) }))
        .max(10_000)
        .exactOptional(),
      indexedThrough: Position.exactOptional(),
    }),
    answers: { 200: { description: 'Noted', schema: z.object({}) } },
    async handle({ params, body, server }) {
      await (await sessionOf(server, params)).observe(body)
      return {}
    },
  }),
  route({
    method: 'POST',
    path: `${SESSION}/boundary`,
    id: 'boundary',
    tag,
    summary: 'Whether to compact: the five signals over the last cycles, the decision, and the advice',
    description:
      'freeze and freeze_and_rollback freeze the session at once; what ends a freeze, reconcile, takes a summarizer and is for the library. enforce: false only looks.',
    access: 'write',
    body: z.strictObject({ enforce: z.boolean().exactOptional() }).default({}),
    answers: {
      200: {
        description: 'The decision',
        schema: z
          .looseObject({
            session: z.string(),
            cycle: z.int(),
            regime: z.string(),
            decision: z.enum(['proceed', 'freeze', 'freeze_and_rollback']),
            advice: z.string(),
            reason: z.string(),
            signals: z.looseObject({}),
            warnings: z.array(z.string()),
            frozen: Frozen.exactOptional(),
          })
          .meta({ id: 'Boundary' }),
      },
    },
    async handle({ params, body, server, visit: { principal } }) {
      const session = await sessionOf(server, params)
      return await confined(server, principal, await session.boundary(body))
    },
  }),
  route({
    method: 'GET',
    path: `${SESSION}/readings`,
    id: 'readings',
    tag,
    summary: 'What boundary read before, oldest first',
    access: 'read',
    query: z.strictObject({ limit: numeral(1).exactOptional() }),
    answers: {
      200: {
        description: 'The last thousand, unless told',
        schema: z.object({
          readings: z.array(z.looseObject({ cycle: z.int(), at: z.number(), decision: z.string() })),
        }),
      },
    },
    handle: async ({ params, query, server }) => ({
      readings: await (await sessionOf(server, params)).readings(query),
    }),
  }),
  route({
    method: 'GET',
    path: `${SESSION}/frozen`,
    id: 'frozen',
    tag,
    summary: 'The freeze in force, if any',
    description: 'Until it is reconciled, the session neither registers nor compacts.',
    access: 'read',
    answers: {
      200: {
        description: 'frozen is left out while there is none',
        schema: z.object({ frozen: Frozen.exactOptional() }),
      },
    },
    async handle({ params, server }) {
      const frozen = await (await sessionOf(server, params)).frozen()
      return frozen === undefined ? {} : { frozen }
    },
  }),
  route({
    method: 'POST',
    path: `${SESSION}/discard-epoch`,
    id: 'discardEpoch',
    tag,
    summary: 'Withdraw the summaries of the last epoch, and bring back what they had replaced',
    description: 'Under new keys, identical to the old, where they still stand. Ends no freeze.',
    access: 'write',
    command: true,
    body: z.strictObject({ commandId: CommandId.exactOptional() }).default({}),
    answers: {
      200: {
        description: 'Done; epoch 0 means there was none',
        schema: z
          .object({
            position: Position,
            stale: z.array(z.string()),
            epoch: z.int(),
            discarded: z.array(z.string()),
            restored: z.array(z.object({ from: z.string(), to: z.string() })),
            lost: z.array(z.object({ key: z.string(), missing: z.array(z.string()) })),
          })
          .meta({ id: 'EpochDiscarded' }),
      },
    },
    async handle({ params, body, command, server }) {
      return await (await sessionOf(server, params)).discardEpoch(commanded({ body, command }))
    },
  }),
  route({
    method: 'GET',
    path: `${SESSION}/settings`,
    id: 'settings',
    tag,
    summary: 'What configure set',
    access: 'read',
    answers: { 200: { description: 'The knobs', schema: Knobs } },
    handle: async ({ params, server }) => await (await sessionOf(server, params)).settings(),
  }),
  route({
    method: 'PATCH',
    path: `${SESSION}/settings`,
    id: 'configure',
    tag,
    summary: "The two knobs of the monitor's advice",
    description:
      'retention: milliseconds for which prune leaves texts of retired spans that live summaries stand on. recencyWindow: how many cycles old a span may be that search returns. false unsets one.',
    access: 'write',
    body: z.strictObject({
      retention: z.union([z.int().min(0), z.literal(false)]).exactOptional(),
      recencyWindow: z.union([z.int().min(0), z.literal(false)]).exactOptional(),
    }),
    answers: { 200: { description: 'The knobs', schema: Knobs } },
    async handle({ params, body, server }) {
      const session = await sessionOf(server, params)
      await session.configure(body)
      return await session.settings()
    },
  }),
]
