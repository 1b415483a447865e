import { createHmac } from 'node:crypto'
import { parseAnchors } from '../../core/anchors.ts'
import type { Authority } from '../../core/authority.ts'
import { derivableKeys } from '../../core/claims.ts'
import type { Key } from '../../core/key.ts'
import type {
  ChainStep,
  GateRecord,
  GateRecords,
  Relied,
  UnbackedClaim,
  UnreadSummary,
} from '../../ports/gates.ts'
import { nextTurn } from '../../threads/turn.ts'
import { EVENT } from './codes.ts'
import type { Commit } from './commit.ts'
import { findSession, sessionId } from './interventions.ts'
import { liveSummaries } from './live-summaries.ts'
import { KIND, keysIn } from './observations.ts'
import { fetchNow } from './read.ts'
import { type Connection, insertInto } from './statements.ts'

/*
 * What gates answered: `gating` is one of them, `verification` one of its claims, `standing` a key that the claim was
 * found to stand on, with the position its collection had. No texts, and no plain hashes of any: a claim is
 * recognised with the store's secret.
 */

const INSERT_GATING = insertInto('gating', ['session', 'at', 'position', 'cursor', 'action', 'verdict'])
const INSERT_VERIFICATION = insertInto('verification', [
  'gating',
  'ordinal',
  'session',
  'code',
  'summary',
  'verdict',
  'refusal',
])
const INSERT_STANDING = `${insertInto('standing', ['gating', 'ordinal', 'span', 'position'])} ON CONFLICT DO NOTHING`

/** `observation.purpose` of reads by a compaction. */
const COMPACT = 3

/** Claims asked about at a stretch. */
const ASKED = 100

/** Codes of `verification.verdict`. */
const REFUSED = 0
const SUBSTANTIATED = 1
/** Substantiated, and compared with what it stands on. */
const VERIFIED = 2

/** Events that touch a span, or the index of all, without retiring it: those `event_touched` holds. */
const TOUCHES = `event e INDEXED BY event_touched
  WHERE e.type IN (${EVENT['span.moved']}, ${EVENT['span.updated']}, ${EVENT['index.rebuilt']})
    AND e.collection = s.collection AND e.position > g.position`

/** Something happened to a node after a position: whatever was verified then has to be verified again. */
const TOUCHED = `(
  EXISTS (SELECT 1 FROM tombstone t WHERE t.span = g.span AND t.position > g.position)
  OR EXISTS (SELECT 1 FROM cause c WHERE c.dependent = g.span)
  OR EXISTS (SELECT 1 FROM ${TOUCHES} AND e.node = g.span)
  OR EXISTS (SELECT 1 FROM ${TOUCHES} AND e.node IS NULL)
  OR EXISTS (SELECT 1 FROM collection_head h WHERE h.collection = s.collection
    AND (h.dropped IS NOT NULL OR h.floor > g.position)))`

export interface GateHost {
  readonly connection: Connection
  record(collection: number, session: string, gate: GateRecord): Promise<{ gate: number; at: number }>
  /** One snapshot, after what is due was committed. */
  read<T>(work: (connection: Connection) => T): Promise<T>
  /** As `read`, with turns for others. */
  readInSteps<T>(work: (connection: Connection) => Generator<void, T>): Promise<T>
}

export class SqliteGates implements GateRecords {
  readonly #host: GateHost
  #secret: string | undefined

  constructor(host: GateHost) {
    this.#host = host
  }

  #codeOf(claim: string): string {
    this.#secret ??= secretOf(this.#host.connection)
    return codeOf(this.#secret, claim)
  }

  record(collection: number, name: string, gate: GateRecord): Promise<{ gate: number; at: number }> {
    return this.#host.record(collection, name, gate)
  }

  async authorities(
    collection: number,
    name: string,
    claims: readonly string[],
  ): Promise<readonly Authority[]> {
    const authorities: Authority[] = []
    for (let i = 0; i < claims.length; i += ASKED) {
      if (i > 0) await nextTurn()
      const some = await this.#host.read((connection) => {
        const session = findSession(connection, collection, name)
        return claims
          .slice(i, i + ASKED)
          .map((claim) =>
            session === undefined ? WRITE_TIME : authorityOf(connection, session, this.#codeOf(claim)),
          )
      })
      authorities.push(...some)
    }
    return authorities
  }

  async relied(collection: number, name: string, cursor: string, gate?: number): Promise<Relied | undefined> {
    const { read, readInSteps } = this.#host
    const found = await read((connection) => {
      const session = findSession(connection, collection, name)
      if (session === undefined) return undefined
      return connection.row<[number, number]>(
        `SELECT id, verdict FROM gating WHERE session = ?1 AND cursor = ?2 AND (?3 IS NULL OR id = ?3)
         ORDER BY id DESC LIMIT 1`,
        session,
        cursor,
        gate ?? null,
      )
    })
    if (found === undefined) return undefined
    const [id, verdict] = found
    return {
      verdict: verdict === 0 ? 'refused' : 'substantiated',
      moved: () => readInSteps((connection) => movedSince(connection, id)),
    }
  }

  chains(
    collection: number,
    name: string,
    last: number,
  ): Promise<{ readonly chains: readonly (readonly ChainStep[])[]; readonly gone: ReadonlySet<Key> }> {
    return this.#host.readInSteps(function* (connection) {
      const session = findSession(connection, collection, name)
      const live =
        session === undefined
          ? []
          : connection.rows<[number, number]>(
              'SELECT m.span, m.chain FROM json_each(?) l CROSS JOIN summary m ON m.span = l.value ORDER BY m.span',
              JSON.stringify(liveSummaries(connection, session)),
            )
      const chains: ChainStep[][] = []
      for (const [node, chain] of live) {
        const steps: ChainStep[] = []
        for (const [id, key, epoch, text, completeness] of connection.rows<
          [number, Key, number, string, number | null]
        >(
          `SELECT m.span, s.key, m.epoch, s.text, m.completeness FROM summary m CROSS JOIN span s ON s.id = m.span
           WHERE m.chain = ? AND m.span <= ? AND NOT EXISTS (SELECT 1 FROM erasure e WHERE e.span = m.span)
           ORDER BY m.span DESC LIMIT ?`,
          chain,
          node,
          last,
        )) {
          yield
          const covers = connection
            .rows<[Key]>(
              'SELECT s.key FROM cover v CROSS JOIN span s ON s.id = v.span WHERE v.summary = ?',
              id,
            )
            .map(([covered]) => covered)
          steps.push({ key, epoch, text, covers, ...(completeness === null ? {} : { completeness }) })
        }
        chains.push(steps.reverse())
        yield
      }
      const gone = new Set<Key>()
      for (const chain of chains)
        for (const { text } of chain.slice(0, -1))
          for (const key of parseAnchors(text).keys) {
            if (!isSatisfied(connection, key)) gone.add(key)
            yield
          }
      return { chains, gone }
    })
  }

  unbacked(collection: number, name: string): Promise<readonly UnbackedClaim[]> {
    return this.#host.read((connection) => {
      const session = findSession(connection, collection, name)
      if (session === undefined) return []
      // Not derivable, of a live summary that lost a key it does not print: that key may be what the claim stood on.
      return (
        connection
          .rows<[Key, number, string, Key, string | null]>(
            `SELECT s.key, c.ordinal, c.text, k.key, CASE WHEN c.derivable IS NULL THEN s.text END
           FROM summary m CROSS JOIN claim c ON c.summary = m.span AND c.derivable IS NOT 1
           CROSS JOIN cause u ON u.dependent = m.span
           CROSS JOIN dependency d ON d.support = u.support AND d.dependent = m.span AND d.printed = 0
           CROSS JOIN span s ON s.id = m.span CROSS JOIN span k ON k.id = u.support
           WHERE m.session = ? AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span)
           ORDER BY m.span, c.ordinal, k.id`,
            session,
          )
          // Null: registered before it was asked whether a key can be derived.
          .filter(([, , text, , within]) => within === null || derivableKeys(text, within).length === 0)
          .map(([summary, claim, text, key]) => ({ summary, claim, text, key }))
      )
    })
  }

  unread(collection: number, name: string): Promise<readonly UnreadSummary[]> {
    return this.#host.read((connection) => {
      const session = findSession(connection, collection, name)
      if (session === undefined) return []
      // Acted on: a gate let it pass, or the agent cited it in its own words. Read: after it was registered, by the
      // agent, a gate or a reconciliation. That the compaction that wrote it had read its spans says nothing.
      const cited = lastSeen(connection, session, KIND.citation)
      const read = lastSeen(connection, session, KIND.rehydration)
      return connection
        .rows<[number, Key, number, string | null, number | null]>(
          `SELECT m.span, s.key, e.at,
             (SELECT i.action FROM verification v CROSS JOIN gating i ON i.id = v.gating
              WHERE v.summary = m.span AND v.session = m.session AND v.verdict > 0 ORDER BY v.gating DESC LIMIT 1),
             (SELECT max(i.at) FROM verification v CROSS JOIN gating i ON i.id = v.gating
              WHERE v.summary = m.span AND v.session = m.session AND v.verdict > 0)
           FROM summary m CROSS JOIN span s ON s.id = m.span
           CROSS JOIN event e ON e.collection = s.collection AND e.position = s.born
           WHERE m.session = ? AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = m.span) ORDER BY m.span`,
          session,
        )
        .flatMap(([node, summary, registered, action, gated]) => {
          const at = Math.max(gated ?? 0, cited.get(summary) ?? 0)
          if (at === 0) return []
          const keys = connection
            .rows<[Key]>(
              'SELECT s.key FROM dependency d CROSS JOIN span s ON s.id = d.support WHERE d.dependent = ? ORDER BY s.id',
              node,
            )
            .map(([key]) => key)
          if (keys.some((key) => (read.get(key) ?? Number.NEGATIVE_INFINITY) >= registered)) return []
          return { summary, at, keys, ...(action === null ? {} : { action }) }
        })
    })
  }
}

/** Keys a gate relied on that are looked at in one step. */
const STANDING = 100

/** Keys a gate relied on to which something has happened since, in steps. */
function* movedSince(connection: Connection, gating: number): Generator<void, Key[]> {
  const moved = new Map<number, Key>()
  for (let at: readonly [ordinal: number, span: number] = [-1, -1]; ; ) {
    const rows: [number, number, Key, number][] = connection.rows<[number, number, Key, number]>(
      `SELECT g.ordinal, g.span, s.key, ${TOUCHED} FROM standing g CROSS JOIN span s ON s.id = g.span
       WHERE g.gating = ? AND (g.ordinal, g.span) > (?, ?) ORDER BY g.ordinal, g.span LIMIT ${STANDING}`,
      gating,
      ...at,
    )
    for (const [, span, key, touched] of rows) if (touched === 1) moved.set(span, key)
    if (rows.length < STANDING) break
    at = [rows.at(-1)![0], rows.at(-1)![1]]
    yield
  }
  return [...moved].sort(([a], [b]) => a - b).map(([, key]) => key)
}

const secretOf = (connection: Connection): string => connection.value<string>('SELECT secret FROM store')!

const codeOf = (secret: string, claim: string): string =>
  createHmac('sha256', secret).update('claim\0').update(claim).digest('base64url')

/** Writes down what a gate answered. */
export function writeGate(
  commit: Commit,
  collection: number,
  name: string,
  gate: GateRecord,
): { readonly gate: number; readonly at: number } {
  const { connection } = commit
  const secret = secretOf(connection)
  const session = sessionId(connection, collection, name)
  const gating = Number(
    connection
      .prepare(INSERT_GATING)
      .run(
        session,
        commit.at,
        gate.position,
        gate.cursor,
        gate.action ?? null,
        gate.verdict === 'refused' ? 0 : 1,
      ).lastInsertRowid,
  )
  for (const [ordinal, claim] of gate.claims.entries()) {
    connection
      .prepare(INSERT_VERIFICATION)
      .run(
        gating,
        ordinal,
        session,
        codeOf(secret, claim.text),
        claim.summary === undefined ? null : nodeOf(connection, claim.summary),
        claim.verdict === 'refused' ? REFUSED : claim.verified ? VERIFIED : SUBSTANTIATED,
        claim.code ?? null,
      )
    for (const key of claim.keys) {
      const [node, own] = connection.row<[number, string]>(
        'SELECT s.id, c.key FROM span s CROSS JOIN collection c ON c.id = s.collection WHERE s.key = ?',
        key,
      )!
      connection.run(INSERT_STANDING, gating, ordinal, node, gate.positions.get(own) ?? 0)
    }
  }
  return { gate: gating, at: commit.at }
}

/** When each key was last cited, or read with success and not by a compaction. One pass over the session's log. */
function lastSeen(connection: Connection, session: number, kind: number): ReadonlyMap<Key, number> {
  const seen = new Map<Key, number>()
  for (const [at, keys] of connection.rows<[number, string]>(
    `SELECT at, keys FROM observation WHERE session = ? AND kind = ? AND hit IS NOT 0 AND purpose IS NOT ${COMPACT}
     ORDER BY id`,
    session,
    kind,
  ))
    for (const key of keysIn(keys)) seen.set(key, at)
  return seen
}

const WRITE_TIME: Authority = { state: 'write-time only' }

function authorityOf(connection: Connection, session: number, code: string): Authority {
  const last = connection.row<[number, number, number, number]>(
    `SELECT v.gating, v.ordinal, i.at, i.position FROM verification v CROSS JOIN gating i ON i.id = v.gating
     WHERE v.session = ? AND v.code = ? AND v.verdict = ${VERIFIED} ORDER BY v.gating DESC LIMIT 1`,
    session,
    code,
  )
  if (last === undefined) return WRITE_TIME
  const [gating, ordinal, at, position] = last
  const touched = connection.value(
    `SELECT 1 FROM standing g CROSS JOIN span s ON s.id = g.span
     WHERE g.gating = ? AND g.ordinal = ? AND ${TOUCHED} LIMIT 1`,
    gating,
    ordinal,
  )
  return { state: touched === undefined ? 'verified' : 'decayed', position, at }
}

const nodeOf = (connection: Connection, key: Key): number =>
  connection.value<number>('SELECT id FROM span WHERE key = ?', key)!

/** Live, and current where it is a summary; or brought back by one that is. */
function isSatisfied(connection: Connection, key: Key): boolean {
  const result = fetchNow(connection, key, undefined, Number.NEGATIVE_INFINITY)
  if (result === 'due') return false
  if (result.status === 'ok') return result.kind === 'span' || result.span.state === 'current'
  return (
    result.status === 'tombstone' &&
    result.tombstone.identical !== undefined &&
    isSatisfied(connection, result.tombstone.identical)
  )
}
