import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const text = readFileSync(new URL('docs/guarantees.md', root), 'utf8')
const examples = [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code!)

const OUTPUTS = [
  [
    "[ [ 'substantiated', 'verified' ] ]",
    "[ [ 'NO_DERIVABLE_KEY', 'KEY_ABSENT' ], [ 'NOT_FAITHFUL' ] ]",
    'refused',
  ],
  [
    '1 2 2',
    "RECALL_BROKEN [ 'ANCHOR_DROPPED', 'ANCHOR_DROPPED' ]",
    "false [ 'NO_ANCHORS', 'NOT_A_KEY' ] [ 'As noted', 'earlier' ]",
  ],
]

it.each(OUTPUTS.map((lines, i) => [i + 1, lines] as const))(
  'example %i of docs/guarantees.md runs as it is, and prints what it says',
  async (number, lines) => {
    const file = fileURLToPath(new URL(`test/guarantees/example-${process.pid}-${number}.mts`, root))
    const source = JSON.stringify(fileURLToPath(new URL('src/index.ts', root)))
    writeFileSync(file, examples[number - 1]!.replaceAll("'spanstore'", source))
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file], {
        cwd: fileURLToPath(root),
      })
      expect(stdout.trim().split('\n')).toEqual(lines)
    } finally {
      rmSync(file)
    }
  },
)
