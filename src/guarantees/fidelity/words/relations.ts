import { areOpposites, entryOf, isOpposed, parentsOf, sensesOf, type WordClass, wordAt } from './lexicon.ts'

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
  if (as.some((sense) => bs.includes(sense))) return 'synonym'
  return wordClass === 'A' || wordClass === 'R'
    ? amongAdjectives(as, bs, wordClass)
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
    return senses.slice(0, 6).some((sense) => up.has(sense))
  }
  if (as.length === 0 && bs.length > 0 && under(a, bs)) return 'wider'
  return bs.length === 0 && as.length > 0 && under(b, as) ? 'narrower' : 'none'
}

/** A satellite adjective means much what the head of its cluster means, and is opposed to what that is opposed to. */
function amongAdjectives(as: readonly number[], bs: readonly number[], wordClass: 'A' | 'R'): Relation {
  const heads = (synset: number) => [synset, ...parentsOf(synset, wordClass)]
  const others = bs.slice(0, 4).map(heads)
  let near = false
  for (const [i, a] of as.slice(0, 4).entries())
    for (const one of heads(a))
      for (const [j, list] of others.entries()) {
        if (isOpposed(one, list, wordClass)) return 'antonym'
        if ((i < 3 || j < 3) && list.includes(one)) near = true
      }
  return near ? 'near' : 'none'
}

function amongHypernyms(a: string, b: string, wordClass: 'N' | 'V'): Relation {
  const [as, bs] = [sensesOf(a, wordClass), sensesOf(b, wordClass)]
  const limit = LIMITS[wordClass]
  const up = above(a, wordClass)
  for (const sense of bs.slice(0, limit)) if (up.has(sense)) return 'wider'
  const other = above(b, wordClass)
  for (const sense of as.slice(0, limit)) if (other.has(sense)) return 'narrower'
  for (const sense of as) if (isOpposed(sense, bs, wordClass)) return 'antonym'
  if (wordClass === 'V') {
    // Verbs under one hypernym are ways of doing one thing.
    for (const [synset, depth] of up) if ((other.get(synset) ?? 9) + depth <= 2) return 'near'
    return 'none'
  }
  for (const [synset, depth] of up) if ((other.get(synset) ?? 99) + depth <= 5 && depth > 0) return 'sister'
  return 'none'
}

/** How many senses of a word are followed upwards. */
const LIMITS = { N: 6, V: 4 } as const
const heights = {
  N: new Map<string, ReadonlyMap<number, number>>(),
  V: new Map<string, ReadonlyMap<number, number>>(),
}

/** Every synset above a word's most frequent senses, with the number of steps to it. */
function above(word: string, wordClass: 'N' | 'V'): ReadonlyMap<number, number> {
  const known = heights[wordClass]
  let up = known.get(word)
  if (up === undefined) {
    up = ancestors(sensesOf(word, wordClass).slice(0, LIMITS[wordClass]), wordClass)
    if (known.size >= MOST) known.clear()
    known.set(word, up)
  }
  return up
}

/** The very top says nothing, but is harmless here. */
function ancestors(senses: readonly number[], wordClass: 'N' | 'V'): Map<number, number> {
  const found = new Map<number, number>()
  let layer: readonly number[] = senses
  for (let depth = 0; depth <= DEPTH && layer.length > 0; depth++) {
    const next: number[] = []
    for (const synset of layer) {
      if (found.has(synset)) continue
      found.set(synset, depth)
      next.push(...parentsOf(synset, wordClass))
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
