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

/** All places, in order. */
export function readPlaces(connection: Connection, tree: Tree): Places {
  const places: Places = { ids: [], leads: [] }
  const visit = (id: number) => {
    const body = connection.value<Buffer>(PAGE, id)!
    if (body[0] === 0) return decode(body, places, 0)
    const page: Page = { level: body[0]!, ids: [], leads: [] }
    decode(body, page, page.level)
    for (const child of page.ids) visit(child)
  }
  if (tree.root !== null) visit(tree.root)
  decode(tree.tail, places)
  return places
}

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

/** Writes a new sequence, reusing every page of the old tree that stands in it unchanged. */
export function writePlaces(connection: Connection, old: Tree, next: Places): Tree {
  const levels: { id: number; page: Page }[][] = []
  const collect = (id: number) => {
    const page = readPage(connection, id)
    levels[page.level] ??= []
    levels[page.level]!.push({ id, page })
    if (page.level > 0) for (const child of page.ids) collect(child)
  }
  if (old.root !== null) collect(old.root)

  // What follows the last reused leaf stays in the row while it fits.
  let { pages, rest } = repack(connection, 0, levels[0] ?? [], next, true)
  const tail = encode(next.ids.slice(next.ids.length - rest), next.leads.slice(next.leads.length - rest))
  if (pages.length === 0) return { root: null, tail }
  for (let level = 1; pages.length > 1; level++) {
    const zeros = pages.map(() => 0)
    pages = repack(connection, level, levels[level] ?? [], { ids: pages, leads: zeros }, false).pages
    rest = 0
  }
  return { root: pages[0]!, tail }
}

function standsAt(page: Places, next: Places, from: number): boolean {
  for (let i = 0; i < page.ids.length; i++)
    if (next.ids[from + i] !== page.ids[i] || next.leads[from + i] !== page.leads[i]) return false
  return true
}

function repack(
  connection: Connection,
  level: number,
  old: readonly { id: number; page: Page }[],
  next: Places,
  keepTail: boolean,
): { pages: number[]; rest: number } {
  let index: Map<number, number> | undefined
  const find = (id: number) => {
    index ??= new Map(next.ids.map((other, i) => [other, i]))
    return index.get(id)
  }
  // Runs of `next` that an old page already holds, in the order of `next`.
  const reused: { from: number; to: number; id: number }[] = []
  let expected = 0
  for (const { id, page } of old) {
    // Nearly always the page follows the one before it, or the whole sequence was shifted a little.
    const from = next.ids[expected] === page.ids[0] ? expected : find(page.ids[0]!)
    if (from === undefined || from + page.ids.length > next.ids.length) continue
    if (standsAt(page, next, from)) {
      reused.push({ from, to: from + page.ids.length, id })
      expected = from + page.ids.length
    }
  }
  reused.sort((a, b) => a.from - b.from)

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
  for (let i = 0; i < reused.length; i++) {
    const run = reused[i]!
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
  if (keepTail && rest <= FULL) return { pages, rest }
  if (rest > 0) write(done, next.ids.length)
  return { pages, rest: 0 }
}
