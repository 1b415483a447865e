import type { TextRange } from '../../ports.ts'
import type { FidelityPair, FidelityReason, FidelityResult } from './types.ts'

interface Word {
  readonly text: string
  readonly range: TextRange
}

const NEGATOR = /^(?:not|no|never|none|nobody|nothing|without|neither|nor|cannot|optional)$|n['’]t$/
const NUMBER = /^[$€£]?\d/

const words = (text: string): Word[] =>
  [...text.matchAll(/[$€£]?\d[\d,.]*\d|[\p{L}\p{N}'’]+/gu)].map((match) => ({
    text: match[0].toLowerCase(),
    range: { start: match.index, end: match.index + match[0].length },
  }))

const stem = (word: string) => word.replace(/(?:ing|ed|es|s)$/, '')

/** A first cut: numbers that are nowhere in the source, an odd number of negators on one side, words not covered. */
export function compareSurface({ source, claim }: FidelityPair): FidelityResult {
  const said = words(source)
  const claimed = words(claim)
  const stems = new Set(said.map(({ text }) => stem(text)))
  const figures = new Set(
    said.filter(({ text }) => NUMBER.test(text)).map(({ text }) => text.replace(/[$€£,]/g, '')),
  )
  const reasons: FidelityReason[] = []
  for (const { text, range } of claimed)
    if (NUMBER.test(text) && !figures.has(text.replace(/[$€£,]/g, '')))
      reasons.push({
        code: 'number_mismatch',
        severity: 'hard',
        sourceRange: { start: 0, end: 0 },
        claimRange: range,
        message: `'${text}' is not in the source`,
      })
  const negators = (list: Word[]) => list.filter(({ text }) => NEGATOR.test(text))
  const [there, here] = [negators(said), negators(claimed)]
  if (there.length % 2 !== here.length % 2)
    reasons.push({
      code: 'polarity_flip',
      severity: 'hard',
      sourceRange: there[0]?.range ?? { start: 0, end: 0 },
      claimRange: here[0]?.range ?? { start: 0, end: 0 },
      message: `${there.length} negations in the source, ${here.length} in the claim`,
    })
  const long = claimed.filter(({ text }) => text.length > 3)
  const covered = long.filter(({ text }) => stems.has(stem(text))).length / Math.max(1, long.length)
  if (reasons.length > 0) return { verdict: 'unfaithful', risk: 1, reasons }
  return { verdict: covered < 0.5 ? 'abstain' : 'faithful', risk: (1 - covered) / 2, reasons }
}
