import { join } from 'node:path'
import { type Key, openStore } from '../src/index.ts'
import { inTemporaryDirectory, type Measured, percentile, textOf, timed } from './harness.ts'

const SPANS = 10_000

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** What sessions cost: the log beside a read, a gate before an action, the recheck right before it. */
export async function gateBenches(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const store = await openStore(join(directory, 'store'))
    const notes = await store.collection('bench')
    const keys: Key[] = []
    for (let from = 0; from < SPANS; from += 1000) {
      const spans = Array.from({ length: 1000 }, (_, i) => ({ text: textOf(from + i) }))
      keys.push(...(await notes.put({ source: `s${from}`, spans })).added)
    }
    const session = notes.session('agent')

    const READS = 2_000
    /** Rounds after which the log is written: as many reads as it holds. */
    const BATCH = 50
    const key = (round: number, i: number) => keys[(round * 7919 + i * 104_729) % SPANS]!
    // Time of the processor, not of the clock: a difference of a few percent drowns in what else the machine does.
    const spent: { plain: number[]; observed: number[] } = { plain: [], observed: [] }
    const measure = async (into: number[], read: (key: Key) => Promise<unknown>, round: number) => {
      const before = process.cpuUsage()
      for (let i = 0; i < READS; i++) await read(key(round, i))
      // A loop of reads never yields, so nothing is written in the background: the boundary, whose look is counted, too, writes it.
      if (into === spent.observed && round % BATCH === BATCH - 1) await session.boundary({ enforce: false })
      const { user, system } = process.cpuUsage(before)
      into.push((user + system) / READS)
    }
    for (let round = 0; round < 300; round++) {
      const plain = () => measure(spent.plain, (one) => store.fetch(one), round)
      const noted = () => measure(spent.observed, (one) => session.fetch(one, { cited: 'self' }), round)
      await (round % 2 === 0 ? plain().then(noted) : noted().then(plain))
    }
    const [without, observed] = [mean(spent.plain), mean(spent.observed)]
    report({
      name: 'a read with the observation log beside it, over one without',
      value: (observed / without - 1) * 100,
      unit: '% more',
      target: 'under 5',
      detail: { with: `${observed.toFixed(2)} µs`, without: `${without.toFixed(2)} µs` },
    })

    for (const [claims, ranks] of [
      [1, false],
      [1, true],
      [10, false],
    ] as const) {
      const times: number[] = []
      for (let round = 0; round < 100; round++) {
        const asked = Array.from({ length: claims }, (_, i) => {
          const n = (round * 31 + i * 17) % SPANS
          return { text: `${textOf(n).slice(0, 170)} [[${keys[n]}]]` }
        })
        times.push(await timed(() => session.gate(asked, { action: 'bench', ranks })))
      }
      report({
        name: `gate, ${claims} claim${claims > 1 ? 's' : ''}${ranks ? ', with the rank of its key' : ''}, written down`,
        value: percentile(times, 0.5),
        unit: 'ms',
        detail: { p95: `${percentile(times, 0.95).toFixed(2)} ms` },
      })
    }
    const n = 4
    const gated = await session.gate([{ text: `${textOf(n)} [[${keys[n]}]]` }])
    const still: number[] = []
    for (let i = 0; i < 1000; i++) still.push(await timed(() => session.recheck(gated)))
    await notes.put({ source: 'elsewhere', text: 'Something else.' })
    const moved: number[] = []
    for (let i = 0; i < 1000; i++) moved.push(await timed(() => session.recheck(gated)))
    report({
      name: 'recheck where nothing moved',
      value: percentile(still, 0.5) * 1000,
      unit: 'µs',
      detail: { p95: `${(percentile(still, 0.95) * 1000).toFixed(0)} µs` },
    })
    report({
      name: 'recheck after a write elsewhere',
      value: percentile(moved, 0.5) * 1000,
      unit: 'µs',
      detail: { p95: `${(percentile(moved, 0.95) * 1000).toFixed(0)} µs` },
    })
    await store.close()
  })
}
