import { join } from 'node:path'
import type { Embedder, Store } from '../../index.ts'
import { createServer, jsonLines, type LogEntry, Tokens } from '../../server/index.ts'
import { type Context, parseNumber } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'

/** What is being answered gets so long, in milliseconds: with what a store may need to close, it is under two seconds. */
const GRACE = 1000

export async function run(
  context: Context,
  _: readonly string[],
  options: {
    readonly host: string
    readonly port: string
    readonly token?: string
    readonly allowHost?: readonly string[]
    readonly allowOrigin?: readonly string[]
    readonly log?: boolean
  },
): Promise<number> {
  const { signal } = context
  const port = parseNumber('--port', options.port)
  if (port > 65_535) throw new UsageError(`--port is ${port}; give a port, or 0 for any that is free`)
  const token = options.token ?? (process.env.SPANSTORE_TOKEN || undefined)
  const tokens = new Tokens(join(context.directory, 'tokens'))
  const lines = jsonLines((line) => process.stderr.write(line))
  const embedder = await context.embedder()
  const store = await context.created()
  const server = createServer(store, {
    tokens,
    // What failed is always told; requests only when asked for.
    log: (entry) => {
      if (options.log === true || entry.level === 'error') lines(entry)
    },
    ...(token === undefined ? {} : { token }),
    ...(options.allowHost === undefined ? {} : { hosts: options.allowHost }),
    ...(options.allowOrigin === undefined ? {} : { origins: options.allowOrigin }),
  })
  try {
    const { url } = await server.listen({ host: options.host, port })
    const asks = token !== undefined || tokens.any
    if (context.json)
      context.printJson({
        url,
        store: context.directory,
        token: asks,
        ...(embedder === undefined ? {} : { embedder: embedder.id }),
      })
    else
      context.print(
        `${context.colors.bold(url)}  serves ${context.directory}`,
        `  ${url}/docs          the interface, to browse`,
        `  ${url}/v1            this package's own, see /openapi.json`,
        `  ${url}/api/v2        for clients of Chroma`,
        `  ${url}/metrics       for Prometheus; /healthz, /readyz`,
        embedder === undefined
          ? context.colors.dim('  Texts are found by words; by meaning, too, with --embedder.')
          : `  ${embedder.id} computes vectors`,
        asks
          ? '  Requests need a token: Authorization: Bearer TOKEN'
          : context.colors.dim('  No token is asked for; only this machine reaches it. Stop with Ctrl-C.'),
      )
    const told = tellTrouble(store, embedder, signal, lines)
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await told
  } catch (error) {
    throw understood(error, options.host, port)
  } finally {
    await server.close({ grace: GRACE })
  }
  return EXIT.ok
}

/**
 * What would otherwise show at somebody's first query: an embedder that does not answer, and collections whose vectors
 * another one computed. Nobody waits for it.
 */
async function tellTrouble(
  store: Store,
  embedder: Embedder | undefined,
  signal: AbortSignal,
  log: (entry: LogEntry) => void,
): Promise<void> {
  for (const { name, embedder: active } of await store.collections())
    if (active !== undefined && active !== embedder?.id)
      log({
        level: 'error',
        event: 'embedder',
        collection: name,
        error: `the vectors of collection ${JSON.stringify(name)} are of ${active}, and ${
          embedder === undefined ? 'no embedder is given' : `--embedder is ${embedder.id}`
        }: texts sent to it are ${
          embedder === undefined
            ? 'searched by words alone and stored without vectors'
            : 'refused with EMBEDDER_MISMATCH'
        }; serve it with that one, or change it with spanstore switch-embedder`,
      })
  try {
    await embedder?.embedQuery('a word', signal)
  } catch (error) {
    if (!signal.aborted) log({ level: 'error', event: 'embedder', error: (error as Error).message })
  }
}

/** A port that is taken, or not allowed, is a mistake in what was typed. */
function understood(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new UsageError(`port ${port} of ${host} is in use; give another with --port, or 0 for any`)
    case 'EACCES':
      return new UsageError(`port ${port} of ${host} may not be used; give one above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UsageError(`${host} is no address of this machine`)
    default:
      return error
  }
}
