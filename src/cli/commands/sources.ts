import type { SourceResult } from '../../index.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { paint, safe, table, when } from '../terminal.ts'

export async function run(
  context: Context,
  _: readonly string[],
  options: { readonly all?: boolean },
): Promise<number> {
  const collection = await context.collection()
  const sources: Exclude<SourceResult, { status: 'absent' }>[] = []
  for await (const result of collection.sources()) {
    if (result.status === 'absent' || (result.status === 'tombstone' && options.all !== true)) continue
    if (context.json) context.printJson(result)
    else sources.push(result)
  }
  if (context.json) return EXIT.ok
  if (sources.length === 0)
    context.print('There are no sources yet: spanstore sync DIR, spanstore put SOURCE FILE')
  else
    context.print(
      ...table(
        context.colors,
        [
          { title: 'source' },
          { title: 'status' },
          { title: 'revision', right: true },
          { title: 'live', right: true },
          { title: 'revised' },
          { title: 'now at' },
        ],
        sources.map(({ source, status, info }) => [
          safe(source),
          paint(context.colors, status),
          String(info.revision),
          String(info.live),
          when(info.at),
          typeof info.metadata.path === 'string' && info.metadata.path !== source
            ? safe(info.metadata.path)
            : '',
        ]),
      ),
    )
  return EXIT.ok
}
