import type { Connection } from './statements.ts'

/** Moves the write-ahead log into the file and empties it. False while another connection reads an older state. */
export const truncateLog = (connection: Connection): boolean =>
  connection.value<number>('PRAGMA wal_checkpoint(TRUNCATE)') === 0

/** Gives the room of what is gone back to the disk. @throws while others are at work */
export function reclaim(connection: Connection): boolean {
  connection.db.exec('VACUUM')
  return truncateLog(connection)
}
