import { type Comparison, type Finding, finding, type Side, said } from '../comparing/comparison.ts'
import type { FidelityCode } from '../types.ts'
import { anyOf } from '../words/cues.ts'

/** Of one thing at one time only one of a line is so. */
const OPPOSED = [
  ['on', 'off'],
  ['inside', 'outside'],
  ['above', 'below'],
  ['over', 'under'],
  ['above', 'under'],
  ['over', 'below'],
  ['with', 'without'],
  ['on', 'against'],
  ['for', 'against'],
  ['with', 'against'],
]

/** What sets one calendar, account or door apart from another; words of one group may be one and the same. */
const SETTINGS = [
  'family home household | work office business company corporate | school',
  'private personal | work office business company corporate public | family household',
  'front | back rear',
  'upper | lower',
  'inner | outer',
  'indoor | outdoor',
  'morning | afternoon | evening | night',
  'spring | summer | autumn fall | winter',
  'male | female',
  'north northern | south southern | east eastern | west western',
  'ground basement | attic',
  'left left-hand | right right-hand',
  'staging test testing | production prod live',
].map((line) => line.split(' | ').map((group) => new Set(group.split(' '))))

const EXISTING = anyOf('come_up turn_up show_up exist appear emerge pop_up crop_up surface')
const FINDING = anyOf('find have be see show return detect report contain reveal give spot discover list')

/** Where a thing is, which of its kind it is, and whether there is any. */
export function placeFindings(comparison: Comparison): Finding[] {
  return [turnedPlace(comparison), otherSetting(comparison), foundAfterAll(comparison)].flatMap(
    (one) => one ?? [],
  )
}

const tell = (
  comparison: Comparison,
  code: FidelityCode,
  s: readonly number[],
  c: readonly number[],
): Finding =>
  finding(
    comparison,
    code,
    'hard',
    0.85,
    s,
    c,
    `'${said(comparison.source, ...s)}' became '${said(comparison.claim, ...c)}'`,
  )

/** The preposition before a noun, past its article. */
function prepositionOf({ words }: Side, noun: number): number {
  let at = noun - 1
  while (at >= 0 && words[at]!.tag === 'D') at--
  return at
}

/** "off the heat" became "on the heat". */
function turnedPlace(comparison: Comparison): Finding | undefined {
  const { source, claim } = comparison
  if (claim.words.some(({ tag }) => tag === '-')) return undefined
  for (const [c, word] of claim.words.entries()) {
    if (word.tag !== 'N') continue
    const here = prepositionOf(claim, c)
    if (here < 0 || here === c - 1) continue
    const places = source.words.flatMap(({ lemma }, s) => (lemma === word.lemma ? [s] : []))
    if (places.length !== 1) continue
    const there = prepositionOf(source, places[0]!)
    if (there < 0) continue
    const [one, other] = [source.words[there]!.norm, claim.words[here]!.norm]
    if (source.scopes.signs[there] === -1 || one === 'with' || other === 'with') continue
    if (OPPOSED.some(([a, b]) => (a === one && b === other) || (a === other && b === one)))
      return tell(comparison, 'polarity_flip', [there, places[0]!], [here, c])
  }
  return undefined
}

/** "the family calendar" became "the work calendar". */
function otherSetting(comparison: Comparison): Finding | undefined {
  const { source, claim } = comparison
  for (const [c, thing] of claim.words.entries()) {
    const mine = claim.words[c - 1]
    if (thing.tag !== 'N' || mine === undefined) continue
    for (const groups of SETTINGS) {
      const own = groups.find((group) => group.has(mine.norm))
      if (own === undefined || source.words.some(({ norm }) => own.has(norm))) continue
      const places = source.words.flatMap(({ lemma }, s) => (lemma === thing.lemma && s > 0 ? [s] : []))
      if (places.length !== 1) continue
      const theirs = source.words[places[0]! - 1]!
      const group = groups.find((one) => one !== own && one.has(theirs.norm))
      if (group === undefined || claim.words.some(({ norm }) => group.has(norm))) continue
      if (claim.scopes.signs[c] === -1 || source.scopes.signs[places[0]!] === -1) continue
      return tell(comparison, 'entity_mismatch', [places[0]! - 1, places[0]!], [c - 1, c])
    }
  }
  return undefined
}

/** "found no mould" became "mould turned up". */
function foundAfterAll(comparison: Comparison): Finding | undefined {
  const { source, claim } = comparison
  for (const { head, subject, id } of claim.clauses) {
    const verb = claim.words[head]!
    if (!(EXISTING.has(verb.norm) || EXISTING.has(verb.lemma) || isPhrasal(claim, head))) continue
    if (claim.scopes.stances[id]?.sign !== 1 || claim.clauses[id]!.modals.length > 0) continue
    for (let c = subject[0]; c < subject[1]; c++) {
      const word = claim.words[c]!
      if (word.tag !== 'N' || claim.scopes.signs[c] !== 1) continue
      const places = source.words.flatMap(({ lemma }, s) => (lemma === word.lemma ? [s] : []))
      if (places.length === 0 || !places.every((s) => isMissing(source, s))) continue
      return tell(comparison, 'polarity_flip', [places[0]!], [c, head])
    }
  }
  return undefined
}

const isPhrasal = ({ words }: Side, head: number) =>
  EXISTING.has(`${words[head]!.lemma}_${words[head + 1]?.norm ?? ''}`)

/** "no mould", "not a trace of mould", where somebody looked for it. */
function isMissing({ words, clauseOf, clauses }: Side, at: number): boolean {
  let first = at
  while (first > 0 && /^[NA]$/.test(words[first - 1]!.tag)) first--
  const clause = clauses[clauseOf[at]!]
  return (
    words[first - 1]?.norm === 'no' &&
    words.some(({ lemma }, i) => i < first && i > first - 4 && FINDING.has(lemma)) &&
    clause !== undefined
  )
}
