/** What the process answers with. The four results are told apart by their numbers. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  empty: 3,
  tombstone: 4,
  absent: 5,
  /** A check says no: do not act, do not compact. */
  refused: 6,
  /** A check cannot tell. */
  undecided: 7,
  /** A check says no, and that the last epoch has to be discarded first. */
  rollback: 8,
  interrupted: 130,
} as const

/** A command that was typed wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
