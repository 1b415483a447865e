import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly model: string
    readonly input: readonly string[]
    readonly dimensions?: number
    readonly encoding_format?: string
  }
}

/** An answer, or what a server does instead of answering. */
export type Answer =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }
  | 'silence'
  | 'hang up'

export interface FakeServer {
  readonly baseUrl: string
  readonly asked: Asked[]
  /** Requests whose sender hung up before the answer. */
  readonly abandoned: () => number
  readonly busiest: () => number
}

/** Tells texts apart, and is exact in float32. */
export const vectorOf = (text: string): number[] => [
  text.length,
  text.charCodeAt(0),
  text.charCodeAt(text.length - 1),
]

export const listOf = (input: readonly string[]) => ({
  object: 'list',
  data: input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })),
})

const servers: Server[] = []

/** A server on a free port of this machine; `answer` is told how many requests came before. */
export async function serve(
  answer: (asked: Asked, before: number) => Answer | Promise<Answer> = ({ body }) => ({
    body: listOf(body.input),
  }),
): Promise<FakeServer> {
  const asked: Asked[] = []
  let abandoned = 0
  let open = 0
  let busiest = 0
  const server = createServer(async (request, response) => {
    busiest = Math.max(busiest, ++open)
    response.on('close', () => {
      open--
      if (!response.writableFinished) abandoned++
    })
    let text = ''
    for await (const part of request) text += part
    const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) }
    const given = await answer(one, asked.push(one) - 1)
    if (given === 'silence') return
    if (given === 'hang up') return void request.socket.destroy()
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers })
    response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    abandoned: () => abandoned,
    busiest: () => busiest,
  }
}

export async function stopServers(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
