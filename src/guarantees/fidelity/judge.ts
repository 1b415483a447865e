import { isContent } from './comparing/alignment.ts'
import { type Comparison, compare, type Finding } from './comparing/comparison.ts'
import { amountFindings } from './findings/amounts.ts'
import { bindingFindings } from './findings/binding.ts'
import { unlessReworded } from './findings/denials.ts'
import { coverageFindings, editFindings } from './findings/edits.ts'
import { unlessBorneOut } from './findings/equivalents.ts'
import { exceptionFindings } from './findings/exceptions.ts'
import { acrossTheLine } from './findings/exclusion.ts'
import { modalityFindings } from './findings/modality.ts'
import { nameFindings } from './findings/names.ts'
import { numberFindings } from './findings/numbers.ts'
import { polarityFindings } from './findings/polarity.ts'
import { mayCount, tally } from './findings/tally.ts'
import type { FidelityPair, FidelityReason, FidelityResult } from './types.ts'
import { isVerbatim } from './verbatim.ts'

/** From here on soft reasons together reject. */
const REJECT = 0.5
/** From here on up to `REJECT`, and where nothing matched, the rules cannot tell. */
const DOUBT = 0.47
/** The part of the claim's words that have to have a counterpart, each counted by how good it is; */
const FOUND = 0.25
/** and where a number of the claim has none. */
const FOUND_BESIDE_NUMBERS = 0.5
/** Wider words and neighbours stand for too many others to show that one thing is spoken of. */
const SOLID = 0.7
/** The most that uncovered words add. */
const COVERAGE = 0.35

export function judge(pair: FidelityPair): FidelityResult {
  const counted = mayCount(pair) ? compare(pair) : undefined
  const settled = counted && judgeByCounting(counted)
  if (settled !== undefined) return settled
  if (isVerbatim(pair)) return { verdict: 'faithful', risk: 0, reasons: [] }
  const comparison = counted ?? compare(pair)
  const line = acrossTheLine(comparison)
  if (line !== undefined) return settle(line)
  const told = unlessReworded(comparison, [
    ...polarityFindings(comparison),
    ...amountFindings(comparison),
    ...exceptionFindings(comparison),
    ...modalityFindings(comparison),
    ...numberFindings(comparison),
    ...nameFindings(comparison),
    ...bindingFindings(comparison),
    ...(comparison.edited ? editFindings(comparison) : []),
  ])
  const findings = unlessBorneOut(comparison, told)
  const uncovered = comparison.edited ? [] : coverageFindings(comparison)
  // Words without a counterpart are paraphrase as often as invention: alone they never reject.
  const risk = 1 - (1 - riskOf(findings)) * (1 - Math.min(COVERAGE, riskOf(uncovered)))
  const hard = findings.some(({ severity }) => severity === 'hard')
  const verdict =
    hard || risk >= REJECT
      ? 'unfaithful'
      : risk >= DOUBT || isUnread(comparison, findings)
        ? 'abstain'
        : 'faithful'
  return { verdict, risk: Math.round(risk * 1000) / 1000, reasons: [...findings, ...uncovered].map(reasonOf) }
}

/** Where the numbers of the source settle the claim, by addition, subtraction or share. */
function judgeByCounting(comparison: Comparison): FidelityResult | undefined {
  const outcome = tally(comparison)
  return outcome === undefined ? undefined : settle(outcome)
}

function settle({ follows, findings }: { follows: boolean; findings: readonly Finding[] }): FidelityResult {
  const reasons = findings.map(reasonOf)
  return follows
    ? { verdict: 'faithful', risk: 0, reasons }
    : { verdict: 'unfaithful', risk: Math.max(...findings.map(({ weight }) => weight)), reasons }
}

/** Findings are taken as independent signs of one trouble. */
const riskOf = (findings: readonly Finding[]) =>
  1 - findings.reduce((left, { weight }) => left * (1 - weight), 1)

const reasonOf = ({ code, severity, sourceRange, claimRange, message }: Finding): FidelityReason => ({
  code,
  severity,
  sourceRange,
  claimRange,
  message,
})

/**
 * So little of the claim has a counterpart in the source that they may well speak of different things: no conflict
 * was found because nothing could be compared. Of claims put beside the source of another, one in five was let through
 * without this, one in thirty with it; of the faithful ones it stops fewer than one in fifty.
 */
function isUnread({ claim, alignment, edited }: Comparison, findings: readonly Finding[]): boolean {
  let said = 0
  let found = 0
  claim.words.forEach((word, i) => {
    // Numbers are compared by what they amount to, however they are written.
    if (!isContent(word) || word.tag === '#') return
    const weight = word.tag === 'N' ? 1 : 0.7
    const { source, likeness } = alignment.links[i]!
    said += weight
    if (source >= 0 && (edited || likeness.score >= SOLID)) found += weight * likeness.score
  })
  const wanted = findings.some(({ code }) => code === 'number_mismatch') ? FOUND_BESIDE_NUMBERS : FOUND
  return said === 0 ? alignment.links.every(({ source }) => source < 0) : found < wanted * said
}
