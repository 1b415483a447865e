import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../../src/index.ts'
import { createServer, type Mount, type Server } from '../../src/server/index.ts'
import { chromaMount } from '../../src/wire/chroma/app.ts'
import { newDirectory, removeDirectories, spanstore } from './command.ts'

const open: { readonly store: Store; readonly server: Server }[] = []

afterEach(async () => {
  for (const { store, server } of open.splice(0)) {
    await server.close()
    await store.close()
  }
})
afterAll(removeDirectories)

const HERE = '/api/v2/tenants/default_tenant/databases/default_database/collections'

/** A server that speaks Chroma's interface and asks for a token; `broken` may answer in its place. */
async function chroma(broken: (path: string) => Response | undefined = () => undefined) {
  const store = await openStore(':memory:')
  const real = chromaMount(store)
  const mount: Mount = {
    ...real,
    atOnce: () => undefined,
    fetch: (request, context) => broken(new URL(request.url).pathname) ?? real.fetch(request, context),
  }
  const server = createServer(store, { token: 'secret', mounts: [mount] })
  open.push({ store, server })
  const { url } = await server.listen({ port: 0 })
  const ask = async (path: string, body?: object) => {
    const response = await fetch(`${url}${HERE}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
    return (await response.json()) as any
  }
  return { url, ask }
}

async function withRecords(count: number, broken?: (path: string) => Response | undefined) {
  const server = await chroma(broken)
  const { id } = await server.ask('', { name: 'papers', metadata: { owner: 'me' } })
  const ids = Array.from({ length: count }, (_, i) => `p${i}`)
  await server.ask(`/${id}/add`, {
    ids,
    embeddings: ids.map((_, i) => [i, 0.1]),
    documents: ids.map((one) => `The text of ${one}.`),
    metadatas: ids.map((_, n) => ({ n })),
  })
  return server
}

const env = { SPANSTORE_REMOTE_TOKEN: 'secret' }

describe('spanstore import chroma, export chroma', { timeout: 120_000 }, () => {
  test('bring a live collection in and out again, and say how many records were found in the end', async () => {
    const [origin, target] = [await withRecords(23), await chroma()]
    const cwd = newDirectory()
    const brought = await spanstore(['import', 'chroma', '--url', origin.url, '--batch', '10', '--json'], {
      cwd,
      env,
    })
    expect([brought.code, brought.err]).toEqual([0, ''])
    const collections = [{ collection: 'papers', records: 23, verified: 23, resumedAt: 0, refused: [] }]
    expect(JSON.parse(brought.out)).toEqual({ collections, complete: true })
    const out = await spanstore(['export', 'chroma', '--url', target.url, '--token', 'secret'], { cwd })
    expect([out.code, out.out]).toEqual([0, 'papers  23 of 23 records verified\n'])
    const get = { include: ['documents', 'metadatas', 'embeddings'] }
    const [before, after] = await Promise.all(
      [origin, target].map(async ({ ask }) => ask(`/${(await ask('/papers')).id}/get`, get)),
    )
    expect(after).toEqual(before)
    expect(after.ids).toHaveLength(23)
  })

  test('a run that broke off goes on where it was', async () => {
    let answers = 3
    const broken = (path: string) =>
      path.endsWith('/get') && answers-- <= 0
        ? Response.json({ error: 'InternalError', message: 'out of order' }, { status: 500 })
        : undefined
    const { url } = await withRecords(50, broken)
    const cwd = newDirectory()
    const again = () => spanstore(['import', 'chroma', '--url', url, '--batch', '10', '--json'], { cwd, env })
    const first = await again()
    expect(first.code).toBe(1)
    expect(JSON.parse(first.err).error).toMatchObject({
      code: 'SERVER_REFUSED',
      message: expect.stringContaining('out of order'),
      detail: { status: 500 },
    })
    answers = Number.POSITIVE_INFINITY
    const second = await again()
    expect(second.code).toBe(0)
    const [done] = JSON.parse(second.out).collections
    expect(done).toMatchObject({ records: 50, verified: 50 })
    expect(done.resumedAt).toBeGreaterThan(0)
  })

  test('a record whose id no source can have stays where it is, is named, and keeps no other from coming', async () => {
    const long = 'x'.repeat(1_500)
    const page = {
      ids: ['p0', long],
      embeddings: [
        [0, 0.1],
        [1, 0.1],
      ],
      documents: ['The first.', 'The second.'],
      metadatas: [null, null],
      uris: [null, null],
    }
    let asked = 0
    const { url } = await withRecords(2, (path) => {
      if (path.endsWith('/count')) return Response.json(2)
      if (!path.endsWith('/get')) return undefined
      return Response.json(++asked % 3 === 0 ? { ids: [] } : page)
    })
    const cwd = newDirectory()
    const told = await spanstore(['import', 'chroma', '--url', url], { cwd, env })
    expect([told.code, told.out]).toEqual([1, 'papers  1 of 2 records verified\n'])
    expect(told.err).toMatch(/^papers: record "x{60,90}….* 1 to 1024 characters here, and this one 1,500/)
    const { out } = await spanstore(['import', 'chroma', '--url', url, '--json'], { cwd, env })
    expect(JSON.parse(out)).toMatchObject({ complete: false, collections: [{ refused: [long] }] })
    const found = await spanstore(['search', 'first', '--collection', 'papers'], { cwd })
    expect(found.out).toContain('The first.')
  })

  test('what cannot be done is said, and nothing is made of it', async () => {
    const { url } = await withRecords(1)
    const cwd = newDirectory()
    const nobody = await spanstore(['import', 'chroma', '--url', 'http://127.0.0.1:9'], { cwd })
    expect(nobody.code).toBe(2)
    expect(nobody.err).toContain('nobody answers at http://127.0.0.1:9')
    const refused = await spanstore(['import', 'chroma', '--url', url, '--token', 'wrong'], { cwd })
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(/401.*the token is not known.*\(SERVER_REFUSED\)/)
    expect((await spanstore(['import', 'qdrant', '--url', url], { cwd, env })).code).toBe(2)
    expect((await spanstore(['import', 'chroma'], { cwd })).code).toBe(2)
    expect((await spanstore(['export', 'chroma', '--url', url], { cwd: newDirectory(), env })).code).toBe(1)
  })
})
