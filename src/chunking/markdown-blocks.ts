import { isSpace } from '../core/white-space.ts'
import { inkEnd, inkStart, lineEnd } from './blank.ts'
import { type Borders, trimEnd } from './cut.ts'
import {
  closesFence,
  type Fence,
  fenceAt,
  hasPipe,
  headingLevel,
  indentOf,
  isBreak,
  isDelimiterRow,
  underlineLevel,
} from './lines.ts'
import type { Piece } from './pack.ts'

export interface Block extends Piece {
  /** 1 to 6 for a heading, else 0. */
  readonly level: number
}

type Kind = 'text' | 'fence' | 'table' | 'heading'
type OpenBlock = { -readonly [K in keyof Block]: Block[K] } & { kind: Kind }

/**
 * The blocks of the Markdown in [from, to), which starts at a line, in one pass over its lines. It follows
 * CommonMark and GFM where that decides what belongs together, and is generous elsewhere: a fence in a list ends
 * at its closing mark however that is indented; block quotes and indented code are paragraphs.
 */
export function markdownBlocks(text: string, from: number, to: number): Block[] {
  return new Scanner(text, to).scan(from)
}

class Scanner {
  readonly #text: string
  readonly #to: number
  readonly #blocks: Block[] = []
  #open: OpenBlock | undefined
  #fence: Fence | undefined
  /** Where the text of each list item around the current line is indented to, outermost first. */
  #items: readonly number[] = []
  /** The start of the line above, within the open block. */
  #above = 0
  #lines = 0
  #behindFrontMatter = false

  constructor(text: string, to: number) {
    this.#text = text
    this.#to = to
  }

  scan(from: number): Block[] {
    const text = this.#text
    let end = 0
    for (let at = this.#frontMatter(from); at < this.#to; at = end + 1) {
      end = lineEnd(text, at, this.#to)
      const ink = inkStart(text, at, end)
      if (ink === end) {
        if (this.#fence === undefined) this.#close()
      } else this.#line(at, ink, end)
    }
    this.#close()
    return this.#blocks
  }

  #line(at: number, ink: number, end: number): void {
    const text = this.#text
    const open = this.#open
    if (this.#fence !== undefined) {
      this.#extend(at, end)
      if (closesFence(this.#fence, text, ink, end)) this.#close()
      return
    }
    const indent = indentOf(text, at, end)
    // A line right below a paragraph may go on with it at any indentation; else its indent decides the list.
    let depth = 0
    while (depth < this.#items.length && indent >= this.#items[depth]!) depth++
    const items = depth === this.#items.length ? this.#items : this.#items.slice(0, depth)
    const base = items.at(-1) ?? 0
    const near = indent < base + 4

    const level = near ? headingLevel(text, ink, end) : 0
    const fence = near ? fenceAt(text, ink, end) : undefined
    const content = near && !isBreak(text, ink, end) ? this.#itemContent(ink, end, indent, items) : 0

    if (level > 0) this.#heading(at, end, level, items)
    else if (fence !== undefined) {
      this.#begin('fence', at, end, items, 'lines')
      this.#fence = fence
    } else if (open?.kind === 'text' && near && this.#underlined(ink, end, items)) {
      this.#extend(at, end)
      this.#close()
    } else if (near && isBreak(text, ink, end)) {
      this.#begin('text', at, end, items, 'lines')
      this.#close()
    } else if (content > 0) {
      this.#begin('text', at, end, items, 'sentences', true)
      this.#items = [...items, content]
    } else if (open?.kind === 'text' && isDelimiterRow(text, ink, end) && hasPipe(text, this.#above, at)) {
      this.#table(at, end)
    } else if (open?.kind === 'text' || open?.kind === 'table') this.#extend(at, end)
    else {
      const asLines = text.charCodeAt(ink) === 0x3c || indent >= base + 4
      this.#begin('text', at, end, items, asLines ? 'lines' : 'sentences')
    }
  }

  #heading(at: number, end: number, level: number, items: readonly number[]): void {
    this.#begin('heading', at, end, items, 'sentences')
    const open = this.#open!
    // A heading inside a list item belongs to the item.
    if (items.length === 0) {
      open.opens = open.bare = true
      open.level = level
    }
    this.#close()
  }

  /** Turns the open paragraph into a heading when the line underlines it. */
  #underlined(ink: number, end: number, items: readonly number[]): boolean {
    const open = this.#open!
    const level = underlineLevel(this.#text, ink, end)
    if (level === 0 || items.length > 0 || open.borders !== 'sentences' || open.depth > 0) return false
    if (this.#text.charCodeAt(open.start) === 0x3e) return false // a quote cannot be underlined from outside
    open.kind = 'heading'
    open.opens = open.bare = true
    open.level = level
    return true
  }

  /** The line above was the head of a table; lines above that stay a paragraph. */
  #table(at: number, end: number): void {
    const open = this.#open!
    const head = this.#above
    if (this.#lines > 1) {
      open.end = head
      const { depth } = open
      this.#close()
      this.#open = openBlock('table', head, end, depth, 'lines')
    } else {
      open.kind = 'table'
      open.borders = 'lines'
    }
    this.#extend(at, end)
  }

  /** Where the text of the list item that starts at `ink` is indented to, or 0 when none starts there. */
  #itemContent(ink: number, end: number, indent: number, items: readonly number[]): number {
    const text = this.#text
    const mark = text.charCodeAt(ink)
    let i = ink
    if (mark === 0x2d || mark === 0x2a || mark === 0x2b) i++
    else {
      while (i < end && i < ink + 9 && isDigit(text.charCodeAt(i))) i++
      const close = text.charCodeAt(i)
      if (i === ink || (close !== 0x2e && close !== 0x29)) return 0
      // Only a list that starts at 1 interrupts a paragraph: "1986. A great year" in running text is none.
      const interrupts = this.#open?.kind === 'text' && this.#items.length === 0 && items.length === 0
      if (interrupts && text.slice(ink, i) !== '1') return 0
      i++
    }
    if (i < end && !isSpace(text.charCodeAt(i))) return 0
    const width = i - ink
    const gap = indentOf(text, i, end)
    return indent + width + (gap >= 1 && gap <= 4 && inkStart(text, i, end) < end ? gap : 1)
  }

  #begin(
    kind: Kind,
    at: number,
    end: number,
    items: readonly number[],
    borders: Borders,
    item = false,
  ): void {
    this.#close()
    this.#items = items
    // An item is deeper than the text it hangs below and less deep than what is inside of it, so that pack keeps
    // an item together, and a list together with the line that introduces it, where they fit.
    const depth = items.length * 2 + (item ? 1 : 0)
    this.#open = openBlock(kind, at, end, depth, borders)
    this.#open.opens = this.#behindFrontMatter
    this.#behindFrontMatter = false
    this.#above = at
    this.#lines = 1
  }

  #extend(at: number, end: number): void {
    this.#open!.end = end
    this.#above = at
    this.#lines++
  }

  #close(): void {
    const open = this.#open
    if (open !== undefined) {
      const { start, end, depth, opens, bare, borders, level } = open
      this.#blocks.push({ start, end: trimEnd(this.#text, start, end), depth, opens, bare, borders, level })
    }
    this.#open = undefined
    this.#fence = undefined
  }

  /** Reads front matter at the start of the source, and answers where the rest starts. */
  #frontMatter(from: number): number {
    const text = this.#text
    const start = from === 0 && text.charCodeAt(0) === 0xfeff ? 1 : from
    if (from > 0) return start
    const mark = text.slice(start, start + 3)
    const first = lineEnd(text, start, this.#to)
    if ((mark !== '---' && mark !== '+++') || inkEnd(text, start, first) !== start + 3) return start
    for (let at = first + 1, end = 0; at < this.#to; at = end + 1) {
      end = lineEnd(text, at, this.#to)
      const line = text.slice(at, Math.min(end, at + 80)).trimEnd()
      if (line !== mark && !(mark === '---' && line === '...')) continue
      this.#open = openBlock('text', start, end, 0, 'lines')
      this.#close()
      this.#behindFrontMatter = true
      return end + 1
    }
    return start
  }
}

// Written out: with a spread, V8 takes microseconds per object.
function openBlock(kind: Kind, start: number, end: number, depth: number, borders: Borders): OpenBlock {
  return { kind, start, end, depth, borders, opens: false, bare: false, level: 0 }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
