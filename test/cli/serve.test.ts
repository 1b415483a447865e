import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openStore } from '../../src/index.ts'
import { serve as embeddings, listOf, stopServers } from '../embed/server.ts'
import { ended, newDirectory, removeDirectories, spanstore, start } from './command.ts'

const running: ChildProcess[] = []

afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  await stopServers()
})
afterAll(removeDirectories)

/** A server in a process of its own, once it says where it is. */
async function serving(
  cwd: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const child = start(['serve', '--port', '0', '--json', ...args], { cwd, env })
  running.push(child)
  const end = ended(child)
  const line = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout!.on('data', (part: string) => {
      text += part
      if (text.includes('\n')) resolve(text)
    })
    end.then(({ err }) => reject(new Error(err)), reject)
  })
  const told = JSON.parse(line) as { url: string; token: boolean; embedder?: string }
  return { child, end, ...told }
}

const json = (body: unknown) => ({
  method: 'PUT',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

describe('spanstore serve', { timeout: 120_000 }, () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'on %s answers what was asked before, ends what waits, loses nothing and ends well',
    async (signal) => {
      const cwd = newDirectory()
      const { child, end, url } = await serving(cwd)
      await fetch(`${url}/v1/collections/notes`, json({}))
      let finish = () => {}
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"text":'))
          finish = () => {
            controller.enqueue(new TextEncoder().encode('"in flight"}'))
            controller.close()
          }
        },
      })
      const put = fetch(`${url}/v1/collections/notes/sources/a`, {
        ...json({}),
        body,
        duplex: 'half',
      } as RequestInit)
      const stream = (await fetch(`${url}/v1/events`)).text()
      const poll = fetch(`${url}/v1/consumers/c/next`, {
        ...json({ holder: 'h', wait: 20_000, filter: { types: ['index.rebuilt'] } }),
        method: 'POST',
      })
      while (!/spanstore_http_requests_open [3-9]/.test(await (await fetch(`${url}/metrics`)).text()));
      child.kill(signal)
      finish()
      expect((await put).status).toBe(200)
      expect(await stream).toContain('event: end\ndata: {"reason":"shutdown"}')
      expect(await (await poll).json()).toMatchObject({ events: [] })
      expect((await end).code).toBe(0)
      await using store = await openStore(join(cwd, '.spanstore'), { create: false })
      const notes = await store.collection('notes', { create: false })
      expect((await notes.read('a')).text).toBe('in flight')
    },
  )

  test('makes the store where told, and says what it serves', async () => {
    const cwd = newDirectory()
    const child = start(['serve', '--port', '0', '--store', 'elsewhere'], { cwd })
    running.push(child)
    const end = ended(child)
    await new Promise<void>((resolve) => {
      child.stdout!.on('data', (part: string) => part.includes('Ctrl-C') && resolve())
    })
    child.kill('SIGTERM')
    const { out, code } = await end
    expect(code).toBe(0)
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+ {2}serves .*elsewhere\n/)
    for (const path of ['/docs', '/v1', '/api/v2', '/metrics']) expect(out).toContain(path)
    expect(readdirSync(join(cwd, 'elsewhere'))).toContain('ledger.db')
  })

  test('refuses an address that others can reach, without a token', async () => {
    const cwd = newDirectory()
    const { code, err } = await spanstore(['serve', '--host', '0.0.0.0', '--port', '0'], { cwd })
    expect(code).toBe(2)
    expect(err).toMatch(/host is "0\.0\.0\.0", which others can reach.*give a token/)
  })

  test('a port that is taken or is none is a mistake in what was typed', async () => {
    const cwd = newDirectory()
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    try {
      const { code, err } = await spanstore(['serve', '--port', String(port)], { cwd })
      expect(code).toBe(2)
      expect(err).toContain(`port ${port} of 127.0.0.1 is in use`)
    } finally {
      taken.close()
    }
    expect((await spanstore(['serve', '--port', '70000'], { cwd })).code).toBe(2)
    expect((await spanstore(['serve', '--port', 'http'], { cwd })).code).toBe(2)
  })

  test('asks for the token of the command line or of the environment', async () => {
    const cwd = newDirectory()
    const { url, token } = await serving(cwd, [], { SPANSTORE_TOKEN: 'from outside' })
    expect(token).toBe(true)
    expect((await fetch(`${url}/v1/collections`)).status).toBe(401)
    const headers = { authorization: 'Bearer from' }
    expect((await fetch(`${url}/v1/collections`, { headers })).status).toBe(401)
    const other = await serving(cwd, ['--token', 'typed'])
    const response = await fetch(`${other.url}/v1/collections`, {
      headers: { authorization: 'Bearer typed' },
    })
    expect(response.status).toBe(200)
  })

  test('logs requests as JSON lines when asked to', async () => {
    const { child, end, url } = await serving(newDirectory(), ['--log'])
    await fetch(`${url}/healthz`)
    child.kill('SIGTERM')
    const lines = (await end).err.trim().split('\n')
    expect(JSON.parse(lines[0]!)).toMatchObject({ event: 'request', route: '/healthz', status: 200 })
  })
})

describe('spanstore serve --embedder', { timeout: 120_000 }, () => {
  const post = (url: string, body: unknown) => fetch(url, { ...json(body), method: 'POST' })
  const puts = (url: string, texts: Readonly<Record<string, string>>) =>
    post(`${url}/v1/collections/notes/sources`, {
      puts: Object.entries(texts).map(([source, text]) => ({ source, text })),
    })
  const found = async (url: string, query: object) => {
    const answer = await post(`${url}/v1/collections/notes/search`, query)
    return (await answer.json()) as {
      readonly hits: readonly { readonly source: string }[]
      readonly complete: boolean
      readonly reasons: readonly string[]
      readonly explain?: { readonly mode: string }
    }
  }
  const TEXTS = {
    pets: 'The kitten slept on the sofa all afternoon.',
    money: 'Quarterly revenue grew by ten percent.',
    weather: 'Heavy rain is expected tomorrow in the north.',
  }

  test('local: a server finds by meaning what no word of the query says, and by words and meaning at once', async () => {
    const { url, embedder } = await serving(newDirectory(), ['--embedder', 'local'])
    expect(embedder).toContain('energetic-ai')
    await fetch(`${url}/v1/collections/notes`, json({}))
    expect((await puts(url, TEXTS)).status).toBe(200)
    const query = { text: 'a small cat taking a nap', k: 1, explain: true }
    for (const mode of ['vector', 'hybrid']) {
      const answer = await found(url, { ...query, mode })
      expect([answer.hits[0]!.source, answer.complete, answer.explain!.mode]).toEqual(['pets', true, mode])
    }
    // Without a mode, both are used as soon as there are vectors.
    expect((await found(url, query)).explain!.mode).toBe('hybrid')
    expect((await found(url, { ...query, mode: 'text' })).hits).toEqual([])
  })

  test('MODEL@URL: texts and queries go to that endpoint, with the key of the environment', async () => {
    const endpoint = await embeddings()
    const env = {
      OPENAI_API_KEY: 'sk-of-the-environment',
      SPANSTORE_EMBEDDER: `some-model@${endpoint.baseUrl}`,
    }
    const { url, embedder } = await serving(newDirectory(), [], env)
    expect(embedder).toBe('openai-compatible/some-model')
    await fetch(`${url}/v1/collections/notes`, json({}))
    await puts(url, TEXTS)
    const { hits } = await found(url, { text: TEXTS.money, mode: 'vector', k: 1 })
    expect(hits[0]!.source).toBe('money')
    expect(endpoint.asked.flatMap(({ body }) => body.input)).toEqual(
      expect.arrayContaining(Object.values(TEXTS)),
    )
    for (const { body, headers } of endpoint.asked)
      expect([body.model, headers.authorization]).toEqual(['some-model', 'Bearer sk-of-the-environment'])
  })

  test('one that refuses is told at the start, and a put that needs it fails and writes nothing', async () => {
    const endpoint = await embeddings(() => ({ status: 401, body: { error: { message: 'no such key' } } }))
    const { child, end, url } = await serving(newDirectory(), ['--embedder', `m@${endpoint.baseUrl}`])
    await fetch(`${url}/v1/collections/notes`, json({}))
    const refused = await puts(url, TEXTS)
    expect(refused.status).toBe(502)
    expect(await refused.json()).toMatchObject({ code: 'EMBEDDER_FAILED' })
    expect((await fetch(`${url}/v1/collections/notes/sources/pets`)).status).toBe(404)
    child.kill('SIGTERM')
    const lines = (await end).err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.find(({ event }) => event === 'embedder')).toMatchObject({
      error: expect.stringContaining('no such key'),
    })
  })

  test('another than the vectors are of is told at the start, and no vectors of two are compared', async () => {
    const cwd = newDirectory()
    const endpoint = await embeddings(({ body }) => ({ body: listOf(body.input) }))
    const first = await serving(cwd, ['--embedder', `first@${endpoint.baseUrl}`])
    await fetch(`${first.url}/v1/collections/notes`, json({}))
    await puts(first.url, TEXTS)
    first.child.kill('SIGTERM')
    await first.end
    for (const [args, says] of [
      [
        ['--embedder', `second@${endpoint.baseUrl}`],
        /are of openai-compatible\/first, and --embedder is .*second/,
      ],
      [[], /are of openai-compatible\/first, and no embedder is given/],
    ] as const) {
      const { child, end, url } = await serving(cwd, args)
      const answer = await post(`${url}/v1/collections/notes/search`, { text: 'rain' })
      const body = (await answer.json()) as { readonly code?: string; readonly complete?: boolean }
      if (args.length > 0) expect([answer.status, body.code]).toEqual([409, 'EMBEDDER_MISMATCH'])
      else expect([answer.status, body.complete]).toEqual([200, false])
      child.kill('SIGTERM')
      expect((await end).err).toMatch(says)
    }
  })

  test('what names no embedder is a mistake in what was typed', async () => {
    const { code, err } = await spanstore(['serve', '--embedder', 'gpt'], { cwd: newDirectory() })
    expect(code).toBe(2)
    expect(err).toMatch(/the embedder is "gpt"; give local, or MODEL@URL/)
  })
})

describe('spanstore token', { timeout: 120_000 }, () => {
  const answer = async (cwd: string, ...args: string[]) => {
    const { code, out, err } = await spanstore(['token', ...args, '--json'], { cwd })
    expect([code, err]).toEqual([0, ''])
    return JSON.parse(out)
  }

  test('creates, lists and revokes; a running server learns of it', async () => {
    const cwd = newDirectory()
    const { url } = await serving(cwd)
    await fetch(`${url}/v1/collections/notes`, json({}))
    await fetch(`${url}/v1/collections/other`, json({}))
    const made = await answer(cwd, 'create', 'dashboard', '--only', 'notes', 'chat-*')
    expect(made).toMatchObject({ name: 'dashboard', access: 'read', collections: ['notes', 'chat-*'] })
    const headers = { authorization: `Bearer ${made.token}` }
    // From the first token on, one is asked for: a running server looks once a second.
    while ((await fetch(`${url}/v1/collections`)).status !== 401);
    const listed = (await (await fetch(`${url}/v1/collections`, { headers })).json()) as {
      collections: { name: string }[]
    }
    expect(listed.collections.map(({ name }) => name)).toEqual(['notes'])
    expect((await answer(cwd, 'list')).tokens).toMatchObject([{ id: made.id }])
    await answer(cwd, 'revoke', made.id)
    while ((await fetch(`${url}/v1/collections`, { headers })).status !== 401);
    const files = readdirSync(join(cwd, '.spanstore', 'tokens'))
    expect(files).toEqual([`${made.id}.json`])
    expect(readFileSync(join(cwd, '.spanstore', 'tokens', files[0]!), 'utf8')).not.toContain(
      made.token.split('_')[2],
    )
  })

  test('what it cannot do is said, and nothing is made', async () => {
    const cwd = newDirectory()
    expect((await spanstore(['token', 'list'], { cwd })).code).toBe(1)
    expect(readdirSync(cwd)).toEqual([])
    await spanstore(['put', 'a', '--without-text'], { cwd })
    for (const args of [['create'], ['create', 'x', '--access', 'all'], ['revoke', 'x'], ['forget', 'x']])
      expect((await spanstore(['token', ...args], { cwd })).code).toBe(2)
    expect((await answer(cwd, 'list')).tokens).toEqual([])
  })
})
