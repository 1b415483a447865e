import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isSpanStoreError } from '../../src/index.ts'
import { Tokens } from '../../src/server/index.ts'
import { closeServed, serve } from './served.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spanstore-tokens-'))
})

afterEach(async () => {
  await closeServed()
  rmSync(directory, { recursive: true, force: true })
})

const as = (token: string) => ({ authorization: `Bearer ${token}` })

describe('tokens', () => {
  test('are kept as hashes, readable by their owner alone', () => {
    const { token, info } = new Tokens(directory).create({ name: 'ci', access: 'read' })
    const [file] = readdirSync(directory)
    expect(readdirSync(directory)).toEqual([`${info.id}.json`])
    expect(readFileSync(join(directory, file!), 'utf8')).not.toContain(token.split('_').slice(2).join('_'))
    expect(statSync(join(directory, file!)).mode & 0o077).toBe(0)
  })

  test('are listed without anything to get in with, and stay listed when revoked', () => {
    const tokens = new Tokens(directory)
    const { token, info } = tokens.create({ name: 'ci', access: 'write', collections: ['notes'] })
    expect(tokens.list()).toEqual([info])
    expect(tokens.find(token)).toEqual({ name: 'ci', access: 'write', collections: ['notes'] })
    tokens.revoke(info.id)
    expect(tokens.find(token)).toBeUndefined()
    expect(tokens.list()).toMatchObject([{ id: info.id, revokedAt: expect.any(Number) }])
    expect(JSON.stringify(tokens.list())).not.toMatch(/[0-9a-f]{64}/)
  })

  test('revoked elsewhere, end within a second', () => {
    let now = 0
    const [here, there] = [new Tokens(directory, () => now), new Tokens(directory, () => now)]
    const { token, info } = here.create({ name: 'ci', access: 'read' })
    expect(there.find(token)).toBeDefined()
    here.revoke(info.id)
    now += 1001
    expect(there.find(token)).toBeUndefined()
  })

  test('end when they expire', () => {
    let now = 0
    const tokens = new Tokens(directory, () => now)
    const { token } = tokens.create({ name: 'ci', access: 'read', expiresAt: 1000 })
    expect(tokens.find(token)).toBeDefined()
    now = 1000
    expect(tokens.find(token)).toBeUndefined()
  })

  test('made up ones, of any shape, are found nowhere', () => {
    const tokens = new Tokens(directory)
    const { token, info } = tokens.create({ name: 'ci', access: 'read' })
    const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    for (const text of [
      '',
      info.id,
      other,
      token.toUpperCase(),
      `${token} `,
      `spanstore_../../${info.id}_${'A'.repeat(43)}`,
    ])
      expect(tokens.find(text)).toBeUndefined()
  })

  test('a file that was tampered with opens nothing', () => {
    const tokens = new Tokens(directory)
    const { token, info } = tokens.create({ name: 'ci', access: 'read' })
    const path = join(directory, `${info.id}.json`)
    const stored = JSON.parse(readFileSync(path, 'utf8'))
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{}',
      JSON.stringify({ ...stored, access: 'all' }),
      JSON.stringify({ ...stored, hash: '' }),
    ]) {
      writeFileSync(path, text)
      expect(() => new Tokens(directory).find(token)).toThrow(/cannot be used/)
    }
  })

  test('ids that are no ids reach no file', () => {
    const tokens = new Tokens(directory)
    for (const id of ['../../etc/passwd', 'x', '', '000000000000'])
      expect(() => tokens.revoke(id)).toThrow(/give the id of a token/)
  })
})

describe('access', () => {
  const setup = async () => {
    const tokens = new Tokens(directory)
    const make = (access: 'read' | 'write' | 'admin', collections?: readonly string[]) =>
      as(tokens.create({ name: access, access, ...(collections && { collections }) }).token)
    const admin = make('admin')
    const served = await serve({ tokens })
    await served.call('PUT', '/v1/collections/notes', {}, admin)
    await served.call('PUT', '/v1/collections/secret', {}, admin)
    return { ...served, make, admin }
  }

  test('a store that has a token asks for one, except where nothing is told', async () => {
    const { call } = await setup()
    const { status, headers, body } = await call('GET', '/v1/collections')
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([
      401,
      'UNAUTHENTICATED',
      'Bearer realm="spanstore"',
    ])
    expect((await call('GET', '/metrics')).status).toBe(401)
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs'])
      expect((await call('GET', path)).status).toBe(200)
    expect((await call('GET', '/v1/collections', undefined, as('spanstore_wrong'))).status).toBe(401)
    expect((await call('GET', '/v1/collections', undefined, { authorization: 'Basic YTpi' })).status).toBe(
      401,
    )
  })

  test('a server given one secret takes that one', async () => {
    const { call } = await serve({ token: 'a long secret' })
    expect((await call('GET', '/v1/collections', undefined, as('a'))).status).toBe(401)
    const { call: other } = await serve({ token: 'secret' })
    expect((await other('PUT', '/v1/collections/notes', {}, as('secret'))).status).toBe(201)
    expect((await other('GET', '/v1/collections', undefined, { 'x-chroma-token': 'secret' })).status).toBe(
      200,
    )
  })

  test('a token made while a server runs is asked for at once, and revoking the last opens nothing', async () => {
    const tokens = new Tokens(directory)
    const { call } = await serve({ tokens })
    expect((await call('GET', '/v1/collections')).status).toBe(200)
    const { token, info } = tokens.create({ name: 'first', access: 'read' })
    expect((await call('GET', '/v1/collections')).status).toBe(401)
    expect((await call('GET', '/v1/collections', undefined, as(token))).status).toBe(200)
    tokens.revoke(info.id)
    expect((await call('GET', '/v1/collections')).status).toBe(401)
    expect((await call('GET', '/v1/collections', undefined, as(token))).status).toBe(401)
  })

  test('read does not write, write does not administer', async () => {
    const { call, make } = await setup()
    const [read, write] = [make('read'), make('write')]
    const refused = async (method: string, path: string, body: unknown, headers: Record<string, string>) => {
      const answer = await call(method, path, body, headers)
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN'])
    }
    await refused('PUT', '/v1/collections/notes/sources/a', { text: 'x' }, read)
    await refused('PUT', '/v1/collections/new', {}, read)
    await refused('POST', '/v1/collections/notes/erase', { keys: [] }, write)
    await refused('DELETE', '/v1/collections/notes', undefined, write)
    await refused('POST', '/v1/verify', {}, write)
    expect((await call('PUT', '/v1/collections/notes', {}, read)).status).toBe(200)
    expect((await call('PUT', '/v1/collections/notes/sources/a', { text: 'x' }, write)).status).toBe(200)
  })

  test('a token confined to collections learns nothing of others', async () => {
    const { call, store, make } = await setup()
    const confined = make('admin', ['notes', 'chat-*'])
    const secret = await store.collection('secret')
    const notes = await store.collection('notes')
    const hidden = await secret.put({ source: 'plan', text: 'Nobody may read this.' })
    const shown = await notes.put({ source: 'a', text: 'Everybody may.' })
    const [key, own] = [hidden.added[0]!, shown.added[0]!]
    const { key: summary } = await secret.session('s').register({ text: `About [[${own}]].` })

    expect((await call('GET', `/v1/keys/${key}`, undefined, confined)).status).toBe(404)
    expect((await call('GET', `/v1/keys/${own}`, undefined, confined)).status).toBe(200)
    const many = await call('POST', '/v1/fetch', { keys: [key, own, summary] }, confined)
    expect(many.body.results.map((one: { status: string }) => one.status)).toEqual(['absent', 'ok', 'absent'])
    const { body: listed } = await call('GET', '/v1/collections', undefined, confined)
    expect(listed.collections.map((one: { name: string }) => one.name)).toEqual(['notes'])
    const { body: stats } = await call('GET', '/v1/stats', undefined, confined)
    expect(stats.collections.map((one: { name: string }) => one.name)).toEqual(['notes'])
    const here = '/v1/collections/notes'
    expect((await call('GET', `${here}/keys/${key}/lineage`, undefined, confined)).body.nodes).toEqual([])
    expect(
      (await call('GET', `${here}/keys/${own}/dependents`, undefined, confined)).body.dependents,
    ).toEqual([])

    const asked: [string, string, unknown?][] = [
      ['GET', '/v1/collections/secret'],
      ['POST', '/v1/collections/secret/search', { text: 'nobody' }],
      ['PUT', '/v1/collections/other', {}],
      ['PATCH', here, { name: 'secret-2' }],
      ['POST', '/v1/verify', {}],
      ['POST', '/v1/prune', { before: 0 }],
      ['GET', '/metrics'],
      ['POST', `${here}/sessions/s/summaries`, { summaries: [{ text: 'Copied.', covers: [key] }] }],
      ['POST', `${here}/sessions/s/summaries`, { summaries: [{ text: `Cited [[${key}]].` }] }],
    ]
    for (const [method, path, body] of asked)
      expect([path, (await call(method, path, body, confined)).status]).toEqual([path, 403])
    expect((await call('PUT', '/v1/collections/chat-7', {}, confined)).status).toBe(201)
  })

  test('what a confined token may not read does not come back to it through a session', async () => {
    const { call, store, make } = await setup()
    const confined = make('read', ['notes'])
    const hidden = await (await store.collection('secret')).put({
      source: 'plan',
      text: 'Nobody may read this.',
    })
    await (await store.collection('notes'))
      .session('s')
      .register({ text: `A secret [[${hidden.added[0]}]].`, covers: hidden.added })
    await (await store.collection('secret')).put({ source: 'plan', text: 'Nobody may read that.' })
    const here = '/v1/collections/notes/sessions/s'
    const { status, body } = await call(
      'GET',
      `${here}/authoritative/${hidden.added[0]}`,
      undefined,
      confined,
    )
    expect([status, body.outcome]).toEqual([404, 'absent'])
    const context = await call('POST', `${here}/context`, { maxTokens: 1000 }, confined)
    expect(JSON.stringify(context.body)).not.toContain('Nobody')
  })
})

describe('a public address', () => {
  test('is refused while nothing is asked for', async () => {
    const { server } = await serve()
    for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
      const error = await server.listen({ host, port: 0 }).catch((e: unknown) => e)
      expect(isSpanStoreError(error, 'INVALID_ARGUMENT')).toBe(true)
      expect((error as Error).message).toContain(host)
    }
  })

  test('is allowed with a token', async () => {
    const { server } = await serve({ token: 'secret' })
    const { port } = await server.listen({ host: '0.0.0.0', port: 0 })
    expect((await fetch(`http://127.0.0.1:${port}/v1/collections`)).status).toBe(401)
  })
})

describe('host and origin', () => {
  test('a name that is not this machine is refused: a page may have given it its own', async () => {
    const { call } = await serve()
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1:8000',
      '',
    ]) {
      const { status, body } = await call('GET', '/v1/collections', undefined, { host })
      expect([host, status, body.code]).toEqual([host, 403, 'HOST_REFUSED'])
    }
    for (const host of ['localhost', 'LOCALHOST:8000', '127.0.0.1:9', '[::1]:8000'])
      expect((await call('GET', '/v1/collections', undefined, { host })).status).toBe(200)
  })

  test('names may be added, and then only those count', async () => {
    const { call } = await serve({ hosts: ['memory.internal', 'other:8000'] })
    expect((await call('GET', '/healthz', undefined, { host: 'memory.internal:80' })).status).toBe(200)
    expect((await call('GET', '/healthz', undefined, { host: 'other:8000' })).status).toBe(200)
    expect((await call('GET', '/healthz', undefined, { host: 'other:8001' })).status).toBe(403)
    expect((await call('GET', '/healthz', undefined, { host: 'localhost' })).status).toBe(403)
  })

  test('a page of another origin is refused, its preflight too', async () => {
    const { call } = await serve({ origins: ['https://app.example'] })
    const from = (origin: string) => ({ origin, host: 'localhost:8000' })
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:9000',
      'https://app.example.evil',
    ]) {
      expect((await call('PUT', '/v1/collections/x', {}, from(origin))).status).toBe(403)
      expect((await call('OPTIONS', '/v1/collections/x', undefined, from(origin))).status).toBe(403)
    }
    expect((await call('PUT', '/v1/collections/x', {}, from('http://localhost:8000'))).status).toBe(201)
    const allowed = await call('GET', '/v1/collections/x', undefined, from('https://app.example'))
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example')
    const preflight = await call('OPTIONS', '/v1/collections/x', undefined, from('https://app.example'))
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, POST, PUT, PATCH, DELETE',
    ])
  })

  test('what a page could send without asking is taken for no JSON', async () => {
    const { server } = await serve()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      const response = await server.fetch(
        new Request('http://localhost/v1/collections/x', {
          method: 'PUT',
          body: Buffer.from('{}'),
          headers: type === '' ? {} : { 'content-type': type },
        }),
      )
      expect(response.status).toBe(415)
    }
  })
})

describe('limits', () => {
  test('a body that is too large is refused, whether it says so or not', async () => {
    const { call, server } = await serve({ limits: { body: 1000 } })
    await call('PUT', '/v1/collections/notes')
    const path = '/v1/collections/notes/sources/a'
    const { status, body } = await call('PUT', path, { text: 'x'.repeat(2000) })
    expect([status, body.code, body.limit]).toEqual([413, 'TOO_LARGE', 1000])
    const endless = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(500)))
      },
    })
    const init = {
      method: 'PUT',
      body: endless,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    }
    const response = await server.fetch(new Request(`http://localhost${path}`, init as RequestInit))
    expect(response.status).toBe(413)
    expect((await call('GET', path)).status).toBe(404)
  })

  test('a batch that is too long is refused with 413, and names what is too long', async () => {
    const { call } = await serve()
    const { status, body } = await call('POST', '/v1/fetch', { keys: Array(10_001).fill('x') })
    expect([status, body.code]).toEqual([413, 'TOO_LARGE'])
    expect(body.errors[0].path).toBe('body.keys')
  })

  test('requests beyond what is answered at once are told to wait', async () => {
    const { call, server, store } = await serve({ limits: { requests: 1 } })
    await store.collection('notes')
    let finish = () => {}
    const slow = new ReadableStream({
      start(controller) {
        finish = () => {
          controller.enqueue(new TextEncoder().encode('{"text":"slow"}'))
          controller.close()
        }
      },
    })
    const init = {
      method: 'PUT',
      body: slow,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    }
    const first = server.fetch(
      new Request('http://localhost/v1/collections/notes/sources/a', init as RequestInit),
    )
    await new Promise((resolve) => setImmediate(resolve))
    const { status, headers, body } = await call('GET', '/v1/collections')
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'TOO_MANY_REQUESTS', '1'])
    finish()
    expect((await first).status).toBe(200)
    expect((await call('GET', '/v1/collections')).status).toBe(200)
  })

  test('a body that does not come is waited for only so long', async () => {
    const { server } = await serve({ limits: { time: 50 } })
    const init = {
      method: 'PUT',
      body: new ReadableStream(),
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    }
    const response = await server.fetch(new Request('http://localhost/v1/collections/x', init as RequestInit))
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([408, 'TIMED_OUT'])
  })
})
