import { alignInOrder, sameText } from './align.ts'
import type { Changeset, Draft, DraftChunk, Entry, Lead, Retirement, Slot, Texts } from './changeset.ts'
import type { Place, Side } from './common-text.ts'
import { movesOf } from './moves.ts'
import { retire } from './successors.ts'
import { nonBlank } from './tokens.ts'

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
