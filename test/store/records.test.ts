import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Collection, openStore, type Store } from '../../src/index.ts'

let store: Store
let collection: Collection

beforeEach(async () => {
  store = await openStore(':memory:')
  collection = await store.collection('things', { metric: 'l2' })
})
afterEach(async () => {
  expect(await store.verify()).toEqual([])
  await store.close()
})

const outcomes = async (...changes: Parameters<ReturnType<Collection['records']>['write']>[0]) => {
  const written = await collection.records().write(changes)
  if ('moved' in written) throw new Error('moved')
  return written.outcomes.map(({ outcome }) => outcome)
}
const ids = async () => (await collection.records().list()).map(({ source }) => source)

test('create, change, put and remove say what they found', async () => {
  expect(
    await outcomes(
      { id: 'a', verb: 'create', text: 'one', vector: [1, 0] },
      { id: 'a', verb: 'create', text: 'two' },
      { id: 'b', verb: 'change', text: 'x' },
      { id: 'b', verb: 'put', vector: [0, 1] },
      { id: 'b', verb: 'change', vector: [0, 1] },
      { id: 'b', verb: 'remove' },
      { id: 'b', verb: 'remove' },
      { id: 'c', verb: 'remove' },
    ),
  ).toEqual(['created', 'exists', 'absent', 'created', 'unchanged', 'removed', 'tombstone', 'absent'])
  expect(await collection.source('b')).toMatchObject({ status: 'tombstone' })
})

test('metadata are merged as they are at the commit, whoever wrote them last', async () => {
  await outcomes({ id: 'n', verb: 'create', vector: [0, 0], metadata: () => ({ count: 0 }) })
  const more = () =>
    outcomes({
      id: 'n',
      verb: 'change',
      metadata: (before) => ({ ...before, count: (before!.count as number) + 1 }),
    })
  await Promise.all(Array.from({ length: 20 }, more))
  const [record] = await collection.records().list()
  expect(record!.metadata).toBe('{"count":20}')
})

test('a changed text is a new key with the old vector; changed metadata or vector keep the key', async () => {
  await outcomes({ id: 'a', verb: 'create', text: 'one', vector: [1, 2] })
  const [first] = await collection.records().list()
  await outcomes({ id: 'a', verb: 'change', text: 'two' })
  const [second] = await collection.records().list({ vectors: true })
  expect([second!.text, [...second!.vector!]]).toEqual(['two', [1, 2]])
  expect(await store.fetch(first!.key)).toMatchObject({
    status: 'tombstone',
    tombstone: { reason: 'edited', successors: [second!.key] },
  })
  await outcomes({ id: 'a', verb: 'change', vector: [3, 4], metadata: () => ({ x: 1 }) })
  const [third] = await collection.records().list({ vectors: true })
  expect([third!.key, [...third!.vector!], third!.metadata]).toEqual([second!.key, [3, 4], '{"x":1}'])
})

test('order is that of coming; what was removed comes anew', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await outcomes({ id, verb: 'create', text: id, vector: [1, 1] })
  await outcomes(
    { id: 'b', verb: 'change', text: 'edited' },
    { id: 'a', verb: 'remove' },
    { id: 'c', verb: 'put', vector: [2, 2] },
  )
  await outcomes({ id: 'a', verb: 'create', text: 'again', vector: [1, 1] })
  await outcomes({ id: 'a', verb: 'change', text: 'and again' })
  expect(await ids()).toEqual(['b', 'c', 'd', 'a'])
  expect((await collection.records().list({ offset: 1, limit: 2 })).map(({ source }) => source)).toEqual([
    'c',
    'd',
  ])
  expect(
    (await collection.records().list({ admits: ({ text }) => text !== 'c' })).map(({ source }) => source),
  ).toEqual(['b', 'd', 'a'])
})

test('a batch that cannot be written as a whole is not written at all', async () => {
  await outcomes({ id: 'a', verb: 'create', vector: [1, 2] })
  await expect(
    outcomes({ id: 'b', verb: 'create', vector: [1, 2] }, { id: 'c', verb: 'create', vector: [1, 2, 3] }),
  ).rejects.toMatchObject({ code: 'INVALID_VECTOR' })
  await expect(outcomes({ id: 'd', verb: 'grow' as never })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  })
  expect(await ids()).toEqual(['a'])
})

test('a write that stands on what was read is refused once that changed', async () => {
  const records = collection.records()
  await outcomes({ id: 'a', verb: 'create', vector: [1, 1] }, { id: 'b', verb: 'create', vector: [2, 2] })
  const { position } = await records.read(['a', 'c'])
  await outcomes({ id: 'b', verb: 'change', vector: [3, 3] })
  const after = { unless: { after: position, ids: ['a', 'c'] } }
  expect(await records.write([{ id: 'c', verb: 'create', vector: [4, 4] }], after)).toMatchObject({
    outcomes: [{ outcome: 'created' }],
  })
  expect(await records.write([{ id: 'a', verb: 'remove' }], after)).toEqual({ moved: ['c'] })
  expect(await ids()).toEqual(['a', 'b', 'c'])
})

test('the nearest, among all, among some, and among those that pass', async () => {
  for (let i = 0; i < 30; i++)
    await outcomes({
      id: `r${i}`,
      verb: 'create',
      text: `t${i}`,
      vector: [i, 0],
      metadata: () => ({ even: i % 2 === 0 }),
    })
  const near = async (...query: Parameters<ReturnType<Collection['records']>['nearest']>) =>
    (await collection.records().nearest(...query)).map(({ record, distance }) => [record.source, distance])
  expect(await near({ vector: [5, 0], limit: 2 })).toEqual([
    ['r5', 0],
    ['r4', 1],
  ])
  expect(await near({ vector: [5, 0], limit: 2, ids: ['r9', 'r20', 'never'] })).toEqual([
    ['r9', 16],
    ['r20', 225],
  ])
  expect(
    await near({ vector: [5, 0], limit: 1 }, { where: { even: true }, admits: ({ text }) => text !== 't4' }),
  ).toEqual([['r6', 1]])
  expect(await near({ vector: [5, 0], limit: 0 })).toEqual([])
})

test('what a document of several spans shows is its first', async () => {
  await collection.put({
    source: 'doc',
    spans: [
      { text: 'one', vector: [1, 1] },
      { text: 'two', vector: [2, 2] },
    ],
  })
  expect((await collection.records().list()).map(({ source, text }) => [source, text])).toEqual([
    ['doc', 'one'],
  ])
  expect(await collection.records().read(['doc'])).toMatchObject({
    slots: [{ status: 'ok', record: { text: 'one' } }],
  })
})
