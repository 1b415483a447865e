import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Put together, so that this file does not contain what it looks for. */
const FOREIGN = [
  ['registry host', new RegExp(['registry', '(npmjs|yarnpkg|npmmirror)'].join(String.raw`\.`))],
  ['path of the machine it was written on', new RegExp(['(?<![\\w.~-])', 'work', ''].join('/'))],
] as const

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => path !== '' && statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile())

test('the lock file leaves the registry to whoever installs', () => {
  const { packages }: { packages: Record<string, object> } = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  )
  expect(Object.keys(packages).length).toBeGreaterThan(100)
  expect(Object.keys(packages).filter((path) => 'resolved' in packages[path]!)).toEqual([])
})

test.each(FOREIGN)('no file carries a %s', (_, pattern) => {
  expect(tracked).toContain('package-lock.json')
  expect(tracked.filter((path) => pattern.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})

test('what is looked for would be found', () => {
  const samples = [
    `https://${['registry', 'npmjs', 'org'].join('.')}/x`,
    `open("${['', 'work', 'main'].join('/')}")`,
  ]
  for (const [index, [, pattern]] of FOREIGN.entries()) expect(samples[index]).toMatch(pattern)
})
