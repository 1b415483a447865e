import type { PutResult } from '../../core/model.ts'
import type { NewSpan, PlannedAppend, PlannedPut } from '../../ports/planned.ts'
import type { Commit } from './commit.ts'
import { readSource, type SourceRow } from './heads.ts'
import { settleIdentical, watchedTombstones } from './identical.ts'
import { appendPlaces, EMPTY, NOTHING, type Places, readManifest, writePlaces } from './manifest.ts'
import { propagate } from './propagate.ts'
import { refuseErased } from './refusals.ts'
import { gapId, INSERT_AMENDMENT, keysOf, sourceId, writeHead, writeRevision } from './source-rows.ts'
import type { Connection } from './statements.ts'
import { bytes, lastSupplied, writeSupplied } from './vector-rows.ts'

function mint(
  commit: Commit,
  collection: number,
  source: number,
  revision: number,
  spans: readonly NewSpan[],
) {
  const added = commit.addSpans(collection, source, revision, spans)
  spans.forEach(({ vector }, i) => {
    if (vector !== undefined)
      writeSupplied(commit.connection, collection, added[i]!.id, added[i]!.position, vector)
  })
  return added
}

/** `undefined`: the source moved since the put was planned. `known`: its head, where this commit read it already. */
export function writePut(
  commit: Commit,
  collection: number,
  put: PlannedPut,
  known?: { readonly head: SourceRow | undefined },
): PutResult | undefined {
  const { connection } = commit
  const { head } = known ?? { head: readSource(connection, collection, put.source) }
  if ((head?.version ?? 0) !== put.version) return undefined
  const { changeset, chunks, window } = put
  const { entries } = window
  if (put.unchanged !== undefined && !bringsVectors(connection, put)) return put.unchanged
  const source = head?.id ?? sourceId(connection, collection, put.source)
  // What is kept is there already: readmitted, or another span of the same few words.
  const brought = changeset.slots.map((slot) => ('keep' in slot ? undefined : chunks[slot.mint]!))
  // A source that was never seen has neither erased texts nor tombstones.
  if (head !== undefined) refuseErased(connection, source, put.source, brought, put.readmit)

  const number = (head?.revision ?? 0) + 1
  const minted = changeset.slots.flatMap((slot) => ('keep' in slot ? [] : [chunks[slot.mint]!]))
  const nodes = mint(commit, collection, source, number, minted)
  const added = nodes.map(({ key }) => key)
  let next = 0
  const ids = changeset.slots.map((slot) => ('keep' in slot ? entries[slot.keep]!.id : nodes[next++]!.id))
  const hashes = new Set<string>()
  for (const { hash } of minted) if (hash !== undefined) hashes.add(hash)

  const retired: number[] = []
  for (const { entry, reason, successors } of changeset.retired) {
    const { id, hash } = entries[entry]!
    commit.retireSpan(
      id,
      collection,
      source,
      reason,
      successors.map((chunk) => ids[chunk]!),
    )
    retired.push(id)
    if (hash !== undefined) hashes.add(hash)
    // A successor that was there before is now reached by older tombstones, too.
    for (const chunk of successors) if (chunks[chunk]!.hash !== undefined) hashes.add(chunks[chunk]!.hash)
  }
  for (const [entry, chunk] of changeset.restored) commit.link(entries[entry]!.id, ids[chunk]!, 1, 0)
  for (const entry of changeset.moved)
    commit.event(collection, 'span.moved', { node: entries[entry]!.id, source, number })
  amendKept(commit, collection, source, put)

  const total = window.before + chunks.length + window.after
  const old = head === undefined ? NOTHING : readManifest(connection, head.last.tree)
  const { places } = old
  const from = places.ids.length - window.after
  const leads = leadsOf(connection, source, put, places)
  writeRevision(commit, collection, source, {
    number,
    chunker: put.chunker ?? null,
    metadata: put.metadata ?? null,
    tree: writePlaces(
      connection,
      old,
      {
        ids: places.ids.slice(0, window.before).concat(ids, places.ids.slice(from)),
        leads: places.leads.slice(0, window.before).concat(leads, places.leads.slice(from)),
      },
      window,
    ),
    trailing: trailingOf(connection, source, put.trailing, head),
    spans: total,
    counts: { kept: total - added.length, added: added.length, retired: retired.length },
  })
  writeHead(connection, source, {
    revision: number,
    live: total,
    described: (head?.described ?? false) || chunks.some((chunk) => chunk.metadata !== undefined),
    fingerprint: put.fingerprint,
    expires: put.expiresAt ?? null,
  })
  if (head !== undefined) settleIdentical(commit, watchedTombstones(connection, source, hashes))
  const stale = propagate(commit)
  return {
    source: put.source,
    revision: number,
    position: commit.position(collection),
    outcome: head === undefined || head.last.removed ? 'created' : 'revised',
    kept: total - added.length,
    added,
    retired: keysOf(connection, retired),
    stale,
  }
}

/** Whether a put that is otherwise what is live supplies a vector that is not. */
const bringsVectors = (connection: Connection, { changeset, window, chunks }: PlannedPut): boolean =>
  changeset.slots.some((slot, i) => {
    const { vector } = chunks[i]!
    return (
      vector !== undefined &&
      !('keep' in slot && lastSupplied(connection, window.entries[slot.keep]!.id)?.equals(bytes(vector)))
    )
  })

/** Metadata and supplied vectors of kept spans, where they changed. */
function amendKept(commit: Commit, collection: number, source: number, put: PlannedPut): void {
  const { connection } = commit
  const updated = new Set(put.changeset.updated)
  const withVectors = put.chunks.some((chunk) => chunk.vector !== undefined)
  if (updated.size === 0 && !withVectors) return
  for (const slot of put.changeset.slots) {
    if (!('keep' in slot)) continue
    const { id } = put.window.entries[slot.keep]!
    const { metadata, vector } = put.chunks[slot.chunk]!
    const newVector = vector !== undefined && !lastSupplied(connection, id)?.equals(bytes(vector))
    const fields = (updated.has(slot.keep) ? 1 : 0) + (newVector ? 2 : 0)
    if (fields === 0) continue
    const position = commit.event(collection, 'span.updated', { node: id, source, number: fields })
    if (updated.has(slot.keep)) connection.prepare(INSERT_AMENDMENT).run(id, position, metadata ?? '{}')
    if (newVector) writeSupplied(connection, collection, id, position, vector)
  }
}

/** Encoded leads of the new manifest. A kept span's own gap keeps its row when the text between is the same. */
function leadsOf(connection: Connection, source: number, put: PlannedPut, old: Places): number[] {
  const blanks = new Map<string, number>()
  return put.changeset.slots.map((slot, i) => {
    const { gap, overlap } = put.chunks[i]!.lead
    if (overlap > 0) return 2 * overlap - 1
    if (gap === '') return 0
    if (gap.trim() === '') {
      let id = blanks.get(gap)
      if (id === undefined) {
        id = gapId(connection, source, gap)
        blanks.set(gap, id)
      }
      return 2 * id
    }
    if ('keep' in slot) {
      const entry = put.window.entries[slot.keep]!
      if (entry.lead.gap === gap) return old.leads[put.window.before + slot.keep]!
    }
    return 2 * gapId(connection, source, gap)
  })
}

function trailingOf(
  connection: Connection,
  source: number,
  text: string,
  head: SourceRow | undefined,
): number | null {
  if (text === '') return null
  const last = head?.last.trailing
  if (last != null && connection.value<string>('SELECT text FROM gap WHERE id = ?', last) === text)
    return last
  return gapId(connection, source, text)
}

export function writeAppend(commit: Commit, collection: number, append: PlannedAppend): PutResult {
  const { connection } = commit
  const head = readSource(connection, collection, append.source)
  if (append.spans.length === 0 && head !== undefined && !head.last.removed)
    return {
      source: append.source,
      revision: head.revision,
      position: head.last.position,
      outcome: 'unchanged',
      kept: head.live,
      added: [],
      retired: [],
      stale: [],
    }
  const source = head?.id ?? sourceId(connection, collection, append.source)
  refuseErased(connection, source, append.source, append.spans, append.readmit)
  const number = (head?.revision ?? 0) + 1
  const started = head !== undefined && head.last.spans > 0
  // Text after the last span stands between it and the first appended one.
  const separator = 2 * (head?.last.trailing ?? 0)
  const plain = 2 * gapId(connection, source, '\n')
  const places: Places = { ids: [], leads: [] }
  const hashes = new Set<string>()
  const nodes = mint(commit, collection, source, number, append.spans)
  const added = nodes.map(({ key }) => key)
  append.spans.forEach((span, i) => {
    // As in a put: nothing stands before the first span, or before one without text.
    const first = places.ids.length === 0
    if (first && head?.last.trailing != null) places.leads.push(separator)
    else places.leads.push((first && !started) || span.text === undefined ? 0 : plain)
    places.ids.push(nodes[i]!.id)
    if (span.hash !== undefined) hashes.add(span.hash)
  })
  const spans = (head?.last.spans ?? 0) + places.ids.length
  writeRevision(commit, collection, source, {
    number,
    chunker: head?.last.chunker ?? null,
    metadata: head?.last.metadata ?? null,
    tree: appendPlaces(connection, head?.last.tree ?? EMPTY, places),
    trailing: null,
    spans,
    counts: { kept: head?.live ?? 0, added: added.length, retired: 0 },
  })
  writeHead(connection, source, {
    revision: number,
    live: (head?.live ?? 0) + added.length,
    described: (head?.described ?? false) || append.spans.some((span) => span.metadata !== undefined),
    fingerprint: null,
    expires: append.expiresAt ?? head?.expires ?? null,
  })
  settleIdentical(commit, watchedTombstones(connection, source, hashes))
  const stale = propagate(commit)
  return {
    source: append.source,
    revision: number,
    position: commit.position(collection),
    outcome: head === undefined || head.last.removed ? 'created' : 'revised',
    kept: head?.live ?? 0,
    added,
    retired: [],
    stale,
  }
}
