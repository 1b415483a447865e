/*
 * Which file is which source, when paths no longer say it. Texts are compared by their lines: the share of one text
 * that is in the other is the length of the lines they have in common, divided by the length of the longer text.
 */

/** From this share on, two texts are the same document. */
export const SAME_FROM = 0.6

/** Shorter texts say too little: they are the same document only where the file's name says so too. */
const TELLING = 32

/** A line that this many texts have is no hint that two of them are the same. */
const COMMON = 50

/** More identical texts than this, pair by pair, are not told apart. */
const MOST_PAIRS = 10_000

/** A text's lines, trimmed, with how often each occurs. */
export interface Shape {
  readonly text: string
  readonly lines: ReadonlyMap<string, number>
  readonly length: number
}

export function shapeOf(text: string): Shape {
  const lines = new Map<string, number>()
  let length = 0
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = raw.trim()
    if (line === '') continue
    lines.set(line, (lines.get(line) ?? 0) + 1)
    length += line.length
  }
  return { text, lines, length }
}

export function likeness(a: Shape, b: Shape): number {
  if (a.text === b.text) return 1
  const [small, large] = a.lines.size <= b.lines.size ? [a, b] : [b, a]
  let shared = 0
  for (const [line, count] of small.lines) shared += line.length * Math.min(count, large.lines.get(line) ?? 0)
  const longer = Math.max(a.length, b.length)
  return longer === 0 ? 0 : shared / longer
}

export interface Candidate {
  readonly path: string
  readonly shape: Shape
}

interface Pair {
  readonly file: number
  readonly source: number
  /** 2 for identical texts, else the share in common. */
  readonly score: number
  /** How many parts their paths have in common, from the end. */
  readonly tail: number
}

/**
 * Pairs files with the sources they continue, best first; the other entries are left out. A pair needs identical
 * texts or a share of at least `SAME_FROM`, and neither side may have another partner that fits as well: a copy
 * beside its original, or one of several equal licences, is a guess, and no guess is made. Among equally good
 * partners the one whose path ends in more of the same parts fits better.
 */
export function pairUp(files: readonly Candidate[], sources: readonly Candidate[]): Map<number, number> {
  const pairs = [...identicalPairs(files, sources), ...similarPairs(files, sources)].filter(
    ({ file, source }) => {
      const enough = files[file]!.shape.length >= TELLING && sources[source]!.shape.length >= TELLING
      return enough || (files[file]!.shape.length > 0 && tailOf(files[file]!.path, sources[source]!.path) > 0)
    },
  )
  pairs.sort((a, b) => b.score - a.score || b.tail - a.tail)
  const paired = new Map<number, number>()
  const doneFiles = new Set<number>()
  const doneSources = new Set<number>()
  for (let from = 0, to = 0; from < pairs.length; from = to) {
    const { score, tail } = pairs[from]!
    for (to = from; to < pairs.length && pairs[to]!.score === score && pairs[to]!.tail === tail; to++);
    const equals = pairs
      .slice(from, to)
      .filter(({ file, source }) => !doneFiles.has(file) && !doneSources.has(source))
    const perFile = countBy(equals.map(({ file }) => file))
    const perSource = countBy(equals.map(({ source }) => source))
    for (const { file, source } of equals) {
      doneFiles.add(file)
      doneSources.add(source)
      if (perFile.get(file) === 1 && perSource.get(source) === 1) paired.set(file, source)
    }
  }
  return paired
}

function byTextOf(candidates: readonly Candidate[]): Map<string, number[]> {
  const found = new Map<string, number[]>()
  candidates.forEach(({ shape }, i) => {
    const same = found.get(shape.text)
    if (same === undefined) found.set(shape.text, [i])
    else same.push(i)
  })
  return found
}

function* identicalPairs(files: readonly Candidate[], sources: readonly Candidate[]): Generator<Pair> {
  const byText = byTextOf(sources)
  for (const [text, same] of byTextOf(files)) {
    const twins = byText.get(text) ?? []
    if (same.length * twins.length > MOST_PAIRS) continue
    for (const file of same)
      for (const source of twins)
        yield { file, source, score: 2, tail: tailOf(files[file]!.path, sources[source]!.path) }
  }
}

function* similarPairs(files: readonly Candidate[], sources: readonly Candidate[]): Generator<Pair> {
  const having = new Map<string, number[]>()
  sources.forEach(({ shape }, i) => {
    for (const line of shape.lines.keys()) {
      const list = having.get(line)
      if (list === undefined) having.set(line, [i])
      else list.push(i)
    }
  })
  for (const [file, { path, shape }] of files.entries()) {
    const candidates = new Set<number>()
    for (const line of shape.lines.keys()) {
      const list = having.get(line)
      if (list !== undefined && list.length <= COMMON) for (const source of list) candidates.add(source)
    }
    for (const source of candidates) {
      const other = sources[source]!
      if (other.shape.text === shape.text) continue
      const score = likeness(shape, other.shape)
      if (score >= SAME_FROM) yield { file, source, score, tail: tailOf(path, other.path) }
    }
  }
}

function tailOf(a: string, b: string): number {
  const as = a.split('/').reverse()
  const bs = b.split('/').reverse()
  let tail = 0
  while (tail < as.length && as[tail] === bs[tail]) tail++
  return tail
}

function countBy(values: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
