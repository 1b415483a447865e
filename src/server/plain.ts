import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlainAnswer, PlainRequest } from '../wire/mount.ts'
import { Problem } from '../wire/problem.ts'
import type { Visitor } from './visit.ts'

/*
 * What Node's server hands over, answered without a `Request` and a `Response` being made: for short requests that are
 * often made, those two and what stands between them take longer than the answer.
 */

const UTF8 = new TextDecoder()

export class PlainIncoming implements PlainRequest, Visitor {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #length: number
  #gone: AbortController | undefined

  /** `length`: bytes of the body, as declared. */
  constructor(incoming: IncomingMessage, outgoing: ServerResponse, length: number) {
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#length = length
  }

  get url(): string {
    const { headers, url } = this.#incoming
    return `http://${headers.host ?? ''}${url}`
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Aborted when the caller is gone before the answer is. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController()
      this.#gone = gone
      const outgoing = this.#outgoing
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) gone.abort()
      })
    }
    return this.#gone.signal
  }

  /** @throws Problem NOT_JSON when the caller goes before all of it came */
  text(): Promise<string> {
    if (this.#length === 0) return Promise.resolve('')
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = []
      let size = 0
      this.#incoming.on('data', (part: Buffer) => {
        parts.push(part)
        size += part.length
        // The stream's own end comes some turns later.
        if (size === this.#length) resolve(UTF8.decode(parts.length === 1 ? part : Buffer.concat(parts)))
      })
      // Every request closes; an error is made, with its stack, only where this one was cut short.
      const cut = () => {
        if (size < this.#length)
          reject(new Problem(400, 'NOT_JSON', `the body ended after ${size} of ${this.#length} bytes`))
      }
      if (this.#incoming.destroyed) cut()
      else this.#incoming.once('close', cut)
    })
  }
}

/** How many bytes the body says it has; 0 where there is none, undefined where that is not known beforehand. */
export function declaredLength({ method, headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return method === 'GET' && headers['transfer-encoding'] === undefined ? 0 : undefined
}

/** The answer; `further` are headers besides its own. */
export function sendPlain(
  outgoing: ServerResponse,
  { status, headers, body }: PlainAnswer,
  further: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(status, { ...headers, ...further, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}
