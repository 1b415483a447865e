import { readFile, stat } from 'node:fs/promises'
import { type Chunker, chunkerFor, type Message, turns, turnsFromMessages } from '../chunking/index.ts'
import type { Json, Metadata } from '../index.ts'
import { codeOf } from './walk.ts'

/**
 * What a file was taken for. `chat`: messages, a span each; `records`: JSON lines, a span each; `transcript`: text
 * that names its speakers.
 */
export type Kind = 'markdown' | 'text' | 'code' | 'transcript' | 'chat' | 'records'

export interface ContentSpan {
  readonly text: string
  readonly metadata?: Metadata
}

export type Content =
  | { readonly kind: Kind; readonly text: string; readonly chunker: Chunker; readonly spans?: undefined }
  | { readonly kind: Kind; readonly text: string; readonly spans: readonly ContentSpan[] }

export type Skipped = 'binary' | 'too-big' | 'symlink' | 'unreadable'

/** Reads a file and says how it is to be stored, or why it is not. */
export async function readContent(
  full: string,
  path: string,
  maxBytes: number,
): Promise<Content | { readonly skipped: Skipped; readonly why: string }> {
  let bytes: Buffer
  try {
    const { size } = await stat(full)
    if (size > maxBytes) return { skipped: 'too-big', why: `${size} bytes` }
    bytes = await readFile(full)
  } catch (error) {
    return { skipped: 'unreadable', why: codeOf(error) }
  }
  const text = textOf(bytes)
  return text === undefined
    ? { skipped: 'binary', why: 'it holds a NUL or is not UTF-8' }
    : contentOf(path, text)
}

/** The text of a file, byte for byte; `undefined` when it is none. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** How a text of this name is to be stored. */
function contentOf(path: string, text: string): Content {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  if (extension === 'jsonl' || extension === 'ndjson') {
    const spans = recordsIn(text)
    if (spans !== undefined) return spansOf(spans.kind, spans.spans)
  }
  if (extension === 'json') {
    const spans = messagesIn(parse(text))
    if (spans !== undefined) return spansOf('chat', spans)
  }
  const chunker = chunkerFor(path)
  const kind = chunker.id.startsWith('markdown/')
    ? 'markdown'
    : chunker.id.startsWith('code/')
      ? 'code'
      : 'text'
  if (kind !== 'code' && isTranscript(text)) return { kind: 'transcript', text, chunker: turns() }
  return { kind, text, chunker }
}

/** The lines of a source made of spans are its spans, as the store joins them. */
const spansOf = (kind: Kind, spans: readonly ContentSpan[]): Content => ({
  kind,
  spans,
  text: spans.map((span) => span.text).join('\n'),
})

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isMessage = (value: unknown): value is Message =>
  isObject(value) &&
  [value.speaker, value.author, value.name, value.role].some(
    (who) => typeof who === 'string' && who !== '',
  ) &&
  (value.content !== undefined || value.text !== undefined)

/** A list of messages, or an object that holds one under `messages` or `turns`. */
function messagesIn(value: unknown): readonly ContentSpan[] | undefined {
  const list = isObject(value) ? (value.messages ?? value.turns) : value
  if (!Array.isArray(list) || list.length === 0 || !list.every(isMessage)) return undefined
  try {
    return turnsFromMessages(list)
  } catch {
    return undefined
  }
}

/** Longer lists of numbers are vectors: they belong to another model, and would only weigh. */
const LONGEST_NUMBERS = 64

/**
 * JSON lines: messages when every line is one; else a span for each line, which is its `text` (or `content`) with
 * the other members as metadata `record`, or the line as it is.
 */
export function recordsIn(
  text: string,
): { readonly kind: 'chat' | 'records'; readonly spans: readonly ContentSpan[] } | undefined {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
  if (lines.length === 0) return undefined
  const values = lines.map(parse)
  const chat = messagesIn(values)
  if (chat !== undefined) return { kind: 'chat', spans: chat }
  return {
    kind: 'records',
    spans: values.map((value, i) => {
      const raw = { text: lines[i]! }
      if (!isObject(value)) return raw
      const member = typeof value.text === 'string' ? 'text' : 'content'
      const own = value[member]
      if (typeof own !== 'string' || own.trim() === '' || !own.isWellFormed()) return raw
      const rest = Object.entries(value).filter(([name, member_]) => name !== member && !isVector(member_))
      if (rest.length === 0) return { text: own }
      return { text: own, metadata: { record: Object.fromEntries(rest) as Json } }
    }),
  }
}

const isVector = (value: unknown): boolean =>
  Array.isArray(value) && value.length > LONGEST_NUMBERS && value.every((item) => typeof item === 'number')

/** Long texts are judged by their beginning. */
const LOOKED_AT = 200_000

const ONE_PER_TURN = turns({ max: Number.MAX_SAFE_INTEGER })

/**
 * Whether a text is a conversation: two or more speakers have two turns or more each, and what these say is nine
 * tenths of it. Prose with a few lines such as "Note: …" is not.
 */
function isTranscript(text: string): boolean {
  const head = text.slice(0, LOOKED_AT)
  const spoken = new Map<unknown, { turns: number; length: number }>()
  let length = 0
  for (const chunk of ONE_PER_TURN.chunk(head)) {
    length += chunk.text.length
    if (chunk.metadata === undefined) continue
    const { speaker } = chunk.metadata
    const known = spoken.get(speaker) ?? { turns: 0, length: 0 }
    spoken.set(speaker, { turns: known.turns + 1, length: known.length + chunk.text.length })
  }
  const speakers = [...spoken.values()].filter((one) => one.turns >= 2)
  return speakers.length >= 2 && speakers.reduce((sum, one) => sum + one.length, 0) >= 0.9 * length
}
