import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLedger } from './ledger.ts'

/** A process of its own: for each number read it commits so many events to each of the collections named. */
const [directory, names] = process.argv.slice(2)
const ledger = openLedger(directory!)
const refs = names!
  .split(',')
  .map(
    (name) => ledger.connection.value<number>('SELECT collection FROM collection_head WHERE name = ?', name)!,
  )
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  await ledger.commit((commit) => {
    for (const ref of refs)
      for (let n = 0; n < Number(line); n++)
        commit.event(ref, 'session.resumed', { data: JSON.stringify({ session: 's' }) })
  })
  await sleep(Math.random() * 3)
}
await ledger.close()
