import { afterEach, expect, test } from 'vitest'
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { costOf } from '../../src/ledger/sqlite/write-cost.ts'
import { collectionOver } from '../../src/testing/over.ts'

let ledger: SqliteLedger

afterEach(() => ledger.close())

const ENOUGH = 1_000_000

test('a write counts what stands on what it takes away, through others as well', async () => {
  ledger = openSqliteLedger(':memory:')
  const notes = await collectionOver(ledger, 'notes')
  const { added } = await notes.put({ source: 'a', spans: [{ text: 'Ground.' }, { text: 'Other.' }] })
  const [ground, other] = added
  const session = notes.session('one')
  const first = await session.register({ text: `Below. [[${ground}]]` })
  await session.register(Array.from({ length: 100 }, (_, i) => ({ text: `Above ${i}. [[${first.key}]]` })))
  const cost = (keys: readonly string[]) =>
    costOf(ledger.connection, 1, { verb: 'retire', keys, reason: 'deleted' }, ENOUGH)
  expect(cost([ground!]) - cost([other!])).toBeGreaterThan(400)
  const removal = (source: string) => costOf(ledger.connection, 1, { verb: 'remove', source }, ENOUGH)
  await notes.put({ source: 'b', spans: [{ text: 'Nobody stands' }, { text: 'on this.' }] })
  expect(removal('a') - removal('b')).toBeGreaterThan(400)
})

test('a write counts what stands on a text that it brings back', async () => {
  ledger = openSqliteLedger(':memory:')
  const notes = await collectionOver(ledger, 'notes')
  const { added } = await notes.put({ source: 'a', spans: [{ text: 'Ground.' }] })
  await notes
    .session('one')
    .register(Array.from({ length: 100 }, (_, i) => ({ text: `Above ${i}. [[${added[0]}]]` })))
  await notes.put({ source: 'a', spans: [{ text: 'Gone.' }] })
  const hash = ledger.connection.value<string>('SELECT hash FROM watched')!
  const cost = (hash: string) =>
    costOf(
      ledger.connection,
      1,
      {
        verb: 'append',
        append: {
          source: 'a',
          spans: [{ text: 'Ground.', hash, length: 7, metadata: undefined, vector: undefined }],
          metadata: undefined,
          expiresAt: undefined,
          readmit: false,
        },
      },
      ENOUGH,
    )
  expect(cost(hash) - cost('another')).toBeGreaterThan(400)
})

test('what stands on a text that came back stands on its new key', async () => {
  ledger = openSqliteLedger(':memory:')
  const notes = await collectionOver(ledger, 'notes')
  const put = async (text: string) => (await notes.put({ source: 'a', spans: [{ text }] })).added[0]!
  const before = await put('Ground.')
  await notes
    .session('one')
    .register(Array.from({ length: 100 }, (_, i) => ({ text: `Above ${i}. [[${before}]]` })))
  await put('Gone.')
  const back = await put('Ground.')
  const cost = (key: string, enough: number) =>
    costOf(ledger.connection, 1, { verb: 'retire', keys: [key], reason: 'deleted' }, enough)
  expect(cost(back, ENOUGH)).toBeGreaterThan(400)
  // No more are counted than it takes to be enough.
  expect(cost(back, 300)).toBeGreaterThanOrEqual(300)
  expect(cost(back, 300)).toBeLessThan(400)
  expect(cost(back, Number.POSITIVE_INFINITY)).toBe(cost(back, ENOUGH))
})

test('summaries, their claims and gates cost what they hold', async () => {
  ledger = openSqliteLedger(':memory:')
  await collectionOver(ledger, 'notes')
  const summary = (claims: number) => ({
    text: 'x',
    claims: Array.from({ length: claims }, () => ({ text: 'x', derivable: true, unverified: false })),
    dependsOn: [],
    covers: [],
    replaces: [],
    basedOn: undefined,
    skeleton: 'x',
    completeness: undefined,
  })
  const cost = (count: number, claims: number) =>
    costOf(
      ledger.connection,
      1,
      { verb: 'register', session: 's', summaries: Array.from({ length: count }, () => summary(claims)) },
      ENOUGH,
    )
  expect(cost(1, 1)).toBeLessThan(1_000)
  expect(cost(1, 5_000)).toBeGreaterThan(20_000)
  expect(cost(1_000, 1)).toBeGreaterThan(20_000)
})
