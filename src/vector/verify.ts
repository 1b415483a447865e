import { IdSet } from '../core/id-set.ts'
import { Pace } from '../core/pace.ts'
import type { Problem } from '../ports/problem.ts'
import type { VectorRecords } from '../ports/vectors.ts'
import { nextTurn } from '../threads/turn.ts'
import type { Keeper } from './keeper.ts'
import { tableName } from './state.ts'

/** Rounding of a unit vector, per component. */
const TOLERANCE = 1e-6

/** Rows of a table or of the ledger are looked at for so long at a stretch, in milliseconds. */
const STEP = 6

/**
 * Compares every table with the live spans of its collection. A table that is wrong is removed when told to repair,
 * and made anew from the ledger.
 */
export async function verifyTables(
  records: VectorRecords,
  keeper: Keeper,
  repair: boolean,
  check: () => void,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const collection of records.large(0)) {
    const head = records.head(collection)
    const { space } = head
    if (space === undefined) continue
    const state = keeper.states.read(tableName(head, space), space)
    if (state === undefined) continue
    const wrong = await differences(records, keeper, collection, check)
    if (wrong.length === 0) continue
    let repaired = false
    if (repair) {
      await keeper.discard(head, space)
      repaired = await keeper.tend(collection, check)
    }
    for (const what of wrong)
      problems.push({ code: 'WRONG_VECTOR_INDEX', what: `collection ${head.name}: ${what}`, repaired })
  }
  return problems
}

async function differences(
  records: VectorRecords,
  keeper: Keeper,
  collection: number,
  check: () => void,
): Promise<string[]> {
  const head = records.head(collection)
  const space = head.space!
  const state = keeper.states.read(tableName(head, space), space)!
  if (state.position > head.position)
    return [`the table claims to reach ${state.position}, the log ends at ${head.position}`]
  // What is behind is no fault.
  if (!(await keeper.tend(collection, check))) return []
  const counts = { surplus: 0, twice: 0, wrong: 0, missing: 0 }
  const seen = new IdSet()
  for (const id of state.zeros) seen.add(id)
  const held = new IdSet()
  const pace = new Pace(200, STEP, 1_000)
  try {
    const table = await keeper.open(head, space)
    for await (const part of table.everything()) {
      const live = new Map(
        records
          .rows(
            collection,
            space,
            part.map(({ id }) => id),
          )
          .map(({ id, vector }) => [id, vector]),
      )
      await nextTurn()
      for (const { id, vector } of part) {
        if (!held.add(id)) counts.twice++
        seen.add(id)
        const truth = live.get(id)
        if (truth === undefined) counts.surplus++
        else if (!near(table.kept(truth), vector)) counts.wrong++
      }
      await nextTurn()
      check()
    }
  } catch (error) {
    check()
    return [`its files cannot be read (${(error as Error).message.slice(0, 200)})`]
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after
    after = pace.step((size) => {
      const { rows, last } = records.copy(collection, space, from, size)
      for (const { id, vector } of rows) if (vector !== undefined && !seen.has(id)) counts.missing++
      return last
    })
    await nextTurn()
    check()
  }
  // Written while this was reading: nothing can be said.
  if (records.head(collection).position !== head.position) return []
  return [
    ...(counts.missing > 0 ? [`${counts.missing} live spans are not indexed`] : []),
    ...(counts.surplus > 0 ? [`${counts.surplus} indexed spans are not live`] : []),
    ...(counts.twice > 0 ? [`${counts.twice} rows are there twice`] : []),
    ...(counts.wrong > 0 ? [`${counts.wrong} vectors are not those of the ledger`] : []),
  ]
}

const near = (a: Float32Array, b: Float32Array): boolean =>
  a.every((value, i) => Math.abs(value - b[i]!) <= TOLERANCE * Math.max(1, Math.abs(value)))
