import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { localEmbedder } from '../../../src/embed/index.ts'
import { cleanUp, indexed, newDirectory, open } from '../../vector/stores.ts'

afterAll(cleanUp)

const MEETINGS = new URL('../../../../shared/corpora/meetings/', import.meta.url)

/** Texts enough for an approximate index to have something to leave out; each costs some ten milliseconds. */
const TEXTS = 2_000

test.skipIf(!existsSync(MEETINGS))(
  'the approximate index finds 98 of a hundred of the nearest of real embeddings',
  async () => {
    const embedder = localEmbedder()
    const directory = newDirectory()
    const notes = await (await open(directory, { embedder })).collection('notes')
    let texts = 0
    for (const file of readdirSync(MEETINGS).filter((name) => name.endsWith('.json'))) {
      if (texts >= TEXTS) break
      const { turns } = JSON.parse(readFileSync(new URL(file, MEETINGS), 'utf8')) as {
        turns: { speaker: string; content: string }[]
      }
      texts += turns.length
      await notes.put({ source: file, spans: turns.map(({ content }) => ({ text: content })) })
    }
    const { index, search, ledger, collection, close } = await indexed(directory, { large: 1_000 })
    await index.catchUp()
    const { space } = ledger.vectors.head(collection)
    const rows = ledger.vectors.copy(collection, space!, 0, texts).rows
    let found = 0
    let wanted = 0
    for (let i = 0; i < rows.length; i += 20) {
      const { vector } = rows[i]!
      if (vector === undefined) continue
      const exact = await search(vector, { accuracy: 1 })
      const near = await search(vector, { accuracy: 0.98 })
      expect(near.path).toMatchObject({ path: 'index', approximate: true })
      // Short turns are said again and again: what is as near counts, whichever it is.
      const far = exact.hits.at(-1)!.distance + 1e-9
      found += near.hits.filter(({ distance }) => distance <= far).length
      wanted += exact.hits.length
    }
    expect(wanted).toBeGreaterThan(500)
    expect(found / wanted).toBeGreaterThanOrEqual(0.98)
    await close()
    await embedder.close()
  },
)
