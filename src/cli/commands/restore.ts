import { resolve } from 'node:path'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'

export async function run(context: Context, [directory]: readonly string[]): Promise<number> {
  const { restoreBackup } = await import('../../index.ts')
  const backup = resolve(directory!)
  await restoreBackup(backup, context.directory)
  if (context.json) context.printJson({ backup, store: context.directory })
  else context.print(`Restored ${backup} to ${context.directory}.`)
  return EXIT.ok
}
