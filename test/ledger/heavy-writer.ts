import { writeSync } from 'node:fs'
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import { collectionOver } from '../../src/testing/over.ts'

/*
 * A process that writes one source again and again in its thread, until it is killed, and says on standard output
 * which round was acknowledged. Arguments: the ledger's file, the first round.
 */

const [path = '', first = '0'] = process.argv.slice(2)
const notes = await collectionOver(openSqliteLedger(path, { heavy: 0 }), 'notes')
for (let round = Number(first); ; round++) {
  await notes.put({
    source: 'a',
    spans: Array.from({ length: 300 }, (_, i) => ({ text: `Round ${round}, span ${i}` })),
  })
  writeSync(1, `${round}\n`)
}
