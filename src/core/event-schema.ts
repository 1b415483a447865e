import type { EventData, EventType } from './event.ts'
import type { Json } from './json.ts'

export type JsonSchema = { readonly [key: string]: Json }

const KEY = {
  type: 'string',
  pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$',
  description: 'The key of a span or summary: a ULID, opaque.',
}
const NAME = { type: 'string' }
const COUNT = { type: 'integer', minimum: 0 }
const ORDINAL = { type: 'integer', minimum: 1 }
const oneOf = (...words: readonly string[]) => ({ type: 'string', enum: [...words] })

type Properties<T> = { readonly [P in keyof Required<T>]: JsonSchema }
type Optional<T> = { [P in keyof T]-?: object extends Pick<T, P> ? P : never }[keyof T]

interface Shape<T> {
  readonly description: string
  /** Whether the event is about a key. `sometimes`: only where text of a span or summary is concerned. */
  readonly subject: boolean | 'sometimes'
  readonly data: Properties<T>
  readonly optional?: readonly Optional<T>[]
}

const SHAPES: { readonly [T in EventType]: Shape<EventData[T]> } = {
  'span.added': {
    description: 'A revision of a source minted a span.',
    subject: true,
    data: { source: NAME, revision: ORDINAL },
  },
  'span.moved': {
    description:
      'A revision changed the order in which a span stands. Offsets that merely shift are no event.',
    subject: true,
    data: { source: NAME, revision: ORDINAL },
  },
  'span.updated': {
    description: "A span's metadata or supplied vector changed; its text cannot.",
    subject: true,
    data: { source: NAME, fields: { type: 'array', items: oneOf('metadata', 'vector') } },
  },
  'span.retired': {
    description:
      'A span, or a discarded summary, became a tombstone. Successors cover the text it covered; none when that was removed.',
    subject: true,
    data: {
      source: NAME,
      session: NAME,
      reason: oneOf('edited', 'rechunked', 'deleted', 'evicted', 'expired', 'superseded', 'discarded'),
      successors: { type: 'array', items: KEY },
    },
    optional: ['source', 'session'],
  },
  'span.erased': {
    description: 'The text of a tombstone, and every trace of it, was physically removed.',
    subject: 'sometimes',
    data: { source: NAME, session: NAME },
    optional: ['source', 'session'],
  },
  'source.revised': {
    description: 'A source has a new revision. Counts of spans.',
    subject: false,
    data: { source: NAME, revision: ORDINAL, kept: COUNT, added: COUNT, retired: COUNT },
  },
  'source.removed': {
    description: 'A source was removed; its spans are retired by events of their own.',
    subject: false,
    data: { source: NAME, revision: ORDINAL },
  },
  'collection.created': {
    description: 'The first event of a collection.',
    subject: false,
    data: { name: NAME, metric: oneOf('cosine', 'l2', 'ip') },
  },
  'collection.renamed': {
    description: 'The collection has another name; its id, in `source` of the envelope, stays.',
    subject: false,
    data: { from: NAME, to: NAME },
  },
  'collection.dropped': {
    description:
      'The last event of a collection. Its spans now answer tombstone, without events of their own.',
    subject: false,
    data: { name: NAME },
  },
  'summary.registered': {
    description: 'A session registered a summary.',
    subject: true,
    data: { session: NAME, epoch: COUNT, replaces: KEY },
    optional: ['replaces'],
  },
  'summary.stale': {
    description:
      'A summary stopped being current, or turned from suspect to stale or back. `cause` is one of the dependencies that are not satisfied.',
    subject: true,
    data: { session: NAME, state: oneOf('stale', 'suspect'), cause: KEY },
  },
  'summary.current': {
    description: 'All dependencies of a summary are satisfied again.',
    subject: true,
    data: { session: NAME },
  },
  'summary.superseded': {
    description: 'A summary was replaced and became a tombstone.',
    subject: true,
    data: { session: NAME, successor: KEY },
  },
  'session.frozen': {
    description: 'The compaction monitor froze a session.',
    subject: false,
    data: { session: NAME, reason: NAME },
  },
  'session.resumed': {
    description: 'A frozen session goes on.',
    subject: false,
    data: { session: NAME },
  },
  'epoch.discarded': {
    description: 'The summaries of an epoch were withdrawn; what they had replaced came back under new keys.',
    subject: false,
    data: { session: NAME, epoch: COUNT },
  },
  'index.rebuilt': {
    description: "The collection's vectors are those of another embedder now.",
    subject: false,
    data: { embedder: NAME },
  },
}

/**
 * JSON Schema (2020-12) of an event of this type in its CloudEvents envelope. Members may be added in later
 * versions, so further ones are allowed.
 */
export function eventSchema(type: EventType): JsonSchema {
  const { description, subject, data, optional = [] } = SHAPES[type]
  const dataMembers = Object.keys(data)
  const envelope: Record<string, JsonSchema> = {
    specversion: { const: '1.0' },
    id: { type: 'string', pattern: '^[0-9A-Z]{26}:[1-9][0-9]*$', description: 'Collection id and position.' },
    source: { type: 'string', pattern: '^spanstore:///[0-9A-Z]{26}/[0-9A-Z]{26}$' },
    type: { const: type },
    ...(subject === false ? {} : { subject: KEY }),
    time: { type: 'string', format: 'date-time' },
    sequence: { type: 'string', pattern: '^[0-9]{16}$' },
    collection: { type: 'string', description: "The collection's name when the event was read." },
    position: { type: 'integer', minimum: 1 },
    data: {
      type: 'object',
      properties: data,
      required: dataMembers.filter((name) => !(optional as readonly string[]).includes(name)),
    },
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: type,
    description,
    type: 'object',
    properties: envelope,
    required: Object.keys(envelope).filter((name) => name !== 'subject' || subject === true),
  }
}
