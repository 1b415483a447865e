import type { Collection } from '../../index.ts'
import type { FileChange, SyncReport } from '../../ingest/index.ts'
import { type Context, parseNumber } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Progress } from '../progress.ts'
import { count, safe } from '../terminal.ts'

/** A long list is cut here, unless `--verbose`. */
const SHOWN = 20

export async function run(
  context: Context,
  [folder]: readonly string[],
  options: {
    readonly prefix?: string
    readonly root?: string
    readonly maxMb: string
    readonly dryRun?: boolean
    readonly allowEmpty?: boolean
    readonly verbose?: boolean
  },
): Promise<number> {
  const maxBytes = parseNumber('--max-mb', options.maxMb) * 1024 * 1024
  const { syncFolder } = await import('../../ingest/index.ts')
  const collection = await target(context, options.dryRun === true)
  const progress = await Progress.start()
  let report: SyncReport
  try {
    report = await syncFolder(collection, folder!, {
      maxBytes,
      exclude: [context.directory],
      signal: context.signal,
      onProgress: ({ phase, done, total }) => progress.update(phase, done, total),
      ...(options.prefix === undefined ? {} : { prefix: options.prefix }),
      ...(options.root === undefined ? {} : { root: options.root }),
      ...(options.dryRun === undefined ? {} : { dryRun: options.dryRun }),
      ...(options.allowEmpty === undefined ? {} : { allowEmpty: options.allowEmpty }),
    })
  } finally {
    progress.stop()
  }
  if (context.json) context.printJson(report)
  else show(context, report, options.verbose === true)
  return report.refused.length > 0 ? EXIT.failure : EXIT.ok
}

/** Where to sync to; a dry run creates nothing, so it may have to compare with nothing. */
async function target(context: Context, dryRun: boolean): Promise<Collection> {
  const known = dryRun && context.exists ? await (await context.existing()).collections() : []
  const inMemory = dryRun && !known.some((info) => info.name === context.collectionName)
  const store = inMemory ? await context.inMemory() : await context.created()
  return await store.collection(context.collectionName)
}

function show(context: Context, report: SyncReport, verbose: boolean): void {
  const { colors } = context
  const list = (mark: string, changes: readonly FileChange[]) => {
    const shown = verbose ? changes : changes.slice(0, SHOWN)
    for (const { path, from } of shown)
      context.print(`${mark} ${safe(from === undefined ? path : `${from} → ${path}`)}`)
    if (shown.length < changes.length)
      context.print(colors.dim(`  … and ${changes.length - shown.length} more`))
  }
  list(colors.green('+'), report.added)
  list(colors.yellow('~'), report.changed)
  list(colors.cyan('→'), report.renamed)
  list(colors.red('-'), report.removed)
  if (verbose)
    for (const { path, why, detail } of report.skipped)
      context.print(colors.dim(`  skipped ${safe(path)}: ${why} (${safe(detail)})`))
  for (const { path, code, message } of report.refused)
    context.print(colors.red(`! ${safe(path)}: ${code}, ${safe(message)}`))
  const parts = [
    `${report.added.length} added`,
    `${report.changed.length} changed`,
    `${report.renamed.length} renamed`,
    `${report.removed.length} removed`,
    `${report.unchanged} unchanged`,
    ...(report.skipped.length > 0 ? [`${report.skipped.length} skipped`] : []),
    ...(report.refused.length > 0 ? [`${report.refused.length} refused`] : []),
  ]
  context.print(
    `${count(report.files, 'file')}: ${parts.join(', ')}`,
    report.dryRun
      ? colors.dim('Nothing was written (--dry-run).')
      : `${count(report.spans.added, 'span')} added, ${report.spans.retired.toLocaleString('en')} retired`,
  )
  if (report.skipped.length > 0 && !verbose) {
    const kinds = new Map<string, number>()
    for (const { why } of report.skipped) kinds.set(why, (kinds.get(why) ?? 0) + 1)
    context.print(
      colors.dim(`skipped: ${[...kinds].map(([why, n]) => `${n} ${why}`).join(', ')} (--verbose lists them)`),
    )
  }
  if (report.stale.length > 0)
    context.print(
      colors.red(
        `${count(report.stale.length, 'summary is', 'summaries are')} not current any more: ${report.stale.join(' ')}`,
      ),
    )
}
