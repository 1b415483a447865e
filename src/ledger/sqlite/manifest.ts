import { type Connection, insertInto } from './statements.ts'

/*
 * A manifest is the sequence of places of one revision, kept as a persistent tree: leaves of up to 64 places,
 * inner pages of up to 64 pages, and a tail of up to 64 places inside the revision's own row. A new revision
 * writes only the pages that differ, so an append to a conversation of 100 000 turns writes what an append to one
 * of ten does, plus a page every 64 turns; a conversation of up to 64 turns needs no page at all. (The tail is
 * the idea of Clojure's persistent vector; unlike it, pages may be part full, so that an edit stays local.)
 *
 * A place is a span and its lead, encoded as two varints: the difference to the previous span id, zigzag, and a
 * number: 0 nothing between, even = twice the id of a gap, odd = an overlap.
 */

const FULL = 64

export interface Places {
  readonly ids: number[]
  /** 0: nothing; even: twice a gap's id; odd: twice an overlap, less one. */
  readonly leads: number[]
}

export interface Tree {
  readonly root: number | null
  readonly tail: Buffer
}

export const EMPTY: Tree = { root: null, tail: Buffer.alloc(0) }

interface Page {
  readonly level: number
  /** Spans of a leaf, pages of an inner page. */
  readonly ids: number[]
  readonly leads: number[]
}

const INSERT_PAGE = insertInto('page', ['body'])
const PAGE = 'SELECT body FROM page WHERE id = ?'

function encode(ids: readonly number[], leads: readonly number[], level?: number): Buffer {
  const bytes: number[] = level === undefined ? [] : [level]
  const varint = (n: number) => {
    while (n >= 128) {
      bytes.push((n % 128) | 128)
      n = Math.floor(n / 128)
    }
    bytes.push(n)
  }
  let last = 0
  for (let i = 0; i < ids.length; i++) {
    const delta = ids[i]! - last
    varint(delta < 0 ? -2 * delta - 1 : 2 * delta)
    last = ids[i]!
    if (level === undefined || level === 0) varint(leads[i]!)
  }
  return Buffer.from(bytes)
}

function decode(body: Buffer, places: Places, level?: number): void {
  let at = level === undefined ? 0 : 1
  const varint = () => {
    let n = 0
    let scale = 1
    for (;;) {
      const byte = body[at++]!
      n += (byte & 127) * scale
      if (byte < 128) return n
      scale *= 128
    }
  }
  let last = 0
  while (at < body.length) {
    const z = varint()
    last += z % 2 === 1 ? -(z + 1) / 2 : z / 2
    places.ids.push(last)
    places.leads.push(level === undefined || level === 0 ? varint() : 0)
  }
}

function readPage(connection: Connection, id: number): Page {
  const body = connection.value<Buffer>(PAGE, id)!
  const page: Page = { level: body[0]!, ids: [], leads: [] }
  decode(body, page, page.level)
  return page
}

function writePage(
  connection: Connection,
  level: number,
  ids: readonly number[],
  leads: readonly number[],
): number {
  return Number(connection.prepare(INSERT_PAGE).run(encode(ids, leads, level)).lastInsertRowid)
}

/** One level of a tree that was read: what its pages hold, in order, and which page holds which part. */
interface Level {
  readonly items: Places
  readonly pages: { readonly id: number; readonly from: number; readonly to: number }[]
}

/** A manifest with the pages it was read from, lowest level first. */
export interface Manifest {
  readonly places: Places
  readonly levels: readonly Level[]
}

export const NOTHING: Manifest = { places: { ids: [], leads: [] }, levels: [] }

export function readManifest(connection: Connection, tree: Tree): Manifest {
  const levels: Level[] = []
  const visit = (id: number) => {
    const body = connection.value<Buffer>(PAGE, id)!
    const height = body[0]!
    for (let i = levels.length; i <= height; i++) levels.push({ items: { ids: [], leads: [] }, pages: [] })
    const { items, pages } = levels[height]!
    const from = items.ids.length
    decode(body, items, height)
    const to = items.ids.length
    pages.push({ id, from, to })
    if (height > 0) for (let i = from; i < to; i++) visit(items.ids[i]!)
  }
  if (tree.root !== null) visit(tree.root)
  const places = levels[0]?.items ?? { ids: [], leads: [] }
  decode(tree.tail, places)
  return { places, levels }
}

/** All places, in order. */
export const readPlaces = (connection: Connection, tree: Tree): Places =>
  readManifest(connection, tree).places

/** Adds places at the end: touches the tail, and the right edge of the tree once the tail is full. */
export function appendPlaces(connection: Connection, tree: Tree, added: Places): Tree {
  const tail: Places = { ids: [], leads: [] }
  decode(tree.tail, tail)
  const ids = tail.ids.concat(added.ids)
  const leads = tail.leads.concat(added.leads)
  const leaves: number[] = []
  let from = 0
  for (; ids.length - from > FULL; from += FULL)
    leaves.push(writePage(connection, 0, ids.slice(from, from + FULL), leads.slice(from, from + FULL)))
  return {
    root: leaves.length === 0 ? tree.root : growRight(connection, tree.root, leaves),
    tail: encode(ids.slice(from), leads.slice(from)),
  }
}

function growRight(connection: Connection, root: number | null, leaves: number[]): number {
  const pack = (level: number, children: number[]) => {
    const pages: number[] = []
    for (let i = 0; i < children.length; i += FULL)
      pages.push(writePage(connection, level, children.slice(i, i + FULL), []))
    return pages
  }
  // Returns the pages that stand in the place of `id`, at its level.
  const extend = (id: number): { level: number; pages: number[] } => {
    const page = readPage(connection, id)
    if (page.level === 0) return { level: 0, pages: [id, ...leaves] }
    const below = page.level === 1 ? leaves : extend(page.ids.at(-1)!).pages
    const kept = page.level === 1 ? page.ids : page.ids.slice(0, -1)
    return { level: page.level, pages: pack(page.level, [...kept, ...below]) }
  }
  let { level, pages } = root === null ? { level: 0, pages: leaves } : extend(root)
  while (pages.length > 1) pages = pack(++level, pages)
  return pages[0]!
}

/**
 * Writes a new sequence, reusing every page of the old tree that stands in it unchanged. The first `before` and the
 * last `after` places are known to be the same.
 */
export function writePlaces(
  connection: Connection,
  old: Manifest,
  next: Places,
  same: { readonly before: number; readonly after: number },
): Tree {
  // What follows the last reused leaf stays in the row while it fits.
  const { pages: leaves, rest } = repack(connection, 0, old.levels[0], next, same)
  const tail = encode(next.ids.slice(next.ids.length - rest), next.leads.slice(next.leads.length - rest))
  let pages = leaves
  for (let level = 1; pages.length > 1; level++) {
    const inner: Places = { ids: pages, leads: pages.map(() => 0) }
    pages = repack(connection, level, old.levels[level], inner, undefined).pages
  }
  return { root: pages[0] ?? null, tail }
}

/** `same` is given for leaves only, which may leave a tail. */
function repack(
  connection: Connection,
  level: number,
  old: Level | undefined,
  next: Places,
  same: { readonly before: number; readonly after: number } | undefined,
): { pages: number[]; rest: number } {
  const reused = old === undefined ? [] : standing(old, next, same ?? { before: 0, after: 0 })
  const pages: number[] = []
  const write = (from: number, to: number) => {
    // Even pages, so that a region of 65 does not leave a page of one.
    const count = Math.ceil((to - from) / FULL)
    for (let i = 0; i < count; i++) {
      const a = from + Math.floor(((to - from) * i) / count)
      const b = from + Math.floor(((to - from) * (i + 1)) / count)
      pages.push(writePage(connection, level, next.ids.slice(a, b), next.leads.slice(a, b)))
    }
  }
  let done = 0
  for (const run of reused) {
    const dirty = run.from - done
    // A sliver joins the page after it, so that many small edits do not leave many small pages.
    if (dirty > 0 && dirty < FULL / 4 && run.to - done <= FULL * 2) write(done, run.to)
    else {
      if (dirty > 0) write(done, run.from)
      pages.push(run.id)
    }
    done = run.to
  }
  const rest = next.ids.length - done
  if (same !== undefined && rest <= FULL) return { pages, rest }
  if (rest > 0) write(done, next.ids.length)
  return { pages, rest: 0 }
}

/** The old pages whose items stand together somewhere in `next`, in the order of `next`. */
function standing(
  old: Level,
  next: Places,
  same: { readonly before: number; readonly after: number },
): { from: number; to: number; id: number }[] {
  let index: Map<number, number> | undefined
  const find = (id: number) => {
    index ??= new Map(next.ids.map((other, i) => [other, i]))
    return index.get(id)
  }
  const { ids, leads } = old.items
  const shift = next.ids.length - ids.length
  const reused: { from: number; to: number; id: number }[] = []
  let expected = 0
  for (const { id, from, to } of old.pages) {
    const known = to <= same.before ? from : from >= ids.length - same.after ? from + shift : undefined
    const at = known ?? (next.ids[expected] === ids[from] ? expected : find(ids[from]!))
    if (at === undefined || at + to - from > next.ids.length) continue
    let i = known === undefined ? from : to
    while (i < to && next.ids[at + i - from] === ids[i] && next.leads[at + i - from] === leads[i]) i++
    if (i < to) continue
    expected = at + to - from
    reused.push({ from: at, to: expected, id })
  }
  return reused.sort((a, b) => a.from - b.from)
}
