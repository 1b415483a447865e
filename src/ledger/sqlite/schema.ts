import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/*
 * The ledger's tables. drizzle-kit turns this file into `migrations/`; statements elsewhere are typed by it (see
 * `statements.ts`) without loading drizzle at run time, so that a command line answers quickly.
 *
 * Two kinds of tables. LEDGER tables are append-only by trigger (migrations/*_append_only.sql). STATE tables hold
 * what changes (heads, causes, cursors) and can be recomputed from the ledger; `verify` does it.
 *
 * Rows are joined by integer ids; keys (ULIDs) appear at the edge. Positions count per collection, times are
 * milliseconds since the epoch, lengths and offsets are UTF-16 units.
 */

const id = () => integer('id').primaryKey()
const ref = (name: string, column: () => AnySQLiteColumn) => integer(name).notNull().references(column)

// ── LEDGER: identities ──────────────────────────────────────────────────────────────────────────────────────

export const store = sqliteTable(
  'store',
  { id: id(), key: text('key').notNull(), secret: text('secret').notNull(), at: integer('at').notNull() },
  (t) => [check('store_one', sql`${t.id} = 1`)],
)

export const collection = sqliteTable(
  'collection',
  {
    id: id(),
    key: text('key').notNull().unique(),
    metric: text('metric').notNull(),
    at: integer('at').notNull(),
  },
  (t) => [check('collection_metric', sql`${t.metric} IN ('cosine', 'l2', 'ip')`)],
)

/** Every name a collection ever had, so that a name renamed away or dropped is not silently reused. */
export const collection_name = sqliteTable(
  'collection_name',
  { name: text('name').notNull(), collection: ref('collection', () => collection.id) },
  (t) => [primaryKey({ columns: [t.name, t.collection] })],
)

export const source = sqliteTable(
  'source',
  { id: id(), collection: ref('collection', () => collection.id), name: text('name').notNull() },
  (t) => [unique('source_name').on(t.collection, t.name)],
)

// ── LEDGER: revisions ───────────────────────────────────────────────────────────────────────────────────────

/** Text between spans. Blank ones are shared by the whole store (`source` null); others belong to one source. */
export const gap = sqliteTable(
  'gap',
  { id: id(), source: integer('source').references(() => source.id), text: text('text').notNull() },
  (t) => [
    uniqueIndex('gap_shared').on(t.text).where(sql`${t.source} IS NULL`),
    index('gap_source').on(t.source).where(sql`${t.source} IS NOT NULL`),
  ],
)

/** A node of the manifests' persistent tree, shared by all revisions that did not touch it (see manifest.ts). */
export const page = sqliteTable('page', { id: id(), body: blob('body', { mode: 'buffer' }).notNull() })

export const revision = sqliteTable(
  'revision',
  {
    source: ref('source', () => source.id),
    number: integer('number').notNull(),
    position: integer('position').notNull(),
    at: integer('at').notNull(),
    removed: integer('removed').notNull(),
    chunker: text('chunker'),
    /** What `put` was given for the whole source: later puts that omit it keep it. */
    metadata: text('metadata'),
    /** Root page, or null when the tail holds everything. */
    root: integer('root').references(() => page.id),
    tail: blob('tail', { mode: 'buffer' }).notNull(),
    /** Text after the last span. */
    trailing: integer('trailing').references(() => gap.id),
    spans: integer('spans').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.number] }),
    check('revision_number', sql`${t.number} >= 1`),
    check('revision_removed', sql`${t.removed} IN (0, 1) AND (${t.removed} = 0 OR ${t.spans} = 0)`),
  ],
)

// ── LEDGER: spans and summaries ─────────────────────────────────────────────────────────────────────────────

/** Spans (kind 0) and summaries (kind 1). Short columns first: SQLite reads them without touching the text. */
export const span = sqliteTable(
  'span',
  {
    id: id(),
    key: text('key').notNull().unique(),
    kind: integer('kind').notNull(),
    collection: ref('collection', () => collection.id),
    source: integer('source').references(() => source.id),
    /** Position of the event that added it. */
    born: integer('born').notNull(),
    /** The revision of its source that minted it. */
    revision: integer('revision'),
    length: integer('length').notNull(),
    hash: text('hash'),
    metadata: text('metadata'),
    text: text('text'),
  },
  (t) => [
    check('span_key', sql`length(${t.key}) = 26`),
    check(
      'span_kind',
      sql`${t.kind} IN (0, 1) AND (${t.kind} = 0) = (${t.source} IS NOT NULL) AND (${t.kind} = 0) = (${t.revision} IS NOT NULL)`,
    ),
    check(
      'span_text',
      sql`(${t.text} IS NULL) = (${t.hash} IS NULL) AND (${t.text} IS NOT NULL OR ${t.length} = 0)`,
    ),
    index('span_collection').on(t.collection),
    // Only texts long enough to be recognised by their bytes alone are ever looked up this way.
    index('span_bytes').on(t.source, t.hash).where(sql`${t.length} >= 32 AND ${t.kind} = 0`),
  ],
)

export const tombstone = sqliteTable(
  'tombstone',
  {
    span: integer('span')
      .primaryKey()
      .references(() => span.id),
    reason: integer('reason').notNull(),
    position: integer('position').notNull(),
    at: integer('at').notNull(),
  },
  (t) => [check('tombstone_reason', sql`${t.reason} BETWEEN 0 AND 6`)],
)

/** kind 0: `new` covers text that `old` covered. kind 1: `new` brought the same text back to the place of `old`. */
export const lineage = sqliteTable(
  'lineage',
  {
    old: ref('old', () => tombstone.span),
    new: ref('new', () => span.id),
    kind: integer('kind').notNull(),
    ordinal: integer('ordinal').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.old, t.new] }),
    index('lineage_new').on(t.new),
    check('lineage_forward', sql`${t.kind} IN (0, 1) AND ${t.old} <> ${t.new}`),
  ],
)

/** Metadata given later than the span. The last one counts. */
export const amendment = sqliteTable(
  'amendment',
  {
    span: ref('span', () => span.id),
    position: integer('position').notNull(),
    metadata: text('metadata').notNull(),
  },
  (t) => [primaryKey({ columns: [t.span, t.position] })],
)

/** The text is physically gone. Only a tombstone can be erased or pruned. */
export const erasure = sqliteTable('erasure', {
  span: integer('span')
    .primaryKey()
    .references(() => tombstone.span),
  at: integer('at').notNull(),
})

export const pruning = sqliteTable('pruning', {
  span: integer('span')
    .primaryKey()
    .references(() => tombstone.span),
  at: integer('at').notNull(),
})

/** Texts erased from a source, recognisable only with the store's secret. */
export const refusal = sqliteTable(
  'refusal',
  { source: ref('source', () => source.id), code: text('code').notNull() },
  (t) => [primaryKey({ columns: [t.source, t.code] })],
)

// ── LEDGER: vectors ─────────────────────────────────────────────────────────────────────────────────────────

/** An embedder of a collection; name '' is "supplied by the caller". The first vector fixes the dimensions. */
export const embedder = sqliteTable(
  'embedder',
  {
    id: id(),
    collection: ref('collection', () => collection.id),
    name: text('name').notNull(),
    dimensions: integer('dimensions').notNull(),
  },
  (t) => [
    unique('embedder_name').on(t.collection, t.name),
    check('embedder_dimensions', sql`${t.dimensions} > 0`),
  ],
)

/** A vector supplied with a record, as little-endian float32. The last one counts. */
export const supplied = sqliteTable(
  'supplied',
  {
    span: ref('span', () => span.id),
    position: integer('position').notNull(),
    vector: blob('vector', { mode: 'buffer' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.span, t.position] })],
)

/** STATE. A vector computed from a text; kept as long as a span holds the text, so nothing is embedded twice. */
export const embedding = sqliteTable(
  'embedding',
  {
    hash: text('hash').notNull(),
    name: text('name').notNull(),
    vector: blob('vector', { mode: 'buffer' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.hash, t.name] })],
)

// ── LEDGER: summaries ───────────────────────────────────────────────────────────────────────────────────────

export const session = sqliteTable(
  'session',
  { id: id(), collection: ref('collection', () => collection.id), name: text('name').notNull() },
  (t) => [unique('session_name').on(t.collection, t.name)],
)

export const epoch = sqliteTable(
  'epoch',
  {
    session: ref('session', () => session.id),
    number: integer('number').notNull(),
    position: integer('position').notNull(),
    at: integer('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.session, t.number] })],
)

export const summary = sqliteTable(
  'summary',
  {
    span: integer('span')
      .primaryKey()
      .references(() => span.id),
    session: ref('session', () => session.id),
    epoch: integer('epoch').notNull(),
    /** The first summary of its replacement chain. */
    chain: ref('chain', (): AnySQLiteColumn => summary.span),
    /** The first of its chain that said the same: equal claims and text, anchors that are each other's descendants. */
    class: ref('class', (): AnySQLiteColumn => summary.span),
  },
  (t) => [
    index('summary_session').on(t.session, t.epoch),
    index('summary_chain').on(t.chain),
    index('summary_class').on(t.class),
  ],
)

export const claim = sqliteTable(
  'claim',
  {
    summary: ref('summary', () => summary.span),
    ordinal: integer('ordinal').notNull(),
    text: text('text').notNull(),
  },
  (t) => [primaryKey({ columns: [t.summary, t.ordinal] })],
)

/** `dependent` stands on `support`. `foreign` is the support's collection where it is another than the dependent's. */
export const dependency = sqliteTable(
  'dependency',
  {
    support: ref('support', () => span.id),
    dependent: ref('dependent', () => summary.span),
    /** 1: printed in the text as an anchor. 0: given beside it. */
    printed: integer('printed').notNull(),
    foreign: integer('foreign').references(() => collection.id),
  },
  (t) => [
    primaryKey({ columns: [t.support, t.dependent] }),
    index('dependency_dependent').on(t.dependent),
    index('dependency_foreign').on(t.foreign).where(sql`${t.foreign} IS NOT NULL`),
    // A support is older than what stands on it: the graph is acyclic by construction.
    check('dependency_forward', sql`${t.support} < ${t.dependent}`),
  ],
)

export const cover = sqliteTable(
  'cover',
  { span: ref('span', () => span.id), summary: ref('summary', () => summary.span) },
  (t) => [primaryKey({ columns: [t.span, t.summary] }), index('cover_summary').on(t.summary)],
)

// ── LEDGER: events, commands ────────────────────────────────────────────────────────────────────────────────

/** The log. `node`, `other`, `number` and `data` mean what `events.ts` says for each type. */
export const event = sqliteTable(
  'event',
  {
    collection: ref('collection', () => collection.id),
    position: integer('position').notNull(),
    type: integer('type').notNull(),
    at: integer('at').notNull(),
    node: integer('node'),
    source: integer('source'),
    other: integer('other'),
    number: integer('number'),
    data: text('data'),
  },
  (t) => [primaryKey({ columns: [t.collection, t.position] })],
)

/** The first answer of every write that carried a `commandId`. */
export const command = sqliteTable('command', {
  id: text('id').primaryKey(),
  at: integer('at').notNull(),
  result: text('result').notNull(),
})

// ── STATE: what changes, recomputable ───────────────────────────────────────────────────────────────────────

export const collection_head = sqliteTable(
  'collection_head',
  {
    collection: integer('collection')
      .primaryKey()
      .references(() => collection.id),
    name: text('name'),
    position: integer('position').notNull(),
    /** Events up to here were pruned. */
    floor: integer('floor').notNull(),
    live: integer('live').notNull(),
    embedder: integer('embedder').references(() => embedder.id),
    dropped: integer('dropped'),
    dropped_at: integer('dropped_at'),
  },
  (t) => [
    uniqueIndex('collection_head_name').on(t.name).where(sql`${t.dropped} IS NULL`),
    check('collection_head_dropped', sql`(${t.dropped} IS NULL) = (${t.dropped_at} IS NULL)`),
  ],
)

export const source_head = sqliteTable(
  'source_head',
  {
    source: integer('source')
      .primaryKey()
      .references(() => source.id),
    /** Counts every change to the source, retirements included, so that a plan made on an older one is refused. */
    version: integer('version').notNull(),
    revision: integer('revision').notNull(),
    live: integer('live').notNull(),
    /** 1 once a span of it had metadata. */
    described: integer('described').notNull(),
    /** Hash of the whole text of the last revision, while all of it is live. */
    fingerprint: text('fingerprint'),
    expires: integer('expires'),
  },
  (t) => [index('source_head_expires').on(t.expires).where(sql`${t.expires} IS NOT NULL`)],
)

/**
 * An unsatisfied direct dependency of a live summary. hard 0: the support itself is only suspect or stale. Without
 * references of its own: each row stands for one of `dependency`, which has them, and a re-chunk may write a hundred
 * thousand.
 */
export const cause = sqliteTable(
  'cause',
  {
    dependent: integer('dependent').notNull(),
    support: integer('support').notNull(),
    hard: integer('hard').notNull(),
  },
  (t) => [primaryKey({ columns: [t.dependent, t.support] })],
)

/** Spans that something depends on, by their bytes: whose `identical` a commit may have to move. */
export const watched = sqliteTable(
  'watched',
  { source: ref('source', () => source.id), hash: text('hash').notNull(), span: ref('span', () => span.id) },
  (t) => [primaryKey({ columns: [t.source, t.hash, t.span] })],
)

/** `identical` of watched tombstones (of all others it is worked out when asked for). */
export const identical = sqliteTable(
  'identical',
  {
    span: integer('span')
      .primaryKey()
      .references(() => tombstone.span),
    target: ref('target', () => span.id),
  },
  (t) => [index('identical_target').on(t.target)],
)

// ── STATE: consumers ────────────────────────────────────────────────────────────────────────────────────────

export const consumer = sqliteTable('consumer', {
  id: id(),
  name: text('name').notNull().unique(),
  /** JSON: types, collections, sources, keys. */
  filter: text('filter').notNull(),
  /** JSON: 'now' | 'start' | a position, applied to collections it meets for the first time. */
  start: text('start').notNull(),
  created: integer('created').notNull(),
  holder: text('holder'),
  /** Counts the leases; a holder with an older one cannot acknowledge. */
  fence: integer('fence').notNull(),
  until: integer('until').notNull(),
})

/** Everything up to `position` is acknowledged, skipped by the filter, or a dead letter. */
export const consumer_cursor = sqliteTable(
  'consumer_cursor',
  {
    consumer: ref('consumer', () => consumer.id),
    collection: ref('collection', () => collection.id),
    position: integer('position').notNull(),
    /** Failed deliveries of the event after `position`; it holds its collection until `due`. */
    attempts: integer('attempts').notNull(),
    due: integer('due').notNull(),
    error: text('error'),
  },
  (t) => [primaryKey({ columns: [t.consumer, t.collection] })],
)

export const dead_letter = sqliteTable(
  'dead_letter',
  {
    consumer: ref('consumer', () => consumer.id),
    collection: ref('collection', () => collection.id),
    position: integer('position').notNull(),
    attempts: integer('attempts').notNull(),
    error: text('error'),
    at: integer('at').notNull(),
    /** 1: to be delivered again before anything else. */
    replay: integer('replay').notNull(),
  },
  (t) => [primaryKey({ columns: [t.consumer, t.collection, t.position] })],
)
