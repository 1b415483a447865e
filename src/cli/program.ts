import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { Context, type GlobalOptions } from './context.ts'
import { EXIT, UsageError } from './exit.ts'

type Run<Options> = (context: Context, args: readonly string[], options: Options) => Promise<number>

/** Runs the command line and answers the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  let code: number = EXIT.ok
  const program = build((result) => {
    code = result
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return report(error, args.includes('--json'))
  }
}

/** The whole command line. A command's own code is loaded when it runs, so that each starts as fast as it can. */
function build(answer: (code: number) => void): Command {
  /** What a command does: its context made, its module loaded, its store closed. */
  const act =
    <Options>(load: () => Promise<{ readonly run: Run<Options> }>) =>
    async (...given: unknown[]): Promise<void> => {
      const command = given.at(-1) as Command
      const context = new Context(command.optsWithGlobals<GlobalOptions>())
      try {
        const { run } = await load()
        answer(await run(context, command.args, command.opts() as Options))
      } finally {
        await context.close()
      }
    }

  const program = new Command('spanstore')
    .description(
      'A store for spans of documents and conversations, whose keys never change meaning. A key that was never there, ' +
        'one that is empty, one that has been retired and one that answers are four different results.',
    )
    .version(version(), '--version')
    .option('--store <dir>', 'where the store is (default: $SPANSTORE_STORE, or ./.spanstore)')
    .option('--collection <name>', 'the collection to work in (default: default)')
    .option(
      '--embedder <name>',
      'computes vectors: local, or MODEL@URL of an OpenAI-compatible server (default: $SPANSTORE_EMBEDDER, or none)',
    )
    .option('--json', 'answer with one JSON document, or one a line for streams')
    .helpOption('-h, --help', 'show what a command does, with examples')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .showHelpAfterError()
    .addHelpText('after', AFTER)

  const command = (name: string, summary: string, description: string, examples: string) =>
    program
      .command(name)
      .summary(summary)
      // Wrapped anew to the width of the terminal; a blank line parts paragraphs.
      .description(description.replace(/(?<!\n)\n(?!\n)/g, ' '))
      .addHelpText('after', `\nExamples:\n${indent(examples)}`)

  program.commandsGroup('Putting in:')
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
    .action(act(() => import('./commands/sync.ts')))
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
    .action(act(() => import('./commands/put.ts')))
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
    .action(act(() => import('./commands/append.ts')))

  program.commandsGroup('Reading:')
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
    .action(act(() => import('./commands/fetch.ts')))
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
    .action(act(() => import('./commands/search.ts')))
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
    .action(act(() => import('./commands/find.ts')))
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
    .action(act(() => import('./commands/read.ts')))
  command(
    'sources',
    'list the sources of the collection',
    'Lists the sources of the collection; with --json one a line.',
    `spanstore sources
spanstore sources --all --json | jq -r .source`,
  )
    .option('--all', 'the removed ones too')
    .action(act(() => import('./commands/sources.ts')))
  command(
    'collections',
    'list the collections of the store',
    'Lists the collections of the store.',
    'spanstore collections --json',
  ).action(act(() => import('./commands/collections.ts')))

  program.commandsGroup('Asking what became of it:')
  command(
    'history <source>',
    'list the revisions of a source',
    'Lists the revisions of a source: how many spans each kept, moved, added and retired.',
    `spanstore history handbook
spanstore history handbook --limit 0               # all of them`,
  )
    .option('--limit <number>', 'the last so many; 0 for all', '20')
    .action(act(() => import('./commands/history.ts')))
  command(
    'diff <source> [from] [to]',
    'what became of the spans between two revisions',
    'Shows what became of the spans between two revisions, the last two unless told.',
    `spanstore diff handbook
spanstore diff handbook 1 4 --json`,
  ).action(act(() => import('./commands/diff.ts')))
  command(
    'lineage <key>',
    'draw the history of a span as a tree',
    `Draws the history of a span as a tree: what its text was before, what became of it, and where the same text came
back. Texts of tombstones are shown as they were, unless they were erased or pruned.`,
    'spanstore lineage 01KBADQ7XF8K2M4N6P8R0T2V4W',
  ).action(act(() => import('./commands/lineage.ts')))
  command(
    'dependents <key>',
    'draw everything that stands on a key',
    'Draws everything that stands on a key, at any depth, with its state and its causes.',
    'spanstore dependents 01KBADQ7XF8K2M4N6P8R0T2V4W',
  ).action(act(() => import('./commands/dependents.ts')))
  command(
    'summaries <session>',
    'list the summaries of a session',
    'Lists the live summaries of a session with their states and causes.',
    `spanstore summaries agent-7
spanstore summaries agent-7 --stale                # only those not current`,
  )
    .option('--stale', 'only those that are not current')
    .action(act(() => import('./commands/summaries.ts')))

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
    .action(act(() => import('./commands/watch.ts')))
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
    .action(act(() => import('./commands/consumers.ts')))

  program.commandsGroup('Asking before acting:')
  command(
    'gate [file]',
    'whether the claims an action stands on can be substantiated now',
    `Whether the claims an action stands on can be substantiated now. The file is JSON: an array of claims ({"text",
"selfSufficient", "dependencyKey"}), or {"session", "action", "claims"}, with "summary" and a key in the place of
"claims" for all claims of a summary; - reads it from stdin. Every key is read at this moment, down to spans, and each
claim is compared with what is found. Answers 0 when every claim is substantiated, 6 when one is not. Each gate is
written down.

With --recheck, the cursor of a gate of the session, says whether that gate still holds: right before the action.`,
    `spanstore gate claims.json --session agent-7 --action 'drop the old tables'
echo '[{"text": "The window is Thursday. [[01KBADQ7XF8K2M4N6P8R0T2V4W]]"}]' | spanstore gate - --json
spanstore gate --session agent-7 --recheck c1.01KBADQ7XF8K2M4N6P8R0T2V4W5`,
  )
    .option('--session <name>', 'whose claims they are (default: what the file says, or cli)')
    .option('--action <name>', 'what is about to be done, for the log')
    .option(
      '--allow-unverified',
      'let claims pass that nothing contradicts, though their source is not known',
    )
    .option('--allow-beside-keys', "let keys count that are not printed in the claim's own text")
    .option('--recheck <cursor>', 'whether an earlier gate still holds')
    .action(act(() => import('./commands/gate.ts')))
  command(
    'boundary <session>',
    'whether a session may compact, and why not',
    `Reads the five signals of a session, as they stand over its last cycles, and decides: proceed, freeze, or freeze and
discard the last epoch. Answers 0, 6 or 8; 5 where no such session was ever seen. Only looks, unless --freeze: then the
reading is kept, and a session whose boundary is crossed is frozen, which nothing but a reconcile pass ends.`,
    `spanstore boundary agent-7
spanstore boundary agent-7 --freeze --json
spanstore boundary agent-7 --plot signals.svg`,
  )
    .option('--freeze', 'keep the reading, and freeze the session when the decision says so')
    .option('--plot <file>', 'draw the readings that were kept, over cycles, as SVG')
    .action(act(() => import('./commands/boundary.ts')))
  command(
    'check-anchors <file>',
    'whether a summary, alone, leads back to what it leaves out',
    `Whether a summary, alone, leads back to what it leaves out: every key it prints is tried, and counted against
words such as "etc." and "as noted". Reads a text; - reads stdin. Answers 0 when it holds, 6 when not.`,
    `spanstore check-anchors summary.md
spanstore check-anchors summary.md --min-density 0.8 --language de --json`,
  )
    .option('--min-density <number>', 'anchors among anchors and elisions, from 0 to 1', '0.5')
    .option('--language <code...>', 'whose elision marks count: en, de (default: both)')
    .action(act(() => import('./commands/check-anchors.ts')))
  command(
    'fidelity',
    'whether a claim says what its source says',
    `Whether a claim says what its source says: polarity, quantifiers, conditions, numbers, names; by rules alone,
offline. Needs no store. Answers 0 for faithful, 6 for unfaithful, 7 where the rules cannot tell.`,
    `spanstore fidelity --source "Pencil in Thursday, but keep a rollback ready." --claim "Thursday is confirmed."
spanstore fidelity --source "$(cat span.txt)" --claim "$(cat claim.txt)" --json`,
  )
    .requiredOption('--source <text>', 'the text the claim is about')
    .requiredOption('--claim <text>', 'what is said about it')
    .option('--context <text>', 'what was said before; it may tell what a pronoun stands for')
    .action(act(() => import('./commands/fidelity.ts')))

  program.commandsGroup('Taking out:')
  command(
    'remove <source>',
    'take a whole source away',
    'Takes a whole source away: its spans become tombstones, reason deleted, and its past stays readable.',
    'spanstore remove handbook',
  ).action(act(() => import('./commands/remove.ts')))
  command(
    'retire [key...]',
    'retire live spans, by key or by filter',
    'Retires live spans, by key or by filter. Their texts stay readable as of earlier positions; see erase.',
    `spanstore retire 01KBADQ7XF8K2M4N6P8R0T2V4W --reason evicted
spanstore retire --where '{"lang": "de"}'`,
  )
    .option('--reason <reason>', 'deleted or evicted', 'deleted')
    .option('--where <json>', 'all spans whose metadata match')
    .action(act(() => import('./commands/retire.ts')))
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
    .action(act(() => import('./commands/erase.ts')))
  command(
    'prune',
    'drop the texts of spans retired long ago',
    'Drops the texts of spans that were retired long ago, in the whole store. Tombstones and successors stay.',
    `spanstore prune --before 90d
spanstore prune --before 2024-12-31`,
  )
    .requiredOption('--before <time>', 'a time, or an age such as 90d, 12h or 30m')
    .action(act(() => import('./commands/prune.ts')))

  program.commandsGroup('Serving it:')
  command(
    'serve',
    'answer over HTTP: the native interface, and that of Chroma',
    `Serves the store over HTTP until it is interrupted: its own interface under /v1, described at /openapi.json and /docs,
and Chroma's under /api/v2. Only this machine reaches it, unless --host says otherwise, which needs a token. With
--embedder, texts are found by meaning, too. Stopping it answers what was asked before.`,
    `spanstore serve
spanstore serve --embedder local
spanstore serve --port 9000 --log
SPANSTORE_TOKEN=secret spanstore serve --host 0.0.0.0`,
  )
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port to listen on; 0 for any that is free', '8000')
    .option('--token <secret>', 'ask for this token (default: $SPANSTORE_TOKEN); it opens everything')
    .option('--allow-host <name...>', 'names it may be called by')
    .option('--allow-origin <origin...>', 'origins whose pages may use it from a browser')
    .option('--log', 'a line of JSON on stderr for each request')
    .action(act(() => import('./commands/serve.ts')))
  const transferred = (name: 'import' | 'export', summary: string, description: string, examples: string) =>
    command(`${name} <protocol>`, summary, description, examples)
      .requiredOption('--url <address>', "the other server's address")
      .option('--token <secret>', 'a token it asks for (default: $SPANSTORE_REMOTE_TOKEN)')
      .option('--only <name...>', 'these collections alone')
      .option('--tenant <name>', 'the tenant there', 'default_tenant')
      .option('--database <name>', 'the database there', 'default_database')
      .option('--batch <number>', 'records at once', '500')
  transferred(
    'import',
    'bring the collections of a Chroma server into the store',
    `Brings collections of a running server into the store, under the same names: records with their documents, vectors,
metadata and URIs, and what the collections are configured as. A run that is cut short goes on where it was; one that is
repeated brings what changed. Afterwards each record is looked for in the store. The protocol is "chroma".`,
    `spanstore import chroma --url http://localhost:8000
spanstore import chroma --url http://localhost:8000 --only notes papers`,
  ).action(act(() => import('./commands/import.ts')))
  transferred(
    'export',
    'bring collections of the store to a Chroma server',
    `Brings collections of the store to a running server, which opens or makes them. A run that is cut short goes on where
it was. Afterwards each record is looked for there. The protocol is "chroma".`,
    'spanstore export chroma --url http://localhost:8000 --only notes',
  ).action(act(() => import('./commands/export.ts')))
  command(
    'token',
    'create, list and revoke the tokens a server asks for',
    `Creates, lists and revokes bearer tokens. A token has read, write or admin access, each including the one before, to
all collections or to some. Only a hash of it is kept, in the directory of the store. A store that ever had a token asks
for one.`,
    `spanstore token create dashboard
spanstore token create ingest --access write --only notes 'chat-*' --expires 2030-01-31
spanstore token list
spanstore token revoke 4f1c09a7d2e8`,
  )
    .argument('<verb>', 'create, list or revoke')
    .argument('[name]', 'what the token is for; to revoke, its id')
    .option('--access <access>', 'read, write or admin (default: read)')
    .option('--only <collection...>', 'the collections it reaches; a * at the end stands for any ending')
    .option('--expires <time>', 'when it ends')
    .action(act(() => import('./commands/token.ts')))

  program.commandsGroup('Looking after it:')
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
    .action(act(() => import('./commands/switch-embedder.ts')))
  command(
    'stats',
    'count what is in the store',
    'Counts what is in the store.',
    'spanstore stats --json',
  ).action(act(() => import('./commands/stats.ts')))
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
    .action(act(() => import('./commands/verify.ts')))
  command(
    'backup <dir>',
    'copy the store while it is in use',
    'Copies the store to an empty directory while it is in use: one consistent state, with checksums.',
    'spanstore backup ../backup-monday',
  ).action(act(() => import('./commands/backup.ts')))
  command(
    'restore <dir>',
    'make a store of a backup',
    'Checks a backup and copies it to an empty directory, named by --store, which then is a store.',
    'spanstore restore ../backup-monday --store ./restored',
  ).action(act(() => import('./commands/restore.ts')))
  command(
    'demo',
    'one story on real data, in a store left to play with',
    `Ingests a page of documentation, a chapter and a meeting, registers summaries, replays real edits, and shows what the
store knows afterwards: kept, moved and retired spans, stale and suspect summaries with their causes, one that becomes
current again by itself, the events a subscriber got, four keys with four results. Makes a store in a new temporary directory, or in --store.`,
    `spanstore demo
spanstore demo --store ./playground`,
  ).action(act(() => import('./commands/demo.ts')))
  return program
}

const AFTER = `
Exit codes:
  0 ok   3 empty   4 tombstone   5 absent   6 refused   7 undecided   8 rollback   1 failure   2 usage   130 interrupted

Errors go to stderr; with --json as {"error": {"code", "message", "detail"}}.
NO_COLOR turns colours off. "spanstore <command> --help" shows examples.`

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** Says what went wrong, for a person or for a program, and answers the exit code. */
async function report(error: unknown, json: boolean): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
  const { code, message, detail, exit } = await understood(error)
  process.stderr.write(
    json
      ? `${JSON.stringify({ error: { code, message, detail } })}\n`
      : `spanstore: ${message}${code === 'USAGE' ? '' : ` (${code})`}\n`,
  )
  return exit
}

async function understood(error: unknown) {
  if (error instanceof CommanderError || error instanceof UsageError) {
    const message = error.message.replace(/^error: /, '')
    return {
      code: 'USAGE',
      message: message === '(outputHelp)' ? 'name a command; see spanstore --help' : message,
      detail: {},
      exit: EXIT.usage,
    }
  }
  const { isSpanStoreError } = await import('../core/errors.ts')
  if (isSpanStoreError(error)) {
    const { code, message, detail } = error
    const exit =
      code === 'ABORTED'
        ? EXIT.interrupted
        : code === 'INVALID_ARGUMENT' || code === 'INVALID_FILTER'
          ? EXIT.usage
          : EXIT.failure
    return { code, message, detail, exit }
  }
  const { message, stack } = error as Error
  return {
    code: 'UNEXPECTED',
    message: process.env.SPANSTORE_DEBUG ? (stack ?? message) : (message ?? String(error)),
    detail: {},
    exit: EXIT.failure,
  }
}
