import { expect, test } from 'vitest'
import { atOnce, inTurns, nextTurn, Turns } from '../../src/threads/turn.ts'

test('of all that wait for a turn one goes on in each, in the order in which they came', async () => {
  let turn = 0
  let running = true
  const count = () => {
    turn++
    if (running) setImmediate(count)
  }
  setImmediate(count)
  const went: (readonly [who: number, turn: number])[] = []
  const step = async (who: number) => {
    for (let i = 0; i < 3; i++) {
      await nextTurn()
      went.push([who, turn])
    }
  }
  await Promise.all([step(1), step(2), step(3)])
  running = false
  expect(went.map(([who]) => who)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3])
  expect(new Set(went.map(([, turn]) => turn)).size).toBe(went.length)
})

test('steps answer the same in one go and in turns, and fail the same', async () => {
  function* steps(fails: boolean): Generator<void, number> {
    let sum = 0
    for (let i = 0; i < 10; i++) {
      sum += i
      yield
    }
    if (fails) throw new Error('It fails.')
    return sum
  }
  let turns = 0
  const other = async () => {
    for (let i = 0; i < 5; i++) {
      await nextTurn()
      turns++
    }
  }
  const others = other()
  expect(await inTurns(steps(false), 0)).toBe(45)
  expect(turns).toBe(5)
  await others
  expect(atOnce(steps(false))).toBe(45)
  await expect(inTurns(steps(true), 0)).rejects.toThrow('It fails.')
  expect(() => atOnce(steps(true))).toThrow('It fails.')
})

test('a loop gives others their turn once its steps have taken long enough, and not before', async () => {
  let turns = 0
  const count = () => {
    turns++
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  const never = new Turns(60_000)
  for (let i = 0; i < 100; i++) await never.step()
  expect(turns).toBe(0)
  const each = new Turns(0)
  for (let i = 0; i < 5; i++) await each.step()
  expect(turns).toBeGreaterThan(3)
  clearImmediate(immediate)
})
