import { afterEach, expect, test } from 'vitest'
import { cleanUp, fill, indexed, newDirectory, open, vectors } from './stores.ts'

afterEach(cleanUp)

test('whoever keeps a table takes in what others commit, when it hears of it', async () => {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes')
  await fill(notes, 0, vectors(60, 8))
  let ring: (() => void) | undefined
  const { index, ledger, collection, close } = await indexed(directory, {
    gather: 5,
    patience: 5,
    follow: (listener) => {
      ring = listener
      return () => {
        ring = undefined
      }
    },
  })
  expect(ring).toBeUndefined()
  index.wake()
  const reached = async () =>
    index.watermark(collection) === (await ledger.collections())[0]!.position && ring !== undefined
  await expect.poll(reached, { timeout: 10_000 }).toBe(true)
  await fill(notes, 60, vectors(5, 8, 2))
  expect(await reached()).toBe(false)
  ring!()
  await expect.poll(reached, { timeout: 10_000 }).toBe(true)
  await close()
  expect(ring).toBeUndefined()
})
