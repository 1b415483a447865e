import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/*
 * Machines are shared and noisy, so every figure is taken beside the raw engine's in the same run: the two take
 * turns, in changing order, and the ratio of their medians is what counts. (A benchmark library runs one after the
 * other, and a noisy minute then looks like a result.)
 */

export interface Measured {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** Set against the raw engine; above 1 is faster than raw. */
  readonly ratio?: number
  readonly raw?: number
  readonly target?: string
  readonly detail?: Readonly<Record<string, number | string>>
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]!
}

export const percentile = (values: readonly number[], p: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))]!

/** Milliseconds of one call. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Medians of two pieces of work that take turns. */
export async function interleaved(
  rounds: number,
  raw: (round: number) => unknown,
  ours: (round: number) => unknown,
): Promise<{ raw: number; ours: number }> {
  const times: { raw: number[]; ours: number[] } = { raw: [], ours: [] }
  for (let round = 0; round < rounds; round++) {
    const first = async () => times.raw.push(await timed(() => raw(round)))
    const second = async () => times.ours.push(await timed(() => ours(round)))
    if (round % 2 === 0) {
      await first()
      await second()
    } else {
      await second()
      await first()
    }
  }
  // The first round warms both up.
  return { raw: median(times.raw.slice(1)), ours: median(times.ours.slice(1)) }
}

export async function inTemporaryDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-bench-'))
  try {
    return await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A plain database with the pragmas the ledger uses. */
export function rawDatabase(path: string): Database.Database {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('mmap_size = 1073741824')
  db.pragma('cache_size = -32768')
  db.pragma('wal_autocheckpoint = 4000')
  db.pragma('journal_size_limit = 67108864')
  return db
}

const WORDS =
  'the span store keeps every key a tombstone names successors when text is cut again and summaries that stood on it turn stale before an agent acts on a claim nobody can substantiate any more'.split(
    ' ',
  )

/** About 330 characters of unlike text. */
export function textOf(n: number): string {
  let seed = (n * 2654435761) % 4294967296
  const words = [`Note ${n}:`]
  for (let i = 0; i < 58; i++) {
    seed = (seed * 1664525 + 1013904223) % 4294967296
    words.push(WORDS[seed % WORDS.length]!)
  }
  return `${words.join(' ')}.`
}
