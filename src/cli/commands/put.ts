import { readFile } from 'node:fs/promises'
import { type Chunker, chunkerFor, code, markdown, paragraphs, turns, whole } from '../../chunking/index.ts'
import type { Metadata, PutInput, PutResult } from '../../index.ts'
import { textOf } from '../../ingest/content.ts'
import { type Context, parseJson, parseNumber } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { count } from '../terminal.ts'

const CHUNKERS: Readonly<Record<string, () => Chunker>> = { paragraphs, markdown, turns, code, whole }

export async function run(
  context: Context,
  [source, file]: readonly string[],
  options: {
    readonly chunker?: string
    readonly metadata?: string
    readonly expect?: string
    readonly expires?: string
    readonly withoutText?: boolean
    readonly readmit?: boolean
    readonly commandId?: string
  },
): Promise<number> {
  if (options.withoutText === true && file !== undefined)
    throw new UsageError('give a file or --without-text, not both')
  const chosen = options.chunker === undefined ? undefined : chunkerNamed(options.chunker)
  const metadata =
    options.metadata === undefined ? undefined : parseJson<Metadata>('--metadata', options.metadata)
  const expiresAt = options.expires === undefined ? undefined : timeOf(options.expires)
  const expected = options.expect === undefined ? undefined : parseNumber('--expect', options.expect)
  const text = options.withoutText === true ? null : await readText(file)

  const store = await context.created()
  const collection = await store.collection(context.collectionName)
  let chunker = chosen
  // A file says by its name how to cut it; a source that is there keeps the chunker it has.
  if (chunker === undefined && file !== undefined && file !== '-') {
    const { status } = await collection.source(source!)
    if (status === 'absent' || status === 'tombstone') chunker = chunkerFor(file)
  }
  const input: PutInput = {
    source: source!,
    text,
    ...(chunker === undefined || text === null ? {} : { chunker }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(expected === undefined ? {} : { expectedRevision: expected }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(options.readmit === true ? { readmit: true } : {}),
    ...(options.commandId === undefined ? {} : { commandId: options.commandId }),
  }
  const result = await collection.put(input)
  if (context.json) context.printJson(result)
  else context.print(...showPut(context, result))
  return EXIT.ok
}

export function showPut(context: Context, result: PutResult): string[] {
  const { colors } = context
  return [
    `${colors.bold(result.outcome)}  ${result.source}  revision ${result.revision}  ${colors.dim(
      `position ${result.position}`,
    )}`,
    result.outcome === 'unchanged'
      ? `${count(result.kept, 'span')}, as they were`
      : `${result.kept} kept, ${result.added.length} added, ${result.retired.length} retired`,
    ...(result.stale.length === 0
      ? []
      : [
          colors.red(
            `${count(result.stale.length, 'summary is', 'summaries are')} not current any more: ${result.stale.join(' ')}`,
          ),
        ]),
  ]
}

/** @throws UsageError */
export async function readText(file: string | undefined): Promise<string> {
  let bytes: Buffer
  if (file === undefined || file === '-') {
    if (file === undefined && process.stdin.isTTY === true)
      throw new UsageError('nothing to read: name a file, or pipe the text in')
    const parts: Buffer[] = []
    for await (const part of process.stdin) parts.push(part as Buffer)
    bytes = Buffer.concat(parts)
  } else {
    try {
      bytes = await readFile(file)
    } catch (error) {
      throw new UsageError(`${file} cannot be read (${(error as { code?: string }).code})`)
    }
  }
  const text = textOf(bytes)
  if (text === undefined) throw new UsageError(`${file ?? 'stdin'} is no UTF-8 text`)
  return text
}

function chunkerNamed(name: string): Chunker {
  const make = Object.hasOwn(CHUNKERS, name) ? CHUNKERS[name] : undefined
  if (make !== undefined) return make()
  throw new UsageError(
    `there is no chunker ${JSON.stringify(name)}; there are ${Object.keys(CHUNKERS).join(', ')}`,
  )
}

function timeOf(text: string): number | null {
  if (text === 'never') return null
  const at = Date.parse(text)
  if (Number.isNaN(at))
    throw new UsageError(
      `--expires is ${JSON.stringify(text)}; give a time such as 2030-01-31T12:00:00Z, or never`,
    )
  return at
}
