import { SpanStoreError } from '../../core/errors.ts'
import { show } from '../../core/given.ts'
import type { Store } from '../../index.ts'
import { ChromaFailure } from '../../wire/chroma/failure.ts'
import { RemoteChroma } from '../../wire/chroma/remote.ts'
import type { TransferOptions, Transferred } from '../../wire/chroma/transfer.ts'
import { type Context, parseNumber } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { Progress } from '../progress.ts'
import { count } from '../terminal.ts'

export interface TransferFlags {
  readonly url: string
  readonly token?: string
  readonly only?: readonly string[]
  readonly tenant: string
  readonly database: string
  readonly batch: string
}

/** What import and export have in common: the other server, progress, and what is said in the end. */
export async function transfer(
  context: Context,
  protocol: string | undefined,
  flags: TransferFlags,
  store: Store,
  work: (store: Store, remote: RemoteChroma, options: TransferOptions) => Promise<readonly Transferred[]>,
): Promise<number> {
  if (protocol !== 'chroma') throw new UsageError(`the protocol is "chroma", not ${JSON.stringify(protocol)}`)
  const batch = parseNumber('--batch', flags.batch)
  if (batch < 1) throw new UsageError('--batch takes at least 1')
  const token = flags.token ?? (process.env.SPANSTORE_REMOTE_TOKEN || undefined)
  const remote = new RemoteChroma({
    url: flags.url,
    tenant: flags.tenant,
    database: flags.database,
    ...(token === undefined ? {} : { token }),
  })
  const progress = await Progress.start()
  let done: readonly Transferred[]
  try {
    done = await work(store, remote, {
      batch,
      signal: context.signal,
      onProgress: progress.update,
      ...(flags.only === undefined ? {} : { collections: flags.only }),
    })
  } catch (error) {
    if (error instanceof ChromaFailure)
      throw new SpanStoreError(
        'SERVER_REFUSED',
        error.message,
        { status: error.status, problem: error.error },
        { cause: error },
      )
    if (!(error instanceof TypeError)) throw error
    throw new SpanStoreError(
      'INVALID_ARGUMENT',
      `nobody answers at ${flags.url} (${(error.cause as Error | undefined)?.message ?? error.message}); check the address, and that the server runs`,
      { path: '--url', value: flags.url },
      { cause: error },
    )
  } finally {
    progress.stop()
  }
  const interrupted = context.signal.aborted
  const whole = done.every(({ records, verified }) => records === verified)
  if (context.json) context.printJson({ collections: done, complete: whole && !interrupted })
  else {
    for (const { collection, records, verified, resumedAt, refused } of done) {
      context.print(
        `${collection}  ${verified} of ${count(records, 'record')} verified${resumedAt === 0 ? '' : context.colors.dim(`, gone on with at ${resumedAt}`)}`,
      )
      for (const id of refused)
        context.note(
          `${collection}: record ${show(id)} stays where it is: an id has 1 to 1024 characters here, and this one ${count(id.length, 'character')}. Give it another there.`,
        )
    }
    if (interrupted) context.note('Interrupted: the same command goes on from here.')
    else if (!whole && done.every(({ refused }) => refused.length === 0))
      context.note('Not every record was found in the end; the same command brings what is missing.')
  }
  return interrupted ? EXIT.interrupted : whole ? EXIT.ok : EXIT.failure
}
