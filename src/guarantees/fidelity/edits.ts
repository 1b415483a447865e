import { type Gap, isContent } from './alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from './comparison.ts'
import { CERTAINTY, DUTIES, EXCLUDERS, NEGATIVE_NOUNS, QUANTIFIERS } from './cues.ts'
import type { Word } from './tagging.ts'

/** Words that other rules judge. */
const isLogical = ({ norm, tag }: Word) =>
  tag === '-' ||
  tag === 'M' ||
  QUANTIFIERS.has(norm) ||
  NEGATIVE_NOUNS.has(norm) ||
  EXCLUDERS.has(norm) ||
  DUTIES.has(norm)

/** What was put in, left out and replaced between words both texts share, judged by the direction of its place. */
export function editFindings(comparison: Comparison): Finding[] {
  const found: Finding[] = []
  for (const gap of comparison.alignment.gaps) found.push(...inGap(comparison, gap))
  return found
}

function inGap(comparison: Comparison, gap: Gap): Finding[] {
  const { source, claim, alignment } = comparison
  const found: Finding[] = []
  const mine = contentIn(claim, gap.claim)
  const theirs = contentIn(source, gap.source)
  for (const c of mine) {
    const { source: s, likeness } = alignment.links[c]!
    const inPlace = s >= gap.source[0] && s < gap.source[1]
    if (s >= 0 && (likeness.match === 'wider' || likeness.match === 'narrower') && inPlace) {
      const direction = source.scopes.directions[s]!
      const right = likeness.match === 'wider' ? direction === 1 : direction === -1
      if (!right)
        found.push(
          finding(
            comparison,
            'unsupported',
            'soft',
            0.75,
            [s],
            [c],
            `'${said(claim, c)}' says ${likeness.match === 'wider' ? 'less' : 'more'} than '${said(source, s)}' does here, and does not follow`,
          ),
        )
    } else if (s >= 0 && likeness.match === 'sister' && inPlace)
      found.push(
        finding(
          comparison,
          'unsupported',
          'soft',
          0.75,
          [s],
          [c],
          `'${said(claim, c)}' is another kind of thing than '${said(source, s)}'`,
        ),
      )
  }
  const added = mine.filter((c) => alignment.links[c]!.source < 0)
  const dropped = theirs.filter((s) => alignment.back[s] === -1)
  const swapped = pairUp(comparison, dropped, added)
  for (const [s, c] of swapped) found.push(replaced(comparison, s, c))
  const inserted = added.filter((c) => !swapped.some(([, other]) => other === c))
  const removed = dropped.filter((s) => !swapped.some(([other]) => other === s))
  if (inserted.length > 0) {
    const direction = directionIn(claim, inserted)
    const widens =
      claim.words[inserted[0]! - 1]?.norm === 'or' || claim.words[inserted.at(-1)! + 1]?.norm === 'or'
    if (widens ? direction !== 1 : direction !== -1)
      found.push(
        finding(
          comparison,
          'unsupported',
          'soft',
          Math.min(0.75, 0.5 + 0.1 * inserted.length),
          [],
          inserted,
          `'${said(claim, ...inserted)}' is not in the source`,
        ),
      )
  }
  if (removed.length > 0) {
    const direction = directionIn(source, removed)
    const widened =
      source.words[removed[0]! - 1]?.norm === 'or' || source.words[removed.at(-1)! + 1]?.norm === 'or'
    if (widened ? direction !== -1 : direction !== 1)
      found.push(
        finding(
          comparison,
          'unsupported',
          'soft',
          0.7,
          removed,
          [],
          `without '${said(source, ...removed)}' the claim denies, or demands, more than the source`,
        ),
      )
  }
  return found
}

const contentIn = (side: Side, [from, to]: readonly [number, number]) => {
  const list: number[] = []
  for (let i = from; i < to; i++) {
    const word = side.words[i]!
    if (isContent(word) && !isLogical(word) && word.tag !== '#' && (CERTAINTY.get(word.norm) ?? 3) === 3)
      list.push(i)
  }
  return list
}

/** The direction the words agree on, 0 when they do not. */
function directionIn(side: Side, at: readonly number[]) {
  const first = side.scopes.directions[at[0]!]!
  return at.every((i) => side.scopes.directions[i] === first) ? first : 0
}

/** Words of one class that took each other's place. */
function pairUp(
  { source, claim }: Comparison,
  dropped: readonly number[],
  added: readonly number[],
): [number, number][] {
  const pairs: [number, number][] = []
  const taken = new Set<number>()
  for (const c of added) {
    const s = dropped.find(
      (one) =>
        !taken.has(one) &&
        (source.words[one]!.tag === claim.words[c]!.tag ||
          (/[VA]/.test(source.words[one]!.tag) && /[VA]/.test(claim.words[c]!.tag))),
    )
    if (s === undefined) continue
    taken.add(s)
    pairs.push([s, c])
  }
  return pairs
}

/** Two words without a known relation. Verbs and adjectives are often paraphrases; things seldom are. */
function replaced(comparison: Comparison, s: number, c: number): Finding {
  const { source, claim } = comparison
  const { tag } = claim.words[c]!
  const weight = tag === 'N' ? 0.55 : tag === 'V' ? 0.3 : 0.35
  return finding(
    comparison,
    'unsupported',
    'soft',
    weight,
    [s],
    [c],
    `'${said(claim, c)}' stands where the source has '${said(source, s)}'`,
  )
}

/** Words of the claim that nothing in the source stands for, where the texts are not edits of each other. */
export function coverageFindings(comparison: Comparison): Finding[] {
  const { claim, alignment } = comparison
  const found: Finding[] = []
  const content = claim.words
    .map((_, i) => i)
    .filter(
      (i) =>
        isContent(claim.words[i]!) &&
        !isLogical(claim.words[i]!) &&
        claim.words[i]!.tag !== '#' &&
        !CERTAINTY.has(claim.words[i]!.norm),
    )
  if (content.length === 0) return found
  const novel = content.filter((i) => alignment.links[i]!.source < 0)
  const share =
    novel.reduce((sum, i) => sum + costOf(claim.words[i]!), 0) /
    content.reduce((sum, i) => sum + costOf(claim.words[i]!), 0)
  for (const i of novel)
    found.push(
      finding(
        comparison,
        'unsupported',
        'soft',
        0.28 * costOf(claim.words[i]!) * (0.5 + share),
        [],
        [i],
        `nothing in the source stands for '${said(claim, i)}'`,
      ),
    )
  return found
}

const costOf = ({ tag }: Word) => (tag === 'N' ? 1 : tag === 'V' ? 0.7 : tag === 'A' ? 0.7 : 0.4)
