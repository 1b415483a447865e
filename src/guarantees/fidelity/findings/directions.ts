import { type Comparison, type Finding, familyOf, finding, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import { changesOf } from './ratios.ts'

const UP = anyOf(
  'rise rose climb increase grow raise gain jump soar surge mount go_up went_up going_up gone_up higher dearer costlier heavier longer warmer',
)
const DOWN = anyOf(
  'fall fell drop decrease decline shrink lower reduce cut sink plunge dip shorten go_down went_down going_down gone_down come_down came_down cheaper lighter shorter colder cooler',
)

/** 1 for a word of more, -1 for one of less, 0 for all others. */
function wayOf(words: readonly Word[], at: number): 1 | -1 | 0 {
  const { lemma, norm } = words[at]!
  if (norm === 'expensive' || norm === 'costly') {
    const before = words[at - 1]?.norm
    return before === 'more' ? 1 : before === 'less' ? -1 : 0
  }
  if (UP.has(lemma) || UP.has(norm)) return 1
  return DOWN.has(lemma) || DOWN.has(norm) ? -1 : 0
}

/** "went from 71 to 64" became "climbed": the numbers of the source go the other way. */
export function directionFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const changes = changesOf(source)
  const ups = changes.filter(([from, to]) => to > from).length
  if (changes.length === 0 || (ups !== 0 && ups !== changes.length)) return []
  const told = claim.words.flatMap((_, i) => {
    const way = wayOf(claim.words, i)
    return way === 0 ? [] : [{ i, way }]
  })
  const [one] = told
  if (one === undefined || told.length > 1) return []
  // Something else went that way.
  if (source.words.some((_, i) => wayOf(source.words, i) === one.way)) return []
  // What has no counterpart may be something else that rose, or fell.
  const clause = familyOf(claim, claim.clauseOf[one.i]!)
  const isOfIt = claim.words.some(
    ({ tag }, i) =>
      tag === 'N' && clause.has(claim.clauseOf[i]!) && (alignment.links[i]?.likeness.score ?? 0) >= 0.75,
  )
  const sign = claim.scopes.signs[one.i]!
  if (!isOfIt || sign === 0 || sign * one.way === (ups > 0 ? 1 : -1)) return []
  return [
    finding(
      comparison,
      'number_mismatch',
      'hard',
      0.85,
      [],
      [one.i],
      `by its numbers it went ${ups > 0 ? 'up' : 'down'}, the claim says '${said(claim, one.i)}'`,
    ),
  ]
}
