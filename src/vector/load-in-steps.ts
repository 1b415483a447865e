import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { Worker } from 'node:worker_threads'
import { nextTurn } from '../threads/turn.ts'

/** Milliseconds of loading at a stretch. */
const STEP = 4

const REQUIRED = /\brequire\(\s*["']([^"']+)["']\s*\)/g

/** CommonJS files that a file requires. What cannot be resolved is left to the file itself. */
function requiredBy(file: string): string[] {
  if (!/\.c?js$/.test(file)) return []
  const require = createRequire(file)
  return [...readFileSync(file, 'utf8').matchAll(REQUIRED)].flatMap(([, name]) => {
    if (isBuiltin(name!)) return []
    try {
      return [require.resolve(name!)]
    } catch {
      return []
    }
  })
}

/**
 * The file that a package begins with and all that it requires, each after what it requires itself. Of files that
 * require one another only the one that is met first: the others have to be loaded by it, in their own order.
 * Undefined after each that was looked into: there may be many before the first that requires nothing.
 */
function* inOrder(entry: string): Generator<string | undefined> {
  const met = new Map<string, number>()
  const open: string[] = []
  function* visit(file: string): Generator<string | undefined, number> {
    const own = met.size
    met.set(file, own)
    open.push(file)
    let earliest = own
    const others = requiredBy(file)
    yield undefined
    for (const other of others) {
      const known = met.get(other)
      if (known === undefined) earliest = Math.min(earliest, yield* visit(other))
      else if (open.includes(other)) earliest = Math.min(earliest, known)
    }
    if (earliest < own) return earliest
    open.splice(open.indexOf(file))
    yield file
    return own
  }
  yield* visit(entry)
}

/**
 * Has the system map a native part into this process, in a thread that ends at once. To require it here takes 2 ms then;
 * by itself 10, and a tenth of a second where 160 MB have yet to come from the disk.
 */
async function mapped(file: string): Promise<void> {
  const worker = new Worker(`process.dlopen({ exports: {} }, ${JSON.stringify(file)})`, {
    eval: true,
    execArgv: [],
  })
  // What is wrong with it whoever requires it is told.
  await once(worker, 'exit').catch(() => {})
}

/**
 * Loads a CommonJS package of many files a few at a time, with turns for others in between. Arrow has 200, which take
 * a tenth of a second together.
 */
export async function loadInSteps(name: string): Promise<unknown> {
  const require = createRequire(import.meta.url)
  let began = performance.now()
  for (const file of inOrder(require.resolve(name))) {
    if (file?.endsWith('.node')) await mapped(file)
    if (file !== undefined) require(file)
    if (performance.now() - began < STEP) continue
    await nextTurn()
    began = performance.now()
  }
  return require(name)
}
