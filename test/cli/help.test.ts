import { afterAll, describe, expect, test } from 'vitest'
import { newDirectory, removeDirectories, spanstore } from './command.ts'

const cwd = newDirectory()
afterAll(removeDirectories)

const top = (await spanstore(['--help'], { cwd })).out
const commands = [...top.matchAll(/^ {2}([a-z][a-z-]*)(?= .*)/gm)]
  .map(([, name]) => name!)
  .filter((name) => name !== 'spanstore')

describe.concurrent('the help', () => {
  test('names every command of DESIGN that applies, and the exit codes', () => {
    expect(commands).toEqual(
      expect.arrayContaining(
        'sync put append fetch search history lineage dependents watch consumers gate check-anchors fidelity verify stats erase prune backup demo'.split(
          ' ',
        ),
      ),
    )
    expect(top).toContain('0 ok   3 empty   4 tombstone   5 absent')
  })

  test.each(commands)('of %s says what it does and gives examples that could be typed', async (name) => {
    const { code, out } = await spanstore([name, '--help'], { cwd })
    expect(code).toBe(0)
    expect(out).toContain(`Usage: spanstore ${name}`)
    const examples = out.slice(out.indexOf('Examples:')).match(/spanstore .*/g) ?? []
    expect(examples.length).toBeGreaterThan(0)
    const options = new Set(out.slice(0, out.indexOf('Examples:')).match(/(?<![\w-])--?[a-z][\w-]*/g))
    for (const example of examples) {
      const typed = example.replace(/ {2,}#.*| \|.*| > .*/, '').replace(/'[^']*'/g, 'x')
      expect(typed).toContain(` ${name}`)
      for (const option of typed.match(/(?<= )--?[a-z][\w-]*/g) ?? [])
        expect([...options], `${example}: there is no ${option}`).toContain(option)
    }
  })

  test('--version is the package’s', async () => {
    expect((await spanstore(['--version'], { cwd })).out).toMatch(/^\d+\.\d+\.\d+/)
  })
})
