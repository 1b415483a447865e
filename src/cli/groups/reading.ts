import type { Declaring } from '../declaring.ts'

/** What gives back what is in it. */
export function reading({ command, act }: Declaring): void {
  command(
    'fetch <key...>',
    'what a key stands for: one of four results',
    `Answers what a key stands for, as exactly one of four results, and says so in the exit code too: ok 0, empty 3,
tombstone 4, absent 5 (of several keys, the highest). Looks in every collection unless --collection is given. A key
may be pasted with the brackets of its anchor.`,
    `spanstore fetch 01KBADQ7XF8K2M4N6P8R0T2V4W
spanstore fetch '[[01KBADQ7XF8K2M4N6P8R0T2V4W]]' --json
spanstore fetch 01KBADQ7XF8K2M4N6P8R0T2V4W --as-of 120   # what it answered at that position`,
  )
    .option('--as-of <position>', 'what the keys answered at an earlier position of the collection')
    .action(act(() => import('../commands/fetch.ts')))
  command(
    'search <words...>',
    'the live spans that fit a query best',
    `Finds live spans by their words, best first; a retired span can never be a hit, and what was just written is found.
Every word is optional; "a phrase", prefix*, +required and -excluded narrow it. With --embedder, where the collection
has its vectors, spans that say the same in other words are found as well. An answer that may be missing something
says so.`,
    `spanstore search how many partitions
spanstore search '"battery life" -remote' -k 3
spanstore search what does it cost --embedder local --per-source 1
spanstore search budget --where '{"kind": "chat"}' --as-of 120`,
  )
    .option('-k <number>', 'at most this many', '10')
    .option('--offset <number>', 'leave out this many', '0')
    .option('--where <json>', 'only spans whose metadata match')
    .option('--mode <mode>', 'text, vector or hybrid (default: what the collection has)')
    .option('--as-of <position>', 'the collection as it stood at an earlier position')
    .option(
      '--accuracy <part>',
      'exact, or the part of the nearest vectors to find, from 0 to 1 (default: 0.98)',
    )
    .option('--per-source <number>', 'at most this many of one source')
    .option('--diversity <number>', 'from 0, the ranking as it is, to 1: prefer hits that say something else')
    .option('--min-score <number>', 'leave out what scores lower')
    .option('--weights <text,vector>', 'how much words and vectors count in mode hybrid, such as 1,0.5')
    .option('--explain', 'say how the query was understood')
    .action(act(() => import('../commands/search.ts')))
  command(
    'find',
    'list live spans by their metadata',
    'Lists live spans by their metadata, oldest first.',
    `spanstore find --where '{"speaker": "Anna", "record.year": {"$gte": 2020}}'
spanstore find --source handbook --limit 10`,
  )
    .option('--where <json>', 'a metadata filter')
    .option('--source <name...>', 'only spans of these sources')
    .option('--limit <number>', 'at most this many, 10000 at the most', '100')
    .option('--offset <number>', 'leave out this many', '0')
    .action(act(() => import('../commands/find.ts')))
  command(
    'read <source>',
    'give a source back as it was put',
    `Gives a source back as it was put, byte for byte; an earlier revision when asked. Answers 3 for a source without
live spans, 4 for a removed one, 5 for one never seen.`,
    `spanstore read handbook > handbook.md
spanstore read handbook --revision 2
spanstore read handbook --keys                     # span by span`,
  )
    .option('--revision <number>', 'an earlier revision')
    .option('--keys', 'one line for each span, with its key')
    .action(act(() => import('../commands/read.ts')))
  command(
    'sources',
    'list the sources of the collection',
    'Lists the sources of the collection; with --json one a line.',
    `spanstore sources
spanstore sources --all --json | jq -r .source`,
  )
    .option('--all', 'the removed ones too')
    .action(act(() => import('../commands/sources.ts')))
  command(
    'collections',
    'list the collections of the store',
    'Lists the collections of the store.',
    'spanstore collections --json',
  ).action(act(() => import('../commands/collections.ts')))
}
