import { expect, test } from 'vitest'
import { openDatabase } from '../../src/ledger/sqlite/open.ts'
import { Connection } from '../../src/ledger/sqlite/statements.ts'
import { Transactions } from '../../src/ledger/sqlite/transactions.ts'

const COUNT = 'SELECT count(*) FROM collection'

function begin() {
  const told = { clock: Date.now, wait: 100, onCommit: () => {} }
  const connection = new Connection(openDatabase(':memory:', told))
  return new Transactions(connection, ':memory:', told)
}

let made = 0

const add = (transactions: Transactions) =>
  transactions.transact((connection) =>
    connection.run(
      'INSERT INTO collection (key, metric, at) VALUES (?, ?, 0)',
      String(++made).padStart(26, '0'),
      'cosine',
    ),
  )

/** Counts at each step, in steps that take long enough for others to have a turn after each. */
function* counting(connection: Connection, steps: number): Generator<void, number[]> {
  const counts: number[] = []
  for (let i = 0; i < steps; i++) {
    counts.push(connection.value<number>(COUNT)!)
    for (const until = performance.now() + 7; performance.now() < until; );
    yield
  }
  return counts
}

test('what is read in steps is of one moment, though others write meanwhile', async () => {
  const transactions = begin()
  let running = true
  const writing = (async () => {
    while (running) {
      await add(transactions)
      await new Promise(setImmediate)
    }
  })()
  const counts = await transactions.readInSteps((connection) => counting(connection, 6))
  running = false
  await writing
  expect(counts).toHaveLength(6)
  expect(new Set(counts).size).toBe(1)
})

test('others have their turns between steps, and an error is the reader’s', async () => {
  const transactions = begin()
  let turns = 0
  const turn = () => {
    turns++
    immediate = setImmediate(turn)
  }
  let immediate = setImmediate(turn)
  await transactions.readInSteps((connection) => counting(connection, 5))
  clearImmediate(immediate)
  expect(turns).toBeGreaterThan(2)
  await expect(
    // biome-ignore lint/correctness/useYield: it fails before.
    transactions.readInSteps(function* (): Generator<void, never> {
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(transactions.connection.db.inTransaction).toBe(false)
})
