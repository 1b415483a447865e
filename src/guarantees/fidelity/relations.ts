import { DERIVATIONS, IRREGULAR, LEXICON, OPPOSED, OPPOSITES, PARENTS, STARTS } from './tables.ts'

export type WordClass = 'N' | 'V' | 'A' | 'R'

interface Tables {
  /** 32 entries each, the first spelled out. */
  readonly blocks: readonly string[]
  readonly heads: readonly string[]
  readonly parents: readonly string[]
  readonly irregular: ReadonlyMap<string, string>
  readonly opposites: ReadonlySet<string>
  readonly opposed: ReadonlySet<number>
  /** From the place of a lemma to the places of those it is derived from. */
  readonly bases: ReadonlyMap<number, string>
  readonly adjectives: readonly [from: number, to: number]
}

const VALUES = new Uint8Array(128)
for (const [value, digit] of [...'0123456789abcdefghijklmnopqrstuvwxyz!#$%&()*+,-./:'].entries())
  VALUES[digit.charCodeAt(0)] = value

/** Three digits in base 50. */
const decode = (text: string, at: number): number =>
  VALUES[text.charCodeAt(at)]! * 2500 +
  VALUES[text.charCodeAt(at + 1)]! * 50 +
  VALUES[text.charCodeAt(at + 2)]!

/** Larger than any number of synsets: two of them make one key. */
const PAIR = 1 << 17

let loaded: Tables | undefined

/** Unpacks on first use what has to be looked up by key; the lexicon stays packed. */
function tables(): Tables {
  loaded ??= unpack()
  return loaded
}

function unpack(): Tables {
  const opposed = new Set<number>()
  for (let at = 0; at < OPPOSED.length; at += 6) {
    const [a, b] = [decode(OPPOSED, at), decode(OPPOSED, at + 3)]
    opposed.add(a * PAIR + b).add(b * PAIR + a)
  }
  const opposites = new Set<string>()
  for (const pair of OPPOSITES.split(',')) {
    const [a, b] = pair.split(' ')
    opposites.add(`${a} ${b}`).add(`${b} ${a}`)
  }
  const [, verbs, adjectives] = STARTS.split(' ').map(Number)
  const blocks = LEXICON.split('|')
  return {
    blocks,
    heads: blocks.map((block) => block.slice(0, lemmaEnd(block, 0))),
    parents: unpackParents(PARENTS),
    irregular: new Map(IRREGULAR.split(',').map((pair) => pair.split(' ') as [string, string])),
    opposites,
    opposed,
    bases: new Map(DERIVATIONS.split(' ').map((entry) => [decode(entry, 0), entry])),
    adjectives: [verbs!, adjectives!],
  }
}

/** For each synset the codes of its hypernyms, one after another. */
function unpackParents(packed: string): string[] {
  const parents: string[] = []
  for (let at = 0; at < packed.length; ) {
    const first = packed[at]!
    const start = first === ' ' ? at + 1 : first === '~' ? at + 2 : at
    const end = start + (first === ' ' ? 0 : 3 * (first === '~' ? Number(packed[at + 1]) : 1))
    parents.push(packed.slice(start, end))
    at = end
  }
  return parents
}

/** Where a lemma ends and the capital of its first word class stands. */
function lemmaEnd(block: string, from: number): number {
  let at = from
  while (block.charCodeAt(at) >= 95 || block.charCodeAt(at) === 45) at++
  return at
}

const BLOCK = 32

interface Entry {
  readonly place: number
  /** Word classes and senses. */
  readonly senses: string
}

const found = new Map<string, Entry | undefined>()

function entryOf(lemma: string): Entry | undefined {
  const known = found.get(lemma)
  if (known !== undefined || found.has(lemma)) return known
  const entry = search(lemma)
  if (found.size > 20_000) found.clear()
  found.set(lemma, entry)
  return entry
}

function search(lemma: string): Entry | undefined {
  const { blocks, heads } = tables()
  let low = 0
  let high = heads.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (heads[middle]! <= lemma) low = middle
    else high = middle - 1
  }
  let word = ''
  for (const [i, entry] of blocks[low]!.split(' ').entries()) {
    const start = i === 0 ? 0 : 1
    const end = lemmaEnd(entry, start)
    word = i === 0 ? entry.slice(0, end) : word.slice(0, entry.charCodeAt(0) - 48) + entry.slice(1, end)
    if (word === lemma) return { place: low * BLOCK + i, senses: entry.slice(end) }
  }
  return undefined
}

/** Whether the lemma is in the table, in this class if one is given. */
export function knows(lemma: string, wordClass?: WordClass): boolean {
  const entry = entryOf(lemma)
  return entry !== undefined && (wordClass === undefined || entry.senses.includes(wordClass))
}

/** The classes of a lemma, the most frequent first: 'NV'. */
export const classesOf = (lemma: string): string => entryOf(lemma)?.senses.replace(/[^NVAR]/g, '') ?? ''

function sensesOf(lemma: string, wordClass: WordClass): readonly number[] {
  const entry = entryOf(lemma)?.senses
  const from = entry?.indexOf(wordClass) ?? -1
  if (entry === undefined || from < 0) return []
  const senses: number[] = []
  for (let at = from + 1; at + 3 <= entry.length; at += 3) {
    const code = entry.charCodeAt(at)
    if (code >= 65 && code <= 90) break
    senses.push(decode(entry, at))
  }
  return senses
}

function parentsOf(synset: number): readonly number[] {
  const entry = tables().parents[synset] ?? ''
  const list: number[] = []
  for (let at = 0; at < entry.length; at += 3) list.push(decode(entry, at))
  return list
}

const areOpposed = (a: number, b: number) => tables().opposed.has(a * PAIR + b)

const isAdjective = (synset: number) => {
  const [from, to] = tables().adjectives
  return synset >= from && synset < to
}

/** How the second word stands to the first. `wider`: it says less (instrument for horn). */
export type Relation = 'synonym' | 'antonym' | 'wider' | 'narrower' | 'sister' | 'near' | 'none'

const DEPTH = 9
const remembered = new Map<string, Relation>()

/** The relation between two lemmas of one class, over their most frequent senses. */
export function relationOf(a: string, b: string, wordClass: WordClass): Relation {
  if (a === b) return 'synonym'
  const key = `${a} ${b} ${wordClass}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const relation = lookUp(a, b, wordClass)
  if (remembered.size > 20_000) remembered.clear()
  remembered.set(key, relation)
  return relation
}

function lookUp(a: string, b: string, wordClass: WordClass): Relation {
  const { opposites } = tables()
  if (opposites.has(`${a} ${b}`) || differsByNegativeAffix(a, b)) return 'antonym'
  const [as, bs] = [sensesOf(a, wordClass), sensesOf(b, wordClass)]
  if (as.length === 0 || bs.length === 0) return 'none'
  if (as.some((sense) => bs.includes(sense))) return 'synonym'
  return wordClass === 'A' || wordClass === 'R' ? amongAdjectives(as, bs) : amongHypernyms(as, bs, wordClass)
}

/** A satellite adjective means much what the head of its cluster means, and is opposed to what that is opposed to. */
function amongAdjectives(as: readonly number[], bs: readonly number[]): Relation {
  let near = false
  for (const [i, a] of as.slice(0, 4).entries())
    for (const [j, b] of bs.slice(0, 4).entries()) {
      const heads = (synset: number) => (isAdjective(synset) ? [synset, ...parentsOf(synset)] : [synset])
      for (const one of heads(a))
        for (const other of heads(b)) {
          if (areOpposed(one, other)) return 'antonym'
          if (one === other && (i < 3 || j < 3)) near = true
        }
    }
  return near ? 'near' : 'none'
}

function amongHypernyms(as: readonly number[], bs: readonly number[], wordClass: WordClass): Relation {
  const limit = wordClass === 'V' ? 4 : 6
  const up = ancestors(as.slice(0, limit))
  for (const b of bs.slice(0, limit)) if (up.has(b)) return 'wider'
  const other = ancestors(bs.slice(0, limit))
  for (const a of as.slice(0, limit)) if (other.has(a)) return 'narrower'
  for (const a of as) for (const b of bs) if (areOpposed(a, b)) return 'antonym'
  if (wordClass === 'V') {
    // Verbs under one hypernym are ways of doing one thing.
    for (const [synset, depth] of up) if ((other.get(synset) ?? 9) + depth <= 2) return 'near'
    return 'none'
  }
  for (const [synset, depth] of up) if ((other.get(synset) ?? 99) + depth <= 5 && depth > 0) return 'sister'
  return 'none'
}

/** Every synset above these, with the number of steps to it. The very top says nothing, but is harmless here. */
function ancestors(senses: readonly number[]): Map<number, number> {
  const found = new Map<number, number>()
  let layer: readonly number[] = senses
  for (let depth = 0; depth <= DEPTH && layer.length > 0; depth++) {
    const next: number[] = []
    for (const synset of layer) {
      if (found.has(synset)) continue
      found.set(synset, depth)
      next.push(...parentsOf(synset))
    }
    layer = next
  }
  return found
}

const NEGATIVE_PREFIX = /^(?:un|in|im|il|ir|non-?|dis|a|ab)$/

/** 'unencrypted' and 'encrypted', 'careful' and 'careless'. */
export function differsByNegativeAffix(a: string, b: string): boolean {
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a]
  if (shorter.length < 3) return false
  if (longer.endsWith(shorter))
    return NEGATIVE_PREFIX.test(longer.slice(0, -shorter.length)) && shorter.length > 3
  if (longer.endsWith('less') && longer.slice(0, -4) === shorter.replace(/ful$/, '')) return true
  return a.endsWith('less') && b.endsWith('ful') && a.slice(0, -4) === b.slice(0, -3)
}

/** Whether one is derived from the other, or both from one base: 'migrate' and 'migration', 'decision' and 'decisive'. */
export function areDerived(a: string, b: string): boolean {
  if (a[0] !== b[0] || a[1] !== b[1]) return false
  const [one, other] = [entryOf(a), entryOf(b)]
  if (one === undefined || other === undefined) return false
  const [as, bs] = [basesOf(one), basesOf(other)]
  if (as.includes(other.place) || bs.includes(one.place)) return true
  return (
    a.length > 4 && b.length > 4 && a.slice(0, 5) === b.slice(0, 5) && as.some((place) => bs.includes(place))
  )
}

function basesOf({ place }: Entry): readonly number[] {
  const entry = tables().bases.get(place)
  const list: number[] = []
  if (entry !== undefined) for (let at = 3; at < entry.length; at += 3) list.push(decode(entry, at))
  return list
}

/** Rule forms first tried as they are, so that 'sing' stays 'sing'. */
const ENDINGS: Readonly<Record<'N' | 'V' | 'A', readonly (readonly [RegExp, string])[]>> = {
  N: [
    [/ies$/, 'y'],
    [/(?<=s|x|z|ch|sh|o)es$/, ''],
    [/(?<!s|u|i)s$/, ''],
    [/men$/, 'man'],
  ],
  V: [
    [/ies$/, 'y'],
    [/ied$/, 'y'],
    [/(?<=s|x|z|ch|sh|o)es$/, ''],
    [/s$/, ''],
    [/ing$/, 'e'],
    [/ing$/, ''],
    [/([b-df-hj-np-tv-z])\1ing$/, '$1'],
    [/ed$/, 'e'],
    [/ed$/, ''],
    [/([b-df-hj-np-tv-z])\1ed$/, '$1'],
  ],
  A: [
    [/ier$/, 'y'],
    [/iest$/, 'y'],
    [/er$/, 'e'],
    [/er$/, ''],
    [/est$/, 'e'],
    [/est$/, ''],
    [/([b-df-hj-np-tv-z])\1(?:er|est)$/, '$1'],
  ],
}

const lemmas = {
  N: new Map<string, string | undefined>(),
  V: new Map<string, string | undefined>(),
  A: new Map<string, string | undefined>(),
}

/** The lemma of a lower-case form in a class, or undefined when the table has none. */
export function lemmaOf(form: string, wordClass: 'N' | 'V' | 'A'): string | undefined {
  const known = lemmas[wordClass]
  if (known.has(form)) return known.get(form)
  const lemma = findLemma(form, wordClass)
  if (known.size > 20_000) known.clear()
  known.set(form, lemma)
  return lemma
}

function findLemma(form: string, wordClass: 'N' | 'V' | 'A'): string | undefined {
  const irregular = tables().irregular.get(form)
  if (irregular !== undefined && knows(irregular, wordClass)) return irregular
  if (knows(form, wordClass)) return form
  for (const [ending, base] of ENDINGS[wordClass]) {
    if (!ending.test(form)) continue
    const candidate = form.replace(ending, base)
    if (candidate.length > 1 && knows(candidate, wordClass)) return candidate
  }
  return undefined
}
