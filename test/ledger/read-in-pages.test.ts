import { afterEach, expect, test } from 'vitest'
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { fetchingInFull } from '../../src/ledger/sqlite/read.ts'
import { Transactions } from '../../src/ledger/sqlite/transactions.ts'
import { collectionOver } from '../../src/testing/over.ts'

/*
 * What may be long is read page by page. Whatever its length, the pages together are what was written, in order, and of
 * one moment.
 */

let ledger: SqliteLedger

afterEach(() => ledger.close())

async function begin() {
  ledger = openSqliteLedger(':memory:')
  const notes = await collectionOver(ledger, 'notes')
  return { notes, session: notes.session('one') }
}

const texts = (count: number) => Array.from({ length: count }, (_, i) => ({ text: `Fact ${i}.` }))

test.each([1, 255, 256, 257, 512, 700])('a summary of %i claims is fetched whole', async (count) => {
  const { notes, session } = await begin()
  const { added } = await notes.put({ source: 'a', spans: texts(count) })
  const lines = added.map((key, i) => `Fact ${i}. [[${key}]]`)
  const { key } = await session.register({ text: lines.join('\n'), covers: added })
  const whole = await notes.fetch(key)
  if (whole.status !== 'ok' || whole.kind !== 'summary') throw new Error('no summary')
  expect(whole.span.claims.map(({ text }) => text)).toEqual(lines)
  expect(whole.span.claims.every(({ anchors, derivable }, i) => anchors[0] === added[i] && derivable)).toBe(
    true,
  )
  expect(whole.span.dependsOn).toEqual(added)
  expect(whole.span.covers).toEqual(added)
  expect(await session.summaries()).toEqual([whole.span])

  await notes.retire(added)
  const stale = (await session.stale())[0]!
  expect(stale.causes.map((cause) => cause.key)).toEqual(added)
  expect((await notes.fetch(key)).status).toBe('ok')
})

test('the live summaries of a session are found among any number of replaced ones', async () => {
  const { notes, session } = await begin()
  const { added } = await notes.put({ source: 'a', spans: texts(2) })
  const write = (count: number, from: number) =>
    session.register(Array.from({ length: count }, (_, i) => ({ text: `Say ${from + i}. [[${added[0]}]]` })))
  const old = await write(1_003, 0)
  await session.register({
    text: `All of it. [[${added[0]}]]`,
    replaces: old.slice(0, 1_001).map((one) => one.key),
  })
  await write(700, 2_000)
  await session.discardEpoch()
  await write(501, 3_000)
  const live = await session.summaries()
  expect(live.map(({ text }) => text.split(' [[')[0])).toEqual([
    'Say 1001.',
    'Say 1002.',
    'All of it.',
    ...Array.from({ length: 501 }, (_, i) => `Say ${3_000 + i}.`),
  ])
  await notes.retire([added[0]!])
  expect((await session.stale()).map(({ key }) => key)).toEqual(live.map(({ key }) => key))
})

test('a summary that something happens to between two pages is read anew', async () => {
  const { notes, session } = await begin()
  const { added } = await notes.put({ source: 'a', spans: texts(600) })
  const { key } = await session.register({ text: added.map((one) => `[[${one}]]`).join(' and ') })
  const told = { clock: Date.now, wait: 100, onCommit: () => {} }
  const transactions = new Transactions(ledger.connection, ':memory:', told)
  let attempts = 0
  const read = await transactions.readInSteps(function* (connection) {
    attempts++
    const steps = fetchingInFull(connection, key)
    for (let page = 0; ; page++) {
      const { done, value } = steps.next()
      if (done) return value
      if (attempts === 1 && page === 0) {
        // This step lasts long enough to be followed by a turn, which begins with the write.
        setImmediate(() => void notes.retire(added.slice(0, 300)))
        for (const until = performance.now() + 7; performance.now() < until; );
      }
      yield
    }
  })
  expect(attempts).toBe(2)
  if (read.status !== 'ok' || read.kind !== 'summary') throw new Error('no summary')
  expect(read.span.causes.map((cause) => cause.key)).toEqual(added.slice(0, 300))
  expect(read).toEqual(await notes.fetch(key))
})

test('what decides about a write reads what that write sees', async () => {
  const { notes, session } = await begin()
  const { added } = await notes.put({ source: 'a', spans: texts(1) })
  const { key } = await session.register({ text: `Fact. [[${added[0]}]]` })
  const seen: unknown[] = []
  await ledger.update(
    1,
    [added[0]!],
    () => {
      seen.push(ledger.fetchOne(key))
      return '{"a":1}'
    },
    {},
  )
  expect(seen).toEqual([await notes.fetch(key)])
})

test('a gate that relied on hundreds of keys names those that moved, and no others', async () => {
  const { notes, session } = await begin()
  const { added } = await notes.put({ source: 'a', spans: texts(350) })
  const gated = await session.gate(
    added.map((key, i) => ({ text: `Fact ${i}. [[${key}]]` })),
    { ranks: false },
  )
  expect(gated.verdict).toBe('substantiated')
  expect(await session.recheck(gated)).toMatchObject({ verdict: 'holds' })
  const moved = [added[0]!, added[99]!, added[100]!, added[199]!, added[349]!]
  await notes.retire(moved)
  expect(await session.recheck(gated)).toMatchObject({ verdict: 'refused', moved })
})

test('everything that stands on a key is found, through what came back as well', async () => {
  const { notes, session } = await begin()
  const put = (text: string) => notes.put({ source: 'a', spans: [{ text }] })
  const [before] = (await put('Ground.')).added
  const below = await session.register(
    Array.from({ length: 1_001 }, (_, i) => ({ text: `On it ${i}. [[${before}]]` })),
  )
  await put('Gone.')
  const [after] = (await put('Ground.')).added
  const above = await session.register({ text: `Above. [[${below[1_000]!.key}]] [[${after}]]` })
  const found = await notes.dependents(after!)
  expect(new Set(found.map(({ key }) => key))).toEqual(new Set([...below.map(({ key }) => key), above.key]))
  expect(found.every(({ depth, state }) => depth === 1 && state === 'current')).toBe(true)
  expect(found.find(({ key }) => key === above.key)!.on).toContain(after)
  expect(found.find(({ key }) => key === below[0]!.key)!.on).toEqual([before])
})
