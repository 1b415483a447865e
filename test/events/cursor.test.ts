import { expect, it } from 'vitest'
import { openStore, type StoreEvent } from '../../src/index.ts'

it("a subscription's cursor passes what was delivered, and nothing that was only read ahead", async () => {
  const store = await openStore(':memory:')
  const notes = await store.collection('notes')
  await notes.put({ source: 's', spans: ['one', 'two', 'three'].map((text) => ({ text })) })
  const all: StoreEvent[] = []
  for await (const event of store.subscribe({ follow: false })) all.push(event)
  expect(all.length).toBeGreaterThan(3)

  const events = store.subscribe({ follow: false })
  for (const expected of all.slice(0, 2)) expect((await events.next()).value?.id).toBe(expected.id)
  const { cursor } = events
  await events.return?.()
  const rest: string[] = []
  for await (const event of store.subscribe({ follow: false, from: cursor! })) rest.push(event.id)
  expect(rest).toEqual(all.slice(2).map(({ id }) => id))
  await store.close()
})
