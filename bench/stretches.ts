import { openSync, readSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Measured } from './harness.ts'

/*
 * How long this thread computes at a stretch while something runs: the longest time between two turns of the event
 * loop, without what it waited for a disk, or for a core of a busy machine.
 */

/** No call should keep others from their turn for longer. */
const MOST = 20

/** Does some work, and reports how long it kept the event loop from everybody else. */
export type Call = (name: string, work: () => unknown) => Promise<void>

/** What was given on the command line as `name=…`. */
export function argument(name: string): string | undefined {
  return process.argv.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** `--only=EXPRESSION`: calls whose name matches. `--why`: with what ran in the longest stretch of those that were long. */
export function stretchesOf(report: (measured: Measured) => void): Call {
  const only = argument('--only')
  return async (name, work) => {
    if (only !== undefined && !new RegExp(only).test(name)) return
    const why = process.argv.includes('--why') ? await profiled() : undefined
    const probing = probe()
    const started = performance.now()
    // A turn before and after, so that what runs at once is seen as well.
    await sleep(1)
    let failed: unknown
    try {
      await work()
    } catch (error) {
      failed = error
    }
    const took = performance.now() - started
    await sleep(1)
    const { wall, busy, from, to } = probing.stop()
    const culprits = await why?.(from, to)
    report({
      name: `${busy > MOST ? '!! ' : ''}${name}`,
      value: Number.isNaN(busy) ? wall : busy,
      unit: 'ms at a stretch',
      detail: {
        'by the clock': wall.toFixed(1),
        'ms in all': Math.round(took),
        ...(culprits === undefined || !(busy > MOST * 0.7) ? {} : { why: `\n    ${culprits}` }),
        ...(failed === undefined ? {} : { failed: String(failed).slice(0, 200) }),
      },
    })
  }
}

/** Milliseconds this thread has computed; NaN where the system does not say. */
function computed(): number {
  try {
    schedule ??= openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return Number.NaN
  }
  const length = readSync(schedule, buffer, 0, buffer.length, 0)
  return Number(buffer.toString('latin1', 0, length).split(' ')[0]) / 1e6
}

let schedule: number | undefined
const buffer = Buffer.alloc(64)

interface Block {
  /** Milliseconds, by the clock, and computed. */
  readonly wall: number
  readonly busy: number
  /** When the one that took most computing began and ended. */
  readonly from: number
  readonly to: number
}

/** Takes a turn whenever there is one, and remembers the longest it had to wait. */
function probe(): { stop(): Block } {
  let [wall, from, to] = [0, 0, 0]
  let busy = 0
  let running = true
  let last = performance.now()
  let spent = computed()
  const look = () => {
    const now = performance.now()
    const used = computed()
    // The system counts in ticks of some milliseconds; nobody computes for longer than by the clock.
    const spentNow = Math.min(used - spent, now - last)
    if (spentNow > busy || (Number.isNaN(used) && now - last > wall)) [from, to] = [last, now]
    wall = Math.max(wall, now - last)
    busy = Math.max(busy, spentNow)
    last = now
    spent = used
  }
  const turn = () => {
    look()
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    stop() {
      look()
      running = false
      return { wall, busy, from, to }
    },
  }
}

/** Samples what runs. The answer names what ran most between two moments, innermost first. */
async function profiled(): Promise<(from: number, to: number) => Promise<string>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 500 })
  const began = performance.now()
  await session.post('Profiler.start')
  return async (from, to) => {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    const parents = new Map<number, Profiler.ProfileNode>()
    const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
    for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node)
    const paths = new Map<string, number>()
    let at = 0
    profile.samples?.forEach((id, i) => {
      at += (profile.timeDeltas?.[i] ?? 0) / 1_000
      if (began + at < from || began + at > to) return
      const path: string[] = []
      for (let node = nodes.get(id); node !== undefined && path.length < 7; node = parents.get(node.id)) {
        const { functionName, url, lineNumber } = node.callFrame
        path.push(`${functionName || '?'} ${url.split('/').at(-1) ?? ''}:${lineNumber + 1}`)
      }
      const name = path.join(' < ')
      paths.set(name, (paths.get(name) ?? 0) + 1)
    })
    const all = [...paths.values()].reduce((sum, count) => sum + count, 0)
    return [...paths]
      .sort(([, a], [, b]) => b - a)
      .slice(0, 5)
      .map(([path, count]) => `${Math.round((100 * count) / all)} % ${path}`)
      .join('\n    ')
  }
}
