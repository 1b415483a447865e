import { type Context, parseNumber } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { preview } from '../terminal.ts'

export async function run(context: Context, [source, from, to]: readonly string[]): Promise<number> {
  const collection = await context.collection()
  const result = await collection.source(source!)
  if (result.status === 'absent') {
    if (context.json) context.printJson(result)
    else
      context.note(
        `${source} was never seen in the collection ${collection.name}; spanstore sources lists those that were`,
      )
    return EXIT.absent
  }
  const last = to === undefined ? result.info.revision : parseNumber('TO', to)
  const first = from === undefined ? last - 1 : parseNumber('FROM', from)
  if (first < 1) throw new UsageError(`${source} has one revision; there is nothing to compare it with`)
  const diff = await collection.diff(source!, first, last)
  if (context.json) {
    context.printJson(diff)
    return EXIT.ok
  }
  const { colors } = context
  const room = Math.max(20, context.width - 32)
  const texts = new Map<string, string>()
  for (const revision of [first, last]) {
    const { text, places, gaps } = await collection.read(source!, { revision })
    for (const { key, start, end } of places) texts.set(key, gaps.length > 0 ? '' : text.slice(start, end))
  }
  const line = (mark: string, key: string) => `${mark} ${key}  ${preview(texts.get(key) ?? '', room)}`
  context.print(colors.dim(`${source}, revision ${first} to ${last}`))
  for (const { key, successors } of diff.removed)
    context.print(
      colors.red(line('-', key)),
      ...(successors.length === 0 ? [] : [colors.dim(`    now ${successors.join(' ')}`)]),
    )
  for (const key of diff.added) context.print(colors.green(line('+', key)))
  for (const key of diff.moved) context.print(colors.cyan(line('→', key)))
  context.print(
    `${diff.kept.length} kept (${diff.moved.length} moved), ${diff.added.length} added, ${diff.removed.length} retired`,
  )
  return EXIT.ok
}
