import type { Colors } from './context.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes that colour text
const COLOR = /\u001b\[\d+m/g
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const MARK = /\p{M}|\u200b|\u200c|\u200d|\ufe0f/u

/** Text that cannot steer the terminal it is shown on. */
export const safe = (text: string): string => text.replace(CONTROL, '\ufffd')

/** Columns a text takes; escapes of colour take none. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text.replace(COLOR, ''))
    width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** A text on one line of at most this many columns. */
export function preview(text: string, columns: number): string {
  const line = safe(
    text
      .slice(0, 4 * columns + 80)
      .replace(/\s+/g, ' ')
      .trim(),
  )
  if (widthOf(line) <= columns && text.length <= 4 * columns + 80) return line
  let width = 0
  let cut = ''
  for (const character of line) {
    width += widthOf(character)
    if (width >= columns) break
    cut += character
  }
  return `${cut.trimEnd()}…`
}

export interface Column {
  readonly title: string
  readonly right?: boolean
}

/** Rows under titles, padded; the last column is left as it is. */
export function table(
  colors: Colors,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string[] {
  const widths = columns.map(({ title }, i) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[i] ?? ''))),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => {
        const space = ' '.repeat(Math.max(0, widths[i]! - widthOf(cell)))
        if (columns[i]?.right === true) return space + cell
        return i === cells.length - 1 ? cell : cell + space
      })
      .join('  ')
      .trimEnd()
  return [colors.dim(line(columns.map(({ title }) => title))), ...rows.map(line)]
}

/** Names and values, one a line. */
export function fields(colors: Colors, pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([name]) => widthOf(name)))
  return pairs.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`)
}

export interface Tree {
  readonly label: string
  readonly children: readonly Tree[]
}

/** A tree with box characters; labels of several lines stay under their branch. */
export function drawTree(tree: Tree, indent = ''): string[] {
  const [first = '', ...more] = tree.label.split('\n')
  const lines = [first]
  const inner = tree.children.length > 0 ? '│ ' : '  '
  lines.push(...more.map((line) => `${indent}${inner}${line}`))
  tree.children.forEach((child, i) => {
    const last = i === tree.children.length - 1
    const [head = '', ...rest] = drawTree(child, `${indent}${last ? '   ' : '│  '}`)
    lines.push(`${indent}${last ? '└─ ' : '├─ '}${head}`, ...rest)
  })
  return lines
}

/** Local date and time, to the second. */
export function when(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 19).replace('T', ' ')
}

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`

export function size(bytes: number): string {
  for (const [unit, least] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const)
    if (bytes >= least) return `${(bytes / least).toFixed(1)} ${unit}`
  return `${bytes} B`
}

/** The colour of a status, a state or a reason. */
export function paint(colors: Colors, word: string): string {
  switch (word) {
    case 'ok':
    case 'current':
      return colors.green(word)
    case 'empty':
    case 'suspect':
      return colors.yellow(word)
    case 'tombstone':
    case 'stale':
      return colors.red(word)
    case 'absent':
      return colors.magenta(word)
    default:
      return word
  }
}
