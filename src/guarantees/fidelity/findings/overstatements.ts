import { type Comparison, type Finding, finding, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'

/** How sure, how lasting, how soon, how complete: words of a claim, and the words of a source that may bear them out. */
const KINDS: readonly (readonly [claim: ReadonlySet<string>, source: ReadonlySet<string>])[] = [
  [
    anyOf('confirmed confirm proven guaranteed definitely certainly certain undoubtedly proof'),
    anyOf(
      'prove final finally decide agree definite verify sign set fix clear establish show doubt sure firm official officially settle always must promise check find',
    ),
  ],
  [
    anyOf('unanimously unanimous'),
    anyOf('all every everyone everybody whole entire both each none nobody no no_one'),
  ],
  [
    anyOf('permanently permanent forever indefinitely'),
    anyOf('life lifetime good end never always close die delete last'),
  ],
  [
    anyOf('immediately instantly right_away straight_away at_once'),
    anyOf('immediate now straight asap once soon instant directly moment until minute second'),
  ],
  [
    anyOf('fully completely entirely entire complete full'),
    anyOf(
      'whole all every everything everyone total finish done 100 hundred no none nothing never any both each without',
    ),
  ],
]

/** In own words: the claim is surer, or makes it more lasting, sooner or more complete, than any word of the source. */
export function overstatementFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (claim.words.some(({ tag }) => tag === '-')) return []
  for (const [mine, theirs] of KINDS) {
    const at = claim.words.findIndex(({ norm }) => mine.has(norm))
    if (at < 0 || isDeterminedNoun(claim.words, at)) continue
    const bears = ({ norm, lemma }: Word) => [norm, lemma].some((word) => mine.has(word) || theirs.has(word))
    if (source.words.some(bears)) continue
    return [
      finding(
        comparison,
        'modality_upgrade',
        'hard',
        0.75,
        [],
        [at],
        `nothing in the source says '${said(claim, at)}'`,
      ),
    ]
  }
  return []
}

/** "a certain amount", "the full name": no word of sureness or completeness. */
const isDeterminedNoun = (words: readonly Word[], at: number) =>
  /^(?:certain|full|complete)$/.test(words[at]!.norm) &&
  words[at - 1]?.tag === 'D' &&
  words[at + 1]?.tag === 'N' &&
  words[at - 1]!.norm !== 'the'
