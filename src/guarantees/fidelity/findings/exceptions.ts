import { type Comparison, clauseAt, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'

const UNIVERSAL = anyOf(
  'all every each everyone everybody everything always any anyone anybody everywhere no none nobody no_one nothing never nowhere',
)
const APART = anyOf(
  'except except_for excepting excluding apart_from aside_from other_than with_the_exception_of save_for barring bar',
)
/** Words by which a claim shows that it knows of the rest. */
const PARTIAL = anyOf(
  'but other others else rest remaining most many some few nearly almost one two only just not exception exceptions unless if without until',
)

/** "all passed except the login test" became "all passed". */
export function exceptionFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  if (claim.words.some(({ norm }) => APART.has(norm) || PARTIAL.has(norm))) return []
  for (let c = 0; c < claim.words.length; c++) {
    const { norm, tag } = claim.words[c]!
    if (!UNIVERSAL.has(norm) || tag === '.') continue
    const clause = clauseAt(claim, c)
    if (clause === undefined) continue
    const places = new Set(
      alignment.links.flatMap(({ source: s, likeness }, k) =>
        s >= 0 && likeness.score >= 0.75 && claim.clauseOf[k] === clause.id ? [source.sentenceOf[s]!] : [],
      ),
    )
    for (const [s, word] of source.words.entries()) {
      if (!places.has(source.sentenceOf[s]!) || !excepts(source, s)) continue
      // What is set apart is what the claim speaks of, or the universal is another's.
      const set = exceptedAt(source, s)
      if (set.length === 0 || set.some((i) => alignment.back[i]! >= 0 && isOnlyIn(source, i, set))) continue
      const universal = source.words.findIndex(
        (other, i) =>
          i !== s &&
          source.sentenceOf[i]! === source.sentenceOf[s]! &&
          UNIVERSAL.has(other.norm) &&
          negative(other.norm) === negative(norm),
      )
      if (universal < 0 || word.tag === '-') continue
      return [
        finding(
          comparison,
          'condition_dropped',
          'hard',
          0.85,
          [s, ...set],
          [c],
          `the source excepts something: '${said(source, s, ...set)}'`,
        ),
      ]
    }
  }
  return []
}

/** The nouns a sentence sets apart from everyone, everything or nothing. */
export function exceptedWords(side: Side): number[] {
  const { words, sentenceOf } = side
  const found: number[] = []
  /** The last sentence so far with a word for all or none. */
  let universal = -1
  for (let i = 0; i < words.length; i++) {
    const { norm, tag } = words[i]!
    if (universal === sentenceOf[i] && tag !== '-' && excepts(side, i))
      for (const at of exceptedAt(side, i)) if (words[at]!.tag === 'N') found.push(at)
    if (UNIVERSAL.has(norm)) universal = sentenceOf[i]!
  }
  return found
}

const negative = (norm: string) => /^n/.test(norm)

/** "everyone but Tomas": "but" right after a universal's noun phrase, before a bare noun phrase. */
function excepts({ words }: Side, at: number): boolean {
  const { norm } = words[at]!
  if (norm === 'bar') return words[at]!.tag === 'I'
  if (APART.has(norm)) return true
  if (norm !== 'but') return false
  const near = words.slice(Math.max(0, at - 3), at).some((word) => UNIVERSAL.has(word.norm))
  const after = words.slice(at + 1)
  const end = after.findIndex(({ norm: mark }) => /^[.;!?]$/.test(mark))
  const before = words.slice(Math.max(0, at - 3), at).every(({ tag }) => /^[DNPA]$/.test(tag))
  return (
    near &&
    before &&
    after
      .slice(0, end < 0 ? 3 : Math.min(3, end))
      .some(({ tag, norm: kind }) => tag === 'N' || tag === '#' || kind === 'one')
  )
}

/** The phrase that is set apart. */
function exceptedAt({ words }: Side, at: number): number[] {
  const list: number[] = []
  for (let i = at + 1; i < words.length && i < at + 8; i++) {
    const { tag } = words[i]!
    if (/^[.XMSV]$/.test(tag)) break
    if (tag === 'N' || tag === '#' || tag === 'A' || words[i]!.norm === 'one') list.push(i)
  }
  return list
}

/** The word is in the excepted phrase and nowhere else in the source. */
const isOnlyIn = ({ words }: Side, at: number, set: readonly number[]) =>
  words.every(({ lemma }, i) => set.includes(i) || lemma !== words[at]!.lemma)
