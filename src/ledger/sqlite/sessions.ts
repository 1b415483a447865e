import type { Decision, Freeze, Reading } from '../../core/compaction.ts'
import type { Key } from '../../core/key.ts'
import type { WriteOptions } from '../../ports/planned.ts'
import type {
  Observed,
  ReconcileCommand,
  SessionKnobs,
  SessionMark,
  SessionRecords,
  SignalRows,
} from '../../ports/sessions.ts'
import { requireCollection } from './collections.ts'
import type { Commit } from './commit.ts'
import { findSession, freezeOf, markOf, sessionId, writeFreeze } from './interventions.ts'
import { KIND, keysSeen, probesOf, Trail, writeObserved } from './observations.ts'
import { readReconciliation } from './reconcile.ts'
import { readingSignals, readReadings, writeReading } from './signals.ts'
import { type Connection, insertInto } from './statements.ts'
import type { WriteCommand, WriteResults } from './write-command.ts'

export interface SessionHost {
  readonly connection: Connection
  /** One write transaction in a collection, after what is due was committed. */
  write<T>(collection: number, options: WriteOptions, work: (commit: Commit) => T): Promise<T>
  /** One that may take long. */
  carryOut<C extends WriteCommand>(
    collection: number,
    command: C,
    options: WriteOptions,
  ): Promise<WriteResults[C['verb']]>
  /** One write transaction that hands out no positions. */
  transact<T>(work: (connection: Connection, now: number) => T): Promise<T>
  /** One snapshot, after what is due was committed. */
  read<T>(work: (connection: Connection) => T): Promise<T>
  /** As `read`, with turns for others. */
  readInSteps<T>(work: (connection: Connection) => Generator<void, T>): Promise<T>
}

const NO_SIGNALS: SignalRows = {
  mark: { epoch: 0, interventions: 0 },
  checkpoint: 0,
  unresolvable: [],
  unresolvableForeign: [],
  behind: [],
  self: { asked: 0, ok: 0 },
  external: { asked: 0, ok: 0 },
  reported: 0,
  lagging: 0,
  beside: false,
  recompacted: 0,
  inflated: [],
  rehydratedAges: new Map(),
  rehydratedBefore: new Map(),
  citedAges: new Map(),
  earlier: [],
  due: [],
}

/** Sessions whose trails are remembered; others are read again from their beginning. */
const TRAILS = 1000

/** What a ledger keeps of sessions beside their summaries. */
export class SqliteSessions implements SessionRecords {
  readonly #host: SessionHost
  readonly #trails = new Map<number, Trail>()

  constructor(host: SessionHost) {
    this.#host = host
  }

  /** What it learns from rows that are then rolled back would stay, so writers read it first. */
  #trail(session: number): Trail {
    let trail = this.#trails.get(session)
    if (trail === undefined) {
      if (this.#trails.size >= TRAILS) this.#trails.clear()
      trail = new Trail()
      this.#trails.set(session, trail)
    }
    return trail
  }

  /** As the caller's transaction sees it. */
  #trailNow(connection: Connection, session: number): Trail {
    const trail = this.#trail(session)
    trail.refresh(connection, session)
    return trail
  }

  async observe(collection: number, name: string, observed: Observed): Promise<void> {
    // A trail may be long; of what is read here, the transaction has nothing left to read.
    await this.#inSteps(collection, name, undefined, (connection, session) =>
      this.#trail(session).refreshing(connection, session),
    )
    await this.#host.transact((connection, now) => {
      requireCollection(connection, collection)
      const session = sessionId(connection, collection, name)
      writeObserved(connection, collection, session, this.#trailNow(connection, session), observed, now)
    })
  }

  async #of<T>(
    collection: number,
    name: string,
    none: T,
    work: (connection: Connection, session: number) => T,
  ): Promise<T> {
    return await this.#host.read((connection) => {
      requireCollection(connection, collection)
      const session = findSession(connection, collection, name)
      return session === undefined ? none : work(connection, session)
    })
  }

  /** `#of` in steps. */
  async #inSteps<T>(
    collection: number,
    name: string,
    none: T,
    work: (connection: Connection, session: number) => Generator<void, T>,
  ): Promise<T> {
    return await this.#host.readInSteps(function* (connection) {
      requireCollection(connection, collection)
      const session = findSession(connection, collection, name)
      return session === undefined ? none : yield* work(connection, session)
    })
  }

  async rehydrated(collection: number, name: string, keys: readonly Key[]): Promise<ReadonlySet<Key>> {
    return await this.#of(collection, name, new Set<Key>(), (connection, session) =>
      keysSeen(connection, session, KIND.rehydration, keys),
    )
  }

  async cited(collection: number, name: string, keys: readonly Key[]): Promise<ReadonlySet<Key>> {
    return await this.#of(collection, name, new Set<Key>(), (connection, session) =>
      keysSeen(connection, session, KIND.citation, keys),
    )
  }

  async probes(collection: number, name: string) {
    const none = { anchored: { asked: 0, ok: 0 }, queried: { asked: 0, ok: 0 } }
    return await this.#of(collection, name, none, probesOf)
  }

  async freeze(collection: number, name: string): Promise<Freeze | undefined> {
    return await this.#of<Freeze | undefined>(collection, name, undefined, freezeOf)
  }

  async signals(collection: number, name: string, window: number): Promise<SignalRows> {
    return await this.#inSteps(collection, name, NO_SIGNALS, (connection, session) =>
      readingSignals(connection, collection, session, this.#trail(session), window),
    )
  }

  async judge(
    collection: number,
    name: string,
    mark: SessionMark,
    reading: Reading,
    freeze: { readonly decision: Exclude<Decision, 'proceed'>; readonly reason: string } | undefined,
  ): Promise<{ readonly freeze?: Freeze } | undefined> {
    return await this.#host.write(collection, {}, (commit) => {
      const { connection } = commit
      const session = sessionId(connection, collection, name)
      const now = markOf(connection, session)
      if (now.epoch !== mark.epoch || now.interventions !== mark.interventions) return undefined
      writeReading(connection, session, { ...reading, at: commit.at })
      const force =
        freeze === undefined
          ? freezeOf(connection, session)
          : writeFreeze(commit, collection, session, name, freeze.decision, freeze.reason)
      return force === undefined ? {} : { freeze: force }
    })
  }

  async readings(collection: number, name: string, limit: number): Promise<readonly Reading[]> {
    return await this.#of<readonly Reading[]>(collection, name, [], (connection, session) =>
      readReadings(connection, session, 0, limit),
    )
  }

  async knobs(collection: number, name: string): Promise<SessionKnobs> {
    return await this.#of<SessionKnobs>(collection, name, {}, (connection, session) => {
      const row = connection.row<[number | null, number | null]>(
        'SELECT retention, recency FROM session_knob WHERE session = ?',
        session,
      )
      return {
        ...(row?.[0] == null ? {} : { retention: row[0] }),
        ...(row?.[1] == null ? {} : { recencyWindow: row[1] }),
      }
    })
  }

  async turn(
    collection: number,
    name: string,
    knobs: { readonly retention?: number | null; readonly recencyWindow?: number | null },
  ): Promise<void> {
    await this.#host.transact((connection) => {
      requireCollection(connection, collection)
      const session = sessionId(connection, collection, name)
      connection.run(
        `${insertInto('session_knob', ['session', 'retention', 'recency'])} ON CONFLICT DO NOTHING`,
        session,
        null,
        null,
      )
      const set = (column: 'retention' | 'recency', value: number | null | undefined) =>
        value !== undefined &&
        connection.run(`UPDATE session_knob SET ${column} = ? WHERE session = ?`, value, session)
      set('retention', knobs.retention)
      set('recency', knobs.recencyWindow)
    })
  }

  async since(collection: number, name: string, cycles: number): Promise<number> {
    return await this.#of(collection, name, 0, (connection, session) => {
      const trail = this.#trailNow(connection, session)
      return trail.beginning(markOf(connection, session).epoch - cycles)
    })
  }

  async discardEpoch(collection: number, name: string, options: WriteOptions) {
    return await this.#host.carryOut(collection, { verb: 'discardEpoch', session: name }, options)
  }

  async reconciliation(collection: number, name: string) {
    return await this.#host.readInSteps(function* (connection) {
      requireCollection(connection, collection)
      const session = findSession(connection, collection, name) ?? 0
      return yield* readReconciliation(connection, collection, name, session)
    })
  }

  async reconcile(collection: number, name: string, command: ReconcileCommand) {
    return await this.#host.carryOut(collection, { verb: 'reconcile', session: name, pass: command }, {})
  }
}
