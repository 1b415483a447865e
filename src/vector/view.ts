import { Pace } from '../core/pace.ts'
import type { VectorPath, VectorRecords, VectorSpace } from '../ports/vectors.ts'
import type { Absorbed } from './absorbed.ts'
import { distanceTo, type Query } from './metric.ts'
import { type Candidate, closer, Nearest } from './nearest.ts'
import { effort, type LanceTable } from './table.ts'

/** One way of comparing a query with a collection as it stands at `position`. */
export interface View {
  readonly path: VectorPath['path']
  readonly position: number
  readonly waiting: number
  readonly tail: number
  readonly approximate: boolean
  /** Closest first, with true distances. `all`: there are no others. */
  nearest(limit: number): Promise<{ readonly found: readonly Candidate[]; readonly all: boolean }>
  /** Compares these spans alone, exactly. */
  among(ids: ReadonlySet<number>, limit: number): Promise<readonly Candidate[]>
  /** Whether that is the quickest way to the nearest `limit` of `passing` spans out of `live`. */
  isSetQuicker(passing: number, live: number, limit: number): boolean
  /** Names many of the nearest cheaply; undefined where there is no such way. */
  readonly names?: Names
}

/** What an approximate index says without looking at vectors. */
export interface Names {
  /** Of how many that pass a filter, nearest by guess, the nearest `limit` are as accurate as was asked for. */
  enough(limit: number): number
  /**
   * Ids, nearest first: those whose distances are guesses, and those, few and in memory, whose distances are known.
   * `all`: there may be others, but they were not gone through.
   */
  nearest(count: number): Promise<{
    readonly guessed: readonly number[]
    readonly known: readonly number[]
    readonly all: boolean
  }>
}

/*
 * What searches with a filter cost, in vectors that are read from the ledger and compared, which takes about seven
 * microseconds at 384 dimensions.
 */

/** Asking an approximate index, and each row it names besides. */
const NAMING = 600
const NAME = 0.2

/** Rows that LanceDB compares exactly, without an index, while one is read from the ledger, and what beginning costs. */
const FLAT = 14
const FLAT_START = 1_000

/** Lets others run; throws when it is time to stop. */
export type Pause = () => Promise<void>

/** All vectors are in memory. */
export function residentView(absorbed: Absorbed, query: Query, pause: Pause, except?: number): View {
  const { resident } = absorbed
  const admits = except === undefined ? undefined : (id: number) => id !== except
  return {
    path: 'resident',
    position: absorbed.position,
    waiting: absorbed.waiting,
    tail: 0,
    approximate: false,
    async nearest(limit) {
      const found = await resident.nearest(query, limit, pause, admits)
      return { found, all: found.length < limit }
    },
    isSetQuicker: (passing, live, limit) =>
      // Both ways ask the ledger about spans: about all that may pass, or about so many of the nearest.
      passing <= limit || passing * passing <= 1.5 * limit * live,
    async among(ids, limit) {
      if (ids.size * 8 < resident.size) return resident.among(query, limit, ids)
      return await resident.nearest(query, limit, pause, (id) => ids.has(id))
    },
  }
}

/** Milliseconds for which vectors are read from the ledger at a stretch. */
const STEP = 6

/** Compares vectors as the ledger has them. */
export async function compareRows(
  records: VectorRecords,
  collection: number,
  space: VectorSpace,
  query: Query,
  { ids, limit, except }: { ids: readonly number[]; limit: number; except: number | undefined },
  pause: Pause,
): Promise<Candidate[]> {
  const nearest = new Nearest(limit)
  // The first ones may have to come from the disk.
  const pace = new Pace(64, STEP, 500, 16)
  for (let i = 0; i < ids.length; ) {
    if (i > 0) await pause()
    const from = i
    i = pace.step((size) => {
      for (const { id, vector } of records.vectors(collection, space, ids.slice(from, from + size)))
        if (vector !== undefined && id !== except) nearest.offer(id, distanceTo(query, vector))
      return from + size
    })
  }
  return nearest.sorted()
}

/** Vectors are in a table, those that changed since in memory. */
export function indexView(
  records: VectorRecords,
  collection: number,
  absorbed: Absorbed,
  table: LanceTable,
  query: Query,
  options: { readonly accuracy: number; readonly except: number | undefined },
  pause: Pause,
): View {
  const { resident, touched, space } = absorbed
  const { accuracy, except } = options
  // Rounding may put candidates in the wrong order at the end; the span left out takes a place, too.
  const slack = (accuracy < 1 ? 0 : 16) + (except === undefined ? 0 : 1)

  /** The table has single precision, and unit vectors for cosine; the ledger has what came in. */
  const compared = (ids: readonly number[], limit: number): Promise<Candidate[]> =>
    compareRows(records, collection, space, query, { ids, limit, except }, pause)

  const isCurrent = (id: number) => !touched.has(id) && id !== except
  const enough = (limit: number) => effort(accuracy, limit).compared

  return {
    path: 'index',
    position: absorbed.position,
    waiting: absorbed.waiting,
    tail: resident.size,
    approximate: accuracy < 1,
    async nearest(limit) {
      // Some of what the table answers is dated.
      const wanted = limit + slack + Math.min(absorbed.dated, 256)
      const { found, all } = await table.nearest(query.vector, wanted, accuracy)
      const apart = absorbed.zeros.map((id) => ({ id, distance: 1 }))
      const current = [...found, ...apart].filter(({ id }) => isCurrent(id)).sort(closer)
      const best = await compared(
        current.slice(0, limit + slack).map(({ id }) => id),
        limit,
      )
      const tail = await resident.nearest(query, limit, pause, (id) => id !== except)
      const merged = [...best, ...tail].sort(closer)
      return {
        found: merged.slice(0, limit),
        all: all && current.length <= limit + slack && merged.length <= limit,
      }
    },
    among: (ids, limit) => compared([...ids], limit),
    isSetQuicker: (passing, live, limit) =>
      accuracy < 1
        ? passing <= NAMING + enough(limit) * (1 + (NAME * live) / passing)
        : passing * FLAT <= live + FLAT_START * FLAT,
    ...(accuracy < 1
      ? {
          names: {
            enough,
            async nearest(count) {
              const { found, all } = await table.named(
                query.vector,
                count + Math.min(absorbed.dated, count),
                accuracy,
              )
              const guessed = found.filter(({ id }) => isCurrent(id)).sort(closer)
              const tail = await resident.nearest(
                query,
                Math.min(count, resident.size),
                pause,
                (id) => id !== except,
              )
              const apart = absorbed.zeros.filter(isCurrent).map((id) => ({ id, distance: 1 }))
              const known = [...tail, ...apart].sort(closer)
              return { guessed: guessed.map(({ id }) => id), known: known.map(({ id }) => id), all }
            },
          } satisfies Names,
        }
      : {}),
  }
}
