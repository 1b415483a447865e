import type { Connection } from '../ledger/sqlite/statements.ts'
import type { TextRange } from '../ports/text.ts'
import { spaced } from './tokens.ts'

/*
 * FTS5 can only say where it matched by writing marks into the text. Control characters serve as marks: they belong
 * to no token. Where the text itself has them, or a NUL, which would end a string in C, a space of the same length
 * stands in while it is looked at.
 */
const OPEN = '\u0001'
const CLOSE = '\u0002'
const SEPARATOR = '\u0003'
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const RESERVED = /[\u0000-\u0003]/g

/** Where the tokens and phrases of `match` are in each text, in UTF-16 units, in order, without overlaps. */
export function highlight(connection: Connection, match: string, texts: readonly string[]): TextRange[][] {
  const ranges: TextRange[][] = texts.map(() => [])
  try {
    texts.forEach((text, i) => {
      const shown = spaced(text.replace(RESERVED, ' '), SEPARATOR)
      connection.run('INSERT INTO text_shown (rowid, text) VALUES (?, ?)', i, shown)
    })
    for (const [i, marked] of connection.rows<[number, string]>(
      'SELECT rowid, highlight(text_shown, 0, ?, ?) FROM text_shown WHERE text_shown MATCH ?',
      OPEN,
      CLOSE,
      match,
    ))
      ranges[i] = rangesOf(marked)
  } finally {
    connection.run('DELETE FROM text_shown')
  }
  return ranges
}

function rangesOf(marked: string): TextRange[] {
  const ranges: TextRange[] = []
  let offset = 0
  let start = 0
  for (let i = 0; i < marked.length; i++) {
    const character = marked[i]
    if (character === OPEN) start = offset
    else if (character === CLOSE) ranges.push({ start, end: offset })
    else if (character !== SEPARATOR) offset++
  }
  return ranges
}
