import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { SpanstoreClient } from '../../../src/client/index.ts'
import {
  all,
  consumer,
  dyingConsumer,
  dyingStream,
  rechunking,
  ServerProcess,
  stalled,
  stream,
} from '../../client/subscribers.ts'
import { temporary } from '../../store/helpers.ts'

const MB = 2 ** 20

test('200 subscribers miss nothing and see nothing out of order while documents are re-chunked and the server is killed twice', async () => {
  const server = new ServerProcess(temporary())
  await server.start()
  const stop = new AbortController()
  onTestFinished(async () => {
    stop.abort()
    await server.kill()
  })
  const { signal } = stop
  setMaxListeners(0, signal)
  const client = await SpanstoreClient.connect(server.url, { retries: 1000 })
  const collections = ['a', 'b', 'c', 'd']
  for (const name of collections) await client.collection(name)
  const before = server.memory
  server.watch()

  const some = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
  const subscribers = [
    ...some(100, (n) => stream(client, `stream ${n}`, signal)),
    ...some(30, (n) => stream(client, `slow stream ${n}`, signal, 1 + n)),
    ...some(30, (n) => dyingStream(client, `dying stream ${n}`, signal, 100 + 37 * n)),
    ...some(20, (n) => consumer(client, `consumer ${n}`, signal, 50)),
    ...some(20, (n) => dyingConsumer(server.url, `dying consumer ${n}`, signal, 100 + 53 * n)),
  ]
  expect(subscribers).toHaveLength(200)
  // And some that never read what they asked for.
  const idle = some(20, () => stalled(server.url))

  const started = performance.now()
  const heads = await rechunking(client, collections, {
    rounds: 20,
    paragraphs: 20,
    async each(round) {
      if (round !== 6 && round !== 13) return
      await server.kill()
      await sleep(200)
      await server.start()
    },
  })
  const events = [...heads.values()].reduce((sum, head) => sum + head, 0)
  expect(events).toBeGreaterThan(3000)
  const writing = (performance.now() - started) / 1000
  await all(subscribers, heads, 900_000)
  const seconds = (performance.now() - started) / 1000
  stop.abort()
  await Promise.all(subscribers.map(({ done }) => done))
  expect(subscribers.filter(({ seen }) => seen.wrong !== undefined).map(({ seen }) => seen.wrong)).toEqual([])
  for (const { seen } of subscribers) expect(new Map(seen.last)).toEqual(heads)

  // A log of any length, and 20 that do not read: what a subscriber costs is bounded.
  const grown = (server.peak - before) / MB
  const delivered = subscribers.reduce((sum, { seen }) => sum + seen.count, 0)
  process.stderr.write(
    `${events} events to 200 subscribers: ${delivered} deliveries in ${seconds.toFixed(1)} s, ${Math.round(delivered / seconds)} a second, ${(seconds - writing).toFixed(1)} s of them after the last write; memory of the server ${Math.round(before / MB)} + ${Math.round(grown)} MB\n`,
  )
  expect(grown).toBeLessThan(400)
  for (const one of idle) one.end()
  await client.close()
  await server.stop()
}, 1_200_000)
