import type { SessionApi } from '../api.ts'
import type { FetchResult, Summary } from '../core/model.ts'
import type { SummaryInput } from '../store/registration.ts'
import type { Context, Registration } from '../store/session.ts'
import { type Http, notOverTheWire, segment } from './http.ts'

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
    return await this.#http.json({ method: 'POST', path: `${this.#path}/context`, body, repeatable: true })
  }

  async #summaries(which: string): Promise<readonly Summary[]> {
    const path = `${this.#path}/${which}`
    const { summaries } = await this.#http.json<{ readonly summaries: readonly Summary[] }>({
      method: 'GET',
      path,
      repeatable: true,
    })
    return summaries
  }
}
