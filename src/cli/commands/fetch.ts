import type { FetchResult } from '../../index.ts'
import { type Context, parseNumber, typedKey } from '../context.ts'
import { EXIT } from '../exit.ts'
import { fields, paint, safe, when } from '../terminal.ts'

export async function run(
  context: Context,
  keys: readonly string[],
  options: { readonly asOf?: string },
): Promise<number> {
  const typed = keys.map(typedKey)
  const asOf = options.asOf === undefined ? undefined : parseNumber('--as-of', options.asOf)
  context.requireStore()
  const everywhere = asOf === undefined && !context.collectionGiven
  // Without the store, or even a ledger, where that will do: agents call this most, and it must start fast.
  const { glance } = await import('../../ledger/sqlite/glance.ts')
  const results =
    (everywhere ? glance(context.ledgerFile, typed) : undefined) ?? (await full(context, typed, asOf))
  if (context.json) context.printJson(results.length === 1 ? results[0] : results)
  else results.forEach((result, i) => context.print(...(i > 0 ? [''] : []), ...show(context, result)))
  return Math.max(...results.map((result) => EXIT[result.status]))
}

async function full(
  context: Context,
  keys: readonly string[],
  asOf: number | undefined,
): Promise<readonly FetchResult[]> {
  const { openSqliteLedger } = await import('../../ledger/sqlite/ledger.ts')
  const ledger = openSqliteLedger(context.ledgerFile)
  try {
    const within = asOf !== undefined || context.collectionGiven
    const collection = within ? context.requireCollection(await ledger.collections()) : undefined
    return await ledger.fetch(keys, collection?.ref, asOf)
  } finally {
    await ledger.close()
  }
}

function show(context: Context, result: FetchResult): string[] {
  const { colors } = context
  const head = (...more: readonly string[]) =>
    [paint(colors, result.status), colors.bold(result.key), ...more].filter((part) => part !== '').join('  ')
  switch (result.status) {
    case 'ok': {
      const { span, kind } = result
      const place =
        result.kind === 'span'
          ? `span of ${result.span.source}`
          : `summary of session ${result.span.session}, ${paint(colors, result.span.state)}`
      const causes = result.kind === 'summary' ? result.span.causes : []
      return [
        head(place, colors.dim(`in ${span.collection}, position ${span.position}`)),
        ...(kind === 'span' && Object.keys(result.span.metadata).length > 0
          ? [colors.dim(safe(JSON.stringify(result.span.metadata)))]
          : []),
        ...causes.map(
          (cause) =>
            `because ${cause.key} is ${cause.reason ?? cause.status}${
              cause.successors?.length ? `; see ${cause.successors.join(', ')}` : ''
            }`,
        ),
        context.isTerminal ? safe(span.text) : span.text,
      ]
    }
    case 'empty':
      return [
        head(
          `span of ${result.span.source}`,
          result.detail === 'blank' ? 'its text is blank' : 'a record without text',
        ),
        colors.dim('The key is live, and there is nothing to stand on.'),
      ]
    case 'tombstone': {
      const { tombstone, kind } = result
      const from = tombstone.source === undefined ? `session ${tombstone.session}` : tombstone.source
      return [
        head(`${kind} of ${from}`, `retired: ${tombstone.reason}`),
        ...fields(colors, [
          ['when', `${when(tombstone.at)}, position ${tombstone.position} of ${tombstone.collection}`],
          ['successors', tombstone.successors.length === 0 ? 'none' : tombstone.successors.join(' ')],
          ...(tombstone.identical === undefined ? [] : [['identical', tombstone.identical] as const]),
          ...(tombstone.erasedAt === undefined ? [] : [['erased', when(tombstone.erasedAt)] as const]),
          ...(tombstone.prunedAt === undefined ? [] : [['pruned', when(tombstone.prunedAt)] as const]),
        ]),
        colors.dim(
          tombstone.identical === undefined
            ? `Its history: spanstore lineage ${result.key}`
            : `The same text lives on: spanstore fetch ${tombstone.identical}`,
        ),
      ]
    }
    case 'absent':
      return [
        head(),
        colors.dim(
          context.collectionGiven
            ? `No such key was ever assigned in the collection ${context.collectionName}.`
            : `No such key was ever assigned in ${context.directory}.`,
        ),
      ]
  }
}
