import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { SqliteAttributeIndex } from '../../src/attributes/attribute-index.ts'
import { parseFilter } from '../../src/core/filter.ts'
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts'
import type { TextAnswer } from '../../src/ports/text.ts'
import { SqliteTextIndex } from '../../src/text/text-index.ts'
import { random } from '../store/helpers.ts'
import { cleanUp, newDirectory, open } from './stores.ts'

afterEach(cleanUp)

const WORDS = 'owl heron kingfisher reed river water night silent morning grebe'.split(' ')

test('words of few spans that pass a filter are found as those of many, and ranked alike', async () => {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes')
  const next = random(3)
  const words = () =>
    Array.from({ length: 12 }, () => WORDS[Math.floor(next() ** 2 * WORDS.length)]).join(' ')
  await notes.put({
    source: 'a',
    spans: Array.from({ length: 400 }, (_, i) => ({ text: words(), metadata: { group: i % 16, number: i } })),
  })
  const path = join(directory, 'ledger.db')
  const ledger = openSqliteLedger(path)
  const attributes = new SqliteAttributeIndex(ledger, path, { large: 1 })
  await attributes.catchUp()
  let asked = 0
  const few = new SqliteTextIndex(ledger, path, {
    candidates: (...what) => {
      const answer = attributes.candidates(...what)
      if (answer !== undefined) asked++
      return answer
    },
  })
  const all = new SqliteTextIndex(ledger, path)
  const collection = (await ledger.collections())[0]!.ref
  const search = (index: SqliteTextIndex, text: string, group: number, page = { limit: 1000, offset: 0 }) =>
    index.search(collection, { text, ...page, highlight: true, where: parseFilter({ group }) })
  const ids = (answer: TextAnswer) => answer.hits.map(({ id }) => id)
  const queries = [
    'grebe',
    'grebe morning silent',
    '"silent morning"',
    'gre* nowhere',
    '+grebe owl',
    '+owl -heron',
    '"reed river"* water',
    'nowhere',
  ]
  for (const [i, text] of queries.entries()) {
    const expected = await search(all, text, i)
    const answer = await search(few, text, i)
    expect([...ids(answer)].sort()).toEqual([...ids(expected)].sort())
    expect(answer.hits.every(({ score }, at) => at === 0 || score <= answer.hits[at - 1]!.score)).toBe(true)
    expect(new Map(answer.hits.map((hit) => [hit.id, hit.highlights]))).toEqual(
      new Map(expected.hits.map((hit) => [hit.id, hit.highlights])),
    )
    const page = await search(few, text, i, { limit: 3, offset: 2 })
    expect(ids(page)).toEqual(ids(answer).slice(2, 5))
  }
  expect(asked).toBe(2 * queries.length)
  // The rarest word decides, as it does in the whole collection.
  const [best] = (await search(few, 'grebe owl', 3)).hits
  expect(best!.span.text).toContain('grebe')
  // Written since, and not in the index of attributes yet.
  await notes.put({ source: 'b', spans: [{ text: 'a grebe', metadata: { group: 5 } }] })
  expect((await search(few, '"a grebe"', 5)).hits).toHaveLength(1)
  await few.close()
  await all.close()
  await attributes.close()
  await ledger.close()
})
