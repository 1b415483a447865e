import type { Metadata, SpanInput } from '../../index.ts'
import { recordsIn } from '../../ingest/content.ts'
import { type Context, parseJson } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { readText, showPut } from './put.ts'

export async function run(
  context: Context,
  [source, file]: readonly string[],
  options: {
    readonly one?: boolean
    readonly metadata?: string
    readonly readmit?: boolean
    readonly commandId?: string
  },
): Promise<number> {
  const metadata =
    options.metadata === undefined ? undefined : parseJson<Metadata>('--metadata', options.metadata)
  const spans = spansIn(await readText(file), options.one === true)
  if (spans.length === 0) throw new UsageError('nothing to append: the input is blank')
  const store = await context.created()
  const collection = await store.collection(context.collectionName)
  const result = await collection.append({
    source: source!,
    spans: spans.map((span) =>
      metadata === undefined ? span : { ...span, metadata: { ...metadata, ...span.metadata } },
    ),
    ...(options.readmit === true ? { readmit: true } : {}),
    ...(options.commandId === undefined ? {} : { commandId: options.commandId }),
  })
  if (context.json) context.printJson(result)
  else context.print(...showPut(context, result))
  return EXIT.ok
}

/** Messages or records when the input is JSON lines, else a span for each line that is not blank. */
function spansIn(text: string, one: boolean): readonly SpanInput[] {
  if (one) return text.trim() === '' ? [] : [{ text: text.replace(/\r?\n$/, '') }]
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines.length > 0 && lines.every(isObject)) return recordsIn(text)?.spans ?? []
  return lines.map((line) => ({ text: line }))
}

function isObject(line: string): boolean {
  if (!line.trimStart().startsWith('{')) return false
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
