import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a worker from a module of this package, named without its extension: `.js` there, and in development `.ts`,
 * which the worker must first learn to read.
 */
export function startThread(module: string, options: WorkerOptions): Worker {
  const extension = extname(fileURLToPath(import.meta.url))
  const url = new URL(`../${module}${extension}`, import.meta.url)
  // Flags of this process, such as --input-type, are not for the worker.
  const all = { ...options, execArgv: [] }
  if (extension !== '.ts') return new Worker(url, all)
  const code = `import('tsx/esm/api').then(({ register }) => (register(), import(${JSON.stringify(url)})))`
  return new Worker(code, { ...all, eval: true })
}
