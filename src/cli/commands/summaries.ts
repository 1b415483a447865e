import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { paint, preview } from '../terminal.ts'

export async function run(
  context: Context,
  [id]: readonly string[],
  options: { readonly stale?: boolean },
): Promise<number> {
  const session = (await context.collection()).session(id!)
  const summaries = options.stale === true ? await session.stale() : await session.summaries()
  if (context.json) {
    context.printJson(summaries)
    return EXIT.ok
  }
  const { colors } = context
  if (summaries.length === 0)
    context.print(`The session ${id} has no ${options.stale === true ? 'stale' : 'live'} summaries.`)
  for (const summary of summaries) {
    context.print(
      `${summary.key}  ${paint(colors, summary.state)}  ${colors.dim(
        `epoch ${summary.epoch}, on ${summary.dependsOn.length} keys`,
      )}`,
      colors.dim(`  ${preview(summary.text, Math.max(30, context.width - 4))}`),
    )
    for (const cause of summary.causes)
      context.print(
        `  because ${cause.key} is ${cause.reason ?? cause.status}${
          cause.successors?.length ? `; see ${cause.successors.join(' ')}` : ''
        }`,
      )
  }
  return EXIT.ok
}
