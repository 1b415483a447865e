import { relative } from 'node:path'
import type { Collection, Key, RevisionDiff, Store, Summary } from '../../index.ts'
import { EXIT } from '../exit.ts'
import { paint, preview } from '../terminal.ts'
import type { Names, Telling } from './telling.ts'

export async function fetchFour(telling: Telling, store: Store, keys: readonly Key[]): Promise<void> {
  const { colors } = telling.context
  telling.table(
    ['exit', 'result', 'key', 'what it says'],
    (await store.fetchMany(keys)).map((result) => [
      String(EXIT[result.status]),
      paint(colors, result.status),
      result.key,
      result.status === 'ok'
        ? preview(result.span.text, 60)
        : result.status === 'empty'
          ? `${result.span.source}: ${result.detail}`
          : result.status === 'tombstone'
            ? `${result.tombstone.reason}, successors ${result.tombstone.successors.map((key) => `…${key.slice(-5)}`).join(' ') || 'none'}`
            : 'never assigned here',
    ]),
  )
}

/** The story in figures, and what to try next. */
export async function sumUp(
  telling: Telling,
  {
    store,
    collection,
    names,
    anchor,
    began,
    delivered,
  }: {
    readonly store: Store
    readonly collection: Collection
    readonly names: Names
    readonly anchor: Key
    readonly began: number
    readonly delivered: number
  },
): Promise<void> {
  const summaries = [...(await telling.read(names)).values()]
  const of = (state: Summary['state']) => summaries.filter((summary) => summary.state === state).length
  const total = (pick: (diff: RevisionDiff) => readonly unknown[]) =>
    telling.revisions.reduce((sum, diff) => sum + pick(diff).length, 0)
  const stats = (await store.stats()).collections.find((one) => one.name === collection.name)!
  const seconds = (performance.now() - began) / 1000
  const facts = {
    sources: stats.sources,
    live: stats.live,
    tombstones: stats.tombstones,
    edits: telling.revisions.length,
    kept: total((diff) => diff.kept),
    moved: total((diff) => diff.moved),
    added: total((diff) => diff.added),
    retired: total((diff) => diff.removed),
    current: of('current'),
    suspect: of('suspect'),
    stale: of('stale'),
    events: stats.position,
    delivered,
  }
  if (telling.context.json) {
    telling.context.printJson({ store: telling.context.directory, names, anchor, ...facts })
    return
  }
  telling.title('In numbers')
  telling.table(
    ['what', '#number', ''],
    [
      [
        'real edits replayed',
        facts.edits,
        `${facts.kept} spans kept, ${facts.moved} moved, ${facts.added} added, ${facts.retired} retired`,
      ],
      ['live spans', facts.live, `in ${facts.sources} sources`],
      ['tombstones', facts.tombstones, 'each with its reason, its place in time and its successors'],
      [
        'summaries',
        summaries.length,
        `${facts.current} current, ${facts.suspect} suspect, ${facts.stale} stale`,
      ],
      [
        'events',
        facts.events,
        `in the log of the collection, in order; ${facts.delivered} delivered to the subscriber`,
      ],
      ['seconds', seconds.toFixed(1), ''],
    ].map((row) => row.map(String)),
  )
  const command = `${invocation()} --store ${telling.context.directory}`
  telling.title('Yours to play with')
  telling.say(
    `${command} lineage ${anchor}`,
    `${command} summaries notes --stale`,
    `${command} search battery`,
  )
}

/** How this command line was called, so that the printed commands work where the reader is. */
function invocation(): string {
  const script = process.argv[1] ?? ''
  if (/[\\/]main\.[jt]s$/.test(script) && !script.includes('node_modules'))
    return `node ${relative('.', script)}`
  return script.includes('_npx') || script.includes('node_modules') ? 'npx spanstore' : 'spanstore'
}
