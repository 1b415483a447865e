import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SqliteAttributeIndex } from '../src/attributes/attribute-index.ts'
import { parseFilter } from '../src/core/filter.ts'
import { type Collection, openStore, type SearchMode } from '../src/index.ts'
import { openSqliteLedger, type SqliteLedger } from '../src/ledger/sqlite/ledger.ts'
import { LanceTable, type TableRow } from '../src/vector/table.ts'
import { LedgerVectorIndex } from '../src/vector/vector-index.ts'
import { random } from '../test/store/random.ts'
import { inTemporaryDirectory, interleaved, type Measured, median, percentile, timed } from './harness.ts'
import { words } from './text-search.ts'
import { noteOf } from './words.ts'

type Report = (measured: Measured) => void

const DIMENSIONS = 384
const QUERIES = 60

/** Search of vectors beside LanceDB's own, then how well meetings are found. `--large`: 100 000 vectors, too;
 * `--all-meetings`: not six of them. */
export async function searchBenches(report: Report): Promise<void> {
  const counts = process.argv.includes('--large') ? [10_000, 100_000] : [10_000]
  for (const count of counts) await vectors(report, count)
  await retrieval(report)
}

/** Clusters of very different sizes, as embeddings of texts have them. */
function made(count: number, seed: number): Float32Array[] {
  const next = random(seed)
  const shared = random(1)
  const centres = Array.from({ length: 200 }, () =>
    Float32Array.from({ length: DIMENSIONS }, () => shared() - 0.5),
  )
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(next() ** 2 * centres.length)]!
    return centre.map((value) => value + (next() - 0.5) * 1.2)
  })
}

async function vectors(report: Report, count: number): Promise<void> {
  const label = `${count / 1000}k`
  await inTemporaryDirectory(async (directory) => {
    const rows = made(count, 2)
    const asked = made(QUERIES, 3)
    const path = join(directory, 'store')
    const first = await openStore(path)
    const writing = await timed(async () => ingest(await first.collection('notes'), rows))
    await first.close()
    // What it had begun to index while it wrote.
    rmSync(join(path, 'index'), { recursive: true, force: true })

    const ledger: SqliteLedger = openSqliteLedger(join(path, 'ledger.db'), {
      candidates: (...asked) => attributes.candidates(...asked),
    })
    const attributes = new SqliteAttributeIndex(ledger, join(path, 'ledger.db'))
    const collection = (await ledger.collections())[0]!.ref
    const exact = new LedgerVectorIndex(ledger.vectors, { memory: 2 ** 31 })
    const truth = await Promise.all(
      asked.map((vector) => exact.search(collection, { vector, limit: 10, offset: 0, accuracy: 1 })),
    )
    const small = new LedgerVectorIndex(ledger.vectors, { directory: join(path, 'index'), large: 5_000 })
    // LanceDB is loaded before.
    const raw = await rawTable(join(directory, 'raw'), rows)
    let held = 0
    const onProgress = () => {
      held = Math.max(held, small.held)
    }
    const absorbing = await timed(() => small.catchUp({ onProgress }))
    report({
      name: `absorb ${label}`,
      value: (count / absorbing) * 1000,
      unit: 'vectors/s',
      raw: (count / writing) * 1000,
      ratio: writing / absorbing,
      target: 'ratio ≥ 0.6 of the ledger, index built as well',
      detail: { 'MB of vectors held at most': (held / 2 ** 20).toFixed(1) },
    })

    const ask = (n: number, more = {}) =>
      small.search(collection, { vector: asked[n % QUERIES]!, limit: 10, offset: 0, accuracy: 0.98, ...more })
    const times: number[] = []
    let found = 0
    for (let i = 0; i < QUERIES; i++) {
      let answer: Awaited<ReturnType<typeof ask>> | undefined
      times.push(
        await timed(async () => {
          answer = await ask(i)
        }),
      )
      const wanted = new Set(truth[i]!.hits.map(({ id }) => id))
      found += answer!.hits.filter(({ id }) => wanted.has(id)).length
    }
    const both = await interleaved(
      QUERIES,
      (n) => raw.nearest(asked[n]!, 10, 0.98),
      (n) => ask(n),
    )
    report({
      name: `vector search ${label}, in the index`,
      value: both.ours,
      unit: 'ms',
      raw: both.raw,
      ratio: both.raw / both.ours,
      target: 'p50 ≤ 1.3 × raw',
      detail: { p95: percentile(times, 0.95).toFixed(1), 'recall@10': (found / QUERIES / 10).toFixed(3) },
    })

    const resident = await interleaved(
      QUERIES,
      (n) => raw.nearest(asked[n]!, 10, 1),
      (n) => exact.search(collection, { vector: asked[n]!, limit: 10, offset: 0, accuracy: 1 }),
    )
    report({
      name: `vector search ${label}, exact, in memory`,
      value: resident.ours,
      unit: 'ms',
      raw: resident.raw,
      ratio: resident.raw / resident.ours,
      target: 'beside LanceDB without an index',
    })

    const indexing = await timed(() => attributes.catchUp())
    report({
      name: `index of metadata ${label}`,
      value: (count / indexing) * 1000,
      unit: 'spans/s',
      detail: { fields: 3, 'ms in all': Math.round(indexing) },
    })
    for (const [share, field] of [
      ['10 %', 'tenth'],
      ['0.1 %', 'thousandth'],
      ['0.01 %', 'rare'],
    ] as const) {
      const where = parseFilter({ [field]: 3 })
      const filtered: number[] = []
      const found: number[] = []
      const inMemory: number[] = []
      let [near, there] = [0, 0]
      for (let n = 0; n < 10; n++) {
        let answer: Awaited<ReturnType<typeof ask>> | undefined
        filtered.push(
          await timed(async () => {
            answer = await ask(n, { where })
          }),
        )
        const query = { vector: asked[n]!, limit: 10, offset: 0, accuracy: 1, where }
        let all: typeof answer
        inMemory.push(
          await timed(async () => {
            all = await exact.search(collection, query)
          }),
        )
        const wanted = new Set(all!.hits.map(({ id }) => id))
        near += answer!.hits.filter(({ id }) => wanted.has(id)).length
        there += wanted.size
        found.push(await timed(() => ledger.find(collection, { where, limit: 100, offset: 0 })))
      }
      report({
        name: `vector search ${label}, ${share} pass a filter`,
        value: median(filtered),
        unit: 'ms',
        detail: {
          'recall@10': (near / Math.max(1, there)).toFixed(3),
          'ms exact, in memory': median(inMemory).toFixed(2),
        },
      })
      report({ name: `find ${label}, ${share} pass`, value: median(found), unit: 'ms' })
    }
    await words(report, label, ledger, directory)

    const store = await openStore(path)
    const notes = await store.collection('notes')
    let stop = false
    const writer = (async () => {
      for (let i = 0; !stop; i++) {
        await notes.append({ source: 'log', spans: [{ text: `turn ${i}`, vector: asked[i % QUERIES]! }] })
        await sleep(1)
      }
    })()
    const during: number[] = []
    for (let i = 0; i < QUERIES; i++) {
      during.push(await timed(() => ask(i)))
      if (i % 10 === 9) await small.catchUp()
    }
    stop = true
    await writer
    report({
      name: `vector search ${label}, during writes`,
      value: median(during),
      unit: 'ms',
      detail: { p95: percentile(during, 0.95).toFixed(1) },
    })
    raw.close()
    await small.close()
    await exact.close()
    await attributes.close()
    await ledger.close()
    await store.close()
  })
}

async function ingest(notes: Collection, rows: readonly Float32Array[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 500)
    await notes.append({
      source: `part ${i}`,
      spans: rows.slice(i, i + 500).map((vector, j) => ({
        text: noteOf(i + j),
        vector,
        metadata: { tenth: (i + j) % 10, thousandth: (i + j) % 1000, rare: (i + j) % 10_000 },
      })),
    })
}

async function rawTable(directory: string, rows: readonly Float32Array[]): Promise<LanceTable> {
  const table = await LanceTable.create(directory, 'raw', { metric: 'cosine', dimensions: DIMENSIONS })
  const all: TableRow[] = rows.map((vector, i) => ({ id: i + 1, vector }))
  for (let i = 0; i < all.length; i += 4_000) await table.add(all.slice(i, i + 4_000))
  await table.optimize(0)
  await table.index()
  return table
}

// ── meetings ────────────────────────────────────────────────────────────────────────────────────────────────

interface Meeting {
  readonly turns: readonly { readonly speaker: string; readonly content: string }[]
  readonly summaries: readonly {
    readonly query: string
    readonly text: string
    readonly turns: readonly (readonly [number, number])[]
  }[]
}

const MEETINGS = new URL('../../shared/corpora/meetings/', import.meta.url)

/** Each human summary as a query; the turns it was written of are what should be found. */
async function retrieval(report: Report): Promise<void> {
  if (!existsSync(MEETINGS)) {
    console.log('retrieval skipped: ../shared/corpora/meetings is not there')
    return
  }
  const { localEmbedder } = await import('../src/embed/index.ts')
  const embedder = localEmbedder()
  try {
    await embedder.embedQuery('Is the model installed?')
  } catch (error) {
    console.log(`retrieval skipped: ${(error as Error).message}`)
    return
  }
  const files = readdirSync(MEETINGS).filter((name) => name.endsWith('.json'))
  const some = process.argv.includes('--all-meetings') ? files : files.slice(9, 15)
  const store = await openStore(':memory:', { embedder })
  const scores: Record<SearchMode, { recall: number[]; rank: number[]; time: number[] }> = {
    text: { recall: [], rank: [], time: [] },
    vector: { recall: [], rank: [], time: [] },
    hybrid: { recall: [], rank: [], time: [] },
  }
  const notes = await store.collection('meetings')
  const queries: { text: string; relevant: Set<string> }[] = []
  for (const file of some) {
    const { turns, summaries } = JSON.parse(readFileSync(new URL(file, MEETINGS), 'utf8')) as Meeting
    const { added } = await notes.put({
      source: file,
      spans: turns.map(({ speaker, content }) => ({ text: `${speaker}: ${content}` })),
    })
    for (const { text, turns: ranges } of summaries)
      queries.push({
        text,
        relevant: new Set(ranges.flatMap(([from, to]) => added.slice(from, to + 1))),
      })
  }
  for (const { text, relevant } of queries)
    for (const mode of ['text', 'vector', 'hybrid'] as const) {
      const started = performance.now()
      const { hits } = await notes.search({ text, mode, k: 10 })
      scores[mode].time.push(performance.now() - started)
      const first = hits.findIndex(({ key }) => relevant.has(key))
      scores[mode].rank.push(first < 0 ? 0 : 1 / (first + 1))
      scores[mode].recall.push(
        hits.filter(({ key }) => relevant.has(key)).length / Math.min(10, relevant.size),
      )
    }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  for (const [mode, { recall, rank, time }] of Object.entries(scores))
    report({
      name: `meetings, ${mode}`,
      value: mean(recall),
      unit: 'recall@10',
      detail: {
        mrr: mean(rank).toFixed(3),
        queries: queries.length,
        spans: await notes.count(),
        'p50 ms': median(time).toFixed(1),
      },
    })
  await store.close()
  await embedder.close()
}
