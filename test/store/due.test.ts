import { expect, it } from 'vitest'
import { openStore } from '../../src/index.ts'

/** A span that has fallen due, and that nobody has looked at since: a read would have committed its end. */
async function due() {
  let now = 1000
  const store = await openStore(':memory:', { clock: () => now })
  const notes = await store.collection('notes')
  const { added } = await notes.put({ source: 's', spans: [{ text: 'Here for a while.' }], expiresAt: 2000 })
  now = 2000
  return { store, notes, key: added[0]! }
}

it('a summary cannot be born on what has fallen due, though no read came between', async () => {
  const { store, notes, key } = await due()
  await expect(notes.session('a').register({ text: `It was said. [[${key}]]` })).rejects.toMatchObject({
    code: 'DEPENDENCY_UNSATISFIED',
    detail: { dependencies: [{ key, status: 'tombstone' }] },
  })
  expect(await notes.session('a').summaries()).toEqual([])
  await store.close()
})

it('what has fallen due was expired, not retired by whoever comes later', async () => {
  const { store, notes, key } = await due()
  expect(await notes.retire([key])).toMatchObject({ retired: [], already: [key] })
  expect(await notes.fetch(key)).toMatchObject({ status: 'tombstone', tombstone: { reason: 'expired' } })
  await store.close()
})

it('metadata of what has fallen due cannot be changed', async () => {
  const { store, notes, key } = await due()
  await expect(notes.update({ keys: [key], metadata: { a: 1 } })).rejects.toMatchObject({
    code: 'KEY_NOT_LIVE',
    detail: { keys: [{ key, status: 'tombstone' }] },
  })
  await store.close()
})
