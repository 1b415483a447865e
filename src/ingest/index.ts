export { syncFolder } from './sync.ts'
export type { FileChange, SyncOptions, SyncReport } from './sync-report.ts'
