import { MOST, weightOf } from './bm25.ts'
import { type Asked, allOfScoredBy, anyOf, anyOfScoredBy, type Unit, without, wordOf } from './expression.ts'
import type { Statistics } from './frequencies.ts'

/*
 * One ranking for every query: bm25 over all of its words. Words that more than half of the spans have weigh nothing in
 * it (FTS5 gives them a millionth), so that what has none of the others comes last, ordered by bm25 of the former. That
 * is the answer; which part of it has to be worked out is decided here. FTS5 scores whatever has any of the words it is
 * given, and that is what takes long.
 */

/** How a query was answered. */
export interface Understood {
  /** The words looked for, rarest first. Without `explain` there may be none. */
  readonly used: readonly string[]
  /** Words that only ranked what the others found. */
  readonly pruned: readonly string[]
  /** It has more words than are looked for, and what has none but these could be missing. */
  readonly cut: boolean
}

/** What ranks spans by FTS5. */
export interface Ranker<H> {
  /** Of all that match, those at `offset`, best first. */
  best(match: string, page: Page): readonly H[]
  /** How many match. */
  count(match: string): number
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** In smaller collections everything is scored, as FTS5 would: that takes less than finding out what need not be. */
const SMALL = 5_000

/** FTS5 keeps every unit of a query open at once, and asks each about each row; a pasted page is searched for its rarest. */
const UNITS = 256

/** Rarer words are tried alone where they find so small a part of what all find: in vain, that costs little. */
const TRIED = 0.1

/** Spans that a quick search scores, found by the rarest words first. One takes about a microsecond. */
const SCORED = 10_000

/** Entries of posting lists that a quick search reads besides, for words that rank what rarer ones found. */
const READ = 50_000

interface Counted {
  readonly unit: Unit
  readonly count: number
  readonly least: number
}

export interface Plan {
  /** Rarest first. */
  readonly telling: readonly Counted[]
  /** Those that more than half of the spans have, where there are others. */
  readonly idle: readonly Counted[]
  readonly cut: boolean
}

/** What of the optional words is there at all, and which tell spans apart. */
export function planOf({ optional, cut }: Asked, { rows, frequency }: Statistics): Plan {
  const found = optional
    .map((unit) => ({ unit, ...frequency(unit) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count)
  const idle = rows > SMALL ? found.filter(({ least }) => least * 2 > rows) : []
  if (idle.length === found.length) return { telling: found, idle: [], cut }
  return { telling: found.filter((one) => !idle.includes(one)), idle, cut }
}

/** A part of the ranking of what matches. */
export function rankBest<H extends { readonly score: number }>(
  asked: Asked,
  /** Asked for only where something has to be counted. */
  ask: () => Statistics,
  page: Page & { readonly quick?: boolean; readonly explain?: boolean },
  ranker: Ranker<H>,
  /** Few spans have any of the words: nothing has to be counted to find out which. */
  isRare = false,
): { readonly hits: readonly H[]; readonly understood: Understood } {
  const { required, optional, excluded, cut } = asked
  const only = (match: string) => without(match, excluded)
  // How frequent a word is takes as long to find out as what has it, and says nothing where it is alone.
  if (required.length + optional.length === 1) {
    const [unit] = [...required, ...optional] as [Unit]
    const hits = ranker.best(only(anyOf([unit])), page)
    // A word that is nowhere is not said to have been looked for.
    const isThere = required.length > 0 || hits.length > 0 || ask().frequency(unit).count > 0
    return { hits, understood: { used: isThere ? [wordOf(unit)] : [], pruned: [], cut } }
  }
  if (required.length > 0) {
    const others = optional.slice(0, UNITS)
    const hits = halved(ranker.best(only(allOfScoredBy(required, others)), page))
    const used = [...required, ...others].map(wordOf)
    return { hits, understood: { used, pruned: [], cut: cut || others.length < optional.length } }
  }
  if (isRare && !page.explain && optional.length <= UNITS) {
    const hits = ranker.best(only(anyOf(optional)), page)
    return { hits, understood: { used: [], pruned: [], cut } }
  }
  const statistics = ask()
  const plan = planOf(asked, statistics)
  if (plan.telling.length === 0) return { hits: [], understood: { used: [], pruned: [], cut } }
  return page.quick
    ? quickly(plan, statistics, page, ranker, only)
    : exactly(plan, statistics, page, ranker, only)
}

type Only = (match: string) => string

const unitsOf = (counted: readonly Counted[]): Unit[] => counted.map(({ unit }) => unit)

const wordsOf = (counted: readonly Counted[]): string[] => counted.map(({ unit }) => wordOf(unit))

/** Every unit was counted twice. */
const halved = <H extends { readonly score: number }>(hits: readonly H[]): H[] =>
  hits.map((hit) => ({ ...hit, score: hit.score / 2 }))

/** What a span without any other word can score at most. */
const mostOf = (counted: readonly Counted[], { rows }: Statistics): number =>
  counted.reduce((sum, { least }) => sum + MOST * weightOf(rows, Math.max(0, least)), 0)

function exactly<H extends { readonly score: number }>(
  { telling, idle, cut }: Plan,
  statistics: Statistics,
  page: Page,
  ranker: Ranker<H>,
  only: Only,
): { readonly hits: readonly H[]; readonly understood: Understood } {
  const looked = telling.slice(0, UNITS)
  const beyond = telling.slice(UNITS)
  const all = looked.reduce((sum, { count }) => sum + count, 0)
  let [few, found] = [0, 0]
  while (few < looked.length && found + looked[few]!.count <= all * TRIED) found += looked[few++]!.count
  // What the rarer words find comes first for certain when the last of it scores more than the others can.
  if (few > 0 && found >= page.offset + page.limit && statistics.rows > SMALL) {
    const [rare, others] = [looked.slice(0, few), looked.slice(few)]
    const hits = halved(ranker.best(only(anyOfScoredBy(unitsOf(rare), unitsOf(others))), page))
    const last = hits[page.limit - 1]
    if (last !== undefined && last.score >= mostOf([...others, ...beyond], statistics)) {
      const pruned = wordsOf([...others, ...beyond, ...idle])
      return { hits, understood: { used: wordsOf(rare), pruned, cut } }
    }
  }
  const match = only(anyOf(unitsOf(looked)))
  const hits = ranker.best(match, page)
  const last = hits[page.limit - 1]
  const isCut = cut || (beyond.length > 0 && (last === undefined || last.score < mostOf(beyond, statistics)))
  if (last !== undefined || idle.length === 0)
    return { hits, understood: { used: wordsOf(looked), pruned: wordsOf([...beyond, ...idle]), cut: isCut } }
  // The rest of the page is filled up with what has none of them.
  const before = hits.length > 0 || page.offset === 0 ? page.offset + hits.length : ranker.count(match)
  const filling = idle.slice(0, UNITS)
  const more = ranker.best(only(`(${anyOf(unitsOf(filling))}) NOT (${anyOf(unitsOf(looked))})`), {
    offset: Math.max(0, page.offset - before),
    limit: page.limit - hits.length,
  })
  const used = wordsOf([...looked, ...filling])
  return {
    hits: [...hits, ...more],
    understood: { used, pruned: wordsOf(beyond), cut: isCut || filling.length < idle.length },
  }
}

/** The same for those who find the rest in another way: words beyond a number of spans only rank what rarer ones find. */
function quickly<H extends { readonly score: number }>(
  { telling, idle, cut }: Plan,
  statistics: Statistics,
  page: Page,
  ranker: Ranker<H>,
  only: Only,
): { readonly hits: readonly H[]; readonly understood: Understood } {
  const finding: Counted[] = []
  const ranking: Counted[] = []
  let [scored, read] = [0, 0]
  for (const one of telling) {
    if (finding.length + ranking.length === UNITS) break
    if (finding.length === 0 || statistics.rows <= SMALL || scored + one.count <= SCORED) {
      finding.push(one)
      scored += one.count
    } else if (read + one.count <= READ) {
      ranking.push(one)
      read += one.count
    }
  }
  const pruned = [...telling.slice(finding.length), ...idle]
  const hits =
    ranking.length === 0
      ? ranker.best(only(anyOf(unitsOf(finding))), page)
      : halved(ranker.best(only(anyOfScoredBy(unitsOf(finding), unitsOf(ranking))), page))
  // Nothing at all is no answer while there are words that were not looked for.
  if (hits.length === 0 && pruned.length > 0)
    return exactly({ telling, idle, cut }, statistics, page, ranker, only)
  return { hits, understood: { used: wordsOf(finding), pruned: wordsOf(pruned), cut } }
}
