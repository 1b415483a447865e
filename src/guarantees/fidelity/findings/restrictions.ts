import { isContent } from '../comparing/alignment.ts'
import { type Comparison, clauseAt } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const RESTRICTING = anyOf(
  'under over above below with without from for in at on older younger older_than younger_than who that which',
)

/**
 * "samples from the east field" became "samples": which of all the source speaks of, and the claim does not say. `s` and
 * `c` are the noun on either side.
 */
export function isRestrictionLost({ source, claim }: Comparison, s: number, c: number): boolean {
  if (!RESTRICTING.has(source.words[s + 1]?.norm ?? '') || !/^[VXM]$/.test(claim.words[c + 1]?.tag ?? ''))
    return false
  const clause = clauseAt(source, s)
  const verb = clause !== undefined && clause.head > s ? clause.head : source.words.length
  const named = source.words.slice(s + 2, verb).filter((word) => isContent(word) || word.tag === '#')
  // "ground-floor windows"
  return (
    named.length > 0 && !claim.words.some(({ lemma }) => named.some((word) => lemma.includes(word.lemma)))
  )
}
