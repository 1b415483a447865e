import { alignInOrder, classes, NEVER, sameText } from './align.ts'
import type { Changeset, Draft, DraftChunk, Entry, Lead, Retirement, Slot, Texts } from './changeset.ts'
import { type Place, retire, type Side } from './successors.ts'
import { nonBlank } from './tokens.ts'

/** A run that moved needs this many UTF-16 units: a "Yes." elsewhere answers another question. */
const MOVED_LENGTH = 32

/** How many elements the shortest unique part of a run that moved may have. */
const MOVED_WINDOW = 16

/**
 * Decides what a draft makes of the last manifest: which entries keep their key, which chunks get a new one, which
 * entries are retired, why, and what took their place. `trailing` is the old text after the last entry. Pure: the
 * same input gives the same output. Texts are read only around entries that are retired.
 */
export function plan(entries: readonly Entry[], trailing: string, draft: Draft, texts: Texts): Changeset {
  const { chunks } = draft
  if (entries.length === 0)
    return { slots: chunks.map((_, mint) => ({ mint })), retired: [], moved: [], updated: [], restored: [] }
  const inOrder = alignInOrder(entries, chunks)
  const kept = inOrder.slice()
  const restored: [number, number][] = []
  for (let chunk = 0; chunk < kept.length; chunk++) {
    const entry = kept[chunk]!
    if (entry < 0 || entries[entry]!.live) continue
    restored.push([entry, chunk])
    kept[chunk] = -1
  }
  const moved: number[] = []
  for (const [chunk, entry] of movesOf(entries, chunks, inOrder)) {
    kept[chunk] = entry
    moved.push(entry)
  }

  const slots: Slot[] = []
  const updated: number[] = []
  const isKept = new Uint8Array(entries.length)
  for (let chunk = 0; chunk < kept.length; chunk++) {
    const entry = kept[chunk]!
    if (entry < 0) {
      slots.push({ mint: chunk })
      continue
    }
    slots.push({ keep: entry, chunk })
    isKept[entry] = 1
    if (entries[entry]!.metadata !== chunks[chunk]!.metadata) updated.push(entry)
  }
  const retired = retirements({ entries, trailing, draft, inOrder, kept, isKept }, texts)
  return { slots, retired, moved, updated, restored }
}

/**
 * What `plan` decides for a record: a source that is one live span, with nothing before or after it, and stays one.
 * `blank`: the chunk has no text, or none to see.
 */
export function planOne(entry: Entry, chunk: DraftChunk, blank: boolean): Changeset {
  const nothing = { retired: [], moved: [], updated: [], restored: [] }
  if (sameText(entry, chunk)) {
    const updated = entry.metadata === chunk.metadata ? [] : [0]
    return { ...nothing, slots: [{ keep: 0, chunk: 0 }], updated }
  }
  // No text and an empty one read the same.
  const reason = entry.length === 0 && chunk.length === 0 ? 'rechunked' : 'edited'
  const retired = [{ entry: 0, reason, successors: blank ? [] : [0] } as const]
  return { ...nothing, slots: [{ mint: 0 }], retired }
}

/** Both revisions, as far as the alignment has settled them. */
interface Revision {
  readonly entries: readonly Entry[]
  readonly trailing: string
  readonly draft: Draft
  /** The entry each chunk stands in place of, or -1. */
  readonly inOrder: Int32Array
  /** The entry whose key each chunk keeps, or -1. */
  readonly kept: Int32Array
  readonly isKept: Uint8Array
}

/** Entries `[oldFrom, oldTo)` and chunks `[newFrom, newTo)` between two texts that stayed in place. */
interface Region {
  readonly oldFrom: number
  readonly oldTo: number
  readonly newFrom: number
  readonly newTo: number
}

/** Retires, between each two texts that stayed in place, the live entries that are not kept. */
function retirements(revision: Revision, texts: Texts): readonly Retirement[] {
  const { entries, draft, inOrder, isKept } = revision
  const regions: Region[] = []
  const asked: number[] = []
  let oldFrom = 0
  let newFrom = 0
  const close = (oldTo: number, newTo: number) => {
    let leaves = false
    for (let i = oldFrom; i < oldTo; i++) if (entries[i]!.live && isKept[i] === 0) leaves = true
    if (leaves) {
      regions.push({ oldFrom, oldTo, newFrom, newTo })
      for (let i = oldFrom; i < oldTo; i++) if (isKept[i] === 0) asked.push(i)
    }
    oldFrom = oldTo + 1
    newFrom = newTo + 1
  }
  for (let chunk = 0; chunk < inOrder.length; chunk++) if (inOrder[chunk]! >= 0) close(inOrder[chunk]!, chunk)
  close(entries.length, draft.chunks.length)
  if (regions.length === 0) return []

  const read = texts.old(asked)
  const oldTexts = new Map(asked.map((entry, index) => [entry, read[index]]))
  const record = entries.length === 1 && draft.chunks.length === 1
  return regions.flatMap((region) => {
    const old = oldSide(revision, region, oldTexts)
    return retire(old, newSide(revision, region, old, texts), record)
  })
}

// Lone surrogates are in no well-formed text, so what is unknown equals nothing on the other side.
const UNKNOWN_OLD = '\udc00'
const UNKNOWN_NEW = '\ud800'

function oldSide(
  revision: Revision,
  region: Region,
  oldTexts: ReadonlyMap<number, string | undefined>,
): Side {
  const { entries, trailing, isKept } = revision
  return lay(entries, region.oldFrom, region.oldTo, trailing, (i) => {
    const { live, length } = entries[i]!
    const text = oldTexts.get(i)
    const stays = !live || isKept[i] === 1
    return { text: text ?? UNKNOWN_OLD.repeat(length), known: text !== undefined, stays }
  })
}

function newSide({ draft, kept }: Revision, region: Region, old: Side, texts: Texts): Side {
  const { chunks } = draft
  const unread = (j: number): Content => {
    return { text: UNKNOWN_NEW.repeat(chunks[j]!.length), known: false, stays: kept[j]! >= 0 }
  }
  const side = lay(chunks, region.newFrom, region.newTo, draft.trailing, (j) => {
    // What moved here came from elsewhere: nothing that was here became it.
    const text = kept[j]! < 0 ? texts.chunk(j) : undefined
    return text === undefined ? unread(j) : { text, known: true, stays: false }
  })
  // Where old spans overlap the texts that stayed, there may be more chunks now that hold what they held.
  let lowest = 0
  let highest = side.border
  for (const { start, end } of old.places) {
    lowest = Math.min(lowest, start)
    highest = Math.max(highest, end - old.border + side.border)
  }
  const places = [...side.places]
  let end = 0
  for (let j = region.newFrom - 1; j >= 0 && end > lowest; j--) {
    const { length, lead } = chunks[j]!
    places.unshift(placeOf(j, end - length, unread(j)))
    end += lead.overlap - lead.gap.length - length
  }
  let start = side.border
  for (let j = region.newTo; j < chunks.length && start < highest; j++) {
    places.push(placeOf(j, start, unread(j)))
    const lead = chunks[j + 1]?.lead
    start += chunks[j]!.length + (lead ? lead.gap.length - lead.overlap : 0)
  }
  return { ...side, places }
}

type Content = Pick<Place, 'text' | 'known' | 'stays'>

const placeOf = (index: number, start: number, content: Content): Place => {
  const { text } = content
  return { index, start, end: start + text.length, size: nonBlank(text), ...content }
}

/** Lays spans `[from, to)` out after the text that stayed before them, up to the text that stayed after them. */
function lay(
  spans: readonly { readonly length: number; readonly lead: Lead }[],
  from: number,
  to: number,
  trailing: string,
  contentOf: (index: number) => Content,
): Side {
  const places: Place[] = []
  const parts: string[] = []
  let covered = 0
  for (let index = from; index < to; index++) {
    const { lead } = spans[index]!
    const place = placeOf(index, covered + lead.gap.length - lead.overlap, contentOf(index))
    places.push(place)
    parts.push(lead.gap, place.text.slice(lead.overlap))
    covered = Math.max(covered, place.end)
  }
  const next = spans[to]
  const { gap, overlap } = next?.lead ?? { gap: trailing, overlap: 0 }
  const border = covered + gap.length - overlap
  parts.push(gap)
  return {
    places,
    text: parts.join('').slice(0, Math.max(0, border)),
    border,
    before: spans[from - 1]?.length ?? 0,
    after: next?.length ?? 0,
  }
}

/**
 * Runs of live entries that stand elsewhere in the draft, by chunk. A run counts if its texts occur, in that order,
 * once among the unmatched of each side, and if it is long enough to be recognised.
 */
function movesOf(
  entries: readonly Entry[],
  chunks: readonly DraftChunk[],
  inOrder: Int32Array,
): readonly (readonly [chunk: number, entry: number])[] {
  const free = new Uint8Array(entries.length).fill(1)
  for (const entry of inOrder) if (entry >= 0) free[entry] = 0
  const textClass = classes<string | undefined>()
  const textless = textClass(undefined)
  const classOf = ({ hash, length }: Entry | DraftChunk) =>
    hash !== undefined ? textClass(hash) : length === 0 ? textless : NEVER
  const old = new Int32Array(entries.length).fill(NEVER)
  const newer = new Int32Array(chunks.length).fill(NEVER)
  for (let i = 0; i < old.length; i++) if (free[i] === 1 && entries[i]!.live) old[i] = classOf(entries[i]!)
  for (let j = 0; j < newer.length; j++) if (inOrder[j]! < 0) newer[j] = classOf(chunks[j]!)

  const entryOf = new Map<number, number>()
  const taken = new Uint8Array(entries.length)
  const same = (i: number, j: number) =>
    old[i] !== undefined && old[i] === newer[j] && old[i] !== NEVER && taken[i] === 0 && !entryOf.has(j)
  const take = (oldSeed: number, newSeed: number, size: number) => {
    for (let k = 0; k < size; k++) if (!same(oldSeed + k, newSeed + k)) return
    let from = 0
    while (same(oldSeed + from - 1, newSeed + from - 1)) from--
    let to = size
    while (same(oldSeed + to, newSeed + to)) to++
    let length = 0
    for (let k = from; k < to; k++) length += entries[oldSeed + k]!.length
    if (length < MOVED_LENGTH) return
    for (let k = from; k < to; k++) {
      taken[oldSeed + k] = 1
      entryOf.set(newSeed + k, oldSeed + k)
    }
  }

  // Windows grow until they are unique. A run around a unique window is unique itself.
  let olds = windowsOf(old)
  let news = windowsOf(newer)
  for (let size = 1; size <= MOVED_WINDOW; size++) {
    const places = new Map<number, { olds: number; news: number; old: number; new: number }>()
    for (const [i, kind] of olds) {
      const place = places.get(kind)
      if (place) place.olds++
      else places.set(kind, { olds: 1, news: 0, old: i, new: -1 })
    }
    for (const [j, kind] of news) {
      const place = places.get(kind)
      if (!place) continue
      place.news++
      place.new = j
    }
    const repeated = new Set<number>()
    for (const [kind, place] of places) {
      if (place.olds === 1 && place.news === 1) take(place.old, place.new, size)
      else if (place.news > 0) repeated.add(kind)
    }
    if (repeated.size === 0) break
    const longer = classes<number>()
    const grow = (windows: Windows, side: Int32Array): Windows =>
      windows.flatMap(([at, kind]) => {
        const next = side[at + size] ?? NEVER
        if (next === NEVER || !repeated.has(kind)) return []
        return [[at, longer(kind * (entries.length + chunks.length + 1) + next)] as const]
      })
    olds = grow(olds, old)
    news = grow(news, newer)
  }
  return [...entryOf].sort((a, b) => a[0] - b[0])
}

/** Where a window starts, and the class of its contents. */
type Windows = readonly (readonly [at: number, kind: number])[]

function windowsOf(side: Int32Array): Windows {
  const windows: [number, number][] = []
  for (let at = 0; at < side.length; at++) if (side[at] !== NEVER) windows.push([at, side[at]!])
  return windows
}
