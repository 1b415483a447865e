import type { SessionApi } from '../api.ts'
import type { Freeze, Reading } from '../core/compaction.ts'
import type { FetchResult, Summary } from '../core/model.ts'
import type { UnbackedClaim, UnreadSummary } from '../ports/gates.ts'
import type { EpochDiscarded, SessionKnobs } from '../ports/sessions.ts'
import type { ClaimInput, Gated, GateOptions, Recheck } from '../store/gating.ts'
import type { Boundary, Observation } from '../store/monitor.ts'
import type { SummaryInput } from '../store/registration.ts'
import type { SearchOptions, SearchResult } from '../store/search-options.ts'
import type { Context, Registration } from '../store/session.ts'
import { type Call, type Http, notOverTheWire, segment } from './http.ts'

/** A session behind a server. */
export class RemoteSession implements SessionApi {
  readonly id: string
  readonly #http: Http
  readonly #path: string

  constructor(http: Http, path: string, id: string) {
    this.#http = http
    this.#path = path
    this.id = id
  }

  async register(input: SummaryInput, options?: { readonly commandId?: string }): Promise<Registration>
  async register(
    inputs: readonly SummaryInput[],
    options?: { readonly commandId?: string },
  ): Promise<readonly Registration[]>
  async register(
    input: SummaryInput | readonly SummaryInput[],
    options: { readonly commandId?: string } = {},
  ): Promise<Registration | readonly Registration[]> {
    const several = Array.isArray(input)
    const { registrations } = await this.#http.json<{ readonly registrations: readonly Registration[] }>({
      method: 'POST',
      path: `${this.#path}/summaries`,
      body: { summaries: several ? input : [input], ...options },
      repeatable: options.commandId !== undefined,
    })
    return several ? registrations : registrations[0]!
  }

  async summaries(): Promise<readonly Summary[]> {
    return await this.#summaries('summaries')
  }

  async stale(): Promise<readonly Summary[]> {
    return await this.#summaries('stale')
  }

  async authoritative(key: string): Promise<FetchResult> {
    const path = `${this.#path}/authoritative/${segment('key', key)}`
    return await this.#http.result({ method: 'GET', path, repeatable: true })
  }

  /** As the library's; tokens are estimated by the server, so that a counter of the caller's own is refused. */
  async context(options: {
    readonly maxTokens: number
    readonly source?: string
    readonly countTokens?: (text: string) => number
  }): Promise<Context> {
    const { countTokens, ...body } = options
    if (countTokens !== undefined) throw notOverTheWire('context.countTokens')
    return await this.#read('context', body)
  }

  // ── the gate ──────────────────────────────────────────────────────────────────────────────────────────────

  /** As the library's; a second opinion of the caller's own is refused, because a function cannot be sent. */
  async gate(claims: string | readonly ClaimInput[], options: GateOptions = {}): Promise<Gated> {
    return await this.#note('gate', { claims, ...sent('gate', options) })
  }

  async assertGate(claims: string | readonly ClaimInput[], options: GateOptions = {}): Promise<Gated> {
    return await this.#note('assert-gate', { claims, ...sent('assertGate', options) })
  }

  async recheck(gated: string | Gated): Promise<Recheck> {
    return await this.#read('recheck', { cursor: typeof gated === 'string' ? gated : gated.cursor })
  }

  async boundaryMarkers(): Promise<readonly UnbackedClaim[]> {
    return (await this.#get<{ readonly claims: UnbackedClaim[] }>('boundary-markers')).claims
  }

  async unrehydrated(): Promise<readonly UnreadSummary[]> {
    return (await this.#get<{ readonly summaries: UnreadSummary[] }>('unrehydrated')).summaries
  }

  // ── what the session reads and says of itself ─────────────────────────────────────────────────────────────

  async fetch(key: string, { cited }: { readonly cited: 'self' | 'external' }): Promise<FetchResult> {
    return await this.#http.result({
      method: 'POST',
      path: `${this.#path}/fetch`,
      body: { key, cited },
      repeatable: false,
    })
  }

  async search({ signal, vector, ...options }: SearchOptions): Promise<SearchResult> {
    const body = { ...options, ...(vector !== undefined && { vector: Array.from(vector) }) }
    return await this.#note('search', body, signal)
  }

  async observe(observation: Observation): Promise<void> {
    await this.#note('observe', observation)
  }

  // ── the compaction monitor ────────────────────────────────────────────────────────────────────────────────

  async boundary(options: { readonly enforce?: boolean } = {}): Promise<Boundary> {
    return await this.#note('boundary', options)
  }

  async readings({ limit }: { readonly limit?: number } = {}): Promise<readonly Reading[]> {
    return (await this.#get<{ readonly readings: Reading[] }>('readings', { limit })).readings
  }

  async frozen(): Promise<Freeze | undefined> {
    return (await this.#get<{ readonly frozen?: Freeze }>('frozen')).frozen
  }

  async discardEpoch(options: { readonly commandId?: string } = {}): Promise<EpochDiscarded> {
    return await this.#http.json({
      method: 'POST',
      path: `${this.#path}/discard-epoch`,
      body: options,
      repeatable: options.commandId !== undefined,
    })
  }

  async configure(knobs: {
    readonly retention?: number | false
    readonly recencyWindow?: number | false
  }): Promise<void> {
    await this.#http.json({
      method: 'PATCH',
      path: `${this.#path}/settings`,
      body: knobs,
      repeatable: true,
    })
  }

  async settings(): Promise<SessionKnobs> {
    return await this.#get('settings')
  }

  // ── requests ──────────────────────────────────────────────────────────────────────────────────────────────

  async #summaries(which: string): Promise<readonly Summary[]> {
    return (await this.#get<{ readonly summaries: readonly Summary[] }>(which)).summaries
  }

  #get<T>(what: string, query: Call['query'] = {}): Promise<T> {
    return this.#http.json<T>({ method: 'GET', path: `${this.#path}/${what}`, query, repeatable: true })
  }

  #read<T>(what: string, body: object): Promise<T> {
    return this.#http.json<T>({ method: 'POST', path: `${this.#path}/${what}`, body, repeatable: true })
  }

  /** It is written down by the server, so that twice would be once too often. */
  #note<T>(what: string, body: object, signal?: AbortSignal): Promise<T> {
    const path = `${this.#path}/${what}`
    return this.#http.json<T>({ method: 'POST', path, body, signal, repeatable: false })
  }
}

/** Options without functions. @throws INVALID_ARGUMENT for one */
function sent(path: string, options: object): object {
  for (const [name, value] of Object.entries(options))
    if (typeof value === 'function') throw notOverTheWire(`${path}.${name}`)
  return options
}
