import { type Freeze, frozenError, type Reading } from '../core/compaction.ts'
import { type Key, parseKey } from '../core/key.ts'
import type { FetchResult, Summary } from '../core/model.ts'
import type { UnbackedClaim, UnreadSummary } from '../ports/gates.ts'
import type { CollectionInfo, Ledger } from '../ports/ledger.ts'
import type { EpochDiscarded, RegisterCommand, SessionKnobs } from '../ports/sessions.ts'
import { inTurns, Turns } from '../threads/turn.ts'
import { type Compacted, type CompactOptions, compact } from './compacting.ts'
import {
  assertGate,
  type ClaimInput,
  type Gated,
  type Gatehouse,
  type GateOptions,
  gate,
  type Recheck,
  recheck,
} from './gating.ts'
import { commandOption, flag, identifier, invalid, object, wholeNumber } from './input.ts'
import { type Boundary, boundaryOf, citedAs, type Observation, observeOf } from './monitor.ts'
import { codeOf, type SessionNotes } from './observer.ts'
import { searchRecent } from './recency.ts'
import { type ReconcileResult, type Reconciling, reconcileOf } from './reconcile.ts'
import { registering, type SummaryInput } from './registration.ts'
import type { SearchOptions, SearchResult } from './search-options.ts'
import type { SessionContext } from './session-context.ts'

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

/** Four characters a token: the usual estimate for English; give a counter for anything exact. */
const estimate = (text: string) => Math.ceil(text.length / 4)

/** One compacting agent or conversation: its summaries, epoch by epoch. Get one from `collection.session(id)`. */
export class Session {
  readonly id: string
  readonly #context: SessionContext
  readonly #ledger: Ledger
  readonly #info: CollectionInfo
  readonly #notes: SessionNotes

  constructor(context: SessionContext, info: CollectionInfo, id: string) {
    this.#context = context
    this.#ledger = context.ledger
    this.#info = info
    this.id = id
    this.#notes = context.observer.of(info.ref, id)
  }

  /**
   * Stores a summary (or several: one epoch) with what it depends on. Nothing is born stale: a dependency that is
   * absent, empty, retired or itself not current is refused.
   *
   * @throws DEPENDENCY_UNSATISFIED, INPUTS_MOVED, CYCLE, KEY_NOT_LIVE (of `replaces`), SESSION_FROZEN, POSITION_UNKNOWN and
   * CURSOR_INVALID (of `basedOn`)
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
    const inputs = several ? (input as readonly SummaryInput[]) : [input as SummaryInput]
    const commands = await inTurns(registeringAll(this.#info, inputs, several))
    if (commands.length === 0) throw invalid('register', input, 'give at least one summary')
    // So that what was observed before this epoch is counted before it.
    await this.#context.observer.flush()
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

  get #house(): Gatehouse {
    return { context: this.#context, info: this.#info, session: this.id, notes: this.#notes }
  }

  /**
   * Asks, before an irreversible action, whether what it stands on can be substantiated now: each claim given, or each
   * claim of a summary named by its key. Every key is read at this moment; a claim passes when all of its keys lead to
   * a text, down to spans, and it says what is found there. The answer is written down.
   */
  async gate(claims: string | readonly ClaimInput[], options: GateOptions = {}): Promise<Gated> {
    return await gate(this.#house, claims, options)
  }

  /** `gate`, which throws instead of refusing. @throws REHYDRATION_BOUNDARY, naming every refused claim */
  async assertGate(claims: string | readonly ClaimInput[], options: GateOptions = {}): Promise<Gated> {
    return await assertGate(this.#house, claims, options)
  }

  /**
   * Right before the action: whether a gate of this session still holds, named by its cursor, also of another process
   * or before a restart. One comparison when nothing moved; no claim is compared with its span again.
   */
  async recheck(gated: string | Gated): Promise<Recheck> {
    return await recheck(this.#house, gated)
  }

  /**
   * Claims past the boundary: they look as if they could stand alone, their key cannot be derived from the summary's
   * text, and a span the summary stood on no longer resolves.
   */
  async boundaryMarkers(): Promise<readonly UnbackedClaim[]> {
    return await this.#ledger.gates.unbacked(this.#info.ref, this.id)
  }

  /** The opposite signature: summaries acted on or cited, none of whose spans was read since they were registered. */
  async unrehydrated(): Promise<readonly UnreadSummary[]> {
    await this.#context.observer.flush()
    return await this.#ledger.gates.unread(this.#info.ref, this.id)
  }

  /**
   * Summarizes what no summary of the session covers yet, carrying on those that do, and registers the result. The
   * anchors of those are protected: an answer that lost, changed or invented one is given back once, with all spans
   * read anew, and then refused. A claim that its span does not say goes back at most twice, and is then registered
   * as unverified, which the gate refuses.
   * @throws RECALL_BROKEN naming each anchor, SESSION_FROZEN, INPUTS_MOVED, SOURCE_UNKNOWN, KEY_NOT_LIVE
   */
  async compact(options: CompactOptions): Promise<Compacted> {
    return await compact(this.#house, options, async () => {
      // Asked at each compaction, before the summarizer runs: a crossed boundary freezes the session at once.
      await this.boundary()
      const freeze = await this.frozen()
      if (freeze !== undefined) throw frozenError(this.id, freeze)
    })
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
    const counted = (tokens: unknown) => {
      if (typeof tokens === 'number' && tokens >= 0) return tokens
      throw invalid('context.countTokens()', tokens, 'answer a number of tokens')
    }
    const summaries = await this.summaries()
    const turns = new Turns()
    const current = summaries.filter((summary) => summary.state === 'current')
    const covered = new Set<Key>()
    for (const summary of current) for (const key of summary.covers) covered.add(key)
    const originals = new Set<Key>()
    for (const summary of summaries) {
      await turns.step()
      for (const key of summary.covers) if (!covered.has(key)) originals.add(key)
    }
    if (options.source !== undefined) {
      const { places } = await this.#ledger.read(this.#info.ref, identifier('context.source', options.source))
      for (const { key, status } of places) if (status === 'ok' && !covered.has(key)) originals.add(key)
    }
    const spans = (await this.#ledger.fetch([...originals])).flatMap((result) =>
      result.status === 'ok' && result.kind === 'span' ? [result.span] : [],
    )
    const entries: Omit<ContextEntry, 'tokens'>[] = [
      ...current.map(({ key, text, covers }) => ({ key, kind: 'summary' as const, text, covers })),
      ...spans.map(({ key, text }) => ({ key, kind: 'span' as const, text, covers: [] })),
    ]
    await turns.step()
    // A summary stands where the first span it covers stood; keys sort by the time they were minted.
    const places = new Map<unknown, Key>()
    for (const entry of entries) {
      await turns.step()
      places.set(entry, first(entry))
    }
    entries.sort((a, b) => (places.get(a)! < places.get(b)! ? -1 : 1))
    // From the newest on, for as long as there is room.
    const kept: ContextEntry[] = []
    const omitted: Key[] = []
    let tokens = 0
    for (const entry of entries.reverse()) {
      await turns.step()
      const own = omitted.length === 0 ? counted(count(entry.text)) : undefined
      if (own !== undefined && tokens + own <= budget) {
        kept.push({ ...entry, tokens: own })
        tokens += own
      } else omitted.push(entry.key)
    }
    kept.reverse()
    omitted.reverse()
    return { entries: kept, tokens, omitted }
  }

  // ── what the session reads and says of itself ─────────────────────────────────────────────────────────────

  /**
   * Reads a key of any collection and notes whose idea it was: `self` for a key the agent cited itself, from a summary
   * or in its own words; `external` for any other.
   */
  async fetch(key: string, options: { readonly cited: 'self' | 'external' }): Promise<FetchResult> {
    const how = options?.cited === 'self' ? SELF : EXTERNAL
    if (how === EXTERNAL) citedAs('fetch.cited', options?.cited)
    const result = this.#ledger.fetchOne(key)
    const found = 'status' in result ? result : await result
    this.#notes.add(found, how)
    return found
  }

  /**
   * Searches the session's collection within its recency window, and notes every hit as read.
   * @throws as `collection.search`
   */
  async search(options: SearchOptions): Promise<SearchResult> {
    return await searchRecent(this.#context, this.#info, this.id, options)
  }

  /**
   * Notes what the agent's context holds, what it cited in its own words, and what it read elsewhere than here. Kept
   * without texts; written in batches, so that a crash may lose the last second of it.
   */
  async observe(observation: Observation): Promise<void> {
    await observeOf(this.#context, this.#info, this.id, observation)
  }

  // ── the compaction monitor ────────────────────────────────────────────────────────────────────────────────

  /**
   * Whether to compact, before each compaction: the five signals of seed 001 over the last cycles, the decision, and
   * the advice. `freeze` and `freeze_and_rollback` freeze the session at once. `enforce: false` only looks: nothing is
   * kept and nothing frozen.
   */
  async boundary(options: { readonly enforce?: boolean } = {}): Promise<Boundary> {
    object('boundary', options, ['enforce'])
    const enforce = flag('boundary.enforce', options.enforce ?? true)
    return await boundaryOf(this.#context, this.#info, this.id, enforce)
  }

  /** What `boundary` read before, oldest first: the last `limit`, 1000 unless told. */
  async readings(options: { readonly limit?: number } = {}): Promise<readonly Reading[]> {
    object('readings', options, ['limit'])
    const limit = wholeNumber('readings.limit', options.limit ?? 1000, 1)
    return await this.#ledger.sessions.readings(this.#info.ref, this.id, limit)
  }

  /** The freeze in force, if any: until it is reconciled, the session neither registers nor compacts. */
  async frozen(): Promise<Freeze | undefined> {
    return await this.#ledger.sessions.freeze(this.#info.ref, this.id)
  }

  /**
   * Brings summaries and sources together again, as a checkpoint: every key the session cites is read, every summary
   * that is not current is rewritten from what stands for its sources now, and all of it is committed with a new
   * epoch, or nothing. Ends a freeze; after `freeze_and_rollback`, `discardEpoch` comes first.
   * @throws INPUTS_MOVED when anything changed while summaries were rewritten, SESSION_FROZEN, CYCLE
   */
  async reconcile(options: Reconciling): Promise<ReconcileResult> {
    return await reconcileOf(this.#context, this.#info, this.id, options)
  }

  /**
   * Withdraws the summaries of the last epoch and brings back what they had replaced, where that still stands, under
   * new keys, `identical` to the old. Ends no freeze: `reconcile` does. `epoch` 0 means there was none.
   */
  async discardEpoch(options: { readonly commandId?: string } = {}): Promise<EpochDiscarded> {
    object('options', options, ['commandId'])
    const command = commandOption(`${this.#info.id} discardEpoch ${this.id}`, options.commandId)
    await this.#context.observer.flush()
    return await this.#ledger.sessions.discardEpoch(this.#info.ref, this.id, command)
  }

  /**
   * The two knobs of the monitor's advice. `retention`: milliseconds for which `prune` leaves texts of retired spans
   * that live summaries of the session stand on. `recencyWindow`: how many cycles old a span may be that `search`
   * returns. `false` unsets one. Neither touches a freeze or a decision.
   */
  async configure(knobs: {
    readonly retention?: number | false
    readonly recencyWindow?: number | false
  }): Promise<void> {
    object('configure', knobs, ['retention', 'recencyWindow'])
    const set = (name: 'retention' | 'recencyWindow') => {
      const value = knobs[name]
      return value === undefined
        ? {}
        : { [name]: value === false ? null : wholeNumber(`configure.${name}`, value, 0) }
    }
    await this.#ledger.sessions.turn(this.#info.ref, this.id, {
      ...set('retention'),
      ...set('recencyWindow'),
    })
  }

  /** What `configure` set. */
  async settings(): Promise<SessionKnobs> {
    return await this.#ledger.sessions.knobs(this.#info.ref, this.id)
  }
}

function* registeringAll(
  info: CollectionInfo,
  inputs: readonly SummaryInput[],
  several: boolean,
): Generator<void, RegisterCommand[]> {
  const commands: RegisterCommand[] = []
  for (const [i, input] of inputs.entries()) {
    commands.push(yield* registering(info, input, several ? `register[${i}]` : 'register'))
    yield
  }
  return commands
}

const SELF = codeOf({ cited: 'self', purpose: 'agent' })
const EXTERNAL = codeOf({ cited: 'external', purpose: 'agent' })

/** Keys sort by the time they were minted. */
function first({ key, covers }: { readonly key: Key; readonly covers: readonly Key[] }): Key {
  let least = covers[0] ?? key
  for (const one of covers) if (one < least) least = one
  return least
}
