import type { Collection, Key, PutResult, RevisionDiff, Summary } from '../../index.ts'
import type { Context } from '../context.ts'
import { paint, preview, table } from '../terminal.ts'

export interface Names {
  readonly [name: string]: Key
}

/** How the story is told: steps with a title, and what stands in the store. Silent with --json. */
export class Telling {
  readonly context: Context
  readonly #collection: Collection
  readonly revisions: (RevisionDiff & { readonly commit: string })[] = []
  #step = 0

  constructor(context: Context, collection: Collection) {
    this.context = context
    this.#collection = collection
  }

  async diff(result: PutResult, commit: string): Promise<RevisionDiff> {
    const diff = await this.#collection.diff(result.source, result.revision - 1, result.revision)
    this.revisions.push({ ...diff, commit })
    return diff
  }

  async read(names: Names): Promise<Map<string, Summary>> {
    const keys = Object.values(names)
    const results = await this.#collection.fetchMany(keys)
    return new Map(
      Object.keys(names).flatMap((name, i) => {
        const result = results[i]!
        return result.status === 'ok' && result.kind === 'summary' ? [[name, result.span] as const] : []
      }),
    )
  }

  async states(names: Names, only = ''): Promise<void> {
    for (const [name, summary] of await this.read(names))
      if (name.startsWith(only))
        this.say(
          `  ${paint(this.context.colors, summary.state)}  ${name}  ${this.context.colors.dim(
            preview(summary.text, 60),
          )}${because(summary, names)}`,
        )
  }

  title(title: string, more?: string): void {
    const { colors } = this.context
    this.#step++
    this.say(
      '',
      colors.bold(colors.cyan(`${this.#step}. ${title}`)),
      ...(more === undefined ? [] : [colors.dim(more)]),
    )
  }

  table(titles: readonly string[], rows: readonly (readonly string[])[]): void {
    this.say(
      ...table(
        this.context.colors,
        titles.map((title) => ({ title: title.replace('#', ''), right: title.startsWith('#') })),
        rows,
      ),
    )
  }

  say(...lines: readonly string[]): void {
    if (!this.context.json) this.context.print(...lines)
  }
}

export const counts = (diff: RevisionDiff): string =>
  `${diff.kept.length} kept, ${diff.moved.length} moved, ${diff.added.length} added, ${diff.removed.length} retired`

export function because(summary: Summary, names: Names): string {
  if (summary.causes.length === 0) return ''
  const called = new Map(Object.entries(names).map(([name, key]) => [key, name]))
  const causes = summary.causes
    .slice(0, 2)
    .map((cause) =>
      cause.status === 'tombstone'
        ? `…${cause.key.slice(-5)} was ${cause.reason}`
        : `${called.get(cause.key) ?? cause.key} is not current`,
    )
  const more = summary.causes.length - causes.length
  return ` because ${causes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
