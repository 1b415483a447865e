import type { Connection } from './statements.ts'

/** Moves the write-ahead log into the file and empties it. False while another connection reads an older state. */
export const truncateLog = (connection: Connection): boolean =>
  connection.value<number>('PRAGMA wal_checkpoint(TRUNCATE)') === 0

/** Moves of the write-ahead log into the file what nobody reads an older state of. Nobody waits for it. */
export function moveLog(connection: Connection): void {
  connection.value('PRAGMA wal_checkpoint(PASSIVE)')
}

/** Pages that are in the log alone. */
export function pagesInLog(connection: Connection): number {
  const [, logged, moved] = connection.row<[number, number, number]>('PRAGMA wal_checkpoint(NOOP)')!
  return logged - moved
}

/** Gives the room of what is gone back to the disk. @throws while others are at work */
export function reclaim(connection: Connection): boolean {
  connection.db.exec('VACUUM')
  return truncateLog(connection)
}
