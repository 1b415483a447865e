import type { LabelledPair } from './pairs.ts'

/** What a judge said of a pair. A higher risk is a worse claim. */
export interface Judged {
  readonly pair: LabelledPair
  readonly verdict: 'faithful' | 'unfaithful' | 'abstain'
  readonly risk: number
}

/** All in percent. `NaN` where a class is missing. */
export interface Score {
  readonly pairs: number
  /** Mean of the shares judged right in either class; who abstains is wrong. */
  readonly balancedAccuracy: number
  /** The same with an abstention taken for `unfaithful`: what a gate without a second opinion does. */
  readonly asGate: number
  /** Faithful claims called unfaithful. */
  readonly falseAlarms: number
  /** Unfaithful claims called unfaithful. */
  readonly recall: number
  /** Abstentions among all. */
  readonly abstained: number
  /** How often an unfaithful claim has a higher risk than a faithful one; ties count half. */
  readonly auc: number
}

const percent = (part: number, whole: number): number => (100 * part) / whole

export function score(judged: readonly Judged[]): Score {
  const faithful = judged.filter(({ pair }) => pair.label === 'faithful')
  const unfaithful = judged.filter(({ pair }) => pair.label === 'unfaithful')
  const said = (of: readonly Judged[], ...verdicts: Judged['verdict'][]) =>
    percent(of.filter(({ verdict }) => verdicts.includes(verdict)).length, of.length)
  return {
    pairs: judged.length,
    balancedAccuracy: (said(faithful, 'faithful') + said(unfaithful, 'unfaithful')) / 2,
    asGate: (said(faithful, 'faithful') + said(unfaithful, 'unfaithful', 'abstain')) / 2,
    falseAlarms: said(faithful, 'unfaithful'),
    recall: said(unfaithful, 'unfaithful'),
    abstained: said(judged, 'abstain'),
    auc: auc(
      faithful.map(({ risk }) => risk),
      unfaithful.map(({ risk }) => risk),
    ),
  }
}

/** By ranks (Mann–Whitney), ties sharing theirs. */
function auc(low: readonly number[], high: readonly number[]): number {
  const all = [...low.map((risk) => ({ risk, high: 0 })), ...high.map((risk) => ({ risk, high: 1 }))].sort(
    (a, b) => a.risk - b.risk,
  )
  let ranks = 0
  for (let from = 0; from < all.length; ) {
    let to = from
    while (to < all.length && all[to]!.risk === all[from]!.risk) to++
    for (let i = from; i < to; i++) ranks += all[i]!.high * ((from + to + 1) / 2)
    from = to
  }
  return percent(ranks - (high.length * (high.length + 1)) / 2, low.length * high.length)
}

/** The threshold with the best balanced accuracy; at or above it a claim is unfaithful. */
export function bestThreshold(judged: readonly { pair: LabelledPair; risk: number }[]): number {
  const positives = judged.filter(({ pair }) => pair.label === 'unfaithful').length
  const negatives = judged.length - positives
  const sorted = [...judged].sort((a, b) => b.risk - a.risk)
  let best = { at: Number.POSITIVE_INFINITY, value: 0.5 }
  let hits = 0
  let alarms = 0
  for (const [i, { pair, risk }] of sorted.entries()) {
    if (pair.label === 'unfaithful') hits++
    else alarms++
    if (sorted[i + 1]?.risk === risk) continue
    const value = (hits / positives + 1 - alarms / negatives) / 2
    if (value > best.value) best = { at: risk, value }
  }
  return best.at
}
