export {
  type FileChange,
  type SyncOptions,
  type SyncProgress,
  type SyncReport,
  syncFolder,
} from './sync.ts'
