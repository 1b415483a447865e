/** How far a claim may be trusted: as far as its last verified rehydration. */
export type Authority =
  /** Verified, and nothing has happened to its spans since. `position` is of the session's collection. */
  | { readonly state: 'verified'; readonly position: number; readonly at: number }
  /** Verified once; since then a span of it had an event, or the index was rebuilt. */
  | { readonly state: 'decayed'; readonly position: number; readonly at: number }
  /** Never rehydrated and verified in its session. */
  | { readonly state: 'write-time only' }
