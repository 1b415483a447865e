import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Whether there is a Python to run the reference code with. */
export const hasPython = spawnSync('python3', ['--version']).status === 0

/** What a reference program answers to each case. */
export function reference<Answer>(program: string, cases: readonly unknown[]): Answer[] {
  const path = fileURLToPath(new URL(`${program}.py`, import.meta.url))
  const { status, stdout, stderr } = spawnSync('python3', [path], {
    input: cases.map((one) => JSON.stringify(one)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer)
}
