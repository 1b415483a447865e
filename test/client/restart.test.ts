import { expect, onTestFinished, test } from 'vitest'
import { SpanstoreClient } from '../../src/client/index.ts'
import { temporary } from '../store/helpers.ts'
import {
  all,
  consumer,
  dyingConsumer,
  dyingStream,
  rechunking,
  ServerProcess,
  stalled,
  stream,
} from './subscribers.ts'

test('subscribers miss nothing and see nothing out of order while the server is killed and comes back', async () => {
  const server = new ServerProcess(temporary())
  await server.start()
  const stop = new AbortController()
  onTestFinished(async () => {
    stop.abort()
    await server.kill()
  })
  const { signal } = stop
  const client = await SpanstoreClient.connect(server.url, { retries: 100 })
  const subscribers = [
    ...[0, 1, 2].map((n) => stream(client, `stream ${n}`, signal)),
    stream(client, 'slow stream', signal, 2),
    ...[0, 1].map((n) => dyingStream(client, `dying stream ${n}`, signal, 30 + n)),
    consumer(client, 'consumer', signal),
    consumer(client, 'consumer of many', signal, 20),
    dyingConsumer(server.url, 'dying consumer', signal, 25),
  ]
  const idle = stalled(server.url)
  const heads = await rechunking(client, ['a', 'b'], {
    rounds: 6,
    paragraphs: 8,
    async each(round) {
      if (round !== 3) return
      await server.kill()
      setTimeout(() => void server.start(), 100)
    },
  })
  await all(subscribers, heads, 40_000)
  stop.abort()
  await Promise.all(subscribers.map(({ done }) => done))
  expect(subscribers.map(({ seen }) => seen.wrong)).toEqual(subscribers.map(() => undefined))
  idle.end()
  await client.close()
  await server.stop()
}, 60_000)
