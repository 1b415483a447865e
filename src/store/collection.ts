import type { Chunker } from '../chunking/index.ts'
import { SpanStoreError } from '../core/errors.ts'
import { requireRevision } from '../core/expected.ts'
import { parseFilter, type Where } from '../core/filter.ts'
import type { Metadata } from '../core/json.ts'
import { type Key, parseKey } from '../core/key.ts'
import type {
  Dependent,
  FetchResult,
  Lineage,
  Metric,
  PutResult,
  Revision,
  RevisionDiff,
  RevisionText,
  SourceResult,
  Span,
  WriteResult,
} from '../core/model.ts'
import type { Embedder } from '../ports/embedder.ts'
import type {
  DeferredVectors,
  EmbeddingCheck,
  EmbedEstimate,
  EmbedOptions,
  Switched,
} from '../ports/embedding.ts'
import type { CollectionInfo, Erased, Ledger, Retired } from '../ports/ledger.ts'
import type { PlannedPut } from '../ports/planned.ts'
import type { TextIndex } from '../ports/text.ts'
import type { VectorIndex } from '../ports/vectors.ts'
import { atOnce, inTurns, nextTurn } from '../threads/turn.ts'
import { computeVectors, type Embedding, embedderOf } from './computed.ts'
import { type AppendInput, checkingSpans, type Prepared, type PutInput, preparing } from './draft.ts'
import {
  abortSignal,
  array,
  type Command,
  canonical,
  commandOption,
  expectedOption,
  flag,
  identifier,
  invalid,
  metadataOf,
  object,
  wellFormed,
  wholeNumber,
} from './input.ts'
import type { Observer } from './observer.ts'
import { changesNothing, mintedTexts, type Planning, planPut } from './planning.ts'
import { Records } from './records.ts'
import { type Searched, search, similar } from './search.ts'
import type { SearchOptions, SearchResult, SimilarOptions } from './search-options.ts'
import { Session } from './session.ts'

export interface CollectionContext {
  readonly ledger: Ledger
  readonly text: TextIndex
  readonly vectors: VectorIndex
  readonly deferred: DeferredVectors
  readonly observer: Observer
  readonly embedder: Embedder | undefined
  readonly clock: () => number
}

export interface FindOptions {
  readonly where?: Where
  readonly sources?: readonly string[]
  /** Default 100, at most 10 000. */
  readonly limit?: number
  readonly offset?: number
}

/** As many are checked in one go: spans of a source, and sources. */
const AT_ONCE = { spans: 1000, sources: 500 }

/** Of what was not checked yet. */
const exceeds = (given: unknown, most: number) => Array.isArray(given) && given.length > most

/** Milliseconds for which puts are planned at a stretch. */
const TURN = 6

/** How often a write plans again because others were faster, before it gives up. */
const REPLANS = 50

/**
 * A named set of sources: the unit of isolation and of event order. Get one from `store.collection(name)`. The
 * handle stays valid when the collection is renamed. After a drop, writing, `find`, `count` and `search` throw
 * COLLECTION_DROPPED; `fetch` and the histories go on answering.
 */
export class Collection {
  readonly #context: CollectionContext
  readonly #info: CollectionInfo
  #embedder: Embedder | undefined
  /** The collection's own embedder, as far as this handle knows. */
  #active: string | undefined
  /** Chunkers this process has used here, so that a later put may leave the chunker out. */
  readonly #chunkers = new Map<string, Chunker>()
  #records: Records | undefined
  /** Until what others gave to this handle before is checked. */
  #checking: Promise<void> | undefined

  constructor(context: CollectionContext, info: CollectionInfo) {
    this.#context = context
    this.#info = info
    this.#embedder = context.embedder
    this.#active = info.embedder
  }

  /** The collection's own id, which outlives its names. */
  get id(): Key {
    return this.#info.id
  }

  /** Its name when this handle was opened. */
  get name(): string {
    return this.#info.name
  }

  get metric(): Metric {
    return this.#info.metric
  }

  get #searched(): Searched {
    const { text, vectors } = this.#context
    return { text, vectors, records: this.#ledger.vectors, embedder: this.#embedder }
  }

  get #ledger(): Ledger {
    return this.#context.ledger
  }

  get #planning(): Planning {
    return { ledger: this.#ledger, ref: this.#info.ref, chunkers: this.#chunkers }
  }

  get #embedding(): Embedding {
    return {
      ledger: this.#ledger,
      collection: this.#info.name,
      embedder: this.#embedder,
      active: this.#active,
    }
  }

  // ── writing ───────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Ingest, edit and re-chunk in one verb: cuts the text (or takes `spans`), keeps the key of everything that is
   * still there, retires the rest with its successors, and marks every dependent summary, all in one transaction.
   * A put that changes nothing writes nothing. What is given may not be changed before the answer: many spans are looked
   * at in several turns.
   *
   * @throws REVISION_CONFLICT, ERASED_TEXT, INVALID_VECTOR, INVALID_CHUNKS, EMBEDDER_FAILED, STORE_BUSY
   */
  async put(input: PutInput): Promise<PutResult> {
    const prepared = await this.#checked(preparing(input, 'put'), exceeds(input?.spans, AT_ONCE.spans))
    const [result] = await this.#put([prepared], this.#command('put', input.commandId))
    return result!
  }

  /**
   * Like `put` for several sources, in one transaction: all or none. A source may occur once. However many there are,
   * other work of this process goes on; its other writes wait. @throws DUPLICATE_SOURCE
   */
  async putMany(
    inputs: readonly Omit<PutInput, 'commandId'>[],
    options: { readonly commandId?: string } = {},
  ): Promise<readonly PutResult[]> {
    object('options', options, ['commandId'])
    const prepared = await this.#checked(
      preparingMany(array('putMany', inputs)),
      exceeds(inputs, AT_ONCE.sources),
    )
    const seen = new Set<string>()
    for (const { source } of prepared) {
      if (seen.has(source))
        throw new SpanStoreError(
          'DUPLICATE_SOURCE',
          `source ${JSON.stringify(source)} occurs twice in one putMany; which text should win? Put it once`,
          { source },
        )
      seen.add(source)
    }
    const command = this.#command('putMany', options.commandId)
    return prepared.length === 0 ? [] : await this.#put(prepared, command)
  }

  /**
   * Checks what was given: much of it in steps. Whoever writes through this handle meanwhile waits, so that writes keep
   * the order in which they were given.
   */
  async #checked<T>(steps: Generator<unknown, T>, many: boolean): Promise<T> {
    const before = this.#checking
    if (before === undefined && !many) return atOnce(steps)
    const checked = (async () => {
      await before
      return await inTurns(steps)
    })()
    const over: Promise<void> = checked.then(
      () => {},
      () => {},
    )
    this.#checking = over
    try {
      return await checked
    } finally {
      if (this.#checking === over) this.#checking = undefined
    }
  }

  async #put(puts: readonly Prepared[], command: Command): Promise<readonly PutResult[]> {
    const before = await this.#answered<readonly PutResult[]>(command)
    if (before !== undefined) return before
    for (let attempt = 0; attempt < REPLANS; attempt++) {
      const planned: PlannedPut[] = []
      for (let turn = performance.now(); planned.length < puts.length; ) {
        planned.push(await planPut(this.#planning, puts[planned.length]!))
        if (performance.now() - turn < TURN) continue
        await nextTurn()
        turn = performance.now()
      }
      // Nothing to write, and no answer to remember.
      if (command.commandId === undefined && planned.every(changesNothing))
        return planned.map((p) => p.unchanged!)
      const defer = puts.every((put) => put.defer)
      const computed = defer ? undefined : await computeVectors(this.#embedding, mintedTexts(planned))
      const written = await this.#ledger.put(this.#info.ref, planned, {
        ...command,
        ...(computed === undefined ? {} : { computed }),
      })
      if (written === undefined) continue
      if (defer) this.#context.deferred.wake(this.#info.ref)
      return written
    }
    throw new SpanStoreError(
      'STORE_BUSY',
      `other writers changed ${puts.map((put) => JSON.stringify(put.source)).join(', ')} ${REPLANS} times while this put was planned; try again`,
      { waited: 0 },
    )
  }

  /** Callers choose a command's id per verb and collection: the answer to one is never taken for another's. */
  #command(verb: string, commandId: string | undefined): Command {
    return commandOption(`${this.#info.id} ${verb}`, commandId)
  }

  async #answered<T>({ commandId }: Command): Promise<T | undefined> {
    return commandId === undefined ? undefined : ((await this.#ledger.command(commandId)) as T | undefined)
  }

  /**
   * Adds to the end of a source, creating it if need be, in time that does not depend on its length.
   * @throws ERASED_TEXT, INVALID_VECTOR, EMBEDDER_FAILED, STORE_BUSY, REVISION_CONFLICT
   */
  async append(input: AppendInput): Promise<PutResult> {
    object('append', input, ['source', 'spans', 'expectedRevision', 'commandId', 'readmit', 'defer'])
    const source = identifier('append.source', input.source)
    const expected = expectedOption('append', input.expectedRevision, { source })
    const own = await this.#checked(
      checkingSpans(input.spans, 'append.spans'),
      exceeds(input.spans, AT_ONCE.spans),
    )
    const readmit = flag('append.readmit', input.readmit)
    const defer = flag('append.defer', input.defer)
    const command = this.#command('append', input.commandId)
    const before = await this.#answered<PutResult>(command)
    if (before !== undefined) return before
    const head = await this.#ledger.head(this.#info.ref, source)
    // The ledger asks again at the commit; here, before anything is embedded for nothing.
    requireRevision(source, input.expectedRevision, head.revision)
    const common = head.metadata === undefined ? undefined : (JSON.parse(head.metadata) as Metadata)
    const spans = own.map((span) => ({
      ...span,
      metadata:
        span.metadata === undefined
          ? head.metadata
          : canonical(metadataOf('metadata', { ...common, ...(JSON.parse(span.metadata) as Metadata) })),
    }))
    const texts = new Map(
      spans.flatMap((s) => (s.text === undefined || s.vector !== undefined ? [] : [[s.hash!, s.text]])),
    )
    const computed = defer ? undefined : await computeVectors(this.#embedding, texts)
    const appended = await this.#ledger.append(
      this.#info.ref,
      { source, spans, metadata: head.metadata, expiresAt: undefined, readmit },
      { ...command, ...expected, ...(computed === undefined ? {} : { computed }) },
    )
    if (defer) this.#context.deferred.wake(this.#info.ref)
    return appended
  }

  /**
   * Takes a whole source away: its spans become tombstones, reason `deleted`. Removing what is not there is no error.
   * @throws REVISION_CONFLICT
   */
  async remove(input: {
    readonly source: string
    readonly expectedRevision?: number
    readonly commandId?: string
  }): Promise<Retired> {
    object('remove', input, ['source', 'expectedRevision', 'commandId'])
    const source = identifier('remove.source', input.source)
    return await this.#ledger.remove(this.#info.ref, source, {
      ...this.#command('remove', input.commandId),
      ...expectedOption('remove', input.expectedRevision, { source }),
    })
  }

  /**
   * Retires live spans by key, or all that match a filter. A span keeps its place in its source until the next
   * revision, so that the same text put again is recognised as `identical`. `expectedRevision` is that of the one source
   * that all of the keys belong to. It is one transaction, however many there are; other work of this process goes on,
   * and its other writes wait. @throws REVISION_CONFLICT
   */
  async retire(
    keys: readonly string[] | { readonly where: Where },
    options: {
      readonly reason?: 'deleted' | 'evicted'
      readonly expectedRevision?: number
      readonly commandId?: string
    } = {},
  ): Promise<Retired> {
    object('options', options, ['reason', 'expectedRevision', 'commandId'])
    const { reason = 'deleted' } = options
    if (reason !== 'deleted' && reason !== 'evicted')
      throw invalid('options.reason', reason, "give 'deleted' or 'evicted'")
    if (!Array.isArray(keys) && options.expectedRevision !== undefined)
      throw invalid(
        'options.expectedRevision',
        options.expectedRevision,
        'leave it out: a filter concerns any number of sources',
      )
    const chosen = Array.isArray(keys)
      ? keysOf('keys', keys)
      : await this.#ledger.matching(this.#info.ref, parseFilter(object('keys', keys, ['where']).where))
    return await this.#ledger.retire(this.#info.ref, chosen, reason, {
      ...this.#command('retire', options.commandId),
      ...expectedOption('options', options.expectedRevision, { keys: chosen }),
    })
  }

  /**
   * Changes metadata of live spans, and nothing else. `merge` (the default) sets the given fields and leaves the
   * others; `unset` removes fields; `replace: true` makes the given metadata all there is. `expectedRevision` is that of
   * the one source that all of the keys belong to. @throws REVISION_CONFLICT
   */
  async update(input: {
    readonly keys: readonly string[]
    readonly metadata?: Metadata
    readonly unset?: readonly string[]
    readonly replace?: boolean
    readonly expectedRevision?: number
    readonly commandId?: string
  }): Promise<WriteResult & { readonly updated: readonly Key[] }> {
    object('update', input, ['keys', 'metadata', 'unset', 'replace', 'expectedRevision', 'commandId'])
    const keys = keysOf('update.keys', input.keys)
    const given = input.metadata === undefined ? {} : metadataOf('update.metadata', input.metadata)
    const unset = new Set(
      array('update.unset', input.unset ?? []).map((name, i) => identifier(`update.unset[${i}]`, name)),
    )
    const replace = flag('update.replace', input.replace)
    const patch = (before: string | undefined) => {
      const old = before === undefined || replace ? {} : (JSON.parse(before) as Metadata)
      const merged = Object.entries({ ...old, ...given }).filter(([name]) => !unset.has(name))
      return canonical(metadataOf('metadata', Object.fromEntries(merged)))
    }
    return await this.#ledger.update(this.#info.ref, keys, patch, {
      ...this.#command('update', input.commandId),
      ...expectedOption('update', input.expectedRevision, { keys }),
    })
  }

  /**
   * Removes text physically: from the ledger, its log, manifests, full text and index. Keys and lineage stay, as
   * tombstones with `erasedAt`. `expectedRevision` is that of the source, or of the one source that all of the keys
   * belong to. @throws CASCADE_REQUIRED when live spans hold the same bytes, REVISION_CONFLICT
   */
  async erase(
    target: { readonly keys: readonly string[] } | { readonly source: string },
    options: {
      readonly cascade?: boolean
      readonly expectedRevision?: number
      readonly commandId?: string
    } = {},
  ): Promise<Erased> {
    object('options', options, ['cascade', 'expectedRevision', 'commandId'])
    const { keys, source } = object('erase', target, ['keys', 'source'])
    if ((keys === undefined) === (source === undefined))
      throw invalid('erase', target, 'give either keys or source')
    const checked =
      keys === undefined
        ? { source: identifier('erase.source', source) }
        : { keys: keysOf('erase.keys', keys) }
    const cascade = flag('options.cascade', options.cascade)
    return await this.#ledger.erase(this.#info.ref, checked, cascade, {
      ...this.#command('erase', options.commandId),
      ...expectedOption('options', options.expectedRevision, checked),
    })
  }

  // ── reading ───────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Exactly one of the four results; never throws for a key that is not there. A key of another collection is
   * `absent` here (`store.fetch` looks everywhere). With `asOf`, a position of this collection, what the key
   * answered then.
   */
  async fetch(key: string, options?: { readonly asOf?: number }): Promise<FetchResult> {
    const asOf = asOfOption(options)
    if (asOf !== undefined) return (await this.#ledger.fetch([key], this.#info.ref, asOf))[0]!
    return this.#ledger.fetchOne(key, this.#info.ref)
  }

  /** One result per key, in request order, duplicates kept. */
  async fetchMany(
    keys: readonly string[],
    options?: { readonly asOf?: number },
  ): Promise<readonly FetchResult[]> {
    return await this.#ledger.fetch(keysOf('keys', keys), this.#info.ref, asOfOption(options))
  }

  /** Live spans whose metadata match, oldest first. @throws INVALID_FILTER */
  async find(options: FindOptions = {}): Promise<readonly Span[]> {
    object('find', options, ['where', 'sources', 'limit', 'offset'])
    const limit = wholeNumber('find.limit', options.limit ?? 100, 0)
    if (limit > 10_000) throw invalid('find.limit', limit, 'read at most 10 000 at once; page with offset')
    return await this.#ledger.find(this.#info.ref, {
      ...(options.where === undefined ? {} : { where: parseFilter(options.where) }),
      ...(options.sources === undefined
        ? {}
        : {
            sources: array('find.sources', options.sources).map((s, i) =>
              identifier(`find.sources[${i}]`, s),
            ),
          }),
      limit,
      offset: wholeNumber('find.offset', options.offset ?? 0, 0),
    })
  }

  /**
   * The live spans that fit a query, best first. A write is visible to the next search; an answer that may be missing
   * something says so.
   * @throws INVALID_ARGUMENT, INVALID_FILTER, INVALID_VECTOR, NO_VECTORS, EMBEDDER_MISMATCH, EMBEDDER_FAILED,
   * POSITION_UNKNOWN, ABORTED
   */
  async search(options: SearchOptions): Promise<SearchResult> {
    return await search(this.#searched, this.#info, options)
  }

  /**
   * The live spans whose vectors are nearest to that of a live span, itself left out.
   * @throws KEY_NOT_LIVE, NO_VECTORS, INVALID_ARGUMENT, INVALID_FILTER, ABORTED
   */
  async similar(key: string, options: SimilarOptions = {}): Promise<SearchResult> {
    object('similar', options, ['k', 'offset', 'where', 'accuracy', 'minScore', 'explain', 'signal'])
    return await similar(this.#searched, this.#info, parseKey(key), options)
  }

  /**
   * Computes the vectors that deferred puts left out, now. They are computed in the background as well; this is for
   * those who want to wait, or to see the progress. @throws NO_VECTORS without an embedder, EMBEDDER_FAILED,
   * EMBEDDER_MISMATCH, ABORTED
   */
  async embed(options: EmbedOptions = {}): Promise<{ readonly embedded: number }> {
    checkEmbedOptions('embed', options)
    return await this.#context.deferred.embed(this.#info.ref, options)
  }

  /**
   * Embeds the texts of some live spans again and compares: hosted models change silently, and then new queries are
   * compared with vectors of another model. Where `least` is well below 1, `switchEmbedder` to the model under another
   * id. @throws NO_VECTORS without an embedder, EMBEDDER_FAILED, EMBEDDER_MISMATCH, ABORTED
   */
  async checkEmbeddings(count: number, options: EmbedOptions = {}): Promise<EmbeddingCheck> {
    checkEmbedOptions('checkEmbeddings', options)
    return await this.#context.deferred.check(this.#info.ref, wholeNumber('count', count, 1), options)
  }

  /** How many texts, characters and tokens `switchEmbedder` would have to embed, before it begins. */
  async estimateSwitch(embedder: Embedder): Promise<EmbedEstimate> {
    return await this.#context.deferred.estimate(this.#info.ref, embedderOf('embedder', embedder))
  }

  /**
   * Computes every vector by another embedder, beside those that searches use meanwhile, and makes it the collection's
   * own once none is missing. Nothing that has a vector already is embedded again, so that a call that was aborted, or
   * whose process died, goes on where it was. From then on this handle uses the new embedder; handles that hold the
   * former get EMBEDDER_MISMATCH for text queries and puts.
   * @throws COLLECTION_MISMATCH where vectors were supplied by callers, EMBEDDER_FAILED, ABORTED
   */
  async switchEmbedder(embedder: Embedder, options: EmbedOptions = {}): Promise<Switched> {
    checkEmbedOptions('switchEmbedder', options)
    const switched = await this.#context.deferred.switch(
      this.#info.ref,
      embedderOf('embedder', embedder),
      options,
    )
    this.#embedder = embedder
    this.#active = embedder.id
    return switched
  }

  /** How many live spans there are, or how many match. */
  async count(options: { readonly where?: Where } = {}): Promise<number> {
    object('options', options, ['where'])
    return await this.#ledger.count(
      this.#info.ref,
      options.where === undefined ? undefined : parseFilter(options.where),
    )
  }

  /** A source's state: live with spans, live with none, removed, never seen. */
  async source(id: string, options?: { readonly asOf?: number }): Promise<SourceResult> {
    return await this.#ledger.source(this.#info.ref, identifier('source', id), asOfOption(options))
  }

  /** Every source ever seen, by name, removed ones included; with `after`, those whose names come after that. */
  async *sources(options: { readonly after?: string } = {}): AsyncGenerator<SourceResult> {
    object('options', options, ['after'])
    let after = options.after === undefined ? undefined : wellFormed('options.after', options.after)
    for (;;) {
      const page = await this.#ledger.sources(this.#info.ref, after, 200)
      yield* page
      if (page.length < 200) return
      after = page.at(-1)!.source
      // Reading does not wait for anything: there may be millions.
      await nextTurn()
    }
  }

  /** A revision's text, byte for byte, with the place of each span; the last one unless told. */
  async read(id: string, options: { readonly revision?: number } = {}): Promise<RevisionText> {
    const { revision } = object('options', options, ['revision'])
    return await this.#ledger.read(
      this.#info.ref,
      identifier('source', id),
      revision === undefined ? undefined : wholeNumber('options.revision', revision, 1),
    )
  }

  /** All revisions of a source, oldest first. @throws SOURCE_UNKNOWN */
  async history(id: string): Promise<readonly Revision[]> {
    return await this.#ledger.history(this.#info.ref, identifier('source', id))
  }

  /** What became of the spans between two revisions. @throws REVISION_UNKNOWN */
  async diff(id: string, from: number, to: number): Promise<RevisionDiff> {
    return await this.#ledger.diff(
      this.#info.ref,
      identifier('source', id),
      wholeNumber('from', from, 1),
      wholeNumber('to', to, 1),
    )
  }

  /** Where a key's text came from and what became of it. */
  async lineage(key: string): Promise<Lineage> {
    return await this.#ledger.lineage(parseKey(key))
  }

  /** Every summary that stands on a key, at any depth, nearest first. */
  async dependents(key: string): Promise<readonly Dependent[]> {
    return await this.#ledger.dependents(parseKey(key))
  }

  /** The same collection as clients of vector databases know it; adapters for their protocols stand on it. */
  records(): Records {
    this.#records ??= new Records(this.#context, this.#info)
    return this.#records
  }

  /** A session's handle; a session begins with its first summary. */
  session(id: string): Session {
    const { ledger, observer } = this.#context
    const context = { ledger, observer, search: (options: SearchOptions) => this.search(options) }
    return new Session(context, this.#info, identifier('session', id))
  }
}

function* preparingMany(inputs: readonly unknown[]): Generator<void, Prepared[]> {
  const prepared: Prepared[] = []
  for (const [i, input] of inputs.entries()) {
    prepared.push(yield* preparing(input as PutInput, `putMany[${i}]`))
    yield
  }
  return prepared
}

function checkEmbedOptions(path: string, options: EmbedOptions): void {
  object(path, options, ['signal', 'onProgress', 'batch', 'pause', 'perMinute'])
  for (const [name, least] of [
    ['batch', 1],
    ['pause', 0],
    ['perMinute', 1],
  ] as const)
    if (options[name] !== undefined) wholeNumber(`${path}.${name}`, options[name], least)
  abortSignal(`${path}.signal`, options.signal)
}

function asOfOption(options: unknown): number | undefined {
  if (options === undefined) return undefined
  const { asOf } = object('options', options, ['asOf'])
  return asOf === undefined ? undefined : wholeNumber('options.asOf', asOf, 0)
}

const keysOf = (path: string, keys: unknown): string[] =>
  array(path, keys).map((key, i) => {
    if (typeof key !== 'string') throw invalid(`${path}[${i}]`, key, 'give a key as the store returned it')
    return key
  })
