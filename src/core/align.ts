import type { DraftChunk, Entry } from './changeset.ts'
import { classes, NEVER, type Problem, solve } from './subsequence.ts'

/** Where an element can match: same text, or no text on both sides. */
export const sameText = (entry: Entry, chunk: DraftChunk): boolean =>
  entry.hash === undefined
    ? chunk.hash === undefined && entry.length === 0 && chunk.length === 0
    : entry.hash === chunk.hash

const untouched = (entry: Entry, chunk: DraftChunk): boolean =>
  entry.live && entry.metadata === chunk.metadata && sameText(entry, chunk)

/**
 * The entry each chunk stands for, in order, or -1. As many live entries as possible are matched, then as many
 * retired places; ties go to equal metadata, then to equal neighbours, then to the earlier.
 */
export function alignInOrder(entries: readonly Entry[], chunks: readonly DraftChunk[]): Int32Array {
  const matches = new Int32Array(chunks.length).fill(-1)
  const { head, oldEnd, newEnd } = trim(entries, chunks)
  for (let i = 0; i < head; i++) matches[i] = i
  for (let j = newEnd; j < chunks.length; j++) matches[j] = j - newEnd + oldEnd
  if (head === oldEnd || head === newEnd) return matches

  // One element more at each side, where there is one: ties look at neighbours.
  const base = Math.max(0, head - 1)
  const problem = problemOf(entries.slice(base, oldEnd + 1), chunks.slice(base, newEnd + 1))
  const found = solve(problem, head - base, oldEnd - base, head - base, newEnd - base)
  for (let j = head; j < newEnd; j++) {
    const match = found[j - base]!
    if (match >= 0) matches[j] = match + base
  }
  return matches
}

/**
 * What both ends have in common. An end stops before text that also occurs in the middle: which of several "Yes."
 * is meant is for their neighbours to decide, not for the order in which we look.
 */
function trim(entries: readonly Entry[], chunks: readonly DraftChunk[]) {
  const shorter = Math.min(entries.length, chunks.length)
  let head = 0
  while (head < shorter && untouched(entries[head]!, chunks[head]!)) head++
  let oldEnd = entries.length
  let newEnd = chunks.length
  while (oldEnd > head && newEnd > head && untouched(entries[oldEnd - 1]!, chunks[newEnd - 1]!)) {
    oldEnd--
    newEnd--
  }
  if (head === oldEnd && head === newEnd) return { head, oldEnd, newEnd }

  const middle = new Set<string | undefined>()
  for (let i = head; i < oldEnd; i++) middle.add(entries[i]!.hash)
  for (let j = head; j < newEnd; j++) middle.add(chunks[j]!.hash)
  while (head > 0 && middle.has(entries[head - 1]!.hash)) head--
  while (oldEnd < entries.length && middle.has(entries[oldEnd]!.hash)) {
    oldEnd++
    newEnd++
  }
  return { head, oldEnd, newEnd }
}

function problemOf(entries: readonly Entry[], chunks: readonly DraftChunk[]): Problem {
  const textOf = textClasses()
  const metadata = classes()
  return {
    old: Int32Array.from(entries.map(textOf)),
    new: Int32Array.from(chunks.map(textOf)),
    kinds: entries.length + chunks.length + 1,
    live: Uint8Array.from(entries.map(({ live }) => (live ? 1 : 0))),
    oldMetadata: Int32Array.from(entries.map((entry) => metadata(entry.metadata))),
    newMetadata: Int32Array.from(chunks.map((chunk) => metadata(chunk.metadata))),
  }
}

/** Classes of texts, for both sides together: equal ones alike, no text its own, an erased one `NEVER`. */
export function textClasses(): (place: Entry | DraftChunk) => number {
  const classOf = classes<string | undefined>()
  const textless = classOf(undefined)
  return ({ hash, length }) => (hash !== undefined ? classOf(hash) : length === 0 ? textless : NEVER)
}
