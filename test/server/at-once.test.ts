import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Mount, PlainHandler } from '../../src/server/index.ts'
import { closeServed, serve } from './served.ts'

afterEach(closeServed)

const SAID = { status: 200, headers: { 'content-type': 'text/plain' } }

/** Answers at once whatever lies under `/api/echo/at-once`; the rest, and everything in process, goes through `fetch`. */
const echo = (handler: PlainHandler): Mount => ({
  prefix: '/api/echo',
  fetch: async (request) => new Response(`by fetch: ${await request.text()}`),
  atOnce: (method, target) => (method === 'POST' && target === '/api/echo/at-once' ? handler : undefined),
  problem: ({ status, code }) => Response.json({ oops: code }, { status }),
})

const telling: PlainHandler = async (request, { principal, id }) => ({
  ...SAID,
  headers: { ...SAID.headers, 'said-by': `${principal?.name}`, 'said-in': `${id}` },
  body: `at once: ${await request.text()}${request.header('x-more') ?? ''}`,
})

async function listening(handler: PlainHandler = telling, options: Parameters<typeof serve>[0] = {}) {
  const log: unknown[] = []
  const served = await serve({ mounts: [echo(handler)], log: (entry) => log.push(entry), ...options })
  const { port, url } = await served.server.listen({ port: 0 })
  // Whether spans are wanted is known after the first request.
  await fetch(`${url}/healthz`)
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/echo/at-once`, { method: 'POST', body, headers })
  return { ...served, port, url, post, log }
}

/** Writes parts one after the other, each in a turn of its own, and gives what comes back until the connection ends. */
async function parts(port: number, texts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  for (const text of texts) {
    await new Promise((resolve) => socket.write(text, resolve))
    for (let i = 0; i < 20; i++) await turn()
  }
  await closed
  return answer
}

const head = (length: number, more = '') =>
  `POST /api/echo/at-once HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\nConnection: close\r\n${more}\r\n`

describe('what a mount answers at once', () => {
  test('is read, answered, counted and logged as the rest', async () => {
    const { post, log, url } = await listening()
    const response = await post('né', { 'x-more': '!' })
    expect([response.status, await response.text()]).toEqual([200, 'at once: né!'])
    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(response.headers.get('said-by')).toBe('anyone')
    expect(log.at(-1)).toMatchObject({
      event: 'request',
      method: 'POST',
      status: 200,
      path: '/api/echo/at-once',
      id: response.headers.get('said-in'),
    })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(/duration_seconds_count\{route="\/api\/echo",method="POST",status="200"\} 1/)
    expect(metrics).toMatch(/spanstore_http_requests_open 1\n/)
  })

  test('bodies come in any number of pieces, letters torn apart, or not at all', async () => {
    const { port, post } = await listening()
    const [first, second] = [Buffer.from('né').subarray(0, 2), Buffer.from('né').subarray(2)]
    expect(await parts(port, [head(3), first, second])).toMatch(/\r\n\r\nat once: né$/)
    expect(await (await post('')).text()).toBe('at once: ')
    const long = 'x'.repeat(1_000_000)
    expect(await (await post(long)).text()).toBe(`at once: ${long}`)
  })

  test('requests follow each other on one connection, also where a body was not read', async () => {
    const deaf: PlainHandler = async () => ({ ...SAID, body: 'enough' })
    const { port } = await listening(deaf)
    const one = head(5).replace('Connection: close\r\n', '')
    const answer = await parts(port, [`${one}12345${one}`, `67890${head(1)}`, '1'])
    expect(answer.match(/enough/g)).toHaveLength(3)
  })

  test('a body of unknown length, a page of another origin and a server whose spans are wanted go the long way', async () => {
    const { port, post, url } = await listening()
    const chunked =
      'POST /api/echo/at-once HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n'
    expect(await parts(port, [chunked, '3\r\nabc\r\n0\r\n\r\n'])).toMatch(/by fetch: abc/)
    expect(await (await post('x', { origin: 'https://evil.example' })).json()).toEqual({
      oops: 'ORIGIN_REFUSED',
    })
    expect(await (await fetch(`${url}/api/echo/other`, { method: 'POST', body: 'y' })).text()).toBe(
      'by fetch: y',
    )
  })

  test('what the server refuses is said in the words of the mount, and the handler is not asked', async () => {
    let asked = 0
    const counting: PlainHandler = async () => {
      asked++
      return { ...SAID, body: '' }
    }
    const { post, port } = await listening(counting, { token: 'secret', limits: { body: 10 } })
    const bearer = { authorization: 'Bearer secret' }
    const refused = [
      await post('x'),
      await post('x'.repeat(11), bearer),
      await post('x', { authorization: 'Bearer wrong' }),
    ]
    expect(await Promise.all(refused.map(async (one) => [one.status, await one.json()]))).toEqual([
      [401, { oops: 'UNAUTHENTICATED' }],
      [413, { oops: 'TOO_LARGE' }],
      [401, { oops: 'UNAUTHENTICATED' }],
    ])
    expect(asked).toBe(0)
    expect((await post('x', bearer)).status).toBe(200)
    const rebound = head(1).replace('127.0.0.1', 'evil.example')
    const open = await listening(counting)
    expect(await parts(open.port, [rebound, 'x'])).toMatch(/HOST_REFUSED/)
    expect(port).not.toBe(open.port)
    expect(asked).toBe(1)
  })

  test('a defect is told to the log, not to the caller', async () => {
    const { post, log } = await listening(async () => {
      throw new TypeError('nobody may read this')
    })
    const response = await post('x')
    expect([response.status, await response.json()]).toEqual([500, { oops: 'UNEXPECTED' }])
    expect(JSON.stringify(log)).toContain('nobody may read this')
  })

  test('takes as long as any request may', async () => {
    const { post } = await listening(() => new Promise(() => {}), { limits: { time: 30 } })
    expect(await (await post('x')).json()).toEqual({ oops: 'TIMED_OUT' })
  })

  test('a caller who goes in the middle of a body leaves nothing open', async () => {
    let failed: unknown
    const { port, url } = await listening(async (request) => {
      try {
        return { ...SAID, body: await request.text() }
      } catch (error) {
        failed = error
        throw error
      }
    })
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head(10)}12345`))
    const open = async () => /requests_open (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())![1]
    while ((await open()) !== '2');
    socket.destroy()
    while ((await open()) !== '1');
    expect(failed).toMatchObject({ code: 'NOT_JSON', message: 'the body ended after 5 of 10 bytes' })
  })

  test('a server that stops finishes it', async () => {
    let finish = () => {}
    let begun = false
    const { post, server } = await listening(
      () =>
        new Promise((resolve) => {
          begun = true
          finish = () => resolve({ ...SAID, body: 'finished' })
        }),
    )
    const answer = post('x')
    while (!begun) await turn()
    const closed = server.close()
    await turn()
    finish()
    const response = await answer
    expect([await response.text(), response.headers.get('connection')]).toEqual(['finished', 'close'])
    await closed
  })
})
