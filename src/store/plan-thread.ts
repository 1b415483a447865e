import type { Changeset, DraftChunk, Entry, Texts } from '../core/changeset.ts'
import { plan } from '../core/plan.ts'
import { answerCalls } from '../threads/answer.ts'
import { InParts, type Part } from '../threads/in-parts.ts'

/*
 * The whole of a thread for comparing long texts with what they were: thousands of spans may have changed between two
 * that stayed, and these are compared in one piece.
 */

/** What is compared. Chunks with their texts; those of old entries are asked for. */
export interface Comparison {
  readonly entries: readonly Entry[]
  readonly trailing: string
  readonly draft: {
    readonly chunks: readonly (DraftChunk & { readonly text: string | undefined })[]
    readonly trailing: string
  }
}

/** A changeset in few pieces: what crosses between threads is copied at one go, and objects are slow at that. */
export interface Packed {
  /** For each chunk the entry whose key it keeps, or -1. */
  readonly kept: Int32Array
  readonly moved: Int32Array
  readonly updated: Int32Array
  /** Entry, chunk, entry, chunk. */
  readonly restored: Int32Array
  /** For each retired entry: its index, 1 where it was rechunked, how many successors it has. */
  readonly retired: Int32Array
  readonly successors: Int32Array
}

export type PlanCalls = {
  /** The next part of a comparison, or of the texts that were asked for. */
  readonly take: (ticket: number, part: Part) => void
  /** What came of the parts; or the entries whose texts it takes, for the next parts. 'lost': they did not all arrive. */
  readonly plan: (
    ticket: number,
    parts: number,
  ) => 'lost' | { readonly asked: Int32Array } | { readonly packed: Packed }
}

interface Work {
  coming: InParts
  comparison: Comparison | undefined
  asked: readonly number[]
}

const works = new Map<number, Work>()

/** Thrown through `plan`, which asks at most once. */
class Asked {
  readonly indices: readonly number[]
  constructor(indices: readonly number[]) {
    this.indices = indices
  }
}

function take(ticket: number, part: Part): void {
  const work = works.get(ticket) ?? { coming: new InParts(), comparison: undefined, asked: [] }
  works.set(ticket, work)
  work.coming.add(part)
}

function planned(ticket: number, parts: number): ReturnType<PlanCalls['plan']> {
  const work = works.get(ticket)
  if (work?.coming.parts !== parts) {
    works.delete(ticket)
    return 'lost'
  }
  const known = new Map<number, string | undefined>()
  if (work.comparison === undefined) work.comparison = work.coming.value as Comparison
  else {
    const texts = work.coming.value as readonly (string | undefined)[]
    work.asked.forEach((index, i) => {
      known.set(index, texts[i])
    })
  }
  const { entries, trailing, draft } = work.comparison
  const texts: Texts = {
    old: (indices) => {
      if (indices.some((index) => !known.has(index))) throw new Asked(indices)
      return indices.map((index) => known.get(index))
    },
    chunk: (index) => draft.chunks[index]!.text,
  }
  try {
    const packed = pack(plan(entries, trailing, draft, texts))
    works.delete(ticket)
    return { packed }
  } catch (error) {
    if (!(error instanceof Asked)) {
      works.delete(ticket)
      throw error
    }
    work.asked = error.indices
    work.coming = new InParts()
    return { asked: Int32Array.from(error.indices) }
  }
}

function pack({ slots, retired, moved, updated, restored }: Changeset): Packed {
  return {
    kept: Int32Array.from(slots, (slot) => ('keep' in slot ? slot.keep : -1)),
    moved: Int32Array.from(moved),
    updated: Int32Array.from(updated),
    restored: Int32Array.from(restored.flat()),
    retired: Int32Array.from(
      retired.flatMap(({ entry, reason, successors }) => [
        entry,
        reason === 'rechunked' ? 1 : 0,
        successors.length,
      ]),
    ),
    successors: Int32Array.from(retired.flatMap(({ successors }) => successors)),
  }
}

answerCalls<PlanCalls>(
  { take: (_, ticket, part) => take(ticket, part), plan: (_, ticket, parts) => planned(ticket, parts) },
  () => {},
)
