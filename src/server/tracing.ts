import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api'

/** What tracing needs of OpenTelemetry's API, where the program has it. */
interface Api {
  /** Whether anybody takes spans in. */
  readonly wanted: () => boolean
  readonly tracer: Tracer
  readonly parent: (request: Request) => Context
  readonly within: <T>(span: Span, parent: Context, work: () => Promise<T>) => Promise<T>
}

let loading: Promise<Api | undefined> | undefined
/** Known to be missing. */
let missing = false
let loaded: Api | undefined

/** OpenTelemetry is the program's choice: without its API package nothing is loaded, and nothing is traced. */
function load(): Promise<Api | undefined> {
  loading ??= import('@opentelemetry/api').then(
    ({ context, propagation, ProxyTracerProvider, trace }) => {
      loaded = {
        wanted: () => {
          const provider = trace.getTracerProvider()
          return !(
            provider instanceof ProxyTracerProvider && provider.getDelegateTracer('spanstore') === undefined
          )
        },
        tracer: trace.getTracer('spanstore'),
        parent: (request) =>
          propagation.extract(context.active(), request.headers, {
            get: (headers, key) => headers.get(key) ?? undefined,
            keys: (headers) => [...headers.keys()],
          }),
        within: (span, parent, work) => context.with(trace.setSpan(parent, span), work),
      }
      return loaded
    },
    () => {
      missing = true
      return undefined
    },
  )
  return loading
}

/** Known that nobody wants spans at present. */
export const isUntraced = (): boolean => missing || loaded?.wanted() === false

/** One server span a request, named after its route, a child of what the caller's `traceparent` says. */
export async function traced(
  request: Request,
  visit: { readonly route: string },
  work: () => Promise<Response>,
): Promise<Response> {
  if (missing) return await work()
  const api = await load()
  if (api === undefined || !api.wanted()) return await work()
  const parent = api.parent(request)
  const attributes: Attributes = { 'http.request.method': request.method }
  // 1: a server's.
  const span = api.tracer.startSpan(request.method, { kind: 1, attributes }, parent)
  try {
    const response = await api.within(span, parent, work)
    span.updateName(`${request.method} ${visit.route}`)
    span.setAttributes({ 'http.route': visit.route, 'http.response.status_code': response.status })
    // 2: an error; a caller's mistake is none of the server's.
    if (response.status >= 500) span.setStatus({ code: 2 })
    return response
  } finally {
    span.end()
  }
}
