import { type Context, parseNumber } from '../context.ts'
import { EXIT } from '../exit.ts'

export async function run(
  context: Context,
  [source]: readonly string[],
  options: { readonly revision?: string; readonly keys?: boolean },
): Promise<number> {
  const collection = await context.collection()
  const result = await collection.source(source!)
  const asked = options.revision === undefined ? undefined : parseNumber('--revision', options.revision)
  if (result.status === 'absent' || (result.status === 'tombstone' && asked === undefined)) {
    if (context.json) context.printJson(result)
    else
      context.note(
        result.status === 'absent'
          ? `${source} was never seen in the collection ${context.collectionName}`
          : `${source} was removed; its past is there: spanstore read ${source} --revision ${result.info.revision - 1}`,
      )
    return EXIT[result.status]
  }
  const read = await collection.read(source!, asked === undefined ? {} : { revision: asked })
  if (context.json) context.printJson({ status: result.status, ...read })
  else if (options.keys === true)
    for (const { key, start, end, status } of read.places)
      context.print(
        `${context.colors.dim(key)}  ${status === 'tombstone' ? '(retired) ' : ''}${JSON.stringify(read.text.slice(start, end))}`,
      )
  else process.stdout.write(read.text)
  for (const gap of read.gaps)
    context.note(
      `at ${gap.at}, ${gap.length} characters are ${gap.why}${gap.key === undefined ? '' : ` (${gap.key})`}`,
    )
  return asked === undefined ? EXIT[result.status] : EXIT.ok
}
