import type { Comparison, Finding } from '../comparing/comparison.ts'
import type { FidelityCode } from '../types.ts'
import { demandOutcome } from './demands.ts'
import { isOtherwiseOften } from './frequencies.ts'
import { isSameTerm } from './keeping.ts'
import { isOwnHour } from './own-times.ts'
import { isSamePart } from './parts-of-a-whole.ts'
import { thresholdOutcome } from './thresholds.ts'

/** Reasons that compare one word with another, and are wrong where both texts say one thing by different means. */
const BY_WORDS: ReadonlySet<FidelityCode> = new Set<FidelityCode>(['polarity_flip', 'quantifier_shift'])
const OF_CONDITIONS: ReadonlySet<FidelityCode> = new Set<FidelityCode>([
  'polarity_flip',
  'quantifier_shift',
  'condition_dropped',
])

const OF_NUMBERS: ReadonlySet<FidelityCode> = new Set<FidelityCode>([...OF_CONDITIONS, 'number_mismatch'])

/** What other rules found turned or shifted, where the claim says the same by other means. */
export function unlessBorneOut(comparison: Comparison, findings: readonly Finding[]): readonly Finding[] {
  if (findings.every(({ code }) => !OF_NUMBERS.has(code) && code !== 'modality_upgrade')) return findings
  if (isSamePart(comparison) || isOtherwiseOften(comparison))
    return findings.filter(({ code }) => !BY_WORDS.has(code))
  const demand = demandOutcome(comparison)
  if (demand?.follows === true)
    return findings.filter(({ code }) =>
      demand.demands ? code !== 'polarity_flip' && code !== 'modality_upgrade' : !OF_CONDITIONS.has(code),
    )
  if (isOwnHour(comparison)) return findings.filter(({ code }) => code !== 'number_mismatch')
  if (isSameTerm(comparison) || thresholdOutcome(comparison)?.follows === true)
    return findings.filter(({ code }) => !OF_NUMBERS.has(code))
  return findings
}
