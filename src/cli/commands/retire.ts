import type { Retired, Where } from '../../index.ts'
import { type Context, parseJson, typedKey } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { count } from '../terminal.ts'

export async function run(
  context: Context,
  keys: readonly string[],
  options: { readonly reason: string; readonly where?: string },
): Promise<number> {
  const { reason } = options
  if (reason !== 'deleted' && reason !== 'evicted')
    throw new UsageError(`--reason is ${JSON.stringify(reason)}; give deleted or evicted`)
  if ((keys.length === 0) === (options.where === undefined))
    throw new UsageError('give either keys or --where')
  const chosen =
    options.where === undefined ? keys.map(typedKey) : { where: parseJson<Where>('--where', options.where) }
  const collection = await context.collection()
  const result = await collection.retire(chosen, { reason })
  if (context.json) context.printJson(result)
  else showRetired(context, result)
  if (result.absent.length > 0) return EXIT.absent
  return result.retired.length === 0 && result.already.length > 0 ? EXIT.tombstone : EXIT.ok
}

export function showRetired(context: Context, result: Retired): void {
  const { colors } = context
  context.print(
    `${count(result.retired.length, 'span')} retired  ${colors.dim(`position ${result.position}`)}`,
  )
  if (result.already.length > 0) context.print(`retired before: ${result.already.join(' ')}`)
  if (result.absent.length > 0)
    context.print(colors.magenta(`never assigned here: ${result.absent.join(' ')}`))
  if (result.stale.length > 0)
    context.print(
      colors.red(
        `${count(result.stale.length, 'summary is', 'summaries are')} not current any more: ${result.stale.join(' ')}`,
      ),
    )
}
