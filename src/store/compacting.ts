import { parseAnchors } from '../core/anchors.ts'
import { encodeCursor } from '../core/cursor.ts'
import { SpanStoreError } from '../core/errors.ts'
import { type Key, parseKey } from '../core/key.ts'
import type { FetchResult, Summary } from '../core/model.ts'
import {
  type CompactedClaim,
  type CompactionAnswer,
  type CompactionSpan,
  runCompaction,
  type Summarize,
} from '../guarantees/compaction.ts'
import type { Elision, ElisionMarkers, Language } from '../guarantees/elisions.ts'
import { judgeFidelity, type SecondOpinion } from '../guarantees/fidelity/index.ts'
import { anchorDensity } from '../guarantees/recall.ts'
import { inTurns, nextTurn, Turns } from '../threads/turn.ts'
import { type Gatehouse, rehydrate } from './gating.ts'
import { array, fraction, identifier, invalid, object, wellFormed, wholeNumber } from './input.ts'
import { registering } from './registration.ts'

export interface CompactOptions {
  /** Turns spans into a text that prints their anchors. Called up to four times; see `CompactionRequest`. */
  readonly summarize: Summarize
  /** The conversation to compact: its live spans that no current summary of the session covers. */
  readonly source?: string
  /** Leave out so many of its newest spans. Default 0. */
  readonly keep?: number
  /** Or: the keys to compact, of spans and summaries. */
  readonly keys?: readonly string[]
  /**
   * The summaries that the new one carries on and takes the place of. Default: those of the session that cover spans
   * of the source; `[]` for a summary beside them.
   */
  readonly replaces?: readonly string[]
  /** From 0 to 1; default 0.5. */
  readonly minAnchorDensity?: number
  readonly languages?: readonly (Language | ElisionMarkers)[]
  /** Asked where the fidelity check abstains. */
  readonly secondOpinion?: SecondOpinion
}

export type Compacted =
  | {
      readonly outcome: 'compacted'
      readonly key: Key
      readonly epoch: number
      readonly position: number
      readonly stale: readonly Key[]
      readonly text: string
      readonly covers: readonly Key[]
      readonly anchors: readonly Key[]
      readonly density: number
      /** Those `unverified` are refused by the gate, and so are those not `derivable`. */
      readonly claims: readonly CompactedClaim[]
      /** "And so on", and no key in the sentence. */
      readonly orphans: readonly Elision[]
      readonly attempts: number
      /** The first answers had lost anchors, so that everything was read and summarized anew. */
      readonly reexpanded: boolean
    }
  /** There was nothing that is not covered already. */
  | { readonly outcome: 'nothing' }

const FIELDS = [
  'summarize',
  'source',
  'keep',
  'keys',
  'replaces',
  'minAnchorDensity',
  'languages',
  'secondOpinion',
]

/** How many steps back the density of a summary is compared. */
const STEPS = 8

/** `allow`: throws where the session must not compact. */
export async function compact(
  house: Gatehouse,
  options: CompactOptions,
  allow: () => Promise<void>,
): Promise<Compacted> {
  object('compact', options, FIELDS)
  const { context, info, session } = house
  const { summarize, secondOpinion } = options
  if (typeof summarize !== 'function')
    throw invalid('compact.summarize', summarize, 'give a function from spans to a text')
  const floor = fraction('compact.minAnchorDensity', options.minAnchorDensity ?? 0.5)

  const basedOn = encodeCursor(
    new Map((await context.ledger.collections()).map(({ id, position }) => [id, position])),
  )
  await allow()
  const work = await planned(house, options)
  if (work === undefined) return { outcome: 'nothing' }
  const { prior, fresh, covered } = work
  const outcome = await runCompaction(
    {
      spans: fresh,
      prior: prior.map(({ key, text }) => spanOf(key, 'summary', text)),
      protectedKeys: await standing(house, [
        ...new Set(prior.flatMap(({ text }) => parseAnchors(text).keys)),
      ]),
      densities: await densitiesOf(house, prior, options.languages),
    },
    summarize,
    {
      gate: {
        fetch: (keys) => rehydrate(house, keys, 'compact'),
        judge: (pair) => judgeFidelity(pair, secondOpinion),
      },
      resolve: (key) => context.ledger.fetchOne(key),
      expand: async () => await readable(house, covered),
      answer,
    },
    { minAnchorDensity: floor, languages: options.languages },
  )
  if (!outcome.kept)
    throw new SpanStoreError(
      'RECALL_BROKEN',
      `session ${JSON.stringify(session)}: after ${outcome.attempts} attempts the summary still does not keep its anchors: ${outcome.problems
        .map((problem) => problem.message)
        .join('; ')}. Nothing was registered`,
      { session, attempts: outcome.attempts, problems: outcome.problems },
    )
  const { draft } = outcome
  await nextTurn()
  // So that what was observed before this epoch is counted before it.
  await context.observer.flush()
  const unverified = new Set(draft.claims.flatMap((claim, i) => (claim.unverified ? [i] : [])))
  const command = await inTurns(
    registering(
      info,
      {
        text: draft.text,
        claims: draft.claims.map((claim) => claim.text),
        dependsOn: work.dependsOn,
        covers: covered,
        replaces: prior.map(({ key }) => key),
        basedOn,
        ...(draft.completeness === undefined ? {} : { completeness: draft.completeness }),
      },
      'compact',
      unverified,
    ),
  )
  const done = await context.ledger.register(info.ref, session, [command], {})
  return {
    outcome: 'compacted',
    key: done.keys[0]!,
    epoch: done.epoch,
    position: done.position,
    stale: done.stale,
    covers: covered,
    text: draft.text,
    anchors: draft.anchors,
    density: draft.density,
    claims: draft.claims,
    orphans: draft.orphans,
    attempts: draft.attempts,
    reexpanded: draft.reexpanded,
  }
}

interface Work {
  /** Summaries to carry on. */
  readonly prior: readonly Summary[]
  /** What they do not cover yet. */
  readonly fresh: readonly CompactionSpan[]
  /** Keys the new summary stands for: spans, or summaries that were given as such. */
  readonly covered: readonly Key[]
  readonly dependsOn: readonly Key[]
}

async function planned(house: Gatehouse, options: CompactOptions): Promise<Work | undefined> {
  const { context, info, session } = house
  const summaries = await context.ledger.summaries(info.ref, session, 'live')
  const chosen =
    options.replaces === undefined
      ? undefined
      : new Set(
          array('compact.replaces', options.replaces).map((key, i) =>
            parseKey(key, `compact.replaces[${i}]`),
          ),
        )
  const scope = options.keys === undefined ? await sourceScope(house, options, summaries) : keysScope(options)
  const prior = summaries.filter(({ key, covers }) =>
    chosen === undefined ? scope.owns(covers) : chosen.has(key),
  )
  const unknown = [...(chosen ?? [])].filter((key) => !prior.some((summary) => summary.key === key))
  if (unknown.length > 0)
    throw new SpanStoreError(
      'KEY_NOT_LIVE',
      `compact.replaces: ${unknown.join(', ')} ${unknown.length === 1 ? 'is no live summary' : 'are no live summaries'} of session ${JSON.stringify(session)}`,
      { keys: unknown.map((key) => ({ key, status: 'absent' })) },
    )
  // Where the text that the prior summaries covered is now.
  const carried = await living(
    house,
    prior.flatMap(({ covers }) => covers),
  )
  const elsewhere = new Set(
    summaries.flatMap((summary) =>
      summary.state === 'current' && !prior.includes(summary) ? summary.covers : [],
    ),
  )
  const old = new Set(prior.flatMap(({ covers }) => covers))
  const fresh = await readable(
    house,
    [...new Set([...carried, ...scope.keys])].filter((key) => !old.has(key) && !elsewhere.has(key)),
  )
  const due = prior.some((summary) => summary.state !== 'current')
  if (fresh.length === 0 && !due && (chosen === undefined || chosen.size === 0)) return undefined
  const still = await readable(
    house,
    [...new Set(carried)].filter((key) => old.has(key)),
  )
  const kept = [...still, ...fresh].map(({ key }) => key)
  if (kept.length === 0) return undefined
  return {
    prior,
    fresh,
    covered: kept,
    dependsOn: [
      ...new Set([
        ...kept,
        ...(await standing(
          house,
          prior.flatMap(({ dependsOn }) => dependsOn),
        )),
      ]),
    ],
  }
}

interface Scope {
  readonly keys: readonly Key[]
  /** Whether a summary that covers these is carried on, unless the caller chose. */
  owns(covers: readonly Key[]): boolean
}

function keysScope(options: CompactOptions): Scope {
  if (options.source !== undefined)
    throw invalid('compact.source', options.source, 'give either keys or source')
  const keys = array('compact.keys', options.keys).map((key, i) => parseKey(key, `compact.keys[${i}]`))
  return { keys, owns: () => false }
}

/** Without a source: the one whose spans the session's summaries cover, or the one named as the session is. */
async function sourceScope(
  house: Gatehouse,
  options: CompactOptions,
  summaries: readonly Summary[],
): Promise<Scope> {
  const { context, info, session } = house
  const source =
    options.source === undefined
      ? ((await coveredSource(house, summaries)) ?? session)
      : identifier('compact.source', options.source)
  const keep = wholeNumber('compact.keep', options.keep ?? 0, 0)
  const found = await context.ledger.source(info.ref, source)
  if (found.status === 'absent')
    throw options.source === undefined
      ? invalid(
          'compact',
          {},
          `say what to compact: a source or keys; there is no source ${JSON.stringify(source)}`,
        )
      : new SpanStoreError(
          'SOURCE_UNKNOWN',
          `no source is called ${JSON.stringify(source)}; check its id, or put it first`,
          { source },
        )
  const { places } = await context.ledger.read(info.ref, source)
  const live = places.filter(({ status }) => status === 'ok').map(({ key }) => key)
  const all = new Set(places.map(({ key }) => key))
  const owned = new Set<Key>()
  const strangers = summaries.flatMap(({ covers }) => covers).filter((key) => !all.has(key))
  for (const result of await context.ledger.fetch([...new Set(strangers)], info.ref))
    if (sourceOf(result) === source) owned.add(result.key)
  return {
    keys: live.slice(0, Math.max(0, live.length - keep)),
    owns: (covers) => covers.some((key) => all.has(key) || owned.has(key)),
  }
}

async function coveredSource(
  { context, info }: Gatehouse,
  summaries: readonly Summary[],
): Promise<string | undefined> {
  const [first] = summaries.flatMap(({ covers }) => covers)
  if (first === undefined) return undefined
  return sourceOf((await context.ledger.fetch([first], info.ref))[0]!)
}

function sourceOf(result: FetchResult): string | undefined {
  if (result.status === 'tombstone') return result.tombstone.source
  return result.status !== 'absent' && result.kind === 'span' ? result.span.source : undefined
}

/** Each key, or the live ones that continue it. */
async function living({ context }: Gatehouse, keys: readonly Key[]): Promise<readonly Key[]> {
  const found: Key[] = []
  const seen = new Set<Key>()
  let wave = [...keys]
  while (wave.length > 0) {
    const next: Key[] = []
    const unseen = wave.filter((key) => !seen.has(key))
    for (const key of unseen) seen.add(key)
    for (const result of await context.ledger.fetch([...new Set(unseen)])) {
      if (result.status === 'ok') found.push(result.key)
      if (result.status !== 'tombstone') continue
      const { identical, successors } = result.tombstone
      next.push(...(identical === undefined ? successors : [identical]))
    }
    wave = next
  }
  return found
}

/** Those of the keys that a summary may stand on, as a summarizer reads them. */
async function readable(house: Gatehouse, keys: readonly Key[]): Promise<readonly CompactionSpan[]> {
  return (await rehydrate(house, keys, 'compact')).flatMap((result) =>
    result.status === 'ok' && isCurrent(result) ? [spanOf(result.key, result.kind, result.span.text)] : [],
  )
}

/** Those of the keys that still lead somewhere. */
async function standing({ context }: Gatehouse, keys: readonly Key[]): Promise<readonly Key[]> {
  const results = await context.ledger.fetch(keys)
  const standing: Key[] = []
  const turns = new Turns()
  for (const result of results) {
    await turns.step()
    const identical = result.status === 'tombstone' ? result.tombstone.identical : undefined
    const end = identical === undefined ? result : (await context.ledger.fetch([identical]))[0]!
    if (end.status === 'ok' && isCurrent(end)) standing.push(result.key)
  }
  return standing
}

const isCurrent = (result: Extract<FetchResult, { status: 'ok' }>): boolean =>
  result.kind === 'span' || result.span.state === 'current'

const spanOf = (key: Key, kind: 'span' | 'summary', text: string): CompactionSpan => ({
  key,
  kind,
  anchor: `[[${key}]]`,
  text,
})

/** Densities of what the prior summaries came out of, oldest first. */
async function densitiesOf(
  { context, info, session }: Gatehouse,
  prior: readonly Summary[],
  languages: CompactOptions['languages'],
): Promise<readonly number[]> {
  if (prior.length === 0) return []
  const { chains } = await context.ledger.gates.chains(info.ref, session, STEPS)
  const own = new Set(prior.map(({ key }) => key))
  return chains
    .filter((chain) => own.has(chain.at(-1)?.key as Key))
    .flatMap((chain) => chain.map(({ text }) => anchorDensity(text, languages)))
}

/** What a summarizer returned is input like any other. */
function answer(value: unknown): CompactionAnswer {
  if (typeof value === 'string') return { text: textOf(value) }
  const { text, claims, completeness } = object('summarize()', value, ['text', 'claims', 'completeness'])
  return {
    text: textOf(text),
    ...(claims === undefined
      ? {}
      : {
          claims: array('summarize().claims', claims).map((claim, i) =>
            wellFormed(`summarize().claims[${i}]`, claim),
          ),
        }),
    ...(completeness === undefined
      ? {}
      : { completeness: fraction('summarize().completeness', completeness) }),
  }
}

function textOf(value: unknown): string {
  const text = wellFormed('summarize().text', value)
  if (text.trim() === '') throw invalid('summarize().text', value, 'a summary needs text')
  return text
}
