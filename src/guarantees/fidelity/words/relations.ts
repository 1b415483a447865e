import { anyOf } from './cues.ts'
import { areOpposites, entryOf, opposedTo, parentsOf, sensesOf, type WordClass, wordAt } from './lexicon.ts'

export type { WordClass } from './lexicon.ts'

/** Whether the lemma is in the table, in this class if one is given. */
export function knows(lemma: string, wordClass?: WordClass): boolean {
  const classes = classesOf(lemma)
  return wordClass === undefined ? classes !== '' : classes.includes(wordClass)
}

/** The classes of a lemma, the most frequent first: 'NV'. */
export const classesOf = (lemma: string): string => entryOf(lemma)?.classes ?? ''

/** How the second word stands to the first. `wider`: it says less (instrument for horn). */
export type Relation = 'synonym' | 'antonym' | 'wider' | 'narrower' | 'sister' | 'near' | 'none'

const DEPTH = 14
/** More than the words of any conversation; what was worked out is forgotten then. */
const MOST = 20_000

/** Of two words each, worked out before. */
const remembered = {
  N: new Map<string, Map<string, Relation>>(),
  V: new Map<string, Map<string, Relation>>(),
  A: new Map<string, Map<string, Relation>>(),
  R: new Map<string, Map<string, Relation>>(),
}
let relations = 0

/** The relation between two lemmas of one class, over their most frequent senses. */
export function relationOf(a: string, b: string, wordClass: WordClass): Relation {
  if (a === b) return 'synonym'
  const ofClass = remembered[wordClass]
  let known = ofClass.get(a)
  const before = known?.get(b)
  if (before !== undefined) return before
  const relation = lookUp(a, b, wordClass)
  if (++relations > MOST) {
    for (const each of Object.values(remembered)) each.clear()
    relations = 0
    known = undefined
  }
  if (known === undefined) {
    known = new Map()
    ofClass.set(a, known)
  }
  known.set(b, relation)
  return relation
}

function lookUp(a: string, b: string, wordClass: WordClass): Relation {
  const [one, other] = [entryOf(a), entryOf(b)]
  if (one !== undefined && other !== undefined && areOpposites(one, other)) return 'antonym'
  if (differsByNegativeAffix(a, b)) return 'antonym'
  const [as, bs] = [sensesOf(a, wordClass), sensesOf(b, wordClass)]
  if (as.length === 0 || bs.length === 0) return wordClass === 'N' ? amongUnknown(a, as, b, bs) : 'none'
  for (const sense of as) if (bs.includes(sense)) return 'synonym'
  return wordClass === 'A' || wordClass === 'R'
    ? amongAdjectives(a, b, wordClass)
    : amongHypernyms(a, b, wordClass)
}

/** What a word the table lacks is a kind of, by its end: a hummingbird is a bird, a cartoonist a person. */
function headOf(lemma: string): string | undefined {
  const known = ends.get(lemma)
  if (known !== undefined) return known === '' ? undefined : known
  const head = findHead(lemma)
  if (ends.size >= MOST) ends.clear()
  ends.set(lemma, head ?? '')
  return head
}

const ends = new Map<string, string>()

function findHead(lemma: string): string | undefined {
  for (let at = 2; at <= lemma.length - 3; at++) {
    const rest = lemma.slice(at)
    if (!knows(rest, 'N')) continue
    const start = lemma.slice(0, at).replace(/-$/, '')
    if (knows(start) || lemmaOf(start, 'V') !== undefined) return rest
  }
  return /(?:[a-z]{4}ist|ician|ologian|keeper|maker|monger|smith|wright|woman|man)$/.test(lemma)
    ? 'person'
    : undefined
}

/** One of two nouns is not in the table: it may be a kind of the other. */
function amongUnknown(a: string, as: readonly number[], b: string, bs: readonly number[]): Relation {
  const under = (lemma: string, senses: readonly number[]) => {
    const head = headOf(lemma)
    if (head === undefined) return false
    const up = above(head, 'N')
    return senses.slice(0, 6).some((sense) => up.depths.has(sense))
  }
  if (as.length === 0 && bs.length > 0 && under(a, bs)) return 'wider'
  return bs.length === 0 && as.length > 0 && under(b, as) ? 'narrower' : 'none'
}

/** A satellite adjective means much what the head of its cluster means, and is opposed to what that is opposed to. */
function amongAdjectives(a: string, b: string, wordClass: 'A' | 'R'): Relation {
  const one = clusterOf(a, wordClass)
  const other = clusterOf(b, wordClass)
  for (const synset of one.opposed) if (other.heads.includes(synset)) return 'antonym'
  // The fourth senses of both are far from what either mostly means.
  for (let i = 0; i < one.heads.length; i++)
    for (let j = 0; j < (i < one.often ? other.heads.length : other.often); j++)
      if (one.heads[i] === other.heads[j]) return 'near'
  return 'none'
}

/** The most frequent senses of an adjective or adverb with the heads of their clusters. */
interface Cluster {
  readonly heads: readonly number[]
  /** How many of the heads belong to the first three senses. */
  readonly often: number
  /** What any of the heads is opposed to. */
  readonly opposed: readonly number[]
}

const clusters = { A: new Map<string, Cluster>(), R: new Map<string, Cluster>() }

function clusterOf(word: string, wordClass: 'A' | 'R'): Cluster {
  const known = clusters[wordClass]
  let cluster = known.get(word)
  if (cluster === undefined) {
    const heads: number[] = []
    let often = 0
    for (const [i, synset] of sensesOf(word, wordClass).slice(0, 4).entries()) {
      heads.push(synset, ...parentsOf(synset, wordClass))
      if (i < 3) often = heads.length
    }
    cluster = { heads, often, opposed: heads.flatMap((synset) => opposedTo(synset, wordClass)) }
    if (known.size >= MOST) known.clear()
    known.set(word, cluster)
  }
  return cluster
}

function amongHypernyms(a: string, b: string, wordClass: 'N' | 'V'): Relation {
  const one = above(a, wordClass)
  const other = above(b, wordClass)
  for (const sense of other.senses) if (one.depths.has(sense)) return 'wider'
  for (const sense of one.senses) if (other.depths.has(sense)) return 'narrower'
  if (one.opposed.length > 0) {
    const bs = sensesOf(b, wordClass)
    for (const sense of one.opposed) if (bs.includes(sense)) return 'antonym'
  }
  // Verbs under one hypernym are ways of doing one thing.
  const [from, most] = wordClass === 'V' ? [0, 2] : [1, 5]
  for (let depth = from; depth <= most; depth++)
    for (const synset of one.layers[depth] ?? [])
      if ((other.depths.get(synset) ?? most + 1) + depth <= most) return wordClass === 'V' ? 'near' : 'sister'
  return 'none'
}

/** How many senses of a word are followed upwards. */
const LIMITS = { N: 6, V: 4 } as const
const heights = { N: new Map<string, Height>(), V: new Map<string, Height>() }

/** What stands above a word's most frequent senses. */
interface Height {
  readonly senses: readonly number[]
  /** Every synset above them, with the number of steps to it. */
  readonly depths: ReadonlyMap<number, number>
  /** The same by the number of steps. */
  readonly layers: readonly (readonly number[])[]
  /** What any of the word's senses is opposed to. */
  readonly opposed: readonly number[]
}

function above(word: string, wordClass: 'N' | 'V'): Height {
  const known = heights[wordClass]
  let up = known.get(word)
  if (up === undefined) {
    const all = sensesOf(word, wordClass)
    const senses = all.slice(0, LIMITS[wordClass])
    const { depths, layers } = ancestors(senses, wordClass)
    up = {
      senses,
      depths,
      layers,
      opposed: all.flatMap((sense) => opposedTo(sense, wordClass)),
    }
    if (known.size >= MOST) known.clear()
    known.set(word, up)
  }
  return up
}

/** The very top says nothing, but is harmless here. */
function ancestors(senses: readonly number[], wordClass: 'N' | 'V'): Pick<Height, 'depths' | 'layers'> {
  const depths = new Map<number, number>()
  const layers: number[][] = []
  let next: readonly number[] = senses
  for (let depth = 0; depth <= DEPTH && next.length > 0; depth++) {
    const layer: number[] = []
    const parents: number[] = []
    for (const synset of next) {
      if (depths.has(synset)) continue
      depths.set(synset, depth)
      layer.push(synset)
      for (const parent of parentsOf(synset, wordClass)) parents.push(parent)
    }
    layers.push(layer)
    next = parents
  }
  return { depths, layers }
}

const NEGATIVE_PREFIX = anyOf('un in im il ir non- non dis a ab')

/** 'unencrypted' and 'encrypted', 'careful' and 'careless'. */
export function differsByNegativeAffix(a: string, b: string): boolean {
  const longer = a.length > b.length ? a : b
  const shorter = longer === a ? b : a
  if (shorter.length < 3) return false
  const last = longer.charCodeAt(longer.length - 1)
  if (last === shorter.charCodeAt(shorter.length - 1) && longer.endsWith(shorter))
    return NEGATIVE_PREFIX.has(longer.slice(0, -shorter.length)) && shorter.length > 3
  return longer.endsWith('less') && longer.slice(0, -4) === shorter.replace(/ful$/, '')
}

/** Whether one is derived from the other, or both from one base: 'migrate' and 'migration', 'decision' and 'decisive'. */
export function areDerived(a: string, b: string): boolean {
  if (a[0] !== b[0] || a[1] !== b[1]) return false
  const [one, other] = [entryOf(a), entryOf(b)]
  if (one === undefined || other === undefined) return false
  const [as, bs] = [one.bases, other.bases]
  if (as.includes(other.place) || bs.includes(one.place)) return true
  return (
    a.length > 4 && b.length > 4 && a.slice(0, 5) === b.slice(0, 5) && as.some((place) => bs.includes(place))
  )
}

/** An ending, what stands in its place in the lemma, and what has to stand before it. */
type Ending = readonly [ending: string, base: string, before?: 'sibilant' | 'plain' | 'doubled']

/** Forms are first tried as they are, so that 'sing' stays 'sing'. */
const ENDINGS: Readonly<Record<'N' | 'V' | 'A', readonly Ending[]>> = {
  N: [
    ['ies', 'y'],
    ['es', '', 'sibilant'],
    ['s', '', 'plain'],
    ['men', 'man'],
  ],
  V: [
    ['ies', 'y'],
    ['ied', 'y'],
    ['es', '', 'sibilant'],
    ['s', ''],
    ['ing', 'e'],
    ['ing', ''],
    ['ing', '', 'doubled'],
    ['ed', 'e'],
    ['ed', ''],
    ['ed', '', 'doubled'],
  ],
  A: [
    ['ier', 'y'],
    ['iest', 'y'],
    ['er', 'e'],
    ['er', ''],
    ['est', 'e'],
    ['est', ''],
    ['er', '', 'doubled'],
    ['est', '', 'doubled'],
  ],
}

/** The lemma a form would have by a rule, or '' where the rule does not fit it. */
function withoutEnding(form: string, [ending, base, before]: Ending): string {
  if (!form.endsWith(ending)) return ''
  const stem = form.slice(0, form.length - ending.length)
  const last = stem[stem.length - 1] ?? ''
  switch (before) {
    case 'sibilant':
      return /[sxzo]/.test(last) || stem.endsWith('ch') || stem.endsWith('sh') ? stem + base : ''
    case 'plain':
      return /[sui]/.test(last) ? '' : stem + base
    case 'doubled':
      return last === stem[stem.length - 2] && /[b-df-hj-np-tv-z]/.test(last) ? stem.slice(0, -1) + base : ''
    default:
      return stem + base
  }
}

const lemmas = {
  N: new Map<string, string>(),
  V: new Map<string, string>(),
  A: new Map<string, string>(),
}

/** The lemma of a lower-case form in a class, or undefined when the table has none. */
export function lemmaOf(form: string, wordClass: 'N' | 'V' | 'A'): string | undefined {
  const known = lemmas[wordClass]
  let lemma = known.get(form)
  if (lemma === undefined) {
    lemma = findLemma(form, wordClass) ?? ''
    if (known.size >= MOST) known.clear()
    known.set(form, lemma)
  }
  return lemma === '' ? undefined : lemma
}

function findLemma(form: string, wordClass: 'N' | 'V' | 'A'): string | undefined {
  // "leaves" is of "leaf" as a noun alone.
  if (wordClass === 'V' && form.endsWith('ves') && knows(form.slice(0, -1), 'V')) return form.slice(0, -1)
  const entry = entryOf(form)
  const irregular = entry === undefined || entry.lemma < 0 ? undefined : wordAt(entry.lemma)
  // "threw" is no noun and "went" no adjective, though "throw" and "go" can be.
  if (
    irregular !== undefined &&
    knows(irregular, wordClass) &&
    (wordClass === 'V' || classesOf(irregular)[0] === wordClass)
  )
    return irregular
  if (knows(form, wordClass)) return form
  for (const ending of ENDINGS[wordClass]) {
    const candidate = withoutEnding(form, ending)
    if (candidate.length > 1 && knows(candidate, wordClass)) return candidate
  }
  return undefined
}

/** Senses every thing that can be touched, met or gone to falls under. */
const TANGIBLE = [
  'object',
  'person',
  'organism',
  'artifact',
  'substance',
  'location',
  'joint',
  'organ',
  'food',
]
let tangible: ReadonlySet<number> | undefined
const tangibles = new Map<string, boolean>()

/** Whether a noun mostly names something that can be touched, met or gone to: a knee, a plumber, a bus; no access. */
export function isTangible(lemma: string): boolean {
  const before = tangibles.get(lemma)
  if (before !== undefined) return before
  tangible ??= new Set(TANGIBLE.flatMap((root) => sensesOf(root, 'N').slice(0, 1)))
  let layer: readonly number[] = sensesOf(lemma, 'N').slice(0, 1)
  let found = false
  for (let depth = 0; depth < DEPTH && layer.length > 0 && !found; depth++) {
    found = layer.some((synset) => tangible!.has(synset))
    layer = layer.flatMap((synset) => [...parentsOf(synset, 'N')])
  }
  if (tangibles.size > MOST) tangibles.clear()
  tangibles.set(lemma, found)
  return found
}
