import { Hono, type HonoRequest } from 'hono'
import { z } from 'zod'
import { unmarked } from '../core/path-segment.ts'
import { requireAccess } from '../wire/principal.ts'
import { Problem, problemResponse } from '../wire/problem.ts'
import { checked } from './checked.ts'
import { jsonBody } from './limits.ts'
import { etag } from './results.ts'
import { Answer, parametersOf, type Route, type Services } from './route.ts'
import { type Visit, whenTaken } from './visit.ts'

type Env = { readonly Bindings: Visit }

/** Serves routes: checks what comes in by their schemas, and renders what comes out. */
export function serveRoutes(
  routes: readonly Route[],
  server: Services & { readonly failed: (visit: Visit, error: unknown) => Problem },
): Hono<Env> {
  const app = new Hono<Env>()
  for (const route of routes)
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), async ({ req, env }) => {
      try {
        return await answer(route, req, env, server)
      } catch (error) {
        return problemResponse(conditioned(route, req.raw, server.failed(env, error)), env.headers)
      }
    })
  const paths = routes.map((route) => ({
    method: route.method,
    pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  app.notFound(({ env }) => {
    const { pathname } = env.url
    const methods = [
      ...new Set(paths.flatMap(({ method, pattern }) => (pattern.test(pathname) ? [method] : []))),
    ]
    return problemResponse(
      methods.length === 0
        ? new Problem(404, 'ROUTE_UNKNOWN', 'nothing is served at this path; /openapi.json says what is')
        : new Problem(405, 'METHOD_NOT_ALLOWED', `this path takes ${methods.join(', ')}`, {
            headers: { Allow: methods.join(', ') },
          }),
      env.headers,
    )
  })
  // Routes answer their own failures; this is for what fails around them.
  app.onError((error, { env }) => problemResponse(server.failed(env, error), env.headers))
  return app
}

async function answer(route: Route, req: HonoRequest, visit: Visit, server: Services): Promise<Response> {
  visit.admit(route.path, route.access, route.stream)
  let held = false
  try {
    const response = rendered(
      route.stream || route.patient
        ? await called(route, req, visit, server)
        : await visit.inTime(called(route, req, visit, server)),
      visit.headers,
    )
    if (!route.stream) return response
    held = true
    return whenTaken(response, () => visit.leave())
  } finally {
    if (!held) visit.leave()
  }
}

async function called(route: Route, req: HonoRequest, visit: Visit, server: Services): Promise<unknown> {
  const request = req.raw
  const params: Record<string, string> = {}
  for (const name of parametersOf(route.path)) params[name] = parameter(visit.url, name, req.param(name))
  if (route.access !== 'public')
    requireAccess(
      visit.principal,
      route.access,
      route.anywhere === true
        ? 'anywhere'
        : params.collection === undefined
          ? 'store'
          : { collection: params.collection },
    )
  return await route.handle({
    request,
    params,
    query: checked('query', route.query ?? NOTHING, query(visit.url)),
    body: route.body && checked('body', route.body, await jsonBody(request, visit.bodyLimit)),
    command: commandOf(route, request.headers),
    expected: expectedOf(route, request.headers),
    visit,
    server,
  })
}

/** Headers are all there from the beginning: setting one later costs more than the rest of a small answer. */
function rendered(result: unknown, further: Readonly<Record<string, string>>): Response {
  if (result instanceof Response) return result
  const { status, body, headers } = result instanceof Answer ? result : new Answer(200, result)
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: { ...(body === undefined ? {} : JSON_TYPE), ...further, ...headers },
  })
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

const NOTHING = z.strictObject({})

/** A write that came with a condition fails by it, which has a status of its own. */
function conditioned(route: Route, { headers }: Request, problem: Problem): Problem {
  if (problem.code !== 'REVISION_CONFLICT' || !route.conditional || !hasCondition(headers)) return problem
  const { actual } = problem.members.error as { readonly actual: number }
  return new Problem(412, problem.code, problem.message, {
    members: problem.members,
    headers: { ETag: etag(actual) },
    cause: problem.cause,
  })
}

/** Hono has decoded it; what is left is to refuse bytes that are no text, and the `~` of what a path cannot hold. */
function parameter({ pathname }: URL, name: string, given: string | undefined): string {
  let id: string | undefined
  try {
    decodeURIComponent(pathname)
    id = given === undefined ? undefined : unmarked(given)
  } catch {
    // Not UTF-8.
  }
  if (id !== undefined && id !== '' && id.length <= 1024) return id
  const message = `give 1 to 1024 characters, percent-encoded UTF-8, not ${JSON.stringify((given ?? '').slice(0, 80).toWellFormed())}${(given ?? '').length > 80 ? `… (${given!.length} characters)` : ''}`
  throw new Problem(400, 'INVALID_ARGUMENT', `${name}: ${message}`, {
    members: { errors: [{ path: name, message }] },
  })
}

/** A parameter that is given several times becomes a list. */
function query(url: URL): Record<string, string | string[]> {
  if (url.search === '') return {}
  const found: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of url.searchParams) {
    const before = found[name]
    found[name] =
      before === undefined ? value : typeof before === 'string' ? [before, value] : [...before, value]
  }
  // With a prototype: schemas take no other object.
  return { ...found }
}

function commandOf({ command, access }: Route, headers: Headers): { readonly commandId?: string } {
  const key = headers.get('idempotency-key')
  if (key === null) return {}
  // A header a reader need not mind, and a writer may not ignore.
  if (!command) {
    if (access === 'read' || access === 'public') return {}
    throw new Problem(
      400,
      'INVALID_ARGUMENT',
      'Idempotency-Key: this operation remembers no answers; leave it out',
    )
  }
  // The draft standard quotes it; most send it bare.
  const commandId = /^".*"$/.test(key) ? key.slice(1, -1) : key
  if (commandId.length >= 1 && commandId.length <= 1024) return { commandId }
  throw new Problem(
    400,
    'INVALID_ARGUMENT',
    `Idempotency-Key: give 1 to 1024 characters, not ${commandId.length}`,
  )
}

const hasCondition = (headers: Headers): boolean => headers.has('if-match') || headers.has('if-none-match')

function expectedOf(
  { conditional, method }: Route,
  headers: Headers,
): { readonly expectedRevision?: number } {
  if (method === 'GET' || !hasCondition(headers)) return {}
  if (!conditional)
    throw new Problem(400, 'INVALID_ARGUMENT', 'If-Match, If-None-Match: this operation takes no condition')
  const [match, none] = [headers.get('if-match'), headers.get('if-none-match')]
  const revision = /^"(\d{1,15})"$/.exec(match ?? '')?.[1]
  if (none === null && revision !== undefined) return { expectedRevision: Number(revision) }
  if (match === null && none === '*') return { expectedRevision: 0 }
  throw new Problem(
    400,
    'INVALID_ARGUMENT',
    `give either If-Match with the ETag of one revision, such as "3", or If-None-Match: * for a source that must be new, not ${[
      ['If-Match', match],
      ['If-None-Match', none],
    ]
      .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value!.slice(0, 80)}`]))
      .join(' and ')}`,
  )
}
