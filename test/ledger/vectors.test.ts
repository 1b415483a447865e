import { expect, test } from 'vitest'
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { bytes } from '../../src/ledger/sqlite/vector-rows.ts'
import type { VectorSpace } from '../../src/ports/vectors.ts'
import { newSpans } from '../../src/store/draft.ts'

/** Any bits: zeros in all places, numbers that are none, bytes that are no text in any encoding. */
const bits = (seed: number, length: number): Float32Array => {
  const words = Uint32Array.from({ length }, (_, i) => Math.imul(seed * 7_919 + i + 1, 0x9e3779b1) >>> 0)
  words[seed % length] = [0, 0x00ff00ff, 0xff00ff00, 0x7fc00001, 0x80000000, 0xffffffff, 0xc0800000][
    seed % 7
  ]!
  return new Float32Array(words.buffer)
}

async function begin(dimensions: number, vectors: readonly (Float32Array | undefined)[]) {
  const ledger = openSqliteLedger(':memory:')
  const { ref } = await ledger.openCollection('notes', undefined, { recreate: false, create: true })
  const spans = newSpans(
    vectors.map((_, i) => ({ text: i === 0 ? '   ' : `Note ${i}.` })),
    'spans',
  ).map((span, i) => ({ ...span, vector: vectors[i] }))
  await ledger.append(
    ref,
    { source: 'all', spans, metadata: undefined, expiresAt: undefined, readmit: false },
    {},
  )
  const space: VectorSpace = { metric: 'l2', dimensions, embedder: '', supplied: true }
  return { ledger, ref, space }
}

const told = (vector: Float32Array | undefined) => vector && bytes(vector).toString('hex')

test('vectors read in bulk come back bit by bit, each with its own span', async () => {
  const given = Array.from({ length: 2_500 }, (_, i) => (i % 10 === 3 ? undefined : bits(i, 5)))
  const { ledger, ref, space } = await begin(5, given)
  const position = ledger.vectors.position(ref)
  const copied = ledger.vectors.copy(ref, space, 0, 10_000).rows
  const first = Math.min(...copied.map(({ id }) => id))
  const ids = given.map((_, i) => first + i)
  const ways = {
    copied,
    followed: ledger.vectors.follow(ref, space, 0, 10_000).rows,
    asked: ledger.vectors.rows(ref, space, ids),
    past: ledger.vectors.past(ref, space, position, undefined, 0, 10_000).rows,
  }
  for (const [way, rows] of Object.entries(ways)) {
    expect(rows, way).toHaveLength(given.length)
    for (const { id, vector } of rows) expect(told(vector), `${way} ${id}`).toBe(told(given[id - first]))
    const waiting = rows.filter(({ waitsFor }) => waitsFor !== undefined).map(({ id }) => id - first)
    expect(
      waiting.sort((a, b) => a - b),
      way,
    ).toEqual(given.flatMap((vector, i) => (vector === undefined && i > 0 ? [i] : [])))
    const hashes = rows.flatMap(({ waitsFor }) => waitsFor ?? [])
    expect(new Set(hashes).size, way).toBe(waiting.length)
  }
  await ledger.close()
})

test('a vector of another length, as an old store may have, is none', async () => {
  const { ledger, ref, space } = await begin(4, [bits(1, 4), bits(2, 4), bits(3, 4)])
  ledger.connection.run(
    'INSERT INTO supplied (span, position, vector) SELECT max(span), 1000, zeroblob(12) FROM supplied',
  )
  const rows = ledger.vectors.copy(ref, space, 0, 10).rows
  expect(rows.map(({ vector, waitsFor }) => [told(vector), waitsFor !== undefined])).toEqual([
    [told(bits(1, 4)), false],
    [told(bits(2, 4)), false],
    [undefined, true],
  ])
  await ledger.close()
})

test('what is empty, or not there, has no rows', async () => {
  const { ledger, ref, space } = await begin(4, [])
  expect(ledger.vectors.copy(ref, space, 0, 10).rows).toEqual([])
  expect(ledger.vectors.rows(ref, space, [])).toEqual([])
  expect(ledger.vectors.rows(ref, space, [1, 2])).toEqual([])
  await ledger.close()
})
