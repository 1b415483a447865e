import { randomBytes, timingSafeEqual } from 'node:crypto'
import { IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as Listener } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import { SpanStoreError } from '../core/errors.ts'
import type { Store } from '../index.ts'
import { chromaMount } from '../wire/chroma/app.ts'
import type { Mount, PlainAnswer, PlainHandler } from '../wire/mount.ts'
import { ANYONE, type Principal } from '../wire/principal.ts'
import { Problem, problemOf, problemResponse } from '../wire/problem.ts'
import { checkHost, checkOrigin, isLoopback, preflight, shared } from './guard.ts'
import { serveRoutes } from './handling.ts'
import { Crowd, DEFAULT_LIMITS, Deadlines, declared, type Limits, limited, Tally } from './limits.ts'
import type { LogEntry } from './log.ts'
import { Metrics } from './metrics.ts'
import { declaredLength, PlainIncoming, sendPlain } from './plain.ts'
import { ROUTES } from './routes/all.ts'
import type { Tokens } from './tokens.ts'
import { isUntraced, traced } from './tracing.ts'
import { type House, Visit, type Visitor, visitorOf } from './visit.ts'

export interface ServerOptions {
  /** A secret that opens everything, in `Authorization: Bearer`. */
  readonly token?: string
  /** Tokens with scopes; they are asked for as soon as there is one. */
  readonly tokens?: Tokens
  /**
   * Names, with or without a port, this server may be called by. Left out: `localhost` and loopback addresses while it
   * asks for no token, any name otherwise.
   */
  readonly hosts?: readonly string[]
  /** Origins (`https://app.example`) whose pages may use it from a browser. */
  readonly origins?: readonly string[]
  readonly limits?: Partial<Limits>
  /** Called once a request, and when something fails. */
  readonly log?: (entry: LogEntry) => void
  /** Other protocols on the same port. Default: Chroma's, under `/api/v2`. */
  readonly mounts?: readonly Mount[]
}

/** For so many milliseconds a stopping server answers what was sent before its caller could know. */
const LINGER = 100

/** Where a server listens. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly url: string
}

/** A store over HTTP. It does not own the store: whoever opened that closes it, after the server. */
export interface Server {
  /** Answers one request, in process: mount it in any program that has `Request` and `Response`. Needs no `this`. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Listens on a port; 0 for any that is free. Default 127.0.0.1:8000.
   * @throws INVALID_ARGUMENT for an address that others can reach while no token is asked for; Node's own error when
   * the port is taken
   */
  listen(options?: { readonly host?: string; readonly port?: number }): Promise<Listening>
  /**
   * Takes no more requests, ends streams, waits for what is being answered (`grace` milliseconds, default 1500),
   * then closes every connection.
   */
  close(options?: { readonly grace?: number }): Promise<void>
}

export function createServer(store: Store, options: ServerOptions = {}): Server {
  return new StoreServer(store, options)
}

/** A request that hands its body over in one piece where all of it is there already: the adapter asks for `rawBody`. */
class Incoming extends IncomingMessage {
  #whole: Buffer | undefined

  get rawBody(): Buffer | undefined {
    if (this.#whole === undefined && this.complete && !this.readableDidRead && this.readableLength > 0)
      this.#whole = this.read() as Buffer
    return this.#whole
  }
}

class StoreServer implements Server {
  readonly #options: ServerOptions
  readonly #house: House
  readonly #mounts: readonly Mount[]
  readonly #metrics: Metrics
  readonly #app: ReturnType<typeof serveRoutes>
  /** What ids of requests begin with: another for each server. */
  readonly #name = randomBytes(4).toString('hex')
  #visits = 0
  readonly #stopping = new AbortController()
  readonly #stopped = new AbortController()
  /** Answers on their way through a socket. */
  readonly #sending = new Tally()
  #asksForTokens: boolean
  #http: ServerType | undefined
  #closed: Promise<void> | undefined

  constructor(store: Store, options: ServerOptions) {
    this.#options = options
    this.#mounts = options.mounts ?? [chromaMount(store)]
    this.#asksForTokens = options.token !== undefined || options.tokens?.any === true
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#house = {
      crowd: new Crowd(limits),
      time: limits.time,
      deadlines: new Deadlines(limits.time),
      bodyLimit: limits.body,
      stopping: this.#stopping.signal,
      stopped: this.#stopped.signal,
      identify: (visitor) => this.#identify(visitor),
      fetched: (status, count) => this.#metrics.fetched(status, count),
    }
    this.#metrics = new Metrics(store)
    this.#app = serveRoutes(ROUTES, {
      store,
      metrics: this.#metrics,
      routes: ROUTES,
      collection: (name) => store.collection(name, { create: false }),
      failed: (visit, error) => this.#failed(visit, error),
    })
  }

  /** A property, so that it can be handed on without its server. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const visitor = visitorOf(request)
    const visit = this.#begun(visitor)
    const started = performance.now()
    const response = await traced(request, visit, () => this.#answer(request, visitor, visit))
    // The caller's next request is not to be sent over a connection that is about to end.
    if (this.#stopping.signal.aborted) response.headers.set('Connection', 'close')
    this.#ended(visit, request.method, response.status, started)
    return response
  }

  #begun(visitor: Visitor): Visit {
    this.#metrics.begun()
    return new Visit(`${this.#name}-${(this.#visits++).toString(36)}`, visitor, this.#house)
  }

  #ended(visit: Visit, method: string, status: number, started: number): void {
    const seconds = (performance.now() - started) / 1000
    this.#metrics.answered({ route: visit.route, method, status, seconds })
    this.#options.log?.({
      level: status >= 500 ? 'error' : 'info',
      event: 'request',
      id: visit.id,
      method,
      route: visit.route,
      path: visit.path,
      status,
      ms: Math.round(seconds * 1e6) / 1e3,
      ...(visit.admitted ? { principal: visit.principal.name } : {}),
    })
  }

  /** Answers what a mount answers at once. False: everything else, which goes through `fetch`. */
  #atOnce(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { method = '', url = '', headers } = incoming
    const mount = this.#mounts.find(
      ({ atOnce, prefix }) => atOnce !== undefined && url.startsWith(`${prefix}/`),
    )
    const handler = mount?.atOnce?.(method, url)
    if (mount === undefined || handler === undefined || headers.origin !== undefined) return false
    const length = declaredLength(incoming)
    if (length === undefined || !(length <= this.#house.bodyLimit)) return false
    if (this.#stopping.signal.aborted || !isUntraced()) return false
    void this.#plainly(
      mount,
      handler,
      new PlainIncoming(incoming, outgoing, length),
      incoming.method!,
      outgoing,
    )
    return true
  }

  async #plainly(
    mount: Mount,
    handler: PlainHandler,
    request: PlainIncoming,
    method: string,
    outgoing: ServerResponse,
  ) {
    const started = performance.now()
    const visit = this.#begun(request)
    let answer: PlainAnswer
    try {
      this.#checkHost(request)
      visit.admit(mount.prefix, 'read')
      try {
        answer = await visit.inTime(handler(request, visit))
      } finally {
        visit.leave()
      }
    } catch (error) {
      const refusal = mount.problem(this.#failed(visit, error))
      answer = {
        status: refusal.status,
        headers: Object.fromEntries(refusal.headers),
        body: await refusal.text(),
      }
    }
    if (!outgoing.destroyed)
      sendPlain(outgoing, answer, this.#stopping.signal.aborted ? { Connection: 'close' } : {})
    this.#ended(visit, method, answer.status, started)
  }

  #checkHost(visitor: Visitor): void {
    const { hosts } = this.#options
    if (hosts !== undefined || !this.#asksForTokens) checkHost(visitor, hosts)
  }

  async #answer(request: Request, visitor: Visitor, visit: Visit): Promise<Response> {
    const pathname = visit.path
    const mount = this.#mounts.find(({ prefix }) => pathname === prefix || pathname.startsWith(`${prefix}/`))
    let origin: string | undefined
    let response: Response
    try {
      if (this.#stopping.signal.aborted)
        throw new Problem(503, 'SHUTTING_DOWN', 'the server is stopping; try again', {
          headers: { Connection: 'close', 'Retry-After': '1' },
        })
      this.#checkHost(visitor)
      origin = checkOrigin(visitor, this.#options.origins ?? [])
      if (request.method === 'OPTIONS' && origin !== undefined) return preflight(origin)
      response =
        mount === undefined
          ? await this.#app.fetch(request, visit)
          : await this.#mounted(mount, request, visit)
    } catch (error) {
      const problem = this.#failed(visit, error)
      response = mount === undefined ? problemResponse(problem, visit.headers) : mount.problem(problem)
    }
    if (origin !== undefined)
      for (const [name, value] of Object.entries(shared(origin))) response.headers.set(name, value)
    return response
  }

  async #mounted(mount: Mount, request: Request, visit: Visit): Promise<Response> {
    visit.admit(mount.prefix, 'read')
    try {
      const { bodyLimit } = this.#house
      const bounded =
        declared(request, bodyLimit) || request.body === null
          ? request
          : // From its parts: what the adapter hands over only looks like a Request.
            new Request(request.url, {
              method: request.method,
              headers: request.headers,
              signal: request.signal,
              body: limited(request.body, bodyLimit),
              duplex: 'half',
            })
      return await visit.inTime(Promise.resolve(mount.fetch(bounded, visit)))
    } finally {
      visit.leave()
    }
  }

  /** What a failure is to the caller; whoever looks after the server learns the rest. */
  #failed(visit: Visit, error: unknown): Problem {
    const problem = problemOf(error)
    if (problem.status >= 500 && problem.code !== 'SHUTTING_DOWN') {
      const cause = problem.cause ?? problem
      this.#options.log?.({
        level: 'error',
        event: 'failure',
        id: visit.id,
        code: problem.code,
        error: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
      })
    }
    return problem
  }

  #identify(visitor: Visitor): Principal {
    const { token, tokens } = this.#options
    // Once asked for, always asked for: the last token's end must not open the door.
    this.#asksForTokens ||= tokens?.any === true
    if (!this.#asksForTokens) return ANYONE
    const given = bearer(visitor)
    if (given !== undefined) {
      if (token !== undefined && same(given, token)) return { name: 'the server’s token', access: 'admin' }
      const found = tokens?.find(given)
      if (found !== undefined) return found
    }
    throw new Problem(
      401,
      'UNAUTHENTICATED',
      given === undefined
        ? 'this needs a token; send Authorization: Bearer TOKEN'
        : 'the token is not known, has expired or was revoked',
      { headers: { 'WWW-Authenticate': 'Bearer realm="spanstore"' } },
    )
  }

  async listen(options: { readonly host?: string; readonly port?: number } = {}): Promise<Listening> {
    const { host = '127.0.0.1', port = 8000 } = options
    if (!isLoopback(host) && !this.#asksForTokens)
      throw new SpanStoreError(
        'INVALID_ARGUMENT',
        `host is ${JSON.stringify(host)}, which others can reach, and nothing asks them who they are; give a token, or make one with spanstore token create`,
        { path: 'host', value: host },
      )
    if (this.#http !== undefined || this.#closed !== undefined)
      throw new SpanStoreError('INVALID_ARGUMENT', 'this server listens already, or was closed', {
        path: 'listen',
      })
    const http = createAdaptorServer({
      fetch: (request) => this.fetch(request),
      serverOptions: {
        IncomingMessage: Incoming,
        // How long a caller may take to send a request; Node answers 408 itself.
        requestTimeout: this.#house.time,
        headersTimeout: Math.min(this.#house.time, 10_000),
        connectionsCheckingInterval: Math.min(this.#house.time, 1_000),
        // Longer than any client keeps one: a connection that ends as it is used fails a request that is none to blame.
        keepAliveTimeout: 65_000,
        maxHeaderSize: 32 * 1024,
      },
    })
    this.#http = http
    const others = http.listeners('request') as ((incoming: unknown, outgoing: unknown) => void)[]
    http.removeAllListeners('request')
    http.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.#sending.enter()
      outgoing.once('close', () => this.#sending.leave())
      if (!this.#atOnce(incoming, outgoing)) for (const other of others) other(incoming, outgoing)
    })
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject)
      http.listen(port, host, () => {
        http.off('error', reject)
        resolve()
      })
    })
    const { address, port: bound, family } = http.address() as AddressInfo
    return {
      host: address,
      port: bound,
      url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    }
  }

  close({ grace = 1500 }: { readonly grace?: number } = {}): Promise<void> {
    this.#closed ??= this.#close(grace)
    return this.#closed
  }

  async #close(grace: number): Promise<void> {
    this.#stopping.abort()
    const http = this.#http
    // Of the listener, without HTTP's own part, which would end idle connections at once and with them what is on its way.
    const ended =
      http === undefined
        ? undefined
        : new Promise<void>((resolve) => Listener.prototype.close.call(http, () => resolve()))
    if (http !== undefined) await sleep(Math.min(LINGER, grace))
    // Node waits for every connection, and some never say a word: those that are owed no answer are closed.
    http?.close()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, grace)
    })
    await Promise.race([Promise.all([this.#house.crowd.empty(), this.#sending.empty()]), late])
    clearTimeout(timer)
    this.#stopped.abort()
    if (http !== undefined && 'closeAllConnections' in http) http.closeAllConnections()
    await ended
  }
}

function bearer(visitor: Visitor): string | undefined {
  const authorization = visitor.header('authorization')
  // Clients of Chroma may send theirs in a header of its own.
  if (authorization === undefined) return visitor.header('x-chroma-token')
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
}

/** Without telling by its time how much was right. */
function same(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}
