import { createInterface } from 'node:readline/promises'
import { UsageError } from './exit.ts'

/** Asks a question on a terminal. @throws UsageError where nobody is there to ask */
export async function confirmed(question: string): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw new UsageError(`${question} Nobody is there to ask: confirm with --yes`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines.question(`${question} [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}
