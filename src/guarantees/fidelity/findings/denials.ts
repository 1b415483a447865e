import type { Comparison, Finding, Side } from '../comparing/comparison.ts'
import { deniesItsObject, effectOf } from '../reading/operators.ts'
import { anyOf, EXCLUDERS, NEGATIVE_NOUNS } from '../words/cues.ts'
import { knows } from '../words/relations.ts'
import type { Word } from '../words/tagging.ts'

/** Words by which a sentence says less, none, another or the contrary without denying anything in its grammar. */
const DIMINISHING = anyOf(
  'zero nothing_but dearth scarcity scarce shortage limited lacking less least fewer separate separately other others different differently differ elsewhere apart rare little half partially partly cease prevent stop nothing empty free minus devoid short refuse decline negligible minimal minor insufficient inadequate abstain absent gone loss lost difficult hard contrary contrast independent question unlike besides instead rather_than outside beyond against only barely hardly weak poor low ignorant blind doubt dispute deny reject',
)
const AFFIX = /^(?:un|non|dis|mis|in|im|ir|il)-?(?=\w{3})/

/** "unpaid", "disagree", "inactive", "useless": what is left without the affix is a word of its own. */
function isAffixed({ norm, tag }: Word): boolean {
  if (norm.length > 5 && norm.endsWith('less') && knows(norm.slice(0, -4), 'N')) return true
  const affix = AFFIX.exec(norm)
  if (affix === null) return false
  const rest = norm.slice(affix[0].length)
  if (affix[0].startsWith('i')) return tag === 'A' && knows(rest, 'A')
  const bare = [rest, rest.replace(/e?d$/, ''), rest.replace(/d$/, '')]
  return knows(rest, 'A') || bare.some((base) => knows(base, 'V'))
}

/** Whether a word denies, lessens or sets apart, by grammar, by meaning or by its form. */
export const isDenying = (word: Word): boolean =>
  word.tag === '-' ||
  NEGATIVE_NOUNS.has(word.norm) ||
  EXCLUDERS.has(word.norm) ||
  DIMINISHING.has(word.lemma) ||
  DIMINISHING.has(word.norm) ||
  deniesItsObject(word.lemma) ||
  effectOf(word.lemma) === 'denies' ||
  isAffixed(word)

/** Whether either stretch denies by a word the other has not: "cease to be" for "no longer be", not "fail" for "not fail". */
export function swapsDenials(source: readonly Word[], claim: readonly Word[]): boolean {
  const [there, here] = [source.filter(isDenying), claim.filter(isDenying)]
  if (there.length % 2 !== here.length % 2) return false
  const key = ({ norm, lemma }: Word) => (norm.startsWith('fail') ? 'fail' : lemma)
  const isOwn = (of: readonly Word[]) => (word: Word) => of.every((other) => key(other) !== key(word))
  const [one, other] = [there.filter(isOwn(here)), here.filter(isOwn(there))]
  // "rarely" and "never" both deny in their grammar, and not as much.
  return one.length > 0 && other.length > 0 && [...one, ...other].some(({ tag }) => tag !== '-')
}

const DISPUTE = /\b(?:disputed|in dispute|contested|contradict(?:s|ed|ory)?|disagree[sd]?|conflicting)\b/i
const OPPOSING =
  /\b(?:den(?:y|ies|ied)|reject(?:s|ed)?|contradict(?:s|ed)?|disagree[sd]?|dispute[sd]?|says otherwise)\b/i
const BELIEVED = /\b(?:thought|believed|assumed|was sure|were sure)\b/i
const MISTAKEN = /\b(?:contrary to|wrongly|mistakenly|unlike what)\b/i
const TAKEN_BACK = /\b(?:forgot(?:ten)? to|hadn['’]t|didn['’]t|wasn['’]t|had not|did not|was not)\b/i

/** "whether she knew is disputed", "contrary to what he believed": the claim tells of both what is said and what is denied. */
const isOfTwoMinds = ({ source, claim }: Comparison): boolean =>
  (DISPUTE.test(claim.text) && OPPOSING.test(source.text)) ||
  (MISTAKEN.test(claim.text) &&
    claim.words.some(({ tag }) => tag === '-') &&
    BELIEVED.test(source.text) &&
    TAKEN_BACK.test(source.text))

/**
 * "not in continuity" and "separate continuity": one side denies in its grammar, the other by a word put in its place.
 * What is found turned in a sentence that was edited like this was turned twice.
 */
export function unlessReworded(comparison: Comparison, findings: readonly Finding[]): readonly Finding[] {
  const { source, claim, alignment } = comparison
  if (isOfTwoMinds(comparison)) return findings.filter(({ code }) => code !== 'polarity_flip')
  const reworded = alignment.gaps.filter((gap) =>
    swapsDenials(source.words.slice(...gap.source), claim.words.slice(...gap.claim)),
  )
  if (reworded.length === 0) return findings
  const near = (side: Side, [from, to]: readonly [number, number], start: number) => {
    const at = side.words.findIndex((word) => word.start >= start)
    return (
      from < to &&
      (side.sentenceOf[from] === side.sentenceOf[at] || side.sentenceOf[to - 1] === side.sentenceOf[at])
    )
  }
  return findings.filter(
    ({ code, sourceRange, claimRange }) =>
      !/^(?:polarity_flip|quantifier_shift|modality_upgrade)$/.test(code) ||
      !reworded.some(
        (gap) => near(source, gap.source, sourceRange.start) && near(claim, gap.claim, claimRange.start),
      ),
  )
}
