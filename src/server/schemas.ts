import { z } from 'zod'

/*
 * What `/v1` takes and gives. Requests are checked by these schemas, answers are described by them, and the OpenAPI
 * document is made of both. The store checks everything again: here is said what a value looks like, there what it
 * may be.
 */

// ── parts ───────────────────────────────────────────────────────────────────────────────────────────────────

/** At most so many keys, sources or spans in one request; more is answered 413. */
export const BATCH = 10_000

export const Identifier = z.string().min(1).max(1024)
const Key = z
  .string()
  .meta({ id: 'Key', description: 'ULID of a span or a summary, as the store returned it.' })
export const Keys = z.array(z.string()).max(BATCH)
const Count = z.int().min(0)
export const Position = z
  .int()
  .min(0)
  .meta({ id: 'Position', description: "A place in a collection's event log." })
const Time = z.number().meta({ id: 'Time', description: 'Milliseconds since the epoch.' })
export const CommandId = z
  .string()
  .min(1)
  .max(1024)
  .meta({ description: 'As Idempotency-Key: a retry with the same one answers what the first did.' })
export const ExpectedRevision = z.int().min(0).meta({
  description:
    'As If-Match: refuse unless the source stands at this revision (0: it must be new). With keys: the one source that all of them belong to.',
})

/** Looked at no deeper than this: how deep it may be is for the store to say, which does not walk it by recursion. */
const plainObject = (error: string) =>
  z.custom<{ readonly [key: string]: never }>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    { error },
  )

export const Metadata = plainObject('give an object').meta({
  id: 'Metadata',
  type: 'object',
  additionalProperties: true,
  description: 'A JSON object, nested at most 100 deep.',
})
export const Where = plainObject('give an object, such as {"year": {"$gte": 2020}}').meta({
  id: 'Where',
  type: 'object',
  additionalProperties: true,
  description:
    'A metadata filter: fields and what they must equal, or operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains, joined by $and $or $not.',
})
const Vector = z.array(z.number()).min(1).meta({ id: 'Vector' })

/** A whole number in a query string. */
export const numeral = (least = 0) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `give a whole number of at least ${least}`)
    .transform(Number)
    .refine((n) => n >= least, `give a whole number of at least ${least}`)
    .meta({ type: 'integer', minimum: least })

export const AsOf = z.strictObject({ asOf: numeral().exactOptional() })

const Metric = z.enum(['cosine', 'l2', 'ip'])

// ── what is there ───────────────────────────────────────────────────────────────────────────────────────────

export const CollectionInfo = z
  .object({
    id: Key,
    name: z.string(),
    metric: Metric,
    position: Position,
    live: Count,
    embedder: z.string().exactOptional(),
  })
  .meta({ id: 'Collection' })

const Span = z
  .object({
    key: Key,
    collection: z.string(),
    source: z.string(),
    text: z.string(),
    metadata: Metadata,
    position: Position,
    expiresAt: Time.exactOptional(),
  })
  .meta({ id: 'Span', description: 'Immutable text with a key.' })

const Reason = z
  .enum(['edited', 'rechunked', 'deleted', 'evicted', 'expired', 'superseded', 'discarded'])
  .meta({ id: 'Reason' })

const Cause = z
  .object({
    key: Key,
    status: z.enum(['tombstone', 'stale']),
    reason: Reason.exactOptional(),
    successors: z.array(Key).exactOptional(),
  })
  .meta({ id: 'Cause', description: 'A dependency that is not satisfied.' })

export const Summary = z
  .object({
    key: Key,
    collection: z.string(),
    session: z.string(),
    epoch: Count,
    text: z.string(),
    claims: z.array(z.looseObject({ text: z.string(), anchors: z.array(Key) })),
    dependsOn: z.array(Key),
    covers: z.array(Key),
    position: Position,
    state: z.enum(['current', 'suspect', 'stale']),
    causes: z.array(Cause),
  })
  .meta({ id: 'Summary', description: 'Text that depends on spans or on other summaries.' })

const Tombstone = z
  .object({
    collection: z.string(),
    source: z.string().exactOptional(),
    session: z.string().exactOptional(),
    reason: Reason,
    position: Position,
    at: Time,
    successors: z.array(Key),
    identical: Key.exactOptional(),
    erasedAt: Time.exactOptional(),
    prunedAt: Time.exactOptional(),
  })
  .meta({ id: 'Tombstone', description: 'What remains of a retired key. It never carries text.' })

const Kind = z.enum(['span', 'summary'])

const Ok = z
  .object({ status: z.literal('ok'), key: Key, kind: Kind, span: z.union([Summary, Span]) })
  .meta({ id: 'Ok' })
const Empty = z
  .object({
    status: z.literal('empty'),
    key: Key,
    kind: z.literal('span'),
    detail: z.enum(['blank', 'no-text']),
    span: Span,
  })
  .meta({ id: 'Empty' })
const Gone = z
  .object({ status: z.literal('tombstone'), key: Key, kind: Kind, tombstone: Tombstone })
  .meta({ id: 'Gone' })
const Absent = z.object({ status: z.literal('absent'), key: z.string() }).meta({ id: 'Absent' })

export const FetchResult = z
  .union([Ok, Empty, Gone, Absent])
  .meta({ id: 'FetchResult', description: 'Exactly one of the four results.' })

const SourceInfo = z
  .object({
    source: z.string(),
    collection: z.string(),
    revision: Count,
    position: Position,
    at: Time,
    live: Count,
    chunker: z.string().exactOptional(),
    metadata: Metadata,
    expiresAt: Time.exactOptional(),
  })
  .meta({ id: 'SourceInfo' })

export const SourceResult = z
  .union([
    z.object({ status: z.enum(['ok', 'empty', 'tombstone']), source: z.string(), info: SourceInfo }),
    z.object({ status: z.literal('absent'), source: z.string() }),
  ])
  .meta({
    id: 'SourceResult',
    description: 'Live with spans, live with none, removed, never seen.',
  })

// ── refusals and results that are no answer ─────────────────────────────────────────────────────────────────

export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().exactOptional(),
    error: z.looseObject({}).exactOptional(),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457. `code` is stable; `error` has the particulars that code comes with.',
  })

/** A result that is no answer, as a problem: `outcome` says which, `result` is the whole of it. */
export const resultProblem = <T extends z.ZodType>(outcome: string, result: T) =>
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    outcome: z.literal(outcome),
    result,
  })

export const EmptyProblem = resultProblem('empty', Empty).meta({ id: 'EmptyProblem' })
export const TombstoneProblem = resultProblem('tombstone', Gone).meta({ id: 'TombstoneProblem' })
export const AbsentProblem = resultProblem('absent', Absent).meta({ id: 'AbsentProblem' })
export const OkResult = Ok

// ── writing ─────────────────────────────────────────────────────────────────────────────────────────────────

const SpanInput = z
  .strictObject({
    text: z.string().nullable().meta({ description: 'null: a record without text.' }),
    metadata: Metadata.exactOptional(),
    vector: Vector.exactOptional(),
  })
  .meta({ id: 'SpanInput' })

export const Spans = z.array(SpanInput).max(BATCH)

/** A put without the name of its source, which is in the path. */
export const PutBody = z.strictObject({
  text: z.string().nullable().exactOptional(),
  spans: Spans.exactOptional(),
  metadata: Metadata.exactOptional(),
  vector: Vector.exactOptional(),
  chunker: z.string().exactOptional().meta({
    description:
      'paragraphs, markdown, turns, code or whole, with options if need be (paragraphs/1?max=800); left out, the one it was cut by before.',
  }),
  expectedRevision: ExpectedRevision.exactOptional(),
  expiresAt: z.int().min(0).nullable().exactOptional(),
  defer: z.boolean().exactOptional().meta({ description: 'Commit first; vectors are computed later.' }),
  readmit: z
    .boolean()
    .exactOptional()
    .meta({ description: 'Take back text that was erased from this source.' }),
  commandId: CommandId.exactOptional(),
})

export const PutItem = PutBody.omit({ commandId: true })
  .extend({ source: Identifier })
  .meta({ id: 'PutItem' })

export const PutResult = z
  .object({
    source: z.string(),
    revision: Count,
    position: Position,
    outcome: z.enum(['created', 'revised', 'unchanged']),
    kept: Count,
    added: z.array(Key),
    retired: z.array(Key),
    stale: z.array(Key),
  })
  .meta({ id: 'PutResult' })

const Written = z.object({ position: Position, stale: z.array(Key) })
export const WriteResult = Written.meta({ id: 'WriteResult' })
export const Updated = Written.extend({ updated: z.array(Key) }).meta({ id: 'Updated' })
const RetiredFields = Written.extend({
  retired: z.array(Key),
  already: z.array(Key),
  absent: z.array(z.string()),
})
export const Retired = RetiredFields.meta({ id: 'Retired' })
export const Erased = RetiredFields.extend({
  erased: z.array(Key),
  alsoIn: z.array(
    z.object({
      key: Key,
      collection: z.string(),
      source: z.string().exactOptional(),
      session: z.string().exactOptional(),
    }),
  ),
  complete: z.boolean(),
  waitingFor: z.array(z.string()),
}).meta({ id: 'Erased' })

// ── histories ───────────────────────────────────────────────────────────────────────────────────────────────

export const Revision = z
  .object({
    revision: Count,
    position: Position,
    at: Time,
    removed: z.boolean(),
    chunker: z.string().exactOptional(),
    spans: Count,
  })
  .meta({ id: 'Revision' })

export const RevisionText = z
  .object({
    source: z.string(),
    revision: Count,
    position: Position,
    text: z.string(),
    places: z.array(
      z.object({
        key: Key,
        ordinal: Count,
        start: Count,
        end: Count,
        status: z.enum(['ok', 'empty', 'tombstone']),
      }),
    ),
    gaps: z.array(
      z.object({
        key: Key.exactOptional(),
        at: Count,
        length: Count,
        why: z.enum(['erased', 'pruned']),
      }),
    ),
  })
  .meta({ id: 'RevisionText', description: 'Offsets are UTF-16 units.' })

export const RevisionDiff = z
  .object({
    source: z.string(),
    from: Count,
    to: Count,
    kept: z.array(Key),
    moved: z.array(Key),
    added: z.array(Key),
    removed: z.array(z.object({ key: Key, successors: z.array(Key) })),
  })
  .meta({ id: 'RevisionDiff' })

export const Lineage = z
  .object({
    key: Key,
    nodes: z.array(
      z.object({
        key: Key,
        status: z.enum(['ok', 'empty', 'tombstone']),
        position: Position,
        reason: Reason.exactOptional(),
        retiredAt: Position.exactOptional(),
        identical: Key.exactOptional(),
      }),
    ),
    edges: z.array(z.object({ from: Key, to: Key, kind: z.enum(['successor', 'restored']) })),
  })
  .meta({ id: 'Lineage' })

export const Dependent = z
  .object({
    key: Key,
    collection: z.string(),
    session: z.string(),
    depth: Count,
    on: z.array(Key),
    status: z.enum(['ok', 'tombstone']),
    state: z.enum(['current', 'suspect', 'stale', 'superseded', 'discarded']),
    causes: z.array(Key),
  })
  .meta({ id: 'Dependent' })

// ── searching ───────────────────────────────────────────────────────────────────────────────────────────────

const accuracy = z
  .union([z.literal('exact'), z.number().min(0).max(1)])
  .meta({ description: 'exact, or the part of the true nearest an index should find. Default 0.98.' })

const common = {
  k: z.int().min(1).max(1000).exactOptional().meta({ description: 'How many hits. Default 10.' }),
  offset: Count.exactOptional(),
  where: Where.exactOptional(),
  accuracy: accuracy.exactOptional(),
  minScore: z.number().exactOptional(),
  explain: z.boolean().exactOptional(),
}

export const SearchBody = z.strictObject({
  text: z.string().exactOptional(),
  vector: Vector.exactOptional(),
  mode: z.enum(['vector', 'text', 'hybrid']).exactOptional(),
  ...common,
  asOf: Position.exactOptional(),
  weights: z
    .strictObject({ text: z.number().min(0).exactOptional(), vector: z.number().min(0).exactOptional() })
    .exactOptional(),
  perSource: z.int().min(1).exactOptional(),
  diversity: z.number().min(0).max(1).exactOptional(),
  highlight: z.boolean().exactOptional(),
})

export const SimilarBody = z.strictObject({ key: z.string(), ...common })

export const SearchResult = z
  .object({
    hits: z.array(
      z.object({
        key: Key,
        source: z.string(),
        span: Span,
        score: z.number(),
        distance: z.number().exactOptional(),
        highlights: z.array(z.object({ start: Count, end: Count })).exactOptional(),
      }),
    ),
    complete: z.boolean(),
    reasons: z.array(z.string()),
    indexedThrough: Position,
    position: Position,
    pending: Count,
    explain: z.looseObject({}).exactOptional(),
  })
  .meta({
    id: 'SearchResult',
    description:
      'Live spans, best first. An answer that may be missing something says so: complete is false.',
  })

export const FindBody = z.strictObject({
  where: Where.exactOptional(),
  sources: z.array(Identifier).max(BATCH).exactOptional(),
  limit: z.int().min(0).max(10_000).exactOptional().meta({ description: 'Default 100.' }),
  offset: Count.exactOptional(),
})

export const Found = z.object({ spans: z.array(Span) })

// ── the store ───────────────────────────────────────────────────────────────────────────────────────────────

const Asked = z.object({ asked: Count, ok: Count })

export const Stats = z
  .object({
    collections: z.array(
      z.object({
        name: z.string(),
        position: Position,
        sources: Count,
        live: Count,
        tombstones: Count,
        summaries: z.object({ current: Count, suspect: Count, stale: Count }),
        rehydrations: z.object({ queried: Asked, anchored: Asked }),
        frozen: Count,
      }),
    ),
    events: Count,
    bytes: Count,
  })
  .meta({ id: 'Stats' })

export const Problems = z.object({
  problems: z.array(z.object({ code: z.string(), what: z.string(), repaired: z.boolean() })),
})
