import { parseAnchors } from '../core/anchors.ts'
import type { Key } from '../core/key.ts'
import { atOnce } from '../threads/turn.ts'
import { type Elision, type ElisionMarkers, findElisions, type Language } from './elisions.ts'
import { orphansIn } from './isolation.ts'

/*
 * The five signals of seed 004: by what a chain of summaries shows that its pointers are dying while its prose gets
 * smoother. All are read off the summaries' own texts and the log of what was asked; none asks a model.
 */

/** A fall of the anchor density by more than this is a collapse, wherever it started. */
const DENSITY_COLLAPSE = 0.3

/** Two rates this close are not told apart; fewer probes than this are no rate. */
const ASYMMETRY = 0.05
const PROBES = 20

/** One summary of a logical span, as a re-compaction left it. */
export interface RecallStep {
  readonly key: Key
  readonly epoch: number
  readonly text: string
  readonly covers: readonly Key[]
  /** What the summarizer said of itself, from 0 to 1. */
  readonly completeness?: number
}

export interface Probes {
  readonly asked: number
  readonly ok: number
}

export interface RecallInput {
  /** Each the summaries of one logical span, oldest first, the last of them live. */
  readonly chains: readonly (readonly RecallStep[])[]
  /** Keys of earlier steps that are not satisfied any more: they may go. */
  readonly gone: ReadonlySet<Key>
  /** Rehydrations that followed an anchor printed in a summary, and those that came from a search or a bare key. */
  readonly anchors: Probes
  readonly queries: Probes
}

interface Signal {
  readonly elevated: boolean
  /** False where there was not enough to judge by: then `elevated` says nothing. */
  readonly measured: boolean
}

export interface RecallSignals {
  /** "As noted earlier", and no key in the sentence. */
  readonly anaphora: Signal & { readonly found: readonly (Elision & { readonly summary: Key })[] }
  /** Keys per elision, falling from one compaction to the next. */
  readonly density: Signal & {
    readonly chains: readonly { readonly summary: Key; readonly densities: readonly number[] }[]
  }
  /** What is dropped can be found by searching; what is printed cannot be followed. */
  readonly asymmetry: Signal & { readonly anchors: Probes; readonly queries: Probes }
  /** A re-compaction that changed the anchor set by more than it newly covered or lost. */
  readonly idempotence: Signal & {
    readonly drifted: readonly {
      readonly summary: Key
      readonly replaced: Key
      readonly dropped: readonly Key[]
      readonly added: readonly Key[]
    }[]
  }
  /** Completeness, as the summarizer says it, rises while anchors decay. */
  readonly inflation: Signal & {
    readonly chains: readonly {
      readonly summary: Key
      readonly completeness: readonly number[]
      readonly densities: readonly number[]
    }[]
  }
  /** No signal is elevated. */
  readonly holds: boolean
}

/** Anchors, repetitions counted, as a part of anchors and elisions together; 0 when there is no anchor. */
export function anchorDensity(text: string, languages?: readonly (Language | ElisionMarkers)[]): number {
  const anchors = [...text.matchAll(/\[\[[0-7][0-9A-HJKMNP-TV-Z]{25}\]\]/g)].length
  return anchors === 0 ? 0 : anchors / (anchors + findElisions(text, languages).length)
}

export const recallSignals = (input: RecallInput): RecallSignals => atOnce(recalling(input))

/** `recallSignals` in steps. */
export function* recalling(input: RecallInput): Generator<void, RecallSignals> {
  const chains = input.chains.filter((chain) => chain.length > 0)
  const live = chains.map((chain) => chain.at(-1)!)
  const found: (Elision & { readonly summary: Key })[] = []
  for (const { key, text } of live) {
    for (const elision of yield* orphansIn(text))
      if (elision.kind === 'anaphora') found.push({ ...elision, summary: key })
    yield
  }
  const densities: RecallSignals['density']['chains'][number][] = []
  const drifted: RecallSignals['idempotence']['drifted'][number][] = []
  const rated: RecallSignals['inflation']['chains'][number][] = []
  for (const chain of chains) {
    if (chain.length < 2) continue
    const summary = chain.at(-1)!.key
    const of = new Map<RecallStep, number>()
    for (const [i, step] of chain.entries()) {
      of.set(step, anchorDensity(step.text))
      yield
      if (i === 0) continue
      const { dropped, added } = anchorDrift(chain[i - 1]!, step, input.gone)
      if (dropped.length + added.length > 0)
        drifted.push({ summary: step.key, replaced: chain[i - 1]!.key, dropped, added })
      yield
    }
    densities.push({ summary, densities: [...of.values()] })
    const steps = chain.filter((step) => step.completeness !== undefined)
    if (steps.length > 1)
      rated.push({
        summary,
        completeness: steps.map((step) => step.completeness!),
        densities: steps.map((step) => of.get(step)!),
      })
  }
  const enough = input.anchors.asked >= PROBES && input.queries.asked >= PROBES
  const signals = {
    anaphora: { elevated: found.length > 0, measured: live.length > 0, found },
    density: {
      elevated: densities.some((chain) => collapsed(chain.densities)),
      measured: densities.length > 0,
      chains: densities,
    },
    asymmetry: {
      elevated: enough && rate(input.anchors) < rate(input.queries) - ASYMMETRY,
      measured: enough,
      anchors: input.anchors,
      queries: input.queries,
    },
    idempotence: {
      elevated: drifted.length > 0,
      measured: chains.some((chain) => chain.length > 1),
      drifted,
    },
    inflation: {
      elevated: rated.some(
        ({ completeness, densities }) =>
          completeness.at(-1)! > completeness[0]! && densities.at(-1)! < densities[0]!,
      ),
      measured: rated.length > 0,
      chains: rated,
    },
  }
  return { ...signals, holds: Object.values(signals).every((signal) => !signal.elevated) }
}

const rate = ({ asked, ok }: Probes): number => (asked === 0 ? 1 : ok / asked)

/** Whether the newest of these densities has fallen too far below the best of them. */
export const collapsed = (densities: readonly number[]): boolean =>
  densities.length > 1 && Math.max(...densities) - densities.at(-1)! > DENSITY_COLLAPSE

/**
 * How a re-compaction changed the anchor set beyond what it may: by anchors of spans it newly covers, and by those
 * whose key is gone.
 */
function anchorDrift(
  before: Pick<RecallStep, 'text' | 'covers'>,
  after: Pick<RecallStep, 'text' | 'covers'>,
  gone: ReadonlySet<Key>,
): { readonly dropped: readonly Key[]; readonly added: readonly Key[] } {
  const old = parseAnchors(before.text).keys
  const now = parseAnchors(after.text).keys
  const covered = new Set(before.covers)
  const newly = new Set(after.covers.filter((key) => !covered.has(key)))
  const was = new Set(old)
  const is = new Set(now)
  return {
    dropped: old.filter((key) => !is.has(key) && !gone.has(key)),
    added: now.filter((key) => !was.has(key) && !newly.has(key)),
  }
}
