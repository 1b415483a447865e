import type { Context } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { count, when } from '../terminal.ts'

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 }

export async function run(
  context: Context,
  _: readonly string[],
  options: { readonly before: string },
): Promise<number> {
  const before = timeOf(options.before)
  const store = await context.existing()
  const result = await store.prune({ before, signal: context.signal })
  if (context.json) context.printJson({ before, ...result })
  else
    context.print(
      `${count(result.pruned, 'text')} of spans retired before ${when(before)} dropped${
        result.reclaimed ? ', and the files shrank' : ''
      }. Their tombstones and successors stay.`,
    )
  return EXIT.ok
}

function timeOf(text: string): number {
  const [, number, unit] = /^(\d+)([dhm])$/.exec(text) ?? []
  if (number !== undefined) return Date.now() - Number(number) * UNITS[unit!]!
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw new UsageError(
    `--before is ${JSON.stringify(text)}; give a time such as 2024-12-31, or an age such as 90d, 12h or 30m`,
  )
}
