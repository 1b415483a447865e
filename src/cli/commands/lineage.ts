import type { Collection, Key, Lineage, LineageNode } from '../../index.ts'
import { type Context, typedKey } from '../context.ts'
import { EXIT } from '../exit.ts'
import { drawTree, paint, preview, type Tree } from '../terminal.ts'

export async function run(context: Context, [typed]: readonly string[]): Promise<number> {
  const store = await context.existing()
  const key = typedKey(typed!)
  const result = await store.fetch(key)
  if (result.status === 'absent') {
    if (context.json) context.printJson({ key, nodes: [], edges: [] })
    else context.note(`${key} was never assigned in ${context.directory}`)
    return EXIT.absent
  }
  const collection = await context.collection(
    result.status === 'tombstone' ? result.tombstone.collection : result.span.collection,
  )
  const lineage = await collection.lineage(key)
  if (context.json) context.printJson(lineage)
  else context.print(...(await drawLineage(context, collection, lineage)))
  return EXIT.ok
}

/** The history of a span, oldest first; a span that several became is drawn once, and named where it comes again. */
export async function drawLineage(
  context: Context,
  collection: Collection,
  { key, nodes, edges }: Lineage,
): Promise<string[]> {
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const texts = new Map<Key, string>()
  for (const node of nodes) texts.set(node.key, await textOf(collection, node))
  const drawn = new Set<Key>()
  const grow = (node: LineageNode, depth: number, kind?: 'successor' | 'restored'): Tree => {
    if (drawn.has(node.key)) return { label: context.colors.dim(`${node.key}  (drawn above)`), children: [] }
    drawn.add(node.key)
    return {
      label: label(context, node, texts.get(node.key) ?? '', node.key === key, depth, kind),
      children: edges
        .filter((edge) => edge.from === node.key)
        .map((edge) => grow(byKey.get(edge.to)!, depth + 1, edge.kind)),
    }
  }
  const targets = new Set(edges.map((edge) => edge.to))
  return nodes.filter((node) => !targets.has(node.key)).flatMap((root) => drawTree(grow(root, 0)))
}

function label(
  context: Context,
  node: LineageNode,
  text: string,
  asked: boolean,
  depth: number,
  kind: 'successor' | 'restored' | undefined,
): string {
  const { colors } = context
  const parts = [
    asked ? colors.bold(node.key) : node.key,
    node.status === 'tombstone'
      ? `${paint(colors, 'tombstone')} (${node.reason}, at ${node.retiredAt})`
      : paint(colors, node.status),
    colors.dim(`since ${node.position}`),
    ...(node.identical === undefined ? [] : [colors.cyan(`identical ${node.identical}`)]),
    ...(kind === 'restored' ? [colors.cyan('brings the text back')] : []),
    ...(asked ? [colors.bold('← asked')] : []),
  ]
  const room = Math.max(30, Math.min(110, context.width) - 3 * depth - 4)
  const line = text === '' ? '' : `\n${colors.dim(preview(text, room))}`
  return parts.join('  ') + line
}

/** Asking for a history is asking for the past by name, so the texts of tombstones are shown as they were. */
async function textOf(collection: Collection, node: LineageNode): Promise<string> {
  const result = await collection.fetch(
    node.key,
    node.status === 'tombstone' ? { asOf: node.position } : undefined,
  )
  return result.status === 'ok' ? result.span.text : ''
}
