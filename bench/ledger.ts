import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { paragraphs } from '../src/chunking/index.ts'
import { type Key, openStore } from '../src/index.ts'
import {
  inTemporaryDirectory,
  interleaved,
  type Measured,
  median,
  rawDatabase,
  textOf,
  timed,
} from './harness.ts'

const CREATE_RAW =
  'CREATE TABLE span (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, source TEXT, metadata TEXT, text TEXT, position INTEGER) STRICT'

export async function ledgerBenches(report: (measured: Measured) => void): Promise<void> {
  await writesAndReads(report)
  await propagation(report)
  await appends(report)
  await edits(report)
}

async function writesAndReads(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const store = await openStore(directory)
    const notes = await store.collection('bench')
    const db = rawDatabase(join(directory, 'raw.db'))
    db.exec(CREATE_RAW)
    const insert = db.prepare('INSERT INTO span VALUES (?, ?, ?, ?, ?, ?)')
    const SPANS = 1000
    const ROUNDS = 60
    const keys: Key[] = []
    let rawId = 0
    const batches = Array.from({ length: ROUNDS }, (_, round) =>
      Array.from({ length: SPANS }, (_, i) => ({ text: textOf(round * SPANS + i) })),
    )
    const rawKeys: string[] = []
    const { raw, ours } = await interleaved(
      ROUNDS,
      (round) => {
        db.exec('BEGIN IMMEDIATE')
        for (const { text } of batches[round]!) {
          const key = `01RAW${String(++rawId).padStart(21, '0')}`
          rawKeys.push(key)
          insert.run(rawId, key, `s${round}`, null, text, rawId)
        }
        db.exec('COMMIT')
      },
      async (round) => {
        const { added } = await notes.put({ source: `s${round}`, spans: batches[round]! })
        keys.push(...added)
      },
    )
    report({
      name: 'put, 1 000 spans a transaction',
      value: (SPANS / ours) * 1000,
      unit: 'spans/s',
      ratio: raw / ours,
      raw: (SPANS / raw) * 1000,
      target: '>= 0.45 of a raw insert',
    })
    db.pragma('wal_checkpoint(TRUNCATE)')
    const get = db.prepare('SELECT key, source, metadata, text, position FROM span WHERE key = ?')
    const pick = (round: number, i: number) => (round * 7919 + i * 104729) % keys.length
    const GETS = 5000
    const one = await interleaved(
      15,
      (round) => {
        for (let i = 0; i < GETS; i++) get.get(rawKeys[pick(round, i)]!)
      },
      async (round) => {
        for (let i = 0; i < GETS; i++) await notes.fetch(keys[pick(round, i)]!)
      },
    )
    report({
      name: 'fetch',
      value: (GETS / one.ours) * 1000,
      unit: 'fetches/s',
      ratio: one.raw / one.ours,
      raw: (GETS / one.raw) * 1000,
      target: '>= 0.8 of a raw prepared get',
    })
    const many = await interleaved(
      15,
      (round) => {
        for (let i = 0; i < GETS; i += 100)
          for (let j = 0; j < 100; j++) get.get(rawKeys[pick(round, i + j)]!)
      },
      async (round) => {
        for (let i = 0; i < GETS; i += 100)
          await notes.fetchMany(Array.from({ length: 100 }, (_, j) => keys[pick(round, i + j)]!))
      },
    )
    report({
      name: 'fetchMany, 100 keys',
      value: (GETS / many.ours) * 1000,
      unit: 'fetches/s',
      ratio: many.raw / many.ours,
      raw: (GETS / many.raw) * 1000,
      target: '>= 0.9 of raw prepared gets',
    })
    await store.close()
    const bytes = statSync(join(directory, 'ledger.db')).size
    const rawBytes = statSync(join(directory, 'raw.db')).size
    report({
      name: 'bytes per span',
      value: bytes / keys.length,
      unit: 'bytes',
      ratio: rawBytes / bytes,
      raw: rawBytes / keys.length,
      detail: { 'text bytes': Buffer.byteLength(textOf(1)) },
    })
    db.close()
  })
}

async function propagation(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const store = await openStore(directory)
    const notes = await store.collection('bench')
    const FAN = 20_000
    const times: number[] = []
    // The least any implementation has to do: find the edges, write a cause and an event for each, in one commit.
    const db = rawDatabase(join(directory, 'raw.db'))
    db.exec(`CREATE TABLE edge (support INTEGER, dependent INTEGER, PRIMARY KEY (support, dependent)) STRICT, WITHOUT ROWID;
      CREATE TABLE cause (dependent INTEGER, support INTEGER, hard INTEGER, PRIMARY KEY (dependent, support)) STRICT, WITHOUT ROWID;
      CREATE TABLE event (position INTEGER PRIMARY KEY, type INTEGER, at INTEGER, node INTEGER, other INTEGER) STRICT`)
    const edge = db.prepare('INSERT INTO edge VALUES (?, ?)')
    const raws: number[] = []
    for (let round = 0; round < 6; round++) {
      db.transaction(() => {
        for (let i = 0; i < FAN; i++) edge.run(round, round * FAN + i)
      })()
      raws.push(
        await timed(() =>
          db.transaction(() => {
            db.prepare('INSERT INTO cause SELECT dependent, support, 1 FROM edge WHERE support = ?').run(
              round,
            )
            db.prepare(
              'INSERT INTO event SELECT dependent, 13, 1700000000000, dependent, support FROM edge WHERE support = ?',
            ).run(round)
          })(),
        ),
      )
      const source = `fact-${round}`
      const { added } = await notes.put({ source, spans: [{ text: textOf(round) }] })
      const session = notes.session(`s${round}`)
      await session.register(
        Array.from({ length: FAN }, (_, i) => ({ text: `Summary ${i} of it. [[${added[0]}]]`, claims: [] })),
      )
      times.push(await timed(() => notes.remove({ source })))
    }
    report({
      name: `propagation to ${FAN} dependents`,
      value: (FAN / median(times.slice(1))) * 1000,
      unit: 'causes/s',
      ratio: median(raws.slice(1)) / median(times.slice(1)),
      raw: (FAN / median(raws.slice(1))) * 1000,
      target: '>= 300 000',
    })
    db.close()
    await store.close()
  })
}

async function appends(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const store = await openStore(directory)
    const talk = await store.collection('bench')
    const spans = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        text: `Turn ${from + i}: ${textOf(from + i).slice(0, 120)}`,
      }))
    for (let at = 0; at < 100_000; at += 5000) await talk.append({ source: 'long', spans: spans(at, 5000) })
    const TURNS = 64
    const { raw: short, ours: long } = await interleaved(
      9,
      async (round) => {
        await talk.append({ source: `short-${round}`, spans: spans(0, 10) })
        for (let i = 0; i < TURNS; i++) await talk.append({ source: `short-${round}`, spans: spans(i, 1) })
      },
      async (round) => {
        await talk.append({ source: 'long', spans: spans(round, 10) })
        for (let i = 0; i < TURNS; i++) await talk.append({ source: 'long', spans: spans(i, 1) })
      },
    )
    report({
      name: 'append one turn, 100 000 turns against 10',
      value: (long / (TURNS + 1)) * 1000,
      unit: 'µs',
      ratio: short / long,
      raw: (short / (TURNS + 1)) * 1000,
      target: 'independent of length: about 1',
    })
    await store.close()
  })
}

async function edits(report: (measured: Measured) => void): Promise<void> {
  for (const spans of [100, 10_000]) {
    await inTemporaryDirectory(async (directory) => {
      const store = await openStore(directory)
      const notes = await store.collection('bench')
      const chunker = paragraphs({ max: 400 })
      const lines = Array.from({ length: spans }, (_, i) => textOf(i))
      await notes.put({ source: 'doc', text: lines.join('\n\n'), chunker })
      const { raw, ours } = await interleaved(
        15,
        (round) => {
          const text = lines.join('\n\n')
          for (const chunk of chunker.chunk(`${text}${round}`)) hash('sha256', chunk.text, 'base64url')
        },
        async (round) => {
          lines[(round * 997) % spans] = `Edited in round ${round}. ${textOf(round + spans)}`
          await notes.put({ source: 'doc', text: lines.join('\n\n'), chunker })
        },
      )
      const db = rawDatabase(join(directory, 'ledger.db'))
      const rows = () =>
        db
          .prepare(
            `SELECT (SELECT count(*) FROM span) AS spans, (SELECT count(*) FROM event) AS events,
               (SELECT count(*) FROM page) AS pages, (SELECT count(*) FROM tombstone) AS tombstones,
               (SELECT count(*) FROM revision) AS revisions, (SELECT count(*) FROM gap) AS gaps,
               (SELECT count(*) FROM lineage) AS lineage`,
          )
          .get() as Record<string, number>
      const before = rows()
      lines[spans >> 1] = `Edited for the count. ${textOf(spans * 2)}`
      await notes.put({ source: 'doc', text: lines.join('\n\n'), chunker })
      const after = rows()
      const detail = Object.fromEntries(
        Object.keys(after).map((name) => [name, after[name]! - before[name]!]),
      )
      db.close()
      report({
        name: `edit one paragraph of ${spans} spans`,
        value: ours,
        unit: 'ms',
        ratio: raw / ours,
        raw,
        target: 'within 1.5 times one pass that splits and hashes: ratio >= 0.67',
        detail,
      })
      await store.close()
    })
  }
}
