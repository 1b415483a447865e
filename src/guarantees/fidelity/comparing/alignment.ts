import type { Reading } from '../reading/clauses.ts'
import { conceptSign, excludeEachOther } from '../words/concepts.ts'
import { LIGHT } from '../words/cues.ts'
import { areDerived, differsByNegativeAffix, relationOf, type WordClass } from '../words/relations.ts'
import type { Tag, Word } from '../words/tagging.ts'

export type Match = 'same' | 'synonym' | 'antonym' | 'near' | 'wider' | 'narrower' | 'sister' | 'none'

export interface Likeness {
  readonly match: Match
  /** From 0 to 1: how much of a counterpart it is. */
  readonly score: number
  /** -1 for opposites. */
  readonly sign: 1 | -1
}

export interface Link {
  /** The counterpart in the source, -1 for none. */
  readonly source: number
  readonly likeness: Likeness
}

export interface Alignment {
  /** By word of the claim. */
  readonly links: readonly Link[]
  /** By word of the source: the word of the claim that stands for it, -1 for none. */
  readonly back: readonly number[]
  /** Most of one text is in the other, in order: what differs can be looked at piece by piece. */
  readonly edited: boolean
  /** Pieces that differ between two neighbours in common; none where the texts are not edits of each other. */
  readonly gaps: readonly Gap[]
}

export interface Gap {
  readonly source: readonly [number, number]
  readonly claim: readonly [number, number]
}

const SCORES: Readonly<Record<Match, number>> = {
  same: 1,
  synonym: 0.85,
  antonym: 0.75,
  near: 0.6,
  wider: 0.65,
  narrower: 0.45,
  sister: 0.3,
  none: 0,
}
const LIKENESSES = Object.fromEntries(
  Object.entries(SCORES).map(([match, score]) => [
    match,
    { match, score, sign: match === 'antonym' ? -1 : 1 },
  ]),
) as Readonly<Record<Match, Likeness>>
const { none: NONE, same: SAME } = LIKENESSES
const SAME_CONCEPT: Likeness = { match: 'synonym', score: 0.8, sign: 1 }
const DERIVED: Likeness = { match: 'synonym', score: 0.9, sign: 1 }

export function isContent({ tag, norm }: Word): boolean {
  if (tag !== 'N' && tag !== 'V' && tag !== 'A' && tag !== 'R' && tag !== '#') return false
  return !LIGHT.has(norm) && !(tag === 'R' && POINTING.has(norm))
}

const POINTING: ReadonlySet<string> = new Set(['then', 'just', 'now', 'there', 'here'])

const isClass = (tag: Tag): tag is WordClass => tag === 'N' || tag === 'V' || tag === 'A' || tag === 'R'

/** How a word of the claim compares with one of the source. */
export function compareWords(source: Word, claim: Word): Likeness {
  if (source.norm === claim.norm || source.lemma === claim.lemma) return SAME
  if (source.kind === 'number' || claim.kind === 'number' || source.tag === '#' || claim.tag === '#')
    return NONE
  const inflected = source.norm !== source.lemma || claim.norm !== claim.lemma
  if (
    differsByNegativeAffix(source.lemma, claim.lemma) ||
    (inflected && differsByNegativeAffix(source.norm, claim.norm))
  )
    return LIKENESSES.antonym
  if (excludeEachOther(source.norm, claim.norm)) return LIKENESSES.sister
  const concept =
    conceptSign(source.lemma, claim.lemma) || (inflected ? conceptSign(source.norm, claim.norm) : 0)
  const relation = lexicalRelation(source, claim)
  if (relation === 'antonym' || concept === -1) return LIKENESSES.antonym
  if (concept === 1) return SAME_CONCEPT
  if (relation === 'synonym') return LIKENESSES.synonym
  if (areDerived(source.lemma, claim.lemma) || sameStem(source.norm, claim.norm)) return DERIVED
  return LIKENESSES[relation]
}

/** A last resort for words the tables lack: 'onboarding' and 'onboarded'. */
function sameStem(a: string, b: string): boolean {
  if (a.length < 5 || b.length < 5) return false
  let shared = 0
  while (shared < a.length && a[shared] === b[shared]) shared++
  return (
    shared >= 5 &&
    shared >= Math.max(a.length, b.length) - 4 &&
    STEM_ENDS.has(a.slice(shared)) &&
    STEM_ENDS.has(b.slice(shared))
  )
}

const STEM_ENDS: ReadonlySet<string> = new Set(',s,es,ed,d,ing,er,or,ion,ment,ers,ly,al,e,y'.split(','))

function lexicalRelation(source: Word, claim: Word): Match {
  if (!isClass(source.tag) || !isClass(claim.tag)) return 'none'
  let best: Match = relationOf(source.lemma, claim.lemma, source.tag)
  if (best === 'antonym') return 'antonym'
  if (claim.tag !== source.tag) {
    const relation = relationOf(source.lemma, claim.lemma, claim.tag)
    if (relation === 'antonym') return 'antonym'
    if (SCORES[relation] > SCORES[best]) best = relation
  }
  // An adjective from a participle: 'troubled' and 'flawed'.
  if (
    best === 'none' &&
    (source.tag === 'V' || claim.tag === 'V') &&
    (source.form === 'ed' || claim.form === 'ed')
  ) {
    const relation = relationOf(source.norm, claim.norm, 'A')
    if (relation !== 'none') return relation
  }
  return best
}

const UNLINKED: Link = { source: -1, likeness: NONE }

/** Finds for each word of the claim what stands for it in the source. */
export function align(source: Reading, claim: Reading): Alignment {
  const common = longestCommon(source.words, claim.words)
  const links = new Array<Link>(claim.words.length).fill(UNLINKED)
  const back = new Array<number>(source.words.length).fill(-1)
  let shared = 0
  for (const [s, c] of common) {
    links[c] = { source: s, likeness: SAME }
    back[s] = c
    if (claim.words[c]!.tag !== '.') shared++
  }
  const count = (words: readonly Word[]) => words.filter(({ tag }) => tag !== '.').length
  const [sourceCount, claimCount] = [count(source.words), count(claim.words)]
  const closeness = (2 * shared) / Math.max(1, sourceCount + claimCount)
  const containment = shared / Math.max(1, claimCount)
  const edited = (closeness >= 0.62 && containment >= 0.55) || (shared >= 3 && shared >= 0.8 * sourceCount)
  const gaps = gapsOf(common, source.words.length, claim.words.length)
  if (edited) for (const gap of gaps) matchWithin(source, claim, gap, links, back)
  else {
    // Order says little: words that occur once bind first, the others by their company.
    links.fill(UNLINKED)
    back.fill(-1)
    bindUnique(source, claim, links, back)
  }
  let telling: readonly number[] | undefined
  for (let c = 0; c < claim.words.length; c++) {
    const word = claim.words[c]!
    if (links[c]!.source >= 0 || !isContent(word)) continue
    telling ??= source.words.map((_, s) => s).filter((s) => isContent(source.words[s]!))
    const found = bestElsewhere(source, telling, claim, c, links, edited)
    if (found !== undefined) {
      links[c] = found
      if (back[found.source] === -1) back[found.source] = c
    }
  }
  return { links, back, edited, gaps: edited ? gaps : [] }
}

function bindUnique(source: Reading, claim: Reading, links: Link[], back: number[]): void {
  for (let c = 0; c < claim.words.length; c++) {
    const word = claim.words[c]!
    if (!isContent(word)) continue
    let only = -1
    for (let s = 0; s < source.words.length && only !== -2; s++) {
      const other = source.words[s]!
      if (other.norm === word.norm || other.lemma === word.lemma) only = only === -1 ? s : -2
    }
    if (only < 0) continue
    links[c] = { source: only, likeness: SAME }
    if (back[only] === -1) back[only] = c
  }
}

/** Two thousand words against as many: what is longer is no edit that anybody could follow. */
const MOST_CELLS = 4_000_000

function longestCommon(a: readonly Word[], b: readonly Word[]): [number, number][] {
  const pairs: [number, number][] = []
  let from = 0
  while (from < a.length && from < b.length && alike(a[from]!, b[from]!)) pairs.push([from, from++])
  let tail = 0
  while (
    tail < a.length - from &&
    tail < b.length - from &&
    alike(a[a.length - 1 - tail]!, b[b.length - 1 - tail]!)
  )
    tail++
  const rows = a.length - from - tail
  const columns = b.length - from - tail
  if (rows > 0 && columns > 0 && rows * columns <= MOST_CELLS) {
    const width = columns + 1
    const table = new Uint16Array((rows + 1) * width)
    for (let i = rows - 1; i >= 0; i--) {
      const word = a[from + i]!
      const weight = weightOf(word)
      for (let j = columns - 1; j >= 0; j--)
        table[i * width + j] = alike(word, b[from + j]!)
          ? table[(i + 1) * width + j + 1]! + weight
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!)
    }
    for (let i = 0, j = 0; i < rows && j < columns; ) {
      if (
        alike(a[from + i]!, b[from + j]!) &&
        table[i * width + j] === table[(i + 1) * width + j + 1]! + weightOf(a[from + i]!)
      )
        pairs.push([from + i++, from + j++])
      else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) i++
      else j++
    }
  }
  for (let k = tail; k > 0; k--) pairs.push([a.length - k, b.length - k])
  return pairs
}

const alike = (a: Word, b: Word) =>
  a.norm === b.norm || (a.lemma === b.lemma && a.tag === b.tag && a.tag !== '#')
/** Words that say something anchor more than articles and marks do. */
const weightOf = (word: Word) => (isContent(word) ? 4 : word.tag === '.' ? 1 : 2)

function gapsOf(common: readonly (readonly [number, number])[], sourceEnd: number, claimEnd: number): Gap[] {
  const gaps: Gap[] = []
  let [s, c] = [0, 0]
  for (const [nextS, nextC] of [...common, [sourceEnd, claimEnd] as const]) {
    if (nextS > s || nextC > c) gaps.push({ source: [s, nextS], claim: [c, nextC] })
    s = nextS + 1
    c = nextC + 1
  }
  return gaps
}

/** Pairs of words that replace each other between the same neighbours, the best first. */
function matchWithin(source: Reading, claim: Reading, gap: Gap, links: Link[], back: number[]): void {
  if (gap.source[0] === gap.source[1] || gap.claim[0] === gap.claim[1]) return
  if ((gap.source[1] - gap.source[0]) * (gap.claim[1] - gap.claim[0]) > 400) return
  const candidates: { s: number; c: number; likeness: Likeness; rank: number }[] = []
  for (let s = gap.source[0]; s < gap.source[1]; s++) {
    if (!isContent(source.words[s]!)) continue
    for (let c = gap.claim[0]; c < gap.claim[1]; c++) {
      if (!isContent(claim.words[c]!)) continue
      const likeness = compareWords(source.words[s]!, claim.words[c]!)
      if (likeness.score === 0) continue
      const distance = Math.abs(s - gap.source[0] - (c - gap.claim[0])) / 50
      candidates.push({ s, c, likeness, rank: likeness.score - distance })
    }
  }
  candidates.sort((x, y) => y.rank - x.rank || x.s - y.s || x.c - y.c)
  for (const { s, c, likeness } of candidates)
    if (links[c]!.source < 0 && back[s]! < 0) {
      links[c] = { source: s, likeness }
      back[s] = c
    }
}

/** The clause and those around it that share its participants. */
function relatives({ clauses }: Reading, id: number): readonly number[] {
  const own = clauses[id]
  const list = [id]
  if (own !== undefined && own.parent >= 0 && own.link === 'complement') list.push(own.parent)
  for (const { id: other, parent, link } of clauses)
    if (parent === id && link === 'complement') list.push(other)
  return list
}

/** The clauses of the source in which what stands beside a word of the claim has its counterparts. */
function nearby(source: Reading, claim: Reading, c: number, links: readonly Link[]): ReadonlySet<number> {
  const near = new Set<number>()
  for (let k = 0; k < claim.words.length; k++)
    if (claim.clauseOf[k] === claim.clauseOf[c] && links[k]!.source >= 0 && isContent(claim.words[k]!))
      for (const id of relatives(source, source.clauseOf[links[k]!.source]!)) near.add(id)
  return near
}

/** The next telling word in a direction is the same on both sides. */
function isBeside(source: Reading, s: number, claim: Reading, c: number, step: 1 | -1): boolean {
  const next = ({ words, clauseOf }: Reading, at: number) => {
    let i = at + step
    while (clauseOf[i] === clauseOf[at] && words[i] !== undefined && !isContent(words[i]!)) i += step
    return clauseOf[i] === clauseOf[at] ? words[i]?.lemma : undefined
  }
  const mine = next(claim, c)
  return mine !== undefined && mine === next(source, s)
}

function bestElsewhere(
  source: Reading,
  telling: readonly number[],
  claim: Reading,
  c: number,
  links: readonly Link[],
  edited: boolean,
): Link | undefined {
  const word = claim.words[c]!
  let near: ReadonlySet<number> | undefined
  let best: Link | undefined
  let bestRank = 0.4
  for (const s of telling) {
    const other = source.words[s]!
    const likeness = compareWords(other, word)
    if (likeness.score < 0.45 || (edited && likeness.score < 0.8)) continue
    near ??= nearby(source, claim, c, links)
    let rank =
      likeness.score + (near.has(source.clauseOf[s]!) ? 0.18 : 0) + (other.tag === word.tag ? 0.03 : 0)
    // Said more than once: where the same words stand beside it.
    if (likeness.score >= 0.8 && rank > bestRank - 0.05)
      rank += (isBeside(source, s, claim, c, -1) ? 0.02 : 0) + (isBeside(source, s, claim, c, 1) ? 0.01 : 0)
    if (rank > bestRank) {
      bestRank = rank
      best = { source: s, likeness }
    }
  }
  return best
}
