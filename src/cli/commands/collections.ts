import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { table } from '../terminal.ts'

export async function run(context: Context): Promise<number> {
  const store = await context.existing()
  const collections = await store.collections()
  if (context.json) context.printJson(collections.map(({ ref: _, ...collection }) => collection))
  else
    context.print(
      ...table(
        context.colors,
        [
          { title: 'collection' },
          { title: 'live', right: true },
          { title: 'position', right: true },
          { title: 'metric' },
          { title: 'embedder' },
        ],
        collections.map((info) => [
          info.name,
          String(info.live),
          String(info.position),
          info.metric,
          info.embedder ?? 'none',
        ]),
      ),
    )
  return EXIT.ok
}
