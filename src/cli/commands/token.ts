import { join } from 'node:path'
import type { Access, TokenInfo } from '../../server/index.ts'
import { Tokens } from '../../server/tokens.ts'
import type { Context } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { safe } from '../terminal.ts'

export async function run(
  context: Context,
  [verb, name]: readonly string[],
  options: { readonly access?: string; readonly only?: readonly string[]; readonly expires?: string },
): Promise<number> {
  context.requireStore()
  const tokens = new Tokens(join(context.directory, 'tokens'))
  switch (verb) {
    case 'create': {
      if (name === undefined) throw new UsageError('name the token after what it is for')
      const { token, info } = tokens.create({
        name,
        access: (options.access ?? 'read') as Access,
        ...(options.only === undefined ? {} : { collections: options.only }),
        ...(options.expires === undefined ? {} : { expiresAt: timeOf(options.expires) }),
      })
      if (context.json) context.printJson({ token, ...info })
      else {
        context.print(token)
        context.note(`${line(context, info)}\nThis is the only time it is shown.`)
      }
      return EXIT.ok
    }
    case 'list': {
      const list = tokens.list()
      if (context.json) context.printJson({ tokens: list })
      else context.print(...(list.length === 0 ? ['no tokens'] : list.map((info) => line(context, info))))
      return EXIT.ok
    }
    case 'revoke': {
      if (name === undefined) throw new UsageError('name the token to revoke, by the id that the list shows')
      const info = tokens.revoke(name)
      if (context.json) context.printJson(info)
      else context.print(line(context, info))
      return EXIT.ok
    }
    default:
      throw new UsageError(`token takes create, list or revoke, not ${JSON.stringify(verb)}`)
  }
}

function line({ colors }: Context, info: TokenInfo): string {
  const { id, access, collections, expiresAt, revokedAt } = info
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const end =
    revokedAt !== undefined
      ? colors.red(`revoked ${day(revokedAt)}`)
      : expiresAt === undefined
        ? ''
        : `until ${day(expiresAt)}`
  return [
    id,
    access.padEnd(5),
    collections === undefined ? 'all collections' : collections.map(safe).join(', '),
    safe(info.name),
    end,
  ]
    .filter((part) => part !== '')
    .join('  ')
}

function timeOf(text: string): number {
  const at = Date.parse(text)
  if (Number.isNaN(at))
    throw new UsageError(`--expires is ${JSON.stringify(text)}; give a time such as 2030-01-31`)
  return at
}
