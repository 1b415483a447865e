import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { count, size, table } from '../terminal.ts'

export async function run(context: Context): Promise<number> {
  const stats = await (await context.existing()).stats()
  if (context.json) context.printJson(stats)
  else
    context.print(
      ...table(
        context.colors,
        [
          { title: 'collection' },
          { title: 'sources', right: true },
          { title: 'live', right: true },
          { title: 'tombstones', right: true },
          { title: 'current', right: true },
          { title: 'suspect', right: true },
          { title: 'stale', right: true },
          { title: 'position', right: true },
        ],
        stats.collections.map((one) => [
          one.name,
          ...[
            one.sources,
            one.live,
            one.tombstones,
            one.summaries.current,
            one.summaries.suspect,
            one.summaries.stale,
            one.position,
          ].map((number) => number.toLocaleString('en')),
        ]),
      ),
      ...stats.collections.flatMap(({ name, rehydrations: { anchored, queried }, frozen }) => [
        ...(anchored.asked + queried.asked === 0
          ? []
          : [
              `${name}: keys read by their printed anchors ${anchored.ok} of ${anchored.asked} found, from queries ${queried.ok} of ${queried.asked}`,
            ]),
        ...(frozen === 0 ? [] : [`${name}: ${count(frozen, 'session')} frozen`]),
      ]),
      `${count(stats.events, 'event')}, ${size(stats.bytes)}`,
    )
  return EXIT.ok
}
