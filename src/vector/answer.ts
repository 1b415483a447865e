import type { Filter } from '../core/filter.ts'
import type { VectorNearest, VectorPath, VectorQuery, VectorRecords } from '../ports/vectors.ts'
import { nearestNamed } from './named.ts'
import type { Candidate } from './nearest.ts'
import type { Pause, View } from './view.ts'

/** A filter that states no condition. */
const ALL: Filter = { op: 'and', filters: [] }

/** How many of the nearest are looked at for a filter before the spans that pass it are. */
const FAR = 1_000

/** How many of the nearest are checked at a time: a filter costs some microseconds for each. */
const CHECKED = 64

/**
 * Asks a view for the nearest until enough of them are live and pass the filter. A filter that admits few is turned
 * round: the spans that pass it are compared alone.
 */
export async function answerBy(
  records: VectorRecords,
  collection: number,
  view: View,
  query: VectorQuery,
  absorbing: number,
  pause: Pause,
): Promise<VectorNearest> {
  const started = performance.now()
  const { where, admits, among } = query
  const filtered = where !== undefined || admits !== undefined
  const wanted = query.offset + query.limit
  const ask = (ids: readonly number[]) => records.passing(collection, ids, where, admits)
  /** Those of the nearest that are live and pass, until they are enough, and how many were looked at for that. */
  const check = (found: readonly Candidate[]) => {
    const ids = found.map(({ id }) => id)
    // Memory holds the live ones and no others, as of its position.
    if (!filtered && view.path === 'resident' && records.position(collection) === view.position)
      return { ids, position: view.position, looked: ids.length }
    const step = filtered ? Math.max(CHECKED, 2 * wanted) : ids.length
    const { ids: some, position } = ask(ids.slice(0, step))
    const all = [...some]
    let looked = Math.min(step, ids.length)
    while (all.length < wanted && looked < ids.length) {
      const more = ask(ids.slice(looked, looked + step))
      // Something was committed meanwhile, by another process: all of it has to be of one moment.
      if (more.position !== position) return { ...ask(ids), looked: ids.length }
      all.push(...more.ids)
      looked = Math.min(looked + step, ids.length)
    }
    return { ids: all, position, looked }
  }
  const done = (
    found: readonly Candidate[],
    checked: { readonly ids: readonly number[]; readonly position: number },
    filter: VectorPath['filter'],
    candidates: number,
  ) =>
    answerOf(query, pick(found, checked.ids), {
      position: checked.position,
      indexedThrough: view.position,
      waiting: view.waiting,
      path: {
        path: view.path,
        approximate: view.approximate && filter !== 'set',
        candidates,
        filter,
        tail: view.tail,
        absorbing,
        searching: performance.now() - started,
      },
    })
  if (among !== undefined) {
    const { ids } = records.passing(collection, among, where, admits)
    const few = await view.among(new Set(ids), wanted)
    return done(few, check(few), 'set', ids.length)
  }
  const bySet = async () => {
    const some = await matching(records, collection, query, pause)
    const few = await view.among(some, wanted)
    return done(few, check(few), 'set', some.size)
  }
  const resident = view.path === 'resident'
  let limit = filtered ? (resident ? 8 : 4) * wanted + 64 : wanted
  const possible = where && records.possible(collection, where)
  if (possible !== undefined) {
    const { live } = records.head(collection)
    if (view.isSetQuicker(possible.length, live, wanted)) return await bySet()
    limit = Math.ceil((1.5 * wanted * live) / possible.length) + 64
  }
  if (filtered && view.names !== undefined) {
    const ways = { records, collection, view, names: view.names, possible }
    const named = await nearestNamed(ways, query, pause)
    const checked = named && check(named.found)
    return checked !== undefined && checked.ids.length >= wanted
      ? done(named!.found, checked, 'checked', named!.looked)
      : await bySet()
  }
  for (let passing: ReadonlySet<number> | undefined; ; ) {
    const { found, all } = await view.nearest(limit)
    const checked = check(found)
    if (all || checked.ids.length >= wanted)
      return done(found, checked, filtered ? 'checked' : 'none', checked.looked)
    if (!filtered) {
      limit *= 4
      continue
    }
    // Looking a little further is quicker than finding out which spans pass, if enough of them do.
    const share = checked.ids.length / checked.looked
    limit = share > 0.02 ? Math.ceil((1.5 * wanted) / share) : 4 * limit
    if (passing === undefined && share > 0.02 && limit <= FAR) continue
    passing ??= await matching(records, collection, query, pause)
    // Comparing them is exact, and quicker than looking for them among the nearest.
    if (resident || limit > passing.size || view.isSetQuicker(passing.size, passing.size / share, wanted)) {
      const few = await view.among(passing, wanted)
      return done(few, check(few), 'set', passing.size)
    }
  }
}

/** Spans judged by a condition in JavaScript between two turns of the event loop. */
const JUDGED = 1_000

/** All live spans that pass. */
export async function matching(
  records: VectorRecords,
  collection: number,
  { where, admits, except }: VectorQuery,
  pause: Pause,
): Promise<ReadonlySet<number>> {
  const ids = await records.matching(collection, where ?? ALL, pause)
  const passing = new Set(admits === undefined ? ids : [])
  if (admits !== undefined)
    for (let i = 0; i < ids.length; i += JUDGED) {
      if (i > 0) await pause()
      const judged = records.passing(collection, ids.slice(i, i + JUDGED), undefined, admits).ids
      for (const id of judged) passing.add(id)
    }
  if (except !== undefined) passing.delete(except)
  return passing
}

/** The page asked for, of candidates that were checked. */
export const answerOf = (
  { offset, limit }: VectorQuery,
  found: readonly Candidate[],
  rest: Omit<VectorNearest, 'nearest'>,
): VectorNearest => ({ ...rest, nearest: found.slice(offset, offset + limit) })

export function pick(candidates: readonly Candidate[], ids: readonly number[]): Candidate[] {
  const chosen = new Set(ids)
  return candidates.filter(({ id }) => chosen.has(id))
}
