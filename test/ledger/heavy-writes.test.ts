import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test } from 'vitest'
import type { Metadata } from '../../src/core/json.ts'
import type { Key } from '../../src/core/key.ts'
import { Commit } from '../../src/ledger/sqlite/commit.ts'
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { prepareTemporaryTables } from '../../src/ledger/sqlite/propagate.ts'
import { writeUpdate } from '../../src/ledger/sqlite/retire.ts'
import { Connection } from '../../src/ledger/sqlite/statements.ts'
import { collectionOver } from '../../src/testing/over.ts'
import { dump } from '../store/helpers.ts'

const directories: string[] = []
const opened: SqliteLedger[] = []

afterEach(async () => {
  for (const ledger of opened.splice(0)) await ledger.close()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

/** A ledger in a file whose writes are all done in its thread, or none. */
function begin(heavy: number, clock: () => number = Date.now) {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-heavy-'))
  directories.push(directory)
  const path = join(directory, 'ledger.db')
  let commits = 0
  const open = () => {
    const ledger = openSqliteLedger(path, { heavy, clock, onCommit: () => commits++ })
    opened.push(ledger)
    return ledger
  }
  return { path, open, ledger: open(), commits: () => commits }
}

/** SPANSTORE_RUNS: how often a writer is killed. */
const KILLS = Number(process.env.SPANSTORE_RUNS ?? 2)

const EVERY = 0
const NONE = Number.POSITIVE_INFINITY

const many = (count: number, of: string) =>
  Array.from({ length: count }, (_, i) => ({ text: `${of} ${i}`, metadata: { i } }))

describe('a ledger that writes in its thread', () => {
  test('writes what one does that writes here: the same rows, answers and refusals', async () => {
    const clock = () => 1_700_000_000_000
    const told = async (heavy: number) => {
      const { path, ledger } = begin(heavy, clock)
      const notes = await collectionOver(ledger, 'notes')
      const answers: unknown[] = []
      const keep = async (work: Promise<unknown>) => {
        answers.push(
          await work.catch((error: { code: string; detail: unknown }) => [error.code, error.detail]),
        )
      }
      const vector = (i: number) => Float32Array.from([i, 1, 2])
      const { added } = await notes.put({
        source: 'a',
        spans: many(30, 'a').map((span, i) => ({ ...span, vector: vector(i) })),
      })
      await keep(
        notes.put({ source: 'a', spans: [...many(10, 'a'), ...many(5, 'b'), ...many(20, 'a').slice(12)] }),
      )
      await keep(notes.append({ source: 'a', spans: many(3, 'more'), commandId: 'x' }))
      await keep(notes.append({ source: 'a', spans: many(3, 'other'), commandId: 'x' }))
      await keep(
        notes.putMany(Array.from({ length: 12 }, (_, i) => ({ source: `s ${i}`, text: `Short ${i}.` }))),
      )
      await keep(notes.session('one').register({ text: 'Sum.', dependsOn: [added[0]!, added[1]!] }))
      await keep(notes.update({ keys: added.slice(0, 4), metadata: { seen: true }, unset: ['i'] }))
      await keep(notes.update({ keys: [added[0]!, added[29]!], metadata: { seen: false } }))
      await keep(notes.append({ source: 'a', spans: [{ text: 'x', vector: [1, 2] }] }))
      await keep(notes.append({ source: 'a', spans: [{ text: 'x' }], expectedRevision: 1 }))
      await keep(notes.retire([added[0]!, added[5]!, '01ARZ3NDEKTSV4RRFFQ69G5FAV']))
      await keep(notes.erase({ source: 's 3' }))
      await keep(notes.put({ source: 's 3', text: 'Short 3.' }))
      await keep(
        notes.records().write([
          { id: 's 1', verb: 'put', metadata: (before?: Metadata) => ({ ...before, x: 1 }) },
          { id: 's 2', verb: 'remove' },
          { id: 'new', verb: 'create', text: 'New.', vector: vector(1), metadata: () => ({ a: 1 }) },
          { id: 's 4', verb: 'create', text: 'There.' },
        ]),
      )
      await keep(
        notes.records().write([
          { id: 'twice', verb: 'put', text: 'One.', metadata: () => ({ n: 1 }) },
          { id: 'twice', verb: 'put', metadata: (before?: Metadata) => ({ n: 1 + (before?.n as number) }) },
        ]),
      )
      const { added: said } = await notes.put({ source: 'said', spans: many(3, 'Said') })
      const session = notes.session('two')
      const claims = said.map((key, i) => `Said ${i} [[${key}]]`)
      await keep(session.register(claims.map((text, i) => ({ text, covers: [said[i]!] }))))
      const gated = session.gate(
        claims.map((text) => ({ text })),
        { action: 'act', ranks: false },
      )
      await keep(gated.then(({ verdict, reasons }) => [verdict, reasons]))
      await notes.put({ source: 'said', spans: [...many(1, 'Said'), { text: 'Said otherwise' }] })
      await keep(
        session.reconcile({
          summarize: ({ sources }) =>
            sources.length === 0
              ? { withdraw: true }
              : sources.map(({ text, key }) => `${text} [[${key}]]`).join(' '),
        }),
      )
      await keep(session.discardEpoch())
      await keep(notes.remove({ source: 'a' }))
      expect(await ledger.verify(false)).toEqual([])
      await ledger.close()
      const db = new Database(path, { readonly: true })
      const rows = JSON.stringify([answers, dump(db)])
      db.close()
      // Keys and secrets are made by chance: what counts is where the same one occurs.
      const seen = new Map<string, string>()
      return (
        rows
          .replace(/[0-9A-HJKMNP-TV-Z]{26}/g, (key) => {
            if (!seen.has(key)) seen.set(key, `key ${seen.size}`)
            return seen.get(key)!
          })
          // What a gate recognises a claim by.
          .replace(/\\"[\w-]{43}\\"/g, 'code')
          .replace(/"(store|refusal|migration)":\[.*?\](?=,"|\}\])/g, '')
      )
    }
    expect(await told(EVERY)).toBe(await told(NONE))
  })

  test('goes on with other things meanwhile; these see all of a large write or nothing, and never fail', async () => {
    const { ledger } = begin(EVERY)
    const notes = await collectionOver(ledger, 'notes')
    const { added } = await notes.put({ source: 'a', spans: many(3_000, 'old') })
    let running = true
    let turns = 0
    const turn = () => {
      turns++
      if (running) setImmediate(turn)
    }
    const seen = new Set<string>()
    const look = async () => {
      while (running) {
        const found = await notes.fetchMany([added[0]!, added[1_500]!, added[2_999]!])
        seen.add(found.map(({ status }) => status).join(' '))
        const read = await notes.read('a')
        seen.add(`${read.revision}: ${read.places.length} places, ${read.text.slice(0, 5)}`)
        await new Promise(setImmediate)
      }
    }
    const small: Promise<unknown>[] = []
    const trickle = async () => {
      for (let i = 0; running; i++) {
        small.push(notes.put({ source: `small ${i}`, text: `Small ${i}.` }))
        small.push(ledger.transact((connection) => connection.value('SELECT count(*) FROM span')))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const others = [look(), trickle()]
    setImmediate(turn)
    await notes.put({ source: 'a', spans: many(3_000, 'new') })
    running = false
    await Promise.all([...others, ...small])
    expect(turns).toBeGreaterThan(3)
    const states = [
      'ok ok ok',
      'tombstone tombstone tombstone',
      '1: 3000 places, old 0',
      '2: 3000 places, new 0',
    ]
    expect([...seen].filter((one) => !states.includes(one))).toEqual([])
    expect(seen).toContain('ok ok ok')
    expect(await notes.count()).toBe(3_000 + small.length / 2)
    expect(await ledger.verify(false)).toEqual([])
  })

  test('keeps the order in which writes were given, large and small', async () => {
    const { ledger } = begin(1_000)
    const notes = await collectionOver(ledger, 'notes')
    await notes.put({ source: 'a', text: 'Begin.' })
    const written = await Promise.all([
      notes.append({ source: 'a', spans: many(900, 'first') }),
      notes.append({ source: 'a', spans: many(1, 'second') }),
      notes.append({ source: 'a', spans: many(700, 'third') }),
      notes.append({ source: 'a', spans: many(2, 'fourth') }),
    ])
    expect(written.map(({ revision }) => revision)).toEqual([2, 3, 4, 5])
    const keys = [...written.flatMap(({ added }) => added)]
    expect([...keys].sort()).toEqual(keys)
  })

  test('answers a command once, and tells of each commit', async () => {
    const { ledger, commits } = begin(EVERY)
    const notes = await collectionOver(ledger, 'notes')
    const before = commits()
    const input = { source: 'a', spans: many(10, 'x'), commandId: 'only once' }
    const [one, two] = await Promise.all([notes.append(input), notes.append(input)])
    expect(two).toEqual(one)
    expect(await notes.count()).toBe(10)
    expect(commits()).toBeGreaterThan(before)
  })

  test('changes the metadata as they are at the commit, though another process was quicker', async () => {
    const { ledger, path } = begin(EVERY)
    const notes = await collectionOver(ledger, 'notes')
    const { added } = await notes.put({ source: 'a', spans: many(5, 'x') })
    const db = new Database(path)
    const other = new Connection(db)
    prepareTemporaryTables(other)
    let interfered = 0
    const interfere = () => {
      if (interfered++ > 0) return
      other.run('BEGIN IMMEDIATE')
      const commit = new Commit(other, Date.now(), () => '' as Key)
      writeUpdate(commit, 1, [added[2]!], () => '{"other":true}')
      commit.finish()
      other.run('COMMIT')
    }
    await ledger.update(
      1,
      added,
      (before) => {
        interfere()
        return JSON.stringify({ ...JSON.parse(before ?? '{}'), seen: 1 })
      },
      {},
    )
    db.close()
    const metadata = (await notes.find({})).map((span) => span.metadata)
    expect(metadata[2]).toEqual({ other: true, seen: 1 })
    expect(metadata[3]).toEqual({ i: 3, seen: 1 })
    expect(interfered).toBeGreaterThan(5)
  })

  test('is closed after a write that is under way, and not before', async () => {
    const { ledger, open } = begin(EVERY)
    const notes = await collectionOver(ledger, 'notes')
    const writing = notes.put({ source: 'a', spans: many(2_000, 'x') })
    // Given to the thread by then.
    for (let i = 0; i < 5; i++) await new Promise(setImmediate)
    await ledger.close()
    const done = await writing.then(
      ({ added }) => added.length,
      (error) => error.code,
    )
    const again = await collectionOver(open(), 'notes')
    expect(await again.count()).toBe(done === 'STORE_CLOSED' ? 0 : 2_000)
    await expect(notes.put({ source: 'b', spans: many(2_000, 'x') })).rejects.toMatchObject({
      code: 'STORE_CLOSED',
    })
  })

  test('that is killed in the middle of one has all of it or nothing, and all that was acknowledged', async () => {
    const { path, open, ledger } = begin(NONE)
    await collectionOver(ledger, 'notes')
    await ledger.close()
    const script = fileURLToPath(new URL('heavy-writer.ts', import.meta.url))
    let acknowledged = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(process.execPath, ['--import', 'tsx', script, path, String(acknowledged + 1)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'close')
      let rounds = 0
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged = Number(line)
        if (++rounds === 2) setTimeout(() => child.kill('SIGKILL'), Math.random() * 40)
      }
      await ended
      const again = open()
      const { text } = await (await collectionOver(again, 'notes')).read('a')
      const kept = new Set(text.split('\n').map((one) => Number(/\d+/.exec(one)![0])))
      expect([kept.size, text.split('\n').length]).toEqual([1, 300])
      expect([acknowledged, acknowledged + 1]).toContain([...kept][0])
      expect(await again.verify(false)).toEqual([])
      await again.close()
      acknowledged = [...kept][0]!
    }
    expect(acknowledged).toBeGreaterThanOrEqual(2 * KILLS)
  }, 60_000)
})
