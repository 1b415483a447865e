import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const LATER = anyOf(
  'postpone put_off puts_off putting_off put_back pushed_back push_back pushing_back pushes_back delay defer move_back moved_back set_back adjourn postponement delayed',
)
const EARLIER = anyOf(
  'bring_forward brings_forward bringing_forward brought_forward move_up moved_up moving_up move_forward moved_forward pull_forward pulled_forward advanced',
)
const MOVED = anyOf('move shift reschedule change switch push extend')

interface Move {
  readonly at: number
  readonly later: boolean
}

/** Which way something was moved in time. */
function moveOf(side: Side, isClaim: boolean): Move | undefined {
  const { words, quantities } = side
  for (let i = 0; i < words.length; i++) {
    const { norm, lemma } = words[i]!
    if (LATER.has(norm) || LATER.has(lemma)) return { at: i, later: true }
    if (EARLIER.has(norm) || EARLIER.has(lemma)) return { at: i, later: false }
    // "pushed to after the holidays"
    if (/^(?:push|move|put)$/.test(lemma)) {
      const to = words.findIndex(
        (word, k) =>
          k > i && k < i + 6 && word.norm === 'to' && /^(?:after|before)$/.test(words[k + 1]?.norm ?? ''),
      )
      if (to > 0) return { at: i, later: words[to + 1]!.norm === 'after' }
    }
    // "two months later", "earlier than planned"
    const compared =
      quantities.some(({ kind, to }) => kind === 'duration' && to === i) || words[i + 1]?.norm === 'than'
    if (isClaim && compared && (norm === 'later' || norm === 'earlier'))
      return { at: i, later: norm === 'later' }
  }
  if (!words.some(({ lemma }) => MOVED.has(lemma))) return undefined
  for (const [k, one] of quantities.entries()) {
    const next = quantities[k + 1]
    if (
      one.end === 'from' &&
      next?.end === 'to' &&
      one.kind === next.kind &&
      one.unit === next.unit &&
      (one.kind === 'day' || one.kind === 'clock') &&
      one.value !== next.value
    )
      return { at: one.from, later: next.value > one.value }
  }
  return undefined
}

/** "from Friday to Saturday" became "Friday instead of Saturday". */
function movedBack(comparison: Comparison): Finding | undefined {
  const { source, claim } = comparison
  const at = claim.words.findIndex(({ norm }) => norm === 'instead_of' || norm === 'rather_than')
  if (at < 0) return undefined
  const same = (value: number, of: (one: (typeof claim.quantities)[number]) => boolean) =>
    claim.quantities.some((one) => one.kind === 'day' && one.value === value && of(one))
  for (const [k, from] of source.quantities.entries()) {
    const to = source.quantities[k + 1]
    if (from.kind !== 'day' || from.end !== 'from' || to?.end !== 'to' || to.kind !== 'day') continue
    if (!same(from.value, (one) => one.from < at) || !same(to.value, (one) => one.from > at)) continue
    return finding(
      comparison,
      'number_mismatch',
      'hard',
      0.85,
      [from.from, to.from],
      [at - 1, at + 1],
      `'${said(source, from.from, to.from)}' became '${said(claim, at - 1, at + 1)}'`,
    )
  }
  return undefined
}

/** "put off" became "brought forward". */
export function reschedulingFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const back = movedBack(comparison)
  if (back !== undefined) return [back]
  const mine = moveOf(claim, true)
  if (mine === undefined) return []
  const theirs = moveOf(source, false)
  if (theirs === undefined || theirs.later === mine.later) return []
  if (claim.scopes.signs[mine.at] !== source.scopes.signs[theirs.at]) return []
  return [
    finding(
      comparison,
      'polarity_flip',
      'hard',
      0.85,
      [theirs.at],
      [mine.at],
      `the source moves it to ${theirs.later ? 'later' : 'earlier'}: '${said(source, theirs.at)}' became '${said(claim, mine.at)}'`,
    ),
  ]
}
