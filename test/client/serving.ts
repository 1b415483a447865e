/** A server in a process of its own, to be killed: `serving.ts DIRECTORY PORT` prints its address. */
import { openStore } from '../../src/index.ts'
import { createServer } from '../../src/server/index.ts'

const [directory, port] = process.argv.slice(2)
const store = await openStore(directory!)
const server = createServer(store)
const { url } = await server.listen({ port: Number(port) })
process.stdout.write(`${url}\n`)
process.on('SIGTERM', async () => {
  await server.close()
  await store.close()
})
