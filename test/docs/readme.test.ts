import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporary } from '../store/helpers.ts'

const root = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const run = promisify(execFile)

/** Programs of the README, by the heading they stand under. */
const programs = new Map<string, string>()
for (const section of readme.split(/^#+ /m).slice(1)) {
  const [code] = [...section.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code!)
  if (code !== undefined) programs.set(section.slice(0, section.indexOf('\n')), code)
}

/** Subpaths of the package, as its `exports` name them. */
const modules = Object.entries(
  (
    JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
      exports: Record<string, { default: string } | string>
    }
  ).exports,
).flatMap(([name, target]) =>
  typeof target === 'string'
    ? []
    : [[name.replace('.', 'spanstore'), target.default.replace('./dist/', 'src/').replace('.js', '.ts')]],
) as [string, string][]

/** Runs a program inside the repository, so that its imports resolve as in a project that installed the package. */
async function outputOf(heading: string): Promise<string> {
  let code = programs.get(heading)
  if (code === undefined) throw new Error(`the README has no program under ${heading}`)
  for (const [name, file] of modules)
    code = code.replaceAll(`'${name}'`, JSON.stringify(fileURLToPath(new URL(file, root))))
  const file = fileURLToPath(
    new URL(`test/docs/example-${process.pid}-${[...programs.keys()].indexOf(heading)}.mts`, root),
  )
  writeFileSync(file, code.replaceAll("'./memory'", JSON.stringify(join(temporary(), 'memory'))))
  try {
    return (await run(process.execPath, ['--import', 'tsx', file], { cwd: fileURLToPath(root) })).stdout
  } finally {
    rmSync(file)
  }
}

describe('the README', () => {
  it('shows how to use it, and says what it says', async () => {
    const stdout = await outputOf('Use')
    const lines = stdout.trim().split('\n')
    expect(lines[0]).toMatch(/^1 \[ '\w{26}' \] \[ '\w{26}' \]$/)
    expect(lines[1]).toMatch(/^retired \(edited\), continue from \w{26}$/)
    expect(lines[2]).toMatch(/^\w{26} stale \[/)
    expect(stdout).toMatch(/summary\.stale \w{26} \{/)
    expect(stdout).toMatch(
      /true \[\s+'# Migration\\n\\nWe migrate on Friday, and the rollback is rehearsed\.'/,
    )
  })

  it('finds by meaning what shares no word', async () => {
    expect((await outputOf('Search')).trim()).toBe('true Push the button and it beeps until you pick it up.')
  })

  it.each([
    [
      'The gate, before an irreversible action',
      [
        "[ [ 'substantiated', 'verified' ] ]",
        "[ [ 'NO_DERIVABLE_KEY', 'KEY_ABSENT' ], [ 'NOT_FAITHFUL' ] ]",
        'refused',
      ],
    ],
    [
      'The monitor, before each compaction',
      ['freeze FREEZE_AND_RECONCILE 1', 'SESSION_FROZEN', 'reconciled true proceed'],
    ],
    [
      'Anchored recall, while compacting',
      [
        '1 2 2',
        "RECALL_BROKEN [ 'ANCHOR_DROPPED', 'ANCHOR_DROPPED' ]",
        "false [ 'NO_ANCHORS', 'NOT_A_KEY' ] [ 'As noted', 'earlier' ]",
      ],
    ],
    ['The fidelity check', ['unfaithful', 'modality_upgrade polarity_flip']],
  ])('%s: the example prints what it should', async (heading, lines) => {
    expect((await outputOf(heading)).trim().split('\n')).toEqual(lines)
  })

  it('serves, and a client with the same names answers alike', async () => {
    const lines = (await outputOf('From another process')).trim().split('\n')
    expect(lines[0]).toBe('tombstone')
    expect(lines[1]).toMatch(/^span\.retired \w{26}$/)
  })

  it('has no program that no test runs', () => {
    expect([...programs.keys()].sort()).toEqual(
      [
        'Use',
        'Search',
        'The gate, before an irreversible action',
        'The monitor, before each compaction',
        'Anchored recall, while compacting',
        'The fidelity check',
        'From another process',
      ].sort(),
    )
    const fences = readme.match(/^```ts$/gm) ?? []
    expect(fences).toHaveLength(programs.size)
  })

  it('links only to files that are there', () => {
    const texts = ['README.md', ...readdirSync(new URL('docs', root)).map((file) => `docs/${file}`)]
    for (const file of texts.filter((name) => name.endsWith('.md')))
      for (const [, target] of readFileSync(new URL(file, root), 'utf8').matchAll(
        /\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g,
      ))
        expect(existsSync(new URL(target!, new URL(file, root))), `${file}: ${target}`).toBe(true)
  })

  it('names the two commands first', () => {
    expect(readme.indexOf('npm ci && npm run demo')).toBeLessThan(readme.indexOf('## '))
    expect(readme.indexOf('npm ci && npm test')).toBeLessThan(readme.indexOf('## '))
  })
})
