import { compareWords } from '../comparing/alignment.ts'
import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { excludeEachOther } from '../words/concepts.ts'
import { anyOf } from '../words/cues.ts'
import { isTangible } from '../words/relations.ts'
import type { Word } from '../words/tagging.ts'
import { isName } from './names.ts'

/** Which one of its kind: "hip surgery" for knee surgery, "option A" for option B, "replica-1" for replica-2. */
export function kindFindings(comparison: Comparison): Finding[] {
  const { source, claim } = comparison
  for (const [c, { tag }] of claim.words.entries()) {
    if (tag !== 'N') continue
    const rival = otherLabel(comparison, c) ?? otherKind(comparison, c)
    if (rival === undefined) continue
    const [s, mine] = rival
    return [
      finding(
        comparison,
        'entity_mismatch',
        'hard',
        0.85,
        [s],
        [mine],
        `the source has '${said(source, s)}', the claim '${said(claim, mine)}'`,
      ),
    ]
  }
  return []
}

/** Words that set the claim's thing apart from the source's on purpose. */
const APART = anyOf('other another different second both either neither')

/** Where the same noun stands in the source. */
const placesOf = ({ words }: Side, { lemma }: Word): number[] =>
  words.flatMap((word, s) => (word.tag === 'N' && word.lemma === lemma ? [s] : []))

/** "A" behind "option", "2" behind "replica-": where it is, and -1 for none. */
function labelOf({ words }: Side, at: number): number {
  const next = words[at + 1]
  if (next === undefined) return -1
  if (/^[A-Z]$/.test(next.text) && next.text !== 'I' && !next.first) return at + 1
  if (
    next.norm === '-' &&
    next.start === words[at]!.end &&
    /^(?:\d+|[a-z])$/i.test(words[at + 2]?.text ?? '')
  )
    return words[at + 2]!.start === next.end ? at + 2 : -1
  return -1
}

function otherLabel({ source, claim }: Comparison, c: number): [number, number] | undefined {
  const mine = labelOf(claim, c)
  if (mine < 0) return undefined
  const { text } = claim.words[mine]!
  const theirs = placesOf(source, claim.words[c]!).map((s) => labelOf(source, s))
  if (theirs.length === 0 || theirs.some((at) => at < 0)) return undefined
  if (source.words.some((word) => word.text === text) || APART.has(claim.words[c - 1]?.norm ?? ''))
    return undefined
  return [theirs[0]!, mine]
}

/** A noun before a noun, of a kind with that of the source and not the same. */
function otherKind({ source, claim }: Comparison, c: number): [number, number] | undefined {
  const mine = claim.words[c - 1]
  const thing = claim.words[c]!
  // "hip" before a noun is read as an adjective now and then.
  if (
    (mine?.tag !== 'N' && mine?.tag !== 'A') ||
    mine.kind !== 'word' ||
    isName(mine) ||
    claim.words[c + 1]?.tag === 'N'
  )
    return undefined
  if (claim.scopes.signs[c] !== 1 || claim.words[c - 2]?.norm === "'s") return undefined
  if (source.words.some((word) => bears(word, mine))) return undefined
  const places = placesOf(source, thing)
  if (places.length === 0) return undefined
  for (const s of places) {
    const theirs = source.words[s - 1]
    if (theirs?.tag !== 'N' || isName(theirs) || claim.words.some(({ lemma }) => lemma === theirs.lemma))
      return undefined
    const apart =
      excludeEachOther(theirs.norm, mine.norm) ||
      (compareWords(theirs, mine).match === 'sister' && (isTangible(theirs.lemma) || isTangible(mine.lemma)))
    if (!apart) return undefined
  }
  return [places[0]! - 1, c - 1]
}

const bears = (word: Word, mine: Word): boolean => {
  const { match } = compareWords(word, mine)
  return match !== 'none' && match !== 'sister'
}
