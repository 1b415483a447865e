import type { Collection } from '../index.ts'
import { SpanStoreError } from '../index.ts'
import type { Content } from './content.ts'
import { isStored } from './content-stored.ts'
import type { Folder } from './folder.ts'
import { type Candidate, likeness, pairUp, SAME_FROM, type Shape, shapeOf } from './likeness.ts'
import type { Stored, SyncOptions, Write } from './sync-report.ts'
import type { FoundFile } from './walk.ts'

/** Finds out what is to be done: which source each file goes on as. Writes nothing. */
export class Comparison {
  readonly #collection: Collection
  readonly #folder: Folder
  readonly #root: string
  readonly #options: SyncOptions
  unchanged = 0

  constructor(collection: Collection, folder: Folder, root: string, options: SyncOptions) {
    this.#collection = collection
    this.#folder = folder
    this.#root = root
    this.#options = options
  }

  /** The live sources of this folder, and every id that is taken by a live source, with its root. */
  async stored() {
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

  async compare(found: readonly FoundFile[], mine: readonly Stored[], ids: ReadonlyMap<string, unknown>) {
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
      this.#folder.tick('comparing', done++, found.length)
      const homes = atPath.get(path) ?? []
      atPath.delete(path)
      if (homes.length === 0) {
        looseFiles.push({ path, home: undefined, shape: undefined })
        continue
      }
      const content = await this.#folder.read(path)
      if ('skipped' in content) {
        // What cannot be judged is left as it is; what became binary has no text any more.
        if (content.skipped === 'binary') for (const stored of homes) looseSources.set(stored, undefined)
        continue
      }
      const { home, same, shape, like } = await this.#closest(homes, content)
      for (const other of homes) if (other !== home) looseSources.set(other, undefined)
      if (same) this.unchanged++
      else if (like >= SAME_FROM || shape.length === 0)
        writes.push({ kind: 'changed', path, source: home.source, stored: home })
      else {
        looseFiles.push({ path, home, shape })
        looseSources.set(home, undefined)
      }
    }
    for (const [path, gone] of atPath)
      if (!this.#folder.isUnknown(path)) for (const stored of gone) looseSources.set(stored, undefined)

    const homeless = await this.#pair(looseFiles, looseSources, writes)
    this.#name(homeless, ids, writes)
    const removals = [...looseSources.keys()].sort((a, b) => (a.path < b.path ? -1 : 1))
    const order = { renamed: 0, changed: 1, added: 2 }
    writes.sort((a, b) => order[a.kind] - order[b.kind] || (a.path < b.path ? -1 : 1))
    this.#folder.tick('comparing', found.length, found.length)
    return { writes, removals }
  }

  /** Of the sources at a path (more than one after a run that was killed), the one the file goes on. */
  async #closest(homes: readonly Stored[], content: Content) {
    let best: { home: Stored; same: boolean; shape: Shape; like: number } | undefined
    const shape = shapeOf(content.text)
    for (const home of homes) {
      const { same, text } = await isStored(this.#collection, home, content)
      if (same) return { home, same, shape, like: 1 }
      const like = likeness(shape, shapeOf(text))
      if (best === undefined || like > best.like) best = { home, same, shape, like }
    }
    return best!
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
        const content = await this.#folder.read(path)
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
}
