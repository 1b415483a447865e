import { object } from '../core/given.ts'
import { inkStart, lineEnd } from './blank.ts'
import { chunksOf, DEFAULT_MAX, type SyncChunker, sizeOption } from './chunk.ts'
import { trimEnd } from './cut.ts'
import { headingLevel, isUnderline } from './lines.ts'
import { type Piece, pack } from './pack.ts'

export interface ParagraphsOptions {
  /** The longest chunk, in UTF-16 code units. Default 1200. Only a single longer grapheme exceeds it. */
  readonly max?: number
  /**
   * A chunk shorter than this goes on across a heading instead of ending there. Default 0: headings always start
   * a chunk, and no edit reaches over one.
   */
  readonly min?: number
}

/**
 * The chunker for prose. Paragraphs (blank lines separate them, with LF or CR LF) are packed into chunks of at
 * most `max`; a heading that follows a blank line (`# …`, or one line underlined with `===` or `---`) starts a
 * chunk. A paragraph longer than `max` is cut at sentences, else at lines, at words, at graphemes.
 *
 * Where chunks begin and end depends on the text since the last heading only. Chunks neither start nor end with a
 * blank line, and together hold all text that is not blank; a source that is blank has none. Takes time linear in
 * the text. Throws `INVALID_ARGUMENT` when `max` or `min` is not a size.
 */
export function paragraphs(options: ParagraphsOptions = {}): SyncChunker {
  object('options', options, ['max', 'min'])
  const max = sizeOption('max', options.max, DEFAULT_MAX, 1)
  const min = sizeOption('min', options.min, 0, 0)
  return {
    id: `paragraphs/1?max=${max}${min > 0 ? `&min=${min}` : ''}`,
    chunk: (text) => chunksOf(text, pack(text, paragraphPieces(text), max, min)),
  }
}

function paragraphPieces(text: string): Piece[] {
  const pieces: Piece[] = []
  const length = text.length
  let start = -1 // of the paragraph being read
  let end = 0
  let lines = 0
  let heading = false
  let bare = false
  const close = () => {
    if (start < 0) return
    const last = trimEnd(text, start, end)
    pieces.push({ start, end: last, depth: 0, opens: heading, bare, borders: 'sentences' })
    start = -1
  }
  for (let at = inkOfFile(text); at < length; at = end + 1) {
    const stop = lineEnd(text, at, length)
    const ink = inkStart(text, at, stop)
    if (ink === stop) close()
    else if (start < 0) {
      start = at
      lines = 1
      heading = bare = headingLevel(text, at, stop) > 0
    } else {
      lines++
      bare = lines === 2 && !heading && isUnderline(text, ink, stop)
      heading ||= bare
    }
    end = stop
  }
  close()
  return pieces
}

/** A byte order mark is no part of the first chunk. */
function inkOfFile(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0
}
