import type { Declaring } from '../declaring.ts'

/** What puts texts into the store. */
export function puttingIn({ command, act }: Declaring): void {
  command(
    'sync <dir>',
    'bring the collection up to date with a folder',
    `Brings the collection up to date with a folder: Markdown, text, code, JSON lines and chat transcripts. Later runs
write only what changed, tombstone what is gone, and recognise a renamed file by its content, so that its keys
survive. .gitignore is respected; binary files, symbolic links and big files are skipped. A run that is killed leaves
a store on which the next run does the rest.

A file's source is named after the path it had when it was first seen. "Renamed" means: the text is identical, or at
least 60 % of the longer text is common to both, line by line, and no other file fits as well.`,
    `spanstore sync docs                       # into ./.spanstore
spanstore sync docs --dry-run             # what would change
spanstore sync ~/notes --collection notes --prefix notes/`,
  )
    .option('--prefix <text>', 'put before each path to make the source names, such as docs/')
    .option('--root <name>', "what the folder is known by in the store (default: the folder's absolute path)")
    .option('--max-mb <number>', 'skip larger files', '20')
    .option('--dry-run', 'list what would change, and write nothing')
    .option('--allow-empty', 'take an empty folder at its word, and remove all its sources')
    .option('--verbose', 'list every file, the skipped ones too')
    .action(act(() => import('../commands/sync.ts')))
  command(
    'put <source> [file]',
    'store a text as the new revision of a source',
    `Stores a text as the new revision of a source: ingest, edit and re-chunk in one. Spans that are still there keep
their keys, the others become tombstones with successors, and summaries that stood on them are marked. Reads the file,
or stdin without one (or with -). A text that changes nothing writes nothing.`,
    `spanstore put handbook handbook.md
curl -s https://example.com/terms.txt | spanstore put terms --metadata '{"lang": "en"}'
spanstore put handbook handbook.md --expect 3      # only if it stands at revision 3
spanstore put offer offer.txt --expires 2030-01-31T12:00:00Z`,
  )
    .option(
      '--chunker <name>',
      'paragraphs, markdown, turns, code or whole (default: by the name of the file)',
    )
    .option('--metadata <json>', 'metadata of the source and all its spans; left out, it stays')
    .option(
      '--expect <revision>',
      'fail with REVISION_CONFLICT unless the source stands there (0: it is new)',
    )
    .option('--expires <time>', 'when its spans become tombstones by themselves; never takes that back')
    .option('--without-text', 'a record without text: its key will answer empty')
    .option('--readmit', 'take back text that was erased from this source')
    .option('--command-id <id>', 'a retry with the same id answers what the first did')
    .action(act(() => import('../commands/put.ts')))
  command(
    'append <source> [file]',
    'add spans to the end of a source',
    `Adds spans to the end of a source, such as the turns of a conversation, in time that does not depend on its length.
Every line that is not blank becomes a span; lines that are JSON objects are read as messages ({"role", "content"})
or as records with a text.`,
    `echo 'Anna: we ship on Friday.' | spanstore append standup
spanstore append chat-7 new-messages.jsonl
spanstore append standup minutes.txt --one         # the whole text as one span`,
  )
    .option('--one', 'the whole input is one span')
    .option('--metadata <json>', 'metadata of each span')
    .option('--readmit', 'take back text that was erased from this source')
    .option('--command-id <id>', 'a retry with the same id answers what the first did')
    .action(act(() => import('../commands/append.ts')))
}
