import type { Filter } from '../core/filter.ts'
import type { DerivedIndex } from './derived.ts'

/** Spans that may pass a filter. */
export interface Candidates {
  /** Ascending. Every live span that passes is among them, but for those that came or changed after `position`. */
  readonly ids: readonly number[]
  readonly position: number
}

/** Which spans have which metadata. */
export interface AttributeIndex extends DerivedIndex {
  /**
   * Undefined where asking about every span is as quick, or the index is not there yet. Answers at once, and never
   * fails for what is wrong with the index.
   */
  candidates(collection: number, where: Filter): Candidates | undefined
}
