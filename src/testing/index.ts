/*
 * For whoever writes another ledger or another index: what a store needs of it, as cases for any test runner.
 */
export type { Ledger } from '../ports/ledger.ts'
export type {
  VectorAnswer,
  VectorHit,
  VectorIndex,
  VectorNearest,
  VectorQuery,
  VectorSpace,
} from '../ports/vectors.ts'
export type { ConformanceCase } from './conformance.ts'
export { ledgerConformance } from './ledger.ts'
export { type IndexedLedger, vectorIndexConformance } from './vector-index.ts'
