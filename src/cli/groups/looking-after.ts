import type { Declaring } from '../declaring.ts'

/** What keeps it well. */
export function lookingAfter({ command, act }: Declaring): void {
  command(
    'switch-embedder <embedder>',
    'compute all vectors of the collection by another model',
    `Computes all vectors of the collection by another model, beside those that searches use meanwhile, and switches when
none is missing. Says first how much there is to embed. What has a vector of that model already is not embedded again,
so that an interrupted run goes on where it was. Afterwards, name the new model with --embedder or SPANSTORE_EMBEDDER.`,
    `spanstore switch-embedder local --estimate
spanstore switch-embedder nomic-embed-text@http://127.0.0.1:11434/v1 --yes
spanstore switch-embedder text-embedding-3-small@https://api.openai.com/v1 --per-minute 3000`,
  )
    .option('--estimate', 'only say how much there is to embed')
    .option('--per-minute <number>', 'at most so many texts a minute')
    .option('--yes', 'do not ask')
    .action(act(() => import('../commands/switch-embedder.ts')))
  command(
    'stats',
    'count what is in the store',
    'Counts what is in the store.',
    'spanstore stats --json',
  ).action(act(() => import('../commands/stats.ts')))
  command(
    'verify',
    'compare everything derived with what it derives from',
    'Compares everything derived with the append-only tables. Answers 1 when something is wrong.',
    `spanstore verify
spanstore verify --repair
spanstore verify --embeddings 100 --embedder text-embedding-3-small@https://api.openai.com/v1`,
  )
    .option('--repair', 'set right what can be derived')
    .option(
      '--embeddings <number>',
      'embed so many texts of the collection anew, and compare with the stored vectors (needs --embedder)',
    )
    .action(act(() => import('../commands/verify.ts')))
  command(
    'backup <dir>',
    'copy the store while it is in use',
    'Copies the store to an empty directory while it is in use: one consistent state, with checksums.',
    'spanstore backup ../backup-monday',
  ).action(act(() => import('../commands/backup.ts')))
  command(
    'restore <dir>',
    'make a store of a backup',
    'Checks a backup and copies it to an empty directory, named by --store, which then is a store.',
    'spanstore restore ../backup-monday --store ./restored',
  ).action(act(() => import('../commands/restore.ts')))
  command(
    'demo',
    'one story on real data, in a store left to play with',
    `Ingests a page of documentation, a chapter and a meeting, registers summaries, replays real edits, and shows what the
store knows afterwards: kept, moved and retired spans, stale and suspect summaries with their causes, one that becomes
current again by itself, the events a subscriber got, four keys with four results. Makes a store in a new temporary directory, or in --store.`,
    `spanstore demo
spanstore demo --store ./playground`,
  ).action(act(() => import('../commands/demo.ts')))
}
