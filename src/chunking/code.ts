import { object } from '../core/given.ts'
import { inkStart, lineEnd } from './blank.ts'
import { chunksOf, DEFAULT_MAX, type SyncChunker, sizeOption } from './chunk.ts'
import { trimEnd } from './cut.ts'
import { indentOf } from './lines.ts'
import { type Piece, pack } from './pack.ts'

export interface CodeOptions {
  /** The longest chunk, in UTF-16 code units. Default 1200. Only a single longer grapheme exceeds it. */
  readonly max?: number
}

/**
 * The chunker for source code of any language that is indented, and for other text whose lines belong together.
 * It knows no grammar: a line and the deeper indented lines below it, with the bracket that closes them, are kept
 * in one chunk where they fit, and so are lines without a blank line between them (a comment and what it
 * describes). What does not fit is cut between such groups, else between lines; only a line longer than `max` is
 * cut itself. A top-level block longer than half of `max` starts a chunk.
 *
 * Chunks keep their indentation, neither start nor end with a blank line, and together hold all text that is not
 * blank. Takes time linear in the text. Throws `INVALID_ARGUMENT` when `max` is not a size.
 */
export function code(options: CodeOptions = {}): SyncChunker {
  object('options', options, ['max'])
  const max = sizeOption('max', options.max, DEFAULT_MAX, 1)
  return {
    id: `code/1?max=${max}`,
    chunk: (text) => chunksOf(text, pack(text, linePieces(text, max), max)),
  }
}

type Line = { -readonly [K in keyof Piece]: Piece[K] }

function linePieces(text: string, max: number): Piece[] {
  const lines: Line[] = []
  let block: Line | undefined // the first line of the top-level block being read
  let afterBlank = true
  let end = 0
  for (let at = text.charCodeAt(0) === 0xfeff ? 1 : 0; at < text.length; at = end + 1) {
    end = lineEnd(text, at, text.length)
    const ink = inkStart(text, at, end)
    if (ink === end) {
      afterBlank = true
      continue
    }
    const depth = depthOf(text, at, ink, end, afterBlank)
    const line: Line = {
      start: at,
      end: trimEnd(text, at, end),
      depth,
      opens: false,
      bare: false,
      borders: 'lines',
    }
    lines.push(line)
    if (depth === 0) block = line
    if (block !== undefined && line.end - block.start > max / 2) block.opens = true
    afterBlank = false
  }
  return lines
}

/**
 * The indentation counts most; at the same indentation, a line behind a blank line starts a group, one without
 * belongs to the line above, and one that starts by closing a bracket belongs there even behind a blank line.
 */
function depthOf(text: string, at: number, ink: number, end: number, afterBlank: boolean): number {
  const indent = indentOf(text, at, end) * 4
  const first = text.charCodeAt(ink)
  if (first === 0x7d || first === 0x5d || first === 0x29) return indent + 3
  return afterBlank ? indent : indent + 2
}
