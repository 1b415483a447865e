import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/index.ts'
import { createServer } from '../../src/server/index.ts'
import { ended, newDirectory, removeDirectories, spanstore, start } from './command.ts'

afterAll(removeDirectories)
const cwd = newDirectory()
const run = (...args: string[]) => spanstore(args, { cwd })

const put = async (source: string, text: string) => {
  await using store = await openStore(join(cwd, '.spanstore'))
  return await (await store.collection('default')).put({ source, text })
}

describe('watch', () => {
  test('needs a store', async () => {
    expect((await run('watch', '--once')).err).toContain('STORE_NOT_FOUND')
  })

  test('tells the log from the start, a line each', async () => {
    const { added } = await put('a', 'One sentence.')
    const { out, code } = await run('watch', '--from', 'start', '--once')
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toContain('collection.created')
    expect(lines.some((line) => line.includes('span.added') && line.includes(added[0]!))).toBe(true)
    expect(lines.at(-1)).toContain('a, revision 1: 0 kept, 1 added, 0 retired')
  })

  test('answers CloudEvents with --json, only those asked for', async () => {
    const { out } = await run('watch', '--from', 'start', '--once', '--json', '--type', 'span.added')
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events).toMatchObject([{ specversion: '1.0', type: 'span.added', data: { source: 'a' } }])
    expect((await run('watch', '--once', '--type', 'span.eaten')).code).toBe(2)
  })

  test('goes on where its consumer left off, and consumers says how far behind it is', async () => {
    expect((await run('watch', '--consumer', 'c', '--from', 'start', '--once')).out).toContain('span.added')
    expect((await run('watch', '--consumer', 'c', '--once')).out).toBe('')
    await put('b', 'Another sentence.')
    const [info] = JSON.parse((await run('consumers', '--json')).out)
    expect(info).toMatchObject({ name: 'c', lag: { events: 2 }, deadLetters: 0 })
    expect((await run('watch', '--consumer', 'c', '--once')).out).toContain('b, revision 1')
    expect((await run('consumers', 'c', '--delete')).code).toBe(0)
    expect((await run('consumers', 'c')).err).toContain('CONSUMER_UNKNOWN')
  })

  test('shows what another process commits, as it commits it, and ends cleanly when interrupted', async () => {
    const child = start(['watch'], { cwd })
    const end = ended(child)
    let seen = ''
    child.stdout!.on('data', (part) => {
      seen += part
    })
    for (let i = 0; i < 200 && !seen.includes('span.added'); i++) {
      await put('live', `Sentence ${i}.`)
      await sleep(25)
    }
    expect(seen).toContain('live')
    child.kill('SIGINT')
    expect(await end).toMatchObject({ code: 0, err: '' })
  })

  test('tells the log of a server as it tells that of a store here', async () => {
    const store = await openStore(':memory:')
    const server = createServer(store, { token: 'secret' })
    const { url } = await server.listen({ port: 0 })
    await (await store.collection('far')).put({ source: 'a', text: 'One sentence.' })
    const watch = async (...args: string[]) =>
      await spanstore(['watch', '--url', url, '--from', 'start', '--once', ...args], {
        cwd,
        env: { SPANSTORE_TOKEN: 'secret' },
      })
    expect((await watch()).out.trimEnd().split('\n').at(-1)).toContain('far 3')
    const { out } = await watch('--json', '--consumer', 'c', '--collection', 'far')
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).position),
    ).toEqual([1, 2, 3])
    expect(await store.consumers().lag('c')).toMatchObject({ events: 0 })
    expect((await run('watch', '--url', url, '--once')).err).toContain('needs a token')
    await server.close()
    await store.close()
  })
})
