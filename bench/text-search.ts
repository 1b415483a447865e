import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../src/index.ts'
import { openSqliteLedger, type SqliteLedger } from '../src/ledger/sqlite/ledger.ts'
import { openTextDatabase } from '../src/text/database.ts'
import { joinParts } from '../src/text/join.ts'
import { SqliteTextIndex } from '../src/text/text-index.ts'
import { TOKENIZER } from '../src/text/tokens.ts'
import { inTemporaryDirectory, interleaved, type Measured, rawDatabase, timed } from './harness.ts'
import { noteOf, words as vocabulary } from './words.ts'

type Report = (measured: Measured) => void

/** Texts of one commit, of the store as of the raw index. */
const COMMIT = 500

/** Search of words alone. `--large`: 100 000 texts, too. */
export async function wordBenches(report: Report): Promise<void> {
  const counts = process.argv.includes('--large') ? [10_000, 100_000] : [10_000]
  for (const count of counts)
    await inTemporaryDirectory(async (directory) => {
      const path = join(directory, 'store')
      const store = await openStore(path)
      const notes = await store.collection('notes')
      for (let i = 0; i < count; i += COMMIT)
        await notes.append({
          source: `part ${i}`,
          spans: Array.from({ length: COMMIT }, (_, j) => ({
            text: noteOf(i + j),
            metadata: { tenth: (i + j) % 10, thousandth: (i + j) % 1000, rare: (i + j) % 10_000 },
          })),
        })
      await store.close()
      const ledger = openSqliteLedger(join(path, 'ledger.db'))
      await words(report, `${count / 1000}k`, ledger, directory)
      await ledger.close()
    })
}

/**
 * Words beside FTS5 itself, both ways round fair: the same texts in the same commits, and of the ten best all that a hit
 * says, read in one statement (text, key, source, metadata parsed). FTS5 does not ask whether anything was written,
 * retired or expired since; neither does it join its parts unless told, which is reported besides.
 */
export async function words(
  report: Report,
  label: string,
  ledger: SqliteLedger,
  directory: string,
): Promise<void> {
  const { ref, live } = (await ledger.collections())[0]!
  const path = join(directory, 'store', 'ledger.db')
  // What was indexed while the store was filled, or searched, would not be measured.
  for (const end of ['', '-wal', '-shm']) rmSync(join(directory, 'store', `text.db${end}`), { force: true })
  const ours = new SqliteTextIndex(ledger, path, { clock: Date.now })
  const absorbing = await timed(() => ours.catchUp({ collection: ref }))
  const db = rawDatabase(join(directory, 'words.db'))
  db.exec(`CREATE TABLE doc (id INTEGER PRIMARY KEY, key TEXT, source TEXT, text TEXT, metadata TEXT);
    CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize="${TOKENIZER}")`)
  const doc = db.prepare('INSERT INTO doc VALUES (?, ?, ?, ?, ?)')
  const word = db.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)')
  const texts = Array.from({ length: live }, (_, i) => noteOf(i))
  const fill = db.transaction((from: number) => {
    for (let i = from; i < Math.min(live, from + COMMIT); i++) {
      const metadata = JSON.stringify({ tenth: i % 10, thousandth: i % 1000, rare: i % 10_000 })
      doc.run(i, String(i).padStart(26, '0'), `part ${i - (i % 500)}`, texts[i], metadata)
      word.run(i, texts[i])
    }
  })
  const filling = await timed(() => {
    for (let i = 0; i < live; i += COMMIT) fill(i)
  })
  report({
    name: `words indexed ${label}`,
    value: (live / absorbing) * 1000,
    unit: 'spans/s',
    raw: (live / filling) * 1000,
    ratio: filling / absorbing,
  })
  const best = db.prepare(
    `SELECT f.id, f.rank_, d.key, d.source, d.text, d.metadata FROM
       (SELECT rowid AS id, bm25(words) AS rank_ FROM words WHERE words MATCH ? ORDER BY rank_ LIMIT 10) f
     CROSS JOIN doc d ON d.id = f.id ORDER BY f.rank_`,
  )
  const find = (match: string) =>
    (best.all(match) as { rank_: number; text: string; metadata: string }[]).map((row) => ({
      ...row,
      score: -row.rank_,
      metadata: JSON.parse(row.metadata),
    }))
  const search = (query: string) => ours.search(ref, { text: query, limit: 10, offset: 0, highlight: false })
  const anyOf = (query: string) =>
    query
      .split(' ')
      .map((word) => `"${word}"`)
      .join(' OR ')
  // As it is after a second without writes.
  const opened = openTextDatabase(ledger, path)
  await joinParts(opened, ref, () => {})
  opened.connection.db.close()
  const kinds = [
    ['a rare word', (n: number) => `${n * 37}`, anyOf],
    ['ten rare words', (n: number) => Array.from({ length: 10 }, (_, i) => n * 37 + i).join(' '), anyOf],
    // Of these words about two fifths, and an eighth, of all texts have one.
    ['rare and common words', (n: number) => `${n * 37} ${vocabulary[5]} ${vocabulary[20]}`, anyOf],
    ['a rare word and one of nearly all', (n: number) => `${n * 37} ${vocabulary[0]}`, anyOf],
    ['common words', () => `${vocabulary[5]} ${vocabulary[9]} ${vocabulary[20]}`, anyOf],
    ['a phrase', () => `"${vocabulary[5]} ${vocabulary[0]}"`, (query: string) => query],
    ['a prefix of one letter', () => 't*', () => '"t"*'],
    [
      'a prefix of three letters',
      (n: number) => `${100 + n}*`,
      (query: string) => `"${query.slice(0, -1)}"*`,
    ],
  ] as const
  for (const joined of [false, true]) {
    if (joined) db.exec(`INSERT INTO words (words) VALUES ('optimize')`)
    for (const [kind, query, match] of joined ? kinds.slice(0, 1) : kinds) {
      const both = await interleaved(
        41,
        (n) => find(match(query(n + 1))),
        (n) => search(query(n + 1)),
      )
      const raw = find(match(query(1)))
      const { hits } = await search(query(1))
      // Of texts that score alike either may be among the ten.
      const last = raw.at(-1)?.score ?? 0
      const same = hits.filter(
        ({ span, score }) => raw.some(({ text }) => text === span.text) || Math.abs(score - last) < 1e-9,
      ).length
      report({
        name: `text search ${label}, ${kind}${joined ? ", FTS5's parts joined, too" : ''}`,
        value: both.ours,
        unit: 'ms',
        raw: both.raw,
        ratio: both.raw / both.ours,
        target: 'p50 ≤ 1.3 × raw FTS5',
        detail: {
          same: `${same} of ${raw.length}`,
          'MB in use': Math.round(process.memoryUsage().rss / 2 ** 20),
        },
      })
    }
  }
  // The past is in no index: every text that was live then is read.
  const { position } = (await ledger.collections())[0]!
  const past = await timed(() =>
    ours.search(ref, { text: vocabulary[5]!, limit: 10, offset: 0, highlight: false, asOf: position }),
  )
  report({
    name: `text search ${label}, as of an earlier position`,
    value: past,
    unit: 'ms',
    detail: { 'µs a span': ((past * 1000) / live).toFixed(1) },
  })
  db.close()
  await ours.close()
}
