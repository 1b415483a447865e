import type { CollectionApi } from '../api.ts'
import type { Where } from '../core/filter.ts'
import type { Metadata } from '../core/json.ts'
import type { Key } from '../core/key.ts'
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
import type { EmbedOptions } from '../ports/embedding.ts'
import type { CollectionInfo, Erased, Retired } from '../ports/ledger.ts'
import type { FindOptions } from '../store/collection.ts'
import type { AppendInput, PutInput, SpanInput, VectorInput } from '../store/draft.ts'
import type { SearchOptions, SearchResult, SimilarOptions } from '../store/search-options.ts'
import { type Call, type Http, segment } from './http.ts'
import { RemoteSession } from './session.ts'

/** A collection behind a server. */
export class RemoteCollection implements CollectionApi {
  readonly id: Key
  readonly name: string
  readonly metric: Metric
  readonly #http: Http
  readonly #path: string

  constructor(http: Http, { id, name, metric }: Omit<CollectionInfo, 'ref'>) {
    this.#http = http
    this.id = id
    this.name = name
    this.metric = metric
    this.#path = `/v1/collections/${segment('name', name)}`
  }

  // ── writing ───────────────────────────────────────────────────────────────────────────────────────────────

  /** As the library's. The server cuts the text: a chunker of the caller's own has to cut it here, into `spans`. */
  async put({ source, ...input }: PutInput): Promise<PutResult> {
    return await this.#write('PUT', this.#source(source), sent(input), input.commandId)
  }

  async putMany(
    inputs: readonly Omit<PutInput, 'commandId'>[],
    options: { readonly commandId?: string } = {},
  ): Promise<readonly PutResult[]> {
    const puts = inputs.map(({ source, ...input }) => ({ source, ...sent(input) }))
    const { results } = await this.#write<{ readonly results: PutResult[] }>(
      'POST',
      '/sources',
      { puts, ...options },
      options.commandId,
    )
    return results
  }

  async append({ source, spans, ...input }: AppendInput): Promise<PutResult> {
    const body = { ...input, spans: spans.map(sentSpan) }
    return await this.#write('POST', `${this.#source(source)}/append`, body, input.commandId)
  }

  async remove({
    source,
    ...options
  }: {
    readonly source: string
    readonly expectedRevision?: number
    readonly commandId?: string
  }): Promise<Retired> {
    return await this.#http.json({
      method: 'DELETE',
      path: this.#path + this.#source(source),
      query: options,
      repeatable: options.commandId !== undefined,
    })
  }

  async retire(
    keys: readonly string[] | { readonly where: Where },
    options: {
      readonly reason?: 'deleted' | 'evicted'
      readonly expectedRevision?: number
      readonly commandId?: string
    } = {},
  ): Promise<Retired> {
    const body = { ...(isList(keys) ? { keys } : keys), ...options }
    return await this.#write('POST', '/retire', body, options.commandId)
  }

  async update(input: {
    readonly keys: readonly string[]
    readonly metadata?: Metadata
    readonly unset?: readonly string[]
    readonly replace?: boolean
    readonly expectedRevision?: number
    readonly commandId?: string
  }): Promise<WriteResult & { readonly updated: readonly Key[] }> {
    return await this.#write('POST', '/update', input, input.commandId)
  }

  async erase(
    target: { readonly keys: readonly string[] } | { readonly source: string },
    options: {
      readonly cascade?: boolean
      readonly expectedRevision?: number
      readonly commandId?: string
    } = {},
  ): Promise<Erased> {
    return await this.#write('POST', '/erase', { ...target, ...options }, options.commandId)
  }

  // ── reading ───────────────────────────────────────────────────────────────────────────────────────────────

  async fetch(key: string, options: { readonly asOf?: number } = {}): Promise<FetchResult> {
    return (await this.fetchMany([key], options))[0]!
  }

  async fetchMany(
    keys: readonly string[],
    options: { readonly asOf?: number } = {},
  ): Promise<readonly FetchResult[]> {
    return (await this.#ask<{ readonly results: FetchResult[] }>('/fetch', { keys, ...options })).results
  }

  async find(options: FindOptions = {}): Promise<readonly Span[]> {
    return (await this.#ask<{ readonly spans: Span[] }>('/find', options)).spans
  }

  async search({ signal, ...options }: SearchOptions): Promise<SearchResult> {
    const { vector } = options
    return await this.#ask(
      '/search',
      vector === undefined ? options : { ...options, vector: sentVector(vector) },
      signal,
    )
  }

  async similar(key: string, { signal, ...options }: SimilarOptions = {}): Promise<SearchResult> {
    return await this.#ask('/similar', { key, ...options }, signal)
  }

  /** As the library's; the progress is the server's alone, and so is the pause between batches. */
  async embed({ batch, signal }: EmbedOptions = {}): Promise<{ readonly embedded: number }> {
    return await this.#ask('/embed', batch === undefined ? {} : { batch }, signal)
  }

  async count(options: { readonly where?: Where } = {}): Promise<number> {
    return (await this.#ask<{ readonly count: number }>('/count', options)).count
  }

  async source(id: string, { asOf }: { readonly asOf?: number } = {}): Promise<SourceResult> {
    return await this.#http.result(this.#get(this.#source(id), { asOf }))
  }

  async *sources(options: { readonly after?: string } = {}): AsyncGenerator<SourceResult> {
    let { after } = options
    do {
      const page = await this.#http.json<{ readonly sources: SourceResult[]; readonly next?: string }>(
        this.#get('/sources', { after }),
      )
      yield* page.sources
      after = page.next
    } while (after !== undefined)
  }

  async read(id: string, { revision }: { readonly revision?: number } = {}): Promise<RevisionText> {
    return await this.#http.json(this.#get(`${this.#source(id)}/text`, { revision }))
  }

  async history(id: string): Promise<readonly Revision[]> {
    const path = `${this.#source(id)}/history`
    return (await this.#http.json<{ readonly revisions: Revision[] }>(this.#get(path))).revisions
  }

  async diff(id: string, from: number, to: number): Promise<RevisionDiff> {
    return await this.#http.json(this.#get(`${this.#source(id)}/diff`, { from, to }))
  }

  async lineage(key: string): Promise<Lineage> {
    return await this.#http.json(this.#get(`/keys/${segment('key', key)}/lineage`))
  }

  async dependents(key: string): Promise<readonly Dependent[]> {
    const path = `/keys/${segment('key', key)}/dependents`
    return (await this.#http.json<{ readonly dependents: Dependent[] }>(this.#get(path))).dependents
  }

  session(id: string): RemoteSession {
    return new RemoteSession(this.#http, `${this.#path}/sessions/${segment('session', id)}`, id)
  }

  // ── requests ──────────────────────────────────────────────────────────────────────────────────────────────

  #source(id: string): string {
    return `/sources/${segment('source', id)}`
  }

  #get(path: string, query: Call['query'] = {}): Call {
    return { method: 'GET', path: this.#path + path, query, repeatable: true }
  }

  #ask<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
    return this.#http.json<T>({ method: 'POST', path: this.#path + path, body, signal, repeatable: true })
  }

  #write<T>(method: 'POST' | 'PUT', path: string, body: object, commandId: string | undefined): Promise<T> {
    return this.#http.json<T>({
      method,
      path: this.#path + path,
      body,
      repeatable: commandId !== undefined,
    })
  }
}

const isList = (keys: unknown): keys is readonly string[] => Array.isArray(keys)

const sentVector = (vector: VectorInput): readonly number[] => Array.from(vector)

const sentSpan = ({ vector, ...span }: SpanInput) =>
  vector === undefined ? span : { ...span, vector: sentVector(vector) }

/** A chunker goes by its id, from which the server makes it again. */
function sent({ spans, vector, chunker, ...input }: Omit<PutInput, 'source'>) {
  return {
    ...input,
    ...(spans && { spans: spans.map(sentSpan) }),
    ...(vector && { vector: sentVector(vector) }),
    ...(chunker && { chunker: chunker.id }),
  }
}
