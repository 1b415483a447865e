import { resolve } from 'node:path'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Progress } from '../progress.ts'
import { size } from '../terminal.ts'

export async function run(context: Context, [directory]: readonly string[]): Promise<number> {
  const store = await context.existing()
  const target = resolve(directory!)
  const progress = await Progress.start()
  try {
    const backup = await store.backup(target, {
      onProgress: (done, total) => progress.update('copying pages', done, total),
    })
    progress.stop()
    if (context.json) context.printJson({ directory: target, ...backup })
    else {
      for (const { name, bytes, sha256 } of backup.files)
        context.print(`${name}  ${size(bytes)}  ${context.colors.dim(`sha256 ${sha256}`)}`)
      context.print(`Backed up to ${target}. Bring it back: spanstore restore ${directory} --store NEW_DIR`)
    }
  } finally {
    progress.stop()
  }
  return EXIT.ok
}
