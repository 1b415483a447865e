import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

test('the example of docs/compaction.md runs as it is, and does what the page says', async () => {
  const text = readFileSync(new URL('docs/compaction.md', root), 'utf8')
  const [, example] = /^```ts\n([\s\S]*?)^```/m.exec(text)!
  const file = fileURLToPath(new URL(`test/guarantees/example-${process.pid}.mts`, root))
  const source = JSON.stringify(fileURLToPath(new URL('src/index.ts', root)))
  writeFileSync(file, example!.replaceAll("'spanstore'", source))
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file], {
      cwd: fileURLToPath(root),
    })
    expect(stdout.trim().split('\n')).toEqual([
      'proceed',
      'freeze_and_rollback DISCARD_EPOCH signal 4: a summary cites more than what it took the place of',
      'SESSION_FROZEN',
      'true 1',
      'true',
      'freeze 1 1',
      'reconciled 1 true proceed',
    ])
  } finally {
    rmSync(file)
  }
})
