import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ClientOptions, SpanstoreClient } from '../../src/client/index.ts'
import type { Delivery, StoreEvent } from '../../src/index.ts'

const SERVING = fileURLToPath(new URL('serving.ts', import.meta.url))

/** A server process that can be killed and started again on its port. */
export class ServerProcess {
  readonly #directory: string
  #child: ChildProcess | undefined
  url = ''
  /** The most memory any of its processes had, in bytes, since `watch`. */
  peak = 0
  #watching: NodeJS.Timeout | undefined

  constructor(directory: string) {
    this.#directory = directory
  }

  async start(): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port
    const child = spawn(process.execPath, ['--import', 'tsx', SERVING, this.#directory, port], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    const [url] = await once(createInterface({ input: child.stdout! }), 'line')
    this.url = url as string
  }

  /** Without a chance to say goodbye. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  async stop(): Promise<void> {
    clearInterval(this.#watching)
    const gone = once(this.#child!, 'exit')
    this.#child!.kill('SIGTERM')
    await gone
  }

  /** Resident bytes. */
  get memory(): number {
    try {
      const status = readFileSync(`/proc/${this.#child!.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
    } catch {
      return 0
    }
  }

  watch(): void {
    this.#watching = setInterval(() => {
      this.peak = Math.max(this.peak, this.memory)
    }, 50).unref()
  }
}

/** What one subscriber saw, collection by collection, and the first thing that was wrong with it. */
export class Seen {
  readonly last = new Map<string, number>()
  wrong: string | undefined
  count = 0
  readonly name: string
  readonly #repeats: boolean

  /** `repeats`: events may come again, from some earlier one on, but none may be left out. */
  constructor(name: string, repeats: boolean) {
    this.name = name
    this.#repeats = repeats
  }

  take({ collection, position }: StoreEvent): void {
    this.count++
    const last = this.last.get(collection) ?? 0
    const fits = this.#repeats ? position <= last + 1 : position === last + 1
    if (!fits) this.wrong ??= `${this.name}: ${collection} ${position} after ${last}`
    this.last.set(collection, Math.max(last, position))
  }

  reached(heads: ReadonlyMap<string, number>): boolean {
    return [...heads].every(([collection, head]) => (this.last.get(collection) ?? 0) >= head)
  }
}

/** Every subscriber reads until it is stopped. */
export interface Subscriber {
  readonly seen: Seen
  readonly done: Promise<void>
}

const isStop = (error: unknown) =>
  ['ABORTED', 'STORE_CLOSED'].includes((error as { code?: string }).code ?? '')

async function reading(
  events: AsyncIterable<Delivery>,
  each: (event: Delivery) => Promise<boolean>,
): Promise<void> {
  try {
    for await (const event of events) if (!(await each(event))) return
  } catch (error) {
    if (!isStop(error)) throw error
  }
}

/** Follows without a consumer; every tenth event takes it `slow` milliseconds. */
export function stream(client: SpanstoreClient, name: string, signal: AbortSignal, slow = 0): Subscriber {
  const seen = new Seen(name, false)
  const done = reading(client.subscribe({ signal }), async (event) => {
    seen.take(event)
    if (slow > 0 && seen.count % 10 === 0) await sleep(slow)
    return true
  })
  return { seen, done }
}

/** Dies after so many events, and goes on where it was. */
export function dyingStream(
  client: SpanstoreClient,
  name: string,
  signal: AbortSignal,
  life: number,
): Subscriber {
  const seen = new Seen(name, false)
  const run = async () => {
    let from: string | undefined
    while (!signal.aborted) {
      let left = life
      await reading(client.subscribe({ signal, ...(from !== undefined && { from }) }), async (event) => {
        seen.take(event)
        from = event.cursor
        left--
        return left > 0
      })
    }
  }
  return { seen, done: run() }
}

/** Acknowledges each event, or some at a time. */
export function consumer(client: SpanstoreClient, name: string, signal: AbortSignal, atOnce = 1): Subscriber {
  const seen = new Seen(name, false)
  let waiting: Promise<void>[] = []
  const done = reading(client.subscribe({ consumer: name, signal }), async (event) => {
    seen.take(event)
    const acked = event.ack()
    acked.catch(() => undefined)
    waiting.push(acked)
    if (waiting.length >= atOnce) {
      await Promise.all(waiting)
      waiting = []
    }
    return true
  })
  return { seen, done: done.finally(() => Promise.allSettled(waiting)) }
}

/** Loses its process now and then, with what it had not acknowledged; another takes over under its name. */
export function dyingConsumer(url: string, name: string, signal: AbortSignal, life: number): Subscriber {
  const seen = new Seen(name, true)
  const run = async () => {
    while (!signal.aborted) {
      let left = life
      const process = { dead: false }
      const client = await connected(url, signal, {
        fetch: (input, init) => (process.dead ? Promise.reject(new Error('dead')) : fetch(input, init)),
        retries: 0,
      })
      if (client === undefined) return
      const events = client.subscribe({ consumer: name, holder: name, signal })
      try {
        for (;;) {
          const { value } = await events.next()
          if (value === undefined) return
          seen.take(value)
          if (--left <= 0) break
          const acked = value.ack()
          acked.catch(() => undefined)
          // Those of the last twenty are on their way when it dies.
          if (left % 20 === 0) await acked
        }
      } catch (error) {
        if (isStop(error)) return
        if ((error as { code?: string }).code !== 'SERVER_UNREACHABLE') throw error
      } finally {
        // Nothing more is said to the server.
        process.dead = true
        await client.close()
      }
    }
  }
  return { seen, done: run() }
}

/** A client, as soon as there is a server. */
async function connected(
  url: string,
  signal: AbortSignal,
  options: ClientOptions = {},
): Promise<SpanstoreClient | undefined> {
  while (!signal.aborted) {
    try {
      return await SpanstoreClient.connect(url, options)
    } catch (error) {
      if ((error as { code?: string }).code !== 'SERVER_UNREACHABLE') throw error
      await sleep(50)
    }
  }
  return undefined
}

/** A connection that asks for everything and reads nothing. */
export function stalled(url: string): { end(): void } {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.pause()
  socket.write('GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return { end: () => socket.destroy() }
}

/** Documents cut in another way each round, each write sent until it is done. @returns where the collections stand */
export async function rechunking(
  client: SpanstoreClient,
  collections: readonly string[],
  options: {
    readonly rounds: number
    readonly paragraphs: number
    readonly each?: (round: number) => Promise<void>
  },
): Promise<ReadonlyMap<string, number>> {
  const heads = new Map<string, number>()
  for (let round = 0; round < options.rounds; round++) {
    await Promise.all(
      collections.map(async (name) => {
        const spans = Array.from({ length: options.paragraphs }, (_, i) => ({
          text: `Paragraph ${i + (round % 3) * 1000} of a document that is cut again and again, round ${i % 2 === 0 ? 0 : round}.`,
        }))
        const { position } = await (await client.collection(name)).put({
          source: 'document',
          spans,
          commandId: `${name} ${round}`,
        })
        heads.set(name, position)
      }),
    )
    await options.each?.(round)
  }
  return heads
}

/** Until every subscriber has seen everything. */
export async function all(
  subscribers: readonly Subscriber[],
  heads: ReadonlyMap<string, number>,
  patience: number,
): Promise<void> {
  const until = Date.now() + patience
  for (;;) {
    const behind = subscribers.filter(({ seen }) => !seen.reached(heads))
    if (behind.length === 0) return
    const wrong = behind.find(({ seen }) => seen.wrong !== undefined)
    if (wrong !== undefined) throw new Error(wrong.seen.wrong)
    if (Date.now() > until)
      throw new Error(
        `${behind.length} of ${subscribers.length} have not seen everything, such as ${behind[0]!.seen.name}: ${JSON.stringify([...behind[0]!.seen.last])} of ${JSON.stringify([...heads])}`,
      )
    await sleep(20)
  }
}
