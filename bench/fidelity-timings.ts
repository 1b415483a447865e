import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import ts from 'typescript'
import { agentMemory, publicSet, publicSets } from '../test/fidelity/pairs.ts'
import { inTemporaryDirectory, type Measured, median, percentile } from './harness.ts'

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url))
const ENTRY = 'guarantees/fidelity/index'
const PROCESSES = 5
const PAIRS = 400

interface Times {
  readonly load: number
  readonly cold: number[]
  readonly warm: number[]
}

/** Load and call times in fresh processes of plain Node, on compiled files as the package ships them. */
export async function fidelityTimings(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const files = compile(directory)
    const pairs = pairsNear170()
    writeFileSync(join(directory, 'pairs.json'), JSON.stringify(pairs))
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
    writeFileSync(join(directory, 'child.js'), CHILD)
    const runs = Array.from(
      { length: PROCESSES },
      () =>
        JSON.parse(
          execFileSync(process.execPath, ['child.js', pathToFileURL(join(directory, `${ENTRY}.js`)).href], {
            cwd: directory,
            encoding: 'utf8',
          }),
        ) as Times,
    )
    const detail = (values: readonly number[]) => ({
      p95: percentile(values, 0.95).toFixed(3),
      p99: percentile(values, 0.99).toFixed(3),
      pairs: pairs.length,
      processes: PROCESSES,
    })
    const cold = runs.flatMap((run) => run.cold)
    const warm = runs.flatMap((run) => run.warm)
    report({
      name: 'fidelity, cold: each pair once in a fresh process',
      value: median(cold),
      unit: 'ms',
      target: 'p95 at most 1.5',
      detail: detail(cold),
    })
    report({
      name: 'fidelity, warm: the same pairs again',
      value: median(warm),
      unit: 'ms',
      target: 'p95 at most 0.8',
      detail: detail(warm),
    })
    report({
      name: 'fidelity, load and first check',
      value: median(runs.map(({ load }) => load)),
      unit: 'ms',
      target: 'at most 60',
      detail: { worst: Math.max(...runs.map(({ load }) => load)).toFixed(1), processes: PROCESSES },
    })
    report({
      name: 'fidelity, size in the package',
      value: files.reduce((sum, { bytes }) => sum + bytes, 0) / 1024,
      unit: 'KiB',
      target: 'at most 1024',
      detail: {
        gzip: (files.reduce((sum, { gzip }) => sum + gzip, 0) / 1024).toFixed(0),
        files: files.length,
      },
    })
  })
}

/** Source and claim together are 140 to 200 characters, from every set at hand, evenly. */
function pairsNear170(): { source: string; claim: string }[] {
  const sets = [agentMemory(), ...publicSets().map(publicSet)].map((pairs) =>
    pairs.filter(({ source, claim }) => Math.abs(source.length + claim.length - 170) <= 30),
  )
  const chosen: { source: string; claim: string }[] = []
  for (let i = 0; chosen.length < PAIRS && sets.some((set) => i < set.length); i++)
    for (const set of sets) {
      const pair = set[i]
      if (pair !== undefined) chosen.push({ source: pair.source, claim: pair.claim })
    }
  return chosen.slice(0, PAIRS)
}

/** Compiles the entry and what it imports, each file where it stands under `src`. */
function compile(directory: string): { bytes: number; gzip: number }[] {
  const written: { bytes: number; gzip: number }[] = []
  const waiting = [join(SOURCES, `${ENTRY}.ts`)]
  const seen = new Set(waiting)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    })
    for (const [, specifier] of outputText.matchAll(/from ['"](\.[^'"]+)\.js['"]/g)) {
      const imported = join(dirname(path), `${specifier}.ts`)
      if (!seen.has(imported)) {
        seen.add(imported)
        waiting.push(imported)
      }
    }
    const target = join(directory, relative(SOURCES, path).replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, outputText)
    if (relative(SOURCES, path).startsWith(dirname(ENTRY).replaceAll('/', sep)))
      written.push({ bytes: Buffer.byteLength(outputText), gzip: gzipSync(outputText).length })
  }
  // Data the files read at run time.
  const folder = join(SOURCES, dirname(ENTRY))
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (name.endsWith('.ts') || !statSync(path).isFile()) continue
    const data = readFileSync(path)
    const target = join(directory, dirname(ENTRY), name)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, data)
    written.push({ bytes: data.length, gzip: gzipSync(data).length })
  }
  return written
}

const CHILD = `
import { readFileSync } from 'node:fs'
const pairs = JSON.parse(readFileSync('pairs.json', 'utf8'))
const started = performance.now()
const { checkFidelity } = await import(process.argv[2])
checkFidelity({ source: 'The window is Thursday.', claim: 'The window is not Thursday.' })
const load = performance.now() - started
const pass = () => pairs.map((pair) => {
  const from = performance.now()
  checkFidelity(pair)
  return performance.now() - from
})
const cold = pass()
pass()
pass()
console.log(JSON.stringify({ load, cold, warm: pass() }))
`
