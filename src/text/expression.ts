import type { Connection } from '../ledger/sqlite/statements.ts'
import { PARTS, type Part, parseQuery } from './query.ts'
import { isAlone, spaced } from './tokens.ts'

/** What is looked for as one: a token, or several that follow each other. */
export interface Unit {
  readonly tokens: readonly string[]
  readonly prefix: boolean
}

/** A query in the index's own words. */
export interface Asked {
  readonly required: readonly Unit[]
  readonly optional: readonly Unit[]
  readonly excluded: readonly Unit[]
}

/** How many spans hold a token. */
export type Frequency = (token: string) => number

export interface Expression {
  /** FTS5 syntax, or undefined when no span can match. */
  readonly match: string | undefined
  readonly used: readonly string[]
  /** Words too common to be looked for beside the rarer ones: they rank what those find, or do not count at all. */
  readonly pruned: readonly string[]
}

/** Collections smaller than this are searched for every word. */
const PRUNED_FROM = 5_000

/**
 * How many spans a query of optional words ranks, found by its rarest words first. One costs about a microsecond, so
 * this bounds a search's time whatever the size of the collection.
 */
const RANKED = 10_000

/**
 * How many entries of posting lists are read besides, for words that help to rank what rarer words found. One costs
 * a twentieth of that.
 */
const READ = 50_000

/** By how much a phrase is rarer than its rarest token; nothing knows, and this only steers what is left out. */
const PHRASE = 8

/** FTS5 keeps every phrase of a query open at once; a pasted page is searched for its rarest words. */
const UNITS = 64

/** Nothing but words of ASCII, as most queries are. */
const PLAIN = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/

/** Cuts a query into tokens with the tokenizer of the index itself, so that both always agree (see database.ts). */
export function ask(connection: Connection, text: string): Asked {
  if (PLAIN.test(text)) {
    const words = new Set(text.toLowerCase().split(' ').slice(0, PARTS))
    const optional = [...words].map((word) => ({ tokens: [word], prefix: false }))
    return { required: [], optional, excluded: [] }
  }
  const parts = parseQuery(text)
  const tokens = tokensOf(
    connection,
    parts.map((part) => part.text),
  )
  const units = (role: Part['role']) =>
    distinct(parts.flatMap((part, i) => (part.role === role ? unitsOf(part, tokens[i]!) : [])))
  return { required: units('required'), optional: units('optional'), excluded: units('excluded') }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\u0000-\u007f]*$/

/** The tokens of each text, as the index would store them. */
export function tokensOf(connection: Connection, texts: readonly string[]): string[][] {
  // Most queries are ASCII, where a word is a run of letters and digits: not worth ten statements.
  if (texts.every((text) => ASCII.test(text)))
    return texts.map((text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
  const tokens: string[][] = texts.map(() => [])
  try {
    texts.forEach((text, i) => {
      connection.run('INSERT INTO text_asked (rowid, text) VALUES (?, ?)', i, spaced(text, ' '))
    })
    for (const [i, token] of connection.rows<[number, string]>(
      'SELECT doc, term FROM text_asked_tokens ORDER BY doc, offset',
    ))
      tokens[i]!.push(token)
  } finally {
    connection.run(`INSERT INTO text_asked (text_asked) VALUES ('delete-all')`)
  }
  return tokens
}

export const hasWords = (asked: Asked): boolean => asked.required.length + asked.optional.length > 0

function unitsOf({ role, phrase, prefix }: Part, tokens: readonly string[]): Unit[] {
  if (tokens.length === 0) return []
  const whole = { tokens, prefix }
  if (tokens.length === 1 || phrase || role !== 'optional') return [whole]
  // "state/province" is found by either word and better by both; a sentence without spaces by any two characters.
  const units: Unit[] = tokens.every(isAlone) ? [] : [whole]
  tokens.forEach((token, i) => {
    const next = tokens[i + 1]
    const last = prefix && i === tokens.length - 1
    if (!isAlone(token)) units.push({ tokens: [token], prefix: last })
    else if (next !== undefined && isAlone(next))
      units.push({ tokens: [token, next], prefix: prefix && i === tokens.length - 2 })
    else if (i === 0 || !isAlone(tokens[i - 1]!)) units.push({ tokens: [token], prefix: last })
  })
  return units
}

/** As a person would write it. */
export const wordOf = ({ tokens, prefix }: Unit): string => {
  const text = isAlone(tokens.join('')) ? tokens.join('') : tokens.join(' ')
  return prefix ? `${text}*` : text
}

const distinct = (units: readonly Unit[]): Unit[] => [
  ...new Map(units.map((unit) => [`${unit.prefix}${unit.tokens.join(' ')}`, unit])).values(),
]

/** Tokens hold no quotes, so a quoted one can be nothing but a string. */
export const quoted = ({ tokens, prefix }: Unit): string => `"${tokens.join(' ')}"${prefix ? '*' : ''}`

/**
 * Which optional words find nothing by themselves, but only rank what the rarer ones find: those that would make the
 * search `dear`; those that weigh nothing (`idle`), because more than half of the spans have them; or none.
 */
type Pruning = 'dear' | 'idle' | 'none'

/** The FTS5 expression for a query over `rows` spans. The rarest word is never pruned. */
export function express(asked: Asked, rows: number, frequency: Frequency, prune: Pruning): Expression {
  // A phrase is at most as frequent as its rarest token. A prefix is never left out: somebody asked for all of it.
  const estimate = ({ tokens, prefix }: Unit) => {
    const whole = prefix ? tokens.slice(0, -1) : tokens
    const least = whole.length === 0 ? undefined : Math.min(...whole.map(frequency))
    return least === undefined || tokens.length === 1 ? least : Math.ceil(least / PHRASE)
  }
  const found = asked.optional
    .map((unit) => ({ unit, count: estimate(unit) }))
    .filter(({ count }) => count !== 0)
    .map(({ unit, count = 1 }) => ({ unit, count }))
    .sort((a, b) => a.count - b.count)
  let ranked = 0
  let read = 0
  const kept: Unit[] = []
  const helping: Unit[] = []
  const pruned: Unit[] = []
  for (const { unit, count } of found) {
    const isTooCommon = prune === 'dear' ? ranked + count > RANKED : count * 2 > rows
    const isPruned = prune !== 'none' && rows > PRUNED_FROM && kept.length > 0 && isTooCommon
    if (!isPruned && kept.length < UNITS) {
      kept.push(unit)
      ranked += count
      continue
    }
    pruned.push(unit)
    // What more than half of the spans have weighs nothing in bm25.
    if (count * 2 < rows && read + count <= READ && kept.length + helping.length < UNITS) {
      helping.push(unit)
      read += count
    }
  }
  return {
    match: compose(asked, kept, helping),
    used: [...asked.required, ...kept].map(wordOf),
    pruned: pruned.map(wordOf),
  }
}

function compose(
  { required, excluded }: Asked,
  optional: readonly Unit[],
  helping: readonly Unit[],
): string | undefined {
  const any = (units: readonly Unit[]) => units.map(quoted).join(' OR ')
  // A word that only ranks goes into a bracket that is true without it. Beside required words that is every other.
  const finding = required.length > 0 ? required.map(quoted).join(' AND ') : any(optional)
  if (finding === '') return undefined
  const ranking = required.length > 0 ? [...optional, ...helping] : helping
  const always = required.length > 0 ? required.slice(0, 1) : optional
  const whole = ranking.length === 0 ? finding : `(${finding}) AND (${any([...always, ...ranking])})`
  return excluded.length === 0 ? whole : `(${whole}) NOT (${excluded.map(quoted).join(' OR ')})`
}

/** Everything the query would have liked to find. */
export const wanted = ({ required, optional }: Asked): readonly Unit[] => [...required, ...optional]

/** All of it, for highlighting. */
export function everyWord(asked: Asked): string {
  return wanted(asked).slice(0, PARTS_SHOWN).map(quoted).join(' OR ')
}

const PARTS_SHOWN = 256
