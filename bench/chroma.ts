import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChromaClient, type Collection } from 'chromadb'
import { random } from '../test/store/random.ts'
import { type Measured, median, percentile, textOf, timed } from './harness.ts'

/*
 * The same client against a real Chroma, against this package's server and against one that does nothing, each in a
 * process of its own, taking turns call by call. `CHROMA_ORACLE` names what `test/chroma/prepare-oracle.sh` prepared;
 * without it there is nothing to compare with, and only the store is measured. `CHROMA_SIZES=10000,100000` (default
 * 10000) says how many records. Served is what is shipped, which is built first; `SPANSTORE_MAIN` names a command line
 * that was built elsewhere.
 */

const DIMENSIONS = 384
const CLUSTERS = 100
const BATCH = 500
const QUERIES = 100

interface Contestant {
  readonly name: string
  readonly pid: number
  readonly directory: string
  readonly client: ChromaClient
  collection: Collection
}

function clustered(count: number, seed: number): Float32Array[] {
  const next = random(1)
  const centres = Array.from({ length: CLUSTERS }, () =>
    Float32Array.from({ length: DIMENSIONS }, () => next() * 2 - 1),
  )
  const own = random(seed)
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(own() * CLUSTERS)]!
    return centre.map((value) => value + (own() * 2 - 1) * 0.6)
  })
}

function nearest(
  vectors: readonly Float32Array[],
  query: Float32Array,
  admits: (i: number) => boolean,
): string[] {
  const best: { readonly id: string; readonly distance: number }[] = []
  for (let i = 0; i < vectors.length; i++) {
    if (!admits(i)) continue
    const vector = vectors[i]!
    let distance = 0
    for (let k = 0; k < DIMENSIONS; k++) distance += (vector[k]! - query[k]!) ** 2
    if (best.length === 10 && distance >= best[9]!.distance) continue
    best.push({ id: `doc-${i}`, distance })
    best.sort((a, b) => a.distance - b.distance)
    if (best.length > 10) best.pop()
  }
  return best.map(({ id }) => id)
}

// ── contestants ─────────────────────────────────────────────────────────────────────────────────────────────

async function free(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

const started: { readonly child: ChildProcess; readonly directory: string }[] = []

async function start(
  name: string,
  command: (port: number, directory: string) => readonly [string, ...string[]],
): Promise<Contestant> {
  const directory = mkdtempSync(join(tmpdir(), `spanstore-bench-${name}-`))
  const port = await free()
  const [program, ...args] = command(port, directory)
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  started.push({ child, directory })
  const until = performance.now() + 30_000
  while (performance.now() < until) {
    const up = await fetch(`http://127.0.0.1:${port}/api/v2/heartbeat`).then(
      () => true,
      () => false,
    )
    if (up) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const client = new ChromaClient({ host: '127.0.0.1', port })
  return { name, pid: child.pid!, directory, client, collection: undefined as unknown as Collection }
}

/** Answers everything at once with what a client needs to go on. */
const NOTHING = `
const answers = { ids: ['doc-1'], embeddings: null, documents: ['x'], uris: null, metadatas: [{ group: 1 }], include: ['documents', 'metadatas'] }
require('node:http').createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.setHeader('content-type', 'application/json')
    const { url } = request
    response.end(JSON.stringify(
      url.endsWith('/pre-flight-checks') ? { max_batch_size: 5461, supports_base64_encoding: true }
      : url.endsWith('/identity') ? { user_id: '', tenant: 'default_tenant', databases: ['default_database'] }
      : url.endsWith('/get') ? answers : url.endsWith('/heartbeat') ? { 'nanosecond heartbeat': 1 }
      : url.endsWith('/collections') ? { id: '00000000-0000-4000-8000-000000000001', name: 'bench', configuration_json: {}, metadata: null, tenant: 'default_tenant', database: 'default_database', log_position: 0, version: 0 }
      : {}))
  })
}).listen(Number(process.argv[1]), '127.0.0.1')`

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

function diskOf(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.size / 2 ** 20
  return readdirSync(path).reduce((sum, name) => sum + diskOf(join(path, name)), 0)
}

// ── the bench ───────────────────────────────────────────────────────────────────────────────────────────────

/** The command line as it is shipped: run from its sources it would take more memory, and longer. */
function built(): string {
  const given = process.env.SPANSTORE_MAIN
  if (given !== undefined) return given
  execFileSync('npm', ['run', 'build', '--silent'], { stdio: 'inherit' })
  return 'dist/cli/main.js'
}

export async function chromaBenches(report: (measured: Measured) => void): Promise<void> {
  const oracle = process.env.CHROMA_ORACLE
  const main = built()
  const sizes = (process.env.CHROMA_SIZES ?? '10000').split(',').map(Number)
  try {
    for (const size of sizes) {
      const ours = await start('spanstore', (port, directory) => [
        process.execPath,
        main,
        'serve',
        '--store',
        join(directory, 'store'),
        '--port',
        String(port),
      ])
      const theirs =
        oracle === undefined
          ? undefined
          : await start('chroma', (port, directory) => [oracle, String(port), directory])
      const floor = await start('nothing', (port) => [process.execPath, '-e', NOTHING, String(port)])
      await measure(size, { ours, theirs, floor }, report)
      stop()
    }
  } finally {
    stop()
  }
}

function stop(): void {
  for (const { child, directory } of started.splice(0)) {
    child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Contestants {
  readonly ours: Contestant
  readonly theirs: Contestant | undefined
  readonly floor: Contestant
}

async function measure(
  size: number,
  { ours, theirs, floor }: Contestants,
  report: (measured: Measured) => void,
): Promise<void> {
  const rivals = theirs === undefined ? [ours] : [ours, theirs]
  const vectors = clustered(size, 2)
  for (const one of [...rivals, floor])
    one.collection = await one.client.createCollection({ name: 'bench', embeddingFunction: null })

  /** Milliseconds per call; everyone takes their turn, in changing order. */
  const race = async (
    calls: number,
    who: readonly Contestant[],
    work: (collection: Collection, i: number) => Promise<unknown>,
  ): Promise<Map<string, number[]>> => {
    const times = new Map(who.map(({ name }) => [name, [] as number[]]))
    for (let i = 0; i < calls; i++)
      for (const one of i % 2 === 0 ? who : [...who].reverse())
        times.get(one.name)!.push(await timed(() => work(one.collection, i)))
    return times
  }
  const say = (
    what: string,
    times: Map<string, number[]>,
    options: { target: string; faster?: boolean; detail?: Record<string, number | string> } = { target: '' },
  ) => {
    const mine = times.get(ours.name)!
    const other = times.get(theirs?.name ?? '')
    report({
      name: `chroma ${size} ${what}`,
      value: median(mine),
      unit: 'ms p50',
      ...(other === undefined ? {} : { raw: median(other), ratio: median(other) / median(mine) }),
      target: options.target,
      detail: {
        'p95 ms': Number(percentile(mine, 0.95).toPrecision(3)),
        ...(other === undefined ? {} : { 'Chroma p95 ms': Number(percentile(other, 0.95).toPrecision(3)) }),
        ...options.detail,
      },
    })
  }

  const batchOf = (i: number) => {
    const rows = vectors.slice(i * BATCH, (i + 1) * BATCH)
    return {
      ids: rows.map((_, k) => `doc-${i * BATCH + k}`),
      embeddings: rows.map((row) => Array.from(row)),
      documents: rows.map((_, k) => textOf(i * BATCH + k).slice(0, 270)),
      metadatas: rows.map((_, k) => ({ group: (i * BATCH + k) % 10, even: k % 2 === 0 })),
    }
  }
  const batches = Math.ceil(size / BATCH)
  const added = await race(batches, rivals, async (collection, i) => await collection.add(batchOf(i)))
  const rate = (name: string) => size / (added.get(name)!.reduce((sum, ms) => sum + ms, 0) / 1000)
  report({
    name: `chroma ${size} add, 500 a batch`,
    value: rate(ours.name),
    unit: 'records/s',
    ...(theirs === undefined ? {} : { raw: rate(theirs.name), ratio: rate(ours.name) / rate(theirs.name) }),
    target: '≥ 2 × Chroma',
  })
  const queries = clustered(QUERIES, 3)
  const truth = queries.map((query) => nearest(vectors, query, () => true))
  const filteredTruth = queries.map((query) => nearest(vectors, query, (i) => i % 10 === 3))
  // Both make their index in the background. After the reckoning, which leaves this process no time to see connections end.
  await new Promise((resolve) => setTimeout(resolve, size >= 50_000 ? 60_000 : 5_000))
  const recalls = new Map<string, number>()
  const queried = async (expected: readonly (readonly string[])[], where?: { group: number }) => {
    const hits = new Map<string, number>()
    const run = async (collection: Collection, i: number) => {
      const { ids } = await collection.query({
        queryEmbeddings: [Array.from(queries[i % QUERIES]!)],
        nResults: 10,
        ...(where === undefined ? {} : { where }),
      })
      const name = rivals.find((one) => one.collection === collection)!.name
      const found = new Set(ids[0])
      hits.set(name, (hits.get(name) ?? 0) + expected[i % QUERIES]!.filter((id) => found.has(id)).length)
    }
    // Memory and caches fill up with the first ones.
    await race(QUERIES / 2, rivals, run)
    hits.clear()
    const times = await race(QUERIES, rivals, run)
    for (const [name, count] of hits) recalls.set(name, count / (10 * QUERIES))
    return times
  }
  const recall = () => ({
    recall: recalls.get(ours.name)!,
    ...(theirs === undefined ? {} : { 'Chroma recall': recalls.get(theirs.name)! }),
  })
  say('query, 10 nearest', await queried(truth), { target: '≤ Chroma, recall ≥ 0.99', detail: recall() })
  say('query, 10 nearest of a tenth', await queried(filteredTruth, { group: 3 }), {
    target: 'faster than Chroma',
    detail: recall(),
  })

  const got = await race(
    300,
    [...rivals, floor],
    async (collection, i) => await collection.get({ ids: [`doc-${(i * 7919) % size}`] }),
  )
  const floorTimes = got.get(floor.name)!
  say('get by id', got, {
    target: '≤ 1.5 × floor',
    detail: {
      'floor ms': Number(median(floorTimes).toPrecision(3)),
      'of floor': Number((median(got.get(ours.name)!) / median(floorTimes)).toPrecision(3)),
    },
  })
  const changed = clustered(200, 4)
  say(
    'update one',
    await race(
      200,
      rivals,
      async (collection, i) =>
        await collection.update({
          ids: [`doc-${i * 3}`],
          embeddings: [Array.from(changed[i]!)],
          documents: [`changed ${i}`],
        }),
    ),
    { target: '≥ 5 × faster' },
  )
  say(
    'delete one',
    await race(200, rivals, async (collection, i) => await collection.delete({ ids: [`doc-${i * 3 + 1}`] })),
    { target: '≥ 5 × faster' },
  )
  report({
    name: `chroma ${size} memory`,
    value: memoryOf(ours.pid),
    unit: 'MB',
    ...(theirs === undefined ? {} : { raw: memoryOf(theirs.pid) }),
  })
  report({
    name: `chroma ${size} disk`,
    value: diskOf(ours.directory),
    unit: 'MB',
    ...(theirs === undefined ? {} : { raw: diskOf(theirs.directory) }),
  })
}
