import { isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { deniesItsObject } from '../reading/operators.ts'
import { anyOf } from '../words/cues.ts'

/** What is so, and what is said not to be, as stretches of words that have something. */
interface Choice {
  readonly taken: readonly number[]
  readonly left: readonly number[]
}

const INSTEAD = anyOf('instead_of rather_than as_opposed_to')
/** A claim with one of these says itself what is not so, or speaks of what was. */
const SHIFTING = anyOf(
  'instead_of rather_than as_opposed_to instead without than except but used_to formerly previously originally first before until no_longer from planned meant considered replace',
)
/** What hangs on these belongs to both. */
const ASIDE = anyOf('for on at in by with during because because_of after before since when while if to from')

/** "oat milk instead of cow's milk", "not the router but the switch", "the red one, not the blue": the claim has the other. */
export function alternativeFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  if (claim.words.some(({ tag, norm }) => tag === '-' || SHIFTING.has(norm))) return []
  const choices = choicesIn(source)
  if (choices.length === 0) return []
  const told = new Set(claim.words.map(({ lemma }) => lemma))
  for (const choice of choices) {
    const lemmas = (list: readonly number[]) => list.map((i) => source.words[i]!.lemma)
    const [taken, left] = [lemmas(choice.taken), lemmas(choice.left)]
    const own = choice.left.filter((i) => !taken.includes(source.words[i]!.lemma))
    const theirs = taken.filter((lemma) => !left.includes(lemma))
    if (own.length === 0 || theirs.length === 0 || theirs.some((lemma) => told.has(lemma))) continue
    if (!own.every((i) => told.has(source.words[i]!.lemma))) continue
    // Said without a denial elsewhere: no choice.
    const outside = source.words.some(
      ({ lemma }, i) => lemma === source.words[own[0]!]!.lemma && !choice.left.includes(i),
    )
    if (outside) continue
    const at = claim.words.findIndex(({ lemma }) => lemma === source.words[own.at(-1)!]!.lemma)
    // "avoided marble"; of what failed, in the words of the source, nothing is denied.
    if (
      claim.scopes.signs[at] === -1 &&
      !claim.words.some(
        ({ lemma, tag }, c) =>
          tag === 'V' && deniesItsObject(lemma) && comparison.alignment.links[c]!.likeness.score >= 0.75,
      )
    )
      continue
    return [
      finding(
        comparison,
        'polarity_flip',
        'hard',
        0.85,
        own,
        [at],
        `the source has something else instead of '${said(claim, at)}'`,
      ),
    ]
  }
  return []
}

function choicesIn(side: Side): Choice[] {
  const { words } = side
  const found: Choice[] = []
  for (let i = 0; i < words.length; i++) {
    const { norm, tag } = words[i]!
    if (INSTEAD.has(norm)) {
      const left = phraseFrom(side, i + 1)
      // "Rather than fly, they take the train": what comes after it.
      const opens = i === 0 || /^[.!?;\n]$/.test(words[i - 1]!.norm)
      const taken = opens ? phraseFrom(side, left.to + 1) : phraseTo(side, i)
      if (left.list.length > 0 && taken.list.length > 0) found.push({ taken: taken.list, left: left.list })
    } else if (norm === 'not' || norm === 'never') {
      // "not X but Y"
      const but = butBehind(side, i)
      if (but > 0) {
        const left = phraseFrom(side, i + 1, but)
        const taken = phraseFrom(side, but + 1)
        if (left.list.length > 0 && taken.list.length > 0) found.push({ taken: taken.list, left: left.list })
      } else if (tag === '-' && words[i - 1]?.norm === ',' && /^[DNAI]$/.test(words[i + 1]?.tag ?? '')) {
        // "X, not Y"
        const left = phraseFrom(side, i + 1)
        const taken = phraseTo(side, i - 1)
        if (left.list.length > 0 && taken.list.length > 0) found.push({ taken: taken.list, left: left.list })
      }
    }
  }
  return found
}

function butBehind({ words }: Side, from: number): number {
  for (let i = from + 1; i < words.length && i < from + 12; i++) {
    if (words[i]!.norm === 'but') {
      // "not tired but we left": a clause of its own.
      const next = words[i + 1]
      const kind = next?.tag === 'D' || next?.tag === 'N' || next?.tag === 'A' || next?.tag === 'I'
      for (let k = i + 1; kind && k < words.length && !/^[.,;!?\n]$/.test(words[k]!.norm); k++)
        if (/^[VXM]$/.test(words[k]!.tag) && words[k]!.form !== 'ing' && !startsWithNot(words, from))
          return -1
      return kind ? i : -1
    }
    if (/^[.;!?\n,]$/.test(words[i]!.norm) && words[i + 1]?.norm !== 'but') return -1
  }
  return -1
}

/** "Not Claire but her deputy will chair it" */
const startsWithNot = (words: Side['words'], at: number) => at === 0 || words[at - 1]!.tag === '.'

interface Stretch {
  readonly list: readonly number[]
  readonly to: number
}

/** The telling words of the phrase that begins here, up to a preposition that speaks of both. */
function phraseFrom({ words }: Side, from: number, end = words.length): Stretch {
  const list: number[] = []
  let i = from
  for (; i < end; i++) {
    const { tag, norm } = words[i]!
    if (tag === '.' || tag === 'C' || tag === 'S' || tag === 'M' || tag === 'X') break
    if (list.length > 0 && (ASIDE.has(norm) || (tag === 'V' && words[i]!.form !== 'ing'))) break
    if (isContent(words[i]!)) list.push(i)
  }
  return { list, to: i }
}

/** The telling words of the phrase that ends here. */
function phraseTo({ words }: Side, to: number): Stretch {
  const list: number[] = []
  let i = to - 1
  for (; i >= 0; i--) {
    const { tag } = words[i]!
    if (!/^[NAD#I]$/.test(tag)) break
    if (tag === 'I' && list.length > 0) break
    if (isContent(words[i]!)) list.unshift(i)
  }
  return { list, to: i }
}
