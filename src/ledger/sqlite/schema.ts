import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  check,
  index,
  integer,
  primaryKey,
  real,
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
    /** How complete the summarizer called it, from 0 to 1. */
    completeness: real('completeness'),
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
    /** 1: the summary's own text prints a key for it. Null: registered before this was asked. */
    derivable: integer('derivable'),
    /** 1: registered although it did not pass the fidelity check. */
    unverified: integer('unverified'),
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

// ── LEDGER: what sessions observed ──────────────────────────────────────────────────────────────────────────

/*
 * A cycle is the number of a session's last epoch (0 before the first). No texts: `keys` are the distinct keys of a
 * batch, 26 characters each, without a separator, so that a thousand reads are one row.
 */

/** kind 0: rehydrations. 1: keys the agent cited in its own words. 2: how far an index beside the store has read. */
export const observation = sqliteTable(
  'observation',
  {
    id: id(),
    session: ref('session', () => session.id),
    cycle: integer('cycle').notNull(),
    at: integer('at').notNull(),
    kind: integer('kind').notNull(),
    /** 0 ok, 1 empty, 2 tombstone, 3 absent. */
    status: integer('status'),
    /** 1: there was text to stand on, at the key itself or at its `identical`. */
    hit: integer('hit'),
    /** 0 self, 1 external. */
    cited: integer('cited'),
    /** 0: the key is printed in a summary of this session. 1: it came from a query. */
    via: integer('via'),
    /** 0 agent, 1 gate, 2 reconcile, 3 compact. */
    purpose: integer('purpose'),
    /** 1: answered elsewhere and told to the store. 2: so, a miss, though the key was live here. */
    reported: integer('reported').notNull(),
    count: integer('count').notNull(),
    /** Kind 2: a position of the collection. */
    through: integer('through'),
    keys: text('keys').notNull(),
  },
  (t) => [
    index('observation_session').on(t.session, t.cycle),
    check('observation_kind', sql`${t.kind} BETWEEN 0 AND 2`),
  ],
)

/** What was in an agent's context at one time, in tokens. */
export const snapshot = sqliteTable(
  'snapshot',
  {
    id: id(),
    session: ref('session', () => session.id),
    cycle: integer('cycle').notNull(),
    at: integer('at').notNull(),
    tokens: real('tokens').notNull(),
    /** Tokens that stand for something another part of the context stands for as well. */
    duplicate: real('duplicate').notNull(),
    /** Parts that are no text of this store, and those among them that cite no key. */
    foreign: integer('foreign').notNull(),
    uncited: integer('uncited').notNull(),
    /** Keys that foreign parts cite. */
    keys: text('keys').notNull(),
  },
  (t) => [index('snapshot_session').on(t.session, t.id)],
)

/** What the compaction monitor read and decided: one row for each time it was asked to. */
export const reading = sqliteTable(
  'reading',
  {
    id: id(),
    session: ref('session', () => session.id),
    cycle: integer('cycle').notNull(),
    at: integer('at').notNull(),
    regime: integer('regime').notNull(),
    decision: integer('decision').notNull(),
    advice: integer('advice').notNull(),
    /** Signal n in bit n - 1. */
    elevated: integer('elevated').notNull(),
    overhang: integer('overhang'),
    self_rate: real('self_rate'),
    external_rate: real('external_rate'),
    density: real('density'),
    inflated: integer('inflated'),
    rehydrated_age: real('rehydrated_age'),
    cited_age: real('cited_age'),
  },
  (t) => [index('reading_session').on(t.session, t.cycle)],
)

/** kind 0: frozen. 1: frozen until its last epoch is discarded. 2: an epoch was discarded. 3: reconciled. The last one counts. */
export const intervention = sqliteTable(
  'intervention',
  {
    id: id(),
    session: ref('session', () => session.id),
    kind: integer('kind').notNull(),
    epoch: integer('epoch').notNull(),
    position: integer('position').notNull(),
    at: integer('at').notNull(),
    reason: text('reason'),
  },
  (t) => [
    index('intervention_session').on(t.session, t.id),
    check('intervention_kind', sql`${t.kind} BETWEEN 0 AND 3`),
  ],
)

// ── LEDGER: what gates answered ─────────────────────────────────────────────────────────────────────────────

/** One gate. `position` is the collection's, `cursor` the store's, when it began to look. verdict 0: refused. */
export const gating = sqliteTable(
  'gating',
  {
    id: id(),
    session: ref('session', () => session.id),
    at: integer('at').notNull(),
    position: integer('position').notNull(),
    cursor: text('cursor').notNull(),
    action: text('action'),
    verdict: integer('verdict').notNull(),
  },
  (t) => [
    index('gating_cursor').on(t.session, t.cursor),
    check('gating_verdict', sql`${t.verdict} IN (0, 1)`),
  ],
)

/**
 * One claim of a gate. `code` recognises its text with the store's secret. verdict 0: refused, by `refusal`; 1: let
 * through; 2: compared with what it stands on, and found to say the same.
 */
export const verification = sqliteTable(
  'verification',
  {
    gating: ref('gating', () => gating.id),
    ordinal: integer('ordinal').notNull(),
    session: ref('session', () => session.id),
    code: text('code').notNull(),
    summary: integer('summary').references(() => summary.span),
    verdict: integer('verdict').notNull(),
    refusal: text('refusal'),
  },
  (t) => [
    primaryKey({ columns: [t.gating, t.ordinal] }),
    index('verification_claim').on(t.session, t.code, t.gating),
    index('verification_summary').on(t.summary).where(sql`${t.summary} IS NOT NULL`),
    check(
      'verification_verdict',
      sql`${t.verdict} BETWEEN 0 AND 2 AND (${t.verdict} = 0) = (${t.refusal} IS NOT NULL)`,
    ),
  ],
)

/** A live key a claim was led to, and where its collection stood then. */
export const standing = sqliteTable(
  'standing',
  {
    gating: ref('gating', () => gating.id),
    ordinal: integer('ordinal').notNull(),
    span: ref('span', () => span.id),
    position: integer('position').notNull(),
  },
  (t) => [primaryKey({ columns: [t.gating, t.ordinal, t.span] })],
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
  (t) => [
    primaryKey({ columns: [t.collection, t.position] }),
    // What happened to a span, or to the index of all, without retiring it: span.moved, span.updated, index.rebuilt.
    index('event_touched').on(t.collection, t.node, t.position).where(sql`${t.type} IN (1, 2, 17)`),
  ],
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

/** Counts of a session's cycle, so that its signals are read without reading its observations again. */
export const session_cycle = sqliteTable(
  'session_cycle',
  {
    session: ref('session', () => session.id),
    cycle: integer('cycle').notNull(),
    /** Of the agent's own rehydrations. */
    self_hits: integer('self_hits').notNull(),
    self_total: integer('self_total').notNull(),
    external_hits: integer('external_hits').notNull(),
    external_total: integer('external_total').notNull(),
    /** Of all rehydrations, by how their keys were found. */
    anchored_hits: integer('anchored_hits').notNull(),
    anchored_total: integer('anchored_total').notNull(),
    queried_hits: integer('queried_hits').notNull(),
    queried_total: integer('queried_total').notNull(),
    reported: integer('reported').notNull(),
    lagging: integer('lagging').notNull(),
    /** Summaries of this epoch that took the place of another with the same covers, and those that cite more than it. */
    recompacted: integer('recompacted').notNull(),
    inflated: integer('inflated').notNull(),
  },
  (t) => [primaryKey({ columns: [t.session, t.cycle] })],
)

/** How many keys the agent rehydrated in a cycle whose spans were written in cycle `born`. */
export const session_age = sqliteTable(
  'session_age',
  {
    session: ref('session', () => session.id),
    cycle: integer('cycle').notNull(),
    born: integer('born').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.session, t.cycle, t.born] })],
)

/** STATE. What a session was told by its user; the only rows here that nothing else says. */
export const session_knob = sqliteTable('session_knob', {
  session: integer('session')
    .primaryKey()
    .references(() => session.id),
  /** Milliseconds for which prune leaves the texts of retired spans that the session's live summaries stand on. */
  retention: integer('retention'),
  /** Cycles: how old a span may be that the session's search returns. */
  recency: integer('recency'),
})

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
