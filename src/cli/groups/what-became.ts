import type { Declaring } from '../declaring.ts'

/** What tells of its past, and of what comes. */
export function whatBecame({ command, act }: Declaring): void {
  command(
    'history <source>',
    'list the revisions of a source',
    'Lists the revisions of a source: how many spans each kept, moved, added and retired.',
    `spanstore history handbook
spanstore history handbook --limit 0               # all of them`,
  )
    .option('--limit <number>', 'the last so many; 0 for all', '20')
    .action(act(() => import('../commands/history.ts')))
  command(
    'diff <source> [from] [to]',
    'what became of the spans between two revisions',
    'Shows what became of the spans between two revisions, the last two unless told.',
    `spanstore diff handbook
spanstore diff handbook 1 4 --json`,
  ).action(act(() => import('../commands/diff.ts')))
  command(
    'lineage <key>',
    'draw the history of a span as a tree',
    `Draws the history of a span as a tree: what its text was before, what became of it, and where the same text came
back. Texts of tombstones are shown as they were, unless they were erased or pruned.`,
    'spanstore lineage 01KBADQ7XF8K2M4N6P8R0T2V4W',
  ).action(act(() => import('../commands/lineage.ts')))
  command(
    'dependents <key>',
    'draw everything that stands on a key',
    'Draws everything that stands on a key, at any depth, with its state and its causes.',
    'spanstore dependents 01KBADQ7XF8K2M4N6P8R0T2V4W',
  ).action(act(() => import('../commands/dependents.ts')))
  command(
    'summaries <session>',
    'list the summaries of a session',
    'Lists the live summaries of a session with their states and causes.',
    `spanstore summaries agent-7
spanstore summaries agent-7 --stale                # only those not current`,
  )
    .option('--stale', 'only those that are not current')
    .action(act(() => import('../commands/summaries.ts')))

  command(
    'watch',
    'follow the events of the store as they come',
    `Follows the events of the store, in the order of each collection: one line each, or with --json one CloudEvents
document each. With --consumer the reading is durable: the next watch of that name goes on where this one ended, and
no event is missed. Interrupting ends it.`,
    `spanstore watch
spanstore watch --type span.retired summary.stale --json
spanstore watch --consumer notifier --from start
spanstore watch --from 120 --once --collection notes
spanstore watch --url http://127.0.0.1:8000`,
  )
    .option(
      '--from <start>',
      'now, start, a position, or a cursor; of a consumer that is there, its own place counts',
      'now',
    )
    .option('--type <type...>', 'only events of these types')
    .option('--source <name...>', 'only events of these sources')
    .option('--key <key...>', 'only events of these keys')
    .option('--consumer <name>', 'a durable reader, made at first use')
    .option('--once', 'end at the end of the log, instead of waiting for more')
    .option('--url <url>', 'of a server, in the place of a store here; its token in SPANSTORE_TOKEN')
    .action(act(() => import('../commands/watch.ts')))
  command(
    'consumers',
    'who reads the events durably, and how far behind',
    'Lists the durable readers of events with what they have not acknowledged yet; of one, its dead letters too.',
    `spanstore consumers
spanstore consumers notifier --reset start
spanstore consumers notifier --delete`,
  )
    .argument('[name]')
    .option('--reset <start>', 'read on from now, from the start, or from a cursor')
    .option('--replay', 'deliver its dead letters again')
    .option('--delete', 'forget it')
    .action(act(() => import('../commands/consumers.ts')))
}
