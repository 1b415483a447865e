/*
 * Two judges anyone can write in an afternoon. Their thresholds are fitted per set, which flatters them: the
 * fidelity check has none to fit.
 */

interface Texts {
  readonly source: string
  readonly claim: string
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? []

/** ROUGE-L: F1 of the longest common subsequence of words, from 0 to 1. */
export function rougeL({ source, claim }: Texts): number {
  const a = words(source)
  const b = words(claim)
  let row = new Uint16Array(b.length + 1)
  for (const word of a) {
    const next = new Uint16Array(b.length + 1)
    for (let j = 1; j <= b.length; j++)
      next[j] = word === b[j - 1] ? row[j - 1]! + 1 : Math.max(row[j]!, next[j - 1]!)
    row = next
  }
  const common = row[b.length]!
  return common === 0 ? 0 : (2 * common) / (a.length + b.length)
}

const NEGATION = /\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['’]t\b/giu
const QUANTIFIER =
  /\b(?:all|every|everyone|everything|each|any|some|most|many|few|several|only|both|half)\b/giu
const HEDGE =
  /\b(?:may|might|could|maybe|perhaps|possibly|probably|likely|plan|consider|if|unless|should|would)\b/giu

/** In how many of three classes the two texts differ: parity of negations, number of quantifiers, of hedges. */
export function cueParity({ source, claim }: Texts): number {
  const count = (text: string, cues: RegExp) => (text.match(cues) ?? []).length
  return [
    count(source, NEGATION) % 2 !== count(claim, NEGATION) % 2,
    count(source, QUANTIFIER) !== count(claim, QUANTIFIER),
    count(source, HEDGE) !== count(claim, HEDGE),
  ].filter(Boolean).length
}
