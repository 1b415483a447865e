import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporary } from '../store/helpers.ts'

const root = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const run = promisify(execFile)

describe('the README', () => {
  it('has examples that run as they are, and say what they say they say', async () => {
    const [example] = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code!)
    expect(example).toContain("from 'spanstore'")
    // Inside the repository, so that the imports resolve as in a project that installed the package.
    const file = fileURLToPath(new URL(`test/docs/example-${process.pid}.mts`, root))
    writeFileSync(
      file,
      example!
        .replaceAll("'spanstore'", JSON.stringify(fileURLToPath(new URL('src/index.ts', root))))
        .replaceAll("'./memory'", JSON.stringify(join(temporary(), 'memory'))),
    )
    try {
      const { stdout } = await run(process.execPath, ['--import', 'tsx', file], { cwd: fileURLToPath(root) })
      const lines = stdout.trim().split('\n')
      expect(lines[0]).toMatch(/^1 \[ '\w{26}' \] \[ '\w{26}' \]$/)
      expect(lines[1]).toMatch(/^retired \(edited\), continue from \w{26}$/)
      expect(lines[2]).toMatch(/^\w{26} stale \[/)
      expect(stdout).toMatch(/summary\.stale \w{26} \{/)
      expect(stdout).toMatch(
        /true \[\s+'# Migration\\n\\nWe migrate on Friday, and the rollback is rehearsed\.'/,
      )
    } finally {
      rmSync(file)
    }
  })

  it('links only to files that are there', () => {
    for (const [, target] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
      expect(() => readFileSync(new URL(target!, root)), target).not.toThrow()
  })

  it('names the two commands first', () => {
    expect(readme.indexOf('npm ci && npm run demo')).toBeLessThan(readme.indexOf('## '))
    expect(readme.indexOf('npm ci && npm test')).toBeLessThan(readme.indexOf('## '))
  })
})
