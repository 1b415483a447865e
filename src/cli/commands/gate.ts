import type { ClaimInput, ClaimVerdict, Gated } from '../../index.ts'
import { type Context, parseJson, typedKey } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import { count, safe } from '../terminal.ts'
import { readText } from './put.ts'

interface Options {
  readonly session?: string
  readonly action?: string
  readonly allowUnverified?: boolean
  readonly allowBesideKeys?: boolean
  readonly recheck?: string
}

/** What the file may hold beside claims. */
const FIELDS = ['session', 'action', 'claims', 'summary', 'allowUnverified', 'allowBesideKeys']

export async function run(context: Context, [file]: readonly string[], options: Options): Promise<number> {
  if (options.recheck !== undefined) return await recheck(context, file, options.recheck, options.session)
  if (file === undefined) throw new UsageError('name a file of claims, or - to read them from stdin')
  const asked = request(
    file,
    parseJson<unknown>(file, await readText(file), 'write an array of claims, or an object'),
  )
  const session = (await context.collection()).session(options.session ?? asked.session ?? 'cli')
  const action = options.action ?? asked.action
  const gated = await session.gate(asked.claims, {
    ...(action === undefined ? {} : { action }),
    allowUnverified: options.allowUnverified ?? asked.allowUnverified ?? false,
    allowBesideKeys: options.allowBesideKeys ?? asked.allowBesideKeys ?? false,
  })
  if (context.json) context.printJson(gated)
  else context.print(...show(context, gated))
  return gated.verdict === 'substantiated' ? EXIT.ok : EXIT.refused
}

interface Request {
  readonly claims: string | readonly ClaimInput[]
  readonly session?: string
  readonly action?: string
  readonly allowUnverified?: boolean
  readonly allowBesideKeys?: boolean
}

/** What was asked, in one of two shapes. The store checks the claims themselves. */
function request(file: string, value: unknown): Request {
  if (Array.isArray(value)) return { claims: value }
  if (typeof value !== 'object' || value === null)
    throw new UsageError(`${file} holds neither an array of claims nor an object with ${FIELDS.join(', ')}`)
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined)
    throw new UsageError(
      `${file} has a field ${JSON.stringify(unknown)}; the fields are ${FIELDS.join(', ')}`,
    )
  const { summary, claims, ...rest } = value as Omit<Request, 'claims'> & {
    readonly claims?: readonly ClaimInput[]
    readonly summary?: unknown
  }
  if ((summary === undefined) === (claims === undefined))
    throw new UsageError(`${file} must have either "claims" or "summary"`)
  return { ...rest, claims: claims ?? typedKey(String(summary)) }
}

async function recheck(
  context: Context,
  file: string | undefined,
  cursor: string,
  session: string | undefined,
): Promise<number> {
  if (file !== undefined) throw new UsageError('give a file of claims or --recheck, not both')
  const answer = await (await context.collection()).session(session ?? 'cli').recheck(cursor)
  const { colors } = context
  if (context.json) context.printJson(answer)
  else
    context.print(
      `${answer.verdict === 'holds' ? colors.green('holds') : colors.red('refused')}  ${answer.message}`,
    )
  return answer.verdict === 'holds' ? EXIT.ok : EXIT.refused
}

function show({ colors }: Context, gated: Gated): string[] {
  const refused = gated.claims.filter((claim) => claim.verdict === 'refused').length
  return [
    gated.verdict === 'substantiated'
      ? `${colors.green('substantiated')}  ${count(gated.claims.length, 'claim')}`
      : `${colors.red('refused')}  ${refused} of ${count(gated.claims.length, 'claim')}`,
    ...gated.reasons.map(({ code, message }) => `${colors.bold(code)}  ${message}`),
    ...gated.claims.flatMap((claim) => showClaim({ colors }, claim)),
    // After a refusal there is no action to look again before.
    ...(gated.verdict === 'substantiated'
      ? [colors.dim(`Right before the action: spanstore gate --recheck ${gated.cursor}`)]
      : []),
  ]
}

function showClaim({ colors }: Pick<Context, 'colors'>, claim: ClaimVerdict): string[] {
  const mark = claim.verdict === 'substantiated' ? colors.green('✓') : colors.red('✗')
  const { authority } = claim
  return [
    '',
    `${mark} ${safe(claim.text)}`,
    ...claim.reasons.map(
      ({ code, message, successors }) =>
        `  ${colors.bold(code)}  it ${message}${successors?.length ? ` (see ${successors.join(' ')})` : ''}`,
    ),
    ...claim.rehydrated.map(({ key, status, rank, identical, through }) =>
      colors.dim(
        `  ${key} is ${identical === undefined ? status : `back as ${identical}`}${
          through === undefined ? '' : `, through ${through}`
        }${rank === undefined ? '' : `, hit ${rank} of a search with these words`}`,
      ),
    ),
    colors.dim(
      `  authority: ${authority.state}${authority.state === 'write-time only' ? '' : ` at position ${authority.position}`}`,
    ),
  ]
}
