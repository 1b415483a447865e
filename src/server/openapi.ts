import { z } from 'zod'
import type { Described, Route } from './route.ts'
import { parametersOf } from './route.ts'
import { Problem } from './schemas.ts'
import { VERSION } from './version.ts'

type Json = { [member: string]: unknown }

/** What the parameters in paths are. */
const PARAMETERS: Readonly<Record<string, string>> = {
  collection: 'Name of a collection.',
  source: 'Id of a source, as its caller chose it.',
  session: 'Id of a session.',
  key: 'Key of a span or a summary.',
  consumer: 'Name of a consumer.',
}

const SEGMENT =
  'Percent-encoded. A path cannot hold `.` and `..`: write `~.` and `~..` for them, with one more `~` in front of what would read like that.'

const made = new WeakMap<readonly Route[], Json>()

/** The OpenAPI document of routes, made from the schemas that check them. */
export function openapiOf(routes: readonly Route[]): Json {
  let document = made.get(routes)
  if (document === undefined) {
    document = make(routes)
    made.set(routes, document)
  }
  return document
}

function make(routes: readonly Route[]): Json {
  const schemas: Json = {}
  const paths: { [path: string]: Json } = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operation(route, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'spanstore',
      version: VERSION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'A versioned store for spans. A key that was never there (404 absent), one that is there and empty (422 empty), one that was retired (410 tombstone) and one that answers (200 ok) are four different results; the header Spanstore-Status names them, and so does the member outcome of the problem in the body.',
    },
    paths,
    components: {
      schemas,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ token: [] }],
  }
}

function operation(route: Route, schemas: Json): Json {
  const { id, tag, summary, description, access, stream } = route
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(access === 'public' ? { security: [] } : { 'x-access': access }),
    ...(stream ? { 'x-stream': true } : {}),
    ...listed('parameters', [...inPath(route), ...inQuery(route, schemas), ...inHeaders(route)]),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: { 'application/json': { schema: jsonSchema(route.body, schemas) } },
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, response(answer, schemas)]),
      ),
      ...(route.conditional
        ? {
            412: response(
              {
                description: 'The source stands at another revision: `error.actual`, and `ETag`.',
                schema: Problem,
                type: 'application/problem+json',
              },
              schemas,
            ),
          }
        : {}),
      default: response(
        { description: 'A refusal', schema: Problem, type: 'application/problem+json' },
        schemas,
      ),
    },
  }
}

const listed = (name: string, values: readonly unknown[]) => (values.length === 0 ? {} : { [name]: values })

const inPath = ({ path }: Route) =>
  parametersOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: `${PARAMETERS[name] ?? ''} ${SEGMENT}`.trim(),
    schema: { type: 'string', minLength: 1, maxLength: 1024 },
  }))

function inQuery({ query }: Route, schemas: Json) {
  if (query === undefined) return []
  const { properties = {}, required = [] } = jsonSchema(query, schemas) as {
    readonly properties?: Json
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

function inHeaders({ command, conditional }: Route) {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  })
  return [
    ...(command
      ? [
          header(
            'Idempotency-Key',
            'A retry with the same key answers what the first did. The same as commandId.',
          ),
        ]
      : []),
    ...(conditional
      ? [
          header(
            'If-Match',
            'The ETag of the revision the source must stand at, else 412. With keys: the one source that all of them belong to. The same as expectedRevision, which is refused with 409.',
          ),
          header('If-None-Match', '*: the source must be new, else 412.'),
        ]
      : []),
  ]
}

function response({ description, schema, type = 'application/json' }: Described, schemas: Json): Json {
  if (schema === undefined) return { description }
  return { description, content: { [type]: { schema: jsonSchema(schema, schemas) } } }
}

/** Named parts of a schema move to the document's own. */
function jsonSchema(schema: z.ZodType, schemas: Json): Json {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json & { $defs?: Json }
  for (const [name, part] of Object.entries($defs)) schemas[name] = relinked(part)
  return relinked(own) as Json
}

function relinked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relinked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === '$ref' ? String(part).replace('#/$defs/', '#/components/schemas/') : relinked(part),
    ]),
  )
}
