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
  /** It has more words than are looked at. */
  readonly cut: boolean
}

/** Nothing but words of ASCII, as most queries are. */
const PLAIN = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/

/** Cuts a query into tokens with the tokenizer of the index itself, so that both always agree (see database.ts). */
export function ask(connection: Connection, text: string): Asked {
  if (PLAIN.test(text)) {
    const all = text.toLowerCase().split(' ')
    const words = new Set(all.slice(0, PARTS))
    const optional = [...words].map((word) => ({ tokens: [word], prefix: false }))
    return { required: [], optional, excluded: [], cut: all.length > PARTS }
  }
  const { parts, cut } = parseQuery(text)
  const tokens = tokensOf(
    connection,
    parts.map((part) => part.text),
  )
  const units = (role: Part['role']) =>
    distinct(parts.flatMap((part, i) => (part.role === role ? unitsOf(part, tokens[i]!) : [])))
  return { required: units('required'), optional: units('optional'), excluded: units('excluded'), cut }
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

/** FTS5 syntax for what has any of the units. */
export const anyOf = (units: readonly Unit[]): string => units.map(quoted).join(' OR ')

/**
 * FTS5 syntax for what has any of the first, scored by the others as well: bm25 counts every unit twice, because a word
 * that only ranks has to stand in a bracket that is true without it.
 */
export const anyOfScoredBy = (found: readonly Unit[], others: readonly Unit[]): string =>
  `(${anyOf(found)}) AND (${anyOf([...found, ...others, ...others])})`

/** The same for what has all of the first. */
export const allOfScoredBy = (found: readonly Unit[], others: readonly Unit[]): string =>
  `(${found.map(quoted).join(' AND ')}) AND (${anyOf([...found, ...others, ...others])})`

export const without = (match: string, excluded: readonly Unit[]): string =>
  excluded.length === 0 ? match : `(${match}) NOT (${anyOf(excluded)})`

/** Everything the query would have liked to find. */
export const wanted = ({ required, optional }: Asked): readonly Unit[] => [...required, ...optional]

/** All of it, for highlighting. */
export function everyWord(asked: Asked): string {
  return anyOf(wanted(asked).slice(0, PARTS_SHOWN))
}

const PARTS_SHOWN = 256
