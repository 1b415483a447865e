import { parseAnchors } from '../core/anchors.ts'
import type { Advice, Decision, Freeze, Reading, Regime } from '../core/compaction.ts'
import { isKey, type Key } from '../core/key.ts'
import type { Cause, FetchResult, SummaryState } from '../core/model.ts'
import {
  ASYMMETRY,
  DENSITY,
  duplicateTokens,
  liesHigher,
  medianOf,
  type Represented,
  sizeOf,
  verdictOf,
} from '../guarantees/boundary.ts'
import type { RecallSignals } from '../guarantees/recall.ts'
import type { CollectionInfo } from '../ports/ledger.ts'
import type { Report, SignalRows, Snapshot } from '../ports/sessions.ts'
import { array, invalid, object, wellFormed, wholeNumber } from './input.ts'
import { recall } from './recall.ts'
import type { SessionContext } from './session-context.ts'

/** Cycles over which reads are counted. */
const WINDOW = 10
/** Reads, of each kind, below which a rate says nothing. */
const SAMPLES = 20
/** How many cycles the median age of what is read may rise while that of what is cited stays. */
const SKEW = 3
const FLAT = 1

interface Signal {
  readonly elevated: boolean
  /** Why there is no number, or only a bound: its condition fails, or there is too little to count. */
  readonly unavailable?: string
}

export interface HitRate {
  readonly asked: number
  readonly ok: number
  readonly rate: number
}

export interface BoundarySignals {
  /** 1. Keys printed in summaries that do not resolve. */
  readonly citationOverhang: Signal & { readonly value?: number; readonly keys: readonly Key[] }
  /** 2. Hit rates of the agent's own reads; `value` is how much lower that of self-cited keys is. */
  readonly selfCitationAsymmetry: Signal & {
    readonly value?: number
    readonly self: HitRate
    readonly external: HitRate
  }
  /** 3. The part of the context's tokens that represent something a second time. */
  readonly duplicateDensity: Signal & { readonly value?: number }
  /** 4. Summaries that print more keys than what they took the place of, over the same spans. */
  readonly referenceInflation: Signal & {
    readonly value?: number
    readonly summaries: readonly { readonly key: Key; readonly before: number; readonly after: number }[]
  }
  /** 5. Median ages in cycles, and how much more the first rose than the second. */
  readonly recencySkew: Signal & {
    readonly value?: number
    readonly rehydratedAge?: number
    readonly citedAge?: number
  }
}

export interface Condition {
  readonly holds: boolean
  readonly why?: string
}

/** A summary to be compacted anew because what it stands on moved, whatever the pressure on tokens. */
export interface Due {
  readonly key: Key
  readonly state: Exclude<SummaryState, 'current'>
  readonly causes: readonly Cause[]
}

export interface Boundary {
  readonly session: string
  /** The number of the session's last epoch. */
  readonly cycle: number
  readonly regime: Regime
  readonly decision: Decision
  readonly advice: Advice
  /** Why, in a sentence. */
  readonly reason: string
  readonly signals: BoundarySignals
  readonly conditions: {
    /** (a) A miss is an absence, not a lagging index. */
    readonly versioned: Condition
    /** (b) Summaries carry an epoch that only grows. */
    readonly epochs: Condition
    /** (c) Citations are seen, not inferred from prose. */
    readonly citations: Condition
  }
  /** One sentence for each elevated signal that does not freeze. */
  readonly warnings: readonly string[]
  readonly due: readonly Due[]
  /** The signals of anchored recall, which warn and never freeze. */
  readonly recall: RecallSignals
  /** In force now. */
  readonly frozen?: Freeze
}

/** How often the monitor reads again because the session moved meanwhile. */
const REREADS = 20

/**
 * Reads a session's signals, decides, keeps the reading, and freezes the session where the decision says so. With
 * `enforce: false` nothing is written: a look.
 */
export async function boundaryOf(
  context: SessionContext,
  info: CollectionInfo,
  session: string,
  enforce: boolean,
): Promise<Boundary> {
  const { ledger, observer } = context
  await observer.flush()
  for (let attempt = 0; ; attempt++) {
    const rows = await ledger.sessions.signals(info.ref, session, WINDOW)
    const boundary: Boundary = {
      ...judge(session, rows),
      recall: await recall(context, info, session),
      due: rows.due.map(({ key, state, causes }) => ({ key, state: state as Due['state'], causes })),
    }
    if (!enforce) return boundary
    const { decision, reason } = boundary
    const written = await ledger.sessions.judge(
      info.ref,
      session,
      rows.mark,
      readingOf(boundary),
      decision === 'proceed' ? undefined : { decision, reason },
    )
    if (written !== undefined)
      return written.freeze === undefined ? boundary : { ...boundary, frozen: written.freeze }
    if (attempt === REREADS)
      throw invalid('boundary', session, 'other processes change this session without pause; try again')
  }
}

function judge(session: string, rows: SignalRows): Omit<Boundary, 'due' | 'recall'> {
  const { snapshot, freeze } = rows
  const regime: Regime =
    rows.reported > 0 || rows.beside || (snapshot?.foreign ?? 0) > 0 ? 'observed' : 'enforced'
  const conditions = {
    versioned:
      rows.lagging === 0
        ? { holds: true }
        : {
            holds: false,
            why: `${rows.lagging} reads told to the store missed keys that are live: the index they came from lags`,
          },
    epochs:
      (snapshot?.foreign ?? 0) === 0
        ? { holds: true }
        : {
            holds: false,
            why: `${snapshot!.foreign} parts of the context were not registered, so have no epoch`,
          },
    citations:
      (snapshot?.uncited ?? 0) === 0
        ? { holds: true }
        : { holds: false, why: `${snapshot!.uncited} summaries in the context cite no key` },
  }
  const signals: BoundarySignals = {
    citationOverhang: overhang(rows, conditions.citations),
    selfCitationAsymmetry: asymmetry(rows, conditions.versioned),
    duplicateDensity: density(snapshot, conditions.citations),
    referenceInflation: inflation(rows, conditions.epochs),
    recencySkew: skew(rows),
  }
  const elevated = new Set<1 | 2 | 3 | 4 | 5>()
  if (signals.citationOverhang.elevated) elevated.add(1)
  if (signals.selfCitationAsymmetry.elevated) elevated.add(2)
  if (signals.duplicateDensity.elevated) elevated.add(3)
  if (signals.referenceInflation.elevated) elevated.add(4)
  if (signals.recencySkew.elevated) elevated.add(5)
  const fresh = verdictOf(regime, elevated)
  // A freeze in force stands, whatever the signals say by now.
  const rollback = freeze?.decision === 'freeze_and_rollback' && !freeze.discarded
  const verdict =
    freeze === undefined || fresh.decision === 'freeze_and_rollback'
      ? fresh
      : rollback
        ? { decision: 'freeze_and_rollback' as const, advice: 'DISCARD_EPOCH' as const }
        : { decision: 'freeze' as const, advice: 'FREEZE_AND_RECONCILE' as const }
  const sentences = [...elevated].map((signal) => SENTENCES[signal](signals))
  return {
    session,
    cycle: rows.mark.epoch,
    regime,
    ...verdict,
    reason:
      sentences.join('; ') ||
      (freeze === undefined
        ? 'no signal is elevated'
        : `frozen since epoch ${freeze.epoch}: ${freeze.reason}`),
    signals,
    conditions,
    warnings: verdict.decision === 'proceed' ? sentences : [],
    ...(freeze === undefined ? {} : { frozen: freeze }),
  }
}

const percent = (part: number) => `${(100 * part).toFixed(1)} %`

const SENTENCES: { readonly [S in 1 | 2 | 3 | 4 | 5]: (signals: BoundarySignals) => string } = {
  1: ({ citationOverhang: { keys } }) =>
    keys.length === 1
      ? 'signal 1: a cited key does not resolve'
      : `signal 1: ${keys.length} cited keys do not resolve`,
  2: ({ selfCitationAsymmetry: { self, external } }) =>
    `signal 2: self-cited keys are found in ${percent(self.rate)} of reads, others in ${percent(external.rate)}`,
  3: ({ duplicateDensity: { value } }) =>
    `signal 3: ${percent(value!)} of the context represents something a second time`,
  4: ({ referenceInflation: { summaries } }) =>
    summaries.length === 1
      ? 'signal 4: a summary cites more than what it took the place of'
      : `signal 4: ${summaries.length} summaries cite more than what they took the place of`,
  5: ({ recencySkew: { rehydratedAge, citedAge } }) =>
    `signal 5: what is read became older (median ${rehydratedAge} cycles), what is cited did not (${citedAge})`,
}

function overhang(rows: SignalRows, seen: Condition): BoundarySignals['citationOverhang'] {
  const keys = [...new Set([...rows.unresolvable, ...rows.unresolvableForeign, ...rows.behind])]
  const elevated = keys.length > 0
  if (seen.holds) return { elevated, value: keys.length, keys }
  return { elevated, keys, unavailable: `condition (c) fails: ${seen.why}` }
}

const rateOf = ({ asked, ok }: { readonly asked: number; readonly ok: number }): HitRate => ({
  asked,
  ok,
  rate: asked === 0 ? 1 : ok / asked,
})

function asymmetry(rows: SignalRows, versioned: Condition): BoundarySignals['selfCitationAsymmetry'] {
  const self = rateOf(rows.self)
  const external = rateOf(rows.external)
  if (!versioned.holds)
    return { elevated: false, self, external, unavailable: `condition (a) fails: ${versioned.why}` }
  if (self.asked < SAMPLES || external.asked < SAMPLES)
    return {
      elevated: false,
      self,
      external,
      unavailable: `${self.asked} self-cited and ${external.asked} other reads in ${WINDOW} cycles; ${SAMPLES} of each are needed`,
    }
  return {
    elevated: self.rate < external.rate - ASYMMETRY,
    value: external.rate - self.rate,
    self,
    external,
  }
}

function density(snapshot: Snapshot | undefined, seen: Condition): BoundarySignals['duplicateDensity'] {
  if (snapshot === undefined || snapshot.tokens === 0)
    return { elevated: false, unavailable: `no context was observed in ${WINDOW} cycles` }
  const value = snapshot.duplicate / snapshot.tokens
  if (seen.holds || value > DENSITY) return { elevated: value > DENSITY, value }
  return { elevated: false, unavailable: `condition (c) fails: ${seen.why}` }
}

function inflation(rows: SignalRows, epochs: Condition): BoundarySignals['referenceInflation'] {
  const summaries = rows.inflated
  if (summaries.length > 0) return { elevated: true, value: summaries.length, summaries }
  if (!epochs.holds) return { elevated: false, summaries, unavailable: `condition (b) fails: ${epochs.why}` }
  if (rows.recompacted === 0)
    return {
      elevated: false,
      summaries,
      unavailable: 'no summary took the place of another with the same covers since the last reconcile pass',
    }
  return { elevated: false, value: 0, summaries }
}

function skew(rows: SignalRows): BoundarySignals['recencySkew'] {
  const { rehydratedAges: later, rehydratedBefore: before, earlier: readings } = rows
  const rehydratedAge = medianOf(later)
  const citedAge = medianOf(rows.citedAges)
  const now = {
    ...(rehydratedAge === undefined ? {} : { rehydratedAge }),
    ...(citedAge === undefined ? {} : { citedAge }),
  }
  if (sizeOf(later) < SAMPLES || sizeOf(before) < SAMPLES)
    return {
      elevated: false,
      ...now,
      unavailable: `${sizeOf(later)} spans read in ${WINDOW} cycles and ${sizeOf(before)} in those before; ${SAMPLES} of each are needed`,
    }
  // What is cited jumps as blocks are closed and compacted: its course is told from all readings of each window.
  const since = rows.mark.epoch - WINDOW + 1
  const cited = (own: (cycle: number) => boolean, ...more: readonly number[]) =>
    mean([
      ...readings.flatMap((one) => (own(one.cycle) && one.citedAge !== undefined ? [one.citedAge] : [])),
      ...more,
    ])
  const citedThen = cited((cycle) => cycle < since)
  if (citedAge === undefined || citedThen === undefined)
    return {
      elevated: false,
      ...now,
      unavailable: `no reading of the ${WINDOW} cycles before to compare with`,
    }
  const risen = rehydratedAge! - medianOf(before)!
  const citedRisen = cited((cycle) => cycle >= since, citedAge)! - citedThen
  return {
    elevated: risen >= SKEW && citedRisen <= FLAT && liesHigher(later, before),
    value: risen - citedRisen,
    ...now,
  }
}

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

function readingOf({ cycle, regime, decision, advice, signals }: Omit<Boundary, 'due' | 'recall'>): Reading {
  const { citationOverhang, selfCitationAsymmetry, duplicateDensity, referenceInflation, recencySkew } =
    signals
  const ordered = [citationOverhang, selfCitationAsymmetry, duplicateDensity, referenceInflation, recencySkew]
  const { self, external } = selfCitationAsymmetry
  return {
    cycle,
    at: 0,
    regime,
    decision,
    advice,
    elevated: ordered.flatMap(({ elevated }, i) => (elevated ? [i + 1] : [])),
    overhang: citationOverhang.keys.length,
    ...(self.asked === 0 ? {} : { selfCitedHitRate: self.rate }),
    ...(external.asked === 0 ? {} : { externalCitedHitRate: external.rate }),
    ...(duplicateDensity.value === undefined ? {} : { duplicateDensity: duplicateDensity.value }),
    ...(referenceInflation.value === undefined ? {} : { inflated: referenceInflation.value }),
    ...(recencySkew.rehydratedAge === undefined ? {} : { rehydratedAge: recencySkew.rehydratedAge }),
    ...(recencySkew.citedAge === undefined ? {} : { citedAge: recencySkew.citedAge }),
  }
}

// ── what an agent tells ─────────────────────────────────────────────────────────────────────────────────────

/** A part of an agent's context, as it stands there. `session.context()` gives such parts. */
export interface ContextPart {
  /** Of a span or summary of this store. */
  readonly key?: string
  /** Of a summary that is not registered here: its anchors are read, its text is not kept. */
  readonly text?: string
  /** Of a summary that is not registered here: the keys it stands for. */
  readonly covers?: readonly string[]
  /** Default: a quarter of the text's characters. A part without key and text counts as tokens alone. */
  readonly tokens?: number
  readonly kind?: 'span' | 'summary'
}

export interface Observation {
  /** What the agent's context holds now. */
  readonly context?: readonly ContextPart[]
  /** Keys the agent cited in its own words. */
  readonly citations?: readonly string[]
  /** What the agent read from elsewhere than this store, such as an index of its own. */
  readonly retrievals?: readonly Report[]
  /** Position of this collection that such an index has read the log up to. */
  readonly indexedThrough?: number
}

const OBSERVED = ['context', 'citations', 'retrievals', 'indexedThrough']
const PART = ['key', 'text', 'covers', 'tokens', 'kind']

/** Notes what an agent says of itself. Nothing is written yet: see `Observer`. */
export async function observeOf(
  context: SessionContext,
  info: CollectionInfo,
  session: string,
  observation: Observation,
): Promise<void> {
  object('observe', observation, OBSERVED)
  const citations = array('observe.citations', observation.citations ?? []).map((key, i) =>
    wellFormed(`observe.citations[${i}]`, key),
  )
  const reports = array('observe.retrievals', observation.retrievals ?? []).map((report, i) =>
    reportOf(`observe.retrievals[${i}]`, report),
  )
  const through =
    observation.indexedThrough === undefined
      ? undefined
      : wholeNumber('observe.indexedThrough', observation.indexedThrough, 0)
  const parts = array('observe.context', observation.context ?? []).map((part, i) =>
    partOf(`observe.context[${i}]`, part),
  )
  const snapshot = observation.context === undefined ? undefined : await snapshotOf(context, parts)
  context.observer.of(info.ref, session).note({
    reports,
    citations,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(through === undefined ? {} : { through }),
  })
}

function reportOf(path: string, report: unknown): Report {
  const { key, hit, cited } = object(path, report, ['key', 'hit', 'cited'])
  if (typeof hit !== 'boolean') throw invalid(`${path}.hit`, hit, 'say true or false')
  return { key: wellFormed(`${path}.key`, key), hit, cited: citedAs(`${path}.cited`, cited) }
}

/** Whose idea a read was. */
export function citedAs(path: string, cited: unknown): 'self' | 'external' {
  if (cited === 'self' || cited === 'external') return cited
  throw invalid(path, cited, "say 'self' for a key the agent cited itself, 'external' for any other")
}

interface Part {
  readonly key?: string
  readonly cites?: readonly Key[]
  readonly covers: readonly string[]
  readonly tokens: number
}

function partOf(path: string, part: unknown): Part {
  const { key, text, covers, tokens } = object(path, part, PART)
  const length = text === undefined ? 0 : Math.ceil(wellFormed(`${path}.text`, text).length / 4)
  if (tokens !== undefined && !(typeof tokens === 'number' && tokens >= 0 && Number.isFinite(tokens)))
    throw invalid(`${path}.tokens`, tokens, 'give a number of tokens')
  return {
    ...(key === undefined ? {} : { key: wellFormed(`${path}.key`, key) }),
    ...(key === undefined && text !== undefined ? { cites: parseAnchors(text as string).keys } : {}),
    covers: array(`${path}.covers`, covers ?? []).map((one, i) => wellFormed(`${path}.covers[${i}]`, one)),
    tokens: (tokens as number | undefined) ?? length,
  }
}

async function snapshotOf({ ledger }: SessionContext, parts: readonly Part[]): Promise<Snapshot> {
  const keyed = parts.filter((part) => part.key !== undefined)
  const results = await ledger.fetch(keyed.map(({ key }) => key!))
  const known = new Map(keyed.map((part, i) => [part, results[i]!]))
  let foreign = 0
  let uncited = 0
  const cites = new Set<Key>()
  const represented: Represented[] = []
  for (const part of parts) {
    const result = known.get(part)
    if (result !== undefined && result.status !== 'absent') {
      represented.push({ key: result.key, stands: await standsFor(ledger, result), tokens: part.tokens })
      continue
    }
    const own = [...(part.cites ?? []), ...part.covers.filter(isKey)]
    if (part.key !== undefined || part.cites !== undefined) {
      foreign++
      // A key that was never assigned is what the part cites.
      if (part.key !== undefined && isKey(part.key)) own.push(part.key)
      if (own.length === 0) uncited++
      for (const key of own) cites.add(key)
    }
    represented.push({
      stands: part.covers.length > 0 ? part.covers : (part.cites ?? []),
      tokens: part.tokens,
    })
  }
  return {
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    duplicate: duplicateTokens(represented),
    foreign,
    uncited,
    cites: [...cites],
  }
}

/** What a summary covers, or where it does not say, what it depends on; of a retired one, what it did. */
async function standsFor(ledger: SessionContext['ledger'], result: FetchResult): Promise<readonly string[]> {
  if (result.status === 'absent' || result.kind === 'span') return []
  if (result.status === 'ok')
    return result.span.covers.length > 0 ? result.span.covers : result.span.dependsOn
  const [before] = await ledger.fetch([result.key], undefined, result.tombstone.position - 1)
  return before?.status === 'ok' ? standsFor(ledger, before) : []
}
