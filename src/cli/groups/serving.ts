import type { Declaring } from '../declaring.ts'

/** What lets others reach it. */
export function serving({ command, act }: Declaring): void {
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
    .action(act(() => import('../commands/serve.ts')))
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
  ).action(act(() => import('../commands/import.ts')))
  transferred(
    'export',
    'bring collections of the store to a Chroma server',
    `Brings collections of the store to a running server, which opens or makes them. A run that is cut short goes on where
it was. Afterwards each record is looked for there. The protocol is "chroma".`,
    'spanstore export chroma --url http://localhost:8000 --only notes',
  ).action(act(() => import('../commands/export.ts')))
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
    .action(act(() => import('../commands/token.ts')))
}
