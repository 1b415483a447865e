import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Chunk } from '../../src/chunking/index.ts'
import type {
  Collection,
  FetchResult,
  Key,
  PutResult,
  Registration,
  Store,
  StoreEvent,
  Summary,
  SummaryState,
} from '../../src/index.ts'
import { isSpanStoreError, openStore } from '../../src/index.ts'
import { readEvents } from '../../src/ledger/sqlite/events.ts'
import { Connection } from '../../src/ledger/sqlite/statements.ts'
import { verifyLedger } from '../../src/ledger/sqlite/verify.ts'
import { gappy, lines, pairs } from './chunkers.ts'

/*
 * A store beside a naive model of it, written from DESIGN.md and not from the code: arrays, maps, and whole
 * recomputations after every step. The model does not decide how chunks are aligned (that is `plan`'s business): it
 * takes keys and successors as the store answers them and checks everything that must follow.
 */

const SHORT = ['Yes.', 'No.', '\n', 'Yes.']
const LONG = [
  'The treasurer confirmed that the budget was approved.',
  'Nobody may deploy on a Friday without a second reviewer.',
  'The treasurer confirmed that the budget was not approved.',
  'Ω the migration of the 🦀 service was postponed to the spring.',
]
const VOCABULARY = [...SHORT, ...LONG]

export type Op =
  | { op: 'put'; c: number; s: number; words: number[]; how: number; meta: number | undefined }
  | {
      op: 'edit'
      c: number
      s: number
      at: number
      remove: number
      words: number[]
      how: number
    }
  | { op: 'again'; c: number; s: number; how: number }
  | { op: 'append'; c: number; s: number; words: number[] }
  | { op: 'remove'; c: number; s: number }
  | { op: 'retire'; picks: number[]; evicted: boolean }
  | { op: 'update'; picks: number[]; value: number }
  | { op: 'expires'; c: number; s: number; after: number | null }
  | { op: 'tick'; ms: number; quiet: boolean }
  | { op: 'register'; c: number; session: number; summaries: SummaryOp[] }
  | { op: 'prune'; ago: number }
  | { op: 'erase'; picks: number[] }
  | { op: 'drop'; c: number }
  | { op: 'rename'; c: number }
  | { op: 'discard'; c: number; session: number }
  | { op: 'reopen' }

export interface SummaryOp {
  words: number
  deps: number[]
  covers: number[]
  printed: boolean
  replaces: number[]
  /** Says the same as what it replaces, with anchors brought up to date where they can be. */
  same: boolean
}

interface MCollection {
  name: string
  handle: Collection
  id: Key
  dropped: boolean
}

interface MSpan {
  readonly key: Key
  readonly c: MCollection
  readonly source: MSource
  readonly text: string | null
  readonly revision: number
  meta: string
  dead: { reason: string; successors: readonly Key[] } | undefined
  at: number
  pruned: boolean
  erased: boolean
  /** Successors, and spans that came back to its place. */
  readonly edges: Key[]
}

interface MRevision {
  readonly text: string | undefined
  readonly texts: readonly (string | null)[]
  readonly keys: readonly Key[]
}

interface MSource {
  readonly name: string
  readonly c: MCollection
  readonly revisions: MRevision[]
  lines: (string | null)[]
  chunker: string | undefined
  meta: string
  removed: boolean
  expires: number | undefined
  /** Something was erased from it: texts between spans may be gone, too. */
  erased: boolean
}

interface MSummary {
  readonly key: Key
  readonly c: MCollection
  readonly session: string
  readonly text: string
  readonly deps: readonly Key[]
  readonly covers: readonly Key[]
  /** Summaries this one says the same as, its own chain only. */
  readonly same: Set<Key>
  readonly epoch: number
  dead: 'superseded' | 'discarded' | undefined
  erased: boolean
  /** What took its place, and what came back in its place when that was withdrawn. */
  readonly by: Key[]
}

/** The epochs of one session that were not discarded; the number of the next. */
interface MEpochs {
  readonly standing: number[]
  next: number
}

interface State {
  readonly state: SummaryState
  readonly causes: ReadonlySet<Key>
}

const ANCHOR = /\[\[([0-9A-Z]{26})\]\]/g
const skeleton = (text: string) => text.replace(ANCHOR, '[[]]')
const anchorsOf = (text: string) => [...text.matchAll(ANCHOR)].map((m) => m[1] as Key)
const isBlank = (text: string | null) => text === null || text.trim() === ''

/** A handle of a dropped collection; or, after the store was opened anew, there is none any more. */
const isGone = (error: unknown): boolean =>
  isSpanStoreError(error, 'COLLECTION_DROPPED') || isSpanStoreError(error, 'STORE_CLOSED')

const CHUNKERS = [lines, lines, pairs, gappy]

export class World {
  readonly directory = mkdtempSync(join(tmpdir(), 'spanstore-model-'))
  readonly collections: MCollection[] = []
  readonly spans = new Map<Key, MSpan>()
  readonly summaries = new Map<Key, MSummary>()
  readonly sources = new Map<string, MSource>()
  store!: Store
  now = 1_700_000_000_000
  #reader!: Connection
  #renames = 0
  /** Every key, as it came. */
  readonly #order: Key[] = []
  #events = new Map<Key, StoreEvent[]>()
  readonly #epochs = new Map<string, MEpochs>()
  #past: { at: number; key: Key; c: MCollection; result: FetchResult; state: State | undefined }[] = []

  static async open(): Promise<World> {
    const world = new World()
    await world.#open()
    for (const name of ['alpha', 'beta']) {
      const handle = await world.store.collection(name)
      world.collections.push({ name, handle, id: handle.id, dropped: false })
    }
    world.#reader = new Connection(new Database(join(world.directory, 'ledger.db')))
    return world
  }

  async #open(): Promise<void> {
    this.store = await openStore(this.directory, { clock: () => this.now })
    for (const c of this.collections) if (!c.dropped) c.handle = await this.store.collection(c.name)
  }

  async close(): Promise<void> {
    await this.store.close()
    this.#reader.db.close()
    rmSync(this.directory, { recursive: true, force: true })
  }

  // ── the model's rules ─────────────────────────────────────────────────────────────────────────────────────

  isLive(key: Key): boolean {
    const node = this.spans.get(key) ?? this.summaries.get(key)!
    return node.dead === undefined && !node.c.dropped
  }

  /** DESIGN, "Writing": same source, not empty, minted by a later put, and reached through lineage or telling. */
  identical(key: Key): Key | undefined {
    const summary = this.summaries.get(key)
    if (summary !== undefined) return this.#identicalSummary(summary)
    const span = this.spans.get(key)!
    if (span.c.dropped || span.erased || isBlank(span.text)) return undefined
    const isCandidate = (other: MSpan) =>
      this.isLive(other.key) &&
      other.source === span.source &&
      other.text === span.text &&
      other.revision > span.revision
    const candidates = new Set<Key>()
    const seen = new Set<Key>()
    const visit = (node: MSpan) => {
      for (const next of node.edges) {
        if (seen.has(next)) continue
        seen.add(next)
        const other = this.spans.get(next)!
        if (isCandidate(other)) candidates.add(next)
        if (!this.isLive(next)) visit(other)
      }
    }
    visit(span)
    if (span.text!.length >= 32) {
      const same = [...this.spans.values()].filter(
        (other) => other.source === span.source && other.text === span.text && this.isLive(other.key),
      )
      if (same.length === 1 && isCandidate(same[0]!)) candidates.add(same[0]!.key)
    }
    return candidates.size === 1 ? [...candidates][0] : undefined
  }

  #identicalSummary(summary: MSummary): Key | undefined {
    if (summary.c.dropped) return undefined
    const seen = new Set<Key>()
    const visit = (node: MSummary) => {
      for (const next of node.by)
        if (!seen.has(next)) {
          seen.add(next)
          visit(this.summaries.get(next)!)
        }
    }
    visit(summary)
    const ends = this.#order.filter((key) => seen.has(key) && this.summaries.get(key)!.dead === undefined)
    return ends.findLast((key) => this.summaries.get(key)!.same.has(summary.key))
  }

  /** The whole rule of staleness, recomputed from nothing. */
  states(): Map<Key, State> {
    const known = new Map<Key, State>()
    const stateOf = (key: Key): State => {
      const found = known.get(key)
      if (found !== undefined) return found
      const causes = new Set<Key>()
      let hard = false
      for (const dep of this.summaries.get(key)!.deps) {
        const target = this.isLive(dep) ? dep : this.identical(dep)
        if (target !== undefined && (this.spans.has(target) || stateOf(target).state === 'current')) continue
        causes.add(dep)
        if (target === undefined) hard = true
      }
      const state: State = { state: causes.size === 0 ? 'current' : hard ? 'stale' : 'suspect', causes }
      known.set(key, state)
      return state
    }
    for (const key of this.summaries.keys()) if (this.isLive(key)) stateOf(key)
    return known
  }

  isSatisfied(key: Key, states = this.states()): boolean {
    const target = this.isLive(key) ? key : this.identical(key)
    if (target === undefined) return false
    return this.spans.has(target) || states.get(target)!.state === 'current'
  }

  /** Whether `from` stands, at any depth, on `target`. */
  #standsOn(from: Key, target: Key, seen = new Set<Key>()): boolean {
    if (from === target) return true
    if (seen.has(from)) return false
    seen.add(from)
    const below = [...(this.summaries.get(from)?.deps ?? [])]
    if (!this.isLive(from)) {
      const identical = this.identical(from)
      if (identical !== undefined) below.push(identical)
    }
    return below.some((key) => this.#standsOn(key, target, seen))
  }

  #descends(from: Key, to: Key, seen = new Set<Key>()): boolean {
    if (from === to) return true
    if (seen.has(from)) return false
    seen.add(from)
    const span = this.spans.get(from)
    const next = span === undefined ? this.summaries.get(from)!.by : span.edges
    return next.some((key) => this.#descends(key, to, seen))
  }

  // ── picking ───────────────────────────────────────────────────────────────────────────────────────────────

  collection(c: number): MCollection {
    return this.collections[c % this.collections.length]!
  }

  source(c: MCollection, s: number): MSource {
    const name = `source ${s % 3}`
    const id = `${this.collections.indexOf(c)}/${name}`
    let source = this.sources.get(id)
    if (source === undefined) {
      source = {
        name,
        c,
        revisions: [],
        lines: [],
        chunker: undefined,
        meta: '{}',
        removed: false,
        expires: undefined,
        erased: false,
      }
      this.sources.set(id, source)
    }
    return source
  }

  /** Mostly live things: picks count from the newest. */
  pick(picks: readonly number[], of: (key: Key) => boolean): Key[] {
    const keys = this.#order.toReversed().filter(of)
    return keys.length === 0 ? [] : [...new Set(picks.map((pick) => keys[pick % keys.length]!))]
  }

  // ── steps ─────────────────────────────────────────────────────────────────────────────────────────────────

  async step(op: Op): Promise<void> {
    await this.#do(op)
    await this.check()
  }

  async #do(op: Op): Promise<void> {
    switch (op.op) {
      case 'put': {
        const c = this.collection(op.c)
        return await this.put(
          this.source(c, op.s),
          op.words.map((w) => VOCABULARY[w % VOCABULARY.length]!),
          op.how,
          op.meta === undefined ? {} : { meta: op.meta % 2 === 0 ? {} : { v: op.meta } },
        )
      }
      case 'edit': {
        const source = this.source(this.collection(op.c), op.s)
        const now = source.lines.slice()
        now.splice(
          op.at % (now.length + 1),
          op.remove,
          ...op.words.map((w) => VOCABULARY[w % VOCABULARY.length]!),
        )
        return await this.put(source, now, op.how, {})
      }
      case 'again': {
        const source = this.source(this.collection(op.c), op.s)
        return await this.put(source, source.lines, op.how, {})
      }
      case 'append':
        return await this.append(
          this.source(this.collection(op.c), op.s),
          op.words.map((w) => VOCABULARY[w % VOCABULARY.length]!),
        )
      case 'remove':
        return await this.remove(this.source(this.collection(op.c), op.s))
      case 'retire':
        return await this.retire(op.picks, op.evicted ? 'evicted' : 'deleted')
      case 'erase':
        return await this.erase(op.picks)
      case 'update':
        return await this.update(op.picks, op.value)
      case 'expires': {
        const source = this.source(this.collection(op.c), op.s)
        if (source.revisions.length === 0) return
        return await this.put(source, source.lines, 0, {
          expires: op.after === null ? null : this.now + op.after,
        })
      }
      case 'tick':
        this.now += op.ms
        // Not looked at: what is due is then committed by the next write itself.
        if (!op.quiet) await this.store.collections()
        return
      case 'register':
        return await this.register(this.collection(op.c), `session ${op.session % 2}`, op.summaries)
      case 'drop': {
        const c = this.collection(op.c)
        if (c.dropped || this.collections.filter((other) => !other.dropped).length < 2) return
        const before = this.due()
        const { stale } = await this.store.dropCollection(c.name)
        c.dropped = true
        this.#left(before, stale)
        return
      }
      case 'prune': {
        await this.store.collections()
        this.due()
        const before = this.now - op.ago
        await this.store.prune({ before })
        for (const span of this.spans.values())
          if (span.dead !== undefined && span.at < before && !isBlank(span.text) && !span.erased)
            span.pruned = true
        return
      }
      case 'rename': {
        const c = this.collection(op.c)
        if (c.dropped) return
        const to = `${c.name.split(' ')[0]} ${++this.#renames}`
        this.due()
        await this.store.renameCollection(c.name, to)
        c.name = to
        await assert.rejects(this.store.collection(to, { metric: 'l2' }), { code: 'COLLECTION_MISMATCH' })
        return
      }
      case 'discard':
        return await this.discard(this.collection(op.c), `session ${op.session % 2}`)
      case 'reopen':
        await this.store.close()
        await this.#open()
    }
  }

  /** Expiry comes before whatever is done next. Answers the states the next write starts from. */
  due(): Map<Key, State> {
    for (const source of this.sources.values()) {
      if (source.expires === undefined || source.expires > this.now) continue
      source.expires = undefined
      if (source.c.dropped) continue
      for (const span of this.spans.values())
        if (span.source === source && span.dead === undefined) this.#kill(span, 'expired', [])
    }
    return this.states()
  }

  #kill(span: MSpan, reason: string, successors: readonly Key[]): void {
    span.dead = { reason, successors }
    span.at = this.now
  }

  /** A write names exactly the summaries that were current before it and are not now. */
  #left(before: Map<Key, State>, stale: readonly Key[]): void {
    const now = this.states()
    const expected = [...before].filter(
      ([key, { state }]) => state === 'current' && this.isLive(key) && now.get(key)!.state !== 'current',
    )
    assert.deepEqual([...stale].sort(), expected.map(([key]) => key).sort(), 'stale')
  }

  async put(
    source: MSource,
    given: readonly (string | null)[],
    how: number,
    options: { meta?: Record<string, number>; expires?: number | null },
  ): Promise<void> {
    const { c } = source
    const before = this.due()
    const asText = how % 3 !== 0 && given.every((line) => line !== null)
    const chunker = CHUNKERS[how % CHUNKERS.length]!
    const glue = how % 5 === 0 ? '\r\n' : how % 7 === 0 ? '\n\n\n' : '\n'
    const ending = how % 11 === 0 ? ' \n' : ''
    const text = asText ? given.join(glue) + (given.length === 0 ? '' : ending) : undefined
    const chunks = asText
      ? (chunker.chunk(text!) as readonly Chunk[]).map((chunk) => chunk.text as string | null)
      : given.slice()
    const meta = options.meta === undefined ? source.meta : JSON.stringify(options.meta)
    const call = () =>
      c.handle.put({
        source: source.name,
        ...(asText ? { text: text!, chunker } : { spans: given.map((line) => ({ text: line })) }),
        ...(options.meta === undefined ? {} : { metadata: options.meta }),
        ...(options.expires === undefined ? {} : { expiresAt: options.expires }),
        expectedRevision: source.revisions.length,
        readmit: source.erased,
      })
    const last = source.revisions.at(-1)
    const standing = last?.keys.map((key) => this.spans.get(key)!) ?? []
    const expires = options.expires === undefined ? source.expires : (options.expires ?? undefined)
    const isUnchanged =
      last !== undefined &&
      !source.removed &&
      standing.every((span) => span.dead === undefined) &&
      source.chunker === (asText ? chunker.id : undefined) &&
      (asText ? last.text === text : true) &&
      JSON.stringify(last.texts) === JSON.stringify(chunks) &&
      meta === source.meta &&
      (options.meta === undefined || standing.every((span) => span.meta === meta)) &&
      expires === source.expires
    if (c.dropped) {
      if (!isUnchanged) await assert.rejects(call(), isGone)
      return
    }
    const result = await call()
    source.meta = meta
    source.expires = expires
    source.lines = given.slice()
    if (isUnchanged && !(source.erased && result.outcome === 'revised')) {
      assert.equal(result.outcome, 'unchanged')
      assert.equal(result.revision, source.revisions.length)
      assert.deepEqual([result.added, result.retired, result.stale], [[], [], []])
      return
    }
    assert.equal(result.outcome, last === undefined || source.removed ? 'created' : 'revised')
    source.chunker = asText ? chunker.id : undefined
    await this.#revised(source, result, chunks, text, options.meta === undefined ? undefined : meta)
    this.#left(before, result.stale)
  }

  /** Takes over keys, successors and restored places, and checks that they fit what was put. */
  async #revised(
    source: MSource,
    result: PutResult,
    chunks: readonly (string | null)[],
    text: string | undefined,
    meta: string | undefined,
  ): Promise<void> {
    const { c } = source
    const live = new Set(
      [...this.spans.values()]
        .filter((span) => span.source === source && this.isLive(span.key))
        .map(({ key }) => key),
    )
    const placed = new Set(source.revisions.at(-1)?.keys)
    const read = await c.handle.read(source.name)
    const keys = read.places.map(({ key }) => key)
    assert.equal(new Set(keys).size, keys.length, 'a key stands once in a manifest')
    assert.equal(read.revision, result.revision)
    assert.equal(result.revision, source.revisions.length + 1)
    const added = keys.filter((key) => !live.has(key))
    const retired = [...live].filter((key) => !keys.includes(key))
    assert.deepEqual([...result.added].sort(), added.sort(), 'added')
    assert.deepEqual([...result.retired].sort(), retired.sort(), 'retired')
    assert.equal(result.kept, keys.length - added.length, 'kept')
    for (const key of added) assert.ok(!this.spans.has(key), 'a key is never reused')

    const results = await c.handle.fetchMany(keys)
    results.forEach((found, i) => {
      assert.ok(found.status === 'ok' || found.status === 'empty')
      assert.ok(found.kind === 'span')
      assert.equal(found.span.text, chunks[i] ?? '', 'the text of a place is the text that was put')
      const known = this.spans.get(keys[i]!)
      if (known !== undefined) {
        if (meta !== undefined) known.meta = meta
        return
      }
      this.#order.push(keys[i]!)
      this.spans.set(keys[i]!, {
        key: keys[i]!,
        c,
        source,
        text: chunks[i]!,
        revision: result.revision,
        meta: source.meta,
        dead: undefined,
        at: 0,
        pruned: false,
        erased: false,
        edges: [],
      })
    })
    for (const key of retired) {
      const found = await c.handle.fetch(key)
      assert.ok(found.status === 'tombstone')
      const { reason, successors } = found.tombstone
      assert.ok(reason === 'edited' || reason === 'rechunked')
      for (const successor of successors) assert.ok(keys.includes(successor), 'a successor is live then')
      const span = this.spans.get(key)!
      this.#kill(span, reason, successors)
      span.edges.push(...successors)
    }
    // "Aligned with its place" cannot be told from outside, so it is taken over, where it can be true at all.
    for (const key of added)
      for (const edge of (await c.handle.lineage(key)).edges) {
        if (edge.to !== key || edge.kind !== 'restored') continue
        const from = this.spans.get(edge.from)!
        assert.ok(placed.has(edge.from) && !this.isLive(edge.from), 'only a retired place is restored')
        assert.equal(from.text, this.spans.get(key)!.text)
        from.edges.push(key)
      }
    source.removed = false
    source.revisions.push({ text: text ?? read.text, texts: chunks, keys })
    if (text !== undefined) assert.equal(read.text, text, 'byte for byte')
    read.places.forEach(({ start, end }, i) => {
      assert.equal(read.text.slice(start, end), chunks[i] ?? '')
    })
  }

  async append(source: MSource, words: readonly string[]): Promise<void> {
    const { c } = source
    const before = this.due()
    const call = () =>
      c.handle.append({ source: source.name, spans: words.map((text) => ({ text })), readmit: true })
    if (c.dropped) return await assert.rejects(call(), isGone)
    if (words.length === 0) return
    const last = source.revisions.at(-1)
    const result = await call()
    assert.equal(result.outcome, last === undefined || source.removed ? 'created' : 'revised')
    assert.equal(result.added.length, words.length)
    assert.deepEqual(result.retired, [])
    const read = await c.handle.read(source.name)
    const keys = [...(source.removed ? [] : (last?.keys ?? [])), ...result.added]
    assert.deepEqual(
      read.places.map(({ key }) => key),
      keys,
    )
    result.added.forEach((key, i) => {
      this.#order.push(key)
      this.spans.set(key, {
        key,
        c,
        source,
        text: words[i]!,
        revision: result.revision,
        meta: source.meta,
        dead: undefined,
        at: 0,
        pruned: false,
        erased: false,
        edges: [],
      })
    })
    if (read.gaps.length === 0)
      assert.ok(read.text.startsWith(source.removed ? '' : (last?.text ?? '')), 'an append only adds')
    source.lines = [...(source.removed ? [] : source.lines), ...words]
    source.removed = false
    source.revisions.push({
      text: read.gaps.length === 0 ? read.text : undefined,
      texts: keys.map((key) => this.spans.get(key)!.text),
      keys,
    })
    this.#left(before, result.stale)
  }

  async remove(source: MSource): Promise<void> {
    const { c } = source
    const before = this.due()
    const call = () => c.handle.remove({ source: source.name })
    if (c.dropped) return await assert.rejects(call(), isGone)
    const result = await call()
    if (source.revisions.length === 0 || source.removed) {
      assert.deepEqual([result.retired, result.stale], [[], []])
      return
    }
    const live = [...this.spans.values()].filter((span) => span.source === source && this.isLive(span.key))
    assert.deepEqual([...result.retired].sort(), live.map(({ key }) => key).sort())
    for (const span of live) this.#kill(span, 'deleted', [])
    source.removed = true
    source.expires = undefined
    source.lines = []
    source.revisions.push({ text: '', texts: [], keys: [] })
    this.#left(before, result.stale)
  }

  async retire(picks: readonly number[], reason: 'deleted' | 'evicted'): Promise<void> {
    for (const c of this.collections) {
      if (c.dropped) continue
      const before = this.due()
      const keys = this.pick(picks, (key) => (this.spans.get(key) ?? this.summaries.get(key))!.c === c)
      if (keys.length === 0) continue
      const foreign = this.pick(picks, (key) => (this.spans.get(key) ?? this.summaries.get(key))!.c !== c)
      const result = await c.handle.retire([...keys, ...foreign], { reason })
      assert.deepEqual([...result.retired].sort(), keys.filter((key) => this.isLive(key)).sort())
      assert.deepEqual([...result.already].sort(), keys.filter((key) => !this.isLive(key)).sort())
      assert.deepEqual([...result.absent].sort(), foreign.sort())
      for (const key of result.retired) {
        const span = this.spans.get(key)
        if (span !== undefined) this.#kill(span, reason, [])
        else this.summaries.get(key)!.dead = 'discarded'
      }
      this.#left(before, result.stale)
    }
  }

  async erase(picks: readonly number[]): Promise<void> {
    const c = this.collections.find((one) => !one.dropped)!
    const before = this.due()
    const keys = this.pick(picks, (key) => (this.spans.get(key) ?? this.summaries.get(key))!.c === c)
    if (keys.length === 0) return
    const result = await c.handle.erase({ keys }, { cascade: true })
    assert.ok(result.complete || result.waitingFor.length > 0)
    const live = result.erased.filter((key) => this.isLive(key))
    assert.deepEqual([...result.retired].sort(), live.sort())
    for (const key of keys) assert.ok(result.erased.includes(key) || result.already.includes(key))
    for (const key of result.erased) {
      const span = this.spans.get(key)
      const summary = this.summaries.get(key)
      assert.ok(!(span ?? summary)!.erased, 'nothing is erased twice')
      if (span !== undefined) {
        span.erased = true
        span.source.erased = true
        span.dead = { reason: 'deleted', successors: span.dead?.successors ?? [] }
      } else {
        summary!.erased = true
        summary!.dead = 'discarded'
      }
    }
    this.#left(before, result.stale)
  }

  async update(picks: readonly number[], value: number): Promise<void> {
    this.due()
    for (const c of this.collections) {
      if (c.dropped) continue
      const keys = this.pick(picks, (key) => this.spans.get(key)?.c === c && this.isLive(key))
      if (keys.length === 0) continue
      const { updated, stale } = await c.handle.update({ keys, metadata: { v: value } })
      assert.deepEqual(stale, [])
      const meta = JSON.stringify({ v: value })
      assert.deepEqual([...updated].sort(), keys.filter((key) => this.spans.get(key)!.meta !== meta).sort())
      for (const key of keys) this.spans.get(key)!.meta = meta
    }
  }

  async register(c: MCollection, session: string, ops: readonly SummaryOp[]): Promise<void> {
    const before = this.due()
    const commands = ops.map((op) => {
      const replaces = this.pick(op.replaces, (key) => {
        const summary = this.summaries.get(key)
        return summary?.c === c && summary.session === session && this.isLive(key)
      })
      const old = replaces[0] === undefined ? undefined : this.summaries.get(replaces[0])
      if (op.same && old !== undefined) {
        const text = old.text.replace(ANCHOR, (_, key: Key) => `[[${this.#upToDate(key)}]]`)
        return { text, dependsOn: [], covers: [...old.covers], replaces }
      }
      const dependsOn = this.pick(op.deps, (key) => this.isLive(key) || op.words % 4 === 0)
      const covers = this.pick(op.covers, (key) => this.spans.has(key) && this.isLive(key))
      const words = `Then: ${VOCABULARY[op.words % VOCABULARY.length]!}`
      return op.printed
        ? {
            text: `${words} ${dependsOn.map((key) => `[[${key}]]`).join(' ')}`,
            dependsOn: [],
            covers,
            replaces,
          }
        : { text: words, dependsOn, covers, replaces }
    })
    const call = () => c.handle.session(session).register(commands)
    if (c.dropped) return await assert.rejects(call(), isGone)
    const refusal = this.#refusal(commands, before)
    // What one summary of an epoch replaces, another may stand on: then only the outcome is judged.
    const among = commands.length > 1 && commands.some(({ replaces }) => replaces.length > 0)
    let done: readonly Registration[]
    try {
      done = await call()
    } catch (error) {
      assert.ok(isSpanStoreError(error), String(error))
      const allowed = [...(refusal ?? []), ...(among ? ['DEPENDENCY_UNSATISFIED'] : [])]
      assert.ok(allowed.includes(error.code), `${allowed.join('|')}, not ${error.message}`)
      return
    }
    const missed = refusal?.filter((code) => !among || code !== 'DEPENDENCY_UNSATISFIED')
    assert.deepEqual(missed ?? [], [], 'should have been refused')
    assert.equal(new Set(done.map(({ epoch }) => epoch)).size, 1, 'one call is one epoch')
    const epochs = this.#epochsOf(c, session)
    assert.equal(done[0]!.epoch, epochs.next, 'epochs count up by one')
    epochs.standing.push(epochs.next++)
    commands.forEach(({ text, dependsOn, covers, replaces }, i) => {
      const { key } = done[i]!
      const same = new Set<Key>()
      const ancestors = (of: Key): Key[] =>
        [...this.summaries.values()]
          .filter(({ by }) => by.includes(of))
          .flatMap(({ key }) => [key, ...ancestors(key)])
      const equal = replaces
        .flatMap((old) => [old, ...ancestors(old)])
        .sort((a, b) => this.#order.indexOf(b) - this.#order.indexOf(a))
        .find((old) => this.#saysTheSame(this.summaries.get(old)!.text, text))
      if (equal !== undefined) for (const old of [equal, ...this.#class(equal)]) same.add(old)
      this.#order.push(key)
      this.summaries.set(key, {
        key,
        c,
        session,
        text,
        deps: [...new Set([...anchorsOf(text), ...dependsOn])],
        covers,
        same,
        epoch: done[i]!.epoch,
        dead: undefined,
        erased: false,
        by: [],
      })
      for (const old of replaces) {
        this.summaries.get(old)!.dead = 'superseded'
        this.summaries.get(old)!.by.push(key)
      }
    })
    this.#left(before, done[0]!.stale)
    const now = this.states()
    for (const { key } of done)
      if (this.isLive(key)) assert.equal(now.get(key)!.state, 'current', 'nothing is born stale')
  }

  #epochsOf(c: MCollection, session: string): MEpochs {
    const id = `${c.id} ${session}`
    let epochs = this.#epochs.get(id)
    if (epochs === undefined) {
      epochs = { standing: [], next: 1 }
      this.#epochs.set(id, epochs)
    }
    return epochs
  }

  /** The last epoch that stands is withdrawn; what it had replaced comes back, where it still could be registered. */
  async discard(c: MCollection, session: string): Promise<void> {
    const before = this.due()
    const call = () => c.handle.session(session).discardEpoch()
    if (c.dropped) return await assert.rejects(call(), isGone)
    const epochs = this.#epochsOf(c, session)
    const epoch = epochs.standing.pop()
    const result = await call()
    assert.equal(result.epoch, epoch ?? 0)
    if (epoch === undefined)
      return assert.deepEqual([result.discarded, result.restored, result.lost], [[], [], []])
    const own = [...this.summaries.values()].filter((one) => one.c === c && one.session === session)
    const withdrawn = own.filter((one) => one.epoch === epoch && this.isLive(one.key))
    assert.deepEqual([...result.discarded].sort(), withdrawn.map(({ key }) => key).sort())
    for (const one of withdrawn) one.dead = 'discarded'
    const replaced = own.filter(
      (one) => one.epoch < epoch && one.by.some((key) => this.summaries.get(key)!.epoch === epoch),
    )
    const { restored, lost } = result
    assert.deepEqual(
      [...restored.map(({ from }) => from), ...lost.map(({ key }) => key)].sort(),
      replaced.map(({ key }) => key).sort(),
      'everything it replaced is brought back or lost',
    )
    for (const old of replaced) {
      const missing = old.deps.filter((key) => !this.isSatisfied(key))
      const back = restored.find(({ from }) => from === old.key)
      assert.equal(back === undefined, old.erased || missing.length > 0, 'nothing is born stale')
      if (back === undefined) {
        const gone = lost.find(({ key }) => key === old.key)!
        assert.deepEqual([...gone.missing].sort(), old.erased ? [] : missing.sort())
        continue
      }
      assert.ok(!this.isKnown(back.to), 'a new key')
      const same = new Set([old.key, ...this.#class(old.key)])
      this.#order.push(back.to)
      this.summaries.set(back.to, { ...old, key: back.to, same, dead: undefined, by: [] })
      // It follows whatever of the epoch had last stood in its place.
      const stood = old.by.filter((key) => this.summaries.get(key)!.epoch === epoch)
      const last = this.#order.findLast(
        (key) =>
          this.summaries.get(key)?.epoch === epoch &&
          stood.some((one) => one === key || this.#class(one).includes(key)),
      )
      this.summaries.get(last!)!.by.push(back.to)
      assert.equal(this.identical(old.key), back.to, 'identical to the old')
    }
    this.#left(before, result.stale)
  }

  #class(key: Key): Key[] {
    const { same } = this.summaries.get(key)!
    const later = [...this.summaries.values()].filter((other) => other.same.has(key)).map((o) => o.key)
    return [...same, ...later]
  }

  #saysTheSame(before: string, after: string): boolean {
    const old = anchorsOf(before)
    const now = anchorsOf(after)
    return (
      skeleton(before) === skeleton(after) &&
      old.every((key, i) => this.#descends(key, now[i]!) || this.identical(key) === now[i])
    )
  }

  #upToDate(key: Key): Key {
    if (this.isLive(key)) return key
    const identical = this.identical(key)
    if (identical !== undefined) return identical
    const live = [...(this.spans.get(key)?.edges ?? this.summaries.get(key)?.by ?? [])].find((next) =>
      this.isLive(next),
    )
    return live ?? key
  }

  #refusal(
    commands: readonly { text: string; dependsOn: Key[]; covers: readonly Key[]; replaces: Key[] }[],
    states: Map<Key, State>,
  ): string[] | undefined {
    const codes = new Set<string>()
    const replaced = new Set<Key>()
    for (const { text, dependsOn, covers, replaces } of commands) {
      const deps = [...anchorsOf(text), ...dependsOn]
      for (const key of [...deps, ...covers])
        if (!this.isSatisfied(key, states) || (this.spans.has(key) && isBlank(this.spans.get(key)!.text)))
          codes.add('DEPENDENCY_UNSATISFIED')
      for (const old of replaces) {
        if (replaced.has(old)) codes.add('KEY_NOT_LIVE')
        replaced.add(old)
        if (deps.some((key) => this.#standsOn(key, old))) codes.add('CYCLE')
      }
    }
    return codes.size === 0 ? undefined : [...codes]
  }

  // ── what must hold after every step ───────────────────────────────────────────────────────────────────────

  async check(): Promise<void> {
    const states = this.due()
    for (const c of this.collections) {
      const keys = [...this.spans.values(), ...this.summaries.values()].filter((n) => n.c === c)
      const results = await this.store.fetchMany(keys.map(({ key }) => key))
      results.forEach((result, i) => {
        const { key } = keys[i]!
        assert.equal(result.key, key)
        const span = this.spans.get(key)
        if (span === undefined) this.#checkSummary(this.summaries.get(key)!, result, states)
        else this.#checkSpan(span, result)
      })
      if (!c.dropped) await this.#checkCollection(c)
    }
    await this.#checkEvents(states)
    await this.#checkPast(states)
  }

  #checkSpan(span: MSpan, result: FetchResult): void {
    if (this.isLive(span.key)) {
      assert.equal(result.status, isBlank(span.text) ? 'empty' : 'ok', `${span.key} is live`)
      assert.ok(result.status === 'ok' || result.status === 'empty')
      assert.ok(result.kind === 'span')
      assert.equal(result.span.text, span.text ?? '', 'the text of a key never changes')
      assert.deepEqual(result.span.metadata, JSON.parse(span.meta))
      assert.equal(result.span.expiresAt, span.source.expires)
      return
    }
    assert.ok(result.status === 'tombstone', `${span.key} is a tombstone, not ${result.status}`)
    const { tombstone } = result
    assert.equal(tombstone.reason, span.dead?.reason ?? 'deleted')
    assert.deepEqual(tombstone.successors, span.dead?.successors ?? [], 'successors never change')
    assert.equal(tombstone.source, span.source.name)
    assert.equal(tombstone.identical, this.identical(span.key), `identical of ${span.key} (${span.text})`)
    assert.equal(tombstone.prunedAt !== undefined, span.pruned)
    assert.equal(tombstone.erasedAt !== undefined, span.erased)
  }

  #checkSummary(summary: MSummary, result: FetchResult, states: Map<Key, State>): void {
    if (!this.isLive(summary.key)) {
      assert.ok(result.status === 'tombstone')
      assert.equal(result.tombstone.reason, summary.dead ?? 'discarded')
      assert.equal(result.tombstone.identical, this.identical(summary.key), `identical of ${summary.text}`)
      assert.deepEqual(result.tombstone.successors, summary.by)
      return
    }
    assert.ok(result.status === 'ok' && result.kind === 'summary')
    const found: Summary = result.span
    const { state, causes } = states.get(summary.key)!
    assert.deepEqual(
      found.causes.map(({ key }) => key).sort(),
      [...causes].sort(),
      `causes of ${summary.key} (${summary.text})`,
    )
    assert.equal(found.state, state)
    assert.equal(found.text, summary.text)
    assert.deepEqual([...found.dependsOn].sort(), [...summary.deps].sort())
  }

  async #checkCollection(c: MCollection): Promise<void> {
    const live = [...this.spans.values()].filter((span) => span.c === c && this.isLive(span.key))
    assert.equal(await c.handle.count(), live.length, 'count')
    const found = await c.handle.find({ limit: 10_000 })
    assert.deepEqual(found.map(({ key }) => key).sort(), live.map(({ key }) => key).sort(), 'find')
    for (const source of this.sources.values()) {
      if (source.c !== c) continue
      const info = await c.handle.source(source.name)
      if (source.revisions.length === 0) {
        assert.equal(info.status, 'absent')
        continue
      }
      const own = live.filter((span) => span.source === source).map(({ key }) => key)
      assert.ok(info.status !== 'absent')
      assert.equal(info.status, source.removed ? 'tombstone' : own.length > 0 ? 'ok' : 'empty')
      assert.equal(info.info.live, own.length)
      assert.equal(info.info.revision, source.revisions.length)
      // All revisions now and then, the last ones always: what is written stays as it is.
      const from = this.spans.size % 7 === 0 ? 1 : Math.max(1, source.revisions.length - 1)
      for (let number = from; number <= source.revisions.length; number++) {
        const revision = source.revisions[number - 1]!
        const read = await c.handle.read(source.name, { revision: number })
        const gone = (key: Key) => this.spans.get(key)!.pruned || this.spans.get(key)!.erased
        if (!source.erased && !revision.keys.some(gone))
          assert.equal(read.text, revision.text, `revision ${number} of ${source.name}`)
        for (const { key } of read.gaps) assert.ok(key === undefined ? source.erased : gone(key))
        assert.deepEqual(
          read.places.map(({ key }) => key),
          revision.keys,
        )
        if (number === source.revisions.length)
          assert.deepEqual(
            read.places.filter(({ status }) => status !== 'tombstone').map(({ key }) => key),
            revision.keys.filter((key) => own.includes(key)),
            'the live spans of a source are those of its manifest that were not retired since',
          )
      }
      assert.equal(
        own.length,
        source.revisions.at(-1)!.keys.filter((key) => own.includes(key)).length,
        'no live span outside the manifest',
      )
    }
  }

  async #checkEvents(states: Map<Key, State>): Promise<void> {
    for (const c of this.collections) {
      const log = this.#events.get(c.id) ?? []
      const [ref] = this.#reader.row<[number]>('SELECT id FROM collection WHERE key = ?', c.id)!
      const { events } = readEvents(this.#reader, { collection: ref, after: log.length, limit: 100_000 })
      const commits = new Map<Key, number>()
      for (const event of events) {
        assert.equal(event.position, log.length + 1, 'positions count up by one')
        assert.ok(!JSON.stringify(event.data).includes('treasurer'), 'events carry no text')
        log.push(event)
        if (event.type === 'summary.stale' || event.type === 'summary.current')
          commits.set(event.subject!, (commits.get(event.subject!) ?? 0) + 1)
      }
      this.#events.set(c.id, log)
      const added = new Map<Key, number>()
      const retired = new Map<Key, number>()
      const replayed = new Map<Key, SummaryState>()
      const count = (map: Map<Key, number>, key: Key) => map.set(key, (map.get(key) ?? 0) + 1)
      for (const event of log) {
        const subject = event.subject!
        if (event.type === 'span.added') count(added, subject)
        else if (event.type === 'summary.registered') {
          count(added, subject)
          replayed.set(subject, 'current')
        } else if (event.type === 'span.retired' || event.type === 'summary.superseded')
          count(retired, subject)
        else if (event.type === 'summary.current') replayed.set(subject, 'current')
        else if (event.type === 'summary.stale') {
          assert.ok(this.isKnown(event.data.cause), 'a cause is a key')
          assert.notEqual(replayed.get(subject), event.data.state, 'an event is a change')
          replayed.set(subject, event.data.state)
        } else if (event.type === 'collection.dropped') {
          assert.equal(event, log.at(-1), 'nothing happens in a collection after its drop')
        }
      }
      const nodes = [...this.spans.values(), ...this.summaries.values()].filter((n) => n.c === c)
      assert.equal(added.size, nodes.length)
      for (const node of nodes) {
        assert.equal(added.get(node.key), 1, 'one added per key')
        assert.equal(retired.get(node.key) ?? 0, node.dead === undefined ? 0 : 1, 'one retired per tombstone')
        if (this.summaries.has(node.key) && this.isLive(node.key))
          assert.equal(replayed.get(node.key), states.get(node.key)!.state, 'replaying gives the state')
      }
    }
  }

  isKnown(key: Key): boolean {
    return this.spans.has(key) || this.summaries.has(key)
  }

  /** What a key answered at a position, it answers as of that position for ever. */
  async #checkPast(states: Map<Key, State>): Promise<void> {
    const known = [...this.spans.keys(), ...this.summaries.keys()]
    if (known.length === 0) return
    const key = known[(known.length * 7 + this.#past.length * 13) % known.length]!
    const { c } = (this.spans.get(key) ?? this.summaries.get(key))!
    const at = this.#events.get(c.id)!.length
    const result = await this.store.fetch(key)
    this.#past.push({ at, key, c, result, state: states.get(key) })
    for (const memory of this.#past.slice(-12)) {
      if (memory.c.dropped) continue
      const then = await memory.c.handle.fetch(memory.key, { asOf: memory.at })
      const node = this.spans.get(memory.key) ?? this.summaries.get(memory.key)!
      if (node.erased || ('pruned' in node && node.pruned)) {
        assert.ok(then.status === 'tombstone')
        assert.ok((then.tombstone.prunedAt ?? then.tombstone.erasedAt) !== undefined)
        continue
      }
      assert.equal(then.status, memory.result.status, `${memory.key} as of ${memory.at}`)
      if (then.status === 'ok' && memory.result.status === 'ok') {
        assert.equal(then.span.text, memory.result.span.text)
        if (then.kind === 'summary') assert.equal(then.span.state, memory.state!.state)
        if (then.kind === 'span' && memory.result.kind === 'span')
          assert.deepEqual(then.span.metadata, memory.result.span.metadata)
      }
      if (then.status === 'tombstone' && memory.result.status === 'tombstone') {
        assert.equal(then.tombstone.reason, memory.result.tombstone.reason)
        assert.equal(then.tombstone.position, memory.result.tombstone.position)
      }
    }
  }

  /** After a run: the file is sound, and the store's own check finds nothing. */
  finish(): void {
    assert.deepEqual(this.#reader.rows('PRAGMA foreign_key_check'), [])
    assert.deepEqual(verifyLedger(this.#reader, false), [])
  }
}
