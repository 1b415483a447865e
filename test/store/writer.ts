import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSpanStoreError, type Key, openStore } from '../../src/index.ts'

/*
 * A process that writes until it is killed, and says on standard output what was acknowledged, one JSON a line.
 * Arguments: directory, name, how many writes.
 */

const [directory = '', name = '', count = '0'] = process.argv.slice(2)
const say = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`)

const store = await openStore(directory, { wait: 30_000 })
const notes = await store.collection('notes')
say({ opened: store.id })
const session = notes.session(name)
let turns: string[] = []
let summary: Key | undefined
for (let i = 0; i < Number(count); i++) {
  const shared = await notes.append({
    source: 'shared',
    spans: [{ text: `${name} says the ${i}th thing that it says` }],
  })
  say({ source: 'shared', keys: shared.added, revision: shared.revision })
  turns = [...turns, `${name}, turn ${i}, which is the text of a turn`].slice(-40)
  if (i % 3 === 0) turns[0] = `${turns[0]} Edited.`
  const own = await notes.put({ source: name, spans: turns.map((text) => ({ text })) })
  say({ source: name, keys: own.added, gone: own.retired, revision: own.revision, text: turns.join('\n') })
  try {
    const registered = await session.register({
      text: `Summary ${i}.`,
      dependsOn: [...own.added, ...shared.added],
      ...(summary === undefined ? {} : { replaces: summary }),
    })
    summary = registered.key
    say({ summary, on: own.added })
  } catch (error) {
    // Another process may have retired what it stands on.
    if (!isSpanStoreError(error, 'DEPENDENCY_UNSATISFIED')) throw error
  }
  if (i % 5 === 4) {
    const { retired } = await notes.retire(shared.added, { reason: 'evicted' })
    say({ source: 'shared', keys: [], gone: retired })
  }
  await sleep(0)
}
await store.close()
say({ done: true })
