import { CommanderError } from 'commander'
import { EXIT, UsageError } from './exit.ts'

/** Says what went wrong, for a person or for a program, and answers the exit code. */
export async function report(error: unknown, json: boolean): Promise<number> {
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
