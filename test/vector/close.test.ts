import { afterEach, expect, test, vi } from 'vitest'
import { LanceTable } from '../../src/vector/table.ts'
import { cleanUp, fill, indexed, newDirectory, open, vectors } from './stores.ts'

afterEach(async () => {
  vi.restoreAllMocks()
  await cleanUp()
})

test('closing does not wait for an index to be built, and leaves it alone until it is', async () => {
  const directory = newDirectory()
  const notes = await (await open(directory)).collection('notes')
  await fill(notes, 0, vectors(120, 8))
  const build = LanceTable.prototype.index
  let finish = () => {}
  const gate = new Promise<void>((resolve) => {
    finish = resolve
  })
  let building = () => {}
  const begun = new Promise<void>((resolve) => {
    building = resolve
  })
  vi.spyOn(LanceTable.prototype, 'index').mockImplementation(async function (this: LanceTable) {
    building()
    await gate
    await build.call(this)
  })
  const one = await indexed(directory)
  const caughtUp = one.index.catchUp().catch(() => 'stopped')
  await begun
  await one.close()
  const two = await indexed(directory)
  const [query] = vectors(1, 8, 3)
  // Its writer is still at it: another one does not begin.
  await two.index.catchUp()
  expect((await two.search(query!)).hits).toHaveLength(10)
  finish()
  await caughtUp
  vi.restoreAllMocks()
  await expect
    .poll(
      async () => {
        await two.index.catchUp()
        return (await two.search(query!)).path.path
      },
      { timeout: 10_000 },
    )
    .toBe('index')
  expect(await two.index.verify(false)).toEqual([])
  await two.close()
})
