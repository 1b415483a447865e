import type { Command } from 'commander'
import { Context, type GlobalOptions } from './context.ts'

type Run<Options> = (context: Context, args: readonly string[], options: Options) => Promise<number>

/** How a group of commands is declared. */
export interface Declaring {
  readonly command: (name: string, summary: string, description: string, examples: string) => Command
  /** What a command does: its context made, its module loaded, its store closed. */
  readonly act: <Options>(
    load: () => Promise<{ readonly run: Run<Options> }>,
  ) => (...given: unknown[]) => Promise<void>
}

/** `answer` is told the exit code. */
export const declaring = (program: Command, answer: (code: number) => void): Declaring => ({
  command: (name, summary, description, examples) =>
    program
      .command(name)
      .summary(summary)
      // Wrapped anew to the width of the terminal; a blank line parts paragraphs.
      .description(description.replace(/(?<!\n)\n(?!\n)/g, ' '))
      .addHelpText('after', `\nExamples:\n${indent(examples)}`),
  act:
    <Options>(load: () => Promise<{ readonly run: Run<Options> }>) =>
    async (...given: unknown[]) => {
      const command = given.at(-1) as Command
      const context = new Context(command.optsWithGlobals<GlobalOptions>())
      try {
        const { run } = await load()
        answer(await run(context, command.args, command.opts() as Options))
      } finally {
        await context.close()
      }
    },
})

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
