/*
 * For whoever writes another ledger or another index: what a store needs of it, as cases for any test runner.
 */
export type { ConformanceCase } from './conformance.ts'
export { ledgerConformance } from './ledger.ts'
export { type IndexedLedger, vectorIndexConformance } from './vector-index.ts'
