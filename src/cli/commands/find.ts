import type { Where } from '../../index.ts'
import { type Context, parseJson, parseNumber } from '../context.ts'
import { EXIT } from '../exit.ts'
import { preview, safe, table } from '../terminal.ts'

export async function run(
  context: Context,
  _: readonly string[],
  options: {
    readonly where?: string
    readonly source?: readonly string[]
    readonly limit: string
    readonly offset: string
  },
): Promise<number> {
  const collection = await context.collection()
  const spans = await collection.find({
    limit: parseNumber('--limit', options.limit),
    offset: parseNumber('--offset', options.offset),
    ...(options.where === undefined ? {} : { where: parseJson<Where>('--where', options.where) }),
    ...(options.source === undefined ? {} : { sources: options.source }),
  })
  if (context.json) context.printJson(spans)
  else if (spans.length === 0) context.print('No live span matches.')
  else {
    const room = Math.max(20, context.width - 62)
    context.print(
      ...table(
        context.colors,
        [{ title: 'key' }, { title: 'source' }, { title: 'text' }],
        spans.map((span) => [span.key, preview(safe(span.source), 30), preview(span.text, room)]),
      ),
    )
  }
  return EXIT.ok
}
