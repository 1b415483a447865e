import { isSpace } from '../core/white-space.ts'
import { inkEnd } from './blank.ts'

/** The column of the first ink of the line [at, to): a tab goes on to the next multiple of four. */
export function indentOf(text: string, at: number, to: number): number {
  let column = 0
  for (let i = at; i < to; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x09) column += 4 - (column % 4)
    else if (isSpace(code)) column++
    else break
  }
  return column
}

/** 1 to 6 when the line is an ATX heading (`# …`, indented by at most three spaces), else 0. */
export function headingLevel(text: string, at: number, to: number): number {
  let i = at
  while (i < at + 4 && text.charCodeAt(i) === 0x20) i++
  if (i === at + 4 || text.charCodeAt(i) !== 0x23) return 0
  const first = i
  while (i < to && text.charCodeAt(i) === 0x23) i++
  const level = i - first
  return level <= 6 && (i === to || isSpace(text.charCodeAt(i))) ? level : 0
}

/** 1 or 2 when the ink at `ink` underlines a heading (nothing but two or more `=`, or `-`), else 0. */
export function underlineLevel(text: string, ink: number, to: number): 0 | 1 | 2 {
  const mark = text.charCodeAt(ink)
  if (mark !== 0x3d && mark !== 0x2d) return 0
  const end = inkEnd(text, ink, to)
  if (end - ink < 2) return 0
  for (let i = ink; i < end; i++) if (text.charCodeAt(i) !== mark) return 0
  return mark === 0x3d ? 1 : 2
}

export function isUnderline(text: string, ink: number, to: number): boolean {
  return underlineLevel(text, ink, to) > 0
}

export interface Fence {
  /** The character code of the mark: a backtick or a tilde. */
  readonly mark: number
  readonly size: number
}

/** The fence that the ink at `ink` opens: three or more backticks or tildes. The caller judges the indent. */
export function fenceAt(text: string, ink: number, to: number): Fence | undefined {
  const mark = text.charCodeAt(ink)
  if (mark !== 0x60 && mark !== 0x7e) return undefined
  let i = ink
  while (i < to && text.charCodeAt(i) === mark) i++
  const size = i - ink
  if (size < 3) return undefined
  // ```a``` on one line is code in a sentence.
  if (mark === 0x60) for (let j = i; j < to; j++) if (text.charCodeAt(j) === mark) return undefined
  return { mark, size }
}

export function closesFence(fence: Fence, text: string, ink: number, to: number): boolean {
  const end = inkEnd(text, ink, to)
  if (end - ink < fence.size) return false
  for (let i = ink; i < end; i++) if (text.charCodeAt(i) !== fence.mark) return false
  return true
}

/** `---`, `* * *`, `___`: three or more of one mark and nothing else but white space. */
export function isBreak(text: string, ink: number, end: number): boolean {
  const mark = text.charCodeAt(ink)
  if (mark !== 0x2d && mark !== 0x2a && mark !== 0x5f) return false
  let marks = 0
  for (let i = ink; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === mark) marks++
    else if (!isSpace(code)) return false
  }
  return marks >= 3
}

/** The second line of a table: dashes, pipes and colons. */
export function isDelimiterRow(text: string, ink: number, end: number): boolean {
  let dashes = 0
  let borders = 0
  for (let i = ink; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x2d) dashes++
    else if (code === 0x7c || code === 0x3a) borders++
    else if (!isSpace(code)) return false
  }
  return dashes > 0 && borders > 0
}

export function hasPipe(text: string, at: number, to: number): boolean {
  for (let i = at; i < to; i++) if (text.charCodeAt(i) === 0x7c) return true
  return false
}
