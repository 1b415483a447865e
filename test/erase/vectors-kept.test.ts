import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { type Embedder, openStore } from '../../src/index.ts'
import { temporary } from '../store/helpers.ts'

const SHARED = 'A sentence that two sources have, each for itself.'
const OWN = 'A sentence that only one source has ever had.'

it('an erasure takes the vector of its text with it, unless another span still has that text', async () => {
  let asked = 0
  const embedder: Embedder = {
    id: 'lengths',
    dimensions: 2,
    embedDocuments: async (texts) => {
      asked += texts.length
      return texts.map(({ length }) => Float32Array.of(length, 1))
    },
    embedQuery: async ({ length }) => Float32Array.of(length, 1),
  }
  const directory = temporary()
  const store = await openStore(directory, { embedder })
  const notes = await store.collection('notes')
  const { added } = await notes.put({ source: 'a', spans: [{ text: SHARED }, { text: OWN }] })
  const other = await notes.put({ source: 'b', spans: [{ text: SHARED }] })
  expect(asked).toBe(2)
  const kept = () => {
    const db = new Database(join(directory, 'ledger.db'), { readonly: true })
    const count = db.prepare('SELECT count(*) FROM embedding').pluck().get()
    db.close()
    return count
  }
  expect(kept()).toBe(2)

  const erased = await notes.erase({ keys: added })
  expect(erased.alsoIn).toMatchObject([{ key: other.added[0], source: 'b' }])
  expect(kept()).toBe(1)
  const found = await notes.search({ text: SHARED, mode: 'vector' })
  expect(found.hits.map(({ key }) => key)).toEqual(other.added)
  expect(found.complete).toBe(true)

  await notes.erase({ source: 'b' })
  expect(kept()).toBe(0)
  await store.close()
})
