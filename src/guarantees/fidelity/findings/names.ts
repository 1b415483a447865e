import { type Comparison, clauseAt, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import { anyOf } from '../words/cues.ts'
import { classesOf, lemmaOf } from '../words/relations.ts'
import type { Word } from '../words/tagging.ts'

const NAMELESS = anyOf('user users assistant agent team i ok okay customer client the')

export const isName = (word: Word): boolean =>
  word.tag === 'N' &&
  (word.kind === 'code' ||
    word.proper ||
    (word.first && /^\p{Lu}/u.test(word.text) && !isOrdinary(word.norm))) &&
  !NAMELESS.has(word.norm)

const partsOf = (norm: string): readonly string[] => (/[-_./:]/.test(norm) ? norm.split(/[-_./:]/) : [norm])

function wordsAndTheirParts({ words }: Side): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { norm } of words) {
    found.add(norm)
    for (const part of partsOf(norm)) found.add(part)
  }
  return found
}

/** Names that are nowhere in the source. */
export function nameFindings(comparison: Comparison): Finding[] {
  const { source, claim, context, alignment } = comparison
  const found: Finding[] = []
  let words: ReadonlySet<string> | undefined
  const text = source.text.toLowerCase()
  for (let c = 0; c < claim.words.length; c++) {
    const word = claim.words[c]!
    if (
      alignment.links[c]!.likeness.score >= 0.75 ||
      !isName(word) ||
      claim.quantities.some(({ from, to }) => c >= from && c < to)
    )
      continue
    words ??= wordsAndTheirParts(source)
    if (words.has(word.norm)) continue
    if (source.words.some((other) => other.proper && isAdjectiveOf(other.norm, word.norm))) continue
    if (text.includes(word.norm) && word.norm.length > 2) continue
    if (partsOf(word.norm).every((part) => words!.has(part))) continue
    // "AI-powered" and "AI-supported" share their name.
    if (word.kind === 'word' && word.norm.includes('-') && words.has(word.norm.split('-')[0]!)) continue
    if (initialsOf(source).has(word.norm) || initialsOf(claim).has(word.norm)) continue
    // A word of the dictionary written with a capital names nothing by itself.
    if (
      word.kind === 'word' &&
      !/^\p{Lu}{2,}/u.test(word.text) &&
      isOrdinary(word.norm) &&
      !followsName(claim, c)
    )
      continue
    if (context?.words.some(({ norm }) => norm === word.norm) && source.words.some(({ tag }) => tag === 'P'))
      continue
    const rival = rivalOf(comparison, c)
    if (rival === undefined && claim.scopes.directions[c] === -1) continue
    const pronoun =
      rival === undefined
        ? source.words.some(({ norm }) => /^(?:he|she|they|it|him|her|his|them|this|that|who)$/.test(norm))
        : inSubject(claim, c) && speaksOfOneUnnamed(source)
    if (isSpelledOut(comparison, c) || isFirstName(comparison, c) || isOfMeasure(comparison, c)) continue
    found.push(
      finding(
        comparison,
        'entity_mismatch',
        pronoun ? 'soft' : 'hard',
        pronoun ? 0.35 : rival === undefined ? 0.7 : 0.9,
        rival === undefined ? [] : [rival],
        [c],
        rival === undefined
          ? `'${word.text}' is not in the source`
          : `the source has '${said(source, rival)}', the claim '${word.text}'`,
      ),
    )
  }
  return found
}

/** "United States" for "US". */
function isSpelledOut({ source, claim }: Comparison, c: number): boolean {
  let [from, to] = [c, c + 1]
  while (claim.words[from - 1]?.proper === true) from--
  while (claim.words[to]?.proper === true) to++
  const letters = claim.words
    .slice(from, to)
    .map(({ norm }) => norm[0])
    .join('')
  return letters.length > 1 && source.words.some(({ norm }) => norm.replaceAll('.', '') === letters)
}

/** "CHF" before or after a sum, "UTC" after an hour: how it is measured, not what is spoken of. */
const isOfMeasure = ({ source, claim }: Comparison, c: number): boolean => {
  const { norm } = claim.words[c]!
  const beside = claim.words[c - 1]?.tag === '#' || claim.words[c + 1]?.tag === '#'
  return (
    beside &&
    ((/^(?:chf|usd|eur|gbp|jpy|sek|nok|dkk|pln)$/.test(norm) &&
      source.words.some(({ norm: other }) => MONEY.test(other))) ||
      (/^(?:utc|gmt|cet|cest)$/.test(norm) && source.quantities.some(({ kind }) => kind === 'clock')))
  )
}
const MONEY = /^(?:[$€£¥].*|francs?|euros?|dollars?|pounds?|yen|kron[ea]r?|zloty)$/

/** "Lizzy Caplan" of a source that says only "Caplan". */
function isFirstName({ source, claim }: Comparison, c: number): boolean {
  let last = c
  while (claim.words[last + 1]?.proper === true) last++
  const surname = claim.words[last]!.norm
  return (
    last > c &&
    source.words.some(
      ({ norm, proper }, s) => proper && norm === surname && source.words[s - 1]?.proper !== true,
    )
  )
}

function inSubject(side: Side, at: number): boolean {
  const clause = clauseAt(side, at)
  return clause !== undefined && at >= clause.subject[0] && at < clause.subject[1]
}

/** "She has played …", "The film was released …": of whom or what the source speaks was said before it. */
function speaksOfOneUnnamed({ words }: Side): boolean {
  const first = words.findIndex(
    ({ norm }, i) =>
      /^(?:he|she|it|they|his|her|its|their)$/.test(norm) ||
      (norm === 'the' && WORKS.has(words[i + 1]?.lemma ?? '')),
  )
  return first >= 0 && words.every((word, i) => i > first || !isName(word))
}

/** What is named once and then called by what it is. */
const WORKS = anyOf(
  'film movie song album single book novel series show game band club state country city town',
)

/** "Finnish" and "Finland": the adjective of a name. */
export function isAdjectiveOf(a: string, b: string): boolean {
  if (a.length < 5 || b.length < 5 || a === b || a.slice(0, 3) !== b.slice(0, 3)) return false
  return /(?:ish|ian|ean|an|ese|ch|ic)$/.test(a) !== /(?:ish|ian|ean|an|ese|ch|ic)$/.test(b)
}

const isOrdinary = (norm: string) => {
  const lemma = lemmaOf(norm, 'N') ?? lemmaOf(norm, 'V') ?? lemmaOf(norm, 'A')
  return lemma !== undefined && classesOf(lemma) !== ''
}

const followsName = (side: Side, at: number) =>
  side.words[at - 1]?.proper === true || side.words[at + 1]?.proper === true

function initialsOf(side: Side): Set<string> {
  const found = new Set<string>()
  for (let i = 0; i < side.words.length; i++) {
    let letters = ''
    for (
      let k = i;
      k < side.words.length && k < i + 5 && side.words[k]!.kind === 'word' && side.words[k]!.tag !== '.';
      k++
    ) {
      letters += side.words[k]!.norm[0]
      if (letters.length > 1) found.add(letters)
    }
  }
  return found
}

/** A name of the source in the place of this one, which the claim does not mention. */
function rivalOf({ source, claim, alignment }: Comparison, c: number): number | undefined {
  const gap = alignment.gaps.find(({ claim: [from, to] }) => c >= from && c < to)
  const free = (s: number) =>
    alignment.back[s] === -1 &&
    isName(source.words[s]!) &&
    !claim.words.some(({ norm }) => norm === source.words[s]!.norm)
  if (gap) for (let s = gap.source[0]; s < gap.source[1]; s++) if (free(s)) return s
  for (let s = 0; s < source.words.length; s++) if (free(s)) return s
  return undefined
}
