import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createColors } from 'picocolors'
import { SpanStoreError } from '../core/errors.ts'
import type { Collection, CollectionInfo, Embedder, Store } from '../index.ts'
import { UsageError } from './exit.ts'

export interface GlobalOptions {
  readonly json?: boolean
  readonly store?: string
  readonly collection?: string
  readonly embedder?: string
}

export type Colors = ReturnType<typeof createColors>

const DEFAULT_STORE = '.spanstore'
const DEFAULT_COLLECTION = 'default'

/** What every command is given: where the store is, and how to answer. */
export class Context {
  readonly json: boolean
  /** Absolute. */
  readonly directory: string
  /** As it was typed, or the default. */
  readonly collectionName: string
  /** Whether `--store` was typed. */
  readonly storeGiven: boolean
  /** Whether `--collection` was typed. */
  readonly collectionGiven: boolean
  readonly colors: Colors
  readonly isTerminal = process.stdout.isTTY === true
  /** As it was typed. */
  readonly #embedder: string | undefined
  #opened: Embedder | undefined
  #store: Store | undefined
  #signal: AbortSignal | undefined

  constructor(options: GlobalOptions) {
    this.json = options.json === true
    this.directory = resolve(options.store ?? (process.env.SPANSTORE_STORE || DEFAULT_STORE))
    this.storeGiven = options.store !== undefined
    this.collectionGiven = options.collection !== undefined
    this.collectionName = options.collection ?? DEFAULT_COLLECTION
    this.#embedder = options.embedder ?? (process.env.SPANSTORE_EMBEDDER || undefined)
    this.colors = createColors(!this.json && wantsColor())
  }

  /** The same, with another store. */
  at(directory: string): Context {
    return new Context({
      json: this.json,
      store: directory,
      collection: this.collectionName,
      ...(this.#embedder === undefined ? {} : { embedder: this.#embedder }),
    })
  }

  /** Columns of the terminal, to cut previews to. */
  get width(): number {
    return process.stdout.columns ?? 120
  }

  /** Aborts on the first SIGINT or SIGTERM; a second one ends the process as usual. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController()
      const stop = () => controller.abort()
      process.once('SIGINT', stop)
      process.once('SIGTERM', stop)
      this.#signal = controller.signal
    }
    return this.#signal
  }

  print(...lines: readonly string[]): void {
    process.stdout.write(`${lines.join('\n')}\n`)
  }

  /** One JSON document a line: the whole answer, or one item of a stream. */
  printJson(value: unknown): void {
    process.stdout.write(`${JSON.stringify(value)}\n`)
  }

  /** For people, beside the answer. */
  note(line: string): void {
    process.stderr.write(`${line}\n`)
  }

  get ledgerFile(): string {
    return join(this.directory, 'ledger.db')
  }

  get exists(): boolean {
    return existsSync(this.ledgerFile)
  }

  /** Nothing that reads creates a store. @throws STORE_NOT_FOUND */
  requireStore(): void {
    if (this.exists) return
    throw new SpanStoreError(
      'STORE_NOT_FOUND',
      `there is no store in ${this.directory}; name another with --store or SPANSTORE_STORE, or make one: spanstore sync DIR, spanstore put SOURCE FILE`,
      { path: this.directory },
    )
  }

  /** The store, which must be there. @throws STORE_NOT_FOUND */
  async existing(): Promise<Store> {
    this.requireStore()
    return await this.created()
  }

  /** The store, created when it is not there. */
  async created(): Promise<Store> {
    return await this.#open(this.directory)
  }

  /** An empty store that leaves no trace. */
  async inMemory(): Promise<Store> {
    await this.#store?.close()
    this.#store = undefined
    return await this.#open(':memory:')
  }

  /** What computes vectors here, if anything was named to. @throws UsageError */
  async embedder(): Promise<Embedder | undefined> {
    if (this.#embedder === undefined) return undefined
    const { embedderOf } = await import('./embedder.ts')
    this.#opened ??= await embedderOf(this.#embedder)
    return this.#opened
  }

  async #open(directory: string): Promise<Store> {
    if (this.#store !== undefined) return this.#store
    const { openStore } = await import('../index.ts')
    const embedder = await this.embedder()
    this.#store = await openStore(directory, embedder === undefined ? {} : { embedder })
    return this.#store
  }

  /** The collection of an existing store, which must be there too. @throws STORE_NOT_FOUND, COLLECTION_UNKNOWN */
  async collection(name = this.collectionName): Promise<Collection> {
    const store = await this.existing()
    this.requireCollection(await store.collections(), name)
    return await store.collection(name)
  }

  /** @throws COLLECTION_UNKNOWN */
  requireCollection(known: readonly CollectionInfo[], name = this.collectionName): CollectionInfo {
    const found = known.find((info) => info.name === name)
    if (found !== undefined) return found
    const names = known.map((info) => info.name).join(', ')
    throw new SpanStoreError(
      'COLLECTION_UNKNOWN',
      `there is no collection ${JSON.stringify(name)}; ${
        known.length === 0
          ? 'this store has none yet'
          : `there ${known.length === 1 ? 'is' : 'are'} ${names} (choose with --collection)`
      }`,
      { collection: name },
    )
  }

  async close(): Promise<void> {
    await this.#store?.close()
    await this.#opened?.close?.()
  }
}

function wantsColor(): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR) return false
  return FORCE_COLOR ? true : process.stdout.isTTY === true && TERM !== 'dumb'
}

/** JSON typed as an option. @throws UsageError */
export function parseJson<T>(
  option: string,
  text: string,
  advice = `quote it for the shell: ${option} '{"year": 2024}'`,
): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new UsageError(
      `${option} is no JSON (${(error as Error).message.replaceAll(/\s+/g, ' ')}); ${advice}`,
    )
  }
}

/** A whole number typed as an option or argument. @throws UsageError */
export function parseNumber(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`${name} is ${JSON.stringify(text)}; give a whole number`)
}

/** A number from 0 on, typed as an option. @throws UsageError */
export function parseFraction(name: string, text: string): number {
  if (/^\d+(\.\d+)?$|^\.\d+$/.test(text)) return Number(text)
  throw new UsageError(`${name} is ${JSON.stringify(text)}; give a number such as 0.5`)
}

/** A key as it may have been copied: in any case of letters, between the brackets of an anchor or not. */
export const typedKey = (text: string): string => {
  const bare = text.trim().replace(/^\[\[(.*)\]\]$/, '$1')
  return /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i.test(bare) ? bare.toUpperCase() : bare
}
