import { connect, type Socket } from 'node:net'
import { type Message, MessageParser } from '../../src/client/sse.ts'
import type { StoreEvent } from '../../src/index.ts'

/** A stream of events as a client without a library would read it: message by message. */
export class Sse {
  readonly response: Response
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #parser = new MessageParser()
  readonly #messages: Message[] = []
  /** Everything, as it came. */
  text = ''

  constructor(response: Response) {
    this.response = response
    this.#reader = response.body!.getReader()
  }

  static async open(url: string, init: RequestInit = {}): Promise<Sse> {
    return new Sse(await fetch(url, init))
  }

  /** Undefined at the end of the stream. */
  async next(): Promise<Message | undefined> {
    while (this.#messages.length === 0) {
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.text += new TextDecoder().decode(value)
      this.#messages.push(...this.#parser.feed(value))
    }
    return this.#messages.shift()
  }

  /** The next event, whatever ids come before it. */
  async event(): Promise<StoreEvent & { readonly cursor: string | undefined }> {
    for (;;) {
      const message = await this.next()
      if (message === undefined) throw new Error(`the stream ended: ${this.text}`)
      if (message.event === 'message' && message.data !== undefined)
        return { ...(JSON.parse(message.data) as StoreEvent), cursor: message.id }
    }
  }

  async rest(): Promise<Message[]> {
    const all: Message[] = []
    for (let message = await this.next(); message !== undefined; message = await this.next())
      all.push(message)
    return all
  }

  async close(): Promise<void> {
    await this.#reader.cancel()
  }
}

/** A request on a socket that is not read until told. */
export function unread(url: string, path: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return socket
}
