import { isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const RATHER = anyOf('would_rather prefer preferable rather better')
const THAN = anyOf('than over to rather_than instead_of')
const WANTS = anyOf('prefer want like choose favour favor would_rather pick love')

/** "I'd rather have the aisle than the window" became "prefers the window". */
export function preferenceFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  const choice = choiceIn(source)
  if (choice === undefined) return []
  const mine = choiceIn(claim)
  if (mine !== undefined && !claim.words.some(({ tag }) => tag === '-')) {
    const { links } = comparison.alignment
    const meets = (theirs: readonly number[], own: readonly number[]) =>
      own.some((c) => theirs.includes(links[c]!.source) && links[c]!.likeness.score >= 0.75)
    if (
      meets(choice.taken, mine.left) &&
      meets(choice.left, mine.taken) &&
      !meets(choice.taken, mine.taken) &&
      !meets(choice.left, mine.left)
    )
      return [
        finding(
          comparison,
          'role_swap',
          'hard',
          0.85,
          [...choice.taken, ...choice.left],
          [...mine.taken, ...mine.left],
          `the source has '${said(source, ...choice.taken)}' rather than '${said(source, ...choice.left)}'`,
        ),
      ]
  }
  if (comparison.edited) return []
  if (!claim.words.some(({ lemma, norm }) => WANTS.has(lemma) || WANTS.has(norm))) return []
  if (claim.words.some(({ tag, norm }) => tag === '-' || THAN.has(norm))) return []
  const lemmas = (list: readonly number[]) => new Set(list.map((i) => source.words[i]!.lemma))
  const [taken, left] = [lemmas(choice.taken), lemmas(choice.left)]
  const at = claim.words.findIndex(({ lemma }) => left.has(lemma) && !taken.has(lemma))
  // "the aisle seat" is not "the window seat": some word of what is liked better has to be missing.
  if (at < 0 || [...taken].every((word) => claim.words.some(({ lemma }) => lemma === word))) return []
  return [
    finding(
      comparison,
      'role_swap',
      'hard',
      0.85,
      [...choice.taken, ...choice.left],
      [at],
      `the source has something else rather than '${said(claim, at)}'`,
    ),
  ]
}

/** What is liked better, and what it is liked better than. */
function choiceIn({ words, sentenceOf }: Side): { taken: number[]; left: number[] } | undefined {
  const rather = words.findIndex(({ norm, lemma }) => RATHER.has(norm) || RATHER.has(lemma))
  if (rather < 0) return undefined
  const inside = (i: number) => i < words.length && sentenceOf[i] === sentenceOf[rather]
  let than = rather + 1
  // "prefer to cycle" has its verb behind, no second choice.
  while (inside(than) && (!THAN.has(words[than]!.norm) || words[than]!.tag === 'T')) than++
  if (!inside(than)) return undefined
  const content = (from: number, to: number) => {
    const list: number[] = []
    for (let i = from; i < to && inside(i) && words[i]!.tag !== '.' && words[i]!.tag !== 'S'; i++)
      if (isContent(words[i]!)) list.push(i)
    return list
  }
  const [taken, left] = [content(rather + 1, than), content(than + 1, words.length)]
  return taken.length === 0 || left.length === 0 ? undefined : { taken, left }
}
