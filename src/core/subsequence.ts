/*
 * In-order matching of two sequences. Small regions are solved exactly; large ones are cut at anchors first, so that
 * no input costs more than a few passes of n log n.
 */

/** Class of an element that equals nothing, such as an erased text. */
export const NEVER = -1

/** Up to this many cells a region is solved exactly. */
const CELLS = 250_000

/** Anchors are sought again between anchors, this many times; what is left by then is noise. */
const DEPTH = 12

// Each weight outranks any sum of the lower ones: a solved region matches at most √CELLS = 500 pairs.
const NEIGHBOUR = 1
const METADATA = 2 ** 10
const RETIRED = 2 ** 20
const LIVE = 2 ** 30

/** Two sequences by class: elements match if their class is equal and not NEVER. */
export interface Problem {
  readonly old: Int32Array
  readonly new: Int32Array
  /** Classes are below this. */
  readonly kinds: number
  readonly live: Uint8Array
  readonly oldMetadata: Int32Array
  readonly newMetadata: Int32Array
}

/** Numbers values from 0 up, equal ones alike. */
export function classes<T>(): (value: T) => number {
  const known = new Map<T, number>()
  return (value) => {
    const found = known.get(value)
    if (found !== undefined) return found
    known.set(value, known.size)
    return known.size - 1
  }
}

/** Works through regions with a stack of its own: the depth of the caller's stack never depends on the input. */
export function solve(
  problem: Problem,
  oldFrom: number,
  oldTo: number,
  newFrom: number,
  newTo: number,
  exactly = CELLS,
): Int32Array {
  let tally: Tally | undefined
  const matches = new Int32Array(problem.new.length).fill(-1)
  const regions: [i0: number, i1: number, j0: number, j1: number, depth: number][] = [
    [oldFrom, oldTo, newFrom, newTo, 0],
  ]
  let cells = new Float64Array(0)
  for (let region = regions.pop(); region; region = regions.pop()) {
    const [i0, i1, j0, j1, depth] = region
    if (i0 >= i1 || j0 >= j1) continue
    if ((i1 - i0) * (j1 - j0) <= exactly) {
      const needed = (i1 - i0 + 1) * (j1 - j0 + 1)
      if (cells.length < needed) cells = new Float64Array(needed)
      solveExactly(problem, i0, i1, j0, j1, cells, matches)
      continue
    }
    if (depth === DEPTH) continue
    tally ??= new Tally(problem.kinds)
    const anchors = anchorsOf(problem, tally, i0, i1, j0, j1)
    let i = i0
    let j = j0
    for (let anchor = i0; anchor < i1; anchor++) {
      const partner = anchors[anchor - i0]!
      if (partner < 0) continue
      matches[partner] = anchor
      regions.push([i, anchor, j, partner, depth + 1])
      i = anchor + 1
      j = partner + 1
    }
    if (i === i0) continue
    regions.push([i, i1, j, j1, depth + 1])
  }
  return matches
}

/** The heaviest common subsequence. `best[i][j]` is the weight of what follows i and j, so ties go to the earlier. */
function solveExactly(
  problem: Problem,
  i0: number,
  i1: number,
  j0: number,
  j1: number,
  best: Float64Array,
  matches: Int32Array,
): void {
  const width = j1 - j0 + 1
  best.fill(0, 0, (i1 - i0 + 1) * width)
  for (let i = i1 - 1; i >= i0; i--) {
    const row = (i - i0) * width
    const kind = problem.old[i]!
    for (let j = j1 - 1; j >= j0; j--) {
      const cell = row + j - j0
      let weight = Math.max(best[cell + 1]!, best[cell + width]!)
      if (kind === problem.new[j] && kind !== NEVER) {
        weight = Math.max(weight, best[cell + width + 1]! + weightOf(problem, i, j))
      }
      best[cell] = weight
    }
  }
  let i = i0
  let j = j0
  while (i < i1 && j < j1) {
    const cell = (i - i0) * width + j - j0
    const weight = best[cell]!
    if (weight === 0) return
    const kind = problem.old[i]!
    const matched = kind === problem.new[j] && kind !== NEVER
    if (matched && weight === best[cell + width + 1]! + weightOf(problem, i, j)) {
      matches[j++] = i++
    } else if (weight === best[cell + 1]) {
      j++
    } else {
      i++
    }
  }
}

function weightOf(problem: Problem, i: number, j: number): number {
  const { old, new: newer } = problem
  let weight = problem.live[i] === 1 ? LIVE : RETIRED
  if (problem.oldMetadata[i] === problem.newMetadata[j]) weight += METADATA
  if (i > 0 && j > 0 && old[i - 1] === newer[j - 1] && old[i - 1] !== NEVER) weight += NEIGHBOUR
  if (i + 1 < old.length && j + 1 < newer.length && old[i + 1] === newer[j + 1] && old[i + 1] !== NEVER) {
    weight += NEIGHBOUR
  }
  return weight
}

/** Counts by class, kept between regions because a region may be much smaller than the number of classes. */
class Tally {
  readonly live: Int32Array
  readonly retired: Int32Array
  readonly new: Int32Array
  /** The next new place of each class that has no partner yet, or -1. */
  readonly open: Int32Array

  constructor(kinds: number) {
    this.live = new Int32Array(kinds)
    this.retired = new Int32Array(kinds)
    this.new = new Int32Array(kinds)
    this.open = new Int32Array(kinds)
  }
}

/**
 * Where to cut a large region: the new place of each old one that is an anchor, or -1. Texts that occur once on each
 * side say most (patience). Where they say little, the k-th occurrence is paired with the k-th, from either end.
 */
function anchorsOf(
  problem: Problem,
  tally: Tally,
  i0: number,
  i1: number,
  j0: number,
  j1: number,
): Int32Array {
  const { old, new: now, live } = problem
  for (let i = i0; i < i1; i++)
    if (old[i] !== NEVER) tally.live[old[i]!] = tally.retired[old[i]!] = tally.new[old[i]!] = 0
  for (let j = j0; j < j1; j++) if (now[j] !== NEVER) tally.new[now[j]!] = 0
  for (let i = i0; i < i1; i++) if (old[i] !== NEVER) (live[i] === 1 ? tally.live : tally.retired)[old[i]!]!++
  for (let j = j0; j < j1; j++) if (now[j] !== NEVER) tally.new[now[j]!]!++

  const next = new Int32Array(j1 - j0)
  const paired = (step: 1 | -1, unique: boolean): Int32Array => {
    const { open } = tally
    for (let i = i0; i < i1; i++) if (old[i] !== NEVER) open[old[i]!] = -1
    for (let j = step > 0 ? j1 - 1 : j0; j >= j0 && j < j1; j -= step) {
      const kind = now[j]!
      if (kind === NEVER) continue
      next[j - j0] = open[kind]!
      open[kind] = j
    }
    const partners = new Int32Array(i1 - i0).fill(-1)
    for (let i = step > 0 ? i0 : i1 - 1; i >= i0 && i < i1; i += step) {
      const kind = old[i]!
      if (kind === NEVER || open[kind] === -1) continue
      // A retired place competes only where no live entry has its text.
      if (live[i] === 0 && tally.live[kind] !== 0) continue
      if (unique && (tally.new[kind] !== 1 || (tally.live[kind] || tally.retired[kind]) !== 1)) continue
      partners[i - i0] = open[kind]!
      open[kind] = next[open[kind]! - j0]!
    }
    return partners
  }
  const believed = heaviestChain(problem, paired(1, true), i0, j0, j1)
  if (believed.length * 4 >= Math.min(i1 - i0, j1 - j0)) return believed.partners
  // Repeated texts are weak evidence each, so they must outnumber the unique ones to be believed.
  let chosen = believed
  for (const step of [1, -1] as const) {
    const chain = heaviestChain(problem, paired(step, false), i0, j0, j1)
    if (chain.length > 2 * believed.length && chain.length > chosen.length) chosen = chain
  }
  return chosen.partners
}

/** The heaviest choice of partners that rises on both sides, live entries first. A Fenwick tree of prefix maxima. */
function heaviestChain(problem: Problem, partners: Int32Array, i0: number, j0: number, j1: number) {
  const { live, oldMetadata, newMetadata } = problem
  const width = j1 - j0
  // Chains by the old place they end at, counted from 1; 0 is the empty one.
  const weights = new Float64Array(partners.length + 1)
  const previous = new Int32Array(partners.length + 1)
  const heaviest = new Int32Array(width + 1)
  let last = 0
  for (let chain = 1; chain <= partners.length; chain++) {
    const j = partners[chain - 1]!
    if (j < 0) continue
    const i = i0 + chain - 1
    let before = 0
    for (let node = j - j0; node > 0; node -= node & -node) {
      if (weights[heaviest[node]!]! > weights[before]!) before = heaviest[node]!
    }
    previous[chain] = before
    const weight = (live[i] === 1 ? 2 ** 34 : 2 ** 17) + (oldMetadata[i] === newMetadata[j] ? 1 : 0)
    weights[chain] = weights[before]! + weight
    for (let node = j - j0 + 1; node <= width; node += node & -node) {
      if (weights[chain]! > weights[heaviest[node]!]!) heaviest[node] = chain
    }
    if (weights[chain]! > weights[last]!) last = chain
  }
  const chosen = new Int32Array(partners.length).fill(-1)
  let length = 0
  for (; last > 0; last = previous[last]!) {
    chosen[last - 1] = partners[last - 1]!
    length++
  }
  return { partners: chosen, length }
}
