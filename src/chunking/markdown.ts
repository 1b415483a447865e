import { flag, object } from '../core/given.ts'
import type { Metadata } from '../core/json.ts'
import { chunksOf, DEFAULT_MAX, type SyncChunker, sizeOption } from './chunk.ts'
import { type Block, markdownBlocks } from './markdown-blocks.ts'
import { pack } from './pack.ts'

export interface MarkdownOptions {
  /** The longest chunk, in UTF-16 code units. Default 1200. Only a single longer grapheme exceeds it. */
  readonly max?: number
  /**
   * Adds metadata `{ heading: ['Guide', 'Install'] }`, the titles a chunk stands under, its own included. Off by
   * default, because renaming a heading then updates each span below it.
   */
  readonly headings?: boolean
}

/**
 * The chunker for Markdown. Headings start chunks. Between them, fenced code blocks, tables, list items (with
 * what is nested in them) and paragraphs are packed into chunks of at most `max`; each is kept whole where it
 * fits in a chunk. What does not fit is cut: code, tables and HTML between lines, lists between items, then
 * between the blocks inside an item, paragraphs at sentences; only then at words and graphemes. Front matter
 * (`---` or `+++`, first line of the source) is a chunk of its own.
 *
 * Where chunks begin and end depends on the text since the last heading only. Chunks neither start nor end with a
 * blank line, and together hold all text that is not blank. Takes time linear in the text. Throws
 * `INVALID_ARGUMENT` when `max` is not a size.
 */
export function markdown(options: MarkdownOptions = {}): SyncChunker {
  object('options', options, ['max', 'headings'])
  const max = sizeOption('max', options.max, DEFAULT_MAX, 1)
  const headings = flag('headings', options.headings)
  return {
    id: `markdown/1?max=${max}${headings ? '&headings=true' : ''}`,
    chunk: (text) => {
      const blocks = markdownBlocks(text, 0, text.length)
      return chunksOf(text, pack(text, blocks, max), headings ? headingsAt(text, blocks) : undefined)
    },
  }
}

/** Answers for starts of chunks that do not decrease: it reads the headings once. */
function headingsAt(text: string, blocks: readonly Block[]): (start: number) => Metadata | undefined {
  let next = 0
  let path: { level: number; title: string }[] = []
  return (start) => {
    for (let block = blocks[next]; block !== undefined && block.start <= start; block = blocks[++next]) {
      const level = block.level
      if (level > 0)
        path = [...path.filter((above) => above.level < level), { level, title: title(text, block) }]
    }
    return path.length > 0 ? { heading: path.map((above) => above.title) } : undefined
  }
}

function title(text: string, block: Block): string {
  const line = text.slice(block.start, block.end).trim()
  if (!line.startsWith('#')) {
    const lines = line.slice(0, line.lastIndexOf('\n')).split('\n') // without the underline
    return lines.map((part) => part.trim()).join(' ')
  }
  const bare = line.slice(block.level).trim()
  let end = bare.length
  while (end > 0 && bare[end - 1] === '#') end--
  // `# C#` keeps its sharp; `# Title ##` is closed by its own.
  return end === 0 || bare[end - 1] === ' ' ? bare.slice(0, end).trim() : bare
}
