import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openStore } from '../src/index.ts'
import { readEvents } from '../src/ledger/sqlite/events.ts'
import { openSqliteLedger } from '../src/ledger/sqlite/ledger.ts'
import {
  inTemporaryDirectory,
  interleaved,
  type Measured,
  median,
  percentile,
  rawDatabase,
  textOf,
  timed,
} from './harness.ts'

export async function eventBenches(report: (measured: Measured) => void): Promise<void> {
  await reading(report)
  await wakingUp(report)
  await opening(report)
}

/** Batches of 500 from the log, against the same rows from a plain statement. */
async function reading(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const store = await openStore(directory)
    const notes = await store.collection('bench')
    const EVENTS = 50_000
    for (let at = 0; at < EVENTS; at += 1000)
      await notes.put({
        source: `s${at}`,
        spans: Array.from({ length: 1000 }, (_, i) => ({ text: textOf(at + i) })),
      })
    await store.close()
    const ledger = openSqliteLedger(join(directory, 'ledger.db'))
    const db = rawDatabase(join(directory, 'ledger.db'))
    // The same columns and joins an event needs, as rows.
    const select = db
      .prepare(
        `SELECT e.position, e.type, e.at, s.key, o.name, e.number, e.data FROM event e
         LEFT JOIN span s ON s.id = e.node LEFT JOIN source o ON o.id = e.source
         WHERE e.collection = 1 AND e.position > ? ORDER BY e.position LIMIT 500`,
      )
      .raw()
    const { raw, ours } = await interleaved(
      9,
      () => {
        for (let after = 0; after < EVENTS; after += 500) select.all(after)
      },
      () => {
        for (let after = 0; after < EVENTS; after += 500)
          readEvents(ledger.connection, { collection: 1, after, limit: 500 })
      },
    )
    report({
      name: 'events read in batches of 500',
      value: (EVENTS / ours) * 1000,
      unit: 'events/s',
      ratio: raw / ours,
      raw: (EVENTS / raw) * 1000,
      target: '>= 0.85 of the same rows read raw',
    })
    db.close()
    await ledger.close()
  })
}

/** From the commit in this process to the event in another one's hands. */
async function wakingUp(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    await using store = await openStore(directory)
    const notes = await store.collection('bench')
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', fileURLToPath(new URL('./follower.ts', import.meta.url)), directory],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    ) as ChildProcess & { stdout: NodeJS.ReadableStream }
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    await lines.next()
    const latencies: number[] = []
    for (let i = 0; i < 400; i++) {
      await notes.append({ source: 'talk', spans: [{ text: `Turn ${i}` }] })
      const committed = performance.timeOrigin + performance.now()
      const { value } = await lines.next()
      latencies.push(Number(value) - committed)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    child.kill()
    await once(child, 'exit')
    report({
      name: 'wake-up of another process, p99',
      value: percentile(latencies, 0.99),
      unit: 'ms',
      target: '<= 5 ms',
      detail: { p50: median(latencies).toFixed(2), p90: percentile(latencies, 0.9).toFixed(2) },
    })
  })
}

/** SPANSTORE_BENCH_SPANS=1000000 for the size that counts; the default is quicker to build. */
async function opening(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const spans = Number(process.env.SPANSTORE_BENCH_SPANS ?? 100_000)
    const store = await openStore(directory)
    const notes = await store.collection('bench')
    for (let at = 0; at < spans; at += 5000)
      await notes.put({
        source: `s${at}`,
        spans: Array.from({ length: 5000 }, (_, i) => ({ text: textOf(at + i) })),
      })
    await store.close()
    const times: number[] = []
    for (let round = 0; round < 9; round++)
      times.push(
        await timed(async () => {
          const again = await openStore(directory)
          await (await again.collection('bench')).count()
          await again.close()
        }),
      )
    report({
      name: `open, count and close a store of ${spans} spans`,
      value: median(times),
      unit: 'ms',
      target: '<= 100 ms',
    })
  })
}
