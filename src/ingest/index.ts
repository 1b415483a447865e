export {
  type FileChange,
  type SyncOptions,
  type SyncReport,
  syncFolder,
} from './sync.ts'
