import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'

export async function run(
  context: Context,
  _: readonly string[],
  options: { readonly repair?: boolean },
): Promise<number> {
  const store = await context.existing()
  const problems = await store.verify(options.repair === true ? { repair: true } : {})
  const open = problems.filter((problem) => !problem.repaired)
  if (context.json) context.printJson({ ok: open.length === 0, problems })
  else {
    const { colors } = context
    for (const { code, what, repaired } of problems)
      context.print(`${repaired ? colors.green('repaired') : colors.red('wrong')}  ${code}  ${what}`)
    if (open.length === 0) context.print(colors.green('All is well.'))
    else if (options.repair !== true)
      context.print(
        'Set right what can be derived: spanstore verify --repair; restore a backup for the rest.',
      )
  }
  return open.length === 0 ? EXIT.ok : EXIT.failure
}
