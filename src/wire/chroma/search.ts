import type { Metadata } from '../../core/json.ts'
import type { LiveRecord } from '../../core/record.ts'
import type { Collection } from '../../index.ts'
import { countOf, isObject, listOf, type Parsed, type ParsedObject, stringOf, stringsOf } from './body.ts'
import { invalid, misshapen } from './failure.ts'
import { plainNumber } from './numbers.ts'
import { queryVectorOf } from './query.ts'
import { judgedOf } from './records.ts'
import { type Selection, selectionOf } from './where.ts'

/*
 * Chroma's search: records that pass a filter, ranked by an expression over the distances (or ranks) of nearest
 * neighbour searches, lower first. Where a record is not among the neighbours of one of them, that one's `default`
 * stands for it; without a default, the record is out.
 */

type Rank =
  | { readonly is: 'value'; readonly value: number }
  | {
      readonly is: 'knn'
      readonly vector: Float32Array
      readonly limit: number
      readonly fallback: number | undefined
      readonly asRank: boolean
    }
  | { readonly is: Many; readonly parts: readonly Rank[] }
  | { readonly is: 'sub' | 'div'; readonly left: Rank; readonly right: Rank }
  | { readonly is: One; readonly of: Rank }

type Many = 'sum' | 'mul' | 'min' | 'max'
type One = 'abs' | 'exp' | 'log'

interface GroupBy {
  readonly keys: readonly string[]
  readonly by: readonly string[]
  readonly k: number
  readonly largest: boolean
}

export interface SearchRequest {
  readonly selection: Selection
  readonly rank: Rank | undefined
  readonly limit: number | undefined
  readonly offset: number
  readonly groupBy: GroupBy | undefined
  readonly select: readonly string[]
}

export interface SearchHit {
  readonly record: LiveRecord
  /** Undefined where nothing was ranked. */
  readonly score: number | undefined
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[]
  readonly select: readonly string[]
}

// ── reading a request ───────────────────────────────────────────────────────────────────────────────────────

export function searchRequestsOf(value: Parsed): readonly SearchRequest[] {
  if (!isObject(value)) throw misshapen('invalid type, expected struct SearchRequestPayload')
  return listOf(value.searches, 'searches').map((one, i) => searchRequestOf(one, `searches[${i}]`))
}

function searchRequestOf(value: Parsed, path: string): SearchRequest {
  if (!isObject(value)) throw misshapen(`${path}: invalid type, expected struct SearchPayload`)
  const limit = object(value.limit, `${path}.limit`)
  const select = object(value.select, `${path}.select`)
  return {
    selection: filterOf(value.filter, `${path}.filter`),
    rank: value.rank == null ? undefined : rankOf(value.rank, `${path}.rank`, 1),
    limit: countOf(limit.limit, `${path}.limit.limit`),
    offset: countOf(limit.offset, `${path}.limit.offset`) ?? 0,
    groupBy: groupByOf(value.group_by, `${path}.group_by`),
    select: select.keys == null ? [] : stringsOf(select.keys, `${path}.select.keys`),
  }
}

function object(value: Parsed | undefined, path: string): ParsedObject {
  if (value === undefined || value === null) return {}
  if (isObject(value)) return value
  throw misshapen(`${path}: invalid type, expected a map`)
}

/** A where clause itself, as clients send it, or one inside `where_clause`, with `query_ids` beside it. */
function filterOf(value: Parsed | undefined, path: string): Selection {
  const filter = object(value, path)
  const wrapped = 'where_clause' in filter || 'query_ids' in filter
  const clause = wrapped ? filter.where_clause : Object.keys(filter).length === 0 ? undefined : filter
  const ids =
    wrapped && filter.query_ids != null ? stringsOf(filter.query_ids, `${path}.query_ids`) : undefined
  const where =
    clause === undefined || (isObject(clause) && Object.keys(clause).length === 0) ? undefined : clause
  if (ids === undefined) return selectionOf(where, undefined, { ids: true })
  if (ids.length === 0) return selectionOf({ $or: [] }, undefined)
  const byId: Parsed = { '#id': { $in: ids } }
  return selectionOf(where == null ? byId : { $and: [byId, where] }, undefined, { ids: true })
}

/** Parts of an expression, one in the other, and neighbours asked for at once. */
const DEEPEST = 60
const NEIGHBOURS = 100_000

function rankOf(value: Parsed, path: string, depth: number): Rank {
  if (depth > DEEPEST) throw invalid(`${path}: a rank nests at most ${DEEPEST} deep`)
  if (!isObject(value) || Object.keys(value).length !== 1)
    throw invalid(
      `${path}: a rank is an object with one of $knn $val $sum $sub $mul $div $min $max $abs $exp $log`,
    )
  const [operator, operand] = Object.entries(value)[0]!
  const inner = (part: Parsed | undefined, name: string) => {
    if (part === undefined) throw misshapen(`${path}.${operator}: missing field \`${name}\``)
    return rankOf(part, `${path}.${operator}.${name}`, depth + 1)
  }
  const name = operator.slice(1)
  switch (operator) {
    case '$val':
      return { is: 'value', value: number(operand, `${path}.$val`) }
    case '$knn':
      return knnOf(operand, `${path}.$knn`)
    case '$sum':
    case '$mul':
    case '$min':
    case '$max': {
      const parts = listOf(operand, `${path}.${operator}`).map((part, i) => inner(part, String(i)))
      if (parts.length === 0) throw invalid(`${path}.${operator}: it takes at least one rank`)
      return { is: name as Many, parts }
    }
    case '$sub':
    case '$div': {
      const { left, right } = object(operand, `${path}.${operator}`)
      return { is: name as 'sub' | 'div', left: inner(left, 'left'), right: inner(right, 'right') }
    }
    case '$abs':
    case '$exp':
    case '$log':
      return { is: name as One, of: inner(operand, '') }
  }
  throw invalid(`${path}: there is no rank ${operator}`)
}

function number(value: Parsed | undefined, path: string): number {
  if (typeof value === 'number') return value
  if (typeof value === 'object' && value !== null && 'integer' in value) return plainNumber(value as never)
  throw misshapen(`${path}: invalid type, expected f32`)
}

function knnOf(value: Parsed, path: string): Rank {
  const knn = object(value, path)
  const key = knn.key == null ? '#embedding' : stringOf(knn.key, `${path}.key`)
  if (key !== '#embedding' || isObject(knn.query))
    throw invalid(`${path}: only dense vectors under #embedding are searched, not ${key}`)
  if (knn.query === undefined) throw misshapen(`${path}: missing field \`query\``)
  if (knn.return_rank != null && typeof knn.return_rank !== 'boolean')
    throw misshapen(`${path}.return_rank: invalid type, expected a boolean`)
  const limit = countOf(knn.limit, `${path}.limit`) ?? 16
  if (limit > NEIGHBOURS) throw invalid(`${path}.limit: ask for at most ${NEIGHBOURS} neighbours`)
  return {
    is: 'knn',
    vector: queryVectorOf(knn.query, `${path}.query`),
    limit,
    fallback: knn.default == null ? undefined : number(knn.default, `${path}.default`),
    asRank: knn.return_rank === true,
  }
}

function groupByOf(value: Parsed | undefined, path: string): GroupBy | undefined {
  const group = object(value, path)
  const keys = group.keys == null ? [] : stringsOf(group.keys, `${path}.keys`)
  const aggregate = object(group.aggregate, `${path}.aggregate`)
  const names = Object.keys(aggregate)
  if (keys.length === 0 && names.length === 0) return undefined
  const name = names[0]
  if (keys.length === 0 || names.length !== 1 || (name !== '$min_k' && name !== '$max_k'))
    throw invalid(`${path}: give keys, and an aggregate $min_k or $max_k`)
  const { keys: by, k } = object(aggregate[name], `${path}.aggregate.${name}`)
  const wanted = countOf(k, `${path}.aggregate.${name}.k`)
  if (wanted === undefined || wanted === 0) throw invalid(`${path}.aggregate.${name}.k: it takes at least 1`)
  return { keys, by: stringsOf(by, `${path}.aggregate.${name}.keys`), k: wanted, largest: name === '$max_k' }
}

// ── answering ───────────────────────────────────────────────────────────────────────────────────────────────

/** Neighbours of one `$knn`: what each of them counts. */
type Neighbours = ReadonlyMap<number, number>

export async function searchRecords(collection: Collection, request: SearchRequest): Promise<SearchAnswer> {
  const { rank, selection, limit, offset, groupBy, select } = request
  const records = collection.records()
  const wantsVectors = select.includes('#embedding')
  if (rank === undefined && groupBy === undefined) {
    const page = { offset, vectors: wantsVectors, ...(limit === undefined ? {} : { limit }) }
    const listed = await records.list({ ...selection, ...page })
    return { hits: listed.map((record) => ({ record, score: undefined })), select }
  }
  const scored = rank === undefined ? undefined : await scores(collection, rank, selection)
  let hits: SearchHit[]
  if (scored === undefined)
    hits = (await records.list({ ...selection, vectors: wantsVectors })).map((record) => ({
      record,
      score: undefined,
    }))
  else {
    const best = [...scored].sort((a, b) => a[1] - b[1] || a[0] - b[0])
    // Without groups, no more than a page is read.
    const wanted =
      groupBy === undefined ? best.slice(offset, limit === undefined ? undefined : offset + limit) : best
    const rows = await records.rows(
      wanted.map(([ref]) => ref),
      { vectors: wantsVectors },
    )
    hits = rows.map((record) => ({ record, score: scored.get(record.id)! }))
    if (groupBy === undefined) return { hits, select }
  }
  const kept = grouped(hits, groupBy!)
  return { hits: kept.slice(offset, limit === undefined ? undefined : offset + limit), select }
}

/** Scores of the records that have one, by span id. */
async function scores(
  collection: Collection,
  rank: Rank,
  selection: Selection,
): Promise<Map<number, number>> {
  const records = collection.records()
  const dimensions = records.space()?.dimensions
  const neighbours = new Map<Rank, Neighbours>()
  const search = async (part: Rank): Promise<void> => {
    switch (part.is) {
      case 'value':
        return
      case 'knn': {
        if (dimensions === undefined) {
          neighbours.set(part, new Map())
          return
        }
        if (part.vector.length !== dimensions)
          throw invalid(
            `Collection expecting embedding with dimension of ${dimensions}, got ${part.vector.length}`,
          )
        const near = await records.nearest({ vector: part.vector, limit: part.limit }, selection)
        neighbours.set(
          part,
          new Map(near.map(({ record, distance }, i) => [record.id, part.asRank ? i : distance])),
        )
        return
      }
      case 'sub':
      case 'div':
        await search(part.left)
        await search(part.right)
        return
      case 'abs':
      case 'exp':
      case 'log':
        await search(part.of)
        return
      default:
        for (const one of part.parts) await search(one)
    }
  }
  await search(rank)
  const candidates = new Set<number>()
  if (neighbours.size === 0) for (const { id } of await records.list(selection)) candidates.add(id)
  for (const found of neighbours.values()) for (const ref of found.keys()) candidates.add(ref)
  const scored = new Map<number, number>()
  for (const ref of candidates) {
    const score = evaluate(rank, ref, neighbours)
    if (score !== undefined && !Number.isNaN(score)) scored.set(ref, score)
  }
  return scored
}

function evaluate(rank: Rank, ref: number, neighbours: ReadonlyMap<Rank, Neighbours>): number | undefined {
  const part = (one: Rank) => evaluate(one, ref, neighbours)
  switch (rank.is) {
    case 'value':
      return rank.value
    case 'knn':
      return neighbours.get(rank)!.get(ref) ?? rank.fallback
    case 'sub':
    case 'div': {
      const [left, right] = [part(rank.left), part(rank.right)]
      if (left === undefined || right === undefined) return undefined
      return rank.is === 'sub' ? left - right : left / right
    }
    case 'abs':
    case 'exp':
    case 'log': {
      const value = part(rank.of)
      return value === undefined ? undefined : Math[rank.is](value)
    }
  }
  let total: number | undefined
  for (const one of rank.parts) {
    const value = part(one)
    if (value === undefined) return undefined
    if (total === undefined) total = value
    else if (rank.is === 'sum') total += value
    else if (rank.is === 'mul') total *= value
    else total = rank.is === 'min' ? Math.min(total, value) : Math.max(total, value)
  }
  return total
}

type Comparable = string | number | boolean | undefined

/** What a record has under a key: its score, its id, its document, or one of its metadata. */
function valueAt({ record, score }: SearchHit, key: string, metadata: Metadata): Comparable {
  if (key === '#score') return score
  if (key === '#id') return record.source
  if (key === '#document') return record.text
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  return typeof value === 'object' ? undefined : value
}

/** The first `k` of each group, by the aggregate's keys; in the order of the ranking. */
function grouped(hits: readonly SearchHit[], { keys, by, k, largest }: GroupBy): SearchHit[] {
  const groups = new Map<string, { hit: SearchHit; at: number; sort: readonly Comparable[] }[]>()
  hits.forEach((hit, at) => {
    const { metadata } = judgedOf(hit.record)
    const group = JSON.stringify(keys.map((key) => valueAt(hit, key, metadata) ?? null))
    const member = { hit, at, sort: by.map((key) => valueAt(hit, key, metadata)) }
    const members = groups.get(group)
    if (members === undefined) groups.set(group, [member])
    else members.push(member)
  })
  const sign = largest ? -1 : 1
  return [...groups.values()]
    .flatMap((members) =>
      members
        .sort((a, b) => {
          for (let i = 0; i < by.length; i++) {
            const order = compare(a.sort[i], b.sort[i], sign)
            if (order !== 0) return order
          }
          return a.at - b.at
        })
        .slice(0, k),
    )
    .sort((a, b) => a.at - b.at)
    .map(({ hit }) => hit)
}

/** What is missing comes last either way. */
function compare(a: Comparable, b: Comparable, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  if (typeof a !== typeof b) return typeof a < typeof b ? -1 : 1
  return a === b ? 0 : a < b ? -sign : sign
}
