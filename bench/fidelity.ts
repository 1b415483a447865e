import { checkFidelity } from '../src/guarantees/fidelity/index.ts'
import { agentMemory, type LabelledPair, publicSet, publicSets, shortNotes } from '../test/fidelity/pairs.ts'
import { bestThreshold, type Judged, score } from '../test/fidelity/score.ts'
import { FOLDS, foldOf, halfOf } from '../test/fidelity/split.ts'
import { cueParity, rougeL } from './fidelity-baselines.ts'
import { fidelityTimings } from './fidelity-timings.ts'
import type { Measured } from './harness.ts'

/** Pairs of a class below which a share of them is noise. */
const FEWEST = 8

/** Accuracy per set and kind beside two simple judges, then time and size. */
export async function fidelityBenches(report: (measured: Measured) => void): Promise<void> {
  const names = publicSets()
  if (names.length === 0) console.log('public sets skipped: ../shared/corpora/fidelity is not there')
  for (const [name, pairs] of [
    ['agent-memory', agentMemory()] as const,
    ['short-notes', shortNotes()] as const,
    ...names.map((name) => [name, publicSet(name)] as const),
  ])
    accuracy(name, pairs, report)
  await fidelityTimings(report)
}

function accuracy(name: string, pairs: readonly LabelledPair[], report: (measured: Measured) => void): void {
  const judged = pairs.map((pair) => ({ pair, ...checkFidelity(pair) }))
  const ours = score(judged)
  const hard = judged.filter(
    ({ pair, reasons }) => pair.label === 'faithful' && reasons.some(({ severity }) => severity === 'hard'),
  ).length
  const faithful = judged.filter(({ pair }) => pair.label === 'faithful').length
  const half = (which: 'dev' | 'heldOut') =>
    score(judged.filter(({ pair }) => halfOf(pair.id) === which)).balancedAccuracy.toFixed(1)
  report({
    name: `fidelity, ${name}`,
    value: ours.balancedAccuracy,
    unit: '% balanced accuracy, abstentions wrong',
    detail: {
      pairs: ours.pairs,
      auc: ours.auc.toFixed(1),
      'false alarms': ours.falseAlarms.toFixed(1),
      'by hard reasons': ((100 * hard) / faithful).toFixed(1),
      recall: ours.recall.toFixed(1),
      abstained: ours.abstained.toFixed(1),
      'as gate': ours.asGate.toFixed(1),
      'risk threshold': crossValidated(judged).toFixed(1),
      dev: half('dev'),
      'held out': half('heldOut'),
      'rouge-l': crossValidated(pairs.map((pair) => ({ pair, risk: 1 - rougeL(pair) }))).toFixed(1),
      'cue parity': crossValidated(pairs.map((pair) => ({ pair, risk: cueParity(pair) }))).toFixed(1),
    },
  })
  const kinds = byKind(judged)
  if (Object.keys(kinds).length > 1)
    report({
      name: `fidelity, ${name}, by kind`,
      value: Math.min(...Object.values(kinds).map(([value]) => value)),
      unit: '% at worst',
      detail: Object.fromEntries(Object.entries(kinds).map(([kind, [, shown]]) => [kind, shown])),
    })
}

/** Balanced accuracy of a risk whose threshold was fitted on the folds the pair is not in. */
function crossValidated(judged: readonly { pair: LabelledPair; risk: number }[]): number {
  const verdicts: Judged[] = []
  for (let fold = 0; fold < FOLDS; fold++) {
    const threshold = bestThreshold(judged.filter(({ pair }) => foldOf(pair.id) !== fold))
    for (const { pair, risk } of judged)
      if (foldOf(pair.id) === fold)
        verdicts.push({ pair, risk, verdict: risk >= threshold ? 'unfaithful' : 'faithful' })
  }
  return score(verdicts).balancedAccuracy
}

/** Per kind: balanced accuracy and recall/false alarms; recall alone where every claim of a kind is unfaithful. */
function byKind(judged: readonly Judged[]): Record<string, readonly [number, string]> {
  const kinds: Record<string, readonly [number, string]> = {}
  for (const kind of [...new Set(judged.map(({ pair }) => pair.kind))].sort()) {
    const of = judged.filter(({ pair }) => pair.kind === kind)
    const unfaithful = of.filter(({ pair }) => pair.label === 'unfaithful').length
    const faithful = of.length - unfaithful
    const { balancedAccuracy, falseAlarms, recall } = score(of)
    if (unfaithful >= FEWEST && faithful >= FEWEST)
      kinds[kind] = [
        balancedAccuracy,
        `${balancedAccuracy.toFixed(1)} (recall ${recall.toFixed(0)}, alarms ${falseAlarms.toFixed(0)}, n ${of.length})`,
      ]
    else if (unfaithful >= FEWEST) kinds[kind] = [recall, `recall ${recall.toFixed(0)} (n ${unfaithful})`]
    else if (faithful >= FEWEST)
      kinds[kind] = [100 - falseAlarms, `alarms ${falseAlarms.toFixed(0)} (n ${faithful})`]
  }
  return kinds
}
