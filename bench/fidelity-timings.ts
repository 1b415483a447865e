import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { agentMemory, publicSet, publicSets } from '../test/fidelity/pairs.ts'
import { inTemporaryDirectory, type Measured, median, percentile } from './harness.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'dist/guarantees/fidelity')
const PROCESSES = 5
const PAIRS = 400
const LONG_PAIRS = 100

/** Characters of source and claim together, and how many pairs. */
const LENGTHS: Readonly<Record<string, readonly [fits: (length: number) => boolean, most: number]>> = {
  '140 to 200 characters': [(length) => Math.abs(length - 170) <= 30, PAIRS],
  'any length': [() => true, PAIRS],
  'above 800 characters': [(length) => length > 800, LONG_PAIRS],
}

const NEAR = '140 to 200 characters'

interface Times {
  readonly load: number
  /** By the names of `LENGTHS`: the first of them in a fresh process, the others behind it. */
  readonly cold: Readonly<Record<string, readonly number[]>>
  readonly warm: Readonly<Record<string, readonly number[]>>
  /** Pairs of the first length never seen before, once the code is compiled. */
  readonly unseen: readonly number[]
  /** The median of five calls of a pair: without what else the machine does. */
  readonly typical: Readonly<Record<string, readonly number[]>>
}

/** Load and call times in fresh processes of plain Node, on the files the package ships. */
export async function fidelityTimings(report: (measured: Measured) => void): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const files = shipped()
    const pairs = Object.fromEntries(
      Object.entries(LENGTHS).map(([name, [fits, most]]) => [name, pairsOfLength(fits, most)] as const),
    )
    const unseen = pairsOfLength(LENGTHS[NEAR]![0], 2 * PAIRS).slice(PAIRS)
    writeFileSync(join(directory, 'pairs.json'), JSON.stringify({ pairs, unseen }))
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
    writeFileSync(join(directory, 'child.js'), CHILD)
    const runs = Array.from(
      { length: PROCESSES },
      () =>
        JSON.parse(
          execFileSync(process.execPath, ['child.js', pathToFileURL(join(FOLDER, 'index.js')).href], {
            cwd: directory,
            encoding: 'utf8',
          }),
        ) as Times,
    )
    for (const [length, { length: count }] of Object.entries(pairs)) {
      const main = length === NEAR
      const tell = (name: string, values: readonly number[], most?: number) =>
        report({
          name: `fidelity, ${length}, ${name}`,
          value: percentile(values, 0.95),
          unit: 'ms, p95',
          ...(main && most !== undefined ? { target: `at most ${most}` } : {}),
          detail: {
            p50: median(values).toFixed(3),
            p99: percentile(values, 0.99).toFixed(3),
            pairs: count,
            processes: PROCESSES,
          },
        })
      const times = (kind: 'cold' | 'warm' | 'typical') => runs.flatMap((run) => run[kind][length] ?? [])
      // The others meet code that was compiled for the first.
      tell(main ? 'each pair once in a fresh process, code and all' : 'each pair once', times('cold'))
      if (main) {
        const first = runs.flatMap((run) => run.unseen)
        tell('cold: pairs never seen before, code compiled', first, 1.5)
      }
      tell('warm: the same pairs again', times('warm'), 0.8)
      tell('warm: a pair, the median of five calls', times('typical'), 0.8)
    }
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

/** Pairs of every set at hand, evenly. */
function pairsOfLength(fits: (length: number) => boolean, most: number): { source: string; claim: string }[] {
  const sets = [agentMemory(), ...publicSets().map(publicSet)].map((pairs) =>
    pairs.filter(({ source, claim }) => fits(source.length + claim.length)),
  )
  const chosen: { source: string; claim: string }[] = []
  for (let i = 0; chosen.length < most && sets.some((set) => i < set.length); i++)
    for (const set of sets) {
      const pair = set[i]
      if (pair !== undefined) chosen.push({ source: pair.source, claim: pair.claim })
    }
  return chosen.slice(0, most)
}

/** Builds the package, and what of it is the check: code, declarations, data. */
function shipped(): { bytes: number; gzip: number }[] {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((name) => join(FOLDER, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path))
    .map((data) => ({ bytes: data.length, gzip: gzipSync(data).length }))
}

const CHILD = `
import { readFileSync } from 'node:fs'
const { pairs, unseen } = JSON.parse(readFileSync('pairs.json', 'utf8'))
const started = performance.now()
const { checkFidelity } = await import(process.argv[2])
checkFidelity({ source: 'The window is Thursday.', claim: 'The window is not Thursday.' })
const load = performance.now() - started
const pass = (list) => list.map((pair) => {
  const from = performance.now()
  checkFidelity(pair)
  return performance.now() - from
})
const cold = {}
let once
const warm = {}
const typical = {}
for (const [length, list] of Object.entries(pairs)) {
  cold[length] = pass(list)
  for (let i = 0; i < 8; i++) pass(list)
  warm[length] = pass(list)
  once ??= pass(unseen)
  const calls = [warm[length], pass(list), pass(list), pass(list), pass(list)]
  typical[length] = list.map((_, i) => calls.map((of) => of[i]).sort((a, b) => a - b)[2])
}
console.log(JSON.stringify({ load, cold, warm, typical, unseen: once }))
`
