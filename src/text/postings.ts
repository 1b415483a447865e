import type { Connection } from '../ledger/sqlite/statements.ts'
import { shareOf, weightOf } from './bm25.ts'
import { type Asked, type Unit, wanted, wordOf } from './expression.ts'
import type { Statistics } from './frequencies.ts'
import { planOf, type Understood } from './ranking.ts'
import { numbersOf } from './totals.ts'

/*
 * Words read from an index one by one, and ranked here: as FTS5 would rank them, were there nothing else in the index
 * than what is asked about.
 */

/** A row of the index and its rank, where lower is better. */
export type Ranked = [id: number, rank: number]

/** How often each span has something. */
export type Times = Map<number, number>

/** Tokens of a text, at most, that are told apart by their places. */
const PLACES = 2 ** 22

/** How often the rows up to `last` of an index have a unit. Beside `table` there is `<table>_tokens`, its instances. */
export function timesOf(
  connection: Connection,
  table: string,
  { tokens, prefix }: Unit,
  last: number = Number.MAX_SAFE_INTEGER,
): Times {
  const times: Times = new Map()
  const add = (id: number) => times.set(id, (times.get(id) ?? 0) + 1)
  if (tokens.length === 1) {
    for (const id of read(connection, table, 'doc', tokens[0]!, prefix, last)) add(id)
    return times
  }
  const places = (i: number) =>
    read(connection, table, `doc * ${PLACES} + offset`, tokens[i]!, prefix && i === tokens.length - 1, last)
  // Where it begins, as long as all that follows is there.
  let begins = places(0)
  for (let i = 1; i < tokens.length; i++) {
    const there = new Set(places(i))
    begins = begins.filter((place) => there.has(place + i))
  }
  for (const place of begins) add(Math.floor(place / PLACES))
  return times
}

/** As one value: a row for each costs four times as much. */
function read(
  connection: Connection,
  table: string,
  what: string,
  token: string,
  prefix: boolean,
  last: number,
): number[] {
  const [[found]] = connection.once<[string]>(
    `SELECT json_group_array(${what}) FROM ${table}_tokens WHERE ${prefix ? 'term >= ? AND term < ?' : 'term = ?'} AND doc <= ?`,
    ...(prefix ? [token, `${token}\u{10ffff}`] : [token]),
    last,
  ) as [[string]]
  return JSON.parse(found)
}

/** How many tokens each of these rows has. */
export function lengthsOf(
  connection: Connection,
  table: string,
  ids: readonly number[],
  lengths: Map<number, number>,
): void {
  const [[found, sizes]] = connection.once<[string, Buffer | null]>(
    `SELECT json_group_array(id), CAST(group_concat(sz, '') AS BLOB) FROM
       (SELECT d.id, d.sz FROM json_each(?) j CROSS JOIN ${table}_docsize d ON d.id = j.value)`,
    JSON.stringify(ids),
  ) as [[string, Buffer | null]]
  const known = sizes === null ? [] : numbersOf(sizes)
  const there = JSON.parse(found) as number[]
  if (known.length !== there.length) throw new Error(`${table}: lengths do not belong to rows`)
  there.forEach((id, i) => {
    lengths.set(id, known[i]!)
  })
}

/** What is asked of spans whose words have been read. */
export interface Reading {
  readonly times: ReadonlyMap<Unit, Times>
  readonly lengths: ReadonlyMap<number, number>
  readonly statistics: Statistics
}

/** Every span that has what is asked for. */
export function matching({ required, optional, excluded }: Asked, times: Reading['times']): number[] {
  const of = (unit: Unit) => times.get(unit)!
  const [first, ...others] = required
  const found =
    first === undefined
      ? [...new Set(optional.flatMap((unit) => [...of(unit).keys()]))]
      : [...of(first).keys()].filter((id) => others.every((unit) => of(unit).has(id)))
  return excluded.length === 0 ? found : found.filter((id) => !excluded.some((unit) => of(unit).has(id)))
}

/** Spans that match, best first, as `rankBest` ranks them. */
export function rank(
  asked: Asked,
  ids: readonly number[],
  { times, lengths, statistics }: Reading,
): { readonly ranked: Ranked[]; readonly understood: Understood } {
  const { rows, tokens, frequency } = statistics
  const { telling, idle } = planOf(asked, statistics)
  const average = tokens / rows || 1
  const weighed = (units: readonly Unit[]) =>
    units.map((unit) => [times.get(unit)!, weightOf(rows, frequency(unit).count)] as const)
  const main = weighed([...asked.required, ...telling.map(({ unit }) => unit)])
  // Beside words that have to be there, all others rank.
  const last = weighed(idle.map(({ unit }) => unit))
  const scoreOf = (id: number, units: typeof main): number => {
    let score = 0
    for (const [has, weight] of units) {
      const count = has.get(id)
      if (count !== undefined) score += weight * shareOf(count, lengths.get(id) ?? average, average)
    }
    return score
  }
  const before: Ranked[] = []
  const behind: Ranked[] = []
  for (const id of ids) {
    const score = scoreOf(id, main)
    if (asked.required.length > 0) before.push([id, -score - scoreOf(id, last)])
    else if (score > 0) before.push([id, -score])
    else behind.push([id, -scoreOf(id, last)])
  }
  const order = ([a, rankA]: Ranked, [b, rankB]: Ranked): number => rankA - rankB || a - b
  const used = wanted(asked).filter((unit) => times.get(unit)!.size > 0)
  return {
    ranked: [...before.sort(order), ...behind.sort(order)],
    understood: { used: used.map(wordOf), pruned: [], cut: asked.cut },
  }
}
