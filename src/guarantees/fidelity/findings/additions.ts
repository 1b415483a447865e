import { isContent } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const OPENERS = anyOf(
  'because because_of due_to so_that in_order_to so_as_to thanks_to owing_to on_account_of',
)

/** A reason, a purpose or a further clause of which the source has no word, behind a claim it otherwise has. */
export function additionFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  // "too big to send" tells why it was not.
  if (source.words.length === 0 || source.words.some(({ norm }) => norm === 'too')) return []
  const isKnown = (c: number) => alignment.links[c]!.source >= 0 && alignment.links[c]!.likeness.score >= 0.45
  const found: Finding[] = []
  for (const [from, to] of stretchesOf(comparison)) {
    const inside: number[] = []
    let rest = 0
    let known = 0
    for (const [c, word] of claim.words.entries()) {
      if (!isContent(word) || word.tag === '#') continue
      if (c >= from && c < to) inside.push(c)
      else {
        rest++
        if (isKnown(c)) known++
      }
    }
    if (inside.length === 0 || inside.some(isKnown) || rest < 2 || known < rest * 0.75) continue
    if (!inside.some((c) => claim.words[c]!.tag === 'N')) continue
    found.push(
      finding(
        comparison,
        'unsupported',
        'hard',
        0.7,
        [],
        [from, to - 1],
        `'${said(claim, from, to - 1)}' is nowhere in the source`,
      ),
    )
  }
  return found
}

/** From an opener, or the conjunction before another verb, to the end of the clause. */
function stretchesOf({ claim: { words, clauses } }: Comparison): [number, number][] {
  const list: [number, number][] = []
  const end = (from: number) => {
    let i = from + 1
    while (i < words.length && !/^[.;!?,]$/.test(words[i]!.norm)) i++
    return i
  }
  for (const [i, { norm }] of words.entries()) if (OPENERS.has(norm) && i > 0) list.push([i, end(i)])
  for (const { link, verb, start, parent } of clauses) {
    const opener = words[start]?.tag === 'C' ? start : words[verb - 1]?.tag === 'C' ? verb - 1 : -1
    if (parent >= 0 && link === 'coordinate' && opener > 0 && words[opener]!.norm === 'and')
      list.push([opener, end(opener)])
  }
  return list
}
