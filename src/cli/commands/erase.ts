import { confirmed } from '../confirm.ts'
import { type Context, typedKey } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { count } from '../terminal.ts'

export async function run(
  context: Context,
  keys: readonly string[],
  options: { readonly source?: string; readonly cascade?: boolean; readonly yes?: boolean },
): Promise<number> {
  if ((keys.length === 0) === (options.source === undefined))
    throw new UsageError('give either keys or --source')
  const collection = await context.collection()
  const what =
    options.source === undefined ? count(keys.length, 'key') : `everything ${options.source} ever held`
  if (options.yes !== true && !(await confirmed(`Erase ${what}? The text cannot be brought back.`)))
    return EXIT.failure
  const result = await collection.erase(
    options.source === undefined ? { keys: keys.map(typedKey) } : { source: options.source },
    options.cascade === true ? { cascade: true } : {},
  )
  if (context.json) context.printJson(result)
  else {
    const { colors } = context
    context.print(
      `${count(result.erased.length, 'text')} erased, ${result.retired.length} of them live until now  ${colors.dim(`position ${result.position}`)}`,
    )
    for (const { key, source, session } of result.alsoIn)
      context.print(
        `also in ${key} of ${source === undefined ? `session ${session}` : source}: judge for yourself`,
      )
    if (result.absent.length > 0)
      context.print(colors.magenta(`never assigned here: ${result.absent.join(' ')}`))
    if (result.stale.length > 0)
      context.print(
        colors.red(
          `${count(result.stale.length, 'summary is', 'summaries are')} not current any more: ${result.stale.join(' ')}`,
        ),
      )
    if (!result.complete)
      context.print(colors.yellow(`not complete yet, waiting for ${result.waitingFor.join(', ')}`))
  }
  return result.absent.length > 0 ? EXIT.absent : EXIT.ok
}
