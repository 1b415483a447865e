import type { Clause } from './clause.ts'
import type { Measure } from './measures.ts'

/**
 * What is said of what, one statement a verb, and one a conjunct that leaves its verb out: "Ana takes the tram and Ben
 * the bus" are two. A flat reading: it tells which words belong together, and the part each has where that is plain.
 */
export interface Statement {
  readonly id: number
  /** The word that says what is the case; -1 for none. */
  readonly head: number
  readonly clause: Clause | undefined
  readonly parts: readonly Part[]
  /** Where its own words begin. */
  readonly at: number
  readonly sentence: number
}

/** The slot of a part: one of these, or the group of its preposition. */
export type Slot = 'subject' | 'object' | 'bare' | 'owner' | 'trait' | 'quantity' | (string & {})

export interface Part {
  readonly at: number
  readonly slot: Slot
  /** The word it belongs to: an owner's thing, what a trait is a trait of; -1 for none. */
  readonly of: number
  /** Words it may stand for: itself, or what a pronoun takes up. */
  readonly stands: readonly number[]
  /** `self` is whoever keeps these notes or their team; `open` stands for anything said before. */
  readonly key: 'word' | 'self' | 'open'
  /** What a number, a time or "weekly" is compared by. */
  readonly measure: Measure | undefined
  /** Taken over from the statement before. */
  readonly borrowed: boolean
}
