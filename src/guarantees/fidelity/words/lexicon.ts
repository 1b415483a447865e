import { readFileSync } from 'node:fs'

/*
 * Words, their senses and how these hang together, in `tables.bin` (made by `bench/fidelity-packing.ts`). Nothing is
 * unpacked: a word is found by halving a list of blocks and reading one of them, and what was found is remembered.
 */

export type WordClass = 'N' | 'V' | 'A' | 'R'

/** What the table says of a word. */
export interface Entry {
  /** Its number among all words. */
  readonly place: number
  /** The most frequent first: 'NV'. Empty where the word is only an irregular form of another. */
  readonly classes: string
  /** For each of its classes, the numbers of its synsets, the most frequent first. */
  readonly senses: readonly (readonly number[])[]
  /** The places of shorter words it is derived from. */
  readonly bases: readonly number[]
  /** The place of the word it is an irregular form of, -1 for none. */
  readonly lemma: number
  /** The places of opposites that come after it, once they were asked for. */
  opposites?: readonly number[] | undefined
}

const CLASSES = 'NVAR'
/** How the file is written; `bench/fidelity-packing.ts` goes by it, too. */
export const LAYOUT = {
  /** Words a block: the first is spelled out, the others say how much they share with the one before. */
  BLOCK: 16,
  BASES: 4,
  IRREGULAR: 5,
  LAST: 64,
  /** Parents of a synset: none, or from `SEVERAL` on a place among those that have several. */
  NONE: 0xffff,
  SEVERAL: 0xc000,
} as const
const { BLOCK, BASES, IRREGULAR, LAST, NONE, SEVERAL } = LAYOUT
/** Places in the directory at the end of the file, two numbers each: where a part begins, and how many it has. */
const PARTS = 12
const WORDS = 0
const STARTS = 1
const PARENTS = 2
const LISTS = 6
const OPPOSED = 7
const OPPOSITES = 11

let bytes: Uint8Array = new Uint8Array()
let directory: readonly number[] = []

function open(): void {
  bytes = readFileSync(new URL('./tables.bin', import.meta.url))
  const from = bytes.length - PARTS * 8
  directory = Array.from({ length: PARTS * 2 }, (_, i) => two(from + i * 4) + (two(from + i * 4 + 2) << 16))
}

const two = (at: number): number => bytes[at]! | (bytes[at + 1]! << 8)
const begins = (part: number): number => directory[part * 2]!
const countOf = (part: number): number => directory[part * 2 + 1]!

function blockAt(block: number): number {
  const at = begins(STARTS) + block * 3
  return two(at) | (bytes[at + 2]! << 16)
}

/** More words than any conversation has at once. */
const MOST = 20_000
const found = new Map<string, Entry | null>()

/** What the table says of a lower-case word, or undefined when it does not have it. */
export function entryOf(word: string): Entry | undefined {
  const known = found.get(word)
  if (known !== undefined) return known ?? undefined
  if (bytes.length === 0) open()
  if (found.size >= MOST) found.clear()
  const entry = search(word)
  found.set(word, entry ?? null)
  return entry
}

function search(word: string): Entry | undefined {
  let low = 0
  let high = countOf(STARTS) - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (isBefore(word, blockAt(middle))) high = middle - 1
    else low = middle
  }
  let at = blockAt(low)
  const end = Math.min((low + 1) * BLOCK, countOf(WORDS))
  /** How many letters the word has in common with the one that was passed last. */
  let same = 0
  for (let place = low * BLOCK; place < end; place++) {
    let length = bytes[at++]!
    if (length < same) return undefined
    let equal = length === same
    for (let byte = 0; byte < 128; length++) {
      byte = bytes[at++]!
      if (equal) {
        if (word.charCodeAt(length) === (byte & 127)) same++
        else equal = false
      }
    }
    if (equal && length === word.length) return entryAt(place, at)
    at = behind(at)
  }
  return undefined
}

/** Whether the word stands before the one spelled out at the start of a block. */
function isBefore(word: string, block: number): boolean {
  for (let i = 0; ; i++) {
    const byte = bytes[block + 1 + i]!
    const letter = word.charCodeAt(i)
    if (letter !== (byte & 127)) return !(letter > (byte & 127))
    if (byte >= 128) return false
  }
}

/** Where what is said of a word ends that begins here. */
function behind(at: number): number {
  for (;;) {
    const head = bytes[at]!
    at += 1 + ((head >> 3) & 7) * 2
    if ((head & LAST) !== 0) return at
  }
}

function entryAt(place: number, from: number): Entry {
  let classes = ''
  const senses: number[][] = []
  let bases: readonly number[] = []
  let lemma = -1
  for (let at = from, head = 0; (head & LAST) === 0; ) {
    head = bytes[at++]!
    const kind = head & 7
    const values: number[] = []
    for (let left = (head >> 3) & 7; left > 0; left--, at += 2) values.push(two(at))
    if (kind === BASES) bases = values
    else if (kind === IRREGULAR) lemma = values[0]!
    else {
      classes += CLASSES[kind]
      senses.push(values)
    }
  }
  return { place, classes, senses, bases, lemma }
}

/** The word at a place. */
export function wordAt(place: number): string {
  const block = Math.floor(place / BLOCK)
  let at = blockAt(block)
  let word = ''
  for (let i = block * BLOCK; ; i++) {
    word = word.slice(0, bytes[at++])
    for (let byte = 0; byte < 128; ) {
      byte = bytes[at++]!
      word += String.fromCharCode(byte & 127)
    }
    if (i === place) return word
    at = behind(at)
  }
}

const NOTHING: readonly number[] = []

/** The synsets of a word in a class, the most frequent first. */
export function sensesOf(word: string, wordClass: WordClass): readonly number[] {
  const entry = entryOf(word)
  return entry?.senses[entry.classes.indexOf(wordClass)] ?? NOTHING
}

/** What a synset of a class is a kind of; for an adjective, the head of its cluster. */
export function parentsOf(synset: number, wordClass: WordClass): readonly number[] {
  const value = two(begins(PARENTS + CLASSES.indexOf(wordClass)) + synset * 2)
  if (value === NONE) return NOTHING
  if (value < SEVERAL) return [value]
  const at = begins(LISTS) + (value - SEVERAL) * 2
  return Array.from({ length: two(at) }, (_, i) => two(at + 2 + i * 2))
}

/** The synsets a synset of a class is opposed to. */
export function opposedTo(synset: number, wordClass: WordClass): readonly number[] {
  const part = OPPOSED + CLASSES.indexOf(wordClass)
  const end = countOf(part)
  let opposed: number[] | undefined
  for (let i = firstPair(part, synset); i < end; i++) {
    const at = begins(part) + i * 4
    if (two(at) !== synset) break
    opposed ??= []
    opposed.push(two(at + 2))
  }
  return opposed ?? NOTHING
}

/** Whether two words are listed as opposites. */
export function areOpposites(a: Entry, b: Entry): boolean {
  const [one, other] = a.place < b.place ? [a, b] : [b, a]
  one.opposites ??= oppositesOf(one.place)
  return one.opposites.includes(other.place)
}

/** The places of opposites of a word that come after it. */
function oppositesOf(place: number): readonly number[] {
  const end = countOf(OPPOSITES)
  let opposites: number[] | undefined
  for (let i = firstPair(OPPOSITES, place); i < end; i++) {
    const at = begins(OPPOSITES) + i * 4
    if (two(at) !== place) break
    opposites ??= []
    opposites.push(two(at + 2))
  }
  return opposites ?? NOTHING
}

/** The first of sorted pairs whose first number is not below this one. */
function firstPair(part: number, value: number): number {
  const from = begins(part)
  let low = 0
  let high = countOf(part)
  while (low < high) {
    const middle = (low + high) >> 1
    if (two(from + middle * 4) < value) low = middle + 1
    else high = middle
  }
  return low
}
