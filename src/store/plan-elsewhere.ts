import type { Changeset, Retirement, Slot } from '../core/changeset.ts'
import { AskedThread, ThreadLost } from '../threads/ask.ts'
import { partsOf } from '../threads/in-parts.ts'
import type { Comparison, Packed, PlanCalls } from './plan-thread.ts'

/** UTF-16 units of both sides whose comparison holds nobody up: some milliseconds, should all of them have changed. */
const SHORT = 200_000

/** How long the thread is kept, in milliseconds. */
const IDLE = 10_000

/** One for the process: it holds nothing of any store. */
const thread = new AskedThread<PlanCalls>('store/plan-thread', {
  name: 'spanstore-plan',
  data: undefined,
  idle: IDLE,
})

let tickets = 0

export const isLong = ({ entries, draft }: Comparison): boolean =>
  lengthOf(entries) + lengthOf(draft.chunks) > SHORT

const lengthOf = (spans: readonly { readonly length: number }[]): number =>
  spans.reduce((sum, { length }) => sum + length, 0)

/**
 * `plan` in a thread. `texts` reads those of old entries, by index. Undefined: the thread was lost, and it is for the
 * caller to do.
 */
export async function planElsewhere(
  { entries, trailing, draft }: Comparison,
  texts: (indices: readonly number[]) => Promise<readonly (string | undefined)[]>,
): Promise<Changeset | undefined> {
  const ticket = ++tickets
  const send = async (value: unknown) => {
    let parts = 0
    for (const part of partsOf(value)) {
      await thread.ask('take', [ticket, part])
      parts++
    }
    return await thread.ask('plan', [ticket, parts])
  }
  // Vectors have no part in it.
  const chunks = draft.chunks.map(({ hash, length, metadata, lead, text }) => ({
    hash,
    length,
    metadata,
    lead,
    text,
  }))
  try {
    const comparison: Comparison = { entries, trailing, draft: { chunks, trailing: draft.trailing } }
    let answer = await send(comparison)
    if (answer !== 'lost' && 'asked' in answer) answer = await send(await texts([...answer.asked]))
    return answer !== 'lost' && 'packed' in answer ? unpack(answer.packed) : undefined
  } catch (error) {
    if (error instanceof ThreadLost) return undefined
    throw error
  }
}

function unpack({ kept, moved, updated, restored, retired, successors }: Packed): Changeset {
  const slots: Slot[] = []
  for (let chunk = 0; chunk < kept.length; chunk++)
    slots.push(kept[chunk]! < 0 ? { mint: chunk } : { keep: kept[chunk]!, chunk })
  const retirements: Retirement[] = []
  let at = 0
  for (let i = 0; i < retired.length; i += 3) {
    const end = at + retired[i + 2]!
    retirements.push({
      entry: retired[i]!,
      reason: retired[i + 1] === 1 ? 'rechunked' : 'edited',
      successors: [...successors.subarray(at, end)],
    })
    at = end
  }
  const pairs: [number, number][] = []
  for (let i = 0; i < restored.length; i += 2) pairs.push([restored[i]!, restored[i + 1]!])
  return { slots, retired: retirements, moved: [...moved], updated: [...updated], restored: pairs }
}
