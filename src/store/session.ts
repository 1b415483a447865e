import { parseAnchors, withoutAnchors } from '../core/anchors.ts'
import { claimsOf } from '../core/claims.ts'
import { decodeCursor } from '../core/cursor.ts'
import { type Key, parseKey } from '../core/key.ts'
import type { FetchResult, Summary } from '../core/model.ts'
import type { CollectionInfo, Ledger, RegisterCommand } from '../ports.ts'
import { hashOf } from './draft.ts'
import { array, commandOption, identifier, invalid, object, wellFormed, wholeNumber } from './input.ts'

export interface SummaryInput {
  /** Anchors in it, `[[KEY]]`, are its dependencies. */
  readonly text: string
  /** Its sentences, unless given. */
  readonly claims?: readonly string[]
  /** Keys it depends on beside its anchors, of any collection of the store. */
  readonly dependsOn?: readonly string[]
  /** Keys of the spans it stands for. */
  readonly covers?: readonly string[]
  /** A live summary of this session that it takes the place of. */
  readonly replaces?: string | readonly string[]
  /** What the summarizer had read: a position of this collection, or a cursor of the store when its inputs lie in several. */
  readonly basedOn?: number | string
}

export interface Registration {
  readonly key: Key
  readonly epoch: number
  readonly position: number
  readonly stale: readonly Key[]
}

/** What an agent should read in the place of the spans of a session. */
export interface Context {
  readonly entries: readonly ContextEntry[]
  /** Estimated, unless a counter was given. */
  readonly tokens: number
  /** Keys that did not fit. */
  readonly omitted: readonly Key[]
}

export interface ContextEntry {
  readonly key: Key
  readonly kind: 'span' | 'summary'
  readonly text: string
  readonly tokens: number
  /** For a summary: the spans it stands for. */
  readonly covers: readonly Key[]
}

const FIELDS = ['text', 'claims', 'dependsOn', 'covers', 'replaces', 'basedOn']

/** Four characters a token: the usual estimate for English; give a counter for anything exact. */
const estimate = (text: string) => Math.ceil(text.length / 4)

/** One compacting agent or conversation: its summaries, epoch by epoch. Get one from `collection.session(id)`. */
export class Session {
  readonly id: string
  readonly #ledger: Ledger
  readonly #info: CollectionInfo

  constructor(ledger: Ledger, info: CollectionInfo, id: string) {
    this.#ledger = ledger
    this.#info = info
    this.id = id
  }

  /**
   * Stores a summary (or several: one epoch) with what it depends on. Nothing is born stale: a dependency that is
   * absent, empty, retired or itself not current is refused.
   *
   * @throws DEPENDENCY_UNSATISFIED, INPUTS_MOVED, CYCLE, KEY_NOT_LIVE (of `replaces`)
   */
  async register(input: SummaryInput, options?: { readonly commandId?: string }): Promise<Registration>
  async register(
    inputs: readonly SummaryInput[],
    options?: { readonly commandId?: string },
  ): Promise<readonly Registration[]>
  async register(
    input: SummaryInput | readonly SummaryInput[],
    options: { readonly commandId?: string } = {},
  ): Promise<Registration | readonly Registration[]> {
    object('options', options, ['commandId'])
    const several = Array.isArray(input)
    const commands = (several ? (input as readonly SummaryInput[]) : [input as SummaryInput]).map((one, i) =>
      this.#command(one, several ? `register[${i}]` : 'register'),
    )
    if (commands.length === 0) throw invalid('register', input, 'give at least one summary')
    const done = await this.#ledger.register(
      this.#info.ref,
      this.id,
      commands,
      commandOption(`${this.#info.id} register ${this.id}`, options.commandId),
    )
    const registrations = done.keys.map((key) => ({
      key,
      epoch: done.epoch,
      position: done.position,
      stale: done.stale,
    }))
    return several ? registrations : registrations[0]!
  }

  #command(input: SummaryInput, path: string): RegisterCommand {
    object(path, input, FIELDS)
    const text = wellFormed(`${path}.text`, input.text)
    if (text.trim() === '') throw invalid(`${path}.text`, text, 'a summary needs text')
    const keys = (name: 'dependsOn' | 'covers', value: readonly string[] | undefined) => [
      ...new Set(
        value === undefined
          ? []
          : array(`${path}.${name}`, value).map((key, i) => parseKey(key, `${path}.${name}[${i}]`)),
      ),
    ]
    const claims =
      input.claims === undefined
        ? claimsOf(text)
        : array(`${path}.claims`, input.claims).map((claim, i) => wellFormed(`${path}.claims[${i}]`, claim))
    const printed = parseAnchors(text).keys
    const beside = keys('dependsOn', input.dependsOn).filter((key) => !printed.includes(key))
    const replaces =
      input.replaces === undefined
        ? []
        : typeof input.replaces === 'string'
          ? [input.replaces]
          : array(`${path}.replaces`, input.replaces)
    return {
      text,
      claims,
      dependsOn: [
        ...printed.map((key) => ({ key, printed: true })),
        ...beside.map((key) => ({ key, printed: false })),
      ],
      covers: keys('covers', input.covers),
      replaces: [...new Set(replaces.map((key, i) => parseKey(key, `${path}.replaces[${i}]`)))],
      basedOn:
        input.basedOn === undefined
          ? undefined
          : typeof input.basedOn === 'string'
            ? decodeCursor(input.basedOn)
            : new Map([[this.#info.id, wholeNumber(`${path}.basedOn`, input.basedOn, 0)]]),
      skeleton: hashOf([withoutAnchors(text), ...claims.map(withoutAnchors)].join('\u0000')),
    }
  }

  /** The session's live summaries, oldest first, each with its state and causes. */
  async summaries(): Promise<readonly Summary[]> {
    return await this.#ledger.summaries(this.#info.ref, this.id, 'live')
  }

  /** The live summaries that are not current, with what they lack. */
  async stale(): Promise<readonly Summary[]> {
    return await this.#ledger.summaries(this.#info.ref, this.id, 'notCurrent')
  }

  /**
   * The one representation of a key that counts in this session: the latest current summary that covers it, else
   * the original as `fetch` answers it.
   */
  async authoritative(key: string): Promise<FetchResult> {
    const parsed = parseKey(key)
    const summary = await this.#ledger.representative(this.#info.ref, this.id, parsed)
    return (await this.#ledger.fetch([summary ?? parsed]))[0]!
  }

  /**
   * What to read now: every current summary, and, in the place of one that is not current, the live spans it
   * covers. With `source`, the spans of that conversation that no current summary covers, too. Oldest first; when
   * `maxTokens` does not hold everything, the oldest go.
   */
  async context(options: {
    readonly maxTokens: number
    readonly source?: string
    readonly countTokens?: (text: string) => number
  }): Promise<Context> {
    object('context', options, ['maxTokens', 'source', 'countTokens'])
    const budget = wholeNumber('context.maxTokens', options.maxTokens, 1)
    const count = options.countTokens ?? estimate
    if (typeof count !== 'function')
      throw invalid('context.countTokens', count, 'give a function from text to a number of tokens')
    const summaries = await this.summaries()
    const current = summaries.filter((summary) => summary.state === 'current')
    const covered = new Set(current.flatMap((summary) => summary.covers))
    const originals = new Set(
      summaries.flatMap((summary) => summary.covers).filter((key) => !covered.has(key)),
    )
    if (options.source !== undefined) {
      const { places } = await this.#ledger.read(this.#info.ref, identifier('context.source', options.source))
      for (const { key, status } of places) if (status === 'ok' && !covered.has(key)) originals.add(key)
    }
    const spans = (await this.#ledger.fetch([...originals])).flatMap((result) =>
      result.status === 'ok' && result.kind === 'span' ? [result.span] : [],
    )
    const entries = [
      ...current.map(({ key, text, covers }) => ({ key, kind: 'summary' as const, text, covers })),
      ...spans.map(({ key, text }) => ({ key, kind: 'span' as const, text, covers: [] })),
    ]
      // A summary stands where the first span it covers stood; keys sort by the time they were minted.
      .sort((a, b) => (first(a) < first(b) ? -1 : 1))
      .map((entry) => ({ ...entry, tokens: count(entry.text) }))
    const kept: ContextEntry[] = []
    const omitted: Key[] = []
    let tokens = 0
    for (const entry of entries.toReversed()) {
      if (omitted.length === 0 && tokens + entry.tokens <= budget) {
        kept.unshift(entry)
        tokens += entry.tokens
      } else omitted.unshift(entry.key)
    }
    return { entries: kept, tokens, omitted }
  }
}

/** Keys sort by the time they were minted. */
const first = (entry: { readonly key: Key; readonly covers: readonly Key[] }): Key =>
  [...entry.covers].sort()[0] ?? entry.key
