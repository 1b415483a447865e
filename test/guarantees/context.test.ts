import { expect, it } from 'vitest'
import { openStore } from '../../src/index.ts'

/** Ten characters are ten tokens. */
const countTokens = (text: string) => text.length

it('what does not fit takes all that is older with it: a context has no holes', async () => {
  const store = await openStore(':memory:')
  const notes = await store.collection('notes')
  const { added } = await notes.put({
    source: 'chat',
    spans: [{ text: 'short' }, { text: 'a turn that is very much longer' }, { text: 'the last one' }],
  })
  const context = await notes.session('a').context({ maxTokens: 20, source: 'chat', countTokens })
  expect(context.entries.map(({ key }) => key)).toEqual([added[2]])
  expect(context.omitted).toEqual([added[0], added[1]])
  expect(context.tokens).toBe('the last one'.length)
  await store.close()
})

it('a span that a current summary covers is there as the summary alone', async () => {
  const store = await openStore(':memory:')
  const notes = await store.collection('notes')
  const { added } = await notes.put({ source: 'chat', spans: [{ text: 'one' }, { text: 'two' }] })
  const session = notes.session('a')
  const { key } = await session.register({ text: 'Sum.', dependsOn: [added[0]!], covers: [added[0]!] })
  const { entries } = await session.context({ maxTokens: 100, source: 'chat', countTokens })
  expect(entries.map((entry) => entry.key)).toEqual([key, added[1]])
  await store.close()
})
