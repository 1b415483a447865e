import { Problem } from '../wire/problem.ts'

export interface Limits {
  /** Bytes of a request's body. Default 40 MiB. */
  readonly body: number
  /** Requests answered at once, streams apart. Default 256. */
  readonly requests: number
  /** Streams open at once. Default 1024. */
  readonly streams: number
  /** Milliseconds for a request, from its first byte to its answer. Default 30 000. */
  readonly time: number
}

export const DEFAULT_LIMITS: Limits = { body: 40 * 2 ** 20, requests: 256, streams: 1024, time: 30_000 }

/** How many there are of something, and when there are none. */
export class Tally {
  count = 0
  #waiting: (() => void)[] = []

  enter(): void {
    this.count++
  }

  leave(): void {
    this.count--
    if (this.count === 0) for (const wake of this.#waiting.splice(0)) wake()
  }

  async empty(): Promise<void> {
    if (this.count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}

/**
 * Ends what takes longer than it may. All of it may take as long, so that one timer is enough, set for the one that has
 * waited longest: setting and clearing one for each request costs more than the rest of a short answer's bookkeeping.
 */
export class Deadlines {
  readonly #time: number
  /** In the order in which they began. */
  readonly #begun = new Map<() => void, number>()
  #timer: NodeJS.Timeout | undefined

  /** `time`: milliseconds. */
  constructor(time: number) {
    this.#time = time
  }

  /** Calls `late` when time is up, unless `end` was called with it. */
  begin(late: () => void): void {
    this.#begun.set(late, performance.now())
    // Only while somebody waits does it keep the process alive.
    if (this.#timer === undefined) this.#lookIn(this.#time)
    else if (this.#begun.size === 1) this.#timer.ref()
  }

  end(late: () => void): void {
    if (this.#begun.delete(late) && this.#begun.size === 0) this.#timer?.unref()
  }

  #lookIn(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#look(), milliseconds)
  }

  #look(): void {
    this.#timer = undefined
    const now = performance.now()
    for (const [late, since] of this.#begun) {
      const left = since + this.#time - now
      if (left > 0) {
        this.#lookIn(Math.ceil(left))
        return
      }
      this.#begun.delete(late)
      late()
    }
  }
}

/** Who is being served: requests, and streams apart. */
export class Crowd {
  readonly #limits: Limits
  readonly #requests = new Tally()
  readonly #streams = new Tally()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Answers how to leave. @throws Problem TOO_MANY_REQUESTS (429) */
  enter(stream: boolean): () => void {
    const tally = stream ? this.#streams : this.#requests
    const most = stream ? this.#limits.streams : this.#limits.requests
    if (tally.count >= most)
      throw new Problem(
        429,
        'TOO_MANY_REQUESTS',
        `${tally.count} ${stream ? 'streams are open' : 'requests are being answered'}, which is the most at once; try again`,
        { headers: { 'Retry-After': '1' } },
      )
    tally.enter()
    return () => tally.leave()
  }

  /** When the last request, streams apart, was answered. */
  empty(): Promise<void> {
    return this.#requests.empty()
  }
}

const tooLarge = (limit: number) =>
  new Problem(413, 'TOO_LARGE', `the body is larger than ${limit} bytes; send it in parts`, {
    members: { limit },
  })

/** Refuses a body that says it is too large. True when it says how large it is: a connection holds it to that. */
export function declared(request: Request, limit: number): boolean {
  const length = request.headers.get('content-length')
  if (length === null) return false
  if (Number(length) > limit) throw tooLarge(limit)
  return true
}

/** Passes a body on until it is larger than allowed. */
export function limited(body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> {
  let size = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength
        if (size > limit) controller.error(tooLarge(limit))
        else controller.enqueue(chunk)
      },
    }),
  )
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

async function bytesOf(request: Request, limit: number): Promise<ArrayBuffer> {
  // Asked before the body: to look at it makes a stream of it, which costs more than to read it.
  if (declared(request, limit)) return await request.arrayBuffer()
  return request.body === null
    ? new ArrayBuffer(0)
    : await new Response(limited(request.body, limit)).arrayBuffer()
}

/** A body as JSON; undefined when there is none. @throws Problem TOO_LARGE, NOT_JSON */
export async function jsonBody(request: Request, limit: number): Promise<unknown> {
  const bytes = await bytesOf(request, limit)
  if (bytes.byteLength > limit) throw tooLarge(limit)
  if (bytes.byteLength === 0) return undefined
  // Also what keeps a web page from sending this without asking first.
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type))
    throw new Problem(
      415,
      'NOT_JSON',
      `the body is ${type === '' ? 'of no declared type' : 'no JSON by its Content-Type'}; send Content-Type: application/json`,
    )
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    throw new Problem(400, 'NOT_JSON', 'the body is no UTF-8')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem(400, 'NOT_JSON', `the body is no JSON: ${(error as Error).message}`)
  }
}
