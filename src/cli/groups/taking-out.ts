import type { Declaring } from '../declaring.ts'

/** What takes out of it. */
export function takingOut({ command, act }: Declaring): void {
  command(
    'remove <source>',
    'take a whole source away',
    'Takes a whole source away: its spans become tombstones, reason deleted, and its past stays readable.',
    'spanstore remove handbook',
  ).action(act(() => import('../commands/remove.ts')))
  command(
    'retire [key...]',
    'retire live spans, by key or by filter',
    'Retires live spans, by key or by filter. Their texts stay readable as of earlier positions; see erase.',
    `spanstore retire 01KBADQ7XF8K2M4N6P8R0T2V4W --reason evicted
spanstore retire --where '{"lang": "de"}'`,
  )
    .option('--reason <reason>', 'deleted or evicted', 'deleted')
    .option('--where <json>', 'all spans whose metadata match')
    .action(act(() => import('../commands/retire.ts')))
  command(
    'erase [key...]',
    'remove text physically',
    `Removes text physically, from every file of the store. Keys and lineage stay, as tombstones with erasedAt. Fails
with CASCADE_REQUIRED when live spans hold the same bytes, unless --cascade. Says where else the text stands.`,
    `spanstore erase 01KBADQ7XF8K2M4N6P8R0T2V4W
spanstore erase --source old-contract --cascade --yes`,
  )
    .option('--source <name>', 'everything a source ever held')
    .option('--cascade', 'live spans that hold the same bytes too')
    .option('--yes', 'do not ask')
    .action(act(() => import('../commands/erase.ts')))
  command(
    'prune',
    'drop the texts of spans retired long ago',
    'Drops the texts of spans that were retired long ago, in the whole store. Tombstones and successors stay.',
    `spanstore prune --before 90d
spanstore prune --before 2024-12-31`,
  )
    .requiredOption('--before <time>', 'a time, or an age such as 90d, 12h or 30m')
    .action(act(() => import('../commands/prune.ts')))
}
