import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openaiEmbedder } from '../../src/embed/index.ts'
import { openStore } from '../../src/index.ts'
import { newDirectory, removeDirectories, spanstore } from '../cli/command.ts'
import { serve, stopServers } from '../embed/server.ts'

afterEach(stopServers)
afterAll(removeDirectories)

/** A store whose vectors came from a server, and the command line beside it. */
async function begin() {
  const cwd = newDirectory()
  const { baseUrl } = await serve()
  await using store = await openStore(join(cwd, '.spanstore'), {
    embedder: openaiEmbedder({ model: 'first', baseUrl }),
  })
  const notes = await store.collection('default')
  for (const source of ['a', 'b'])
    await notes.put({
      source,
      spans: [{ text: `an owl in ${source}` }, { text: `one more owl of ${source}` }],
    })
  const run = async (...args: string[]) => {
    const { code, out, err } = await spanstore([...args, '--json'], { cwd })
    return { code, err, value: out === '' ? undefined : JSON.parse(out) }
  }
  return { cwd, run, first: `first@${baseUrl}`, second: `second@${baseUrl}` }
}

describe('spanstore', () => {
  test('search takes how to search', async () => {
    const { run, first } = await begin()
    const [hybrid, grouped, scored, refused, weighed] = await Promise.all([
      run('search', 'owl', '--embedder', first, '--explain', '--accuracy', 'exact', '--diversity', '0.3'),
      run('search', 'owl', '--per-source', '1'),
      run('search', 'owl', '--min-score', '1000'),
      run('search', 'owl', '--weights', '1'),
      run('search', 'owl', '--embedder', first, '--weights', '0,1', '--explain'),
    ])
    expect(hybrid).toMatchObject({
      code: 0,
      value: { complete: true, explain: { mode: 'hybrid', vectors: { path: 'resident' } } },
    })
    expect(hybrid.value.hits).toHaveLength(4)
    expect(grouped.value.hits.map(({ source }: { source: string }) => source).sort()).toEqual(['a', 'b'])
    expect(scored.value.hits).toEqual([])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--weights')])
    expect(weighed.value.explain.mode).toBe('hybrid')
  })

  test('verify --embeddings and switch-embedder name the embedder', async () => {
    const { run, first, second } = await begin()
    const [same, none, estimate, unsure, wrong] = await Promise.all([
      run('verify', '--embeddings', '4', '--embedder', first),
      run('verify', '--embeddings', '4'),
      run('switch-embedder', second, '--estimate'),
      run('switch-embedder', second),
      run('switch-embedder', 'nonsense', '--yes'),
    ])
    expect(same).toMatchObject({ code: 0, value: { ok: true, least: 1 } })
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('NO_VECTORS') })
    expect(estimate).toMatchObject({ code: 0, value: { estimate: { texts: 4 } } })
    expect([unsure.code, unsure.err]).toEqual([2, expect.stringContaining('--yes')])
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('MODEL@URL')])
    expect(await run('switch-embedder', second, '--yes')).toMatchObject({ code: 0, value: { embedded: 4 } })
    expect(await run('search', 'owl', '--embedder', second)).toMatchObject({
      code: 0,
      value: { complete: true },
    })
    expect(await run('search', 'owl', '--embedder', first)).toMatchObject({
      code: 1,
      err: expect.stringContaining('EMBEDDER_MISMATCH'),
    })
  })
})
