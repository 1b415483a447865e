import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ChromaClient } from 'chromadb'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../src/index.ts'
import { serve } from './served.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spanstore-chroma-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('after a restart everything is as it was: ids, names, configuration, metadata, order, vectors', async () => {
  let id: string
  let before: unknown
  const all = { include: ['embeddings', 'documents', 'metadatas', 'uris'] as never[] }
  {
    await using served = await serve(directory)
    const collection = await served.client.createCollection({
      name: 'kept',
      embeddingFunction: null,
      metadata: { owner: 'me' },
      configuration: { hnsw: { space: 'cosine', ef_search: 33 } },
    })
    await collection.add({
      ids: ['b', 'a'],
      embeddings: [
        [1, 2],
        [3, 4],
      ],
      documents: ['x', 'y'],
      uris: ['u', 'v'],
    })
    await collection.upsert({ ids: ['b'], embeddings: [[5, 6]], metadatas: [{ n: 1 }] })
    await collection.modify({ name: 'renamed' })
    id = collection.id
    before = await collection.get(all)
  }
  await using served = await serve(directory)
  const collection = await served.client.getCollection({ name: 'renamed' })
  expect([collection.id, collection.metadata]).toEqual([id, { owner: 'me' }])
  expect(collection.configuration.hnsw).toMatchObject({ space: 'cosine', ef_search: 33 })
  expect(await collection.get(all)).toEqual(before)
  expect((await collection.get()).ids).toEqual(['b', 'a'])
})

async function started(child: ChildProcess): Promise<number> {
  for await (const chunk of child.stdout!) return Number(String(chunk))
  throw new Error('the server ended before it began')
}

test('killed in the middle of writing, the server loses nothing it acknowledged, and no batch in part', async () => {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('./server-process.ts', import.meta.url)), directory],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const acknowledged: string[] = []
  const client = new ChromaClient({ host: '127.0.0.1', port: await started(child) })
  const collection = await client.createCollection({ name: 'written', embeddingFunction: null })
  for (let batch = 0; ; batch++) {
    if (batch === 20) setTimeout(() => child.kill('SIGKILL'), 3)
    const ids = Array.from({ length: 25 }, (_, i) => `${batch}-${i}`)
    try {
      await collection.add({ ids, embeddings: ids.map((_, i) => [batch, i]), documents: ids })
    } catch {
      break
    }
    acknowledged.push(...ids)
  }
  await exited
  await using store = await openStore(directory)
  const records = (await store.collection('written')).records()
  const present = (await records.list()).map(({ source }) => source)
  expect(present.slice(0, acknowledged.length)).toEqual(acknowledged)
  expect(present.length % 25).toBe(0)
  expect(await store.verify()).toEqual([])
  expect((await records.nearest({ vector: [3, 7], limit: 1 }))[0]?.record.source).toBe('3-7')
})
