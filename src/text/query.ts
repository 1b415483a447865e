/** A piece of what the user typed, before it is cut into tokens. */
export interface Part {
  readonly text: string
  readonly role: 'optional' | 'required' | 'excluded'
  /** Its tokens must follow each other. */
  readonly phrase: boolean
  /** Its last token stands for every token that begins with it. */
  readonly prefix: boolean
}

/** Words beyond this many are not looked at: a query is not a document. */
export const PARTS = 1000

/** A quoted phrase or a run without spaces, with what may stand before and behind it. */
const PIECE = /(?<![^\s])([+-]?)"([^"]*)"(\*?)|([^\s"]+)/gu
const SIGNED = /^[+-](?=[\p{L}\p{N}\p{M}])/u
const PREFIXED = /[\p{L}\p{N}\p{M}]\*$/u

/**
 * Reads a query as a person writes it. Words are optional: the more of them a span has, and the rarer they are, the
 * better it ranks, so that questions can be asked as they come. `"a phrase"`, `prefix*`, `+required` and `-excluded`
 * are understood; nothing is a syntax error. A query of exclusions alone is read as words: there is nothing to
 * exclude from.
 */
export function parseQuery(query: string): { readonly parts: Part[]; readonly cut: boolean } {
  const parts: Part[] = []
  let cut = false
  for (const [, sign, quoted, star, word] of query.matchAll(PIECE)) {
    if (parts.length === PARTS) {
      cut = true
      break
    }
    if (quoted !== undefined) {
      parts.push({ text: quoted, role: roleOf(sign), phrase: true, prefix: star === '*' })
      continue
    }
    const signed = SIGNED.test(word!)
    const prefix = PREFIXED.test(word!)
    parts.push({
      text: word!.slice(signed ? 1 : 0, prefix ? -1 : undefined),
      role: roleOf(signed ? word![0] : ''),
      phrase: false,
      prefix,
    })
  }
  return parts.some((part) => part.role !== 'excluded')
    ? { parts, cut }
    : { parts: parts.map((part) => ({ ...part, role: 'optional' })), cut }
}

const roleOf = (sign: string | undefined): Part['role'] =>
  sign === '+' ? 'required' : sign === '-' ? 'excluded' : 'optional'
