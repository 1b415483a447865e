import { createRequire } from 'node:module'
import type BetterSqlite3 from 'better-sqlite3'
import { answerCalls } from '../threads/answer.ts'

/*
 * The whole of a thread that moves what was committed from the log into the file: nearly every posting lies on a page of
 * its own, and SQLite moves all of them in one piece.
 */

export type LogCalls = {
  readonly move: (path: string) => void
}

const require = createRequire(import.meta.url)

function move(path: string): void {
  const Database = require('better-sqlite3') as typeof BetterSqlite3
  const db = new Database(path, { fileMustExist: true })
  try {
    db.pragma('wal_checkpoint(PASSIVE)')
  } finally {
    db.close()
  }
}

answerCalls<LogCalls>({ move: (_, path) => move(path) }, () => {})
