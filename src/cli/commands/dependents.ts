import type { Dependent, Key, Store } from '../../index.ts'
import { type Context, typedKey } from '../context.ts'
import { EXIT } from '../exit.ts'
import { drawTree, paint, preview, type Tree } from '../terminal.ts'

export async function run(context: Context, [typed]: readonly string[]): Promise<number> {
  const store = await context.existing()
  const key = typedKey(typed!) as Key
  const result = await store.fetch(key)
  if (result.status === 'absent') {
    if (context.json) context.printJson([])
    else context.note(`${key} was never assigned in ${context.directory}`)
    return EXIT.absent
  }
  const collection = await context.collection(
    result.status === 'tombstone' ? result.tombstone.collection : result.span.collection,
  )
  const dependents = await collection.dependents(key)
  if (context.json) context.printJson(dependents)
  else {
    context.print(...(await drawDependents(context, store, key, dependents)))
    if (dependents.length === 0) context.print(context.colors.dim('Nothing stands on it.'))
  }
  return EXIT.ok
}

/** What stands on a key, drawn from the key upwards; a summary that is reached twice is drawn once. */
export async function drawDependents(
  context: Context,
  store: Store,
  key: Key,
  dependents: readonly Dependent[],
): Promise<string[]> {
  const { colors } = context
  const [root, ...results] = await store.fetchMany([key, ...dependents.map((dependent) => dependent.key)])
  const texts = new Map(results.map((result) => [result.key, result.status === 'ok' ? result.span.text : '']))
  const drawn = new Set<Key>()
  const above = (on: Key, depth: number): Tree[] =>
    dependents
      .filter((dependent) => dependent.on.includes(on))
      .map((dependent) => {
        if (drawn.has(dependent.key))
          return { label: colors.dim(`${dependent.key}  (drawn above)`), children: [] }
        drawn.add(dependent.key)
        const room = Math.max(30, Math.min(110, context.width) - 3 * depth - 4)
        const text = texts.get(dependent.key) ?? ''
        const causes = dependent.causes.length === 0 ? '' : `  because of ${dependent.causes.join(' ')}`
        return {
          label: `${dependent.key}  ${paint(colors, dependent.state)}  ${colors.dim(
            `session ${dependent.session}`,
          )}${causes}${text === '' ? '' : `\n${colors.dim(preview(text, room))}`}`,
          children: above(dependent.key, depth + 1),
        }
      })
  const status =
    root!.status === 'tombstone'
      ? `${paint(colors, 'tombstone')} (${root!.tombstone.reason})`
      : paint(colors, root!.status)
  const own = root!.status === 'ok' ? `\n${colors.dim(preview(root!.span.text, 100))}` : ''
  return drawTree({ label: `${colors.bold(key)}  ${status}${own}`, children: above(key, 1) })
}
