import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Collection, type Embedder, openStore } from '../src/index.ts'
import { random } from '../test/store/random.ts'
import { everyPiece } from './blocking-pieces.ts'
import type { Measured } from './harness.ts'
import { makeLarge, vectors } from './large.ts'
import { argument, type Call, stretchesOf } from './stretches.ts'
import { words } from './words.ts'

/** Of the vectors that deferred puts leave to an embedder here. */
const SHORT = 16

/**
 * How long each call of a large store keeps the event loop from everybody else: the longest time between two turns
 * while it runs, and how much of that this thread was computing (the rest it waited: for a disk, or for a core of a
 * busy machine). `--spans=N`: 100 000 unless told. `--store=DIR`: a store made before, of which a copy is
 * used. `--keep=DIR`: makes one, and leaves it there. `--only=EXPRESSION`: calls whose name matches. `--reads`: only
 * those that read. `--pieces`: instead, what grows with one thing that is given. `--why`: with what ran in the longest ones.
 */
export async function blockingBenches(report: (measured: Measured) => void): Promise<void> {
  const spans = Number(argument('--spans') ?? 100_000)
  const keep = argument('--keep')
  const made = argument('--store')
  const call = stretchesOf(report)
  if (process.argv.includes('--pieces')) return await everyPiece(call)
  const directory = keep ?? mkdtempSync(join(tmpdir(), 'spanstore-blocking-'))
  try {
    if (made !== undefined) cpSync(made, directory, { recursive: true })
    else if (!existsSync(join(directory, 'ledger.db'))) await makeLarge(directory, spans)
    await everyVerb(directory, call)
  } finally {
    if (keep === undefined) rmSync(directory, { recursive: true, force: true })
  }
}

async function everyVerb(directory: string, call: Call): Promise<void> {
  const embedder = fake('fake')
  let store = await openStore(directory, { embedder })
  let notes = await store.collection('notes')
  const some = await notes.find({ limit: 10_000 })
  const keys = some.map(({ key }) => key)
  const made = vectors(3)
  const asked = Array.from({ length: 3_000 }, () => made.next().value)
  let used = 0
  const ask = () => asked[used++ % asked.length]!
  const { position, live } = (await store.activity()).collections[0]!
  const sources = Math.floor(live / 1_000)
  let source = sources - 1
  const another = () => `part ${source--}`

  await call('text: first search, builds the index', () => notes.search({ text: words[2000]!, mode: 'text' }))
  await call('vector: first search', () => notes.search({ vector: ask() }))
  await call('search during the copy into memory', async () => {
    for (let i = 0; i < 20; i++) {
      await notes.search({ vector: ask() })
      await sleep(100)
    }
  })
  await settled(notes, ask)
  await call('vector: search', () => notes.search({ vector: ask() }))
  await call('vector: 1 000 nearest', () => notes.search({ vector: ask(), k: 1_000 }))
  await call('vector: exact', () => notes.search({ vector: ask(), accuracy: 'exact' }))
  await call('vector: filter of 10 %', () => notes.search({ vector: ask(), where: { tenth: 3 } }))
  await call('vector: filter of 0.1 %', () => notes.search({ vector: ask(), where: { thousandth: 3 } }))
  await call('vector: filter of 0.01 %', () => notes.search({ vector: ask(), where: { rare: 3 } }))
  await call('vector: exact, filter of 10 %', () =>
    notes.search({ vector: ask(), where: { tenth: 3 }, accuracy: 'exact' }),
  )
  await call('vector: as of an earlier position', () => notes.search({ vector: ask(), asOf: position - 1 }))
  await call('similar', () => notes.similar(keys[5]!))
  await call('text: rare word', () => notes.search({ text: words[30_000]!, mode: 'text' }))
  await call('text: three common words', () =>
    notes.search({ text: words.slice(0, 3).join(' '), mode: 'text' }),
  )
  await call('text: prefix of one letter', () => notes.search({ text: 'b*', mode: 'text' }))
  await call('text: phrase', () => notes.search({ text: `"${words[0]} ${words[1]}"`, mode: 'text' }))
  await call('text: filter of 10 %', () =>
    notes.search({ text: words[1]!, mode: 'text', where: { tenth: 3 } }),
  )
  await call('text: filter of 0.01 %', () =>
    notes.search({ text: words[1]!, mode: 'text', where: { rare: 3 } }),
  )
  await call('text: as of an earlier position', () =>
    notes.search({ text: words[100]!, mode: 'text', asOf: position - 1 }),
  )
  await call('hybrid', () => notes.search({ text: words[300]!, vector: ask(), mode: 'hybrid' }))
  await call('fetch', () => notes.fetch(keys[7]!))
  await call('fetchMany of 10 000', () => notes.fetchMany(keys))
  await call('fetchMany of 10 000, as of', () => notes.fetchMany(keys, { asOf: position - 1 }))
  await call('find 10 000', () => notes.find({ limit: 10_000 }))
  await call('find, far offset', () => notes.find({ offset: live - 100, limit: 100 }))
  await call('find, filter of 10 %, 10 000', () => notes.find({ where: { tenth: 4 }, limit: 10_000 }))
  await call('find, filter of 0.01 %', () => notes.find({ where: { rare: 4 } }))
  await call('find, filter nothing passes', () => notes.find({ where: { rare: { $gt: 1e9 } } }))
  await call('find, negated filter', () => notes.find({ where: { tenth: { $ne: 4 } }, limit: 1_000 }))
  await call('find, of sources', () => notes.find({ sources: ['part 1', 'part 2'], limit: 2_000 }))
  await call('count', () => notes.count())
  await call('count, filter of 10 %', () => notes.count({ where: { tenth: 4 } }))
  await call('count, filter of 90 %', () => notes.count({ where: { tenth: { $ne: 4 } } }))
  await call('source', () => notes.source('part 1'))
  await call('sources', async () => {
    for await (const _ of notes.sources());
  })
  await call('read', () => notes.read('part 1'))
  await call('history', () => notes.history('part 1'))
  await call('lineage', () => notes.lineage(keys[9]!))
  await call('dependents', () => notes.dependents(keys[9]!))
  await call('collections', () => store.collections())
  await call('stats', () => store.stats())
  await call('activity', () => store.activity())
  await call('subscribe, the first 50 000 events', async () => {
    let left = 50_000
    for await (const _ of store.subscribe({ from: 'start' })) if (--left === 0) break
  })
  if (process.argv.includes('--reads')) {
    await call('verify', () => store.verify())
    await store.close()
    return
  }
  await call('put one span', () => notes.put({ source: 'one', spans: [{ text: 'one', vector: ask() }] }))
  await call('append 1 000 spans', () =>
    notes.append({
      source: 'more',
      spans: Array.from({ length: 1_000 }, (_, i) => ({ text: `more ${i}`, vector: ask() })),
    }),
  )
  await call('put 10 000 spans in one call', () =>
    notes.put({
      source: 'many',
      spans: Array.from({ length: 10_000 }, (_, i) => ({ text: `many ${i}` })),
      defer: true,
    }),
  )
  await call('putMany of 1 000 sources', () =>
    notes.putMany(
      Array.from({ length: 1_000 }, (_, i) => ({
        source: `small ${i}`,
        spans: [{ text: `small ${i}`, vector: ask() }],
      })),
    ),
  )
  await call('search after writes', () => notes.search({ text: words[500]!, vector: ask(), mode: 'hybrid' }))
  await call('update of 1 000 keys', () =>
    notes.update({ keys: keys.slice(0, 1_000), metadata: { seen: true } }),
  )
  await call('remove a source of 1 000', () => notes.remove({ source: another() }))
  await call('retire 1 000 keys', () => notes.retire(keys.slice(1_000, 2_000)))
  await call('retire where 0.1 %', () => notes.retire({ where: { thousandth: 77 } }))
  await call('retire where 10 %', () => notes.retire({ where: { tenth: 9 } }))
  await call('the background after that', async () => {
    await sleep(3_000)
    await notes.search({ text: words[501]!, vector: ask(), mode: 'hybrid' })
  })
  await call('erase one key', () => notes.erase({ keys: [keys[3_001]!] }))
  await call('erase a source of 1 000', () => notes.erase({ source: another() }))
  await call('search after an erasure', () => notes.search({ vector: ask() }))
  await call('prune', () => store.prune({ before: Date.now() }))
  await call('backup', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'spanstore-backup-'))
    try {
      await store.backup(join(copy, 'to'))
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
  })
  await call('verify', () => store.verify())
  await call('verify, repair', () => store.verify({ repair: true }))
  await call('close', () => store.close())
  await call('open', async () => {
    store = await openStore(directory, { embedder })
    notes = await store.collection('notes')
  })
  rmSync(join(directory, 'text.db'), { force: true })
  await call('text index made anew', () => notes.search({ text: words[600]!, mode: 'text' }))

  const texts = await store.collection('texts')
  const count = Math.min(live, 50_000)
  for (let i = 0; i < count; i += 1_000)
    await texts.append({
      source: `page ${i}`,
      spans: Array.from({ length: 1_000 }, (_, j) => ({ text: `page ${i + j} ${words[i + j] ?? 'end'}` })),
      defer: true,
    })
  await call('embed what was deferred', () => texts.embed())
  await call('checkEmbeddings', () => texts.checkEmbeddings(100))
  const next = fake('another')
  await call('estimateSwitch', () => texts.estimateSwitch(next))
  await call('switchEmbedder', () => texts.switchEmbedder(next))
  await call('renameCollection', () => store.renameCollection('texts', 'pages'))
  await call('dropCollection', () => store.dropCollection('pages'))
  await call('the background after a drop', () => sleep(3_000))
  await call('close again', () => store.close())
}

/** Until what a first search begins in the background is over. */
async function settled(notes: Collection, ask: () => Float32Array): Promise<void> {
  let last = ''
  for (let same = 0; same < 5; ) {
    const { explain } = await notes.search({ vector: ask(), explain: true })
    const path = JSON.stringify(explain?.vectors?.path)
    same = path === last ? same + 1 : 0
    last = path
    await sleep(1_000)
  }
}

function fake(id: string): Embedder {
  const next = random(7)
  const embed = () => Float32Array.from({ length: SHORT }, () => next() - 0.5)
  return {
    id,
    dimensions: SHORT,
    embedDocuments: async (texts) => texts.map(embed),
    embedQuery: async () => embed(),
  }
}
