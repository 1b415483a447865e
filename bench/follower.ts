import { openStore } from '../src/index.ts'

// Prints when each event arrives, on the clock that all processes of a machine share.
const store = await openStore(process.argv[2]!)
const events = store.subscribe({ from: 'now', types: ['span.added'] })
console.log('ready')
for await (const _ of events) console.log(performance.timeOrigin + performance.now())
