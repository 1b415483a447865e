import { type Gap, isContent } from '../comparing/alignment.ts'
import {
  type Comparison,
  type Finding,
  finding,
  isDeniedDenier,
  type Side,
  said,
} from '../comparing/comparison.ts'
import { CERTAINTY, DUTIES, EXCLUDERS, NEGATIVE_NOUNS, QUANTIFIERS } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'
import { isDenying, swapsDenials } from './denials.ts'
import { speaksOfTheRest } from './numbers.ts'

/** Words that other rules judge. */
const isLogical = ({ norm, tag }: Word) =>
  tag === '-' ||
  tag === 'M' ||
  QUANTIFIERS.has(norm) ||
  NEGATIVE_NOUNS.has(norm) ||
  EXCLUDERS.has(norm) ||
  DUTIES.has(norm)

/** How much each kind of difference weighs, when it is the only one and when the whole text was put differently. */
const WEIGHTS = {
  only: {
    narrower: 0.75,
    wider: 0.75,
    sister: 0.75,
    noun: 0.55,
    verb: 0.3,
    other: 0.35,
    inserted: 0.5,
    more: 0.1,
    removed: 0.7,
  },
  among: {
    narrower: 0.05,
    wider: 0.25,
    sister: 0.08,
    noun: 0.08,
    verb: 0.04,
    other: 0.04,
    inserted: 0,
    more: 0.27,
    removed: 0.15,
  },
} as const

/** Changes from which on a text was put differently everywhere, and words put in are part of that. */
const MANY = 4
const EVERYWHERE = { ...WEIGHTS.among, more: 0.12 }

/** What was put in, left out and replaced between words both texts share, judged by the direction of its place. */
export function editFindings(comparison: Comparison): Finding[] {
  const { source, claim, alignment } = comparison
  const telling = alignment.gaps.filter(
    (gap) => contentIn(claim, gap.claim).length + contentIn(source, gap.source).length > 0,
  )
  const changes = new Set(
    telling.map((gap) =>
      contentIn(source, gap.source)
        .map((s) => source.words[s]!.lemma)
        .join(' '),
    ),
  )
  const weights = changes.size <= 1 ? WEIGHTS.only : changes.size < MANY ? WEIGHTS.among : EVERYWHERE
  return [
    ...telling.flatMap((gap) => inGap(comparison, gap, weights)),
    ...alignment.gaps.flatMap((gap) => turnedPlaces(comparison, gap)),
  ]
}

type Weights = (typeof WEIGHTS)[keyof typeof WEIGHTS] | typeof EVERYWHERE

function inGap(comparison: Comparison, gap: Gap, weights: Weights): Finding[] {
  const { source, claim, alignment } = comparison
  const found: Finding[] = []
  const soft = (weight: number, inSource: readonly number[], inClaim: readonly number[], message: string) =>
    found.push(finding(comparison, 'unsupported', 'soft', weight, inSource, inClaim, message))
  // "cease to be" for "no longer be": a denial in other words.
  if (swapsDenials(source.words.slice(...gap.source), claim.words.slice(...gap.claim))) return found
  const mine = contentIn(claim, gap.claim)
  const theirs = contentIn(source, gap.source)
  if (spellsOutDenial(comparison, gap, mine)) return found
  for (const c of mine) {
    const { source: s, likeness } = alignment.links[c]!
    if (s < gap.source[0] || s >= gap.source[1]) continue
    const direction = source.scopes.directions[s]!
    if (likeness.match === 'wider' && direction !== 1)
      soft(
        weights.wider,
        [s],
        [c],
        `'${said(claim, c)}' says less than '${said(source, s)}', where more was denied or asked`,
      )
    if (likeness.match === 'narrower' && direction !== -1)
      soft(weights.narrower, [s], [c], `'${said(claim, c)}' says more than '${said(source, s)}'`)
    if (likeness.match === 'sister')
      soft(weights.sister, [s], [c], `'${said(claim, c)}' is another kind of thing than '${said(source, s)}'`)
  }
  const added = mine.filter((c) => alignment.links[c]!.source < 0)
  const dropped = theirs.filter((s) => alignment.back[s] === -1)
  const swapped = pairUp(comparison, dropped, added)
  for (const [s, c] of swapped) {
    const { tag } = claim.words[c]!
    // Two words without a known relation. Verbs and adjectives are often paraphrases; things seldom are, but where more
    // is denied the other may well be a kind of the one.
    soft(
      tag === 'N' && source.scopes.directions[s] !== -1
        ? weights.noun
        : tag === 'V'
          ? weights.verb
          : weights.other,
      [s],
      [c],
      `'${said(claim, c)}' stands where the source has '${said(source, s)}'`,
    )
  }
  const inserted = added.filter((c) => !swapped.some(([, other]) => other === c))
  const removed = dropped.filter((s) => !swapped.some(([other]) => other === s))
  const widens = (side: Side, at: readonly number[]) =>
    side.words[at[0]! - 1]?.norm === 'or' || side.words[at.at(-1)! + 1]?.norm === 'or'
  if (inserted.length > 0 && directionIn(claim, gap.claim, inserted) !== (widens(claim, inserted) ? 1 : -1))
    soft(
      Math.min(0.75, weights.inserted + weights.more * inserted.length),
      [],
      inserted,
      `'${said(claim, ...inserted)}' is not in the source`,
    )
  // "something" for "machines" and the reverse.
  const indefinite = (side: Side, [from, to]: readonly [number, number]) => {
    for (let i = from; i < to; i++)
      if (/^(?:something|anything|someone|somebody|anyone|anybody)$/.test(side.words[i]!.norm)) return i
    return -1
  }
  const vague = indefinite(claim, gap.claim)
  const named = indefinite(source, gap.source)
  if (vague >= 0 && theirs.length > 0) {
    if (source.scopes.directions[theirs[0]!] !== 1)
      soft(weights.wider, theirs, [vague], `'${said(claim, vague)}' is wider than what the source speaks of`)
    return found
  }
  if (named >= 0 && mine.length > 0) {
    if (claim.scopes.directions[mine[0]!] !== -1)
      soft(
        weights.narrower,
        [named],
        mine,
        `'${said(claim, ...mine)}' says more than '${said(source, named)}'`,
      )
    return found
  }
  // "not to Tomas but to Marcus": what is denied of one constituent may be left out whole.
  const isWhole =
    gap.claim[0] === gap.claim[1] &&
    (source.words.slice(...gap.source).some(isConstituentDenier(source, gap)) ||
      removed.every((s) => isOfOwnClause(source, gap, s)))
  if (
    removed.length > 0 &&
    !isWhole &&
    directionIn(source, gap.source, removed) !== (widens(source, removed) ? -1 : 1)
  )
    soft(
      weights.removed,
      removed,
      [],
      `without '${said(source, ...removed)}' the claim denies, or asks for, more than the source`,
    )
  return found
}

/** "untreated" became "waiting for treatment", "without interruption" "continuously": a denial told by what is so instead. */
function spellsOutDenial(
  { source, claim, alignment }: Comparison,
  gap: Gap,
  mine: readonly number[],
): boolean {
  // "a loss" is a thing, and another one no other word for it.
  const isDenial = (word: Word) =>
    isDenying(word) && (word.tag !== 'N' || /^(?:un|dis|in|im|non)/.test(word.norm))
  const denials = source.words.slice(...gap.source).filter(isDenial)
  if (denials.length !== 1 || claim.words.slice(...gap.claim).some(isDenying)) return false
  return (
    mine.length > 0 &&
    mine.some((c) => alignment.links[c]!.source < 0) &&
    mine.every(
      (c) => alignment.links[c]!.likeness.match !== 'antonym' && !isStemOf(denials[0]!, claim.words[c]!),
    )
  )
}

/** "untreated" and "treated". */
const isStemOf = ({ norm }: Word, { norm: other, lemma }: Word): boolean =>
  norm.endsWith(other) || norm.endsWith(lemma)

/** "…, but has not checked it": a conjunct left out whole, with what denies it. */
function isOfOwnClause({ clauses, clauseOf }: Side, { source: [from, to] }: Gap, s: number): boolean {
  const clause = clauses[clauseOf[s]!]
  return (
    clause !== undefined &&
    /^(?:main|coordinate|contrast)$/.test(clause.link) &&
    clause.verb >= from &&
    clause.head < to &&
    clause.negators.length > 0 &&
    clause.negators.every((i) => i >= from && i < to)
  )
}

const isConstituentDenier =
  (side: Side, { source: [from] }: Gap) =>
  ({ norm, tag }: Word, k: number): boolean =>
    (EXCLUDERS.has(norm) && tag !== 'I') ||
    (tag === '-' && side.clauses.every(({ negators }) => !negators.includes(from + k)))

const OPPOSITE_PLACES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:near|beside|next_to|by|close_to)$/, /^(?:far|far_from)$/],
  [/^(?:inside|within|in)$/, /^outside$/],
  [/^(?:above|over)$/, /^(?:below|under|beneath)$/],
  [/^before$/, /^after$/],
  [/^with$/, /^without$/],
  [/^into$/, /^out_of$/],
  [/^up$/, /^down$/],
  [/^(?:for|in_favor_of)$/, /^against$/],
  [/^(?:on)$/, /^(?:off)$/],
  [/^including$/, /^(?:excluding|except|except_for)$/],
  [/^until$/, /^(?:after|from)$/],
]

/** A preposition replaced by its opposite. */
function turnedPlaces(comparison: Comparison, gap: Gap): Finding[] {
  const { source, claim } = comparison
  if (speaksOfTheRest(comparison)) return []
  for (let s = gap.source[0]; s < gap.source[1]; s++)
    for (let c = gap.claim[0]; c < gap.claim[1]; c++) {
      const [one, other] = [source.words[s]!.norm, claim.words[c]!.norm]
      if (!OPPOSITE_PLACES.some(([a, b]) => (a.test(one) && b.test(other)) || (b.test(one) && a.test(other))))
        continue
      if (outerSign(source, s) !== outerSign(claim, c)) continue
      return [
        finding(
          comparison,
          'polarity_flip',
          'hard',
          0.85,
          [s],
          [c],
          `'${said(source, s)}' became '${said(claim, c)}'`,
        ),
      ]
    }
  return []
}

/** The sign of the clause, and of the one a clause of time hangs on. */
function outerSign({ scopes, clauses, clauseOf }: Side, at: number): number {
  const clause = clauses[clauseOf[at]!]
  if (clause === undefined) return 1
  const parent = clause.parent < 0 || clause.link === 'complement' ? undefined : scopes.stances[clause.parent]
  return (scopes.stances[clause.id]?.sign ?? 1) * (parent?.sign ?? 1)
}

const contentIn = (side: Side, [from, to]: readonly [number, number]) => {
  const list: number[] = []
  for (let i = from; i < to; i++) {
    const word = side.words[i]!
    const attributive = word.tag === 'A' && side.words[i + 1]?.tag === 'N' && DUTIES.has(word.norm)
    // "smoke inside": a preposition without its noun says where.
    if (word.tag === 'I' && /side$/.test(word.norm) && /^[.R]?$/.test(side.words[i + 1]?.tag ?? ''))
      list.push(i)
    if (
      isContent(word) &&
      !(word.norm === 'little' && side.words[i - 1]?.tag === '-') &&
      (attributive || !isLogical(word)) &&
      !isDeniedDenier(side, i) &&
      word.tag !== '#' &&
      (CERTAINTY.get(word.norm) ?? 3) === 3
    )
      list.push(i)
  }
  return list
}

/** The direction the words agree on, 0 when they do not. Of a phrase put in or left out whole, "without a hat", that of its first word. */
function directionIn(side: Side, [from]: readonly [number, number], at: readonly number[]): number {
  const opener = side.words[from]!
  if (opener.tag === 'I' && from < at[0]!) {
    const clause = side.clauses[side.clauseOf[from]!]
    return clause?.link === 'without' && from < clause.verb
      ? -side.scopes.directions[from]!
      : side.scopes.directions[from]!
  }
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
