import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Collection,
  isSpanStoreError,
  type Key,
  type Metadata,
  type PutInput,
  type PutResult,
  type SourceInfo,
  SpanStoreError,
} from '../index.ts'
import { type Content, type ContentSpan, readContent, type Skipped } from './content.ts'
import { type Candidate, likeness, pairUp, SAME_FROM, type Shape, shapeOf } from './likeness.ts'
import { type FoundFile, walk } from './walk.ts'

export interface SyncOptions {
  /** Put before each path to make the source's id, such as `docs/`. */
  readonly prefix?: string
  /** What this folder is known by in the store; its absolute path unless given. A sync only touches its own sources. */
  readonly root?: string
  /** Larger files are skipped. Default 20 MB. */
  readonly maxBytes?: number
  /** Find out what would change, and write nothing. */
  readonly dryRun?: boolean
  /** Take an empty folder at its word, and remove every source of it. */
  readonly allowEmpty?: boolean
  /** Absolute paths left out, such as the store's own directory. */
  readonly exclude?: readonly string[]
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: SyncProgress) => void
}

export interface SyncProgress {
  readonly phase: 'comparing' | 'writing'
  readonly done: number
  readonly total: number
}

export interface FileChange {
  readonly path: string
  readonly source: string
  /** Where a renamed file was. */
  readonly from?: string
}

export interface SyncReport {
  readonly root: string
  readonly dryRun: boolean
  /** Files that belong in the store. */
  readonly files: number
  readonly unchanged: number
  readonly added: readonly FileChange[]
  readonly changed: readonly FileChange[]
  readonly renamed: readonly FileChange[]
  readonly removed: readonly FileChange[]
  readonly skipped: readonly { readonly path: string; readonly why: Skipped; readonly detail: string }[]
  /** Files the store would not take as they are; the rest was written. */
  readonly refused: readonly { readonly path: string; readonly code: string; readonly message: string }[]
  readonly spans: { readonly added: number; readonly retired: number }
  /** Summaries that are not current any more because of this sync. */
  readonly stale: readonly Key[]
}

const DEFAULT_MAX_BYTES = 20 * 1024 * 1024

/** One transaction takes this many files, or this many UTF-16 units, whichever comes first. */
const BATCH_FILES = 200
const BATCH_LENGTH = 4_000_000

/** A source of this folder, as the store has it. */
interface Stored {
  readonly source: string
  readonly path: string
  readonly info: SourceInfo
}

interface Write {
  readonly kind: 'added' | 'changed' | 'renamed'
  readonly path: string
  readonly source: string
  readonly stored: Stored | undefined
}

/**
 * Brings a collection up to date with a folder: puts what changed, tombstones what is gone, and lets a renamed file
 * go on as the source it was, so that its keys survive.
 *
 * A source's id is the path of its file when it was first seen; where the file is now is in its metadata, `path`,
 * beside `kind` and `root`. A file that still holds most of what the source at its path holds is that source.
 * What is left over, files that have no source or not theirs any more, and sources whose file is gone, is paired by
 * content: identical texts, or at least 60 % of the longer one in common, line by line; a tie pairs nobody. So moves,
 * chains of moves, swaps, and a new file in an old place all come out right, whatever happened between two runs.
 *
 * Files are written in batches of one transaction each, removals last. A run that is killed leaves a store on which
 * the next run does what is missing.
 */
export async function syncFolder(
  collection: Collection,
  folder: string,
  options: SyncOptions = {},
): Promise<SyncReport> {
  return await new Sync(collection, folder, await rootOf(folder, options), options).run()
}

async function rootOf(folder: string, options: SyncOptions): Promise<string> {
  try {
    const real = await realpath(folder)
    return options.root ?? real
  } catch (error) {
    throw new SpanStoreError(
      'INVALID_ARGUMENT',
      `${folder} cannot be read (${(error as { code?: string }).code}); nothing was changed. Give a folder that exists`,
      { path: 'folder', value: folder },
      { cause: error },
    )
  }
}

class Sync {
  readonly #collection: Collection
  readonly #folder: string
  readonly #root: string
  readonly #options: SyncOptions
  readonly #skipped: { path: string; why: Skipped; detail: string }[] = []
  readonly #refused: { path: string; code: string; message: string }[] = []
  readonly #stale = new Set<Key>()
  readonly #spans = { added: 0, retired: 0 }
  #unchanged = 0

  constructor(collection: Collection, folder: string, root: string, options: SyncOptions) {
    this.#collection = collection
    this.#folder = folder
    this.#root = root
    this.#options = options
  }

  async run(): Promise<SyncReport> {
    const { exclude, signal, dryRun = false } = this.#options
    let walked: Awaited<ReturnType<typeof walk>>
    try {
      walked = await walk(this.#folder, { ...(exclude === undefined ? {} : { exclude }), signal })
    } catch (error) {
      if (signal?.aborted) throw aborted(error)
      throw new SpanStoreError(
        'INVALID_ARGUMENT',
        `${this.#folder} cannot be listed (${(error as { code?: string }).code ?? error}); nothing was changed. Give a folder`,
        { path: 'folder', value: this.#folder },
        { cause: error },
      )
    }
    for (const path of walked.symlinks) this.#skip(path, 'symlink', 'symbolic links are not followed')
    for (const { path, why } of walked.unreadable) this.#skip(path, 'unreadable', why)

    const { mine, ids } = await this.#stored()
    if (walked.files.length === 0 && mine.length > 0 && this.#options.allowEmpty !== true)
      throw new SpanStoreError(
        'INVALID_ARGUMENT',
        `${this.#folder} holds no files, and ${mine.length} sources came from it; if they are really gone, say so with allowEmpty (--allow-empty)`,
        { path: 'folder', value: this.#folder },
      )
    const { writes, removals } = await this.#compare(walked.files, mine, ids)
    if (!dryRun) await this.#write(writes, removals)
    const refused = new Set(this.#refused.map(({ path }) => path))
    const skipped = new Set(this.#skipped.map(({ path }) => path))
    const of = (kind: Write['kind']): FileChange[] =>
      writes
        .filter((write) => write.kind === kind && !refused.has(write.path) && !skipped.has(write.path))
        .map(({ path, source, stored }) => ({
          path,
          source,
          ...(kind === 'renamed' ? { from: stored!.path } : {}),
        }))
    return {
      root: this.#root,
      dryRun,
      files: walked.files.length - walked.files.filter(({ path }) => skipped.has(path)).length,
      unchanged: this.#unchanged,
      added: of('added'),
      changed: of('changed'),
      renamed: of('renamed'),
      removed: removals.map(({ path, source }) => ({ path, source })),
      skipped: this.#skipped,
      refused: this.#refused,
      spans: this.#spans,
      stale: [...this.#stale],
    }
  }

  /** The live sources of this folder, and every id that is taken by a live source, with its root. */
  async #stored() {
    const mine: Stored[] = []
    const ids = new Map<string, unknown>()
    for await (const result of this.#collection.sources()) {
      if (result.status !== 'ok' && result.status !== 'empty') continue
      const { source, info } = result
      const { root, path } = info.metadata
      // Emptied by hand, or erased with its metadata: nobody's, and in nobody's way.
      if (result.status === 'empty' && root === undefined) continue
      ids.set(source, root)
      if (root === this.#root && typeof path === 'string') mine.push({ source, path, info })
    }
    return { mine, ids }
  }

  // ── what is to be done ────────────────────────────────────────────────────────────────────────────────────

  async #compare(found: readonly FoundFile[], mine: readonly Stored[], ids: ReadonlyMap<string, unknown>) {
    const atPath = new Map<string, Stored[]>()
    for (const stored of mine) {
      const there = atPath.get(stored.path)
      if (there === undefined) atPath.set(stored.path, [stored])
      else there.push(stored)
    }
    const writes: Write[] = []
    /** Files without a source, or whose source they hardly resemble any more. */
    const looseFiles: { path: string; home: Stored | undefined; shape: Shape | undefined }[] = []
    /** Sources whose file is gone, or hardly resembles them any more. */
    const looseSources = new Map<Stored, Shape | undefined>()
    let done = 0
    for (const { path } of found) {
      this.#tick('comparing', done++, found.length)
      const homes = atPath.get(path) ?? []
      atPath.delete(path)
      if (homes.length === 0) {
        looseFiles.push({ path, home: undefined, shape: undefined })
        continue
      }
      const content = await this.#read(path)
      if ('skipped' in content) {
        // What cannot be judged is left as it is; what became binary has no text any more.
        if (content.skipped === 'binary') for (const stored of homes) looseSources.set(stored, undefined)
        continue
      }
      const { home, same, shape, like } = await this.#closest(homes, content)
      for (const other of homes) if (other !== home) looseSources.set(other, undefined)
      if (same) this.#unchanged++
      else if (like >= SAME_FROM || shape.length === 0)
        writes.push({ kind: 'changed', path, source: home.source, stored: home })
      else {
        looseFiles.push({ path, home, shape })
        looseSources.set(home, undefined)
      }
    }
    for (const [path, gone] of atPath)
      if (!this.#isUnknown(path)) for (const stored of gone) looseSources.set(stored, undefined)

    const homeless = await this.#pair(looseFiles, looseSources, writes)
    this.#name(homeless, ids, writes)
    const removals = [...looseSources.keys()].sort((a, b) => (a.path < b.path ? -1 : 1))
    const order = { renamed: 0, changed: 1, added: 2 }
    writes.sort((a, b) => order[a.kind] - order[b.kind] || (a.path < b.path ? -1 : 1))
    this.#tick('comparing', found.length, found.length)
    return { writes, removals }
  }

  /** Of the sources at a path (more than one after a run that was killed), the one the file goes on. */
  async #closest(homes: readonly Stored[], content: Content) {
    let best: { home: Stored; same: boolean; shape: Shape; like: number } | undefined
    const shape = shapeOf(content.text)
    for (const home of homes) {
      const { same, text } = await this.#isStored(home, content)
      if (same) return { home, same, shape, like: 1 }
      const like = likeness(shape, shapeOf(text))
      if (best === undefined || like > best.like) best = { home, same, shape, like }
    }
    return best!
  }

  /** Whether the store has exactly this content; and the text it has. */
  async #isStored(stored: Stored, content: Content): Promise<{ same: boolean; text: string }> {
    const { text, places, gaps } = await this.#collection.read(stored.source)
    const whole = gaps.length === 0 && places.every((place) => place.status !== 'tombstone')
    const same =
      whole &&
      text === content.text &&
      stored.info.metadata.kind === content.kind &&
      (content.spans === undefined
        ? stored.info.chunker === content.chunker.id
        : stored.info.chunker === undefined &&
          places.length === content.spans.length &&
          (await this.#holds(
            places.map((place) => place.key),
            content.spans,
          )))
    return { same, text }
  }

  /** Whether the keys answer these spans, with their own metadata. */
  async #holds(keys: readonly Key[], spans: readonly ContentSpan[]): Promise<boolean> {
    const results = await this.#collection.fetchMany(keys)
    return results.every((result, i) => {
      if (result.status !== 'ok' && result.status !== 'empty') return false
      if (result.kind !== 'span' || result.span.text !== spans[i]!.text) return false
      const { metadata } = result.span
      return Object.entries(spans[i]!.metadata ?? {}).every(([name, value]) => isSame(metadata[name], value))
    })
  }

  /** Pairs loose files with loose sources. Takes the sources that found a file out of `sources`. */
  async #pair(
    files: readonly { path: string; home: Stored | undefined; shape: Shape | undefined }[],
    sources: Map<Stored, Shape | undefined>,
    writes: Write[],
  ): Promise<string[]> {
    const rest: { path: string; home: Stored | undefined }[] = []
    const candidates: (Candidate & { readonly home: Stored | undefined })[] = []
    for (const { path, home, shape } of files) {
      let known = shape
      // With nothing a file could go on, it is first read when it is written.
      if (known === undefined && (sources.size > 0 || this.#options.dryRun === true)) {
        const content = await this.#read(path)
        if ('skipped' in content) continue
        known = shapeOf(content.text)
      }
      if (known === undefined || sources.size === 0) rest.push({ path, home })
      else candidates.push({ path, home, shape: known })
    }
    const loose: (Candidate & { readonly stored: Stored })[] = []
    if (candidates.length > 0)
      for (const stored of sources.keys()) {
        const { text } = await this.#collection.read(stored.source)
        loose.push({ path: stored.path, stored, shape: shapeOf(text) })
      }
    const paired = pairUp(candidates, loose)
    candidates.forEach(({ path, home }, i) => {
      const partner = paired.get(i)
      if (partner === undefined) {
        rest.push({ path, home })
        return
      }
      const { stored } = loose[partner]!
      sources.delete(stored)
      writes.push({
        kind: stored.path === path ? 'changed' : 'renamed',
        path,
        source: stored.source,
        stored,
      })
    })
    const homeless: string[] = []
    for (const { path, home } of rest)
      if (home !== undefined && sources.delete(home))
        writes.push({ kind: 'changed', path, source: home.source, stored: home })
      else homeless.push(path)
    return homeless
  }

  /** Gives new sources their ids: the path, unless a file that moved away still has it. */
  #name(paths: readonly string[], ids: ReadonlyMap<string, unknown>, writes: Write[]): void {
    const taken = new Set(ids.keys())
    const foreign: string[] = []
    for (const path of paths) {
      const plain = (this.#options.prefix ?? '') + path
      if (ids.has(plain) && ids.get(plain) !== this.#root) {
        foreign.push(plain)
        continue
      }
      let source = plain
      for (let count = 2; taken.has(source); count++) source = `${plain}#${count}`
      taken.add(source)
      writes.push({ kind: 'added', path, source, stored: undefined })
    }
    if (foreign.length === 0) return
    const root = ids.get(foreign[0]!)
    const whose = typeof root === 'string' ? `came from ${root}` : 'was not made by a sync'
    throw new SpanStoreError(
      'INVALID_ARGUMENT',
      `${foreign.length === 1 ? 'a source' : `${foreign.length} sources`} of this name ${foreign.length === 1 ? 'is' : 'are'} in the collection already and not of this folder: ${JSON.stringify(foreign[0])} ${whose}; nothing was changed. Give this folder a --prefix${typeof root === 'string' ? `, or --root ${JSON.stringify(root)} if it is that folder under another path` : ''}`,
      { path: 'source', value: foreign[0] },
    )
  }

  /** Whether a path lies under a folder, or is a file, that could not be looked at. */
  #isUnknown(path: string): boolean {
    return this.#skipped.some(
      (skip) => skip.why === 'unreadable' && (path === skip.path || path.startsWith(`${skip.path}/`)),
    )
  }

  async #read(path: string) {
    const content = await readContent(
      join(this.#folder, path),
      path,
      this.#options.maxBytes ?? DEFAULT_MAX_BYTES,
    )
    if ('skipped' in content) this.#skip(path, content.skipped, content.why)
    return content
  }

  #skip(path: string, why: Skipped, detail: string): void {
    this.#skipped.push({ path, why, detail })
  }

  #tick(phase: SyncProgress['phase'], done: number, total: number): void {
    if (this.#options.signal?.aborted) throw aborted(this.#options.signal.reason)
    this.#options.onProgress?.({ phase, done, total })
  }

  // ── doing it ──────────────────────────────────────────────────────────────────────────────────────────────

  async #write(writes: readonly Write[], removals: readonly Stored[]): Promise<void> {
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
      this.#tick('writing', done++, total)
      const content = await this.#read(write.path)
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
      this.#tick('writing', done++, total)
      await this.#guard(path, async () => {
        const { retired, stale } = await this.#collection.remove({ source })
        this.#spans.retired += retired.length
        for (const key of stale) this.#stale.add(key)
      })
    }
    this.#tick('writing', total, total)
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
    return (await this.#holds(keys, content.spans.slice(0, live))) ? content.spans.slice(live) : undefined
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
      this.#refused.push({ path, code: error.code, message: error.message })
    }
  }

  #count(result: PutResult): void {
    this.#spans.added += result.added.length
    this.#spans.retired += result.retired.length
    for (const key of result.stale) this.#stale.add(key)
  }
}

/** Errors that one file's content or name can cause; everything else ends the sync. */
const isRefusal = (error: unknown): error is SpanStoreError =>
  isSpanStoreError(error) &&
  ['ERASED_TEXT', 'ILL_FORMED_TEXT', 'INVALID_ARGUMENT', 'INVALID_CHUNKS', 'INVALID_VECTOR'].includes(
    error.code,
  )

const aborted = (cause: unknown) =>
  new SpanStoreError(
    'ABORTED',
    'the sync was stopped; files already written stay, the next run does the rest',
    {},
    { cause },
  )

/** Equal JSON, whatever the order of members. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const as = Object.entries(a)
  const bs = b as Record<string, unknown>
  return (
    Array.isArray(a) === Array.isArray(b) &&
    as.length === Object.keys(b).length &&
    as.every(([name, value]) => Object.hasOwn(bs, name) && isSame(value, bs[name]))
  )
}
