import { SpanStoreError } from '../core/errors.ts'

/**
 * A message of a chat transcript, in any of the common shapes. Other members are ignored. The first of `speaker`,
 * `author`, `name`, `role` that is given names who speaks. Of a `content` (or `text`) that is a list, the parts
 * that are strings or carry a string `text` under type `text`, `input_text`, `output_text` or none count.
 */
export interface Message {
  readonly speaker?: string | null
  readonly author?: string | null
  readonly name?: string | null
  readonly role?: string | null
  readonly content?: string | readonly (string | MessagePart)[] | null
  readonly text?: string | readonly (string | MessagePart)[] | null
}

export interface MessagePart {
  readonly type?: string
  readonly text?: unknown
}

export interface TurnSpan {
  readonly text: string
  readonly metadata: { readonly speaker: string }
}

/**
 * One span per message that has text, in order, ready for `put({ spans })` or `append`. The text is the message's
 * own, unchanged (parts of a list are joined with a blank line). Messages without text — calls of tools, images
 * — and messages whose text is blank have none. Throws `INVALID_ARGUMENT` when a message names no speaker or its
 * content is neither text nor parts.
 */
export function turnsFromMessages(messages: readonly Message[]): TurnSpan[] {
  if (!Array.isArray(messages)) throw invalid('messages', messages, 'is not a list of messages')
  const spans: TurnSpan[] = []
  messages.forEach((message: unknown, i) => {
    const path = `messages[${i}]`
    if (!isObject(message)) throw invalid(path, message, 'is not an object')
    const speaker = [message.speaker, message.author, message.name, message.role].find(isName)
    if (speaker === undefined) throw invalid(path, message, 'has none of speaker, author, name and role')
    const member = message.content === undefined ? 'text' : 'content'
    const text = textOf(message[member], `${path}.${member}`)
    if (text.trim() !== '') spans.push({ text, metadata: { speaker } })
  })
  return spans
}

const TEXT_TYPES: readonly unknown[] = ['text', 'input_text', 'output_text', undefined]

function textOf(content: unknown, path: string): string {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalid(path, content, 'is neither text nor a list of parts')
  const parts: string[] = []
  content.forEach((part: unknown, i) => {
    if (typeof part === 'string') parts.push(part)
    else if (!isObject(part)) throw invalid(`${path}[${i}]`, part, 'is neither text nor a part')
    else if (TEXT_TYPES.includes(part.type) && typeof part.text === 'string') parts.push(part.text)
  })
  return parts.filter((part) => part.trim() !== '').join('\n\n')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function invalid(path: string, value: unknown, problem: string): SpanStoreError<'INVALID_ARGUMENT'> {
  return new SpanStoreError('INVALID_ARGUMENT', `${path} ${problem}.`, { path, value })
}
