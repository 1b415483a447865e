import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/index.ts'
import { ended, newDirectory, removeDirectories, spanstore, start } from './command.ts'

afterAll(removeDirectories)

const FILES = 1500

/** Every source that is live: its id, the path it is at, its text, its keys. */
async function contents(directory: string) {
  await using store = await openStore(join(directory, '.spanstore'))
  const collection = await store.collection('default')
  const found: { source: string; path: unknown; text: string; keys: readonly string[] }[] = []
  for await (const result of collection.sources()) {
    if (result.status === 'absent' || result.status === 'tombstone') continue
    const { text, places } = await collection.read(result.source)
    found.push({
      source: result.source,
      path: result.info.metadata.path,
      text,
      keys: places.map(({ key }) => key),
    })
  }
  return found
}

const withoutKeys = (sources: Awaited<ReturnType<typeof contents>>) =>
  sources.map(({ keys: _, ...rest }) => rest)

async function position(directory: string): Promise<number> {
  if (!existsSync(join(directory, '.spanstore/ledger.db'))) return 0
  await using store = await openStore(join(directory, '.spanstore'))
  return (await store.collections())[0]?.position ?? 0
}

/** Kills a sync with SIGKILL once the log has grown past a position. */
async function killed(directory: string, past: number): Promise<void> {
  const child = start(['sync', 'files'], { cwd: directory })
  const end = ended(child)
  while (child.exitCode === null && (await position(directory)) <= past) await sleep(2)
  child.kill('SIGKILL')
  expect((await end).code, 'the sync was over before it could be killed').toBeNull()
}

const text = (i: number, edit = '') =>
  `# Page ${i}\n\nThis is page ${i}, which says what only page ${i} says.${edit}\n\n${`Word ${i}. `.repeat(60)}\n`

describe('a sync killed in the middle', { timeout: 120_000 }, () => {
  test('leaves a store on which the next run does what is missing, as if nothing had happened', async () => {
    const directory = newDirectory()
    const clean = newDirectory()
    mkdirSync(join(directory, 'files'))
    for (let i = 0; i < FILES; i++) writeFileSync(join(directory, 'files', `${i}.md`), text(i))

    await killed(directory, 10)
    const before = await contents(directory)
    expect(before.length).toBeGreaterThan(0)
    expect(before.length).toBeLessThan(FILES)
    expect((await spanstore(['sync', 'files'], { cwd: directory })).code).toBe(0)
    await spanstore(['sync', join(directory, 'files')], { cwd: clean })
    const after = await contents(directory)
    expect(withoutKeys(after)).toEqual(withoutKeys(await contents(clean)))
    // What was written before the kill was not written again.
    const keys = new Map(after.map((one) => [one.source, one.keys]))
    for (const one of before) expect(keys.get(one.source)).toEqual(one.keys)

    // Now with renames, swaps, edits, removals and new files, all at once.
    const at = (i: number | string) => join(directory, 'files', `${i}.md`)
    for (let i = 0; i < 600; i++) renameSync(at(i), at(`moved-${i}`))
    for (let i = 600; i < 700; i += 2) {
      renameSync(at(i), at('swap'))
      renameSync(at(i + 1), at(i))
      renameSync(at('swap'), at(i + 1))
    }
    for (let i = 700; i < 800; i++) writeFileSync(at(i), text(i, ' And more.'))
    for (let i = 800; i < 900; i++) rmSync(at(i))
    for (let i = 0; i < 100; i++) writeFileSync(at(i), text(5000 + i))
    await killed(directory, await position(directory))
    expect((await spanstore(['sync', 'files'], { cwd: directory })).code).toBe(0)
    await spanstore(['sync', join(directory, 'files')], { cwd: clean })
    expect(withoutKeys(await contents(directory))).toEqual(withoutKeys(await contents(clean)))
    const renamed = new Map((await contents(directory)).map((one) => [one.path, one]))
    expect(renamed.get('moved-7.md')).toMatchObject({ source: '7.md', keys: keys.get('7.md') })
    expect(renamed.get('600.md')).toMatchObject({ source: '601.md', keys: keys.get('601.md') })
    expect(renamed.get('7.md')!.source).toBe('7.md#2')

    const verdict = JSON.parse((await spanstore(['verify', '--json'], { cwd: directory })).out)
    expect(verdict).toEqual({ ok: true, problems: [] })
  })
})
