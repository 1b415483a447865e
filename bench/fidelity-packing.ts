import { LAYOUT } from '../src/guarantees/fidelity/words/lexicon.ts'

/*
 * The file `src/guarantees/fidelity/lexicon.ts` looks words up in, without unpacking it. It begins with a notice to be
 * read by people, and ends with where its parts are. Numbers have two bytes, the lower first.
 */

/** A part of speech of a word, its synsets by frequency; numbered within their part of speech. */
export interface Senses {
  readonly part: 0 | 1 | 2 | 3
  readonly synsets: readonly number[]
}

export interface Lemma {
  readonly word: string
  /** By frequency. */
  readonly senses: readonly Senses[]
  /** Shorter words it is derived from. */
  readonly bases: readonly string[]
}

export interface Contents {
  readonly notice: string
  readonly lemmas: readonly Lemma[]
  /** Forms and their lemmas. */
  readonly irregular: ReadonlyMap<string, string>
  readonly opposites: readonly (readonly [string, string])[]
  /** For each part of speech, for each synset, what it is a kind of. */
  readonly parents: readonly (readonly (readonly number[])[])[]
  /** For each part of speech, pairs of synsets that are opposed. */
  readonly opposed: readonly (readonly (readonly [number, number])[])[]
}

const { BLOCK, BASES, IRREGULAR, LAST, NONE, SEVERAL } = LAYOUT

export function packed({ notice, lemmas, irregular, opposites, parents, opposed }: Contents): Uint8Array {
  const bytes: number[] = [...Buffer.from(`${notice}\n\0`, 'latin1')]
  const two = (value: number, into = bytes) => {
    if (!Number.isInteger(value) || value < 0 || value > 0xffff)
      throw new RangeError(`${value} has no two bytes`)
    into.push(value & 255, value >> 8)
  }
  const directory: number[] = []
  const begin = (count: number) => directory.push(bytes.length, count)

  const entries = new Map<string, Lemma | undefined>(lemmas.map((lemma) => [lemma.word, lemma]))
  for (const form of irregular.keys()) if (!entries.has(form)) entries.set(form, undefined)
  const words = [...entries.keys()].sort()
  const place = new Map(words.map((word, i) => [word, i]))

  begin(words.length)
  const starts: number[] = []
  let previous = ''
  for (const [i, word] of words.entries()) {
    if (i % BLOCK === 0) {
      starts.push(bytes.length)
      previous = ''
    }
    let shared = 0
    while (shared < previous.length && word[shared] === previous[shared]) shared++
    previous = word
    const rest = Buffer.from(word.slice(shared), 'latin1')
    bytes.push(shared, ...rest.subarray(0, -1), rest.at(-1)! | 128)
    const own = entries.get(word)
    const lemma = irregular.get(word)
    const parts: (readonly [number, readonly number[]])[] = [
      ...(own?.senses ?? []).map(({ part, synsets }) => [part, synsets] as const),
      ...(own === undefined || own.bases.length === 0
        ? []
        : [[BASES, own.bases.map((base) => place.get(base)!)] as const]),
      ...(lemma === undefined ? [] : [[IRREGULAR, [place.get(lemma)!]] as const]),
    ]
    for (const [k, [kind, values]] of parts.entries()) {
      if (values.length > 7) throw new RangeError(`${word} has too many senses`)
      bytes.push(kind | (values.length << 3) | (k === parts.length - 1 ? LAST : 0))
      for (const value of values) two(value)
    }
  }
  begin(starts.length)
  for (const start of starts) bytes.push(start & 255, (start >> 8) & 255, start >> 16)

  const several: number[] = []
  for (const own of parents) {
    begin(own.length)
    for (const list of own)
      if (list.length < 2) two(list[0] ?? NONE)
      else {
        two(SEVERAL + several.length / 2)
        // A list begins at a place of its own; its length stands in front.
        for (const value of [list.length, ...list]) two(value, several)
      }
  }
  begin(several.length / 2)
  for (const byte of several) bytes.push(byte)

  for (const own of opposed) {
    const both = own.flatMap(([a, b]) => [
      [a, b],
      [b, a],
    ])
    begin(both.length)
    for (const pair of sorted(both)) for (const value of pair) two(value)
  }
  const places = opposites.map(([a, b]) => [place.get(a)!, place.get(b)!].sort((x, y) => x - y))
  begin(places.length)
  for (const pair of sorted(places)) for (const value of pair) two(value)

  const ending = Buffer.alloc(directory.length * 4)
  for (const [i, value] of directory.entries()) ending.writeUInt32LE(value, i * 4)
  return Buffer.concat([Buffer.from(bytes), ending])
}

const sorted = (pairs: readonly (readonly number[])[]) =>
  [...pairs].sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!)
