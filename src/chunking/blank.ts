import { isSpace } from '../core/white-space.ts'

/** Where the first character that is not white space lies in [from, to), or `to` when all of it is blank. */
export function inkStart(text: string, from: number, to: number): number {
  let at = from
  while (at < to && isSpace(text.charCodeAt(at))) at++
  return at
}

/** Where the ink of [from, to) ends, or `from` when all of it is blank. */
export function inkEnd(text: string, from: number, to: number): number {
  let at = to
  while (at > from && isSpace(text.charCodeAt(at - 1))) at--
  return at
}

/**
 * Where the line at `from` ends: at its LF, or at `to`. CR LF is one line end, whose CR is white space at the end
 * of the line; a CR alone is white space, not a line end.
 */
export function lineEnd(text: string, from: number, to: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 || at > to ? to : at
}
