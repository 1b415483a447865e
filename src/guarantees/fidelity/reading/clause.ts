import type { Hinge } from '../words/cues.ts'
import type { Word } from '../words/tagging.ts'

/** How a clause hangs on its parent. */
type Link = Hinge | 'main' | 'complement' | 'coordinate' | 'without' | 'adjunct'

export interface Clause {
  readonly id: number
  /** Where the words of the clause begin; they end where those of the next clause begin. */
  readonly start: number
  readonly end: number
  /** First word of the verb group. */
  readonly verb: number
  /** The word that says what is the case: the main verb, or the predicate after "be". */
  readonly head: number
  /** From and to of the subject; equal when there is none. */
  readonly subject: readonly [number, number]
  readonly negators: readonly number[]
  readonly modals: readonly number[]
  readonly helpers: readonly number[]
  readonly passive: boolean
  readonly copula: boolean
  readonly finite: boolean
  readonly imperative: boolean
  readonly question: boolean
  readonly tense: 'past' | 'present' | 'future' | 'none'
  readonly link: Link
  /** The clause it hangs on, -1 for none. */
  readonly parent: number
  /** The word it complements, -1 for none. */
  readonly governor: number
  /** Coordinated with the parent by "or". */
  readonly alternative: boolean
}

export interface Reading {
  readonly text: string
  readonly words: readonly Word[]
  readonly clauses: readonly Clause[]
  /** The clause of each word. */
  readonly clauseOf: readonly number[]
  /** The words of each clause. */
  readonly wordsOf: readonly (readonly number[])[]
}
