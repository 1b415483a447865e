import type { Chunker } from '../chunking/index.ts'
import type { Changeset, Texts } from '../core/changeset.ts'
import { requireRevision } from '../core/expected.ts'
import type { PutResult } from '../core/model.ts'
import { plan } from '../core/plan.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { PlannedPut, Window } from '../ports/planned.ts'
import { nextTurn } from '../threads/turn.ts'
import { rebuildChunker } from './chunkers.ts'
import { chunked, type DraftSpan, type Prepared } from './draft.ts'
import { canonical } from './input.ts'
import { isLong, planElsewhere } from './plan-elsewhere.ts'

export interface Planning {
  readonly ledger: Ledger
  /** The collection. */
  readonly ref: number
  /** Chunkers this process has used there, so that a later put may leave the chunker out. */
  readonly chunkers: Map<string, Chunker>
}

const NO_WINDOW: Window = { before: 0, after: 0, entries: [] }

/** Spans of a draft from which others get their turns while it is planned. */
const LONG = 1_000

const NEEDS_TEXTS = Symbol('needs texts')

const NOTHING: Changeset = { slots: [], retired: [], moved: [], updated: [], restored: [] }

/** Seen in one look at the source: everything else was decided over several, so the ledger judges it at its commit. */
export const changesNothing = ({ unchanged, changeset }: PlannedPut): boolean =>
  unchanged !== undefined && changeset === NOTHING

/**
 * Decides what a put has to write, by what its source looks like now. Nothing is written; a ledger refuses a plan that
 * was made on an older version. @throws REVISION_CONFLICT, INVALID_CHUNKS, CHUNKER_UNKNOWN
 */
export async function planPut(planning: Planning, put: Prepared): Promise<PlannedPut> {
  const { ledger, ref, chunkers } = planning
  const head = await ledger.head(ref, put.source)
  requireRevision(put.source, put.expectedRevision, head.revision)
  if (put.chunker !== undefined) chunkers.set(put.chunker.id, put.chunker)
  const keepsChunker = put.spans === undefined && put.chunker === undefined && head.chunker !== undefined
  const draft = await chunked(put, {
    metadata: head.metadata,
    chunker: keepsChunker ? (chunkers.get(head.chunker) ?? rebuildChunker(head.chunker)) : undefined,
  })
  const long = draft.count > LONG
  if (long) await nextTurn()
  const metadata = put.metadata === undefined ? head.metadata : canonical(put.metadata)
  const expiresAt = put.expiresAt === undefined ? head.expiresAt : (put.expiresAt ?? undefined)
  const standing =
    head.revision > 0 &&
    !head.removed &&
    head.live === head.spans &&
    head.metadata === metadata &&
    head.expiresAt === expiresAt &&
    head.chunker === draft.chunker
  const unchanged: PutResult = {
    source: put.source,
    revision: head.revision,
    position: head.position,
    outcome: 'unchanged',
    kept: head.spans,
    added: [],
    retired: [],
    stale: [],
  }
  const planned = {
    source: put.source,
    version: head.version,
    trailing: draft.trailing,
    fingerprint: draft.fingerprint,
    chunker: draft.chunker,
    metadata,
    expiresAt,
    readmit: put.readmit,
  }
  if (standing && head.fingerprint === draft.fingerprint)
    return { ...planned, unchanged, window: NO_WINDOW, chunks: [], changeset: NOTHING }

  const window = head.revision === 0 ? NO_WINDOW : await ledger.changed(ref, put.source, draft)
  if (long) await nextTurn()
  const chunks: DraftSpan[] = []
  for (let i = window.before; i < draft.count - window.after; i++) chunks.push(draft.span(i))
  if (long) await nextTurn()
  const decided = await decide(planning, window, head.trailing, { chunks, trailing: draft.trailing })
  if (long) await nextTurn()
  // A field left out keeps its value, also where `update` changed it since.
  const left = new Set<number>()
  for (const slot of decided.slots)
    if ('keep' in slot && chunks[slot.chunk]!.keepsMetadata) left.add(slot.keep)
  const updated = decided.updated.filter((entry) => !left.has(entry))
  const changeset = { ...decided, updated }
  const same =
    standing &&
    changeset.retired.length === 0 &&
    changeset.moved.length === 0 &&
    updated.length === 0 &&
    changeset.slots.every(
      (slot, i) =>
        'keep' in slot &&
        window.entries[slot.keep]!.lead.gap === chunks[i]!.lead.gap &&
        window.entries[slot.keep]!.lead.overlap === chunks[i]!.lead.overlap,
    ) &&
    draft.trailing === head.trailing
  return { ...planned, unchanged: same ? unchanged : undefined, window, chunks, changeset }
}

/** `plan` is synchronous and asks at most once for old texts; a ledger may have to fetch them in between. */
async function decide(
  { ledger }: Planning,
  { entries, after }: Window,
  trailing: string,
  draft: { readonly chunks: readonly DraftSpan[]; readonly trailing: string },
) {
  // With places kept behind the window, nothing trails it: the text there is the lead of the next place.
  const [old, next] = after > 0 ? ['', { ...draft, trailing: '' }] : [trailing, draft]
  const read = (indices: readonly number[]) =>
    textsOf(
      ledger,
      indices.map((i) => entries[i]!.id),
    )
  const comparison = { entries, trailing: old, draft: next }
  const decided = isLong(comparison) ? await planElsewhere(comparison, read) : undefined
  if (decided !== undefined) return decided
  const known = new Map<number, string | undefined>()
  for (;;) {
    let asked: readonly number[] | undefined
    const texts: Texts = {
      old: (indices) => {
        asked = indices.filter((i) => !known.has(i))
        if (asked.length > 0) throw NEEDS_TEXTS
        return indices.map((i) => known.get(i))
      },
      chunk: (i) => draft.chunks[i]!.text,
    }
    try {
      return plan(entries, old, next, texts)
    } catch (error) {
      if (error !== NEEDS_TEXTS) throw error
      const found = await read(asked!)
      asked!.forEach((index, i) => {
        known.set(index, found[i])
      })
    }
  }
}

/** Texts read at a stretch. */
const TEXTS = 500

/** A text never changes while it is there, so they need not be read at one moment. */
async function textsOf(ledger: Ledger, ids: readonly number[]): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = []
  for (let i = 0; i < ids.length; i += TEXTS) {
    if (i > 0) await nextTurn()
    texts.push(...(await ledger.texts(ids.slice(i, i + TEXTS))))
  }
  return texts
}

/** Texts that a plan adds, and that have no vector yet, by hash. */
export function mintedTexts(puts: readonly PlannedPut[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { changeset, chunks } of puts)
    for (const slot of changeset.slots) {
      if ('keep' in slot) continue
      const { hash, text, vector } = chunks[slot.mint]!
      if (hash !== undefined && vector === undefined) texts.set(hash, text!)
    }
  return texts
}
