import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { showRetired } from './retire.ts'

export async function run(context: Context, [source]: readonly string[]): Promise<number> {
  const collection = await context.collection()
  const before = await collection.source(source!)
  if (before.status === 'absent' || before.status === 'tombstone') {
    if (context.json) context.printJson(before)
    else
      context.note(
        before.status === 'absent'
          ? `${source} was never seen in the collection ${context.collectionName}`
          : `${source} was removed before`,
      )
    return EXIT[before.status]
  }
  const result = await collection.remove({ source: source! })
  if (context.json) context.printJson(result)
  else showRetired(context, result)
  return EXIT.ok
}
