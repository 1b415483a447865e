import { openStore } from '../../src/index.ts'
import { createServer } from '../../src/server/index.ts'

/** A server in a process of its own, to be killed: `node server-process.ts DIRECTORY` prints its port. */
const store = await openStore(process.argv[2]!)
const { port } = await createServer(store).listen({ port: 0 })
process.stdout.write(`${port}\n`)
