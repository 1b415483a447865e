import type { Authority } from '../core/authority.ts'
import type { Key } from '../core/key.ts'

/** What a gate answered. */
export interface GateRecord {
  /** Of the session's collection, and of all: where the store stood when the gate began to look. */
  readonly position: number
  readonly cursor: string
  readonly positions: ReadonlyMap<string, number>
  readonly action?: string
  readonly verdict: 'substantiated' | 'refused'
  readonly claims: readonly {
    readonly text: string
    readonly summary?: Key
    readonly verdict: 'substantiated' | 'refused'
    /** It was compared with what it stands on, and says the same. */
    readonly verified: boolean
    readonly code?: string
    /** Live keys it stands on, down to spans. */
    readonly keys: readonly Key[]
  }[]
}

export interface Relied {
  readonly verdict: 'substantiated' | 'refused'
  /** Keys the gate relied on that something has happened to since. */
  moved(): Promise<readonly Key[]>
}

/** A claim that looks as if it could stand alone, whose key is not derivable and whose span no longer resolves. */
export interface UnbackedClaim {
  readonly summary: Key
  /** Which claim of the summary, from 0. */
  readonly claim: number
  readonly text: string
  /** The key it may have stood on: given beside the text, and gone. */
  readonly key: Key
}

/** A summary that was acted on, none of whose spans was read since it was registered. */
export interface UnreadSummary {
  readonly summary: Key
  /** The action, where a gate was told its name. */
  readonly action?: string
  /** When it was last acted on, in milliseconds since the epoch. */
  readonly at: number
  readonly keys: readonly Key[]
}

/** A summary, live or replaced since, of which the text is still there. */
export interface ChainStep {
  readonly key: Key
  readonly epoch: number
  readonly text: string
  readonly covers: readonly Key[]
  readonly completeness?: number
}

/** The log of what gates answered, and what can be told from it. */
export interface GateRecords {
  /** One transaction. Answers its number, and when. */
  record(
    collection: number,
    session: string,
    gate: GateRecord,
  ): Promise<{ readonly gate: number; readonly at: number }>
  /** Of each claim, in order: what its last verification is worth now. */
  authorities(collection: number, session: string, claims: readonly string[]): Promise<readonly Authority[]>
  /** A gate of this session: by its number, else the last that answered this cursor. */
  relied(collection: number, session: string, cursor: string, gate?: number): Promise<Relied | undefined>
  /** What each live summary became out of: itself last, and at most `steps` in all. `gone`: keys not satisfied now. */
  chains(
    collection: number,
    session: string,
    steps: number,
  ): Promise<{ readonly chains: readonly (readonly ChainStep[])[]; readonly gone: ReadonlySet<Key> }>
  unbacked(collection: number, session: string): Promise<readonly UnbackedClaim[]>
  unread(collection: number, session: string): Promise<readonly UnreadSummary[]>
}
