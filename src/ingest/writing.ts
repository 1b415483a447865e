import {
  type Collection,
  isSpanStoreError,
  type Key,
  type Metadata,
  type PutInput,
  type PutResult,
  type SpanStoreError,
} from '../index.ts'
import type { Content, ContentSpan } from './content.ts'
import { holds } from './content-stored.ts'
import type { Folder } from './folder.ts'
import type { Stored, Write } from './sync-report.ts'

/** One transaction takes this many files, or this many UTF-16 units, whichever comes first. */
const BATCH_FILES = 200
const BATCH_LENGTH = 4_000_000

/** Does what a comparison found, in batches, and counts what came of it. */
export class Writing {
  readonly #collection: Collection
  readonly #folder: Folder
  readonly #root: string
  readonly refused: { path: string; code: string; message: string }[] = []
  readonly stale = new Set<Key>()
  readonly spans = { added: 0, retired: 0 }

  constructor(collection: Collection, folder: Folder, root: string) {
    this.#collection = collection
    this.#folder = folder
    this.#root = root
  }

  async write(writes: readonly Write[], removals: readonly Stored[]): Promise<void> {
    const total = writes.length + removals.length
    let done = 0
    let batch: { write: Write; input: PutInput }[] = []
    let length = 0
    const flush = async () => {
      if (batch.length === 0) return
      const full = batch
      batch = []
      length = 0
      await this.#putAll(full)
    }
    for (const write of writes) {
      this.#folder.tick('writing', done++, total)
      const content = await this.#folder.read(write.path)
      // Read here for the first time, or changed since it was compared: nothing of it is written now.
      if ('skipped' in content) continue
      const grown = await this.#grown(write, content)
      if (grown !== undefined) {
        await this.#guard(write.path, async () =>
          this.#count(await this.#collection.append({ source: write.source, spans: grown })),
        )
        continue
      }
      batch.push({ write, input: this.#input(write, content) })
      length += content.text.length
      if (batch.length >= BATCH_FILES || length >= BATCH_LENGTH) await flush()
    }
    await flush()
    for (const { path, source } of removals) {
      this.#folder.tick('writing', done++, total)
      await this.#guard(path, async () => {
        const { retired, stale } = await this.#collection.remove({ source })
        this.spans.retired += retired.length
        for (const key of stale) this.stale.add(key)
      })
    }
    this.#folder.tick('writing', total, total)
  }

  #input(write: Write, content: Content): PutInput {
    const metadata: Metadata = { path: write.path, kind: content.kind, root: this.#root }
    const before = write.stored?.info.metadata
    const kept =
      before !== undefined && Object.entries(metadata).every(([name, value]) => before[name] === value)
    return {
      source: write.source,
      // Left out when it says nothing new: what others added to the metadata of spans stays.
      ...(kept ? {} : { metadata: { ...before, ...metadata } }),
      ...(content.spans === undefined
        ? { text: content.text, chunker: content.chunker }
        : { spans: content.spans }),
    }
  }

  /** The spans to append, where a conversation stands as it was and only grew. */
  async #grown(write: Write, content: Content): Promise<readonly ContentSpan[] | undefined> {
    const { stored, kind } = write
    if (kind !== 'changed' || stored === undefined || content.spans === undefined) return undefined
    const { live, chunker, metadata } = stored.info
    if (live === 0 || live >= content.spans.length || chunker !== undefined || metadata.kind !== content.kind)
      return undefined
    const { text, places, gaps } = await this.#collection.read(stored.source)
    if (places.length !== live || gaps.length > 0 || !content.text.startsWith(`${text}\n`)) return undefined
    const keys = places.map((place) => place.key)
    return (await holds(this.#collection, keys, content.spans.slice(0, live)))
      ? content.spans.slice(live)
      : undefined
  }

  /** One transaction; where the store refuses one of the files, one each. */
  async #putAll(batch: readonly { write: Write; input: PutInput }[]): Promise<void> {
    try {
      for (const result of await this.#collection.putMany(batch.map(({ input }) => input)))
        this.#count(result)
    } catch (error) {
      if (!isRefusal(error)) throw error
      for (const { write, input } of batch)
        await this.#guard(write.path, async () => this.#count(await this.#collection.put(input)))
    }
  }

  async #guard(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.refused.push({ path, code: error.code, message: error.message })
    }
  }

  #count(result: PutResult): void {
    this.spans.added += result.added.length
    this.spans.retired += result.retired.length
    for (const key of result.stale) this.stale.add(key)
  }
}

/** Errors that one file's content or name can cause; everything else ends the sync. */
const isRefusal = (error: unknown): error is SpanStoreError =>
  isSpanStoreError(error) &&
  ['ERASED_TEXT', 'ILL_FORMED_TEXT', 'INVALID_ARGUMENT', 'INVALID_CHUNKS', 'INVALID_VECTOR'].includes(
    error.code,
  )
