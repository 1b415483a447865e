/** One message of a stream of Server-Sent Events. */
export interface Message {
  /** `message` unless named. */
  readonly event: string
  /** Undefined: none of its lines had data, so that it only passes on `id`. */
  readonly data: string | undefined
  /** Undefined: it names none. */
  readonly id: string | undefined
}

/**
 * Takes a stream of Server-Sent Events apart (html.spec.whatwg.org, 9.2.6), whatever the chunks it comes in. A message
 * that was not finished when the stream ended is dropped.
 */
export class MessageParser {
  readonly #decoder = new TextDecoder()
  #rest = ''
  #event = ''
  #data: string[] = []
  #id: string | undefined;

  *feed(bytes: Uint8Array): Generator<Message> {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true })
    let from = 0
    for (;;) {
      const end = lineEnd(text, from)
      if (end === undefined) break
      const message = this.#line(text.slice(from, end.at))
      from = end.next
      if (message !== undefined) yield message
    }
    this.#rest = text.slice(from)
  }

  #line(line: string): Message | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    // A comment.
    if (colon === 0) return undefined
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    return undefined
  }

  #dispatch(): Message | undefined {
    const message = {
      event: this.#event || 'message',
      data: this.#data.length === 0 ? undefined : this.#data.join('\n'),
      id: this.#id,
    }
    this.#event = ''
    this.#data = []
    this.#id = undefined
    return message.data === undefined && message.id === undefined ? undefined : message
  }
}

/** Lines end with CR LF, LF or CR; a CR at the very end may be half of one. */
function lineEnd(text: string, from: number): { readonly at: number; readonly next: number } | undefined {
  const lf = text.indexOf('\n', from)
  const cr = text.indexOf('\r', from)
  if (cr < 0 || (lf >= 0 && lf < cr)) return lf < 0 ? undefined : { at: lf, next: lf + 1 }
  if (cr === text.length - 1) return undefined
  return { at: cr, next: text[cr + 1] === '\n' ? cr + 2 : cr + 1 }
}
