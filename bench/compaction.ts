import { type Key, openStore } from '../src/index.ts'
import { FAULTS, lineOf, simulate } from '../test/guarantees/simulation.ts'
import { present } from '../test/store/corpora.ts'
import { inTemporaryDirectory, interleaved, type Measured, textOf } from './harness.ts'

/** The monitor over a long session with each fault, and what observing costs the reads. */
export async function compactionBenches(report: (measured: Measured) => void): Promise<void> {
  await observing(report)
  await simulations(report)
}

const KEYS = 20_000
/** About as many as an agent has in its context. */
const WORKING_SET = 500
const READS = 60_000

/**
 * Reads through a session beside the same reads through its collection, the writing of the log included: every round
 * is long enough for the log to be written several times.
 */
async function observing(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const store = await openStore(directory)
    const notes = await store.collection('bench')
    const { added } = await notes.put({
      source: 's',
      spans: Array.from({ length: KEYS }, (_, i) => ({ text: textOf(i) })),
    })
    const session = notes.session('agent')
    await session.register({ text: `Said [[${added[0]}]].` })
    for (const [name, keys] of [
      ['a working set', added.slice(0, WORKING_SET)],
      ['every key in turn', added],
    ] as [string, readonly Key[]][]) {
      const { raw, ours } = await interleaved(
        9,
        async () => {
          for (let i = 0; i < READS; i++) await notes.fetch(keys[(i * 7919) % keys.length]!)
        },
        async () => {
          for (let i = 0; i < READS; i++)
            await session.fetch(keys[(i * 7919) % keys.length]!, { cited: 'external' })
          await session.boundary({ enforce: false })
        },
      )
      report({
        name: `session.fetch beside collection.fetch, ${name}`,
        value: ((ours - raw) / raw) * 100,
        unit: '% slower',
        target: '< 5 %',
        detail: { reads: READS, 'µs a read': ((ours / READS) * 1000).toFixed(2) },
      })
    }
    await store.close()
  })
}

async function simulations(report: (measured: Measured) => void): Promise<void> {
  if (!present) {
    console.log('compaction simulation: skipped, ../shared/corpora/meetings is not there')
    return
  }
  for (const fault of FAULTS)
    for (const heals of fault.startsWith('none') ? [false] : [false, true]) {
      const outcome = await simulate(fault, 300, { heals })
      console.log(`${heals ? '  healed: ' : ''}${lineOf(outcome)}`)
      if (heals) continue
      report({
        name: `compaction, 300 cycles, ${fault}`,
        value: outcome.decision === undefined ? 0 : outcome.decision.cycle,
        unit: 'cycle of the decision (0: none)',
        target: 'before the drift',
        detail: {
          signal: outcome.signal?.cycle ?? 'never',
          decision: outcome.decision?.advice ?? 'none',
          drift: outcome.drift?.cycle ?? 'never',
        },
      })
    }
}
