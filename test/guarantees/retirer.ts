import { openStore } from '../../src/index.ts'

/* Another process at work on the same store. Arguments: directory, collection, key to retire. */

const [directory = '', collection = '', key = ''] = process.argv.slice(2)
const store = await openStore(directory, { wait: 30_000 })
await (await store.collection(collection)).retire([key])
await store.close()
