import type { RegisterCommand } from '../../ports/sessions.ts'
import { discardable } from './discard.ts'
import { findSession } from './interventions.ts'
import type { Connection, Value } from './statements.ts'
import type { WriteCommand } from './write-command.ts'

/**
 * Microseconds that writing takes, about: for each source, new span, character, number of a vector, key; each summary,
 * claim, and key it names; each claim of a gate and key it stands on; and for each summary that may change its state by it.
 */
const COST = {
  source: 80,
  span: 8,
  character: 0.003,
  number: 0.03,
  retired: 25,
  key: 35,
  erased: 130,
  record: 100,
  summary: 150,
  claim: 12,
  support: 25,
  discarded: 250,
  judged: 20,
  standing: 12,
  dependent: 5,
}

/** Dependents that are counted, whatever is enough. */
const COUNTED = 1_000_000

/**
 * How long a write will take, in microseconds, as far as that can be told by looking at it. What stands on what it
 * changes is counted only where the rest takes less than `enough`.
 */
export function costOf(
  connection: Connection,
  collection: number,
  command: WriteCommand,
  enough: number,
): number {
  const own = ownCost(connection, collection, command)
  // Most stores have no summaries.
  if (own >= enough || connection.value('SELECT 1 FROM dependency LIMIT 1') === undefined) return own
  // Counting them takes time as well: no more are counted than it needs to be enough.
  const most = Math.min(Math.ceil((enough - own) / COST.dependent), COUNTED)
  return own + COST.dependent * dependentsOf(connection, collection, command, most)
}

function ownCost(connection: Connection, collection: number, command: WriteCommand): number {
  switch (command.verb) {
    case 'put':
      return sum(
        command.puts,
        ({ chunks, changeset }) =>
          COST.source + sum(chunks, spanCost) + COST.retired * changeset.retired.length,
      )
    case 'append':
      return sum(command.append.spans, spanCost)
    case 'remove':
      return COST.retired * spansOf(connection, collection, command.source)
    case 'retire':
    case 'update':
      return COST.key * command.keys.length
    case 'erase': {
      const { target } = command
      const spans = 'keys' in target ? target.keys.length : spansOf(connection, collection, target.source)
      return COST.erased * spans
    }
    case 'records':
      return sum(command.changes, ({ vector }) => COST.record + COST.number * (vector?.length ?? 0))
    case 'register':
      return sum(command.summaries, summaryCost)
    case 'reconcile':
      return (
        COST.discarded * command.pass.withdrawn.length +
        sum(command.pass.rewrites, ({ summary }) => COST.discarded + summaryCost(summary))
      )
    case 'discardEpoch':
      return COST.discarded * summariesOf(connection, collection, command.session)
    case 'gate':
      return sum(command.gate.claims, ({ keys }) => COST.judged + COST.standing * keys.length)
  }
}

const sum = <T>(all: readonly T[], cost: (one: T) => number): number =>
  all.reduce((total, one) => total + cost(one), 0)

const spanCost = ({
  length,
  vector,
}: {
  readonly length: number
  readonly vector: Float32Array | undefined
}): number => COST.span + COST.character * length + COST.number * (vector?.length ?? 0)

const summaryCost = ({ text, claims, dependsOn, covers, replaces }: RegisterCommand): number =>
  COST.summary +
  COST.character * text.length +
  COST.claim * claims.length +
  COST.support * dependsOn.length +
  COST.standing * (covers.length + replaces.length)

const spansOf = (connection: Connection, collection: number, source: string): number =>
  connection.value<number>(
    `SELECT max(h.live, r.spans) FROM source o CROSS JOIN source_head h ON h.source = o.id
     CROSS JOIN revision r ON r.source = o.id AND r.number = h.revision WHERE o.collection = ? AND o.name = ?`,
    collection,
    source,
  ) ?? 0

function summariesOf(connection: Connection, collection: number, name: string): number {
  const session = findSession(connection, collection, name)
  if (session === undefined) return 0
  return connection.value<number>(
    'SELECT count(*) FROM summary WHERE session = ? AND epoch = ?',
    session,
    discardable(connection, session),
  )!
}

/** How many summaries stand, directly or through others, on what a write takes away or brings back. */
function dependentsOf(
  connection: Connection,
  collection: number,
  command: WriteCommand,
  most: number,
): number {
  let left = most
  const reached = (seeds: string, ...values: Value[]): number => {
    if (left <= 0) return 0
    const found = reachedBy(connection, left, seeds, values)
    left -= found
    return found
  }
  const byKeys = (keys: readonly string[]) =>
    reached('SELECT s.id FROM json_each(?) j CROSS JOIN span s ON s.key = j.value', JSON.stringify(keys))
  /** Retired spans of a source whose texts come back. */
  const returning = (source: string, hashes: readonly (string | undefined)[]) =>
    reached(
      `SELECT w.span FROM source o CROSS JOIN json_each(?) j CROSS JOIN watched w ON w.source = o.id AND w.hash = j.value
       WHERE o.collection = ? AND o.name = ?`,
      JSON.stringify(hashes),
      collection,
      source,
    )
  const bySources = (sources: readonly string[]) =>
    reached(
      // What was ever stood on is watched.
      `SELECT w.span FROM json_each(?) j CROSS JOIN source o ON o.collection = ? AND o.name = j.value
       CROSS JOIN watched w ON w.source = o.id WHERE NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.span = w.span)`,
      JSON.stringify(sources),
      collection,
    )
  switch (command.verb) {
    case 'put':
      return sum(command.puts, ({ source, window, chunks, changeset }) => {
        const gone = changeset.retired.map(({ entry }) => window.entries[entry]!.id)
        const minted = changeset.slots.flatMap((slot) =>
          'keep' in slot ? [] : (chunks[slot.mint]!.hash ?? []),
        )
        const going = gone.length === 0 ? 0 : reached('SELECT value FROM json_each(?)', JSON.stringify(gone))
        return going + (minted.length === 0 ? 0 : returning(source, minted))
      })
    case 'append':
      return returning(
        command.append.source,
        command.append.spans.map(({ hash }) => hash),
      )
    case 'remove':
      return bySources([command.source])
    case 'retire':
      return byKeys(command.keys)
    case 'erase':
      return 'keys' in command.target ? byKeys(command.target.keys) : bySources([command.target.source])
    case 'records':
      return bySources(command.changes.map(({ source }) => source))
    case 'register':
      return byKeys(command.summaries.flatMap(({ replaces }) => replaces))
    case 'reconcile':
      return byKeys([...command.pass.withdrawn, ...command.pass.rewrites.map(({ key }) => key)])
    default:
      return 0
  }
}

/** Counts no further than `most`. */
function reachedBy(connection: Connection, most: number, seeds: string, values: readonly Value[]): number {
  // What stood on a text before it came back still names the key it had then, which the new one is identical to.
  const seeded = `seed (id) AS MATERIALIZED (WITH given (id) AS (${seeds})
       SELECT id FROM given UNION SELECT i.span FROM given g CROSS JOIN identical i ON i.target = g.id)`
  // What stands on them directly is counted a hundred times as fast, and is all there is, or enough, more often than not.
  const direct = connection.value<number>(
    `WITH ${seeded}
     SELECT count(*) FROM (SELECT 1 FROM seed CROSS JOIN dependency d ON d.support = seed.id LIMIT ?)`,
    ...values,
    most,
  )!
  if (direct === 0 || direct === most) return direct
  return connection.value<number>(
    `WITH RECURSIVE ${seeded}, reached (id) AS (
       SELECT d.dependent FROM seed CROSS JOIN dependency d ON d.support = seed.id
       UNION SELECT d.dependent FROM reached r CROSS JOIN dependency d ON d.support = r.id LIMIT ?)
     SELECT count(*) FROM reached`,
    ...values,
    most,
  )!
}
