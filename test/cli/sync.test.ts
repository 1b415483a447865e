import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CHAPTER, GUIDE, MEETING } from '../../src/cli/demo/excerpts.ts'
import { type Collection, type Key, openStore, type Store } from '../../src/index.ts'
import { type SyncOptions, syncFolder } from '../../src/ingest/index.ts'
import { newDirectory, removeDirectories } from './command.ts'

let store: Store
let notes: Collection
let folder: string

beforeEach(async () => {
  store = await openStore(':memory:')
  notes = await store.collection('notes')
  folder = newDirectory()
})
afterEach(async () => await store.close())
afterAll(removeDirectories)

// ── a folder, and what the store makes of it ──────────────────────────────────────────────────────────────────

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const move = (from: string, to: string) => {
  mkdirSync(dirname(join(folder, to)), { recursive: true })
  renameSync(join(folder, from), join(folder, to))
}
const drop = (path: string) => rmSync(join(folder, path), { recursive: true })
const sync = (options: SyncOptions = {}) => syncFolder(notes, folder, options)

/** What a run did, by path. */
async function did(options?: SyncOptions): Promise<string[]> {
  const report = await sync(options)
  return [
    ...report.added.map(({ path }) => `+ ${path}`),
    ...report.changed.map(({ path }) => `~ ${path}`),
    ...report.renamed.map(({ path, from }) => `${from} → ${path}`),
    ...report.removed.map(({ path }) => `- ${path}`),
  ]
}

/** Source and text by the path a live source is at now. */
async function held(collection = notes): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const result of collection.sources())
    if (result.status === 'ok' || result.status === 'empty')
      found[String(result.info.metadata.path)] = (await collection.read(result.source)).text
  return found
}

async function sourceAt(path: string): Promise<string> {
  for await (const result of notes.sources())
    if ((result.status === 'ok' || result.status === 'empty') && result.info.metadata.path === path)
      return result.source
  throw new Error(`nothing is at ${path}`)
}

const keysAt = async (path: string): Promise<Key[]> =>
  (await notes.read(await sourceAt(path))).places.map(({ key }) => key)

const position = async () => (await store.collections())[0]!.position

/** Pages that have nothing in common. */
const page = (topic: string, paragraphs = 6): string =>
  Array.from(
    { length: paragraphs },
    (_, i) => `Paragraph ${i} of the page on ${topic}: ${`${topic} ${i} `.repeat(40)}`,
  ).join('\n\n')

// ── promises ──────────────────────────────────────────────────────────────────────────────────────────────────

describe('a sync', () => {
  test('takes a folder in, byte for byte', async () => {
    write('a.md', GUIDE[0]!.text)
    write('deep/er/b.txt', '\ufeffWith a byte order mark,\r\nand old line ends.\r\n\r\n')
    write('empty.txt', '')
    write('naïve – 名前.md', 'Names are names.\n')
    expect(await did()).toEqual(['+ a.md', '+ deep/er/b.txt', '+ empty.txt', '+ naïve – 名前.md'])
    const texts = await held()
    for (const path of Object.keys(texts)) expect(texts[path]).toBe(readFileSync(join(folder, path), 'utf8'))
  })

  test('writes nothing when nothing changed', async () => {
    write('a.md', GUIDE[0]!.text)
    write('chat.jsonl', '{"role": "user", "content": "Hello."}\n')
    await sync()
    const before = await position()
    expect(await sync()).toMatchObject({ unchanged: 2, spans: { added: 0, retired: 0 } })
    expect(await position()).toBe(before)
  })

  test('puts what changed, keeps the keys of what did not, and tombstones what is gone', async () => {
    write('a.md', GUIDE[0]!.text)
    write('b.md', CHAPTER[0]!.text)
    await sync()
    const before = new Set(await keysAt('a.md'))
    const gone = await keysAt('b.md')
    write('a.md', GUIDE[1]!.text)
    drop('b.md')
    expect(await did()).toEqual(['~ a.md', '- b.md'])
    expect((await keysAt('a.md')).some((key) => before.has(key))).toBe(true)
    expect(await notes.fetch(gone[0]!)).toMatchObject({
      status: 'tombstone',
      tombstone: { reason: 'deleted' },
    })
  })

  test('replays a real history, and holds each revision as it was', async () => {
    for (const { text } of GUIDE) {
      write('guide.md', text)
      await sync()
      expect(await held()).toEqual({ 'guide.md': text })
    }
    expect(await notes.history('guide.md')).toHaveLength(GUIDE.length)
  })

  test('takes a file back that was gone, as the source it was', async () => {
    write('a.md', page('rivers'))
    write('b.md', page('hills'))
    await sync()
    drop('a.md')
    await sync()
    write('a.md', page('rivers'))
    expect(await did()).toEqual(['+ a.md'])
    expect(await sourceAt('a.md')).toBe('a.md')
  })

  test('says which summaries are not current any more', async () => {
    write('a.md', page('rivers'))
    await sync()
    const [key] = await keysAt('a.md')
    const summary = await notes.session('s').register({ text: `Rivers flow. [[${key}]]` })
    write('a.md', page('lakes'))
    expect((await sync()).stale).toEqual([summary.key])
  })

  test('a dry run says the same, and writes nothing', async () => {
    write('a.md', page('rivers'))
    write('b.md', page('hills'))
    write('image.png', new Uint8Array([0x89, 0x50, 0, 1]))
    expect(await did({ dryRun: true })).toEqual(['+ a.md', '+ b.md'])
    await sync()
    const before = await position()
    move('a.md', 'c.md')
    write('b.md', `${page('hills')}\n\nAnd one more.`)
    const foretold = await did({ dryRun: true })
    expect(await position()).toBe(before)
    expect(await did()).toEqual(foretold)
  })
})

describe('a renamed file', () => {
  test('goes on as the source it was, with its keys', async () => {
    write('a.md', page('rivers'))
    await sync()
    const keys = await keysAt('a.md')
    move('a.md', 'archive/rivers.md')
    expect(await did()).toEqual(['a.md → archive/rivers.md'])
    expect(await sourceAt('archive/rivers.md')).toBe('a.md')
    expect(await keysAt('archive/rivers.md')).toEqual(keys)
    expect(await sync()).toMatchObject({ unchanged: 1 })
  })

  test('does so renamed again and again', async () => {
    write('0.md', page('rivers'))
    await sync()
    const keys = await keysAt('0.md')
    for (let i = 1; i < 6; i++) {
      move(`${i - 1}.md`, `${i}.md`)
      await sync()
    }
    expect(await keysAt('5.md')).toEqual(keys)
    expect(await sourceAt('5.md')).toBe('0.md')
  })

  test('does so edited on the way, when most of it is still there', async () => {
    write('a.md', GUIDE[0]!.text)
    await sync()
    move('a.md', 'b.md')
    write('b.md', GUIDE[1]!.text)
    expect(await did()).toEqual(['a.md → b.md'])
    expect(await held()).toEqual({ 'b.md': GUIDE[1]!.text })
  })

  test('is a new source when little of it is still there', async () => {
    write('a.md', page('rivers'))
    await sync()
    drop('a.md')
    write('b.md', `${page('hills')}\n\n${page('rivers', 1)}`)
    expect(await did()).toEqual(['+ b.md', '- a.md'])
  })

  test('leaves its name to a new file that comes later', async () => {
    write('a.md', page('rivers'))
    await sync()
    move('a.md', 'b.md')
    await sync()
    write('a.md', page('hills'))
    expect(await did()).toEqual(['+ a.md'])
    expect(await sourceAt('b.md')).toBe('a.md')
    expect(await sourceAt('a.md')).toBe('a.md#2')
    expect(await held()).toEqual({ 'a.md': page('hills'), 'b.md': page('rivers') })
    expect(await sync()).toMatchObject({ unchanged: 2 })
  })

  test('leaves its name to a new file that came in the same run', async () => {
    write('a.md', page('rivers'))
    await sync()
    const keys = await keysAt('a.md')
    move('a.md', 'b.md')
    write('a.md', page('hills'))
    expect(await did()).toEqual(['+ a.md', 'a.md → b.md'])
    expect(await keysAt('b.md')).toEqual(keys)
    expect(await held()).toEqual({ 'a.md': page('hills'), 'b.md': page('rivers') })
  })

  test('may take the place of another, which is gone then', async () => {
    write('a.md', page('rivers'))
    write('b.md', page('hills'))
    await sync()
    const keys = await keysAt('b.md')
    move('b.md', 'a.md')
    expect(await did()).toEqual(['b.md → a.md', '- a.md'])
    expect(await keysAt('a.md')).toEqual(keys)
    expect(await held()).toEqual({ 'a.md': page('hills') })
    expect(await sync()).toMatchObject({ unchanged: 1 })
  })

  test('may have changed places with another, and with two others', async () => {
    const topics = { 'a.md': 'rivers', 'b.md': 'hills', 'c.md': 'woods' }
    for (const [path, topic] of Object.entries(topics)) write(path, page(topic))
    await sync()
    const [a, b, c] = [await keysAt('a.md'), await keysAt('b.md'), await keysAt('c.md')]
    move('a.md', 'x')
    move('b.md', 'a.md')
    move('x', 'b.md')
    expect(await did()).toEqual(['b.md → a.md', 'a.md → b.md'])
    expect([await keysAt('a.md'), await keysAt('b.md')]).toEqual([b, a])
    move('a.md', 'x')
    move('b.md', 'a.md')
    move('c.md', 'b.md')
    move('x', 'c.md')
    expect(await did()).toEqual(['b.md → a.md', 'c.md → b.md', 'a.md → c.md'])
    expect([await keysAt('a.md'), await keysAt('b.md'), await keysAt('c.md')]).toEqual([a, c, b])
    expect(await sync()).toMatchObject({ unchanged: 3 })
  })

  test('is told from its copy: the original stays, the copy is new', async () => {
    write('a.md', page('rivers'))
    await sync()
    const keys = await keysAt('a.md')
    write('b.md', page('rivers'))
    expect(await did()).toEqual(['+ b.md'])
    expect(await keysAt('a.md')).toEqual(keys)
  })

  test('is not guessed: of two equal copies neither is the one that is gone', async () => {
    write('a.md', page('rivers'))
    await sync()
    drop('a.md')
    write('b.md', page('rivers'))
    write('c.md', page('rivers'))
    expect(await did()).toEqual(['+ b.md', '+ c.md', '- a.md'])
  })

  test('is known by its folder when equal files move together', async () => {
    for (const part of ['one', 'two', 'three']) write(`${part}/LICENSE`, page('licences'))
    await sync()
    const keys = await keysAt('two/LICENSE')
    for (const part of ['one', 'two', 'three']) move(part, `packages/${part}`)
    expect(await did()).toHaveLength(3)
    expect(await keysAt('packages/two/LICENSE')).toEqual(keys)
  })

  test('needs more than a word to be recognised', async () => {
    write('a.md', 'Yes.\n')
    await sync()
    move('a.md', 'b.md')
    expect(await did()).toEqual(['+ b.md', '- a.md'])
    move('b.md', 'folder/b.md')
    expect(await did()).toEqual(['b.md → folder/b.md'])
  })

  test('keeps what others wrote into its metadata', async () => {
    write('a.md', page('rivers'))
    await sync()
    const [key] = await keysAt('a.md')
    await notes.update({ keys: [key!], metadata: { reviewed: true } })
    write('a.md', `${page('rivers')}\n\nAnd one more.`)
    await sync()
    expect(await notes.fetch(key!)).toMatchObject({ span: { metadata: { reviewed: true, path: 'a.md' } } })
  })
})

describe('what is left out', () => {
  test('.gitignore is respected, in each folder, the nearest first', async () => {
    write('.gitignore', '*.log\nbuild/\n/only-top.txt\n')
    write('a.log', 'no')
    write('a.txt', 'yes')
    write('only-top.txt', 'no')
    write('sub/only-top.txt', 'yes')
    write('sub/.gitignore', '!keep.log\nsecret.txt\n')
    write('sub/keep.log', 'yes')
    write('sub/other.log', 'no')
    write('sub/secret.txt', 'no')
    write('build/out.txt', 'no')
    write('sub/build/out.txt', 'no')
    write('node_modules/x/index.js', 'no')
    write('.git/config', 'no')
    write('.git/info/exclude', 'private.txt\n')
    write('sub/private.txt', 'no')
    await sync()
    expect(Object.keys(await held()).sort()).toEqual([
      '.gitignore',
      'a.txt',
      'sub/.gitignore',
      'sub/keep.log',
      'sub/only-top.txt',
    ])
  })

  test('a folder inside a repository minds the rules above it, unless they ignore the folder itself', async () => {
    write('.git/config', '')
    write('.gitignore', '*.log\n/dist\n')
    write('docs/a.txt', 'yes')
    write('docs/a.log', 'no')
    write('dist/b.txt', 'asked for by name')
    await syncFolder(notes, join(folder, 'docs'), { prefix: 'docs/' })
    await syncFolder(notes, join(folder, 'dist'), { prefix: 'dist/' })
    expect(Object.keys(await held()).sort()).toEqual(['a.txt', 'b.txt'])
  })

  test('binary files, links and big files are skipped, and said to be', async () => {
    write('a.txt', 'text')
    write('nul.txt', 'a\u0000b')
    write('latin1.txt', new Uint8Array([0x66, 0xfc, 0x72]))
    write('big.txt', 'x'.repeat(5000))
    symlinkSync(join(folder, 'a.txt'), join(folder, 'link.txt'))
    symlinkSync(folder, join(folder, 'loop'))
    const { skipped, files } = await sync({ maxBytes: 4000 })
    expect(Object.fromEntries(skipped.map(({ path, why }) => [path, why]))).toEqual({
      'nul.txt': 'binary',
      'latin1.txt': 'binary',
      'big.txt': 'too-big',
      'link.txt': 'symlink',
      loop: 'symlink',
    })
    expect(files).toBe(1)
    expect(Object.keys(await held())).toEqual(['a.txt'])
  })

  test('a file that grew too big is not taken for gone; one that became binary is', async () => {
    write('a.txt', 'text')
    write('b.txt', 'text of another kind')
    await sync()
    write('a.txt', 'x'.repeat(5000))
    write('b.txt', 'b\u0000')
    expect(await did({ maxBytes: 4000 })).toEqual(['- b.txt'])
    expect(Object.keys(await held())).toEqual(['a.txt'])
  })

  test.skipIf(process.getuid?.() === 0)('what cannot be read is not taken for gone', async () => {
    write('a/a.txt', 'text')
    write('b.txt', 'text')
    await sync()
    chmodSync(join(folder, 'a'), 0)
    try {
      expect(await did()).toEqual([])
    } finally {
      chmodSync(join(folder, 'a'), 0o755)
    }
  })

  test('an empty folder is not believed at once', async () => {
    write('a.txt', 'text')
    await sync()
    drop('a.txt')
    await expect(sync()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await did({ allowEmpty: true })).toEqual(['- a.txt'])
    drop('.')
    await expect(sync()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

describe('other folders and sources', () => {
  test('are never touched', async () => {
    write('one/a.md', page('rivers'))
    write('two/b.md', page('hills'))
    await notes.put({ source: 'by-hand', text: 'Mine.' })
    await syncFolder(notes, join(folder, 'one'))
    await syncFolder(notes, join(folder, 'two'))
    drop('two/b.md')
    write('two/c.md', page('woods'))
    await syncFolder(notes, join(folder, 'two'))
    expect((await notes.source('a.md')).status).toBe('ok')
    expect((await notes.source('by-hand')).status).toBe('ok')
    expect((await notes.source('b.md')).status).toBe('tombstone')
  })

  test('whose names would clash are refused before anything is written; a prefix keeps them apart', async () => {
    write('one/README.md', page('rivers'))
    write('two/README.md', page('hills'))
    write('two/other.md', page('woods'))
    await syncFolder(notes, join(folder, 'one'))
    const before = await position()
    await expect(syncFolder(notes, join(folder, 'two'))).rejects.toThrow(/README\.md.*--prefix/)
    expect(await position()).toBe(before)
    await syncFolder(notes, join(folder, 'two'), { prefix: 'two/' })
    expect((await notes.source('two/README.md')).status).toBe('ok')
  })

  test('a folder that moved goes on under the name it was known by', async () => {
    write('one/a.md', page('rivers'))
    await syncFolder(notes, join(folder, 'one'), { root: 'docs' })
    move('one', 'elsewhere')
    const report = await syncFolder(notes, join(folder, 'elsewhere'), { root: 'docs' })
    expect(report).toMatchObject({ unchanged: 1, added: [], removed: [] })
  })
})

describe('conversations', () => {
  const lines = (from: number, to: number) =>
    MEETING.turns
      .slice(from, to)
      .map(([speaker, content]) => `${JSON.stringify({ speaker, content })}\n`)
      .join('')

  test('are a span for each message, with its speaker', async () => {
    write('meeting.jsonl', lines(0, 30))
    write(
      'export.json',
      JSON.stringify({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }] }),
    )
    await sync()
    const spans = await notes.find({ sources: ['meeting.jsonl'] })
    expect(spans.map(({ text, metadata }) => [metadata.speaker, text])).toEqual(
      MEETING.turns.slice(0, 30).filter(([, text]) => text.trim() !== ''),
    )
    expect((await notes.find({ sources: ['export.json'] }))[0]).toMatchObject({
      text: 'Hi.',
      metadata: { speaker: 'user', kind: 'chat', path: 'export.json' },
    })
  })

  test('that grew are appended to, and every old turn keeps its key', async () => {
    write('meeting.jsonl', lines(0, 100))
    await sync()
    const before = await keysAt('meeting.jsonl')
    write('meeting.jsonl', lines(0, 103))
    expect(await sync()).toMatchObject({ spans: { added: 3, retired: 0 } })
    expect((await keysAt('meeting.jsonl')).slice(0, before.length)).toEqual(before)
    expect(await sync()).toMatchObject({ unchanged: 1 })
    write('meeting.jsonl', lines(1, 103))
    expect(await sync()).toMatchObject({ spans: { added: 0, retired: 1 } })
  })

  test('a change of speaker alone is a change', async () => {
    write('chat.jsonl', '{"speaker": "Ann", "content": "It was me."}\n{"speaker": "Bob", "content": "No."}\n')
    await sync()
    write('chat.jsonl', '{"speaker": "Bob", "content": "It was me."}\n{"speaker": "Bob", "content": "No."}\n')
    expect(await did()).toEqual(['~ chat.jsonl'])
    expect(await sync()).toMatchObject({ unchanged: 1 })
  })

  test('written as text are cut at their turns', async () => {
    const text = MEETING.turns.map(([speaker, said]) => `${speaker}: ${said}\n`).join('\n')
    write('minutes.txt', text)
    write('prose.md', `${page('rivers')}\n\nNote: a word of warning.\n\nWarning: a note.\n`)
    await sync()
    const spans = await notes.find({ sources: ['minutes.txt'] })
    expect(spans[0]!.metadata).toMatchObject({ kind: 'transcript', speaker: MEETING.turns[0]![0] })
    expect((await notes.find({ sources: ['prose.md'] }))[0]!.metadata.kind).toBe('markdown')
    expect((await held())['minutes.txt']).toBe(text)
  })

  test('JSON lines that are no messages are records: their text, the rest as metadata', async () => {
    const vector = Array.from({ length: 100 }, () => 0.5)
    write('data.jsonl', `${JSON.stringify({ text: 'A fact.', year: 2024, vector })}\n{"id": 7}\nno json\n`)
    await sync()
    const spans = await notes.find({ sources: ['data.jsonl'] })
    expect(spans.map(({ text, metadata }) => [text, metadata.record])).toEqual([
      ['A fact.', { year: 2024 }],
      ['{"id": 7}', undefined],
      ['no json', undefined],
    ])
  })
})

describe('what the store refuses', () => {
  test('is said, and all the rest is written', async () => {
    write('a.md', 'The password is correcthorse.\n')
    write('b.md', page('hills'))
    await sync()
    await notes.erase({ source: 'a.md' })
    write('b.md', page('woods'))
    write('c.md', page('rivers'))
    const report = await sync()
    expect(report.refused).toMatchObject([{ path: 'a.md', code: 'ERASED_TEXT' }])
    const texts = await held()
    expect(texts['b.md']).toBe(page('woods'))
    expect(texts['c.md']).toBe(page('rivers'))
  })
})

test('a sync that is stopped says so; what it wrote stays, and the next does the rest', async () => {
  for (let i = 0; i < 500; i++) write(`${i}.txt`, `File number ${i}.`)
  const controller = new AbortController()
  const stopped = sync({
    signal: controller.signal,
    onProgress: ({ phase, done }) => {
      if (phase === 'writing' && done === 450) controller.abort()
    },
  })
  await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
  const written = Object.keys(await held()).length
  expect(written).toBeGreaterThan(0)
  expect(written).toBeLessThan(500)
  expect((await sync()).added).toHaveLength(500 - written)
})

const CORPORA = fileURLToPath(new URL('../../../shared/corpora', import.meta.url))

describe.skipIf(!existsSync(CORPORA))('the corpora', () => {
  test('come in whole: meetings turn by turn, histories revision by revision', {
    timeout: 120_000,
  }, async () => {
    const report = await syncFolder(notes, CORPORA, { prefix: 'corpora/' })
    expect(report.refused).toEqual([])
    expect(report.skipped).toEqual([])
    for (const name of readdirSync(join(CORPORA, 'meetings')).slice(0, 5)) {
      const { turns } = JSON.parse(readFileSync(join(CORPORA, 'meetings', name), 'utf8'))
      const { places } = await notes.read(`corpora/meetings/${name}`)
      expect(places).toHaveLength(
        turns.filter(({ content }: { content: string }) => content.trim() !== '').length,
      )
    }
    expect(await syncFolder(notes, CORPORA, { prefix: 'corpora/' })).toMatchObject({
      unchanged: report.files,
    })
  })
})
