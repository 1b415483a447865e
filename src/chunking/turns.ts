import { object } from '../core/given.ts'
import { inkStart, lineEnd } from './blank.ts'
import { type Chunk, chunksOf, DEFAULT_MAX, type SyncChunker, sizeOption } from './chunk.ts'
import { trimEnd } from './cut.ts'
import { closesFence, type Fence, fenceAt, headingLevel, indentOf } from './lines.ts'
import { markdownBlocks } from './markdown-blocks.ts'
import { pack } from './pack.ts'

export interface TurnsOptions {
  /** The longest chunk, in UTF-16 code units. Default 1200. Only a single longer grapheme exceeds it. */
  readonly max?: number
}

/**
 * The chunker for transcripts: one chunk per turn, the line that names the speaker included, with metadata
 * `{ speaker }`. A turn longer than `max` is cut as Markdown is (see `markdown`), each part with its speaker.
 * Text before the first turn is cut likewise and has no metadata.
 *
 * A turn starts at a line, not indented and not inside a closed code fence, of one of these forms:
 *
 *     Anna Berg: text          Anna Berg:            SPEAKER_00: text        user: text
 *     Anna Berg (00:12): text  [00:12:31] Anna: text 00:12 Anna: text
 *     **User:** text           **User**: text
 *     ### Assistant            ## Anna Berg:
 *
 * The colon is followed by white space or the end of the line (a full-width `：` by anything). A name has at most
 * 40 characters and 5 words, made of letters, digits and . ' ’ _ & / - and each word starts with a digit or with a
 * letter that is not lower case (particles as in "Anna van der Berg" and "d'Arc" aside). In any case of letters, a
 * name may be one of the roles user, assistant, system, developer, tool, function, human, ai, bot, agent, model. A
 * heading without a colon is a turn only when it is one of the roles.
 * Neither what follows the name in parentheses nor a time in front of it is part of the name. So "Note: …" starts a
 * turn, which costs a border; "the reason is: …" and "https://…" do not.
 *
 * Takes time linear in the text. Throws `INVALID_ARGUMENT` when `max` is not a size.
 */
export function turns(options: TurnsOptions = {}): SyncChunker {
  object('options', options, ['max'])
  const max = sizeOption('max', options.max, DEFAULT_MAX, 1)
  return {
    id: `turns/1?max=${max}`,
    chunk: (text) => {
      const chunks: Chunk[] = []
      for (const { start, end, speaker } of turnsIn(text)) {
        const last = trimEnd(text, start, end)
        if (last === start) continue
        const short = last - start <= max && speaker !== undefined
        const ranges = short ? [start, last] : pack(text, markdownBlocks(text, start, end), max)
        const metadata = speaker === undefined ? undefined : { speaker }
        for (const chunk of chunksOf(text, ranges, () => metadata)) chunks.push(chunk)
      }
      return chunks
    },
  }
}

interface Turn {
  readonly start: number
  end: number
  readonly speaker?: string
}

function turnsIn(text: string): Turn[] {
  const found: Turn[] = [{ start: text.charCodeAt(0) === 0xfeff ? 1 : 0, end: text.length }]
  const fences = new Fences(text)
  for (let at = found[0]!.start, end = 0; at < text.length; at = end + 1) {
    end = lineEnd(text, at, text.length)
    if (fences.holds(at, end)) continue
    const speaker = speakerOf(text.slice(at, Math.min(end, at + 200)))
    if (speaker === undefined) continue
    found.at(-1)!.end = at
    found.push({ start: at, end: text.length, speaker })
  }
  return found
}

/** Follows code fences from line to line. One that is never closed is none: it would swallow all later turns. */
class Fences {
  readonly #text: string
  #open: Fence | undefined
  /** Searches that reached the end of the text in vain, by mark: no larger fence of that mark is closed either. */
  readonly #vain = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  holds(at: number, end: number): boolean {
    const text = this.#text
    const ink = inkStart(text, at, end)
    if (this.#open !== undefined) {
      if (closesFence(this.#open, text, ink, end)) this.#open = undefined
      return true
    }
    const fence = indentOf(text, at, end) < 4 ? fenceAt(text, ink, end) : undefined
    if (fence === undefined || !this.#isClosed(fence, end + 1)) return false
    this.#open = fence
    return true
  }

  #isClosed(fence: Fence, from: number): boolean {
    if (fence.size >= (this.#vain.get(fence.mark) ?? Number.POSITIVE_INFINITY)) return false
    for (let at = from, end = 0; at < this.#text.length; at = end + 1) {
      end = lineEnd(this.#text, at, this.#text.length)
      if (closesFence(fence, this.#text, inkStart(this.#text, at, end), end)) return true
    }
    this.#vain.set(fence.mark, fence.size)
    return false
  }
}

const ROLES = new Set(
  'user assistant system developer tool function human ai bot agent model'.split(' '), // as chat formats name them
)
const TIME = /^(?:\[[\d:.,\s-]{3,31}\]|\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?)\s+/
const NAME = /^[\p{L}\p{M}\p{N}.'’_&/ -]{1,40}$/u
const WORD = /^(?:[dl]['’])?[\p{Lu}\p{Lt}\p{Lo}\p{N}]|^[&/-]$/u
const PARTICLES = new Set('al bin da de del della den der di dos du ibn la le ten ter van von y'.split(' '))
const LETTER = /\p{L}/u

/** The speaker that the line names, if it starts a turn. */
function speakerOf(line: string): string | undefined {
  const level = headingLevel(line, 0, line.length)
  if (level > 0 && line[0] === '#') {
    const title = line.slice(level).trim()
    const name = title.replace(/[:：]$/, '')
    return name !== title || ROLES.has(title.toLowerCase()) ? nameOf(name) : undefined
  }
  const rest = line.replace(TIME, '')
  if (rest.startsWith('**')) {
    const close = rest.indexOf('**', 2)
    if (close < 0) return undefined
    const inside = rest.slice(2, close)
    if (/[:：]$/.test(inside)) return nameOf(inside.slice(0, -1))
    return colonAt(rest.slice(close + 2)) === 0 ? nameOf(inside) : undefined
  }
  const colon = colonAt(rest)
  return colon > 0 ? nameOf(rest.slice(0, colon)) : undefined
}

/** The first colon that white space or the end of the line follows, or a full-width one. */
function colonAt(line: string): number {
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '：') return i
    if (line[i] === ':' && (i + 1 === line.length || line[i + 1]!.trim() === '')) return i
  }
  return -1
}

function nameOf(text: string): string | undefined {
  const aside = text.endsWith(')') ? text.indexOf('(') : -1
  const name = (aside < 0 ? text : text.slice(0, aside)).trim()
  if (ROLES.has(name.toLowerCase())) return name
  if (!NAME.test(name) || !LETTER.test(name) || text.startsWith(' ')) return undefined
  const words = name.split(' ')
  const fit =
    words.every((word) => WORD.test(word) || PARTICLES.has(word)) && words.some((word) => WORD.test(word))
  return fit && words.length <= 5 ? name : undefined
}
