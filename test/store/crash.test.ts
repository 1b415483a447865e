import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { whole } from '../../src/chunking/index.ts'
import { isSpanStoreError, type Key, openStore } from '../../src/index.ts'
import { Connection } from '../../src/ledger/sqlite/statements.ts'
import { verifyLedger } from '../../src/ledger/sqlite/verify.ts'
import { eventsOf, random, temporary } from './helpers.ts'

/** SPANSTORE_RUNS: how often writers are killed. */
const ROUNDS = Number(process.env.SPANSTORE_RUNS ?? 2)

interface Said {
  readonly opened?: string
  readonly source?: string
  readonly keys?: readonly Key[]
  readonly gone?: readonly Key[]
  readonly revision?: number
  readonly text?: string
  readonly summary?: Key
  readonly done?: boolean
}

class Writer {
  readonly said: Said[] = []
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  errors = ''

  constructor(directory: string, name: string, count: number) {
    const script = fileURLToPath(new URL('writer.ts', import.meta.url))
    this.#child = spawn(process.execPath, ['--import', 'tsx', script, directory, name, String(count)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let rest = ''
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) this.said.push(JSON.parse(line) as Said)
    })
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text
    })
    this.ended = new Promise((resolve) => this.#child.on('close', resolve))
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition() && this.#child.exitCode === null) await sleep(5)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

const started: Writer[] = []
const start = (directory: string, name: string, count: number) => {
  const writer = new Writer(directory, name, count)
  started.push(writer)
  return writer
}
afterEach(async () => {
  for (const writer of started.splice(0)) {
    writer.kill()
    await writer.ended
  }
})

/** Nothing acknowledged is lost, and what is there is whole. */
async function examine(directory: string, writers: readonly Writer[]): Promise<void> {
  const store = await openStore(directory)
  const connection = new Connection(new Database(join(directory, 'ledger.db')))
  expect(connection.rows('PRAGMA integrity_check')).toEqual([['ok']])
  expect(connection.rows('PRAGMA foreign_key_check')).toEqual([])
  expect(verifyLedger(connection, false)).toEqual([])
  const notes = await store.collection('notes')
  for (const { said } of writers) {
    const gone = new Set(said.flatMap((line) => line.gone ?? []))
    for (const { source, keys, revision, text } of said) {
      if (source === undefined) continue
      for (const found of await notes.fetchMany(keys ?? [])) {
        assert.notEqual(found.status, 'absent', 'nothing acknowledged is lost')
        if (gone.has(found.key)) assert.equal(found.status, 'tombstone')
      }
      if (revision === undefined) continue
      const read = await notes.read(source, { revision })
      if (text !== undefined) assert.equal(read.text, text)
      for (const key of keys ?? []) assert.ok(read.places.some((place) => place.key === key))
    }
    for (const { summary } of said)
      if (summary !== undefined) assert.notEqual((await notes.fetch(summary)).status, 'absent')
  }
  let live = 0
  for await (const found of notes.sources()) {
    assert.ok(found.status !== 'absent')
    const { places, revision } = await notes.read(found.source)
    const standing = places.filter(({ status }) => status !== 'tombstone').length
    assert.equal(found.info.live, standing)
    assert.equal(found.info.revision, revision)
    live += standing
  }
  expect(await notes.count()).toBe(live)
  eventsOf(connection, notes.id).forEach((event, i) => {
    assert.equal(event.position, i + 1)
  })
  connection.db.close()
  await store.close()
}

describe('kill -9', () => {
  it(
    'of several writers in the middle of their writes loses nothing acknowledged and leaves nothing half',
    async () => {
      const next = random(ROUNDS)
      const directory = temporary()
      const all: Writer[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const writers = ['ann', 'ben'].map((name) => start(directory, `${name} ${round}`, 100_000))
        all.push(...writers)
        await Promise.all(writers.map((writer) => writer.until(() => writer.said.length > 5)))
        for (const writer of writers) {
          await sleep(next() * 300)
          writer.kill()
          await writer.ended
        }
        expect(writers.map(({ errors }) => errors)).toEqual(writers.map(() => ''))
        await examine(directory, all)
      }
      expect(all.every(({ said }) => said.length > 5)).toBe(true)
    },
    60_000 + ROUNDS * 10_000,
  )
})

describe('several processes', () => {
  it('open a new store at once: one store, one collection, and every write of each', async () => {
    const directory = temporary()
    const writers = ['a', 'b', 'c', 'd'].map((name) => start(directory, name, 6))
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
    expect(writers.map(({ errors }) => errors)).toEqual(['', '', '', ''])
    expect(new Set(writers.map(({ said }) => said[0]!.opened)).size).toBe(1)
    await examine(directory, writers)
    const store = await openStore(directory)
    expect(await store.collections()).toHaveLength(1)
    const notes = await store.collection('notes')
    expect((await notes.history('shared')).length).toBe(24)
    await store.close()
  }, 60_000)
})

describe('a writer that holds the store', () => {
  it('makes others wait as long as configured, without blocking them, and then fail with STORE_BUSY', async () => {
    const directory = temporary()
    const store = await openStore(directory, { wait: 400 })
    const notes = await store.collection('notes')
    const { added } = await notes.put({ source: 's', text: 'One.' })
    const other = new Database(join(directory, 'ledger.db'))
    other.exec('BEGIN IMMEDIATE')
    let ticks = 0
    const ticking = setInterval(() => ticks++, 10)
    const began = performance.now()
    const writes = await Promise.allSettled([
      notes.put({ source: 's', text: 'Two.' }),
      notes.append({ source: 's', spans: [{ text: 'Two.' }] }),
      notes.retire(added),
      notes.remove({ source: 's' }),
      notes.update({ keys: added, metadata: { a: 1 } }),
      notes.session('a').register({ text: 'Sum.', dependsOn: added }),
      store.collection('another'),
      store.dropCollection('notes'),
    ])
    clearInterval(ticking)
    for (const result of writes) {
      assert.ok(result.status === 'rejected')
      assert.ok(isSpanStoreError(result.reason, 'STORE_BUSY'), String(result.reason))
      assert.ok(result.reason.detail.waited >= 400)
    }
    expect(performance.now() - began).toBeLessThan(5000)
    expect(ticks).toBeGreaterThan(2)
    expect(await notes.fetch(added[0]!)).toMatchObject({ status: 'ok' })
    other.exec('ROLLBACK')
    other.close()
    expect(await notes.put({ source: 's', text: 'Two.' })).toMatchObject({ revision: 2 })
    await store.close()
  })

  it('is waited for: a write goes through once the other is done', async () => {
    const directory = temporary()
    const store = await openStore(directory)
    const notes = await store.collection('notes')
    const other = new Database(join(directory, 'ledger.db'))
    other.exec('BEGIN IMMEDIATE')
    const write = notes.put({ source: 's', text: 'One.' })
    await sleep(100)
    other.exec('ROLLBACK')
    other.close()
    expect(await write).toMatchObject({ outcome: 'created' })
    await store.close()
  })
})

describe('a reader beside a writer', () => {
  it('never sees a summary whose state and causes are of two moments', async () => {
    const directory = temporary()
    const store = await openStore(directory)
    const notes = await store.collection('notes')
    const { added } = await notes.put({ source: 's', spans: [{ text: 'One.' }] })
    const { key } = await notes.session('a').register({ text: 'Sum.', dependsOn: added })
    await notes.retire(added)
    // Takes the cause away and puts it back, as fast as it can.
    const flipping = new Worker(
      `const { workerData } = require('node:worker_threads')
       const db = new (require(workerData.driver))(workerData.file)
       db.pragma('synchronous = OFF')
       const [row] = db.prepare('SELECT dependent, support, hard FROM cause').all()
       const add = db.prepare('INSERT INTO cause VALUES (@dependent, @support, @hard)')
       const remove = db.prepare('DELETE FROM cause')
       for (;;) { try { remove.run(); add.run(row) } catch {} }`,
      {
        eval: true,
        workerData: {
          file: join(directory, 'ledger.db'),
          driver: createRequire(import.meta.url).resolve('better-sqlite3'),
        },
      },
    )
    const states = new Set<string>()
    const began = performance.now()
    const passed = () => performance.now() - began
    while (passed() < 600 || (states.size < 2 && passed() < 10_000)) {
      const found = await store.fetch(key)
      assert.ok(found.status === 'ok' && found.kind === 'summary')
      assert.equal(found.span.state === 'current', found.span.causes.length === 0)
      states.add(found.span.state)
    }
    await flipping.terminate()
    expect([...states].sort()).toEqual(['current', 'stale'])
    await store.close()
  })
})

describe('concurrent writes of one process', () => {
  it('puts of one source all land, one after the other, and the last one is what is live', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes')
    const texts = Array.from(
      { length: 20 },
      (_, i) => `Version ${i}.\n\nShared by all of the versions, word for word.`,
    )
    const results = await Promise.all(texts.map((text) => notes.put({ source: 's', text })))
    expect(results.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual(texts.map((_, i) => i + 1))
    const last = results.findIndex(({ revision }) => revision === 20)
    expect((await notes.read('s')).text).toBe(texts[last])
    for (const { revision } of results) expect(texts).toContain((await notes.read('s', { revision })).text)
    await store.close()
  })

  it('puts of the same text at once make one revision, and all of them name it', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes')
    await notes.put({ source: 's', text: 'First.\n\nSecond.' })
    for (let round = 2; round < 8; round++) {
      const text = `First.\n\nSecond, in round ${round}.`
      const results = await Promise.all(Array.from({ length: 4 }, () => notes.put({ source: 's', text })))
      expect(results.filter(({ outcome }) => outcome === 'revised')).toHaveLength(1)
      expect(results.map(({ revision }) => revision)).toEqual(results.map(() => round))
      expect(new Set(results.map(({ position }) => position)).size).toBe(1)
    }
    await store.close()
  })

  it('a put that another one overtakes while it is planned answers what is true at its commit', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes')
    await notes.put({ source: 's', text: 'First.', chunker: whole() })
    const text = 'Second.'
    const overtaken = {
      id: whole().id,
      chunk: async (given: string) => {
        await notes.put({ source: 's', text, chunker: whole() })
        return whole().chunk(given)
      },
    }
    expect(await notes.put({ source: 's', text, chunker: overtaken })).toMatchObject({
      outcome: 'unchanged',
      revision: 2,
    })
    await store.close()
  })

  it('only one of several writers that expect the same revision wins', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes')
    await notes.put({ source: 's', text: 'Zero.' })
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        notes.put({ source: 's', text: `Version ${i}.`, expectedRevision: 1 }),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'REVISION_CONFLICT' })
    await store.close()
  })

  it('a command sent several times at once is done once, and answers the same to all', async () => {
    const store = await openStore(':memory:')
    const notes = await store.collection('notes')
    const send = () => notes.append({ source: 's', spans: [{ text: 'Once.' }], commandId: 'c' })
    const answers = await Promise.all([send(), send(), send()])
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const put = () =>
      notes.putMany(
        [
          { source: 's', text: 'Two.' },
          { source: 't', text: 'Three.' },
        ],
        { commandId: 'd' },
      )
    const both = await Promise.all([put(), put(), put()])
    expect(new Set(both.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await notes.count()).toBe(2)
    await store.close()
  })
})
