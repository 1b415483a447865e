import { isContent } from '../comparing/alignment.ts'
import { type Comparison, clauseAt, type Side } from '../comparing/comparison.ts'
import { type Quantity, sameAmount } from '../quantities/quantities.ts'
import { anyOf } from '../words/cues.ts'

const KEPT = anyOf(
  'keep retain hold store stay remain preserve last available valid archive save live retention',
)
const ENDED = anyOf(
  'delete wipe purge remove erase discard expire lapse drop clear destroy vanish disappear shred throw_away bin end stop dump evict prune rotate',
)

/** How long something is there: "kept for 30 days", and "older than 30 days are deleted". */
function termOf(side: Side): { length: Quantity; ends: boolean } | undefined {
  for (const length of side.quantities) {
    if (length.kind !== 'duration') continue
    const clause = clauseAt(side, length.from)
    if (clause === undefined) continue
    const words = side.words.filter((_, i) => side.sentenceOf[i] === side.sentenceOf[length.from])
    const says = (kind: ReadonlySet<string>) =>
      words.some(({ lemma, norm }) => kind.has(lemma) || kind.has(norm))
    const [kept, ended] = [says(KEPT), says(ENDED)]
    if (kept === ended || words.some(({ tag }) => tag === '-')) continue
    const before = side.words[length.from - 1]?.norm ?? ''
    const after = length.bound === '>' || before === 'after' || before === 'than'
    if (ended ? after : length.bound === '=' || length.bound === '<=') return { length, ends: ended }
  }
  return undefined
}

/** Both tell of one term: the one of how long it lasts, the other of when it is over. */
export function isSameTerm(comparison: Comparison): boolean {
  const { source, claim, alignment } = comparison
  if (!claim.quantities.some(({ kind }) => kind === 'duration')) return false
  const mine = termOf(claim)
  const theirs = mine && termOf(source)
  return (
    theirs !== undefined &&
    theirs.ends !== mine!.ends &&
    sameAmount(theirs.length, mine!.length) &&
    claim.words.some((word, c) => word.tag === 'N' && isContent(word) && alignment.links[c]!.source >= 0)
  )
}
