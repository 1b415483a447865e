import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { declaring } from './declaring.ts'
import { EXIT } from './exit.ts'
import { beforeActing } from './groups/before-acting.ts'
import { lookingAfter } from './groups/looking-after.ts'
import { puttingIn } from './groups/putting-in.ts'
import { reading } from './groups/reading.ts'
import { serving } from './groups/serving.ts'
import { takingOut } from './groups/taking-out.ts'
import { whatBecame } from './groups/what-became.ts'
import { report } from './report.ts'

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

  const groups = declaring(program, answer)
  program.commandsGroup('Putting in:')
  puttingIn(groups)
  program.commandsGroup('Reading:')
  reading(groups)
  program.commandsGroup('Asking what became of it:')
  whatBecame(groups)
  program.commandsGroup('Asking before acting:')
  beforeActing(groups)
  program.commandsGroup('Taking out:')
  takingOut(groups)
  program.commandsGroup('Serving it:')
  serving(groups)
  program.commandsGroup('Looking after it:')
  lookingAfter(groups)
  return program
}

const AFTER = `
Exit codes:
  0 ok   3 empty   4 tombstone   5 absent   6 refused   7 undecided   8 rollback   1 failure   2 usage   130 interrupted

Errors go to stderr; with --json as {"error": {"code", "message", "detail"}}.
NO_COLOR turns colours off. "spanstore <command> --help" shows examples.`

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
