import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import config from '../../drizzle.config.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const schema = String(config.schema)
const migrations = join(ROOT, String(config.out))

const DRIFT = 'the schema changed: run `npm run generate` and commit migrations/'

const listing = async (dir: string): Promise<string[]> => (await readdir(dir, { recursive: true })).sort()

/** Runs `drizzle-kit generate` against the real schema, writing to `out`, and returns what it printed. */
async function generate(out: string): Promise<string> {
  const kit = join(ROOT, 'node_modules/drizzle-kit/bin.cjs')
  // drizzle-kit takes an absolute `out` for a relative one, fails, and exits with 0.
  const args = [
    'generate',
    `--dialect=${config.dialect}`,
    `--schema=${schema}`,
    `--out=${relative(ROOT, out)}`,
  ]
  const child = promisify(execFile)(process.execPath, [kit, ...args], { cwd: ROOT })
  child.child.stdin?.end() // it may ask whether a column was renamed: then the schema has drifted too
  const { stdout, stderr } = await child
  return stdout + stderr
}

describe.skipIf(!existsSync(join(ROOT, 'src/ledger')))('migrations', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'spanstore-migrations-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  test('say what the schema says: drizzle-kit has nothing to generate', async () => {
    await cp(migrations, dir, { recursive: true })
    const before = await listing(dir)
    const output = await generate(dir)
    expect(await listing(dir), DRIFT).toEqual(before)
    expect(output, DRIFT).toContain('No schema changes')
  })

  test('would be generated if there were none, so the check can fail', async () => {
    await generate(dir)
    expect((await listing(dir)).filter((file) => file.endsWith('.sql'))).toHaveLength(1)
  })

  test('are the files the journal names, no more and no fewer', async () => {
    const journal: { entries: { tag: string }[] } = JSON.parse(
      await readFile(join(migrations, 'meta/_journal.json'), 'utf8'),
    )
    const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql')).sort()
    expect(files.length).toBeGreaterThan(0)
    expect(journal.entries.map(({ tag }) => `${tag}.sql`).sort()).toEqual(files)
  })
})
