import { type Context, parseNumber } from '../context.ts'
import { EXIT } from '../exit.ts'
import { table, when } from '../terminal.ts'

export async function run(
  context: Context,
  [source]: readonly string[],
  options: { readonly limit: string },
): Promise<number> {
  const limit = parseNumber('--limit', options.limit)
  const collection = await context.collection()
  const { status } = await collection.source(source!)
  if (status === 'absent') {
    if (context.json) context.printJson({ status, source })
    else
      context.note(
        `${source} was never seen in the collection ${collection.name}; spanstore sources lists those that were`,
      )
    return EXIT.absent
  }
  const all = await collection.history(source!)
  const shown = await Promise.all(
    all.slice(limit === 0 ? 0 : -limit).map(async (revision) => {
      if (revision.revision === 1)
        return { ...revision, kept: 0, moved: 0, added: revision.spans, retired: 0 }
      const diff = await collection.diff(source!, revision.revision - 1, revision.revision)
      return {
        ...revision,
        kept: diff.kept.length,
        moved: diff.moved.length,
        added: diff.added.length,
        retired: diff.removed.length,
      }
    }),
  )
  if (context.json) {
    context.printJson({ status, source, revisions: shown })
    return EXIT.ok
  }
  if (shown.length < all.length)
    context.print(
      context.colors.dim(`the last ${shown.length} of ${all.length} revisions (--limit 0 shows all)`),
    )
  context.print(
    ...table(
      context.colors,
      [
        { title: 'revision', right: true },
        { title: 'when' },
        { title: 'position', right: true },
        { title: 'spans', right: true },
        { title: 'kept', right: true },
        { title: 'moved', right: true },
        { title: 'added', right: true },
        { title: 'retired', right: true },
        { title: 'cut by' },
      ],
      shown.map((revision) => [
        String(revision.revision),
        when(revision.at),
        String(revision.position),
        String(revision.spans),
        String(revision.kept),
        String(revision.moved),
        String(revision.added),
        String(revision.retired),
        revision.removed ? 'removed' : (revision.chunker ?? 'given as spans'),
      ]),
    ),
  )
  return EXIT.ok
}
