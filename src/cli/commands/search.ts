import type { Hit, SearchOptions, SearchResult, Where } from '../../index.ts'
import { type Context, parseFraction, parseJson, parseNumber } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { preview, safe } from '../terminal.ts'

const MODES = ['text', 'vector', 'hybrid'] as const

export async function run(
  context: Context,
  words: readonly string[],
  options: {
    readonly k: string
    readonly offset: string
    readonly where?: string
    readonly mode?: string
    readonly asOf?: string
    readonly accuracy?: string
    readonly perSource?: string
    readonly diversity?: string
    readonly minScore?: string
    readonly weights?: string
    readonly explain?: boolean
  },
): Promise<number> {
  const mode = MODES.find((one) => one === options.mode)
  if (options.mode !== undefined && mode === undefined)
    throw new UsageError(`--mode is ${JSON.stringify(options.mode)}; give ${MODES.join(', ')}`)
  const query: SearchOptions = {
    text: words.join(' '),
    k: parseNumber('-k', options.k),
    offset: parseNumber('--offset', options.offset),
    highlight: true,
    ...(mode === undefined ? {} : { mode }),
    ...(options.where === undefined ? {} : { where: parseJson<Where>('--where', options.where) }),
    ...(options.asOf === undefined ? {} : { asOf: parseNumber('--as-of', options.asOf) }),
    ...(options.accuracy === undefined
      ? {}
      : {
          accuracy:
            options.accuracy === 'exact' ? ('exact' as const) : parseFraction('--accuracy', options.accuracy),
        }),
    ...(options.perSource === undefined ? {} : { perSource: parseNumber('--per-source', options.perSource) }),
    ...(options.diversity === undefined
      ? {}
      : { diversity: parseFraction('--diversity', options.diversity) }),
    ...(options.minScore === undefined ? {} : { minScore: parseFraction('--min-score', options.minScore) }),
    ...(options.weights === undefined ? {} : { weights: weightsOf(options.weights) }),
    ...(options.explain === true ? { explain: true } : {}),
  }
  const collection = await context.collection()
  const result = await collection.search(query)
  if (context.json) context.printJson(result)
  else {
    const { colors } = context
    for (const hit of result.hits)
      context.print(
        `${hit.score.toFixed(3)}  ${colors.bold(hit.key)}  ${colors.dim(safe(hit.source))}`,
        `  ${excerpt(context, hit)}`,
      )
    if (result.hits.length === 0) context.print('No live span fits.')
    if (result.explain !== undefined)
      context.print(
        colors.dim(`mode ${result.explain.mode}`),
        ...pathOf(result).map((line) => colors.dim(line)),
        colors.dim(
          `looked for ${result.explain.words.join(', ') || 'nothing'}${
            result.explain.pruned.length > 0 ? `; too common: ${result.explain.pruned.join(', ')}` : ''
          }`,
        ),
      )
    if (!result.complete)
      context.note(colors.yellow(`This answer may be missing something: ${result.reasons.join(', ')}`))
  }
  return result.complete || result.hits.length > 0 ? EXIT.ok : EXIT.failure
}

function weightsOf(typed: string): { readonly text: number; readonly vector: number } {
  const [text, vector, ...more] = typed.split(',')
  if (text === undefined || vector === undefined || more.length > 0)
    throw new UsageError(`--weights is ${JSON.stringify(typed)}; give two numbers, such as 1,0.5`)
  return { text: parseFraction('--weights', text.trim()), vector: parseFraction('--weights', vector.trim()) }
}

/** How vectors were compared, where they were. */
function pathOf({ explain }: SearchResult): string[] {
  const vectors = explain?.vectors
  if (vectors === undefined) return []
  const { path, approximate, candidates, filter, tail, searching } = vectors
  return [
    `vectors compared in ${path === 'resident' ? 'memory' : `the ${path}`}${approximate ? ', approximately' : ''}: ${candidates} candidates, filter ${filter}, ${tail} beside the index, ${searching.toFixed(1)} ms`,
  ]
}

/** The text around the first word that was found, with the found words marked. */
export function excerpt(context: Context, hit: Hit): string {
  const { text } = hit.span
  const room = Math.max(40, Math.min(context.width, 120) - 4)
  const first = hit.highlights?.[0]
  if (first === undefined) return preview(text, room)
  let from = Math.max(0, first.start - Math.floor(room / 4))
  if (from > 0)
    from = Math.max(from, text.lastIndexOf(' ', first.start - 8) < from ? text.indexOf(' ', from) + 1 : from)
  if (from > first.start) from = first.start
  const to = Math.min(text.length, from + room)
  let marked = ''
  let at = from
  for (const { start, end } of hit.highlights!) {
    if (start < at || end > to) continue
    marked += `${flat(text.slice(at, start))}${context.colors.bold(context.colors.yellow(flat(text.slice(start, end))))}`
    at = end
  }
  marked += flat(text.slice(at, to))
  return `${from > 0 ? '…' : ''}${marked.trim()}${to < text.length ? '…' : ''}`
}

const flat = (text: string): string => safe(text).replace(/\s+/g, ' ')
