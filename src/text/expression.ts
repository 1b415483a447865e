import type { Connection } from '../ledger/sqlite/statements.ts'
import { type Part, parseQuery } from './query.ts'
import { isAlone, spaced } from './tokens.ts'

/** What is looked for as one: a token, or several that follow each other. */
interface Unit {
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
  /** Words too common to look for beside the rarer ones. */
  readonly pruned: readonly string[]
}

/** Collections smaller than this are searched for every word. */
const PRUNED_FROM = 5_000

/**
 * How many entries of posting lists a query of optional words reads, the rarest words first. Ranking costs about a
 * microsecond per entry, so this bounds a search's time whatever the size of the collection.
 */
const POSTINGS = 10_000

/** FTS5 keeps every phrase of a query open at once; a pasted page is searched for its rarest words. */
const UNITS = 64

/** Cuts a query into tokens with the tokenizer of the index itself, so that both always agree (see database.ts). */
export function ask(connection: Connection, text: string): Asked {
  const parts = parseQuery(text)
  const tokens: string[][] = parts.map(() => [])
  try {
    parts.forEach((part, i) => {
      connection.run('INSERT INTO text_asked (rowid, text) VALUES (?, ?)', i, spaced(part.text, ' '))
    })
    for (const [part, token] of connection.rows<[number, string]>(
      'SELECT doc, term FROM text_asked_tokens ORDER BY doc, offset',
    ))
      tokens[part]!.push(token)
  } finally {
    connection.run(`INSERT INTO text_asked (text_asked) VALUES ('delete-all')`)
  }
  const units = (role: Part['role']) =>
    distinct(parts.flatMap((part, i) => (part.role === role ? unitsOf(part, tokens[i]!) : [])))
  return { required: units('required'), optional: units('optional'), excluded: units('excluded') }
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

const wordOf = ({ tokens, prefix }: Unit): string => {
  const text = isAlone(tokens.join('')) ? tokens.join('') : tokens.join(' ')
  return prefix ? `${text}*` : text
}

const distinct = (units: readonly Unit[]): Unit[] => [
  ...new Map(units.map((unit) => [`${unit.prefix}${unit.tokens.join(' ')}`, unit])).values(),
]

/** Tokens hold no quotes, so a quoted one can be nothing but a string. */
const quoted = ({ tokens, prefix }: Unit): string => `"${tokens.join(' ')}"${prefix ? '*' : ''}`

/**
 * The FTS5 expression for a query over `rows` spans. With `prune`, optional words that are too common to be worth
 * reading beside the rarer ones are left out; the rarest always stays.
 */
export function express(asked: Asked, rows: number, frequency: Frequency, prune: boolean): Expression {
  // A phrase is at most as frequent as its rarest token. A prefix is never left out: somebody asked for all of it.
  const known = ({ tokens, prefix }: Unit) => {
    const whole = prefix ? tokens.slice(0, -1) : tokens
    return whole.length === 0 ? undefined : Math.min(...whole.map(frequency))
  }
  const found = asked.optional
    .map((unit) => ({ unit, frequency: known(unit) }))
    .filter((one) => one.frequency !== 0)
    .sort((a, b) => (a.frequency ?? 0) - (b.frequency ?? 0))
  let postings = 0
  const kept: Unit[] = []
  const pruned: Unit[] = []
  for (const { unit, frequency: count = 0 } of found) {
    const tooMany = prune && rows > PRUNED_FROM && kept.length > 0 && postings + count > POSTINGS
    if (tooMany || kept.length === UNITS) pruned.push(unit)
    else {
      kept.push(unit)
      postings += count
    }
  }
  return {
    match: compose(asked.required, kept, asked.excluded),
    used: [...asked.required, ...kept].map(wordOf),
    pruned: pruned.map(wordOf),
  }
}

function compose(
  required: readonly Unit[],
  optional: readonly Unit[],
  excluded: readonly Unit[],
): string | undefined {
  const any = optional.map(quoted).join(' OR ')
  const all = required.map(quoted).join(' AND ')
  // Optional words beside required ones only rank: the first required word makes their bracket true.
  const wanted = all === '' ? any : any === '' ? all : `${all} AND (${quoted(required[0]!)} OR ${any})`
  if (wanted === '') return undefined
  return excluded.length === 0 ? wanted : `(${wanted}) NOT (${excluded.map(quoted).join(' OR ')})`
}

/** Everything the query would have liked to find, for highlighting. */
export function everyWord(asked: Asked): string {
  return [...asked.required, ...asked.optional].slice(0, PARTS_SHOWN).map(quoted).join(' OR ')
}

const PARTS_SHOWN = 256
